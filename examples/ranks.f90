! Computes a product and solves two linear systems, by Cholesky's factorization and by LU, on all ranks of MPI. Prints
! a checksum of the bits of each result. With accublas in front of ScaLAPACK, the product has the same bits on every
! number of ranks.
program ranks
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: n = 300, block = 32
  integer :: me, procs, rows, cols, grid, myrow, mycol, local_rows, local_cols, info, desc(9)
  integer, external :: numroc
  real(real64), allocatable :: a(:, :), b(:, :), c(:, :)
  integer, allocatable :: pivots(:)

  call blacs_pinfo(me, procs)
  rows = int(sqrt(procs + 0.5))
  do while (mod(procs, rows) /= 0)
    rows = rows - 1
  end do
  cols = procs/rows
  call blacs_get(0, 0, grid)
  call blacs_gridinit(grid, 'Row', rows, cols)
  call blacs_gridinfo(grid, rows, cols, myrow, mycol)
  local_rows = numroc(n, block, myrow, 0, rows)
  local_cols = numroc(n, block, mycol, 0, cols)
  call descinit(desc, n, n, block, block, 0, 0, grid, max(1, local_rows), info)
  allocate (a(max(1, local_rows), max(1, local_cols)), pivots(local_rows + block))
  allocate (b, c, mold=a)

  call fill(a, 1)
  call fill(b, 2)
  call pdgemm('N', 'N', n, n, n, 1._real64, a, 1, 1, desc, b, 1, 1, desc, 0._real64, c, 1, 1, desc)
  call tell('pdgemm', c)
  call pdsyrk('L', 'N', n, n, 1._real64, a, 1, 1, desc, 0._real64, c, 1, 1, desc)
  call pdposv('L', n, n, c, 1, 1, desc, b, 1, 1, desc, info)
  call tell('pdposv', b)
  call fill(b, 2)
  call pdgesv(n, n, a, 1, 1, desc, pivots, b, 1, 1, desc, info)
  call tell('pdgesv', b)
  call blacs_exit(0)

contains

  ! Entry (i, j) of the whole matrix, independent of the process that holds it.
  subroutine fill(x, seed)
    real(real64), intent(out) :: x(:, :)
    integer, intent(in) :: seed
    integer :: i, j

    do j = 1, local_cols
      do i = 1, local_rows
        x(i, j) = sin(1e3_real64*seed + 37*global(i, myrow, rows) + 0.1_real64*global(j, mycol, cols)**2)
        if (seed == 1 .and. global(i, myrow, rows) == global(j, mycol, cols)) x(i, j) = x(i, j) + 20
      end do
    end do
  end subroutine fill

  pure integer function global(i, mine, count)
    integer, intent(in) :: i, mine, count

    global = ((i - 1)/block*count + mine)*block + mod(i - 1, block) + 1
  end function global

  ! Prints a checksum to which every element adds its bits times a number of its own.
  subroutine tell(name, x)
    character(*), intent(in) :: name
    real(real64), intent(in) :: x(:, :)
    integer(int64) :: word
    integer :: part(3), i, j

    part = 0
    do j = 1, local_cols
      do i = 1, local_rows
        word = transfer(x(i, j), word)
        word = ieor(word, ishft(word, -29))*(2*global(i, myrow, rows) + 1001_int64*global(j, mycol, cols) + 1)
        part = part + [int(ibits(word, 0, 13)), int(ibits(word, 20, 13)), int(ibits(word, 40, 13))]
      end do
    end do
    call igsum2d(grid, 'All', ' ', 3, 1, part, 3, -1, -1)
    if (me == 0) print '(a, " on ", i2, " ranks: ", 3z8.8)', name, procs, part
  end subroutine tell
end program ranks
