! kind: finalize-missing 8.7
! set: open
! ranks: 2
! 0 none ends ends: the routine that stops the program calls MPI_Finalize first
! 1 error fails|ends fails|ends proves: stop without MPI_Finalize
program no_end
  use mpi
  implicit none
  integer :: rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call quit(rank)
contains
  subroutine quit(rank)
    integer, intent(in) :: rank
    if (rank == 0) print *, 'ready'
#if VARIANT == 0
    call MPI_Finalize(ierr)
#endif
    stop ! HERE
  end subroutine quit
end program no_end
