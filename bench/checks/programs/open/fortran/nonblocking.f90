! kind: request-not-completed 3.7.3
! set: open
! ranks: 2
! 0 none ends ends: both requests are waited for
! 1 error ends ends proves: the request of the send is not waited for
! 2 none ends ends: requests tested with MPI_Testall until all have completed
program nonblocking
  use mpi
  implicit none
  integer :: rank, ierr, requests(2), got(5), mine(5)
  logical :: done
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  mine = rank
  call MPI_Irecv(got, 5, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(mine, 5, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(2), ierr) ! HERE
#if VARIANT == 0
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
#elif VARIANT == 1
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
#else
  done = .false.
  do while (.not. done)
     call MPI_Testall(2, requests, done, MPI_STATUSES_IGNORE, ierr)
  end do
#endif
  done = got(1) == 1 - rank
  print *, done
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program nonblocking
