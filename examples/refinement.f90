! Iterative refinement of a Hilbert system of order 12, whose condition number is 1.6e16. With residuals in double precision it gets
! nowhere. With the residual b - A x and x in 212 bits, each rounded once, the same factorisation in double precision gains digits
! at every step, until x is right to 55 of them.
!   refinement_fortran            on the CPU
!   refinement_fortran device     the multiple-precision arrays in GPU memory
program refinement
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, real64
  use accublas
  implicit none
  integer, parameter :: n = 12, bits = 212, steps = 100
  real(real64), parameter :: enough = 1e-55_real64  ! of 212 bits, 1e-64, what the condition number leaves
  real(real64) :: a(n, n), lu(n, n), b(n), x(n), r(n)
  integer :: pivot(n), i, j, step
  integer(int32) :: devices
  character(16) :: place
  type(accublas_mp_array) :: mp_a, mp_b, mp_x, mp_r, scalars
  type(accublas_mp_report_t) :: report

  ! The Hilbert matrix times the least common multiple of 1 .. 23: A and b are integers, exact, and the solution is all ones.
  do j = 1, n
    a(:, j) = [(5354228880._real64/(i + j - 1), i=1, n)]
  end do
  b = sum(a, dim=2)
  lu = a
  call factorise(lu, pivot)

  x = solution(b)
  do step = 1, steps
    x = x + solution(b - matmul(a, x))
  end do
  print '(a, es9.1)', 'residuals in double precision: largest error of x', maxval(abs(x - 1))

  call accublas_mp_create(mp_a, bits, n*n)
  call accublas_mp_create(mp_b, bits, n)
  call accublas_mp_create(mp_x, bits, n)
  call accublas_mp_create(mp_r, bits, n)
  call accublas_mp_create(scalars, bits, 2)
  call accublas_mp_set(mp_a, a, 1)
  call accublas_mp_set(mp_b, b, 1)
  call accublas_mp_set(mp_x, solution(b), 1)
  call accublas_mp_set(scalars, [-1._real64, 1._real64], 1)
  call get_command_argument(1, place)
  if (place == 'device') then
    call accublas_device_count(devices)
    if (devices == 0) then
      write (error_unit, '(a)') 'no CUDA device'
      stop 77
    end if
    call accublas_mp_move(mp_a, ACCUBLAS_MP_DEVICE)
    call accublas_mp_move(mp_b, ACCUBLAS_MP_DEVICE)
    call accublas_mp_move(mp_x, ACCUBLAS_MP_DEVICE)
    call accublas_mp_move(mp_r, ACCUBLAS_MP_DEVICE)
    call accublas_mp_move(scalars, ACCUBLAS_MP_DEVICE)
  end if
  call accublas_mp_align(n, n, mp_a)  ! once, for all products with A

  do step = 1, steps
    call accublas_mp_copy(n, 1, mp_b, mp_r)
    call accublas_mp_gemv(n, n, mp_a, mp_x, mp_r, alpha=scalars, beta=scalars, index_alpha=1, index_beta=2)
    call accublas_mp_get(mp_r, r, 1)
    r = solution(r)
    call accublas_mp_set(mp_r, r, 1)
    call accublas_mp_axpy(n, mp_r, mp_x)
    if (maxval(abs(r)) <= enough) exit
  end do
  call accublas_mp_get(mp_x, x, 1)
  call accublas_mp_report(report)
  print '(a, i0, a, es9.1, 2a)', 'residuals in multiple precision: last of ', min(step, steps), ' corrections', maxval(abs(r)), &
    ', on ', trim(report%backend)
  if (maxval(abs(x - 1)) > 0 .or. maxval(abs(r)) > enough) error stop 'no convergence'

contains

  !> LU with partial pivoting, in double precision.
  subroutine factorise(lu, pivot)
    real(real64), intent(inout) :: lu(:, :)
    integer, intent(out) :: pivot(:)
    integer :: j, k

    do k = 1, n
      pivot(k) = k - 1 + maxloc(abs(lu(k:, k)), dim=1)
      lu([k, pivot(k)], :) = lu([pivot(k), k], :)
      lu(k + 1:, k) = lu(k + 1:, k)/lu(k, k)
      do j = k + 1, n
        lu(k + 1:, j) = lu(k + 1:, j) - lu(k + 1:, k)*lu(k, j)
      end do
    end do
  end subroutine factorise

  !> The solution for the right-hand side c, as good as double precision has it.
  function solution(c) result(y)
    real(real64), intent(in) :: c(:)
    real(real64) :: y(size(c))
    integer :: k

    y = c
    do k = 1, n
      y([k, pivot(k)]) = y([pivot(k), k])
    end do
    do k = 1, n
      y(k + 1:) = y(k + 1:) - y(k)*lu(k + 1:, k)
    end do
    do k = n, 1, -1
      y(k) = y(k)/lu(k, k)
      y(:k - 1) = y(:k - 1) - y(k)*lu(:k - 1, k)
    end do
  end function solution
end program refinement
