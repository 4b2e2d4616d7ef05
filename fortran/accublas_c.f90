! The C interface as Fortran sees it: structs, and the functions that do not depend on a real kind. Names are those of
! accublas.h with the prefix c_; c_next_attempt alone is of c_api/private.hpp. Users take module accublas.
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

  type, bind(c) :: c_report
    integer(c_size_t) :: struct_size
    character(kind=c_char) :: routine(16), mode(32), backend(8), engine(16), device(64), reason(160)
    integer(int64) :: m, n, k
    integer(int32) :: bits, parts
    integer(int64) :: rejected, undecided, workspace_bytes, copied_bytes
    real(real64) :: ms_total, ms_convert, ms_product, ms_reconstruct, ms_exact
    real(real64) :: bound_relative, bound_componentwise, bound_absolute
    integer(int32) :: threads, level
    integer(int64) :: batch_count
  end type c_report

  type, bind(c) :: c_counter
    character(kind=c_char) :: routine(16), engine(16)
    integer(int64) :: calls
  end type c_counter

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
    !> 10000 major + 100 minor + patch of the library at run time.
    pure function accublas_version() result(version) bind(c, name='accublas_version')
      import :: int32
      integer(int32) :: version
    end function accublas_version

    function c_strlen(string) result(length) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: string
      integer(c_size_t) :: length
    end function c_strlen

    function c_status_string(status) result(string) bind(c, name='accublas_status_string')
      import :: c_ptr, int32
      integer(int32), value :: status
      type(c_ptr) :: string
    end function c_status_string

    function c_create(ctx) result(status) bind(c, name='accublas_create')
      import :: c_ptr, int32
      type(c_ptr), intent(out) :: ctx
      integer(int32) :: status
    end function c_create

    function c_destroy(ctx) result(status) bind(c, name='accublas_destroy')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32) :: status
    end function c_destroy

    function c_last_error(ctx) result(string) bind(c, name='accublas_last_error')
      import :: c_ptr
      type(c_ptr), value :: ctx
      type(c_ptr) :: string
    end function c_last_error

    function c_set_last_error(ctx, status, message) result(same_status) bind(c, name='accublas_set_last_error')
      import :: c_ptr, c_char, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: status
      character(kind=c_char), intent(in) :: message(*)
      integer(int32) :: same_status
    end function c_set_last_error

    function c_fail(ctx, status) result(use_native) bind(c, name='accublas_fail')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: status
      integer(int32) :: use_native
    end function c_fail

    function c_next_attempt(ctx, failed, status, reads_result) result(next) bind(c, name='accublas_private_next_attempt')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: failed, status, reads_result
      integer(int32) :: next
    end function c_next_attempt

    function c_set_mode_name(ctx, word) result(status) bind(c, name='accublas_set_mode_name')
      import :: c_ptr, c_char, int32
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: word(*)
      integer(int32) :: status
    end function c_set_mode_name

    function c_set_mode(ctx, mode, parameter, flags) result(status) bind(c, name='accublas_set_mode')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: mode, parameter, flags
      integer(int32) :: status
    end function c_set_mode

    function c_set_family_mode_name(ctx, family, word) result(status) bind(c, name='accublas_set_family_mode_name')
      import :: c_ptr, c_char, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: family
      character(kind=c_char), intent(in) :: word(*)
      integer(int32) :: status
    end function c_set_family_mode_name

    function c_get_mode_name(ctx, family, word, size) result(status) bind(c, name='accublas_get_mode_name')
      import :: c_ptr, c_char, c_size_t, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: family
      character(kind=c_char), intent(out) :: word(*)
      integer(c_size_t), value :: size
      integer(int32) :: status
    end function c_get_mode_name

    function c_set_reproducible(ctx, value) result(status) bind(c, name='accublas_set_reproducible')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_reproducible

    function c_set_backend(ctx, value) result(status) bind(c, name='accublas_set_backend')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_backend

    function c_set_device(ctx, value) result(status) bind(c, name='accublas_set_device')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_device

    function c_set_engine(ctx, value) result(status) bind(c, name='accublas_set_engine')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_engine

    function c_set_engine_name(ctx, name) result(status) bind(c, name='accublas_set_engine_name')
      import :: c_ptr, c_char, int32
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: name(*)
      integer(int32) :: status
    end function c_set_engine_name

    function c_set_workspace_mib(ctx, value) result(status) bind(c, name='accublas_set_workspace_mib')
      import :: c_ptr, int32, int64
      type(c_ptr), value :: ctx
      integer(int64), value :: value
      integer(int32) :: status
    end function c_set_workspace_mib

    function c_set_workspace(ctx, buffer, bytes) result(status) bind(c, name='accublas_set_workspace')
      import :: c_ptr, c_size_t, int32
      type(c_ptr), value :: ctx, buffer
      integer(c_size_t), value :: bytes
      integer(int32) :: status
    end function c_set_workspace

    function c_set_num_threads(ctx, value) result(status) bind(c, name='accublas_set_num_threads')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_num_threads

    function c_set_verbose(ctx, value) result(status) bind(c, name='accublas_set_verbose')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_verbose

    function c_set_report_level(ctx, value) result(status) bind(c, name='accublas_set_report_level')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_report_level

    function c_set_target(ctx, value) result(status) bind(c, name='accublas_set_target')
      import :: c_ptr, int32, real64
      type(c_ptr), value :: ctx
      real(real64), value :: value
      integer(int32) :: status
    end function c_set_target

    function c_set_pointer_mode(ctx, value) result(status) bind(c, name='accublas_set_pointer_mode')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32), value :: value
      integer(int32) :: status
    end function c_set_pointer_mode

    function c_set_stream(ctx, stream) result(status) bind(c, name='accublas_set_stream')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx, stream
      integer(int32) :: status
    end function c_set_stream

    function c_get_stream(ctx, stream) result(status) bind(c, name='accublas_get_stream')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      type(c_ptr), intent(out) :: stream
      integer(int32) :: status
    end function c_get_stream

    function c_sync(ctx) result(status) bind(c, name='accublas_sync')
      import :: c_ptr, int32
      type(c_ptr), value :: ctx
      integer(int32) :: status
    end function c_sync

    function c_device_count(count) result(status) bind(c, name='accublas_device_count')
      import :: int32
      integer(int32), intent(out) :: count
      integer(int32) :: status
    end function c_device_count

    function c_set_failure_handler(handler, user) result(status) bind(c, name='accublas_set_failure_handler')
      import :: c_ptr, c_funptr, int32
      type(c_funptr), value :: handler
      type(c_ptr), value :: user
      integer(int32) :: status
    end function c_set_failure_handler

    function c_set_on_failure(action) result(status) bind(c, name='accublas_set_on_failure')
      import :: int32
      integer(int32), value :: action
      integer(int32) :: status
    end function c_set_on_failure

    function c_get_report(ctx, report) result(status) bind(c, name='accublas_report')
      import :: c_ptr, c_report, int32
      type(c_ptr), value :: ctx
      type(c_report), intent(inout) :: report
      integer(int32) :: status
    end function c_get_report

    function c_counters(rows, capacity, count) result(status) bind(c, name='accublas_counters')
      import :: c_counter, c_size_t, int32
      type(c_counter), intent(out) :: rows(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: count
      integer(int32) :: status
    end function c_counters

    function c_reset_counters() result(status) bind(c, name='accublas_reset_counters')
      import :: int32
      integer(int32) :: status
    end function c_reset_counters
  end interface
end module accublas_c
