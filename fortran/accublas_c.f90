! The structs of accublas.h as Fortran sees them, and functions that this header lacks: c_next_attempt is of
! c_api/private.hpp. Users take module accublas.
module accublas_c
  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr, c_char, c_null_ptr, c_size_t, int32 => c_int32_t, &
    int64 => c_int64_t, real64 => c_double
  use accublas_constants, only: ACCUBLAS_MODE_DEFAULT
  implicit none
  private :: c_ptr, c_funptr, c_char, c_null_ptr, c_size_t, int32, int64, real64, ACCUBLAS_MODE_DEFAULT

  type, bind(c) :: c_options
    integer(c_size_t) :: struct_size
    type(c_ptr) :: mode_name = c_null_ptr
    integer(int32) :: mode = ACCUBLAS_MODE_DEFAULT
    integer(int32) :: mode_parameter = 0
    integer(int32) :: mode_flags = 0
    integer(int32) :: reproducible = -1
    integer(int32) :: backend = -1
    integer(int32) :: engine = -1
    integer(int32) :: num_threads = 0
    integer(int32) :: report_level = -1
    real(real64) :: target = -1
    integer(int64) :: workspace_bytes = -1
  end type c_options

  type, bind(c) :: c_report_t
    integer(c_size_t) :: struct_size
    character(kind=c_char) :: routine(16), mode(32), backend(8), engine(16), device(64), reason(160)
    integer(int64) :: m, n, k
    integer(int32) :: bits, parts
    integer(int64) :: rejected, undecided, workspace_bytes, copied_bytes
    real(real64) :: ms_total, ms_convert, ms_product, ms_reconstruct, ms_exact
    real(real64) :: bound_relative, bound_componentwise, bound_absolute
    integer(int32) :: threads, level
    integer(int64) :: batch_count
  end type c_report_t

  type, bind(c) :: c_counter
    character(kind=c_char) :: routine(16), engine(16)
    integer(int64) :: calls
  end type c_counter

  type, bind(c) :: c_mp_report_t
    integer(c_size_t) :: struct_size
    character(kind=c_char) :: routine(16), backend(8), device(64)
    integer(int64) :: m, n, k
    integer(int32) :: precision, element_moduli, moduli, spread, bands, threads
    integer(int64) :: outputs_in_bands, aligned_bytes, copied_bytes
    integer(int32) :: aligned_kept, level
    real(real64) :: ms_total, ms_align, ms_product, ms_finish
  end type c_mp_report_t

  ! How a call without stat is tried: Attempt of c_api/private.hpp.
  integer(int32), parameter :: ATTEMPT_AS_SET = 0, ATTEMPT_ON_CPU = 1, ATTEMPT_NATIVE = 2

  abstract interface
    !> Handler of failures where the caller has no status. Nonzero: the real BLAS serves the call; 0: abort.
    !> accublas_string(message) makes a Fortran string of the message.
    function accublas_failure_handler(status, message, user) result(use_native) bind(c)
      !> Nonzero: the real BLAS serves the call; 0: abort.
      import :: c_ptr, int32
      integer(int32), value :: status
      type(c_ptr), value :: message, user
      integer(int32) :: use_native
    end function accublas_failure_handler
  end interface

  interface
    function c_strlen(string) result(length) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: string
      integer(c_size_t) :: length
    end function c_strlen

    function c_next_attempt(ctx, failed, status, reads_result) result(next) bind(c, name='accublas_private_next_attempt')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: failed, status, reads_result
      integer(int32) :: next
    end function c_next_attempt
  end interface
end module accublas_c
