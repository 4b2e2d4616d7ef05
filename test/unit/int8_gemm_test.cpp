// The int8 engine against definitions in GMP integers (fixed:T, dp:repro, sp:repro) and against exact accumulators
// (cr), on every instruction set of this machine, for odd sizes, strides, scalars, workspaces and threads.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <map>

#include "int8_reference.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/capacity.hpp"
#include "test/unit/decay_data.hpp"

using namespace accublas;
using namespace accublas_test;

namespace {

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// How a call is made; none of it may change a bit.
struct How {
  cpu::Isa isa = cpu::detected_isa();
  int threads = 1;
  std::size_t cap = std::size_t{256} << 20;
  int layout = 0;
  bool twin = false;  ///< in plain integers, not by residues
};

/// A by rows (m x k) and B by columns (n x k), C and the result row-major m x n.
template <class T>
struct Case {
  Index m, n, k;
  T alpha = 1, beta = 0;
  std::vector<T> a, b, c;
  std::vector<T> row(Index i) const { return {a.begin() + i * k, a.begin() + (i + 1) * k}; }
  std::vector<T> col(Index j) const { return {b.begin() + j * k, b.begin() + (j + 1) * k}; }
};

template <class T>
Case<T> make_case(Data data, Index m, Index n, Index k, T alpha, T beta, unsigned seed) {
  std::mt19937_64 g(seed);
  Case<T> t{m, n, k, alpha, beta, random_entries<T>(data, m, k, false, g), random_entries<T>(data, n, k, true, g), {}};
  t.c = random_entries<T>(data == Data::few_bits ? data : Data::phi1, m, n, false, g);
  if (beta == 0) std::fill(t.c.begin(), t.c.end(), std::numeric_limits<T>::quiet_NaN());
  return t;
}

template <class T>
std::vector<T> run(const Case<T>& t, const Mode& mode, const How& how, accublas_report_t* out = nullptr,
                   double target = 0) {
  const FpEnvironment environment;
  const Index m = t.m, n = t.n, k = t.k;
  // Layouts: all row-major; all column-major; strides beyond, negative and mixed.
  std::vector<T> a, b, c;
  Matrix<T> va, vb, vc;
  if (how.layout == 0) {
    va = {nullptr, k, 1}, vb = {nullptr, n, 1}, vc = {nullptr, n, 1};
  } else if (how.layout == 1) {
    va = {nullptr, 1, m + 3}, vb = {nullptr, 1, k + 1}, vc = {nullptr, 1, m + 2};
  } else {
    va = {nullptr, -2, 2 * m + 1}, vb = {nullptr, 3 * n, -3}, vc = {nullptr, 2, 2 * m + 5};
  }
  auto place = [](Matrix<T>& v, std::vector<T>& store, Index rows, Index cols) {
    const Index far = (rows - 1) * std::abs(v.row_stride) + (cols - 1) * std::abs(v.col_stride) + 1;
    store.assign(static_cast<std::size_t>(far), T(77));
    v.data =
        store.data() - std::min<Index>(0, (rows - 1) * v.row_stride) - std::min<Index>(0, (cols - 1) * v.col_stride);
  };
  place(va, a, m, k);
  place(vb, b, k, n);
  place(vc, c, m, n);
  for (Index i = 0; i < m; ++i)
    for (Index p = 0; p < k; ++p) va(i, p) = t.a[i * k + p];
  for (Index j = 0; j < n; ++j)
    for (Index p = 0; p < k; ++p) vb(p, j) = t.b[j * k + p];
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) vc(i, j) = t.c[i * n + j];
  Workspace workspace(how.cap, nullptr, 0);
  accublas_report_t report{};
  report.level = 2;
  Execution execution{how.threads, how.isa, workspace, report, target};
  const Gemm<T> g{
      m, n, k, t.alpha, {va.data, va.row_stride, va.col_stride}, {vb.data, vb.row_stride, vb.col_stride}, t.beta, vc};
  if (mode.kind == ACCUBLAS_MODE_DEFAULT) {
    cpu::exact_gemm(g, execution);
  } else if (how.twin) {
    cpu::integer_gemm(g, mode, execution);
  } else {
    cpu::int8_gemm(g, mode, execution);
  }
  if (out) *out = report;
  std::vector<T> r(static_cast<std::size_t>(m * n));
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) r[i * n + j] = vc(i, j);
  // Nothing between the elements of C may have been written.
  std::size_t foreign = 0;
  for (T x : c) foreign += same_bits(x, T(77));
  EXPECT_GE(foreign, c.size() - static_cast<std::size_t>(m * n));
  return r;
}

