! A bad argument where there is no status: the handler is told which. It ends this test well; would it return, the module
! would stop the program, since the real BLAS cannot serve the call either.
module ending
  use, intrinsic :: iso_c_binding
  use accublas
  implicit none

contains

  function end_well(status, message, user) result(use_native) bind(c)
    integer(c_int32_t), value :: status
    type(c_ptr), value :: message, user
    integer(c_int32_t) :: use_native

    use_native = 1
    if (c_associated(user)) error stop 2
    if (status /= ACCUBLAS_ERROR_ARGUMENT) error stop 3
    if (index(accublas_string(message), 'lda') == 0) error stop 4
    stop 0
  end function end_well
end module ending

program failure
  use, intrinsic :: iso_fortran_env, only: real64
  use accublas
  use ending
  implicit none
  real(real64) :: a(4, 4), b(4, 4), c(4, 4)

  a = 1
  b = 1
  c = 1
  call accublas_set_failure_handler(end_well)
  call accublas_dgemm('N', 'N', 4, 4, 4, 1._real64, a, 3, b, 4, 0._real64, c, 4)
  error stop 1
end program failure
