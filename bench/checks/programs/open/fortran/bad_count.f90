! kind: argument-count 3.2.2
! set: open
! ranks: 2
! 0 none ends ends: the sizes of an allocated array, which may be zero
! 1 error fails fails proves: a size that runs below zero
program bad_count
  use mpi
  implicit none
  integer :: rank, ierr, n, step, status(MPI_STATUS_SIZE)
  double precision, allocatable :: part(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate(part(8))
  part = rank
  do step = 0, 4
#if VARIANT == 1
     n = 8 - 3 * step
#else
     n = max(0, 8 - 3 * step)
#endif
     if (rank == 0) then
        call MPI_Send(part, n, MPI_DOUBLE_PRECISION, 1, step, MPI_COMM_WORLD, ierr) ! HERE
     else
        call MPI_Recv(part, max(n, 0), MPI_DOUBLE_PRECISION, 0, step, MPI_COMM_WORLD, status, ierr)
     end if
  end do
  deallocate(part)
  call MPI_Finalize(ierr)
end program bad_count
