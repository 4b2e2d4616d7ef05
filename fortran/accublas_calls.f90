! The code that every routine of every real kind runs around its C call: it describes operands by address and strides,
! passes the options on, and handles a failure.
module accublas_calls
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_char, c_null_char, c_loc, c_sizeof, c_intptr_t
  use, intrinsic :: ieee_arithmetic, only: ieee_negative_inf, ieee_positive_inf, ieee_value
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use accublas_constants
  use accublas_c, only: c_options, c_next_attempt, ATTEMPT_AS_SET, ATTEMPT_ON_CPU, ATTEMPT_NATIVE
  use accublas_functions_c, only: c_set_last_error
  use accublas_contexts, only: accublas_context, accublas_options, accublas_last_error, c_string
  implicit none
  private

  public :: matrix_view, vector_view, eigenvalue_part, call_state
  public :: element_stride, column_major, transpose_code, side_code, uplo_code, diag_code
  public :: flipped, op_of, pivots_or_copy, part_of
  public :: wrong, wrong_pair, start_call, options_address, fails, call_again

  !> Element (i, j), from 0, lies row_stride i + col_stride j elements after `address`.
  type :: matrix_view
    type(c_ptr) :: address = c_null_ptr
    integer(int64) :: rows = 0, cols = 0, row_stride = 1, col_stride = 1
    logical :: aligned = .true.  ! the strides are whole numbers of elements
  end type matrix_view

  !> A vector as BLAS expects it: with a negative increment `address` is the address of the last element.
  type :: vector_view
    type(c_ptr) :: address = c_null_ptr
    integer(int64) :: length = 0, increment = 1
    logical :: aligned = .true.
  end type vector_view

  !> The eigenvalues that a call returns. The results need room for `most` of them.
  type :: eigenvalue_part
    integer(int32) :: range = 0  ! 0 is an error: an interval and numbers are given
    real(real64) :: vl = 0, vu = 0
    integer(int64) :: il = 1, iu = 0, most = 0
  end type eigenvalue_part

  !> A call in progress. The actual argument needs the target attribute, because C gets addresses inside it.
  type :: call_state
    type(accublas_context) :: ctx
    type(c_options) :: options
    character(kind=c_char) :: word(64)  ! longer than any mode word
    logical :: with_options = .false.
    integer(int32) :: attempt = ATTEMPT_AS_SET
    logical :: reads_result = .false.  ! beta is not zero, so that a result already written to is lost
  end type call_state

