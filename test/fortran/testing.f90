! Counts and names what fails; the program that calls finish exits with 1 if anything did.
module testing
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real32, real64
  implicit none
  private
  public :: check, check_same, finish

  integer :: checks = 0, failures = 0

  !> Bitwise equality, with the first mismatch.
  interface check_same
    procedure :: same_real32, same_real64
  end interface check_same

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what

    checks = checks + 1
    if (condition) return
    failures = failures + 1
    write (error_unit, '(2a)') 'FAILED: ', what
  end subroutine check

  subroutine same_real64(got, expected, what)
    real(real64), intent(in) :: got(:), expected(:)
    character(*), intent(in) :: what
    integer :: i

    call check(size(got) == size(expected), what//': sizes')
    do i = 1, min(size(got), size(expected))
      if (transfer(got(i), 0_int64) == transfer(expected(i), 0_int64)) cycle
      call check(.false., what)
      write (error_unit, '(a, i0, 2(a, es24.16e3))') '  element ', i, ': got ', got(i), ', expected ', expected(i)
      return
    end do
    call check(.true., what)
  end subroutine same_real64

  subroutine same_real32(got, expected, what)
    real(real32), intent(in) :: got(:), expected(:)
    character(*), intent(in) :: what
    integer :: i

    call check(size(got) == size(expected), what//': sizes')
    do i = 1, min(size(got), size(expected))
      if (transfer(got(i), 0) == transfer(expected(i), 0)) cycle
      call check(.false., what)
      write (error_unit, '(a, i0, 2(a, es16.8))') '  element ', i, ': got ', got(i), ', expected ', expected(i)
      return
    end do
    call check(.true., what)
  end subroutine same_real32

  subroutine finish()
    write (error_unit, '(i0, a, i0, a)') checks, ' checks, ', failures, ' failed'
    if (failures > 0) error stop 1
    if (checks == 0) error stop 2
  end subroutine finish
end module testing
