!> Accumulators: products whose inner dimension arrives in panels, with the bits of one call (docs/accumulators.md). Every
!> procedure has the contract of the C function of its name (accublas.h) and three optional arguments at its end:
!>   context  the context whose settings it uses; if absent, the calling thread's default context
!>   stat     the status; if absent, a failure calls the failure handler (which aborts by default)
!>   errmsg   the message of a failure; unchanged on success
!> accublas_accumulator_measure_rows, accublas_accumulator_measure_columns, accublas_accumulator_add and
!> accublas_accumulator_finish are generics (module accublas_panels_real64 and its siblings).
module accublas_accumulators
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_loc, c_sizeof, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real64
  use accublas_constants
  use accublas_contexts, only: accublas_context, c_string, fixed_string
  use accublas_c, only: c_accumulator_report_t
  use accublas_functions_c
  use accublas_mp_arrays, only: context_handle, hand_over_call
  implicit none
  private

  public :: accublas_accumulator, accublas_accumulator_report_t
  public :: accublas_accumulator_create, accublas_accumulator_destroy, accublas_accumulator_export, &
    accublas_accumulator_import, accublas_accumulator_merge, accublas_accumulator_undecided, accublas_accumulator_report
  public :: accumulator_misused

  !> Both exponents of a row or column of zeros, and the value that exponents have before the first panel.
  integer(int32), parameter, public :: ACCUBLAS_EXPONENT_NONE = -huge(0_int32) - 1

  !> An accumulator. Assignment copies the handle, not the accumulator. So nothing is destroyed implicitly: call
  !> accublas_accumulator_destroy once.
  type :: accublas_accumulator
    type(c_ptr) :: handle = c_null_ptr
    integer(int32) :: type = 0  !< ACCUBLAS_TYPE_D, ...; 0: it was never created
    integer(int64) :: m = 0, n = 0
  end type accublas_accumulator

  !> The report on an accumulator; accublas.h explains the components.
  type :: accublas_accumulator_report_t
    character(32) :: mode = ''
    integer(int32) :: type = 0, row_bits = 0, column_bits = 0, moduli = 0
    integer(int64) :: m = 0, n = 0, k = 0, terms = 0, terms_again = 0, undecided = 0, bytes = 0, workspace_bytes = 0
    real(real64) :: ms_total = 0
    logical :: exact = .false.
  end type accublas_accumulator_report_t

