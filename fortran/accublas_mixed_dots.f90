!> Inner products of single-precision vectors with the arguments of accublas_real32: DSDOT and SDSDOT.
module accublas_mixed_dots
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  use accublas_constants, only: ACCUBLAS_SUCCESS
  use accublas_contexts, only: accublas_context, accublas_options
  use accublas_calls
  use accublas_operands_real32, only: vector_of
  use accublas_routines_c_real64, only: c_dsdot
  use accublas_routines_c_real32, only: c_sdsdot
  implicit none
  private

  public :: accublas_dsdot, accublas_sdsdot

  !> The function sum(x*y) in double precision; a NaN where it fails.
  interface accublas_dsdot
    procedure :: dsdot
  end interface accublas_dsdot
  !> The function sb + sum(x*y) in single precision, rounded once in modes that define bits; a NaN where it fails.
  interface accublas_sdsdot
    procedure :: sdsdot
  end interface accublas_sdsdot

contains

  function dsdot(x, y, mode, context, options, stat, errmsg) result(r)
    real(real32), intent(in), target :: x(:), y(:)
    character(*), intent(in), optional :: mode
    type(accublas_context), intent(in), optional :: context
    type(accublas_options), intent(in), optional :: options
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), target :: r
    type(call_state), target :: call
    type(vector_view) :: vx, vy
    character(:), allocatable :: bad
    integer(int32) :: status

    vx = vector_of(x)
    vy = vector_of(y)
    bad = wrong_pair(vx, vy)
    call start_call(call, mode, context, options)
    do
      if (bad /= '') then
        status = fails(call, 'accublas_dsdot: '//bad)
      else
        status = c_dsdot(call%ctx%handle, vx%length, vx%address, vx%increment, vy%address, vy%increment, c_loc(r), &
          options_address(call))
      end if
      if (.not. call_again(call, status, stat, errmsg)) exit
    end do
    if (status /= ACCUBLAS_SUCCESS) r = ieee_value(r, ieee_quiet_nan)
  end function dsdot

  function sdsdot(sb, x, y, mode, context, options, stat, errmsg) result(r)
    real(real32), intent(in), target :: sb, x(:), y(:)
    character(*), intent(in), optional :: mode
    type(accublas_context), intent(in), optional :: context
    type(accublas_options), intent(in), optional :: options
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real32), target :: r
    type(call_state), target :: call
    type(vector_view) :: vx, vy
    character(:), allocatable :: bad
    integer(int32) :: status

    vx = vector_of(x)
    vy = vector_of(y)
    bad = wrong_pair(vx, vy)
    call start_call(call, mode, context, options)
    do
      if (bad /= '') then
        status = fails(call, 'accublas_sdsdot: '//bad)
      else
        status = c_sdsdot(call%ctx%handle, vx%length, c_loc(sb), vx%address, vx%increment, vy%address, vy%increment, c_loc(r), &
          options_address(call))
      end if
      if (.not. call_again(call, status, stat, errmsg)) exit
    end do
    if (status /= ACCUBLAS_SUCCESS) r = ieee_value(r, ieee_quiet_nan)
  end function sdsdot
end module accublas_mixed_dots
