// Matrix-vector products, dot products, norms and triangular systems beyond double precision on the device against the
// CPU, bit by bit: narrow and wide exponents, long sums, strides, failures, and results in host memory.
#include <gtest/gtest.h>

#include <cfenv>
#include <limits>
#include <optional>

#include "test/gpu/quad_operands.hpp"

namespace accublas::test {
namespace {

constexpr auto Q = ACCUBLAS_BINARY128, W = ACCUBLAS_DOUBLE_DOUBLE;

class QuadVectorsOnDevice : public QuadOperands {
 protected:
  /// BLAS's vector of n elements; what lies between them is poisoned.
  Words vector(accublas_number type, std::int64_t n, std::int64_t increment, Kind kind) {
    const std::int64_t step = increment < 0 ? -increment : increment;
    Words words(static_cast<std::size_t>(2 * (std::max<std::int64_t>(n - 1, 0) * step + 1)), ~std::uint64_t{0});
    for (std::int64_t i = 0; i < n; ++i) put_kind(&words[static_cast<std::size_t>(2 * i * step)], type, kind);
    return words;
  }
  /// Every other pair of terms of a dot product cancels, but for a last bit now and then.
  void cancel_terms(Words& x, Words& y, std::int64_t n, std::int64_t incx, std::int64_t incy) {
    const auto copy = [&](Words& v, std::int64_t increment, std::int64_t i, bool negate) {
      const std::size_t step = static_cast<std::size_t>(increment < 0 ? -increment : increment),
                        from = static_cast<std::size_t>(increment < 0 ? n - 1 - i : i) * step * 2,
                        to = static_cast<std::size_t>(increment < 0 ? n - 2 - i : i + 1) * step * 2;
      v[to] = v[from];
      v[to + 1] = v[from + 1] ^ (negate ? std::uint64_t{1} << 63 : 0);
      if (negate && below(50) == 0) v[to] ^= 1;
    };
    for (std::int64_t i = 0; i + 1 < n; i += 2) {
      copy(x, incx, i, false);
      copy(y, incy, i, true);
    }
  }
  Kind any_kind() { return static_cast<Kind>(below(static_cast<int>(Kind::count))); }
  Words any_factor(accublas_number type, bool zero) {
    const double values[] = {1, 1, -1, 0.25, 3, zero ? 0.0 : 2.0};
    return factor(type, values[below(6)], below(4) == 0);
  }
  static void require_success(accublas_status status) {
    ASSERT_EQ(status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  }

  struct Gemv {
    accublas_number type;
    accublas_layout layout;
    accublas_transpose trans;
    std::int64_t m, n;
    Matrix a;
    std::int64_t incx, incy;
    Words x, y, alpha, beta;
  };
  Gemv gemv(accublas_number type, Kind kind, std::int64_t m, std::int64_t n) {
    const accublas_transpose ops[] = {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS};
    const std::int64_t increments[] = {1, 1, 2, -1, -3};
    Gemv g{type,
           below(2) == 0 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
           ops[below(3)],
           m,
           n,
           matrix(type, m, n, kind),
           increments[below(5)],
           increments[below(5)],
           {},
           {},
           {},
           {}};
    g.a = matrix(type, m, n, kind, g.layout == ACCUBLAS_COL_MAJOR);
    const bool plain = g.trans == ACCUBLAS_NO_TRANS;
    g.x = vector(type, plain ? n : m, g.incx, kind);
    g.y = vector(type, plain ? m : n, g.incy, kind);
    g.alpha = any_factor(type, true);
    g.beta = any_factor(type, true);
    return g;
  }
  static accublas_status call(const Gemv& g, const void* a, const void* x, void* y, const accublas_options& o) {
    const auto routine = g.type == Q ? accublas_qgemv_ex : accublas_ddgemv_ex;
    return routine(nullptr, g.layout, g.trans, g.m, g.n, g.alpha.data(), a, g.a.ld, x, g.incx, g.beta.data(), y, g.incy,
                   &o);
  }
  void compare(const Gemv& g, const std::string& what) {
    Words expected = g.y;
    require_success(
        call(g, g.a.words.data(), g.x.data(), expected.data(), options(ACCUBLAS_BACKEND_CPU, ACCUBLAS_ENGINE_AUTO)));
    const DeviceArray<std::uint64_t> a(g.a.words), x(g.x);
    for (const auto& [engine, workspace] :
         {std::pair{ACCUBLAS_ENGINE_AUTO, std::int64_t{-1}}, std::pair{ACCUBLAS_ENGINE_SUMS, std::int64_t{1} << 19}}) {
      const DeviceArray<std::uint64_t> y(g.y);
      require_success(call(g, a.data(), x.data(), y.data(), options(ACCUBLAS_BACKEND_AUTO, engine, workspace)));
      ASSERT_NO_FATAL_FAILURE(expect_same(expected, y.values(), what));
    }
  }

  /// DOT of x and y, or the norm of x if y is null.
  static accublas_status reduce(accublas_number type, std::int64_t n, const void* x, std::int64_t incx, const void* y,
                                std::int64_t incy, void* result, accublas_backend backend,
                                accublas_engine engine = ACCUBLAS_ENGINE_AUTO) {
    const accublas_options o = options(backend, engine);
    if (!y) return accublas_qnrm2_ex(nullptr, n, x, incx, result, &o);
    return (type == Q ? accublas_qdot_ex : accublas_dddot_ex)(nullptr, n, x, incx, y, incy, result, &o);
  }
  void compare_reduction(accublas_number type, bool norm, Kind kind, std::int64_t n, const std::string& what) {
    const std::int64_t increments[] = {1, 1, 2, -1, -3};
    const std::int64_t incx = increments[below(5)], incy = increments[below(5)];
    Words x = vector(type, n, incx, kind), y = vector(type, n, incy, kind);
    if (kind == Kind::cancelling && !norm) cancel_terms(x, y, n, incx, incy);
    Words expected(2), found(2, 7);
    const int watched = FE_INVALID | FE_OVERFLOW;
    std::feclearexcept(FE_ALL_EXCEPT);
    require_success(
        reduce(type, n, x.data(), incx, norm ? nullptr : y.data(), incy, expected.data(), ACCUBLAS_BACKEND_CPU));
    const int raised = std::fetestexcept(watched);
    const DeviceArray<std::uint64_t> dx(x), dy(y), result(2);
    std::feclearexcept(FE_ALL_EXCEPT);
    require_success(
        reduce(type, n, dx.data(), incx, norm ? nullptr : dy.data(), incy, found.data(), ACCUBLAS_BACKEND_AUTO));
    EXPECT_EQ(std::fetestexcept(watched), raised) << what;
    if (n > 0) {
      ASSERT_EQ(backend(), "cuda") << what;
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, found, what + ", a result in host memory"));
    if (!norm) {
      Words by_residues(2, 7);
      ASSERT_EQ(accublas_set_engine(nullptr, ACCUBLAS_ENGINE_INT8), ACCUBLAS_SUCCESS);
      const accublas_status forced =
          reduce(type, n, dx.data(), incx, dy.data(), incy, by_residues.data(), ACCUBLAS_BACKEND_AUTO);
      ASSERT_EQ(accublas_set_engine(nullptr, ACCUBLAS_ENGINE_AUTO), ACCUBLAS_SUCCESS);
      require_success(forced);
      ASSERT_NO_FATAL_FAILURE(expect_same(expected, by_residues, what + ", engine int8, a result in host memory"));
    }
    ASSERT_EQ(accublas_set_pointer_mode(nullptr, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
    const accublas_status status =
        reduce(type, n, dx.data(), incx, norm ? nullptr : dy.data(), incy, result.data(), ACCUBLAS_BACKEND_AUTO);
    ASSERT_EQ(accublas_set_pointer_mode(nullptr, ACCUBLAS_POINTER_HOST), ACCUBLAS_SUCCESS);
    require_success(status);
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, result.values(), what + ", a result in device memory"));
  }

