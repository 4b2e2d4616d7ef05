// Factorizations and solutions by them on the GPU against the CPU, bit by bit.
#pragma once

#include <cmath>
#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

enum class Kind { potrf, potrs, posv, getrf, getrs, gesv };
constexpr Kind kinds[] = {Kind::potrf, Kind::potrs, Kind::posv, Kind::getrf, Kind::getrs, Kind::gesv};
constexpr bool is_cholesky(Kind kind) { return kind <= Kind::posv; }
constexpr bool solves(Kind kind) { return kind != Kind::potrf && kind != Kind::getrf; }
constexpr bool factors(Kind kind) { return kind != Kind::potrs && kind != Kind::getrs; }

/// The kind of data in a matrix.
enum class Data {
  tame,
  graded,    ///< rows and columns scaled by powers of two
  integers,  ///< ties of pivots, exact sums, zeros
  singular,  ///< of low rank, or not positive definite somewhere
  tiny,      ///< near the least normal number
  special,   ///< an entry is Inf or NaN
  wild,      ///< any bits
  named      ///< a structured or decaying matrix
};

constexpr Data all_data[] = {Data::tame, Data::graded,  Data::integers, Data::singular,
                             Data::tiny, Data::special, Data::wild,     Data::named};

template <class T>
struct Matrices {
  Kind kind;
  Data data;
  Index parts, m, n, nrhs, lda, ldb;
  accublas_layout layout;
  accublas_uplo uplo;
  accublas_transpose trans;
  std::vector<T> a, b;
  std::vector<std::int64_t> pivots;
  std::string matrix{};  ///< the name of Data::named

  std::string describe() const {
    std::ostringstream out;
    out << "kind " << static_cast<int>(kind) << " data " << static_cast<int>(data) << " " << matrix << " parts "
        << parts << " m " << m << " n " << n << " nrhs " << nrhs << " lda " << lda << " ldb " << ldb << " layout "
        << layout << " uplo " << uplo << " trans " << trans;
    return out.str();
  }
};

template <class T>
accublas_status call(accublas_context* context, const Matrices<T>& p, T* a, std::int64_t* pivots, T* b,
                     std::int64_t* info) {
  const auto pick = [&](auto d, auto s, auto z, auto c, auto&& run) {
    if constexpr (sizeof(T) == 8)
      return p.parts == 1 ? run(d) : run(z);
    else
      return p.parts == 1 ? run(s) : run(c);
  };
#define ACCUBLAS_PICK(name, ...)                                               \
  pick(accublas_d##name, accublas_s##name, accublas_z##name, accublas_c##name, \
       [&](auto routine) { return routine(context, p.layout, __VA_ARGS__); })
  switch (p.kind) {
    case Kind::potrf:
      return ACCUBLAS_PICK(potrf, p.uplo, p.n, a, p.lda, info);
    case Kind::potrs:
      return ACCUBLAS_PICK(potrs, p.uplo, p.n, p.nrhs, a, p.lda, b, p.ldb);
    case Kind::posv:
      return ACCUBLAS_PICK(posv, p.uplo, p.n, p.nrhs, a, p.lda, b, p.ldb, info);
    case Kind::getrf:
      return ACCUBLAS_PICK(getrf, p.m, p.n, a, p.lda, pivots, info);
    case Kind::getrs:
      return ACCUBLAS_PICK(getrs, p.trans, p.n, p.nrhs, a, p.lda, pivots, b, p.ldb);
    default:
      return ACCUBLAS_PICK(gesv, p.n, p.nrhs, a, p.lda, pivots, b, p.ldb, info);
  }
#undef ACCUBLAS_PICK
}

