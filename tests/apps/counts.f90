! Calls to be counted: module procedures, a recursive function, an internal procedure, elemental and optional arguments.
module work
  implicit none
contains
  recursive function hanoi(discs) result(moves)
    integer, intent(in) :: discs
    integer :: moves
    moves = 0
    if (discs > 0) moves = hanoi(discs - 1) + 1 + hanoi(discs - 1)
  end function

  elemental function weigh(x) result(y)
    real, intent(in) :: x
    real :: y
    y = 2 * x + 1
  end function

  subroutine add(total, more)
    integer, intent(inout) :: total
    integer, intent(in), optional :: more
    if (present(more)) total = total + more
  end subroutine
end module

program counts
  use work
  implicit none
  integer :: i, total
  real :: values(50)
  total = 0
  do i = 1, 40
    call add(total, hanoi(modulo(i, 7)))
    call add(total)
    call step(i)
  end do
  values = weigh([(real(i), i = 1, 50)])
  print *, total, sum(values)
contains
  subroutine step(n)
    integer, intent(in) :: n
    total = total + modulo(n, 3)
  end subroutine
end program