contains

  !> Creates an accumulator of numbers of a type (ACCUBLAS_TYPE_D, _S, _Z or _C) in the mode 'cr' or 'fixed:T'. k is an
  !> upper bound of the number of terms of all panels together. rows is 2 x m and columns is 2 x n: rows(:, i) has the
  !> exponents E and D of row i of op(A), and columns(:, j) those of column j of op(B). `bits` is the number of bits of
  !> an entry that cr keeps (default: 80, or 51 in single precision).
  subroutine accublas_accumulator_create(accumulator, type, mode, k, rows, columns, bits, context, stat, errmsg)
    type(accublas_accumulator), intent(out) :: accumulator
    integer(int32), intent(in) :: type
    character(*), intent(in) :: mode
    integer(int64), intent(in) :: k
    integer(int32), intent(in), contiguous :: rows(:, :), columns(:, :)
    integer(int32), intent(in), optional :: bits
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32) :: status, given

    given = 0
    if (present(bits)) given = bits
    if (size(rows, 1) == 2 .and. size(columns, 1) == 2) then
      status = c_accumulator_create(context_handle(context), type, c_string(mode), size(rows, 2, int64), &
        size(columns, 2, int64), k, rows, columns, given, accumulator%handle)
    else
      status = accumulator_misused(context, 'arguments rows and columns need the first extent 2: exponents E and D')
    end if
    if (status == ACCUBLAS_SUCCESS) then
      accumulator%type = type
      accumulator%m = size(rows, 2, int64)
      accumulator%n = size(columns, 2, int64)
    end if
    call hand_over_call(context, status, stat, errmsg)
  end subroutine accublas_accumulator_create

  !> Frees an accumulator. Afterwards the variable is as if the accumulator had never been created.
  subroutine accublas_accumulator_destroy(accumulator)
    type(accublas_accumulator), intent(inout) :: accumulator
    integer(int32) :: status

    status = c_accumulator_destroy(accumulator%handle)
    if (status == ACCUBLAS_SUCCESS) accumulator = accublas_accumulator()
  end subroutine accublas_accumulator_destroy

  !> Allocates `bytes` and writes the bytes of the accumulator into it.
  subroutine accublas_accumulator_export(accumulator, bytes, context, stat, errmsg)
    type(accublas_accumulator), intent(in) :: accumulator
    integer(int8), intent(out), allocatable, target :: bytes(:)
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: length
    integer(int32) :: status

    length = 0
    status = c_accumulator_export(context_handle(context), accumulator%handle, c_null_ptr, 0_c_size_t, length)
    allocate (bytes(length))
    if (status == ACCUBLAS_SUCCESS) &
      status = c_accumulator_export(context_handle(context), accumulator%handle, c_loc(bytes), length, length)
    call hand_over_call(context, status, stat, errmsg)
  end subroutine accublas_accumulator_export

  !> Creates an accumulator from the bytes of another one.
  subroutine accublas_accumulator_import(bytes, accumulator, context, stat, errmsg)
    integer(int8), intent(in), contiguous, target :: bytes(:)
    type(accublas_accumulator), intent(out) :: accumulator
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(accublas_accumulator_report_t) :: report
    integer(int32) :: status

    status = c_accumulator_import(context_handle(context), c_loc(bytes), size(bytes, kind=c_size_t), accumulator%handle)
    if (status == ACCUBLAS_SUCCESS) then
      call accublas_accumulator_report(accumulator, report, context, status)
      accumulator%type = report%type
      accumulator%m = report%m
      accumulator%n = report%n
    end if
    call hand_over_call(context, status, stat, errmsg)
  end subroutine accublas_accumulator_import

  !> Adds the sums of another accumulator, given by its bytes.
  subroutine accublas_accumulator_merge(accumulator, bytes, context, stat, errmsg)
    type(accublas_accumulator), intent(in) :: accumulator
    integer(int8), intent(in), contiguous, target :: bytes(:)
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call hand_over_call(context, c_accumulator_merge(context_handle(context), accumulator%handle, c_loc(bytes), &
      size(bytes, kind=c_size_t)), stat, errmsg)
  end subroutine accublas_accumulator_merge

  !> Lists the undecided elements of the second round, column by column. Element i is in row rows(i) and column
  !> columns(i), both from 1.
  subroutine accublas_accumulator_undecided(accumulator, rows, columns, context, stat, errmsg)
    type(accublas_accumulator), intent(in) :: accumulator
    integer(int64), intent(out), allocatable :: rows(:), columns(:)
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: count, none(1)
    integer(int32) :: status

    count = 0
    status = c_accumulator_undecided(context_handle(context), accumulator%handle, 0_int64, none, none, count)
    allocate (rows(count), columns(count))
    if (status == ACCUBLAS_SUCCESS .and. count > 0) &
      status = c_accumulator_undecided(context_handle(context), accumulator%handle, count, rows, columns, count)
    rows = rows + 1
    columns = columns + 1
    call hand_over_call(context, status, stat, errmsg)
  end subroutine accublas_accumulator_undecided

  !> Returns the report on the accumulator.
  subroutine accublas_accumulator_report(accumulator, report, context, stat, errmsg)
    type(accublas_accumulator), intent(in) :: accumulator
    type(accublas_accumulator_report_t), intent(out) :: report
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_accumulator_report_t), target :: c
    integer(int32) :: status

    c%struct_size = c_sizeof(c)
    status = c_accumulator_report(context_handle(context), accumulator%handle, c_loc(c))
    if (status == ACCUBLAS_SUCCESS) report = accublas_accumulator_report_t(fixed_string(c%mode), c%type, c%row_bits, &
      c%column_bits, c%moduli, c%m, c%n, c%k, c%terms, c%terms_again, c%undecided, c%bytes, c%workspace_bytes, &
      c%ms_total, c%exact /= 0)
    call hand_over_call(context, status, stat, errmsg)
  end subroutine accublas_accumulator_report

  !> Sets the error of a call with bad arguments, and returns its status.
  function accumulator_misused(context, message) result(status)
    type(accublas_context), intent(in), optional :: context
    character(*), intent(in) :: message
    integer(int32) :: status

    status = c_set_last_error(context_handle(context), ACCUBLAS_ERROR_ARGUMENT, c_string(message))
    if (status == ACCUBLAS_SUCCESS) status = ACCUBLAS_ERROR_ARGUMENT
  end function accumulator_misused
end module accublas_accumulators