  struct Trsm {
    accublas_layout layout;
    accublas_side side;
    accublas_uplo uplo;
    accublas_transpose trans;
    accublas_diag diag;
    std::int64_t m, n;
    Matrix a, b;
    Words alpha;
  };
  Trsm trsm(Kind kind, std::int64_t m, std::int64_t n) {
    Trsm t{below(2) == 0 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
           below(2) == 0 ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT,
           below(2) == 0 ? ACCUBLAS_UPPER : ACCUBLAS_LOWER,
           below(2) == 0 ? ACCUBLAS_NO_TRANS : ACCUBLAS_TRANS,
           below(3) == 0 ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT,
           m,
           n,
           {},
           {},
           {}};
    const bool columns = t.layout == ACCUBLAS_COL_MAJOR;
    const std::int64_t order = t.side == ACCUBLAS_LEFT ? m : n;
    t.a = matrix(Q, order, order, kind, columns);
    t.b = matrix(Q, m, n, kind, columns);
    t.alpha = any_factor(Q, false);
    // The other triangle, and a unit diagonal, are not read.
    for (std::int64_t j = 0; j < order; ++j)
      for (std::int64_t i = 0; i < order; ++i) {
        const bool upper = (t.uplo == ACCUBLAS_UPPER) == columns;  // of the matrix as it lies in memory, by columns
        if (i == j ? t.diag == ACCUBLAS_UNIT : (i < j) != upper) {
          t.a.at(i, j)[0] = 1;
          t.a.at(i, j)[1] = 0x7FFFull << 48;
        } else if (i == j && kind != Kind::special && kind != Kind::zeros) {
          put(t.a.at(i, j), Q, between(-2, 2), false);
        }
      }
    return t;
  }
  static accublas_status call(const Trsm& t, const void* a, void* b, const accublas_options& o) {
    return accublas_qtrsm_ex(nullptr, t.layout, t.side, t.uplo, t.trans, t.diag, t.m, t.n, t.alpha.data(), a, t.a.ld, b,
                             t.b.ld, &o);
  }
  void compare(const Trsm& t, const std::string& what) {
    Words expected = t.b.words;
    require_success(call(t, t.a.words.data(), expected.data(), options(ACCUBLAS_BACKEND_CPU, ACCUBLAS_ENGINE_AUTO)));
    const DeviceArray<std::uint64_t> a(t.a.words), b(t.b.words);
    require_success(call(t, a.data(), b.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_AUTO)));
    ASSERT_EQ(backend(), "cuda");
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, b.values(), what));
  }
};

