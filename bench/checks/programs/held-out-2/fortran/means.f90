! kind: coll-order 5.13
! set: held-out-2
! ranks: 3
! 0 none ends ends: the sum, then the largest, on all ranks
! 1 error ends|hangs|fails|crashes ends|hangs|fails|crashes proves: rank 1 asks for the largest first, and of the root alone
! 2 none ends ends: the last rank has no values, and takes part
! 3 error hangs|ends|fails hangs|ends|fails proves: the last rank has no values, and leaves out the barrier
program means
  use mpi
  implicit none
  integer :: rank, ranks, error
  double precision :: value, total, largest
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  value = rank
  if (VARIANT == 2 .and. rank == ranks - 1) value = 0
  if (VARIANT == 1 .and. rank == 1) then
    call MPI_REDUCE(value, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error) ! HERE 1
    call MPI_ALLREDUCE(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! HERE 1
  else
    call MPI_ALLREDUCE(value, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! HERE 1
    call MPI_REDUCE(value, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error) ! HERE 1
  end if
  if (.not. (VARIANT == 3 .and. rank == ranks - 1)) then
    call MPI_BARRIER(MPI_COMM_WORLD, error) ! HERE 3
  end if
  if (rank == 0) print *, total / ranks, largest
  call MPI_FINALIZE(error) ! HERE 3
end program means
