! kind: rma-epoch 11.5
! set: open
! ranks: 2
! 0 none ends ends: put between two fences
! 1 error fails fails proves: put in no epoch
program window
  use mpi
  implicit none
  integer :: rank, ierr, win
  integer(MPI_ADDRESS_KIND) :: bytes, place
  double precision :: room(4), mine
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  room = 0
  mine = rank
  bytes = 4 * 8
  place = 1
  call MPI_Win_create(room, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
#if VARIANT == 0
  call MPI_Win_fence(0, win, ierr)
#endif
  call MPI_Put(mine, 1, MPI_DOUBLE_PRECISION, 1 - rank, place, 1, MPI_DOUBLE_PRECISION, win, ierr) ! HERE
#if VARIANT == 0
  call MPI_Win_fence(0, win, ierr)
#else
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
#endif
  print *, room(2)
  call MPI_Win_free(win, ierr)
  call MPI_Finalize(ierr)
end program window
