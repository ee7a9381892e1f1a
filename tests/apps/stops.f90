! Ends in the way that its argument says: stop or error stop, with a text or a number.
program stops
  implicit none
  character(len=16) :: how
  call get_command_argument(1, how)
  call end_so(trim(how))
contains
  subroutine end_so(how)
    character(len=*), intent(in) :: how
    select case (how)
    case ('stop-text')
      stop 'done'
    case ('stop-number')
      stop 3
    case ('error-text')
      error stop 'failed'
    case ('error-number')
      error stop 4
    end select
  end subroutine
end program
