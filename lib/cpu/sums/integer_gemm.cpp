// GEMM in plain integers, for fixed:T and for dp and sp reproducible. This is the readable twin of the engines that
// compute fixed:T, and the fastest way for matrices so small that residues cost more than the product (EngineTuning in
// lib/cpu/tuning/numbers.hpp has times).
//
// An entry is an integer mantissa times 2^shift in units of 2^(E - T) of its line (a row of op(A), a column of op(B)),
// rounded as docs/modes.md says. Products add up in as many limbs as the sums may need.
#include <algorithm>
#include <bit>

#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/sums/integer_line.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cpu {

namespace {

template <class T>
class IntegerGemm {
 public:
  IntegerGemm(const Gemm<T>& g, const Mode& mode, Execution& execution) : g_(g), mode_(mode), execution_(execution) {
    rows_ = execution.workspace.take<Line>(static_cast<std::size_t>(g.m));
    cols_ = execution.workspace.take<Line>(static_cast<std::size_t>(g.n));
    const std::size_t entries = static_cast<std::size_t>((g.m + g.n) * g.k);
    if (entries <= execution.workspace.available() / sizeof(ScaledInteger))
      entries_ = execution.workspace.take<ScaledInteger>(entries);
    if (entries <= execution.workspace.available()) bytes_ = execution.workspace.take<std::uint8_t>(entries);
    log2_k_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(g.k - 1)));
  }

  void run() {
    {
      PhaseTimer timer(execution_, &accublas_report_t::ms_convert);
      for (Index i = 0; i < g_.m; ++i) rows_[i] = measure<T>(g_.a.row(i), g_.k);
      for (Index j = 0; j < g_.n; ++j) cols_[j] = measure<T>(g_.b.col(j), g_.k);
    }
    accublas_report_t& report = execution_.report;
    put_bound(report, rounded_once<T>());
    if (mode_.kind == ACCUBLAS_MODE_FIXED) {
      put_fixed_bound(report, mode_.parameter, unit_roundoff<T>(), fixed_bound(mode_.parameter), execution_.target);
      report.bits = std::max(report.bits, mode_.parameter);
      return compute(mode_.parameter, [](Index, Index) { return true; });
    }
    report.bound_componentwise = certificate_bound(g_.k, unit_roundoff<T>());
    run_certified();
  }

 private:
  void run_certified() {
    take_bytes();
    constexpr CertificateRungs rungs = certificate_rungs<T>();
    int rung = -1;
    Index rejected = 0;
    for_all(1, [&](Index i, Index j) {
      if (rows_[i].special || cols_[j].special || (execution_.shared && !execution_.shared->counts(i, j))) return;
      const int own = rung_of(i, j);
      own < rungs.count ? rung = std::max(rung, own) : ++rejected;
    });
    const int bits = execution_.certified_bits(rung < 0 ? 0 : rungs.t[rung], rejected, g_.m * g_.n);
    if (execution_.measuring()) return;
    if (bits == 0) return compute(rungs.t[0], [](Index, Index) { return false; });
    execution_.report.bits = std::max(execution_.report.bits, bits);
    if (rejected == 0) return compute(bits, [](Index, Index) { return true; });
    compute(bits, [&](Index i, Index j) { return rung_of(i, j) < rungs.count; });
  }

  template <class Body>
  void for_all(int threads, Body&& body) const {
    parallel_for(g_.n, threads, [&](Index j, int) {
      for (Index i = 0; i < g_.m; ++i) body(i, j);
    });
  }

  /// Computes the factors of X, if there is room for them.
  void take_bytes() {
    for (Index i = 0; bytes_ && i < g_.m; ++i)
      for (Index p = 0; p < g_.k; ++p) bytes_[i * g_.k + p] = rows_[i].special ? 0 : byte(g_.a(i, p), rows_[i]);
    for (Index j = 0; bytes_ && j < g_.n; ++j)
      for (Index p = 0; p < g_.k; ++p)
        bytes_[(g_.m + j) * g_.k + p] = cols_[j].special ? 0 : byte(g_.b(p, j), cols_[j]);
  }
  static std::uint8_t byte(T x, const Line& line) {
    return static_cast<std::uint8_t>(certificate_byte(x, line.exponent));
  }

  /// Returns the certificate's X.
  std::int64_t sum_of_bytes(Index i, Index j) const {
    const Index period = Index{certificate_block} * certificate_stride(g_.k);
    std::int64_t sum = 0;
    if (bytes_ && certificate_stride(g_.k) == 1) {
      const std::uint8_t *x = bytes_ + i * g_.k, *y = bytes_ + (g_.m + j) * g_.k;
      std::int32_t part = 0;  // at most 1024 terms below 2^14
      for (Index p = 0; p < g_.k; ++p) part += x[p] * y[p];
      return part;
    }
    for (Index p = 0; p < g_.k; ++p)
      if (p % period < certificate_block) sum += byte(g_.a(i, p), rows_[i]) * byte(g_.b(p, j), cols_[j]);
    return sum;
  }

  /// Returns the least rung whose T suffices for an element of finite lines, or rungs.count if none does.
  int rung_of(Index i, Index j) const {
    return cpu::rung_of<T>(rows_[i], cols_[j], g_.k, [&] { return sum_of_bytes(i, j); });
  }

  /// Returns the bound of fixed:t on this data.
  double fixed_bound(int t) {
    const bool judged = execution_.target > 0;
    if (judged) take_bytes();
    FixedError error;
    for_all(1, [&](Index i, Index j) {
      error.add(rows_[i], cols_[j], t, g_.k, judged, [&] { return sum_of_bytes(i, j); });
    });
    return error.bound(unit_roundoff<T>(), judged);
  }

  /// Computes fixed:t for the elements that are `accepted` and whose lines are finite, and cr for the others.
  template <class Accepted>
  void compute(int t, Accepted&& accepted) {
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    if (entries_) {
      for (Index i = 0; i < g_.m; ++i)
        for (Index p = 0; p < g_.k; ++p) entries_[i * g_.k + p] = line_entry(g_.a(i, p), rows_[i], t);
      for (Index j = 0; j < g_.n; ++j)
        for (Index p = 0; p < g_.k; ++p) entries_[(g_.m + j) * g_.k + p] = line_entry(g_.b(p, j), cols_[j], t);
    }
    // abs(a') <= 2^t: k products are at most 2^(2 t + log2 k), and a sign. fixed:150 takes 366 bits at most.
    const int bits = 2 * t + log2_k_ + 2;
    if (bits <= 128) return compute_in<2>(t, accepted);
    if (bits <= 192) return compute_in<3>(t, accepted);
    compute_in<6>(t, accepted);
  }

  /// Computes the elements with sums of L limbs.
  template <int L, class Accepted>
  void compute_in(int t, Accepted&& accepted) {
    const double work = static_cast<double>(g_.m) * static_cast<double>(g_.n) * static_cast<double>(g_.k);
    for_all(work < tuning().structured.integer_work ? 1 : execution_.threads, [&](Index i, Index j) {
      T* const c = &g_.c(i, j);
      if (rows_[i].special || cols_[j].special || !accepted(i, j))
        *c = cr_element<T>(execution_.isa, g_.k, g_.alpha, g_.a.row(i), g_.b.col(j), g_.beta, c);
      else
        *c = finish(g_.alpha, sum<L>(i, j, t), rows_[i].unit(t) + cols_[j].unit(t), g_.beta, read_addend(g_.beta, c));
    });
  }

  template <int L>
  Wide<L> sum(Index i, Index j, int t) const {
    if (entries_) {
      const ScaledInteger *x = entries_ + i * g_.k, *y = entries_ + (g_.m + j) * g_.k;
      return add_up<L>([=](Index p) { return x[p]; }, [=](Index p) { return y[p]; });
    }
    return add_up<L>([&](Index p) { return line_entry(g_.a(i, p), rows_[i], t); },
                     [&](Index p) { return line_entry(g_.b(p, j), cols_[j], t); });
  }

  template <int L, class X, class Y>
  Wide<L> add_up(X&& x, Y&& y) const {
    Wide<L> sum{};
    Uint128 low = 0;
    for (Index p = 0; p < g_.k; ++p) {
      const ScaledInteger a = x(p), b = y(p);
      const Int128 product = static_cast<Int128>(a.mantissa) * b.mantissa;
      const int shift = a.shift + b.shift;
      if constexpr (L == 2) {
        low += static_cast<Uint128>(product) << shift;
      } else {
        const Wide<2> two{{static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)}};
        sum = wide_add(sum, wide_shift_left(wide_cast<L>(two), shift));
      }
    }
    if constexpr (L == 2) return {{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64)}};
    return sum;
  }

  const Gemm<T>& g_;
  const Mode& mode_;
  Execution& execution_;
  Line *rows_, *cols_;
  ScaledInteger* entries_ = nullptr;  ///< entries of rows, then of columns; null if the workspace is too small
  std::uint8_t* bytes_ = nullptr;     ///< factors of X of rows, then of columns; null if the workspace is too small
  int log2_k_;
};

}  // namespace

template <class T>
void integer_gemm(const Gemm<T>& g, const Mode& mode, Execution& execution) {
  if (g.k > tuning().engine.deep_terms && !execution.shared && deep_gemm<T>(deep_problem(g), mode, execution)) return;
  const bool judged = execution.target > 0;
  if (mode.kind == ACCUBLAS_MODE_FIXED && !judged && fixed_by_sums(g, mode.parameter, execution)) return;
  IntegerGemm<T> gemm(g, mode, execution);
  if (!execution.workspace.rehearses()) gemm.run();
}

template void integer_gemm(const Gemm<double>&, const Mode&, Execution&);
template void integer_gemm(const Gemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
