! DSDOT and SDSDOT: sums of wide exponents beside real128, which holds them, in the modes that round once; sections; failures.
program mixed_dots
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64, real128
  use accublas
  use testing
  implicit none

  integer, parameter :: n = 24
  character(*), parameter :: words(*) = [character(8) :: 'cr', 'dp:repro', 'sp:repro', 'dot2']
  real(real32) :: x(3*n), y(2*n), sb
  real(real128) :: exact
  integer, allocatable :: seed(:)
  integer :: seeds, i, w

  call random_seed(size=seeds)
  allocate (seed(seeds))
  seed = [(20 + 7*i, i=1, seeds)]
  call random_seed(put=seed)
  do i = 1, 10
    x = random_numbers(size(x))
    y = random_numbers(size(y))
    sb = sum(random_numbers(1))
    do w = 1, size(words)
      exact = sum(real(x(3*n:1:-3), real128)*real(y(::2), real128))
      call check_same([accublas_dsdot(x(3*n:1:-3), y(::2), mode=words(w))], [real(exact, real64)], 'dsdot '//words(w))
      call check_same([accublas_sdsdot(sb, x(3*n:1:-3), y(::2), mode=words(w))], [real(sb + exact, real32)], &
        'sdsdot '//words(w))
    end do
  end do
  ! These sums do not fit single precision; a term far below decides a tie of sb.
  call check_same([accublas_dsdot([2._real32**30, 1._real32], [2._real32**20, 1._real32])], [2._real64**50 + 1], 'dsdot')
  call check_same([accublas_sdsdot(1._real32, [epsilon(sb)/2, 2._real32**(-80)], [1._real32, 1._real32], mode='cr')], &
    [1 + epsilon(sb)], 'sdsdot just above a tie')
  call check_same([accublas_dsdot(x(:0), y(:0))], [0._real64], 'dsdot of nothing')
  call check_same([accublas_sdsdot(sb, x(:0), y(:0))], [sb], 'sdsdot of nothing')
  call test_failures()
  deallocate (seed)
  call finish()

contains

  !> With exponents from -14 to 14, so that real128 holds sums of products.
  function random_numbers(count) result(r)
    integer, intent(in) :: count
    real(real32) :: r(count), u(count)

    call random_number(r)
    call random_number(u)
    r = scale(2*r - 1, nint(28*u - 14))
  end function random_numbers

  subroutine test_failures()
    integer(int32) :: status
    character(80) :: message
    real(real64) :: r
    real(real32) :: single

    r = accublas_dsdot(x(:3), y(:2), stat=status, errmsg=message)
    call check(status == ACCUBLAS_ERROR_ARGUMENT .and. r /= r, 'dsdot of different sizes')
    call check(index(message, 'accublas_dsdot: x and y') == 1, 'the message: '//message)
    single = accublas_sdsdot(sb, x(:3), y(:2), stat=status, errmsg=message)
    call check(status == ACCUBLAS_ERROR_ARGUMENT .and. single /= single, 'sdsdot of different sizes')
    call check(index(message, 'accublas_sdsdot: x and y') == 1, 'the message: '//message)
    r = accublas_dsdot(x(:3), y(:3), mode='fixed:60', stat=status)
    call check(status == ACCUBLAS_ERROR_MODE .and. r /= r, 'dsdot has no fixed')
  end subroutine test_failures
end program mixed_dots
