! Fortran with mpif.h: sends and receives between neighbours.
program mpif
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, error, i, value, status(MPI_STATUS_SIZE)
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  value = rank
  do i = 1, 5
    if (rank > 0) call MPI_RECV(value, 1, MPI_INTEGER, rank - 1, i, MPI_COMM_WORLD, status, error)
    if (rank < ranks - 1) call MPI_SEND(value + 1, 1, MPI_INTEGER, rank + 1, i, MPI_COMM_WORLD, error)
  end do
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  if (rank == ranks - 1) print '(a,i0)', 'value ', value
  call MPI_FINALIZE(error)
end program mpif
