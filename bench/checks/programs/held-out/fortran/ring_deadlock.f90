! kind: p2p-deadlock 3.5
! set: held-out
! ranks: 3
! 0 none ends ends: sendrecv round the ring
! 1 error hangs hangs proves: everybody receives first
! 2 error hangs hangs proves: the tag of what is received is the own rank instead of the sender's
program ring
  use mpi
  implicit none
  integer :: rank, nproc, ierr, left, right, token, got, tag
  integer :: status(MPI_STATUS_SIZE)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  left = mod(rank + nproc - 1, nproc)
  right = mod(rank + 1, nproc)
  token = rank
#if VARIANT == 2
  tag = rank
#else
  tag = left
#endif
#if VARIANT == 1
  call MPI_Recv(got, 1, MPI_INTEGER, left, left, MPI_COMM_WORLD, status, ierr) ! HERE
  call MPI_Send(token, 1, MPI_INTEGER, right, rank, MPI_COMM_WORLD, ierr)
#else
  call MPI_Sendrecv(token, 1, MPI_INTEGER, right, rank, got, 1, MPI_INTEGER, left, tag, & ! HERE
       MPI_COMM_WORLD, status, ierr)
#endif
  print *, got
  call MPI_Finalize(ierr)
end program ring
