! Requests in Fortran, whose bindings keep them elsewhere than the program does: 3 ranks. An argument leaves one open.
program identity
  use mpi
  implicit none
  integer :: rank, size, code, i, k, requests(8), statuses(MPI_STATUS_SIZE, 8), index
  integer :: persistent(2)
  double precision :: sent(4), got(4, 2)
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, size, code)
  sent = rank
  do i = 1, 5
    k = 0
    call exchange(modulo(rank + 1, size), modulo(rank + size - 1, size), 1)
    call exchange(modulo(rank + size - 1, size), modulo(rank + 1, size), 2)
    if (modulo(i, 2) == 0) then
      call MPI_Waitall(k, requests, statuses, code)
    else
      do index = k, 1, -1
        call MPI_Wait(requests(index), MPI_STATUS_IGNORE, code)
      end do
    end if
    if (nint(got(1, 1)) /= modulo(rank + size - 1, size)) call MPI_Abort(MPI_COMM_WORLD, 3, code)
  end do
  call MPI_Send_init(sent, 4, MPI_DOUBLE_PRECISION, modulo(rank + 1, size), 9, MPI_COMM_WORLD, persistent(1), code)
  call MPI_Recv_init(got, 4, MPI_DOUBLE_PRECISION, modulo(rank + size - 1, size), 9, MPI_COMM_WORLD, persistent(2), code)
  do i = 1, 3
    call MPI_Startall(2, persistent, code)
    call MPI_Waitall(2, persistent, statuses, code)
  end do
  call MPI_Request_free(persistent(1), code)
  call MPI_Request_free(persistent(2), code)
  if (command_argument_count() > 0) then
    call MPI_Isend(sent, 4, MPI_DOUBLE_PRECISION, modulo(rank + 1, size), 7, MPI_COMM_WORLD, requests(1), code) ! open
    call MPI_Recv(got, 4, MPI_DOUBLE_PRECISION, modulo(rank + size - 1, size), 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
  end if
  call MPI_Finalize(code)
contains
  subroutine exchange(to, from, tag)
    integer, intent(in) :: to, from, tag
    call MPI_Isend(sent, 4, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, requests(k + 1), code)
    call MPI_Irecv(got(:, tag), 4, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, requests(k + 2), code)
    k = k + 2
  end subroutine
end program
