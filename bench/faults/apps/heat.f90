! Conjugate gradients for a rod that is cut into pieces, in Fortran: a halo exchange and two dot products an iteration.
! The options are those of fault.h; they are read with the same calls whatever the fault.
module heat_fault
  implicit none
  integer, parameter :: no_fault = 0, skip_halo = 1, wrong_tag = 2, wrong_op = 3, early_exit = 4, crash = 5, &
                        abort_run = 6, endless = 7, extra_collective = 8, swap = 9, stuck = 10, skip_dot = 11, &
                        wrong_peer = 12, extra_call = 13, skip_call = 14, wrong_comm = 15, fault_count = 15
  character(len=16), parameter :: fault_names(0:fault_count) = [character(len=16) :: 'none', 'skip_halo', &
    'wrong_tag', 'wrong_op', 'early_exit', 'crash', 'abort', 'endless', 'extra_collective', 'swap', 'stuck', &
    'skip_dot', 'wrong_peer', 'extra_call', 'skip_call', 'wrong_comm']
  integer :: fault = no_fault, fault_rank = 0, fault_at = 0, steps = 16, cells = 400
contains
  subroutine read_options(valid)
    logical, intent(out) :: valid
    character(len=16) :: option, text
    integer :: i, id, number, digit
    valid = .true.
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, option)
      call get_command_argument(i + 1, text)
      number = 0
      do digit = 1, len(text)
        if (text(digit:digit) >= '0' .and. text(digit:digit) <= '9') &
          number = 10 * number + ichar(text(digit:digit)) - 48
      end do
      select case (option(3:4))
      case ('fa')
        fault = -1
        do id = 0, fault_count
          if (text == fault_names(id)) fault = id
        end do
        valid = valid .and. fault >= 0
      case ('ra')
        fault_rank = number
      case ('at')
        fault_at = number
      case ('st')
        steps = number
      case ('si')
        cells = number
      case default
        valid = .false.
      end select
    end do
  end subroutine read_options
end module heat_fault

module heat_solver
  use mpi
  use heat_fault
  implicit none
  integer :: rank, ranks, pair, step, ierr
  integer(8), volatile :: far = 2_8**44
  real(8), allocatable :: x(:), r(:), p(:), q(:)
