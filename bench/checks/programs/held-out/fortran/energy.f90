! kind: coll-signature 5.9
! set: held-out
! ranks: 3
! 0 none ends ends: sums of real(8), said as MPI_REAL8 and as MPI_DOUBLE_PRECISION
! 1 error fails fails proves: rank 0 sums reals, the others double precision
! 2 error fails fails proves: rank 0 sums one element, the others three
program energy
  use mpi
  implicit none
  integer :: rank, ierr
  real(8) :: mine(3), all(3)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  mine = rank
  all = 0
  if (rank == 0) then
#if VARIANT == 0
     call MPI_Allreduce(mine, all, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
#elif VARIANT == 1
     call MPI_Allreduce(mine, all, 3, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr) ! HERE
#else
     call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr) ! HERE
#endif
  else
     call MPI_Allreduce(mine, all, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr) ! HERE
  end if
  print *, all(1)
  call MPI_Finalize(ierr)
end program energy
