// TRSM and TRSV on the GPU against the CPU, bit by bit.
#pragma once

#include <cmath>
#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

struct Form {
  accublas_layout layout;
  accublas_side side;
  accublas_uplo uplo;
  accublas_transpose trans;
  accublas_diag diag;
};

template <class T>
accublas_status trsm(accublas_context* context, Index parts, const Form& f, Index m, Index n, const T* alpha,
                     const T* a, Index lda, T* b, Index ldb) {
  const auto call = [&](auto routine) {
    return routine(context, f.layout, f.side, f.uplo, f.trans, f.diag, m, n, alpha, a, lda, b, ldb);
  };
  if constexpr (sizeof(T) == 8)
    return parts == 1 ? call(accublas_dtrsm) : call(accublas_ztrsm);
  else
    return parts == 1 ? call(accublas_strsm) : call(accublas_ctrsm);
}

template <class T>
accublas_status trsv(accublas_context* context, Index parts, const Form& f, Index n, const T* a, Index lda, T* x,
                     Index incx) {
  const auto call = [&](auto routine) {
    return routine(context, f.layout, f.uplo, f.trans, f.diag, n, a, lda, x, incx);
  };
  if constexpr (sizeof(T) == 8)
    return parts == 1 ? call(accublas_dtrsv) : call(accublas_ztrsv);
  else
    return parts == 1 ? call(accublas_strsv) : call(accublas_ctrsv);
}

/// The kind of data in a system: the diagonal is near 2, and unknowns stay as large as b, unless they are wild.
enum class System {
  tame,
  dense,       ///< off the diagonal as large as the unknowns bear
  graded,      ///< rows and unknowns scaled by powers of two
  integers,    ///< exact sums, zeros and ties among them; the diagonal is 1, 2 or 3
  sparse,      ///< most entries are zero: quotients of single terms
  tiny,        ///< near the least normal number
  special,     ///< a few entries are Inf or NaN
  pivots,      ///< zero and infinite pivots, of a part too
  wild,        ///< any bits
  decaying,    ///< powers of 0.1 by the distance from the diagonal, down to underflow
  cancelling,  ///< numerators that are far smaller than the terms
  vanishing,   ///< unknowns that decay to zeros of either sign, away from one unknown of each side
  near_ties    ///< the same, and some quotients are ties of the smallest numbers but for terms far below these
};

constexpr System systems[] = {System::tame,     System::dense,    System::graded,     System::integers,
                              System::sparse,   System::tiny,     System::special,    System::pivots,
                              System::wild,     System::decaying, System::cancelling, System::vanishing,
                              System::near_ties};