template <class T>
class Factor : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{29};
  std::string matrix{};  ///< the name of the next matrices of Data::named; empty: any

  Matrices<T> make(Kind kind, Data data, Index parts, Index m, Index n, Index nrhs) {
    const auto pick = [&](auto one, auto other) { return below(rng, 2) ? one : other; };
    Matrices<T> p{kind,
                  data,
                  parts,
                  kind == Kind::getrf ? m : n,
                  n,
                  nrhs,
                  std::max(m, n) + below(rng, 3),
                  std::max(n, nrhs) + below(rng, 3),
                  pick(ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR),
                  pick(ACCUBLAS_UPPER, ACCUBLAS_LOWER),
                  pick(ACCUBLAS_NO_TRANS, pick(ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS)),
                  {},
                  {},
                  {}};
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    p.a.assign(static_cast<std::size_t>(parts * p.lda * std::max(m, n)), nan);
    p.b.assign(static_cast<std::size_t>(parts * p.ldb * std::max(n, nrhs)), nan);
    const int range = sizeof(T) == 8 ? 60 : 12;
    std::vector<int> scale(static_cast<std::size_t>(std::max(p.m, n)));
    for (int& e : scale) e = data == Data::graded ? static_cast<int>(below(rng, 2 * range)) - range : 0;
    const auto at = [&](Index i, Index j, Index ld) {
      return static_cast<std::size_t>(parts * (p.layout == ACCUBLAS_ROW_MAJOR ? i * ld + j : i + j * ld));
    };
    const Index bad = below(rng, n);
    std::vector<T> named(static_cast<std::size_t>(parts * p.m * n));
    if (data == Data::named) {
      const std::vector<const char*> names = matrix_names();
      p.matrix =
          matrix.empty() ? names[static_cast<std::size_t>(below(rng, static_cast<Index>(names.size())))] : matrix;
      matrices::fill(matrices::named(p.matrix), matrices::Side::a, parts == 2, named.data(), p.m, n, below(rng, 1000));
    }
    const double shift = is_cholesky(kind) && below(rng, 2) ? 4 * static_cast<double>(n) : 0;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < p.m; ++i) {
        // Entries that are not read are NaN.
        if (is_cholesky(kind) && (p.uplo == ACCUBLAS_UPPER ? i > j : i < j)) continue;
        for (Index part = 0; part < parts; ++part) {
          if (is_cholesky(kind) && i == j && part == 1) continue;
          double x = uniform(rng) - 0.5;
          if (data == Data::integers) x = double(below(rng, 5)) - 2;
          if (is_cholesky(kind)) {
            if (i == j) x = (data == Data::integers ? 4. : 1.) * static_cast<double>(n) + x;
          } else if (data == Data::singular) {
            x = i < n / 2 || j < n / 2 ? double(below(rng, 3)) - 1 : 0;
          }
          if (is_cholesky(kind) && data == Data::singular && i == j && i == bad) x = pick(-1., 0.);
          if (data == Data::special && below(rng, p.m * n) < 2)
            x = pick(double(nan), std::numeric_limits<double>::infinity());
          x = std::ldexp(x, scale[static_cast<std::size_t>(i)] + scale[static_cast<std::size_t>(j)]);
          if (data == Data::tiny) x = std::ldexp(x, sizeof(T) == 8 ? -1025 : -128);
          if (data == Data::named)
            x = static_cast<double>(named[static_cast<std::size_t>(parts * (i + j * p.m) + part)]) +
                (i == j && part == 0 ? shift : 0);
          p.a[at(i, j, p.lda) + static_cast<std::size_t>(part)] =
              data == Data::wild ? any_number<T>(rng) : static_cast<T>(x);
        }
      }
    for (Index j = 0; j < nrhs; ++j)
      for (Index i = 0; i < n; ++i)
        for (Index part = 0; part < parts; ++part)
          p.b[at(i, j, p.ldb) + static_cast<std::size_t>(part)] =
              data == Data::integers ? T(double(below(rng, 9)) - 4) : static_cast<T>(spread(rng, 2));
    p.pivots.assign(static_cast<std::size_t>(std::min(p.m, n)), -7);
    // The CPU's factors to solve with.
    if (!factors(kind)) {
      Matrices<T> first = p;
      first.kind = is_cholesky(kind) ? Kind::potrf : Kind::getrf;
      std::int64_t info = 0;
      EXPECT_EQ(call(cpu, first, p.a.data(), p.pivots.data(), p.b.data(), &info), ACCUBLAS_SUCCESS) << cpu.error();
    }
    return p;
  }

  /// With info in host memory, on the device, and all operands in host memory.
  void expect_same(const Matrices<T>& p, bool staged) {
    Matrices<T> want = p;
    std::int64_t info = 0;
    ASSERT_EQ(call(cpu, p, want.a.data(), want.pivots.data(), want.b.data(), &info), ACCUBLAS_SUCCESS) << cpu.error();
    for (const bool info_on_device : {false, true}) {
      const DeviceArray<T> a(p.a), b(p.b);
      const DeviceArray<std::int64_t> pivots(p.pivots), device_info(std::vector<std::int64_t>{-1});
      std::int64_t got = -1;
      ASSERT_EQ(call(gpu, p, a.data(), pivots.data(), b.data(), info_on_device ? device_info.data() : &got),
                ACCUBLAS_SUCCESS)
          << gpu.error() << " " << p.describe();
      ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
      ASSERT_STREQ(gpu.report().backend, "cuda");
      if (info_on_device) got = device_info.values()[0];
      if (factors(p.kind)) {
        ASSERT_EQ(got, info) << p.describe();
      }
      ASSERT_EQ(pivots.values(), want.pivots) << p.describe();
      expect_bits(p, "A", a.values(), want.a);
      expect_bits(p, "B", b.values(), want.b);
      if (this->HasFatalFailure() || !factors(p.kind)) break;
    }
    if (staged && !this->HasFatalFailure()) expect_staged(p, want, info);
  }

  /// With all operands in host memory: what the CPU made of them.
  void expect_staged(const Matrices<T>& p, const Matrices<T>& want, std::int64_t info) {
    Matrices<T> copied = p;
    std::int64_t got = -1;
    ASSERT_EQ(call(gpu, p, copied.a.data(), copied.pivots.data(), copied.b.data(), &got), ACCUBLAS_SUCCESS)
        << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    if (factors(p.kind)) {
      ASSERT_EQ(got, info) << p.describe();
    }
    ASSERT_EQ(copied.pivots, want.pivots) << p.describe();
    expect_bits(p, "staged A", copied.a, want.a);
    expect_bits(p, "staged B", copied.b, want.b);
  }

 private:
  static void expect_bits(const Matrices<T>& p, const std::string& what, const std::vector<T>& got,
                          const std::vector<T>& want) {
    if (std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0) return;
    std::size_t wrong = 0, first = want.size();
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) {
        ++wrong;
        first = std::min(first, i);
      }
    FAIL() << what << " of " << p.describe() << ": " << wrong << " differ, the first at " << first << ", "
           << std::hexfloat << got[first] << " for " << want[first];
  }
};

using Types = testing::Types<double, float>;

}  // namespace
}  // namespace accublas::test