TEST_F(QuadVectorsOnDevice, GemvHasTheBitsOfTheCpu) {
  const std::int64_t sizes[] = {1, 2, 3, 7, 8, 9, 31, 32, 33, 65, 130};
  for (int t = 0; t < 200; ++t) {
    const Kind kind = static_cast<Kind>(t % static_cast<int>(Kind::count));
    const Gemv g = gemv(t % 3 == 0 ? W : Q, kind, sizes[below(11)], sizes[below(11)]);
    ASSERT_NO_FATAL_FAILURE(compare(g, "case " + std::to_string(t)));
  }
}

TEST_F(QuadVectorsOnDevice, LongAndTallGemvHasTheBitsOfTheCpu) {
  for (const auto& [m, n] : {std::pair{std::int64_t{3}, std::int64_t{20000}}, {20000, 3}, {1, 9001}, {700, 650}})
    for (const Kind kind : {Kind::uniform, Kind::band, Kind::whole, Kind::special})
      for (const accublas_number type : {Q, W})
        ASSERT_NO_FATAL_FAILURE(compare(
            gemv(type, kind, m, n),
            std::to_string(m) + " x " + std::to_string(n) + ", kind " + std::to_string(static_cast<int>(kind))));
}

TEST_F(QuadVectorsOnDevice, FactorsThatAreNotFinite) {
  for (const double special : {std::numeric_limits<double>::infinity(), std::nan("")})
    for (const bool of_alpha : {true, false}) {
      Gemv g = gemv(Q, Kind::zeros, 19, 23);
      (of_alpha ? g.alpha : g.beta) = factor(Q, special, false);
      ASSERT_NO_FATAL_FAILURE(compare(g, "a factor that is not finite"));
    }
}

