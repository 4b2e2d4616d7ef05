!> Contexts, settings, reports and failures. Every procedure has the name and the meaning of the C function (accublas.h)
!> and two optional arguments at its end:
!>   stat    the status; without it a failure runs the failure handler (which aborts unless told otherwise; if it
!>           returns, the setting is as it was)
!>   errmsg  the message of a failure; left alone on success, as with ALLOCATE
module accublas_contexts
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_null_char, c_char, c_loc, c_sizeof, c_size_t, c_funloc, &
    c_f_pointer, c_associated, c_null_funptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use accublas_constants
  use accublas_c
  implicit none
  private

  public :: accublas_context, accublas_options, accublas_report_t, accublas_counter_t
  public :: accublas_version, accublas_failure_handler
  public :: accublas_create, accublas_destroy, accublas_last_error, accublas_status_string, accublas_string
  public :: accublas_set_mode_name, accublas_set_mode, accublas_set_family_mode_name, accublas_get_mode_name
  public :: accublas_set_reproducible, accublas_set_backend, accublas_set_device, accublas_set_engine
  public :: accublas_set_engine_name, accublas_set_workspace_mib, accublas_set_workspace, accublas_set_num_threads
  public :: accublas_set_verbose, accublas_set_report_level, accublas_set_target, accublas_set_pointer_mode
  public :: accublas_set_stream, accublas_get_stream, accublas_sync, accublas_device_count
  public :: accublas_set_failure_handler, accublas_set_on_failure
  public :: accublas_report, accublas_counters, accublas_reset_counters
  public :: c_string, fixed_string, settle

  !> A context. One that was never created (or was destroyed) names the calling thread's default context. Assignment
  !> makes a second name for the same context, so nothing is destroyed implicitly: call accublas_destroy.
  type :: accublas_context
    type(c_ptr) :: handle = c_null_ptr
  end type accublas_context

  !> Options of one call; a component left at its initial value is not set here.
  type :: accublas_options
    character(:), allocatable :: mode_name            ! a mode word; not allocated: the three components below
    integer(int32) :: mode = ACCUBLAS_MODE_DEFAULT
    integer(int32) :: mode_parameter = 0              ! T of fixed, D of slices
    integer(int32) :: mode_flags = 0                  ! ACCUBLAS_MODE_FAST + ACCUBLAS_MODE_REPRODUCIBLE
    integer(int32) :: reproducible = -1
    integer(int32) :: backend = -1
    integer(int32) :: engine = -1
    integer(int32) :: num_threads = 0
    integer(int32) :: report_level = -1
    real(real64) :: target = -1
    integer(int64) :: workspace_bytes = -1
  end type accublas_options

  !> The report of the last call on a context; accublas.h explains the components.
  type :: accublas_report_t
    character(16) :: routine = '', engine = ''
    character(32) :: mode = ''
    character(8) :: backend = ''
    character(64) :: device = ''
    character(160) :: reason = ''
    integer(int64) :: m = 0, n = 0, k = 0
    integer(int32) :: bits = 0, parts = 0
    integer(int64) :: rejected = 0, undecided = 0, workspace_bytes = 0, copied_bytes = 0
    real(real64) :: ms_total = 0, ms_convert = 0, ms_product = 0, ms_reconstruct = 0, ms_exact = 0
    real(real64) :: bound_relative = 0, bound_componentwise = 0, bound_absolute = 0
    integer(int32) :: threads = 0, level = 0
    integer(int64) :: batch_count = 1
  end type accublas_report_t

  !> Calls of a routine that an engine served, process wide.
  type :: accublas_counter_t
    character(16) :: routine = '', engine = ''
    integer(int64) :: calls = 0
  end type accublas_counter_t

