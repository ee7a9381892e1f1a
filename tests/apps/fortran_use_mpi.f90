! Fortran with the mpi module: a ring of messages and a reduction, calls made in an internal procedure.
program use_mpi
  use mpi
  implicit none
  integer :: rank, ranks, token, total, i, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  token = rank + 1
  do i = 1, 6
    call pass_on()
  end do
  call MPI_Reduce(token, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0)', 'total ', total
  call MPI_Finalize(error)
contains
  subroutine pass_on()
    integer :: left, right, received
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call MPI_Sendrecv(token, 1, MPI_INTEGER, right, 0, received, 1, MPI_INTEGER, left, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    token = received
  end subroutine pass_on
end program use_mpi
