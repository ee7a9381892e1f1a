! kind: p2p-datatype 3.3.1
! set: open
! ranks: 2
! 0 none ends ends: double precision sent and received
! 1 error fails|ends fails|ends proves: received as default reals, with twice the count
! 2 none ends ends: a whole array sent, received into a section of an array without stride
program halo
  use mpi
  implicit none
  integer :: rank, ierr, step
  double precision :: u(0:9)
  double precision :: z(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  u = rank
  z = 2
  do step = 1, 3
     call exchange(rank)
  end do
  print *, u(0)
  call MPI_Finalize(ierr)
contains
  subroutine exchange(rank)
    integer, intent(in) :: rank
    integer :: status(MPI_STATUS_SIZE)
    if (rank == 0) then
       call MPI_Send(u(8), 1, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr) ! HERE
#if VARIANT == 2
       call MPI_Send(z, 4, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr)
#endif
    else
#if VARIANT == 1
       call MPI_Recv(u(0), 2, MPI_REAL, 0, 0, MPI_COMM_WORLD, status, ierr) ! HERE
#else
       call MPI_Recv(u(0), 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, ierr)
#endif
#if VARIANT == 2
       call MPI_Recv(z(1:4), 4, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, status, ierr)
#endif
    end if
  end subroutine exchange
end program halo
