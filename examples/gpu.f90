! Host arrays computed on the GPU: accublas copies them there and back. The report tells what ran and what it promises.
program gpu
  use, intrinsic :: iso_fortran_env, only: real64
  use accublas
  implicit none
  integer, parameter :: n = 1500
  character(*), parameter :: modes(*) = [character(8) :: 'native', 'dp:repro', 'cr']
  real(real64), allocatable :: a(:, :), b(:, :), c(:, :)
  type(accublas_context) :: ctx
  type(accublas_report_t) :: report
  integer :: i, devices

  call accublas_device_count(devices)
  if (devices == 0) then
    print '(a)', 'no CUDA device'
    stop 77
  end if
  allocate (a(n, n), b(n, n), c(n, n))
  call random_number(a)
  call random_number(b)
  a = a - 0.5_real64
  b = b - 0.5_real64

  call accublas_create(ctx)
  call accublas_set_backend(ctx, ACCUBLAS_BACKEND_CUDA)
  call accublas_set_report_level(ctx, 2)
  do i = 1, size(modes)
    call accublas_gemm(a, b, c, mode=trim(modes(i)), context=ctx)
    call accublas_report(ctx, report)
    print '(a8, 2x, a, a, a)', modes(i), trim(report%device), ', engine ', trim(report%engine)
    print '(10x, 4(a, f0.2))', 'ms: conversion ', report%ms_convert, ', products ', report%ms_product, ', reconstruction ', &
      report%ms_reconstruct, ', in all with copies ', report%ms_total
    print '(10x, a, i0, a, i0, a, i0, a, es8.1, a, es8.1)', 'T ', report%bits, ', parts ', report%parts, ', undecided ', &
      report%undecided, ', bound ', report%bound_relative, ' |c| + |A||B| ', report%bound_componentwise
  end do
  call accublas_destroy(ctx)
end program gpu