TEST_F(QuadVectorsOnDevice, SumsOnTheLimitOfRegisters) {
  // The exponents of two terms are `gap` apart: registers hold sums up to a gap of 48.
  for (const std::int64_t gap : {0, 40, 47, 48, 49, 50, 63, 64, 65, 113, 114})
    for (const int sign : {1, -1})
      for (const std::int64_t n : {2, 40}) {
        Words x(static_cast<std::size_t>(2 * n), 0), y(x);
        for (std::int64_t i = 0; i < n; ++i) {
          put(&x[static_cast<std::size_t>(2 * i)], Q, i % 2 == 0 ? 0 : -gap, false);
          put_value(&y[static_cast<std::size_t>(2 * i)], Q, i % 3 == 0 ? sign : 1.5);
        }
        Words expected(2), found(2);
        require_success(reduce(Q, n, x.data(), 1, y.data(), 1, expected.data(), ACCUBLAS_BACKEND_CPU));
        const DeviceArray<std::uint64_t> dx(x), dy(y);
        require_success(reduce(Q, n, dx.data(), 1, dy.data(), 1, found.data(), ACCUBLAS_BACKEND_AUTO));
        ASSERT_NO_FATAL_FAILURE(expect_same(expected, found, "gap " + std::to_string(gap)));
      }
}

TEST_F(QuadVectorsOnDevice, ReductionsHaveTheBitsOfTheCpu) {
  const std::int64_t sizes[] = {0, 1, 2, 31, 32, 33, 127, 511, 512, 513, 5000};
  for (int t = 0; t < 240; ++t) {
    const Kind kind = static_cast<Kind>(t % static_cast<int>(Kind::count));
    const bool norm = t % 3 == 2;
    ASSERT_NO_FATAL_FAILURE(compare_reduction(norm || t % 3 == 0 ? Q : W, norm, kind, sizes[below(11)],
                                              (norm ? "norm " : "dot ") + std::to_string(t)));
  }
  for (const Kind kind : {Kind::uniform, Kind::whole, Kind::cancelling, Kind::special})
    for (const bool norm : {false, true})
      ASSERT_NO_FATAL_FAILURE(compare_reduction(Q, norm, kind, 300001, "a long vector"));
}

TEST_F(QuadVectorsOnDevice, TrsmHasTheBitsOfTheCpu) {
  const std::int64_t sizes[] = {1, 2, 3, 8, 17, 33, 50};
  for (int t = 0; t < 120; ++t) {
    const Kind kind = static_cast<Kind>(t % static_cast<int>(Kind::count));
    ASSERT_NO_FATAL_FAILURE(compare(trsm(kind, sizes[below(7)], sizes[below(7)]), "case " + std::to_string(t)));
  }
  ASSERT_NO_FATAL_FAILURE(compare(trsm(Kind::uniform, 150, 450), "more columns than thread blocks"));
  ASSERT_NO_FATAL_FAILURE(compare(trsm(Kind::band, 300, 2), "many unknowns"));
}

