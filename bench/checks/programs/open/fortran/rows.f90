! kind: datatype-leak 4.1.9
! set: open
! ranks: 2
! 0 none ends ends: the type of a matrix row is made once and freed
! 1 warning ends ends proves: it is made in each step and not freed
program rows
  use mpi
  implicit none
  integer, parameter :: n = 6
  double precision :: a(n, n)
  integer :: rank, ierr, step
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  do step = 1, n
     call swap(step)
  end do
  print *, a(1, 1)
  call MPI_Finalize(ierr)
contains
  subroutine swap(i)
    integer, intent(in) :: i
    integer :: row, status(MPI_STATUS_SIZE)
    call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, row, ierr) ! HERE
    call MPI_Type_commit(row, ierr)
    call MPI_Sendrecv_replace(a(i, 1), 1, row, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, status, ierr)
#if VARIANT == 0
    call MPI_Type_free(row, ierr)
#endif
  end subroutine swap
end program rows