template <class T>
class Solve : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{17};

  struct Problem {
    Form form;
    System system;
    Index parts, m, n, order, lda, ldb;
    T alpha[2];
    std::vector<T> a, b;
  };

  Problem make(System system, Index parts, Index order, Index sides) {
    const auto pick = [&](auto one, auto other) { return below(rng, 2) ? one : other; };
    Problem p{{pick(ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR), pick(ACCUBLAS_LEFT, ACCUBLAS_RIGHT),
               pick(ACCUBLAS_UPPER, ACCUBLAS_LOWER), pick(ACCUBLAS_NO_TRANS, pick(ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS)),
               pick(ACCUBLAS_UNIT, ACCUBLAS_NON_UNIT)},
              system,
              parts,
              order,
              sides,
              order,
              order + below(rng, 3),
              std::max(order, sides) + below(rng, 3),
              {T(pick(1, -0.7)), T(pick(0, 0.3))},
              {},
              {}};
    if (p.form.side == ACCUBLAS_RIGHT) std::swap(p.m, p.n);
    const std::size_t size_a = static_cast<std::size_t>(parts * p.lda * order),
                      size_b = static_cast<std::size_t>(parts * p.ldb * std::max(order, sides));
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    p.a.assign(size_a, nan), p.b.assign(size_b, nan);
    const int range = sizeof(T) == 8 ? 90 : 40;
    std::vector<int> row(static_cast<std::size_t>(order)), unknown(static_cast<std::size_t>(order));
    for (int& e : row) e = system == System::graded ? static_cast<int>(below(rng, 2 * range)) - range : 0;
    for (int& e : unknown) e = system == System::graded ? static_cast<int>(below(rng, range)) - range / 2 : 0;
    const bool ties = system == System::near_ties, vanishes = ties || system == System::vanishing;
    const bool signs = vanishes && below(rng, 2) == 0;  // terms have either sign
    const int pivot = ties ? pick(32, 24) : 30;
    const bool rows = p.form.layout == ACCUBLAS_ROW_MAJOR, upper = p.form.uplo == ACCUBLAS_UPPER,
               across = (p.form.trans != ACCUBLAS_NO_TRANS) == (p.form.side == ACCUBLAS_LEFT);
    for (Index j = 0; j < order; ++j)
      for (Index i = 0; i < order; ++i) {
        // Entries that are not read are NaN.
        if (upper ? i > j : i < j) continue;
        if (i == j && p.form.diag == ACCUBLAS_UNIT) continue;
        for (Index part = 0; part < parts; ++part) {
          double x = i == j ? 2 + uniform(rng) : spread(rng, 1) / static_cast<double>(order);
          if (system == System::dense) x = i == j ? (1 + uniform(rng)) * sign(rng) : spread(rng, 0) * 0.1;
          if (system == System::integers) x = i == j ? double(1 + below(rng, 3)) : double(below(rng, 3)) - 1;
          if (system == System::integers && i != j && below(rng, order) > 4) x = 0;
          if (system == System::sparse && i != j && below(rng, order) > 2) x = 0;
          if (system == System::special && below(rng, order * order) < 2) x = pick(nan, infinity);
          if (system == System::pivots && i == j && below(rng, order) < 2) x = pick(0., pick(-0., double(infinity)));
          if (system == System::decaying) x = std::pow(0.1, std::fabs(static_cast<double>(i - j)));
          if (system == System::cancelling) x = part == 0;
          if (vanishes)
            x = (i == j ? pivot : std::pow(0.1, std::fabs(static_cast<double>(i - j)))) * (signs ? sign(rng) : 1);
          // Row i of the matrix that meets the unknowns.
          const Index r = across ? j : i, c = across ? i : j;
          x = std::ldexp(x, row[static_cast<std::size_t>(r)] - unknown[static_cast<std::size_t>(c)]);
          p.a[static_cast<std::size_t>(parts * (rows ? i * p.lda + j : i + j * p.lda) + part)] =
              system == System::wild ? any_number<T>(rng) : static_cast<T>(x);
        }
      }
    for (Index j = 0; j < p.n; ++j)
      for (Index i = 0; i < p.m; ++i)
        for (Index part = 0; part < parts; ++part) {
          double x = spread(rng, 2);
          if (system == System::integers) x = double(below(rng, 9)) - 4;
          if (system == System::sparse && below(rng, 3) == 0) x = 0;
          if (system == System::cancelling)
            x = 1 + std::ldexp(double(below(rng, 5)), 2 - std::numeric_limits<T>::digits);
          if (vanishes) {
            const bool left = p.form.side == ACCUBLAS_LEFT;
            const Index unknown = left ? i : j, top = (left ? j : i) * order / sides;
            x = std::pow(0.1, std::fabs(static_cast<double>(unknown - top))) * (signs ? sign(rng) : 1);
            const T least = std::numeric_limits<T>::denorm_min();
            if (ties && std::fabs(x) < 4096 * double(least) && below(rng, 20) == 0)
              x = (0.5 + below(rng, 4)) * pivot * least;
          }
          if (system == System::tiny) x = std::ldexp(x, sizeof(T) == 8 ? -1025 : -128);
          if (system == System::special && below(rng, 100 * order) == 0) x = pick(nan, -infinity);
          x = std::ldexp(x, row[static_cast<std::size_t>(p.form.side == ACCUBLAS_LEFT ? i : j)]);
          p.b[static_cast<std::size_t>(parts * (rows ? i * p.ldb + j : i + j * p.ldb) + part)] =
              system == System::wild ? any_number<T>(rng) : static_cast<T>(x);
        }
    return p;
  }

  void expect_same(const Problem& p, const std::string& mode, bool staged = false) {
    std::vector<T> want = p.b;
    ASSERT_EQ(trsm(cpu, p.parts, p.form, p.m, p.n, p.alpha, p.a.data(), p.lda, want.data(), p.ldb), ACCUBLAS_SUCCESS)
        << cpu.error();
    const DeviceArray<T> a(p.a), b(p.b);
    ASSERT_EQ(trsm(gpu, p.parts, p.form, p.m, p.n, p.alpha, a.data(), p.lda, b.data(), p.ldb), ACCUBLAS_SUCCESS)
        << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    expect_bits(p, mode, b.values(), want);
    if (!staged || HasFatalFailure()) return;
    std::vector<T> copied = p.b;
    ASSERT_EQ(trsm(gpu, p.parts, p.form, p.m, p.n, p.alpha, p.a.data(), p.lda, copied.data(), p.ldb), ACCUBLAS_SUCCESS)
        << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    expect_bits(p, mode + " staged", copied, want);
  }

  /// TRSV with the problem's matrix and the first numbers of its right-hand sides.
  void expect_same_vector(const Problem& p, Index incx, const std::string& mode) {
    std::vector<T> x(static_cast<std::size_t>(p.parts * ((p.order - 1) * std::abs(incx) + 1)));
    for (T& number : x) number = static_cast<T>(spread(rng, 2));
    std::vector<T> want = x;
    ASSERT_EQ(trsv(cpu, p.parts, p.form, p.order, p.a.data(), p.lda, want.data(), incx), ACCUBLAS_SUCCESS)
        << cpu.error();
    const DeviceArray<T> a(p.a), b(x);
    ASSERT_EQ(trsv(gpu, p.parts, p.form, p.order, a.data(), p.lda, b.data(), incx), ACCUBLAS_SUCCESS) << gpu.error();
    expect_bits(p, mode + " vector", b.values(), want);
    if (HasFatalFailure()) return;
    ASSERT_EQ(trsv(gpu, p.parts, p.form, p.order, p.a.data(), p.lda, x.data(), incx), ACCUBLAS_SUCCESS) << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    expect_bits(p, mode + " staged vector", x, want);
  }

 private:
  static void expect_bits(const Problem& p, const std::string& what, const std::vector<T>& got,
                          const std::vector<T>& want) {
    if (std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0) return;
    std::size_t wrong = 0, first = want.size();
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) {
        ++wrong;
        first = std::min(first, i);
      }
    FAIL() << what << " system " << static_cast<int>(p.system) << " parts " << p.parts << " layout " << p.form.layout
           << " side " << p.form.side << " uplo " << p.form.uplo << " trans " << p.form.trans << " diag " << p.form.diag
           << " m " << p.m << " n " << p.n << " ldb " << p.ldb << ": " << wrong << " differ, the first at " << first
           << ", " << std::hexfloat << got[first] << " for " << want[first];
  }
};

using Types = testing::Types<double, float>;

}  // namespace
}  // namespace accublas::test
