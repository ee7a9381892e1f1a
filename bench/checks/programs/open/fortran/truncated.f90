! kind: p2p-truncation 3.2.4
! set: open
! ranks: 2
! 0 none ends ends: room for more than comes
! 1 error fails fails proves: room for one element less than comes
program truncated
  use mpi
  implicit none
  integer, parameter :: n = 10
  integer :: rank, ierr, room, status(MPI_STATUS_SIZE), got
  integer :: values(2 * n)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  values = rank
#if VARIANT == 1
  room = n - 1
#else
  room = 2 * n
#endif
  if (rank == 0) then
     call MPI_Send(values, n, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, ierr) ! HERE
  else
     call MPI_Recv(values, room, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, status, ierr) ! HERE
     call MPI_Get_count(status, MPI_INTEGER, got, ierr)
     print *, got
  end if
  call MPI_Finalize(ierr)
end program truncated
