! kind: comm-leak 6.4.3
! set: open
! ranks: 2
! 0 none ends ends: a Cartesian communicator, freed
! 1 warning ends ends proves: never freed
program named
  use mpi
  implicit none
  integer :: rank, ierr, grid, dims(1), up, down
  logical :: periodic(1)
  call MPI_Init(ierr)
  dims = 2
  periodic = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, .false., grid, ierr) ! HERE
  call MPI_Comm_rank(grid, rank, ierr)
  call MPI_Cart_shift(grid, 0, 1, up, down, ierr)
  print *, up, down
#if VARIANT == 0
  call MPI_Comm_free(grid, ierr)
#endif
  call MPI_Finalize(ierr)
end program named
