! Contexts, settings, report, counters, failures.
module handlers
  use, intrinsic :: iso_c_binding
  use accublas
  implicit none

  integer :: handled = 0
  integer(c_int32_t) :: handled_status = 0
  character(:), allocatable :: handled_message

contains

  !> Asks for the real BLAS.
  function take_native(status, message, user) result(use_native) bind(c)
    integer(c_int32_t), value :: status
    type(c_ptr), value :: message, user
    integer(c_int32_t) :: use_native
    integer, pointer :: count

    call c_f_pointer(user, count)
    count = count + 1
    handled_status = status
    handled_message = accublas_string(message)
    use_native = 1
  end function take_native
end module handlers

program settings
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use accublas
  use handlers
  use testing
  implicit none

  integer(int32), parameter :: families(4) = [ACCUBLAS_FAMILY_DGEMM, ACCUBLAS_FAMILY_SGEMM, ACCUBLAS_FAMILY_DOT, &
    ACCUBLAS_FAMILY_GEMV]
  type(accublas_context) :: ctx, none
  type(accublas_options) :: options
  type(accublas_report_t) :: report
  type(accublas_counter_t), allocatable :: counters(:)
  type(c_ptr) :: stream
  character(:), allocatable :: word
  character(200) :: message
  integer(int32) :: stat, devices
  integer, target :: times
  integer :: i
  real(real64) :: x(100), y(100), r, native
  real(real64) :: a(40, 30), b(30, 20), c(40, 20), before(40, 20)
  integer(int64), target :: buffer(500000)

  call check(accublas_version() > 0, 'version')
  call check(accublas_status_string(ACCUBLAS_ERROR_MEMORY) /= accublas_status_string(ACCUBLAS_SUCCESS), 'status string')
  call random_number(x)
  call random_number(y)
  call random_number(a)
  call random_number(b)
  call accublas_create(ctx, stat)
  call check(stat == 0 .and. c_associated(ctx%handle), 'create')

  ! Modes
  call accublas_set_mode_name(ctx, 'cr   ')
  do i = 1, 4
    call accublas_get_mode_name(ctx, families(i), word)
    call check(word == 'cr' .and. len(word) == 2, 'mode of a family: '//word)
  end do
  call accublas_set_family_mode_name(ctx, ACCUBLAS_FAMILY_DGEMM, 'fixed:70')
  call accublas_get_mode_name(ctx, ACCUBLAS_FAMILY_DGEMM, word)
  call check(word == 'fixed:70', 'own mode of a family: '//word)
  call accublas_get_mode_name(ctx, ACCUBLAS_FAMILY_DOT, word)
  call check(word == 'cr', 'the others keep theirs: '//word)
  message = 'unchanged'
  call accublas_set_mode_name(ctx, 'dot2', stat, message)
  call check(stat == 0 .and. message == 'unchanged', 'errmsg is left alone on success')
  call accublas_set_mode_name(ctx, 'dott2', stat, message)
  call check(stat == ACCUBLAS_ERROR_MODE .and. index(message, 'dott2') > 0 .and. index(message, 'native') > 0, &
    'an unknown word: '//trim(message))
  call check(index(accublas_last_error(ctx), 'dott2') > 0, 'last error')
  call accublas_get_mode_name(ctx, ACCUBLAS_FAMILY_GEMV, word)
  call check(word == 'dot2', 'an unknown word changes nothing: '//word)
  call accublas_set_family_mode_name(ctx, ACCUBLAS_FAMILY_DGEMM, '')
  call accublas_set_mode(ctx, ACCUBLAS_MODE_DP, flags=ACCUBLAS_MODE_REPRODUCIBLE)
  call accublas_get_mode_name(ctx, ACCUBLAS_FAMILY_DGEMM, word)
  call check(word == 'dp:repro', 'mode by number: '//word)
  call accublas_set_mode(ctx, ACCUBLAS_MODE_FIXED, 151_int32, stat=stat)
  call check(stat /= 0, 'T out of range')
  call accublas_set_mode(ctx, ACCUBLAS_MODE_FIXED, 44_int32)
  call accublas_get_mode_name(ctx, ACCUBLAS_FAMILY_SGEMM, word)
  call check(word == 'fixed:44', 'mode with a parameter: '//word)
  call accublas_set_mode_name(ctx, 'dp')
  call accublas_set_reproducible(ctx, 1)
  call accublas_get_mode_name(ctx, ACCUBLAS_FAMILY_SGEMM, word)
  call check(word == 'sp:repro', 'reproducible: '//word)
  call accublas_set_reproducible(ctx, 0)

  ! A context never created is the thread's default one.
  call accublas_set_mode_name(none, 'cr')
  call accublas_get_mode_name(none, ACCUBLAS_FAMILY_DOT, word)
  call check(word == 'cr', 'default context')
  r = accublas_dot(x, y)
  call accublas_report(none, report)
  call check(report%mode == 'cr', 'a call without context')
  call accublas_set_mode_name(none, '')

  ! Engines, threads, workspace
  call accublas_set_engine_name(ctx, 'turbo', stat, message)
  call check(stat == ACCUBLAS_ERROR_ENGINE .and. index(message, 'int8') > 0, 'an unknown engine: '//trim(message))
  call accublas_set_num_threads(ctx, 2)
  call accublas_set_workspace_mib(ctx, 64_int64)
  call accublas_set_verbose(ctx, 3, stat)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT, 'levels of the verbose mode')
  call accublas_set_verbose(ctx, 2)
  call accublas_set_verbose(ctx, 0)
  call accublas_set_report_level(ctx, 2)
  do i = 1, 2
    if (i == 1) call accublas_set_engine_name(ctx, 'int8')
    if (i == 2) call accublas_set_engine(ctx, ACCUBLAS_ENGINE_FP64)
    c = 0
    call accublas_gemm(a, b, c, mode='cr', context=ctx, stat=stat)
    call check(stat == 0, 'gemm with an engine forced')
    call accublas_report(ctx, report)
    call check(report%engine == merge('int8', 'fp64', i == 1) .and. report%routine == 'dgemm' .and. &
      report%backend == 'cpu' .and. report%threads == 2 .and. report%level == 2 .and. report%ms_total > 0 .and. &
      report%reason /= '', 'report of '//report%engine)
    if (i == 1) before = c
  end do
  call check_same([c], [before], 'both engines')
  call accublas_set_engine(ctx, ACCUBLAS_ENGINE_DOT2)
  call accublas_gemm(a, b, c, mode='cr', context=ctx, stat=stat, errmsg=message)
  call check(stat == ACCUBLAS_ERROR_ENGINE, 'an engine that cannot serve the mode')
  options%engine = ACCUBLAS_ENGINE_INT8
  options%num_threads = 1
  options%mode_name = 'fixed:50'
  call accublas_gemm(a, b, c, context=ctx, options=options, stat=stat)
  call accublas_report(ctx, report)
  call check(stat == 0 .and. report%engine == 'int8' .and. report%mode == 'fixed:50' .and. report%bits == 50 .and. &
    report%threads == 1, 'options win over the context')
  call accublas_set_engine_name(ctx, 'auto')
  call accublas_set_workspace(ctx, c_loc(buffer), size(buffer, kind=int64)*8)
  call accublas_gemm(a, b, c, mode='cr', context=ctx, stat=stat)
  call check(stat == 0, 'own workspace')
  call check_same([c], [before], 'own workspace changes no bit')
  call accublas_set_workspace(ctx, c_null_ptr, 0_int64)

  ! Words in capitals
  call accublas_set_engine_name(ctx, 'INT8')
  call accublas_gemm(a, b, c, mode='CR', context=ctx, stat=stat)
  call accublas_report(ctx, report)
  call check(stat == 0 .and. report%mode == 'cr' .and. report%engine == 'int8', 'words in capitals')
  call accublas_set_engine_name(ctx, 'Auto')

  ! Target: a call that cannot promise it leaves c alone.
  call accublas_set_target(ctx, 1e-30_real64)
  before = c
  call accublas_gemm(a, b, c, mode='native', context=ctx, stat=stat, errmsg=message)
  call check(stat == ACCUBLAS_ERROR_ACCURACY, 'a target that native cannot promise: '//trim(message))
  call check_same([c], [before], 'c is as it was')
  call accublas_set_target(ctx, 0._real64)

  ! Devices and streams, without a GPU
  call accublas_device_count(devices, stat)
  call check(stat == 0 .and. devices >= 0, 'device count')
  call accublas_set_backend(ctx, ACCUBLAS_BACKEND_CPU)
  if (devices == 0) then
    call accublas_set_backend(ctx, ACCUBLAS_BACKEND_CUDA, stat)
    call check(stat == ACCUBLAS_ERROR_NO_DEVICE, 'no device: backend')
    call accublas_set_device(ctx, 0, stat)
    call check(stat == ACCUBLAS_ERROR_NO_DEVICE, 'no device: device')
    call accublas_set_devices(ctx, [0, 0], stat)
    call check(stat == ACCUBLAS_ERROR_NO_DEVICE, 'no device: devices')
    call accublas_set_stream(ctx, c_loc(times), stat)
    call check(stat == ACCUBLAS_ERROR_NO_DEVICE, 'no device: stream')
  end if
  call accublas_set_devices(ctx, [-1], stat)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT, 'a negative device')
  call accublas_set_devices(ctx, [integer ::], stat)
  call check(stat == 0, 'no list of devices')
  call accublas_set_stream(ctx, c_null_ptr)
  call accublas_get_stream(ctx, stream)
  call check(.not. c_associated(stream), 'stream')
  call accublas_set_pointer_mode(ctx, ACCUBLAS_POINTER_HOST)
  call accublas_set_pointer_mode(ctx, 9, stat)
  call check(stat == ACCUBLAS_ERROR_ARGUMENT, 'an unknown pointer mode')
  call accublas_sync(ctx)

  ! Counters
  call accublas_reset_counters()
  do i = 1, 3
    r = accublas_dot(x, y, mode='cr', context=ctx)
  end do
  call accublas_gemv(a, x(:30), y(:40), mode='dot2', context=ctx)
  call accublas_counters(counters)
  call check(calls_of('ddot') == 3 .and. calls_of('dgemv') == 1 .and. calls_of('dgemm') == 0, 'counters')

  ! Failures without stat: the handler is asked, then the real BLAS serves the call.
  call accublas_set_on_failure(ACCUBLAS_ON_FAILURE_ABORT)
  times = 0
  call accublas_set_failure_handler(take_native, c_loc(times))
  native = accublas_dot(x, y, mode='native', context=ctx)
  r = accublas_dot(x, y, mode='no such mode', context=ctx)
  call check(times == 1 .and. handled_status == ACCUBLAS_ERROR_MODE .and. index(handled_message, 'no such mode') > 0, &
    'handler')
  call check_same([r], [native], 'native after the handler')
  call accublas_set_target(ctx, 1e-30_real64)
  c = 0
  call accublas_gemm(a, b, c, mode='dot2', context=ctx)
  call accublas_report(ctx, report)
  call check(times == 2 .and. handled_status == ACCUBLAS_ERROR_ACCURACY .and. report%mode == 'native' .and. &
    all(abs(c - matmul(a, b)) < 1e-10), 'native after a target that cannot be met')
  call accublas_set_target(ctx, 0._real64)
  call accublas_set_mode_name(ctx, 'bogus')
  call check(times == 3, 'handler of a setting')
  call accublas_gemv(a, x(:30), y(:40), mode='bogus', context=ctx, stat=stat)
  call check(times == 3 .and. stat == ACCUBLAS_ERROR_MODE, 'no handler with stat')
  call accublas_set_failure_handler()

  call accublas_destroy(ctx, stat)
  call check(stat == 0 .and. .not. c_associated(ctx%handle), 'destroy')
  call accublas_destroy(ctx, stat)
  call check(stat == 0, 'destroy again')
  deallocate (counters, word, options%mode_name)
  call finish()

contains

  pure function calls_of(routine)
    character(*), intent(in) :: routine
    integer(int64) :: calls_of

    calls_of = sum(counters%calls, mask=counters%routine == routine)
  end function calls_of
end program settings