TEST_F(QuadVectorsOnDevice, StridedProductsHaveTheBitsOfTheCpu) {
  for (int t = 0; t < 24; ++t) {
    const accublas_number type = t % 2 == 0 ? Q : W;
    const std::int64_t m = between(1, 40), n = t % 4 == 0 ? 1 : between(1, 40), k = between(1, 40);
    struct View {
      Words words;
      std::int64_t rs, cs, first;
    };
    const auto view = [&](std::int64_t rows, std::int64_t cols) {
      const std::int64_t rs = below(2) == 0 ? 2 : 2 * cols + 1, cs = rs == 2 ? 2 * rows + 1 : 2;
      const bool back = below(2) == 0, left = below(2) == 0;
      View v{Words(static_cast<std::size_t>(2 * ((rows - 1) * rs + (cols - 1) * cs + 1)), ~std::uint64_t{0}),
             back ? -rs : rs, left ? -cs : cs, (back ? (rows - 1) * rs : 0) + (left ? (cols - 1) * cs : 0)};
      for (std::int64_t j = 0; j < cols; ++j)
        for (std::int64_t i = 0; i < rows; ++i)
          put_kind(&v.words[static_cast<std::size_t>(2 * (v.first + i * v.rs + j * v.cs))], type, Kind::band);
      return v;
    };
    const View a = view(m, k), b = view(k, n), c = view(m, n);
    const Words alpha = t % 5 == 0 ? factor(type, 0, false) : any_factor(type, false), beta = any_factor(type, true);
    const auto run = [&](const std::uint64_t* of_a, const std::uint64_t* of_b, std::uint64_t* of_c,
                         accublas_backend where) {
      const accublas_options o = options(where, ACCUBLAS_ENGINE_AUTO);
      return (type == Q ? accublas_qgemm_strided_ex : accublas_ddgemm_strided_ex)(
          nullptr, m, n, k, alpha.data(), of_a + 2 * a.first, a.rs, a.cs, of_b + 2 * b.first, b.rs, b.cs, beta.data(),
          of_c + 2 * c.first, c.rs, c.cs, &o);
    };
    Words expected = c.words;
    require_success(run(a.words.data(), b.words.data(), expected.data(), ACCUBLAS_BACKEND_CPU));
    const DeviceArray<std::uint64_t> da(a.words), db(b.words), dc(c.words);
    require_success(run(da.data(), db.data(), dc.data(), ACCUBLAS_BACKEND_AUTO));
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, dc.values(), "strided " + std::to_string(t)));
    if (t % 5 == 0) continue;
    Words host = c.words;
    EXPECT_EQ(run(da.data(), b.words.data(), host.data(), ACCUBLAS_BACKEND_AUTO), ACCUBLAS_ERROR_UNAVAILABLE);
    ASSERT_NO_FATAL_FAILURE(expect_same(c.words, host, "a refused product"));
  }
}

TEST_F(QuadVectorsOnDevice, StridedGemvHasTheBitsOfTheCpu) {
  for (int t = 0; t < 12; ++t) {
    const std::int64_t m = between(1, 60), n = between(1, 60), rs = t % 2 == 0 ? 3 : 3 * n, cs = t % 2 == 0 ? 3 * m : 3;
    Words a(static_cast<std::size_t>(2 * ((m - 1) * rs + (n - 1) * cs + 1)), ~std::uint64_t{0});
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) put_kind(&a[static_cast<std::size_t>(2 * (i * rs + j * cs))], Q, Kind::band);
    const Words x = vector(Q, n, -2, Kind::band), y = vector(Q, m, 3, Kind::band), one = factor(Q, 1, false);
    const auto run = [&](const void* of_a, const void* of_x, void* of_y, accublas_backend where) {
      const accublas_options o = options(where, ACCUBLAS_ENGINE_AUTO);
      return accublas_qgemv_strided_ex(nullptr, m, n, one.data(), of_a, rs, cs, of_x, -2, one.data(), of_y, 3, &o);
    };
    Words expected = y;
    require_success(run(a.data(), x.data(), expected.data(), ACCUBLAS_BACKEND_CPU));
    const DeviceArray<std::uint64_t> da(a), dx(x), dy(y);
    require_success(run(da.data(), dx.data(), dy.data(), ACCUBLAS_BACKEND_AUTO));
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, dy.values(), "strided gemv " + std::to_string(t)));
    Words host = y;
    EXPECT_EQ(run(da.data(), x.data(), host.data(), ACCUBLAS_BACKEND_AUTO), ACCUBLAS_ERROR_UNAVAILABLE);
  }
}