contains
  subroutine set_up()
    integer :: i
    allocate (x(0:cells + 1), r(0:cells + 1), p(0:cells + 1), q(0:cells + 1))
    x = 0d0
    r = 0d0
    do i = 1, cells
      r(i) = dble(mod(i * 3 + rank, 7)) - 3d0
    end do
    p = r
    q = 0d0
    call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, pair, ierr)
  end subroutine set_up

  subroutine send_right(tag)
    integer, intent(in) :: tag
    integer :: to
    to = rank + 1
    if (fault == wrong_peer .and. fault_rank == rank .and. fault_at == step) to = mod(rank + 2, ranks)
    if (rank + 1 < ranks) call MPI_Ssend(p(cells), 1, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, ierr)
  end subroutine send_right

  subroutine send_left(tag)
    integer, intent(in) :: tag
    if (rank > 0) call MPI_Ssend(p(1), 1, MPI_DOUBLE_PRECISION, rank - 1, tag, MPI_COMM_WORLD, ierr)
  end subroutine send_left

  subroutine receive_left()
    if (rank > 0) call MPI_Recv(p(0), 1, MPI_DOUBLE_PRECISION, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine receive_left

  subroutine receive_right()
    if (rank + 1 < ranks) call MPI_Recv(p(cells + 1), 1, MPI_DOUBLE_PRECISION, rank + 1, 2, MPI_COMM_WORLD, &
                                        MPI_STATUS_IGNORE, ierr)
  end subroutine receive_right

  ! Even ranks send first, so that nobody waits in a circle.
  subroutine exchange_halo()
    integer :: shift
    logical :: first
    shift = 0
    if (fault == wrong_tag .and. fault_rank == rank .and. fault_at == step) shift = 5
    first = mod(rank, 2) == 0
    if (fault == swap .and. fault_rank == rank .and. fault_at == step) first = .not. first
    if (first) then
      call send_right(1 + shift)
      call receive_right()
      call send_left(2 + shift)
      call receive_left()
    else
      call receive_left()
      call send_left(2 + shift)
      call receive_right()
      call send_right(1 + shift)
    end if
  end subroutine exchange_halo

  subroutine apply_matrix()
    integer :: i
    ! An index far outside: SIGSEGV.
    if (fault == crash .and. fault_rank == rank .and. fault_at == step) q(far) = 1d0
    do i = 1, cells
      q(i) = 2.1d0 * p(i) - p(i - 1) - p(i + 1)
    end do
  end subroutine apply_matrix

  real(8) function local_dot(a, b)
    real(8), intent(in) :: a(0:), b(0:)
    integer :: i
    local_dot = 0d0
    do i = 1, cells
      local_dot = local_dot + a(i) * b(i)
    end do
  end function local_dot

  real(8) function global_dot(a, b)
    real(8), intent(in) :: a(0:), b(0:)
    real(8) :: own
    integer :: op, comm
    op = MPI_SUM
    comm = MPI_COMM_WORLD
    if (fault == wrong_op .and. fault_rank == rank .and. fault_at == step) op = MPI_MAX
    if (fault == wrong_comm .and. fault_rank == rank .and. fault_at == step) comm = pair
    own = local_dot(a, b)
    global_dot = own
    if (.not. (fault == skip_dot .and. fault_rank == rank .and. fault_at == step)) &
      call MPI_Allreduce(own, global_dot, 1, MPI_DOUBLE_PRECISION, op, comm, ierr)
  end function global_dot

  subroutine update_solution(alpha)
    real(8), intent(in) :: alpha
    x(1:cells) = x(1:cells) + alpha * p(1:cells)
    r(1:cells) = r(1:cells) - alpha * q(1:cells)
  end subroutine update_solution

  subroutine update_direction(beta)
    real(8), intent(in) :: beta
    p(1:cells) = r(1:cells) + beta * p(1:cells)
  end subroutine update_direction

  subroutine check_residual(rho)
    real(8), intent(in) :: rho
    if (.not. rho >= 0d0 .or. (fault == abort_run .and. fault_rank == rank .and. fault_at == step)) &
      call MPI_Abort(MPI_COMM_WORLD, 12, ierr)
  end subroutine check_residual

  subroutine iterate(rho)
    real(8), intent(inout) :: rho
    real(8) :: alpha, next
    integer, volatile :: pace
    if (.not. (fault == skip_halo .and. fault_rank == rank .and. fault_at == step)) call exchange_halo()
    call apply_matrix()
    do while (fault == endless .and. fault_rank == rank .and. fault_at == step)
      call apply_matrix()
      pace = 50000
      do while (pace > 0)
        pace = pace - 1
      end do
    end do
    alpha = rho / global_dot(p, q)
    if (.not. (fault == skip_call .and. fault_rank == rank .and. fault_at == step)) call update_solution(alpha)
    if (fault == extra_call .and. fault_rank == rank .and. fault_at == step) call update_solution(alpha)
    next = global_dot(r, r)
    if (fault == extra_collective .and. fault_rank == rank .and. fault_at == step) next = global_dot(r, r)
    call check_residual(next)
    call update_direction(next / rho)
    rho = next
  end subroutine iterate
end module heat_solver

program heat
  use heat_solver
  implicit none
  real(8) :: rho
  integer :: number
  logical :: valid
  integer, volatile :: spinning
  call read_options(valid)
  if (.not. valid) stop 2
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call set_up()
  rho = global_dot(r, r)
  do number = 1, steps
    step = number
    if (fault == early_exit .and. fault_rank == rank .and. fault_at == step) exit
    spinning = 1
    do while (fault == stuck .and. fault_rank == rank .and. fault_at == step .and. spinning == 1)
    end do
    call iterate(rho)
  end do
  call MPI_Comm_free(pair, ierr)
  call MPI_Finalize(ierr)
end program heat