contains

  !> The NUL-terminated string at a C address.
  function accublas_string(address) result(string)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: string
    character(kind=c_char), pointer :: chars(:)
    integer :: i

    if (.not. c_associated(address)) then
      string = ''
      return
    end if
    call c_f_pointer(address, chars, [c_strlen(address)])
    allocate (character(size(chars)) :: string)
    do i = 1, size(chars)
      string(i:i) = chars(i)
    end do
  end function accublas_string

  !> The characters before the first NUL of a fixed C array, or all.
  pure function fixed_string(chars) result(string)
    character(kind=c_char), intent(in) :: chars(:)
    character(size(chars)) :: string
    integer :: i

    string = ''
    do i = 1, size(chars)
      if (chars(i) == c_null_char) exit
      string(i:i) = chars(i)
    end do
  end function fixed_string

  !> A string for a C function: trailing blanks dropped, NUL appended.
  pure function c_string(string) result(terminated)
    character(*), intent(in) :: string
    character(len_trim(string) + 1, kind=c_char) :: terminated

    terminated = trim(string)//c_null_char
  end function c_string

  !> Hands a status to the caller, or a failure to the handler.
  subroutine settle(ctx, status, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: status
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32) :: use_native

    if (present(stat)) stat = status
    if (status == ACCUBLAS_SUCCESS) return
    if (present(errmsg)) errmsg = accublas_last_error(ctx)
    if (.not. present(stat)) use_native = c_fail(ctx%handle, status)
  end subroutine settle

  !> One line of English for a status.
  function accublas_status_string(status) result(string)
    integer(int32), intent(in) :: status
    character(:), allocatable :: string

    string = accublas_string(c_status_string(status))
  end function accublas_status_string

  !> Message of the context's last failed call; '' after success.
  function accublas_last_error(ctx) result(message)
    type(accublas_context), intent(in) :: ctx
    character(:), allocatable :: message

    message = accublas_string(c_last_error(ctx%handle))
  end function accublas_last_error

  !> A context with the environment's settings.
  subroutine accublas_create(ctx, stat, errmsg)
    type(accublas_context), intent(out) :: ctx
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32) :: status

    status = c_create(ctx%handle)
    call settle(ctx, status, stat, errmsg)
  end subroutine accublas_create

  !> Waits for the context's work and frees it; ctx names the default context from here on.
  subroutine accublas_destroy(ctx, stat, errmsg)
    type(accublas_context), intent(inout) :: ctx
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32) :: status

    status = c_destroy(ctx%handle)
    ctx%handle = c_null_ptr
    call settle(ctx, status, stat, errmsg)
  end subroutine accublas_destroy

  !> Mode of every family by its word, for instance 'dp:repro'; a family that lacks it keeps its mode. '' unsets.
  subroutine accublas_set_mode_name(ctx, word, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    character(*), intent(in) :: word
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_mode_name(ctx%handle, c_string(word)), stat, errmsg)
  end subroutine accublas_set_mode_name

  !> Sets the mode by a constant: parameter is T of fixed or D of slices, flags are ACCUBLAS_MODE_FAST and
  !> ACCUBLAS_MODE_REPRODUCIBLE.
  subroutine accublas_set_mode(ctx, mode, parameter, flags, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: mode
    integer(int32), intent(in), optional :: parameter, flags
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32) :: p, f

    p = 0
    if (present(parameter)) p = parameter
    f = 0
    if (present(flags)) f = flags
    call settle(ctx, c_set_mode(ctx%handle, mode, p, f), stat, errmsg)
  end subroutine accublas_set_mode

  !> Mode of one family (ACCUBLAS_FAMILY_DGEMM, ...). It wins over accublas_set_mode_name.
  subroutine accublas_set_family_mode_name(ctx, family, word, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: family
    character(*), intent(in) :: word
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_family_mode_name(ctx%handle, family, c_string(word)), stat, errmsg)
  end subroutine accublas_set_family_mode_name

  !> The word of the mode that a call without options would run now.
  subroutine accublas_get_mode_name(ctx, family, word, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: family
    character(:), allocatable, intent(out) :: word
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char) :: chars(64)

    chars = c_null_char
    call settle(ctx, c_get_mode_name(ctx%handle, family, chars, size(chars, kind=c_size_t)), stat, errmsg)
    word = trim(fixed_string(chars))
  end subroutine accublas_get_mode_name

  !> 0 or 1: whether dp and sp promise bits; -1 unsets it.
  subroutine accublas_set_reproducible(ctx, reproducible, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: reproducible
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_reproducible(ctx%handle, reproducible), stat, errmsg)
  end subroutine accublas_set_reproducible

  !> ACCUBLAS_BACKEND_AUTO, ACCUBLAS_BACKEND_CPU or ACCUBLAS_BACKEND_CUDA.
  subroutine accublas_set_backend(ctx, backend, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: backend
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_backend(ctx%handle, backend), stat, errmsg)
  end subroutine accublas_set_backend

  !> CUDA device number, from 0.
  subroutine accublas_set_device(ctx, device, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: device
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_device(ctx%handle, device), stat, errmsg)
  end subroutine accublas_set_device

  !> ACCUBLAS_ENGINE_AUTO, ...: an engine that cannot serve a call's mode is ACCUBLAS_ERROR_ENGINE at that call.
  subroutine accublas_set_engine(ctx, engine, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: engine
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_engine(ctx%handle, engine), stat, errmsg)
  end subroutine accublas_set_engine

  !> Sets the engine by a word: 'auto', 'native', 'int8', 'fp64', 'fp16', 'dot2', 'sums'.
  subroutine accublas_set_engine_name(ctx, name, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    character(*), intent(in) :: name
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_engine_name(ctx%handle, c_string(name)), stat, errmsg)
  end subroutine accublas_set_engine_name

  !> Cap of the workspace in MiB; 0 restores the default. Blocking under it never changes bits.
  subroutine accublas_set_workspace_mib(ctx, mib, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int64), intent(in) :: mib
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_workspace_mib(ctx%handle, mib), stat, errmsg)
  end subroutine accublas_set_workspace_mib

  !> The user's own workspace, used in place of the pool; c_null_ptr and 0 end that.
  subroutine accublas_set_workspace(ctx, buffer, bytes, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    type(c_ptr), intent(in) :: buffer
    integer(int64), intent(in) :: bytes
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_workspace(ctx%handle, buffer, int(bytes, c_size_t)), stat, errmsg)
  end subroutine accublas_set_workspace

  !> Threads of accublas's own pool; 0 restores the default.
  subroutine accublas_set_num_threads(ctx, threads, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: threads
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_num_threads(ctx%handle, threads), stat, errmsg)
  end subroutine accublas_set_num_threads

  !> 0 silent, 1 a line per call of the program on standard error, 2 also one per inner call (accublas.h).
  subroutine accublas_set_verbose(ctx, level, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: level
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_verbose(ctx%handle, level), stat, errmsg)
  end subroutine accublas_set_verbose

  !> 0 no times, 1 total time, 2 time per phase.
  subroutine accublas_set_report_level(ctx, level, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: level
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_report_level(ctx%handle, level), stat, errmsg)
  end subroutine accublas_set_report_level

  !> Accuracy target: a call that cannot promise the bound returns ACCUBLAS_ERROR_ACCURACY and leaves C as it was. 0 unsets.
  subroutine accublas_set_target(ctx, bound, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    real(real64), intent(in) :: bound
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_target(ctx%handle, bound), stat, errmsg)
  end subroutine accublas_set_target

  !> With ACCUBLAS_POINTER_DEVICE the addresses of alpha, beta and dot's result must be device addresses: only the
  !> assumed-size procedures and the C interface can pass those.
  subroutine accublas_set_pointer_mode(ctx, mode, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(in) :: mode
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_pointer_mode(ctx%handle, mode), stat, errmsg)
  end subroutine accublas_set_pointer_mode

  !> The CUDA stream that device calls run on; c_null_ptr is the legacy default stream.
  subroutine accublas_set_stream(ctx, stream, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    type(c_ptr), intent(in) :: stream
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_set_stream(ctx%handle, stream), stat, errmsg)
  end subroutine accublas_set_stream

  !> The stream set, c_null_ptr by default.
  subroutine accublas_get_stream(ctx, stream, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    type(c_ptr), intent(out) :: stream
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32) :: status

    status = c_get_stream(ctx%handle, stream)
    call settle(ctx, status, stat, errmsg)
  end subroutine accublas_get_stream

  !> Waits for the context's calls on the device; returns and clears their first error.
  subroutine accublas_sync(ctx, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(ctx, c_sync(ctx%handle), stat, errmsg)
  end subroutine accublas_sync

  !> Number of usable CUDA devices, 0 without a GPU, a driver, or CUDA in the build.
  subroutine accublas_device_count(count, stat, errmsg)
    integer(int32), intent(out) :: count
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int32) :: status

    status = c_device_count(count)
    call settle(accublas_context(), status, stat, errmsg)
  end subroutine accublas_device_count

  !> Process wide. Without `handler` the default is restored.
  subroutine accublas_set_failure_handler(handler, user, stat, errmsg)
    procedure(accublas_failure_handler), optional :: handler
    type(c_ptr), intent(in), optional :: user
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: data
    integer(int32) :: status

    data = c_null_ptr
    if (present(user)) data = user
    if (present(handler)) then
      status = c_set_failure_handler(c_funloc(handler), data)
    else
      status = c_set_failure_handler(c_null_funptr, data)
    end if
    call settle(accublas_context(), status, stat, errmsg)
  end subroutine accublas_set_failure_handler

  !> Sets the action of the default handler: ACCUBLAS_ON_FAILURE_ABORT or ACCUBLAS_ON_FAILURE_NATIVE. The setting is
  !> process wide.
  subroutine accublas_set_on_failure(action, stat, errmsg)
    integer(int32), intent(in) :: action
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(accublas_context(), c_set_on_failure(action), stat, errmsg)
  end subroutine accublas_set_on_failure

  !> Returns the report of the last call on the context.
  subroutine accublas_report(ctx, report, stat, errmsg)
    type(accublas_context), intent(in) :: ctx
    type(accublas_report_t), intent(out) :: report
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_report) :: c
    integer(int32) :: status

    c%struct_size = c_sizeof(c)
    status = c_get_report(ctx%handle, c)
    if (status == ACCUBLAS_SUCCESS) then
      report = accublas_report_t(fixed_string(c%routine), fixed_string(c%engine), fixed_string(c%mode), &
        fixed_string(c%backend), fixed_string(c%device), fixed_string(c%reason), c%m, c%n, c%k, c%bits, c%parts, &
        c%rejected, c%undecided, c%workspace_bytes, c%copied_bytes, c%ms_total, c%ms_convert, c%ms_product, &
        c%ms_reconstruct, c%ms_exact, c%bound_relative, c%bound_componentwise, c%bound_absolute, c%threads, c%level, &
        c%batch_count)
    end if
    call settle(ctx, status, stat, errmsg)
  end subroutine accublas_report

  !> The counters of all routines and engines that served a call of the program; inner calls are not counted.
  subroutine accublas_counters(rows, stat, errmsg)
    type(accublas_counter_t), allocatable, intent(out) :: rows(:)
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_counter), allocatable :: c(:)
    integer(c_size_t) :: count
    integer(int32) :: status
    integer :: i

    ! Calls on other threads may add rows between two questions: ask until all fit.
    allocate (c(64))
    do
      status = c_counters(c, size(c, kind=c_size_t), count)
      if (status /= ACCUBLAS_SUCCESS .or. count <= size(c, kind=c_size_t)) exit
      deallocate (c)
      allocate (c(2*count))
    end do
    if (status /= ACCUBLAS_SUCCESS) count = 0
    allocate (rows(count))
    do i = 1, size(rows)
      rows(i) = accublas_counter_t(fixed_string(c(i)%routine), fixed_string(c(i)%engine), c(i)%calls)
    end do
    call settle(accublas_context(), status, stat, errmsg)
  end subroutine accublas_counters

  !> Sets all counters to 0.
  subroutine accublas_reset_counters(stat, errmsg)
    integer(int32), intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call settle(accublas_context(), c_reset_counters(), stat, errmsg)
  end subroutine accublas_reset_counters
end module accublas_contexts
