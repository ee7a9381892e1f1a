! kind: coll-root 5.4
! set: open
! ranks: 2
! 0 none ends ends: Fortran's first rank is rank 0, and all say so
! 1 error ends ends proves: one branch broadcasts from 0, the other from 1
program wrong_root
  use mpi
  implicit none
  integer :: rank, ierr, root
  real :: table(3)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  table = rank
  root = 0
#if VARIANT == 1
  if (rank == 1) root = 1
#endif
  call MPI_Bcast(table, 3, MPI_REAL, root, MPI_COMM_WORLD, ierr) ! HERE
  print *, table(1)
  call MPI_Finalize(ierr)
end program wrong_root