contains

  !> Returns how many elements of `bytes` bytes lie between two addresses. `aligned` becomes false if that is no
  !> integer.
  subroutine element_stride(first, second, bytes, stride, aligned)
    type(c_ptr), intent(in) :: first, second
    integer, intent(in) :: bytes
    integer(int64), intent(out) :: stride
    logical, intent(inout) :: aligned
    integer(int64) :: distance

    distance = transfer(second, 0_c_intptr_t) - transfer(first, 0_c_intptr_t)
    stride = distance/bytes
    if (stride*bytes /= distance) aligned = .false.
  end subroutine element_stride

  !> Whether a leading dimension (the column stride) describes the matrix.
  elemental function column_major(a)
    type(matrix_view), intent(in) :: a
    logical :: column_major

    column_major = a%row_stride == 1 .and. a%col_stride >= max(1_int64, a%rows)
  end function column_major

  pure function flipped(a) result(b)
    type(matrix_view), intent(in) :: a
    type(matrix_view) :: b

    b = matrix_view(a%address, a%cols, a%rows, a%col_stride, a%row_stride, a%aligned)
  end function flipped

  !> Returns the matrix, or its transpose if `code` is that of a transposition.
  pure function op_of(a, code) result(b)
    type(matrix_view), intent(in) :: a
    integer(int32), intent(in) :: code
    type(matrix_view) :: b

    b = a
    if (code /= ACCUBLAS_NO_TRANS) b = flipped(a)
  end function op_of

  !> Returns the address of pivots, or of a copy if they have a stride.
  subroutine pivots_or_copy(ipiv, address, copy)
    integer(int64), intent(in), target :: ipiv(:)
    type(c_ptr), intent(out) :: address
    integer(int64), intent(out), allocatable, target :: copy(:)

    address = c_null_ptr
    if (size(ipiv) == 0) return
    address = c_loc(ipiv(1))
    if (is_contiguous(ipiv)) return
    copy = ipiv
    address = c_loc(copy)
  end subroutine pivots_or_copy

  !> Returns CBLAS's value of a transposition letter, ACCUBLAS_NO_TRANS for an absent one, and 0, which the C interface
  !> rejects by name, for any other letter.
  pure function transpose_code(trans) result(code)
    character, intent(in), optional :: trans
    integer(int32) :: code

    code = letter_code(trans, 'N', ACCUBLAS_NO_TRANS, 'T', ACCUBLAS_TRANS)
    if (code /= 0) return
    if (scan(trans, 'Cc') == 1) code = ACCUBLAS_CONJ_TRANS
  end function transpose_code

  !> Returns the value of a letter, `first` for an absent one, and 0, which the C interface rejects by name, for any
  !> other letter.
  pure function letter_code(letter, first, of_first, second, of_second) result(code)
    character, intent(in), optional :: letter
    character, intent(in) :: first, second
    integer(int32), intent(in) :: of_first, of_second
    integer(int32) :: code

    code = of_first
    if (.not. present(letter)) return
    code = 0
    if (letter == first .or. letter == achar(iachar(first) + 32)) code = of_first
    if (letter == second .or. letter == achar(iachar(second) + 32)) code = of_second
  end function letter_code

  pure function side_code(side) result(code)
    character, intent(in), optional :: side
    integer(int32) :: code

    code = letter_code(side, 'L', ACCUBLAS_LEFT, 'R', ACCUBLAS_RIGHT)
  end function side_code

  pure function uplo_code(uplo) result(code)
    character, intent(in), optional :: uplo
    integer(int32) :: code

    code = letter_code(uplo, 'U', ACCUBLAS_UPPER, 'L', ACCUBLAS_LOWER)
  end function uplo_code

  pure function diag_code(diag) result(code)
    character, intent(in), optional :: diag
    integer(int32) :: code

    code = letter_code(diag, 'N', ACCUBLAS_NON_UNIT, 'U', ACCUBLAS_UNIT)
  end function diag_code

  !> Returns the part of the eigenvalues of a matrix of order n that a call asks for: all of them without an interval, il and iu.
  !> The ends of the interval become infinities, and the caller replaces those that are present.
  pure function part_of(n, interval, il, iu) result(part)
    integer(int64), intent(in) :: n
    logical, intent(in) :: interval
    integer(int32), intent(in), optional :: il, iu
    type(eigenvalue_part) :: part
    logical :: indices

    indices = present(il) .or. present(iu)
    part%vl = ieee_value(part%vl, ieee_negative_inf)
    part%vu = ieee_value(part%vu, ieee_positive_inf)
    part%iu = n
    if (present(il)) part%il = il
    if (present(iu)) part%iu = iu
    part%most = merge(max(part%iu - part%il + 1, 0_int64), n, indices)
    if (.not. (interval .and. indices)) &
      part%range = merge(ACCUBLAS_INTERVAL, merge(ACCUBLAS_INDICES, ACCUBLAS_ALL, indices), interval)
  end function part_of

  !> Describes the error in the operands; the text is empty if there is none.
  pure function wrong(conform, aligned) result(what)
    logical, intent(in) :: conform, aligned(:)
    character(:), allocatable :: what

    what = ''
    if (.not. all(aligned)) what = 'a stride is not a whole number of elements'
    if (.not. conform) what = 'the shapes of the operands do not conform'
  end function wrong

  !> Describes the error in the vectors of an inner product; the text is empty if there is none.
  pure function wrong_pair(x, y) result(what)
    type(vector_view), intent(in) :: x, y
    character(:), allocatable :: what

    what = wrong(.true., [x%aligned, y%aligned])
    if (x%length /= y%length) what = 'x and y have different sizes'
  end function wrong_pair

  !> Merges the options of a call; `mode` wins over the mode of `options`.
  subroutine start_call(call, mode, context, options)
    type(call_state), target, intent(out) :: call
    character(*), intent(in), optional :: mode
    type(accublas_context), intent(in), optional :: context
    type(accublas_options), intent(in), optional :: options

    if (present(context)) call%ctx = context
    if (.not. (present(mode) .or. present(options))) return
    call%with_options = .true.
    call%options%struct_size = c_sizeof(call%options)
    if (present(options)) then
      call%options%mode = options%mode
      call%options%mode_parameter = options%mode_parameter
      call%options%mode_flags = options%mode_flags
      call%options%reproducible = options%reproducible
      call%options%backend = options%backend
      call%options%engine = options%engine
      call%options%num_threads = options%num_threads
      call%options%report_level = options%report_level
      call%options%target = options%target
      call%options%workspace_bytes = options%workspace_bytes
    end if
    if (present(mode)) then
      call set_word(mode)
    else if (allocated(options%mode_name)) then
      call set_word(options%mode_name)
    end if

  contains

    ! A word too long for the buffer is unknown, and stays so when cut.
    subroutine set_word(word)
      character(*), intent(in) :: word
      integer :: i, n

      n = min(len_trim(word), size(call%word) - 1)
      do i = 1, n
        call%word(i) = word(i:i)
      end do
      call%word(n + 1) = c_null_char
      call%options%mode_name = c_loc(call%word)
    end subroutine set_word
  end subroutine start_call

  function options_address(call) result(address)
    type(call_state), target, intent(in) :: call
    type(c_ptr) :: address

    address = c_null_ptr
    if (call%with_options) address = c_loc(call%options)
  end function options_address

  !> Makes `message` the context's last error, if the Fortran side finds that an argument is wrong.
  function fails(call, message) result(status)
    type(call_state), intent(in) :: call
    character(*), intent(in) :: message
    integer(int32) :: status

    status = c_set_last_error(call%ctx%handle, ACCUBLAS_ERROR_ARGUMENT, c_string(message))
  end function fails

  !> Handles the status after the C call: returns it to the caller, or deals with a failure. Returns true if the call is
  !> to be made again. Without stat the library decides how it is tried next; if no way is left, the program stops.
  function call_again(call, status, stat, errmsg) result(again)
    type(call_state), target, intent(inout) :: call
    integer(int32), intent(in) :: status
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: again

    again = .false.
    if (present(stat)) stat = status
    if (status == ACCUBLAS_SUCCESS) return
    if (present(errmsg)) errmsg = accublas_last_error(call%ctx)
    if (present(stat)) return

    again = .true.
    call%attempt = c_next_attempt(call%ctx%handle, call%attempt, status, merge(1_int32, 0_int32, call%reads_result))
    select case (call%attempt)
    case (ATTEMPT_ON_CPU)
      if (.not. call%with_options) call%options = c_options(struct_size=c_sizeof(call%options))
      call%options%backend = ACCUBLAS_BACKEND_CPU
    case (ATTEMPT_NATIVE)
      call%options = c_options(struct_size=c_sizeof(call%options), mode=ACCUBLAS_MODE_NATIVE, reproducible=0, &
        backend=ACCUBLAS_BACKEND_CPU, engine=ACCUBLAS_ENGINE_AUTO, target=0)
    case default
      error stop 'accublas: no way left to serve the call'
    end select
    call%with_options = .true.
  end function call_again
end module accublas_calls