TEST_F(QuadVectorsOnDevice, MixedMemoryAndMisalignedOperandsAreCopied) {
  Gemv g = gemv(Q, Kind::band, 40, 50);
  g.alpha = factor(Q, 3, false);
  Words expected = g.y;
  require_success(
      call(g, g.a.words.data(), g.x.data(), expected.data(), options(ACCUBLAS_BACKEND_CPU, ACCUBLAS_ENGINE_AUTO)));
  const DeviceArray<std::uint64_t> a(g.a.words);
  Words y = g.y;
  require_success(call(g, a.data(), g.x.data(), y.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_AUTO)));
  ASSERT_NO_FATAL_FAILURE(expect_same(expected, y, "a matrix on the device, vectors on the host"));
  // Numbers at an address that is not a multiple of 8.
  const std::size_t bytes = g.a.words.size() * 8;
  const DeviceArray<unsigned char> unaligned(bytes + 4);
  ASSERT_EQ(cudaMemcpy(unaligned.data() + 4, g.a.words.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  const DeviceArray<std::uint64_t> x(g.x), result(g.y);
  require_success(
      call(g, unaligned.data() + 4, x.data(), result.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_AUTO)));
  ASSERT_NO_FATAL_FAILURE(expect_same(expected, result.values(), "a matrix at an address that is not a multiple of 8"));
}

TEST_F(QuadVectorsOnDevice, FailuresLeaveResultsAlone) {
  Gemv g = gemv(Q, Kind::band, 40, 50);
  g.alpha = factor(Q, 3, false);
  g.beta = factor(Q, -2, false);
  const DeviceArray<std::uint64_t> a(g.a.words), x(g.x), y(g.y), buffer(512);
  // A workspace of the caller that is too small.
  ASSERT_EQ(accublas_set_workspace(nullptr, buffer.data(), 4096), ACCUBLAS_SUCCESS);
  const accublas_status status =
      call(g, a.data(), x.data(), y.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_SUMS));
  ASSERT_EQ(accublas_set_workspace(nullptr, nullptr, 0), ACCUBLAS_SUCCESS);
  EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY);
  ASSERT_NO_FATAL_FAILURE(expect_same(g.y, y.values(), "a workspace that is too small"));
  // Results among the operands, and in the memory that the pointer mode does not name.
  EXPECT_EQ(call(g, a.data(), x.data(), x.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_AUTO)),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(reduce(Q, 2, x.data(), 1, a.data(), 1, y.data(), ACCUBLAS_BACKEND_AUTO), ACCUBLAS_ERROR_POINTERS);
  ASSERT_NO_FATAL_FAILURE(expect_same(g.x, x.values(), "a refused product"));
  ASSERT_NO_FATAL_FAILURE(expect_same(g.y, y.values(), "a refused dot product"));
  // Residues, where the caller asks for them.
  Words expected = g.y;
  require_success(
      call(g, g.a.words.data(), g.x.data(), expected.data(), options(ACCUBLAS_BACKEND_CPU, ACCUBLAS_ENGINE_AUTO)));
  require_success(call(g, a.data(), x.data(), y.data(), options(ACCUBLAS_BACKEND_AUTO, ACCUBLAS_ENGINE_INT8)));
  ASSERT_NO_FATAL_FAILURE(expect_same(expected, y.values(), "residues"));
}

}  // namespace
}  // namespace accublas::test
