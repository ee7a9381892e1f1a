! The usual MPI calls of Fortran on 4 ranks, by mpif.h (-DMPIF), the module mpi, or mpi_f08 (-DF08). Each process writes
! what it passes, as `difftrace dump --args` should show it, into FOLDER/RANK.
#ifdef F08
#define HANDLE(kind) type(kind)
#define STATUSES(name, count) type(MPI_Status) :: name(count)
#define SOURCE_OF(at) statuses(at)%MPI_SOURCE
#define TAG_OF(at) statuses(at)%MPI_TAG
#define FIRST_STATUS statuses(1)
#else
#define HANDLE(kind) integer
#define STATUSES(name, count) integer :: name(MPI_STATUS_SIZE, count)
#define SOURCE_OF(at) statuses(MPI_SOURCE, at)
#define TAG_OF(at) statuses(MPI_TAG, at)
#define FIRST_STATUS statuses(:, 1)
#endif

program fortran_zoo
#ifdef F08
  use mpi_f08
#elif !defined(MPIF)
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  integer, parameter :: most = 100
  integer :: rank, ranks, left, right, error, index, found, i, last = 0, first = 1
  integer :: a(most), b(most), indices(4), counts(4), places(4), others(4)
  double precision :: x(most), y(most)
  logical :: flag
  HANDLE(MPI_Request) :: requests(4)
  STATUSES(statuses, 4)
  character(len=1000) :: folder

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, folder)
  open (unit=20, file=trim(folder) // '/' // number(rank), action='write')
  call expect('MPI_Init')
  call expect('MPI_Comm_rank(world)')
  call expect('MPI_Comm_size(world)')
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  a = rank
  x = rank
  call send_and_wait()
  call test_requests()
  call start_requests()
  call look_for_messages()
  call call_all()
  call call_with_counts()
  call make_communicators()
  call make_datatypes()
  call make_operation()
  call expect('MPI_Finalize')
  close (20)
  call MPI_Finalize(error)

contains

  subroutine expect(text, told)
    character(len=*), intent(in) :: text
    character(len=*), intent(in), optional :: told
    if (present(told)) then
      write (20, '(3a)') text, achar(9), told
    else
      write (20, '(a)') text
    end if
  end subroutine expect

  function number(value) result(text)
    integer, intent(in) :: value
    character(len=:), allocatable :: text
    character(len=20) :: digits
    write (digits, '(i0)') value
    text = trim(digits)
  end function number

  ! The program's next request.
  function made(persistent) result(text)
    logical, intent(in) :: persistent
    character(len=:), allocatable :: text
    last = last + 1
    text = 'request ' // number(last)
    if (persistent) text = 'persistent ' // text
  end function made

  function both(before) result(text)
    character(len=*), intent(in) :: before
    character(len=:), allocatable :: text
    text = before // number(last - 1) // ' ' // number(last)
  end function both

  ! Two receives from the left, of both tags, and what they get.
  subroutine post_two(tag)
    integer, intent(in) :: tag
    do i = 1, 2
      call expect('MPI_Irecv(world, from -1, tag ' // number(tag + i) // ', 3 x 4 B)', made(.false.))
      call MPI_Irecv(b(3 * i), 3, MPI_INTEGER, left, tag + i, MPI_COMM_WORLD, requests(i), error)
    end do
    do i = 2, 1, -1
      call expect('MPI_Send(world, to +1, tag ' // number(tag + i) // ', 3 x 4 B)')
      call MPI_Send(a, 3, MPI_INTEGER, right, tag + i, MPI_COMM_WORLD, error)
    end do
  end subroutine post_two

  ! The index of the first request of several: with mpi_f08 MPICH 4.0 counts them from 0 on.
  subroutine find_first()
    call expect('MPI_Irecv(world, from null, tag 1, 1 x 4 B)', made(.false.))
    call MPI_Irecv(b, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Waitany(1 requests, live all)', 'of requests ' // number(last) // '; completed ' // number(last))
    call MPI_Waitany(1, requests, first, MPI_STATUS_IGNORE, error)
  end subroutine find_first

  ! The number of the request with that index, of the two that were made last.
  integer function request_at(place)
    integer, intent(in) :: place
    request_at = last - 1 + place - first
  end function request_at

  subroutine send_and_wait()
    call expect('MPI_Irecv(world, from -1, tag 3, 10 x 8 B)', made(.false.))
    call MPI_Irecv(y, 10, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Isend(world, to +1, tag 3, 10 x 8 B)', made(.false.))
    call MPI_Isend(x, 10, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, requests(2), error)
    call expect('MPI_Waitall(2 requests, live all)', both('of requests '))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call expect('MPI_Irecv(world, from -1, tag 4, 1 x 4 B)', made(.false.))
    call MPI_Irecv(b, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Ssend(world, to +1, tag 4, 1 x 4 B)')
    call MPI_Ssend(a, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, error)
    call expect('MPI_Wait(live 0)', 'of requests ' // number(last))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call find_first()
    call post_two(10)
    call MPI_Waitany(2, requests, index, FIRST_STATUS, error)
    call expect('MPI_Waitany(2 requests, live all)', both('of requests ') // '; completed ' // number(request_at(index)))
    call MPI_Waitany(2, requests, index, FIRST_STATUS, error)
    call expect('MPI_Waitany(2 requests, live all)', 'of requests ' // number(request_at(index)) // '; completed ' // &
                number(request_at(index)))
    call expect('MPI_Sendrecv(world, to +2, tag 5, 2 x 4 B, from +2, tag 5, 3 x 8 B)')
    call MPI_Sendrecv(a, 2, MPI_INTEGER, modulo(rank + 2, 4), 5, y, 3, MPI_DOUBLE_PRECISION, modulo(rank + 2, 4), 5, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call expect('MPI_Sendrecv_replace(world, to +1, tag 6, from -1, tag 6, 5 x 4 B)')
    call MPI_Sendrecv_replace(a, 5, MPI_INTEGER, right, 6, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call expect('MPI_Send(world, to null, tag 7, 1 x 4 B)')
    call MPI_Send(a, 1, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD, error)
    call expect('MPI_Recv(world, from null, tag 7, 1 x 4 B)')
    call MPI_Recv(b, 1, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD, FIRST_STATUS, error)
  end subroutine send_and_wait

  subroutine test_requests()
    call expect('MPI_Irecv(world, from any, tag any, 4 x 4 B)', made(.false.))
    call MPI_Irecv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Send(world, to +1, tag 9, 4 x 4 B)')
    call MPI_Send(a, 4, MPI_INTEGER, right, 9, MPI_COMM_WORLD, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(1), flag, FIRST_STATUS, error)
      if (flag) then
        call expect('MPI_Test(live 0)', 'got source ' // number(SOURCE_OF(1)) // ', tag ' // number(TAG_OF(1)) // &
                    ' by request ' // number(last) // '; completed')
      else
        call expect('MPI_Test(live 0)')
      end if
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call expect('MPI_Barrier(world)')
    call post_two(20)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, error)
      if (flag) then
        call expect('MPI_Testall(2 requests, live all)', 'completed')
      else
        call expect('MPI_Testall(2 requests, live all)')
      end if
    end do
    call post_two(30)
    call poll_some()
    call post_two(40)
    found = 0
    do while (found < 2)
      call MPI_Testany(2, requests, index, flag, MPI_STATUS_IGNORE, error)
      if (flag) then
        call expect('MPI_Testany(2 requests, live all)', 'completed ' // number(request_at(index)))
        found = found + 1
      else
        call expect('MPI_Testany(2 requests, live all)')
      end if
    end do
    call post_two(50)
    call wait_some()
  end subroutine test_requests

  function completed(count) result(text)
    integer, intent(in) :: count
    character(len=:), allocatable :: text
    text = 'completed'
    do i = 1, count
      text = text // ' ' // number(request_at(indices(i)))
    end do
  end function completed

  subroutine poll_some()
    integer :: count
    found = 0
    do while (found < 2)
      call MPI_Testsome(2, requests, count, indices, MPI_STATUSES_IGNORE, error)
      if (count > 0) then
        call expect('MPI_Testsome(2 requests, live all)', completed(count))
      else
        call expect('MPI_Testsome(2 requests, live all)')
      end if
      found = found + count
    end do
  end subroutine poll_some

  subroutine wait_some()
    integer :: count
    character(len=:), allocatable :: named
    found = 0
    named = both('of requests ')
    do while (found < 2)
      call MPI_Waitsome(2, requests, count, indices, statuses, error)
      call expect('MPI_Waitsome(2 requests, live all)', named // '; ' // completed(count))
      named = 'of requests ' // number(2 * last - 1 - request_at(indices(1)))
      found = found + count
    end do
  end subroutine wait_some

  subroutine start_requests()
    call expect('MPI_Recv_init(world, from -1, tag 8, 6 x 8 B)', made(.true.))
    call MPI_Recv_init(y, 6, MPI_DOUBLE_PRECISION, left, 8, MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Send_init(world, to +1, tag 8, 6 x 8 B)', made(.true.))
    call MPI_Send_init(x, 6, MPI_DOUBLE_PRECISION, right, 8, MPI_COMM_WORLD, requests(2), error)
    call expect('MPI_Startall(2 requests, live all)', both('of requests '))
    call MPI_Startall(2, requests, error)
    call expect('MPI_Waitall(2 requests, live all)', both('of requests '))
    call MPI_Waitall(2, requests, statuses, error)
    do i = 1, 2
      call expect('MPI_Start(live ' // number(i - 1) // ')', 'of requests ' // number(last - 2 + i))
      call MPI_Start(requests(i), error)
    end do
    call expect('MPI_Waitall(2 requests, live all)', both('of requests '))
    call MPI_Waitall(2, requests, statuses, error)
    do i = 1, 2
      call expect('MPI_Request_free(live 0)', 'freed ' // number(last - 2 + i))
      call MPI_Request_free(requests(i), error)
    end do
  end subroutine start_requests

  subroutine look_for_messages()
    call expect('MPI_Isend(world, to +1, tag 60, 2 x 4 B)', made(.false.))
    call MPI_Isend(a, 2, MPI_INTEGER, right, 60, MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Probe(world, from -1, tag 60)')
    call MPI_Probe(left, 60, MPI_COMM_WORLD, FIRST_STATUS, error)
    call expect('MPI_Get_count(elements of 4 B)')
    call MPI_Get_count(FIRST_STATUS, MPI_INTEGER, index, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, FIRST_STATUS, error)
      if (flag) then
        call expect('MPI_Iprobe(world, from any, tag any)', 'got source ' // number(SOURCE_OF(1)) // ', tag ' // number(TAG_OF(1)))
      else
        call expect('MPI_Iprobe(world, from any, tag any)')
      end if
    end do
    call MPI_Recv(b, 2, MPI_INTEGER, MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, FIRST_STATUS, error)
    call expect('MPI_Recv(world, from any, tag 60, 2 x 4 B)', 'got source ' // number(SOURCE_OF(1)) // ', tag 60')
    call expect('MPI_Wait(live 0)', 'of requests ' // number(last))
    call MPI_Wait(requests(1), FIRST_STATUS, error)
    call expect('MPI_Irecv(world, from -1, tag 61, 2 x 4 B)', made(.false.))
    call MPI_Irecv(b, 2, MPI_INTEGER, left, 61, MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Barrier(world)')
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call expect('MPI_Rsend(world, to +1, tag 61, 2 x 4 B)')
    call MPI_Rsend(a, 2, MPI_INTEGER, right, 61, MPI_COMM_WORLD, error)
    call expect('MPI_Wait(live 0)', 'of requests ' // number(last))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  end subroutine look_for_messages

  subroutine call_all()
    call expect('MPI_Bcast(world, root 1, 6 x 8 B)')
    call MPI_Bcast(x, 6, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
    call expect('MPI_Reduce(world, sum, root 2, 1 x 4 B)')
    call MPI_Reduce(a, b, 1, MPI_INTEGER, MPI_SUM, 2, MPI_COMM_WORLD, error)
    call expect('MPI_Allreduce(world, max, 2 x 8 B)')
    call MPI_Allreduce(x, y, 2, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    call expect('MPI_Allreduce(world, sum, 2 x 8 B)')
    call MPI_Allreduce(MPI_IN_PLACE, y, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call expect('MPI_Allreduce(world, maxloc, 1 x 8 B)')
    call MPI_Allreduce(a, b, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, error)
    call expect('MPI_Gather(world, root 0, 2 x 4 B)')
    call MPI_Gather(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    call expect('MPI_Scatter(world, root 3, 2 x 8 B)')
    call MPI_Scatter(x, 2, MPI_DOUBLE_PRECISION, y, 2, MPI_DOUBLE_PRECISION, 3, MPI_COMM_WORLD, error)
    call expect('MPI_Allgather(world, 2 x 4 B)')
    call MPI_Allgather(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect('MPI_Allgather(world, other data in place, 2 x 4 B)')
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, b, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect('MPI_Alltoall(world, 3 x 4 B)')
    call MPI_Alltoall(a, 3, MPI_INTEGER, b, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect('MPI_Scan(world, min, 1 x 4 B)')
    call MPI_Scan(a, b, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    call expect('MPI_Exscan(world, sum, 1 x 4 B)')
    call MPI_Exscan(a, b, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call expect('MPI_Ibarrier(world)', made(.false.))
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), error)
    call expect('MPI_Iallreduce(world, prod, 4 x 4 B)', made(.false.))
    call MPI_Iallreduce(a, b, 4, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, requests(2), error)
    call expect('MPI_Waitall(2 requests, live all)', both('of requests '))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end subroutine call_all

  subroutine call_with_counts()
    counts = [3, 1, 0, 2]
    others = [0, 3, 4, 4]
    if (rank == 1) then
      call expect('MPI_Gatherv(world, counts [3 1 0 2], elements of 4 B, root 1, ' // number(counts(rank + 1)) // ' x 4 B)')
    else
      call expect('MPI_Gatherv(world, root 1, ' // number(counts(rank + 1)) // ' x 4 B)')
    end if
    call MPI_Gatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, others, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    if (rank == 2) then
      call expect('MPI_Scatterv(world, counts [3 1 0 2], elements of 8 B, root 2, 0 x 8 B)')
    else
      call expect('MPI_Scatterv(world, root 2, ' // number(counts(rank + 1)) // ' x 8 B)')
    end if
    call MPI_Scatterv(x, counts, others, MPI_DOUBLE_PRECISION, y, counts(rank + 1), MPI_DOUBLE_PRECISION, 2, MPI_COMM_WORLD, &
                      error)
    call expect('MPI_Allgatherv(world, counts [3 1 0 2], elements of 4 B, ' // number(counts(rank + 1)) // ' x 4 B)')
    call MPI_Allgatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, others, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect('MPI_Reduce_scatter(world, counts [3 1 0 2], elements of 4 B, sum)')
    call MPI_Reduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    counts = rank
    places = [0, 10, 20, 30]
    others = [0, 1, 2, 3]
    call expect('MPI_Alltoallv(world, counts [' // number(rank) // '^4], elements of 4 B, counts [0-3], elements of 4 B)')
    call MPI_Alltoallv(a, counts, places, MPI_INTEGER, b, others, places, MPI_INTEGER, MPI_COMM_WORLD, error)
    counts = 2
    call expect('MPI_Alltoallv(world, counts in place, elements of 4 B, counts [2^4], elements of 8 B)')
    call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INTEGER, y, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  end subroutine call_with_counts

  subroutine make_communicators()
    HANDLE(MPI_Comm) :: half, copy, mesh
    HANDLE(MPI_Group) :: all, some
    integer :: coordinates(2)
    call expect('MPI_Comm_split(world, color ' // number(rank / 2) // ', key +0)')
    call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, half, error)
    call expect('MPI_Sendrecv(world/1, to +1, tag 1, 1 x 4 B, from +1, tag 1, 1 x 4 B)')
    index = modulo(rank + 1, 2)
    call MPI_Sendrecv(a, 1, MPI_INTEGER, index, 1, b, 1, MPI_INTEGER, index, 1, half, MPI_STATUS_IGNORE, error)
    call expect('MPI_Comm_dup(world)')
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    call expect('MPI_Barrier(world/2)')
    call MPI_Barrier(copy, error)
    call expect('MPI_Cart_create(world, dimensions [2^2], periods [1 0])')
    call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, 2], [.true., .false.], .false., mesh, error)
    call expect('MPI_Cart_coords(world/3, rank ' // number(rank) // ')')
    call MPI_Cart_coords(mesh, rank, 2, coordinates, error)
    call expect('MPI_Cart_rank(world/3, coordinates [1 0])')
    call MPI_Cart_rank(mesh, [1, 0], index, error)
    call expect('MPI_Cart_shift(world/3, number 0, number 1)')
    call MPI_Cart_shift(mesh, 0, 1, places(1), places(2), error)
    call expect('MPI_Cart_sub(world/3, kept [0 1])')
    call MPI_Cart_sub(mesh, [.false., .true.], half, error)
    call expect('MPI_Allreduce(world/3/1, land, 1 x 4 B)')
    call MPI_Allreduce([.true.], flag, 1, MPI_LOGICAL, MPI_LAND, half, error)
    call expect('MPI_Comm_free(world/2)')
    call MPI_Comm_free(copy, error)
    call expect('MPI_Comm_group(world)')
    call MPI_Comm_group(MPI_COMM_WORLD, all, error)
    call expect('MPI_Group_incl(group [0-3], ranks [2 0])')
    call MPI_Group_incl(all, 2, [2, 0], some, error)
    call expect('MPI_Comm_create(world, group [2 0])')
    call MPI_Comm_create(MPI_COMM_WORLD, some, copy, error)
    call expect('MPI_Group_free')
    call MPI_Group_free(some, error)
  end subroutine make_communicators

  subroutine make_datatypes()
    HANDLE(MPI_Datatype) :: vector, pair, member
    character(len=*), parameter :: text = 'vector(3 x 2 / 4 of double_precision)'
    integer(kind=MPI_ADDRESS_KIND) :: bytes(2)
    HANDLE(MPI_Datatype) :: types(2)
    call expect('MPI_Type_vector(' // text // ')')
    call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, vector, error)
    call expect('MPI_Type_commit')
    call MPI_Type_commit(vector, error)
    call expect('MPI_Bcast(world, root 0, 2 x 48 B of ' // text // ')')
    call MPI_Bcast(x, 2, vector, 0, MPI_COMM_WORLD, error)
    call expect('MPI_Type_contiguous(contiguous(2 of ' // text // '))')
    call MPI_Type_contiguous(2, vector, pair, error)
    bytes = [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND]
    types(1) = MPI_INTEGER
    types(2) = MPI_DOUBLE_PRECISION
    call expect('MPI_Type_create_struct(struct(1 integer at 0, 3 double_precision at 8))')
    call MPI_Type_create_struct(2, [1, 3], bytes, types, member, error)
    call expect('MPI_Type_commit')
    call MPI_Type_commit(member, error)
    call expect('MPI_Sendrecv(world, to +1, tag 2, 1 x 28 B of struct(1 integer at 0, 3 double_precision at 8), from -1, ' // &
                'tag 2, 1 x 28 B of struct(1 integer at 0, 3 double_precision at 8))')
    call MPI_Sendrecv(x, 1, member, right, 2, y, 1, member, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call expect('MPI_Type_indexed(indexed([2 1] at [4 0] of integer))')
    call MPI_Type_indexed(2, [2, 1], [4, 0], MPI_INTEGER, pair, error)
    call expect('MPI_Type_create_subarray(subarray([2 3] in [4 5] at [1 2] of real, Fortran''s order))')
    call MPI_Type_create_subarray(2, [4, 5], [2, 3], [1, 2], MPI_ORDER_FORTRAN, MPI_REAL, pair, error)
    call expect('MPI_Type_create_resized(resized(0 + 64 B of struct(1 integer at 0, 3 double_precision at 8)))')
    call MPI_Type_create_resized(member, bytes(1), 8 * bytes(2), pair, error)
    call expect('MPI_Type_free')
    call MPI_Type_free(vector, error)
  end subroutine make_datatypes

#ifdef F08
  subroutine add(from, into, count, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: from, into
    integer :: count
    type(MPI_Datatype) :: datatype
    integer, pointer :: first(:), second(:)
    call c_f_pointer(from, first, [count])
    call c_f_pointer(into, second, [count])
    second = first + second
  end subroutine add
#else
  subroutine add(first, second, count, datatype)
    integer :: count, datatype, first(count), second(count)
    second = first + second
  end subroutine add
#endif

  subroutine make_operation()
    HANDLE(MPI_Op) :: operation
    call expect('MPI_Op_create')
    call MPI_Op_create(add, .true., operation, error)
    call expect('MPI_Allreduce(world, own operation 0, 4 x 4 B)')
    call MPI_Allreduce(a, b, 4, MPI_INTEGER, operation, MPI_COMM_WORLD, error)
    call expect('MPI_Op_free')
    call MPI_Op_free(operation, error)
  end subroutine make_operation

end program fortran_zoo