const Mode exact_mode{};
const Mode cr{ACCUBLAS_MODE_CR, 0, false, false};
Mode fixed(int t) { return {ACCUBLAS_MODE_FIXED, t, false, false}; }
template <class T>
Mode certified() {
  return {sizeof(T) == 8 ? ACCUBLAS_MODE_DP : ACCUBLAS_MODE_SP, 0, false, true};
}

template <class T>
std::vector<T> fixed_reference(const Case<T>& t, int bits) {
  std::vector<ScaledLine<T>> rows, cols;
  for (Index i = 0; i < t.m; ++i) rows.emplace_back(t.row(i), bits);
  for (Index j = 0; j < t.n; ++j) cols.emplace_back(t.col(j), bits);
  std::vector<T> r;
  for (Index i = 0; i < t.m; ++i)
    for (Index j = 0; j < t.n; ++j)
      r.push_back(fixed_element(rows[i], cols[j], bits, t.alpha, t.beta, t.c[i * t.n + j]));
  return r;
}

template <class T>
std::vector<T> certified_reference(const Case<T>& t, Index& rejected) {
  std::vector<int> rung;
  for (Index i = 0; i < t.m; ++i)
    for (Index j = 0; j < t.n; ++j) rung.push_back(certificate_rung(t.row(i), t.col(j)));
  rejected = std::count(rung.begin(), rung.end(), 0);
  const bool fails = 64 * rejected > t.m * t.n;
  if (fails) rejected = t.m * t.n;
  const int bits = *std::max_element(rung.begin(), rung.end());
  std::vector<T> r = run(t, exact_mode, {});
  if (bits == 0 || fails) return r;
  const std::vector<T> f = fixed_reference(t, bits);
  for (std::size_t i = 0; i < r.size(); ++i)
    if (rung[i] != 0) r[i] = f[i];
  return r;
}

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const char* what) {
  int shown = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (same_bits(got[i], want[i])) continue;
    ADD_FAILURE() << what << ": element " << i << " is " << got[i] << ", not " << want[i];
    if (++shown > 2) return;
  }
}

std::vector<How> all_ways() {
  std::vector<How> ways;
  const cpu::Isa all[] = {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512,  cpu::Isa::avx512_vnni,
                          cpu::Isa::amx,      cpu::Isa::neon, cpu::Isa::dotprod, cpu::Isa::i8mm};
  int layout = 0;
  for (cpu::Isa isa : all)
    if (isa <= cpu::detected_isa()) ways.push_back({isa, 1 + layout % 2, std::size_t{256} << 20, layout++ % 3});
  ways.push_back({cpu::detected_isa(), 3, std::size_t{1} << 16, 1});
  return ways;
}

struct Scalars {
  double alpha, beta;
};
const Scalars scalars[] = {{1, 0}, {-1, 0}, {0.25, 0}, {1, 1}, {-1, 1}, {1.7, -0.3}};

