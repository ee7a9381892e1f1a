! kind: coll-missing-member 5.13
! set: open
! ranks: 3
! 0 none ends ends: everybody takes part in the broadcast of the switch
! 1 error hangs|ends hangs|ends proves: rank 2 returns from the routine before the broadcast
program subset
  use mpi
  implicit none
  integer :: rank, ierr, steps, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  steps = 10
  call settings(rank, steps)
  call MPI_Allreduce(steps, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr) ! HERE
  print *, total
  call MPI_Finalize(ierr)
contains
  subroutine settings(rank, steps)
    integer, intent(in) :: rank
    integer, intent(inout) :: steps
#if VARIANT == 1
    if (rank == 2) return
#endif
    call MPI_Bcast(steps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! HERE
    if (rank < 0) steps = 0
  end subroutine settings
end program subset
