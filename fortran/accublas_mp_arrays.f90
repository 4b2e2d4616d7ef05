!> Multiple-precision arrays: what does not depend on the kind of the caller's integers. Every procedure has the meaning of the C function
!> of its name (accublas.h, docs/multiple-precision.md) and three optional arguments at its end:
!>   context  whose settings and report it uses; the calling thread's default context without it
!>   stat     the status; without it a failure runs the failure handler (which aborts unless told otherwise)
!>   errmsg   the message of a failure; left alone on success
module accublas_mp_arrays
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_loc, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use accublas_contexts, only: accublas_context, fixed_string, settle
  use accublas_c, only: c_mp_report_t
  use accublas_functions_c
  implicit none
  private

  public :: accublas_mp_array, accublas_mp_report_t
  public :: accublas_mp_destroy, accublas_mp_move, accublas_mp_drop_aligned, accublas_mp_report
  public :: accublas_mp_precision, accublas_mp_length, accublas_mp_get_place, accublas_mp_bytes
  public :: context_handle, settle_call

  ! Exponents that stand for what is no finite nonzero number.
  integer(int64), parameter, public :: ACCUBLAS_MP_EXPONENT_ZERO = -huge(0_int64) - 1                    !< of a zero
  integer(int64), parameter, public :: ACCUBLAS_MP_EXPONENT_INFINITY = ACCUBLAS_MP_EXPONENT_ZERO + 1     !< of an infinity
  integer(int64), parameter, public :: ACCUBLAS_MP_EXPONENT_NAN = ACCUBLAS_MP_EXPONENT_ZERO + 2          !< of NaN

  !> An array of multiple-precision numbers. Assignment makes a second name for the same array, so nothing is destroyed
  !> implicitly: call accublas_mp_destroy. One that was never created is an absent scalar: alpha = 1, beta = 0.
  type :: accublas_mp_array
    type(c_ptr) :: handle = c_null_ptr
  end type accublas_mp_array

  !> The report of the last multiple-precision call on a context; accublas.h explains the components.
  type :: accublas_mp_report_t
    character(16) :: routine = ''
    character(8) :: backend = ''
    character(64) :: device = ''
    integer(int64) :: m = 0, n = 0, k = 0
    integer(int32) :: precision = 0, element_moduli = 0, moduli = 0, spread = 0, bands = 0, threads = 0
    integer(int64) :: outputs_in_bands = 0, aligned_bytes = 0, copied_bytes = 0
    integer(int32) :: aligned_kept = 0, level = 0
    real(real64) :: ms_total = 0, ms_align = 0, ms_product = 0, ms_finish = 0
  end type accublas_mp_report_t

contains

  function context_handle(context) result(handle)
    type(accublas_context), intent(in), optional :: context
    type(c_ptr) :: handle

    handle = c_null_ptr
    if (present(context)) handle = context%handle
  end function context_handle

  !> Hands a status to the caller, or a failure to the handler.
  subroutine settle_call(context, status, stat, errmsg)
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(in) :: status
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(accublas_context) :: default_context

    if (present(context)) then
      call settle(context, status, stat, errmsg)
    else
      call settle(default_context, status, stat, errmsg)
    end if
  end subroutine settle_call

  !> Waits for calls that use the array and frees it; `array` was never created from here on.
  subroutine accublas_mp_destroy(array, stat)
    type(accublas_mp_array), intent(inout) :: array
    integer(int32), intent(out), optional :: stat
    integer(int32) :: status

    status = c_mp_destroy(array%handle)
    array%handle = c_null_ptr
    call settle_call(status=status, stat=stat)
  end subroutine accublas_mp_destroy

  !> place: ACCUBLAS_MP_HOST or ACCUBLAS_MP_DEVICE.
  subroutine accublas_mp_move(array, place, context, stat, errmsg)
    type(accublas_mp_array), intent(in) :: array
    integer(int32), intent(in) :: place
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle_call(context, c_mp_move(context_handle(context), array%handle, place), stat, errmsg)
  end subroutine accublas_mp_move

  !> Drops the aligned form, if there is one.
  subroutine accublas_mp_drop_aligned(array, context, stat, errmsg)
    type(accublas_mp_array), intent(in) :: array
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle_call(context, c_mp_drop_aligned(context_handle(context), array%handle), stat, errmsg)
  end subroutine accublas_mp_drop_aligned

  !> Bits; 0 for an array that was never created.
  function accublas_mp_precision(array) result(precision)
    type(accublas_mp_array), intent(in) :: array
    integer(int32) :: precision

    precision = c_mp_precision(array%handle)
  end function accublas_mp_precision

  !> Number of elements; 0 for an array that was never created.
  function accublas_mp_length(array) result(length)
    type(accublas_mp_array), intent(in) :: array
    integer(int64) :: length

    length = c_mp_length(array%handle)
  end function accublas_mp_length

  !> ACCUBLAS_MP_HOST or ACCUBLAS_MP_DEVICE.
  function accublas_mp_get_place(array) result(place)
    type(accublas_mp_array), intent(in) :: array
    integer(int32) :: place

    place = c_mp_get_place(array%handle)
  end function accublas_mp_get_place

  !> Bytes of all forms of the array.
  function accublas_mp_bytes(array) result(bytes)
    type(accublas_mp_array), intent(in) :: array
    integer(int64) :: bytes

    bytes = c_mp_bytes(array%handle)
  end function accublas_mp_bytes

  !> Returns the report of the last multiple-precision routine or alignment on the context.
  subroutine accublas_mp_report(report, context, stat, errmsg)
    type(accublas_mp_report_t), intent(out) :: report
    type(accublas_context), intent(in), optional :: context
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_mp_report_t), target :: c
    integer(int32) :: status

    c%struct_size = c_sizeof(c)
    status = c_mp_report(context_handle(context), c_loc(c))
    if (status == 0) report = accublas_mp_report_t(fixed_string(c%routine), fixed_string(c%backend), fixed_string(c%device), &
      c%m, c%n, c%k, c%precision, c%element_moduli, c%moduli, c%spread, c%bands, c%threads, c%outputs_in_bands, &
      c%aligned_bytes, c%copied_bytes, c%aligned_kept, c%level, c%ms_total, c%ms_align, c%ms_product, c%ms_finish)
    call settle_call(context, status, stat, errmsg)
  end subroutine accublas_mp_report
end module accublas_mp_arrays