template <class T>
void check_all(Index m, Index n, Index k, unsigned seed) {
  for (int d = 0; d < static_cast<int>(Data::count); ++d) {
    const Scalars s = scalars[(d + seed) % 6];
    const Case<T> t =
        make_case<T>(static_cast<Data>(d), m, n, k, static_cast<T>(s.alpha), static_cast<T>(s.beta), seed * 100 + d);
    const std::vector<T> want_cr = run(t, exact_mode, {});
    Index rejected = 0;
    const std::vector<T> want_dp = certified_reference(t, rejected);
    std::map<int, std::vector<T>> want_fixed;
    for (int bits : {2 + static_cast<int>(seed % 30), 53, 60 + static_cast<int>(seed % 40), 150})
      want_fixed[bits] = fixed_reference(t, bits);
    for (const How& how : all_ways()) {
      SCOPED_TRACE(::testing::Message() << "data " << d << " isa " << cpu::isa_name(how.isa) << " layout " << how.layout
                                        << " sizes " << m << " " << n << " " << k << " alpha " << s.alpha << " beta "
                                        << s.beta);
      accublas_report_t report;
      expect_same(run(t, cr, how), want_cr, "cr");
      expect_same(run(t, certified<T>(), how, &report), want_dp, "repro");
      EXPECT_EQ(report.rejected, rejected);
      for (const auto& [bits, want] : want_fixed)
        expect_same(run(t, fixed(bits), how), want, ("fixed:" + std::to_string(bits)).c_str());
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace

TEST(Int8Gemm, DoubleTiny) {
  check_all<double>(1, 1, 1, 1), check_all<double>(3, 2, 5, 2), check_all<double>(1, 7, 64, 3);
}
TEST(Int8Gemm, DoubleSmall) { check_all<double>(13, 37, 70, 4), check_all<double>(40, 33, 65, 5); }
TEST(Int8Gemm, DoubleTiles) { check_all<double>(101, 40, 20, 6); }
TEST(Int8Gemm, DoubleLong) { check_all<double>(2, 3, 1100, 7), check_all<double>(1, 2, 2500, 8); }
TEST(Int8Gemm, FloatTiny) {
  check_all<float>(1, 1, 1, 11), check_all<float>(3, 2, 5, 12), check_all<float>(1, 7, 64, 13);
}
TEST(Int8Gemm, FloatSmall) { check_all<float>(13, 37, 70, 14), check_all<float>(40, 33, 65, 15); }
TEST(Int8Gemm, FloatLong) { check_all<float>(2, 3, 1100, 17); }

TEST(Int8Gemm, EveryT) {
  const Case<double> t = make_case<double>(Data::phi1, 9, 35, 66, 1.0, 0.0, 21);
  for (int bits = 2; bits <= 150; ++bits)
    expect_same(run(t, fixed(bits), {}), fixed_reference(t, bits), std::to_string(bits).c_str());
}

TEST(Int8Gemm, ChunksOfK) {
  // Residues of the largest magnitude, 254 and 127 modulo 255, over more than one chunk: a sum over 70000 terms passes
  // 2^31.
  for (Index k : {Index{65793}, Index{70000}}) {
    Case<double> t{2,
                   3,
                   k,
                   1.0,
                   0.0,
                   std::vector<double>(2 * k, 254.0),
                   std::vector<double>(3 * k, 127.0),
                   std::vector<double>(6, 0.0)};
    for (Index j = 0; j < 3; ++j) t.b[j * k] = 255;  // F = 8
    for (const How& how : all_ways()) {
      if (how.isa < cpu::Isa::avx2) continue;
      SCOPED_TRACE(cpu::isa_name(how.isa));
      const double want = 254.0 * (127.0 * static_cast<double>(k - 1) + 255.0);
      for (double x : run(t, fixed(8), how)) EXPECT_EQ(x, want);
      for (double x : run(t, cr, how)) EXPECT_EQ(x, want);
      for (double x : run(t, certified<double>(), how)) EXPECT_EQ(x, want);
    }
  }
}

TEST(Int8Gemm, SpecialValues) {
  std::mt19937_64 g(5);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (int round = 0; round < 40; ++round) {
    const Scalars s = scalars[round % 6];
    Case<double> t = make_case<double>(round % 2 ? Data::phi1 : Data::phi4, 30, 40, 33, s.alpha, s.beta, 900 + round);
    for (int i = 0; i < 1 + round % 4; ++i) t.a[g() % t.a.size()] = round % 3 ? inf : nan;
    for (int i = 0; i < round % 5; ++i) t.b[g() % t.b.size()] = round % 3 == 1 ? -inf : nan;
    if (round % 7 == 0) t.alpha = inf;
    if (round % 7 == 1) t.alpha = nan;
    if (round % 7 == 2) t.beta = -inf;
    const std::vector<double> want = run(t, exact_mode, {});
    for (const How& how : all_ways()) {
      SCOPED_TRACE(round);
      expect_same(run(t, cr, how), want, "cr");
      const std::vector<double> repro = run(t, certified<double>(), how), f = run(t, fixed(100), how);
      for (Index i = 0; i < t.m; ++i)
        for (Index j = 0; j < t.n; ++j) {
          bool special = false;
          for (double x : t.row(i)) special |= !std::isfinite(x);
          for (double x : t.col(j)) special |= !std::isfinite(x);
          if (!special) continue;
          EXPECT_TRUE(same_bits(repro[i * t.n + j], want[i * t.n + j]));
          EXPECT_TRUE(same_bits(f[i * t.n + j], want[i * t.n + j]));
        }
    }
  }
}

/// Elements that no number of moduli decides take sums, all of them or those of some tiles, whatever the memory.
template <class T>
void check_decaying(unsigned seed) {
  Random random(seed);
  for (int kind = 0; kind < static_cast<int>(Decay::count); ++kind) {
    const Index m = 130, n = kind % 2 ? 121 : 70, k = 140 + kind;
    Case<T> t = make_case<T>(Data::phi1, m, n, k, kind % 3 ? T(1) : T(-0.3), kind % 2 ? T(0.3) : T(0), seed + kind);
    for (Index i = 0; i < m; ++i)
      for (Index p = 0; p < k; ++p) t.a[i * k + p] = decaying_entry<T>(random, static_cast<Decay>(kind), i, p, k);
    // Columns beyond the first half are ordinary ones, so that moduli decide some tiles.
    for (Index j = 0; j < (kind % 3 == 2 ? n : n / 2); ++j)
      for (Index p = 0; p < k; ++p) t.b[j * k + p] = decaying_entry<T>(random, static_cast<Decay>(kind), p, j, k);
    if (kind == 3) t.a[5 * k + 7] = std::numeric_limits<T>::infinity();
    const std::vector<T> want = run(t, exact_mode, {});
    How reference;
    reference.twin = true;
    const std::vector<T> certified_want = run(t, certified<T>(), reference);
    for (cpu::Isa isa = cpu::Isa::baseline; isa <= cpu::detected_isa();
         isa = static_cast<cpu::Isa>(static_cast<int>(isa) + 1))
      for (int variant = 0; variant < 3; ++variant) {
        const How how{isa, 1 + 2 * (variant == 1), variant == 0 ? std::size_t{0} : std::size_t{256} << 20, variant};
        expect_same(run(t, cr, how), want, "cr");
        expect_same(run(t, certified<T>(), how), certified_want, "dp:repro");
      }
  }
}
TEST(Int8Gemm, DoubleDecaying) { check_decaying<double>(31); }
TEST(Int8Gemm, FloatDecaying) { check_decaying<float>(32); }

/// If the certificate accepts few elements, all elements are cr's, and exact accumulators compute the ties.
TEST(Int8Gemm, FewAcceptedTies) {
  constexpr Index m = 70, n = 66, k = 64, accepted = 10;
  std::mt19937_64 g(33);
  Case<double> t = make_case<double>(Data::phi1, m, n, k, 1.0, 0.0, 33);
  // The entries of A become small where those of B become large. The first rows have only terms with large entries.
  for (Index p = 0; p < k; ++p) {
    const bool last = p == k - 1;
    for (Index i = 0; i < m; ++i)
      t.a[i * k + p] = i >= accepted ? std::ldexp(t.a[i * k + p], static_cast<int>(-10 * p))
                       : last        ? 0x1p26 + 1 + 2 * static_cast<double>(g() % 4)
                                     : 0;
    for (Index j = 0; j < n; ++j)
      t.b[j * k + p] = last ? 0x1p27 + 1 + 2 * static_cast<double>(g() % 4)
                            : std::ldexp(t.b[j * k + p], static_cast<int>(10 * (p - k)));
  }
  How reference;
  reference.twin = true;
  accublas_report_t report;
  const std::vector<double> want = run(t, certified<double>(), reference, &report);
  EXPECT_EQ(report.rejected, m * n);
  for (const How& how : all_ways()) expect_same(run(t, certified<double>(), how), want, "dp:repro");
}

TEST(Int8Gemm, Targets) {
  const Case<double> t = make_case<double>(Data::phi1, 20, 20, 64, 1.0, 0.0, 31);
  accublas_report_t report;
  EXPECT_NO_THROW(run(t, fixed(80), {}, &report, 1e-14));
  EXPECT_LE(report.bound_relative + report.bound_componentwise, 1e-14);
  EXPECT_ANY_THROW(run(t, fixed(30), {}, nullptr, 1e-14));
}

TEST(Int8Gemm, CertificateBelongsToTheCall) {
  // The first rows need few bits and would be accepted at the first rung; T* comes from the last ones.
  Case<double> t = make_case<double>(Data::phi1, 200, 8, 64, 1.0, 0.0, 41);
  for (Index i = 0; i < 192; ++i)
    for (Index p = 0; p < t.k; ++p) t.a[i * t.k + p] = std::rint(8 * t.a[i * t.k + p]) + 1;
  for (double& x : t.b) x = static_cast<double>(static_cast<float>(x)) + 1;
  Index rejected = 0;
  const std::vector<double> want = certified_reference(t, rejected);
  for (const How& how : all_ways()) expect_same(run(t, certified<double>(), how), want, "repro");
}

TEST(Int8Gemm, CertificateByPart) {
  // Enough terms that tiles after the first are tried with a part of them, in three tiles of rows.
  for (int variant = 0; variant < 3; ++variant) {
    SCOPED_TRACE(variant);
    Case<double> t = make_case<double>(Data::phi1, 200, 33, 260, 1.0, 0.0, 51);
    for (Index p = 0; p < t.k; ++p) {
      if (variant == 0 && p < 64) t.a[150 * t.k + p] *= 0x1p-20;          // the part says nothing, all terms do
      if (variant == 1 && p != 99) t.a[199 * t.k + p] *= 0x1p-5;          // T* comes from the last tile
      if (variant == 2) (p % 2 ? t.a[120 * t.k + p] : t.b[p]) = 0x1p-60;  // rejected
    }
    Index rejected = 0;
    const std::vector<double> want = certified_reference(t, rejected);
    EXPECT_EQ(rejected > 0, variant == 2);
    for (How how : all_ways()) {
      how.cap = std::max(how.cap, std::size_t{8} << 20);
      accublas_report_t report;
      expect_same(run(t, certified<double>(), how, &report), want, "repro");
      EXPECT_EQ(report.rejected, rejected);
    }
  }
}

TEST(Int8Gemm, ModuliByPairs) {
  // One row and one column of norms sqrt(32), all others about 1: on different terms the sum of that pair is small. So
  // many elements that a pair is worth looking at with every instruction set.
  constexpr Index n = 136, k = 64;
  for (const bool same_terms : {false, true}) {
    Case<double> t{n, n, k, 1, 0, {}, {}, std::vector<double>(n * n)};
    for (auto* lines : {&t.a, &t.b}) {
      lines->assign(n * k, 0x1.8p-20);
      for (Index i = 0; i < n; ++i) (*lines)[i * k + i % k] = 0x1.fffffffffp-1;
      const Index from = lines == &t.a || same_terms ? 0 : 32;
      for (Index p = 0; p < 32; ++p) (*lines)[7 * k + from + p] = 0x1.fffffffffp-1;
    }
    Index fewer = 0;
    for (int bits = 20; bits < 40; ++bits) {
      accublas_report_t report;
      expect_same(run(t, fixed(bits), {}, &report), fixed_reference(t, bits), "fixed");
      fewer += report.parts < int8_moduli_for(2 * bits + std::log2(32 * 0.9999));
    }
    EXPECT_EQ(fewer > 0, !same_terms);
  }
}
