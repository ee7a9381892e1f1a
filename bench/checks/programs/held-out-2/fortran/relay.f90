! kind: p2p-deadlock 3.5
! set: held-out-2
! ranks: 3
! 0 none ends ends: the first one sends, the others receive and pass it on
! 1 error hangs hangs proves: all wait for the one before them
! 2 none ends ends: all by MPI_SENDRECV
! 3 error hangs hangs proves: the first one sends with another tag than the second one expects
program relay
  use mpi
  implicit none
  integer :: rank, ranks, error, before, after
  double precision :: token, other
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  before = modulo(rank - 1, ranks)
  after = modulo(rank + 1, ranks)
  token = 1.0d0 + rank
  if (VARIANT == 2) then
    call MPI_SENDRECV(token, 1, MPI_DOUBLE_PRECISION, after, 9, other, 1, MPI_DOUBLE_PRECISION, before, 9, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  else
    call pass_on()
  end if
  print *, token
  call MPI_FINALIZE(error)
contains
  subroutine pass_on()
    integer :: tag
    tag = 9
    if (VARIANT == 3 .and. rank == 0) tag = 8
    if (rank == 0 .and. VARIANT /= 1) then
      call MPI_SSEND(token, 1, MPI_DOUBLE_PRECISION, after, tag, MPI_COMM_WORLD, error) ! HERE 3
      call MPI_RECV(token, 1, MPI_DOUBLE_PRECISION, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    else
      call MPI_RECV(token, 1, MPI_DOUBLE_PRECISION, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! HERE 1 3
      call MPI_SSEND(token, 1, MPI_DOUBLE_PRECISION, after, 9, MPI_COMM_WORLD, error)
    end if
  end subroutine pass_on
end program relay
