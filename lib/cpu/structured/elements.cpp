// Computes a product element by element, for every bit-defined mode and any alpha and beta, by exact sums that are slow
// and readable. This is the twin of product.cpp, which writes lines out, and of deep_product. It also computes the
// products that neither can: in slices those whose alpha or beta has an imaginary part, and those whose workspace
// cannot hold two lines. In the former both components of S are combined before the rounding.
#include <atomic>
#include <cmath>
#include <type_traits>

#include "lib/base/atomic_maximum.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/fp64/fp64_products.hpp"
#include "lib/cpu/structured/components.hpp"
#include "lib/cpu/sums/integer_line.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/exact_sum.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cpu {

namespace {

/// One component of S: a real number, or a special value.
template <class T>
struct Inner {
  static constexpr int limbs = 72;  // dot2's pair and a line's slices span no more
  Wide<limbs> sum{};
  int exponent = 0;
  T special = 0;
  bool is_special = false;
  bool any_nan = false;  ///< an entry is NaN

  void add_to(ComponentSum<T>& to, T factor) const {
    if (is_zero(factor)) return;
    is_special ? to.add_special(factor, special, !any_nan) : to.add(factor, sum, exponent);
  }
};

template <class E>
class ProductElements {
  using T = RealOf<E>;
  static constexpr Index parts = is_complex<E> ? 2 : 1;

  using Row = std::conditional_t<is_complex<E>, RowLine<T>, RealLine<E>>;
  using Column = std::conditional_t<is_complex<E>, ColumnLine<T>, RealLine<E>>;

 public:
  ProductElements(const Product<E>& g, const Mode& mode, Execution& execution)
      : g_(g),
        mode_(mode),
        execution_(execution),
        a_(rows_of(g)),
        b_(columns_of(g)),
        difference_(b_),
        terms_(parts * g.pairs() * g.k) {
    difference_.negate_second = g.hermitian;
    threads_ = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(terms_) <
                       tuning().structured.element_work
                   ? 1
                   : execution.threads;
    if (slices()) sums_ = execution.workspace.take<std::int64_t>(static_cast<std::size_t>(threads_ * sums_each()));
    if (by_integers()) {
      rows_ = execution.workspace.take<Line>(static_cast<std::size_t>(g.m));
      cols_ = execution.workspace.take<Line>(static_cast<std::size_t>(g.n));
    }
  }

  void run() {
    E* const kept = take_kept();
    if (execution_.workspace.rehearses()) return;
    accublas_report_t& report = execution_.report;
    constexpr Routine gemm{Operation::gemm, type_of<E>};
    put_bound(report, promised_bound(gemm, mode_, terms_ / parts, g_.alpha));
    PhaseTimer timer(execution_, &accublas_report_t::ms_exact);
    if (by_integers()) measure_lines();
    bits_ = mode_.parameter;
    if (is_grade(mode_)) {
      put_bound(report, rounded_once<T>(certificate_bound(terms_, unit_roundoff<T>())));
      find_bits();
    }
    if (by_integers()) report.bits = bits_;
    if (slices()) report.parts = mode_.parameter;
    const auto body = [&](Index i, Index j, int thread) {
      compute(i, j, slices() ? sums_ + thread * sums_each() : nullptr);
    };
    if (!g_.in_place) return for_all(0, g_.m, body);
    const Operand<E> stored = a_.first;
    for (Index i = 0; i < g_.m; i += rows_kept_) {
      const Index end = std::min(g_.m, i + rows_kept_);
      for (Index line = i; line < end; ++line)
        for (Index p = 0; p < g_.k; ++p) kept[(line - i) * g_.k + p] = stored(line, p);
      a_.first = {{kept, g_.k, 1}};
      first_kept_ = i;
      for_all(i, end, body);
    }
  }

  /// Computes one element. `sums` is a thread's memory for the sums of pairs of slices.
  void compute(Index i, Index j, std::int64_t* sums) {
    if constexpr (is_complex<E>)
      compute_complex(i, j, sums);
    else
      compute_real(i, j, sums);
  }

 private:
  bool by_integers() const { return is_grade(mode_) || mode_.kind == ACCUBLAS_MODE_FIXED; }
  bool slices() const { return mode_.kind == ACCUBLAS_MODE_SLICES; }

  /// Takes memory for copies of rows of A if C overwrites them, for as many rows at a time as there is room for.
  E* take_kept() {
    if (!g_.in_place) return nullptr;
    const Index room = static_cast<Index>(execution_.workspace.available() / 2 / sizeof(E)) / g_.k;
    rows_kept_ = std::clamp<Index>(room, 1, g_.m);
    return execution_.workspace.template take<E>(static_cast<std::size_t>(rows_kept_ * g_.k));
  }

  /// Returns how many integers a thread needs for the sums of pairs of slices.
  Index sums_each() const { return Index{mode_.parameter} * mode_.parameter; }

  Row row_line(Index i, int component) const {
    if constexpr (is_complex<E>)
      return {a_, i - first_kept_, g_.transposed && component == 1};
    else
      return {a_, i - first_kept_};
  }
  Column column_line(Index j, int component) const {
    if constexpr (is_complex<E>)
      return {b_, j, component == 1, g_.transposed};
    else
      return {b_, j};
  }

  /// Calls body(i, j, thread) for the wanted elements of rows first .. end - 1.
  template <class Body>
  void for_all(Index first, Index end, Body&& body) {
    parallel_for(g_.n, threads_, [&](Index j, int thread) {
      for (Index i = first; i < end; ++i)
        if (holds(g_.wanted, i, j)) body(i, j, thread);
    });
  }

  /// Returns how many components of an element are computed. The diagonal of a Hermitian result is real.
  int components(Index i, Index j) const { return g_.hermitian && i == j ? 1 : parts; }

  void measure_lines() {
    for (Index i = 0; i < g_.m; ++i) rows_[i] = measure<T>(row_line(i, 0), terms_);
    for (Index j = 0; j < g_.n; ++j) cols_[j] = measure<T>(column_line(j, 0), terms_);
  }

  /// Returns the least rung whose T suffices for a component of an element with finite lines, or rungs.count if none
  /// does.
  int rung_of(Index i, Index j, const Row& x, const Column& y) const {
    return cpu::rung_of<T>(rows_[i], cols_[j], terms_, [&] {
      const Index period = Index{certificate_block} * certificate_stride(terms_);
      std::int64_t sum = 0;
      for (Index p = 0; p < terms_; ++p)
        if (p % period < certificate_block)
          sum += certificate_byte(x[p], rows_[i].exponent) * certificate_byte(y[p], cols_[j].exponent);
      return sum;
    });
  }
  bool has_rung(Index i, Index j, const Row& x, const Column& y) const {
    return bits_ > 0 && rung_of(i, j, x, y) < certificate_rungs<T>().count;
  }
  bool finite(Index i, Index j) const { return !rows_[i].special && !cols_[j].special; }

  /// Sets bits_ to T* over the components of all elements, or to 0 if all of them take cr's values.
  void find_bits() {
    constexpr CertificateRungs rungs = certificate_rungs<T>();
    std::atomic<int> largest{-1};
    std::atomic<std::int64_t> rejected{0};
    for_all(0, g_.m, [&](Index i, Index j, int) {
      if (!finite(i, j)) return;
      // The real part of a diagonal element needs the imaginary part of A B - A2 B2, whose terms have the magnitudes of
      // those of Im S.
      bool needs_difference = false;
      if constexpr (is_complex<E>) needs_difference = g_.two_pairs && !is_zero(g_.alpha.im);
      for (int c = 0; c < (needs_difference ? 2 : components(i, j)); ++c) {
        const int rung = rung_of(i, j, row_line(i, c), column_line(j, c));
        if (rung == rungs.count) {
          rejected.fetch_add(1, std::memory_order_relaxed);
          continue;
        }
        raise(largest, rung);
      }
    });
    bits_ = execution_.certified_bits(largest < 0 ? 0 : rungs.t[largest], rejected,
                                      parts * elements_in(g_.wanted, g_.m, g_.n));
  }

  void compute_real(Index i, Index j, std::int64_t* sums) {
    const Row x = row_line(i, 0);
    const Column y = column_line(j, 0);
    E& c = g_.c(i, j);
    Inner<T> inner;
    if (!inner_product(i, j, x, y, sums, inner)) inner = exact(j, x, y);
    const T addend = read_addend(g_.beta, &c);
    c = inner.is_special ? finish_special(g_.alpha, inner.special, g_.beta, addend, !inner.any_nan)
                         : finish(g_.alpha, inner.sum, inner.exponent, g_.beta, addend);
  }

  void compute_complex(Index i, Index j, std::int64_t* sums) {
    const RowLine<T> x[2] = {row_line(i, 0), row_line(i, 1)};
    // Re alpha multiplies the sums with y[0], Im alpha those with y[1]: the sums of A B - A2 B2 if A2 B2 has the factor
    // conj(alpha).
    const ColumnLine<T> y[2][2] = {{column_line(j, 0), column_line(j, 1)},
                                   {{difference_, j, false, g_.transposed}, {difference_, j, true, g_.transposed}}};
    const bool apart = g_.hermitian && g_.two_pairs;
    Complex<T>& c = g_.c(i, j);
    const bool diagonal = components(i, j) == 1;
    const Complex<T> addend = g_.beta == T(0) ? Complex<T>{} : diagonal ? Complex<T>{c.re, 0} : c;
    Inner<T> inner[2][2];
    bool kept[2][2];
    for (int r = 0; r < 2; ++r) {
      kept[0][r] = inner_product(i, j, x[r], y[0][r], sums, inner[0][r]);
      kept[1][r] = apart ? inner_product(i, j, x[r], y[1][r], sums, inner[1][r]) : kept[0][r];
      if (!apart) inner[1][r] = inner[0][r];
    }
    const auto round = [&](int r, T other_alpha, T own_c, T other_c, T other_beta) {
      const bool by_mode = is_kept(g_.alpha, kept[0][r], kept[1][1 - r]);
      ComponentSum<T> sum;
      (by_mode ? inner[0][r] : exact(j, x[r], y[0][r])).add_to(sum, g_.alpha.re);
      (by_mode ? inner[1][1 - r] : exact(j, x[1 - r], y[1][1 - r])).add_to(sum, other_alpha);
      sum.add(g_.beta.re, own_c);
      sum.add(other_beta, other_c);
      return sum.round();
    };
    const T im = diagonal ? T(0) : round(1, g_.alpha.im, addend.im, addend.re, g_.beta.im);
    c = {round(0, -g_.alpha.im, addend.re, addend.im, -g_.beta.im), im};
  }

  /// Computes the mode's S of one component. Returns false if the element takes cr's value.
  bool inner_product(Index i, Index j, const Row& x, const Column& y, std::int64_t* sums, Inner<T>& to) const {
    switch (mode_.kind) {
      case ACCUBLAS_MODE_DOT2: {
        const Dot2Pair pair = dot2_chain_of<T>(
            terms_, [&](Index t) { return x[t]; }, [&](Index t) { return y[t]; });
        if (!is_finite(pair)) return false;
        to = sum_of(pair);
        return true;
      }
      case ACCUBLAS_MODE_SLICES:
        to = sum_of_slices(j, x, y, sums);
        return true;
      case ACCUBLAS_MODE_CR:
        to = exact(j, x, y);
        return true;
      default:
        if (!finite(i, j) || (is_grade(mode_) && !has_rung(i, j, x, y))) return false;
        to = sum_of_integers(i, j, x, y);
        return true;
    }
  }

  /// Returns the exact S over the terms of column j. An entry that is no term, a zero, must not be multiplied by an
  /// Inf.
  Inner<T> exact(Index j, const Row& x, const Column& y) const {
    ExactSum<T> sum;
    const TermRange terms = terms_of_column(g_, j);
    sum.add(parts * terms.first, parts * terms.end, x, y);
    Inner<T> inner;
    inner.is_special = sum.special(inner.special);
    inner.any_nan = sum.any_nan();
    inner.sum = wide_cast<Inner<T>::limbs>(sum.value());
    inner.exponent = LongAccumulator::min_exponent;
    return inner;
  }

  /// Returns s + c exactly.
  static Inner<T> sum_of(Dot2Pair pair) {
    Inner<T> inner;
    inner.exponent = FloatFormat<double>::min_exponent;
    for (const double part : {pair.s, pair.c}) add(inner, part);
    return inner;
  }

  /// Adds x to inner, exactly.
  static void add(Inner<T>& inner, double x) {
    const Decoded d = decode(x);
    const Wide<Inner<T>::limbs> mantissa = wide_from<Inner<T>::limbs>(static_cast<std::int64_t>(d.mantissa));
    inner.sum = wide_add(inner.sum, wide_negate_if(wide_shift_left(mantissa, d.exponent - inner.exponent), d.negative));
  }

  Inner<T> sum_of_integers(Index i, Index j, const Row& x, const Column& y) const {
    // abs(a') <= 2^150, so that a sum has at most 366 bits and a sign.
    Wide<6> sum{};
    for (Index p = 0; p < terms_; ++p) {
      const ScaledInteger a = line_entry(x[p], rows_[i], bits_), b = line_entry(y[p], cols_[j], bits_);
      const Int128 product = static_cast<Int128>(a.mantissa) * b.mantissa;
      const Wide<2> two{{static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)}};
      sum = wide_add(sum, wide_shift_left(wide_cast<6>(two), a.shift + b.shift));
    }
    Inner<T> inner;
    inner.sum = wide_cast<Inner<T>::limbs>(sum);
    inner.exponent = rows_[i].unit(bits_) + cols_[j].unit(bits_);
    return inner;
  }

  /// The slices of a line. Slice q of an entry is the integer nearest to 2^-grid[q] times its remainder after the
  /// slices before.
  struct Slices {
    int grid[max_digits];
    double down[max_digits][2], up[max_digits][2];  ///< 2^-grid and 2^grid, which may overflow, as two factors each
    int count = 0;

    void push_back(int exponent) {
      grid[count] = exponent;
      for (const int part : {0, 1}) {
        const int half = part == 0 ? exponent / 2 : exponent - exponent / 2;
        down[count][part] = power_of_two(-half);
        up[count][part] = power_of_two(half);
      }
      ++count;
    }
  };

  /// Writes an entry's slices to `digit` (unless null), and returns the remainder.
  static double cut(const Slices& slices, double rest, std::int64_t* digit) {
    for (int q = 0; q < slices.count; ++q) {
      // The scaled remainder is exact, or below half a unit.
      const double scaled = rest * slices.down[q][0] * slices.down[q][1], nearest = std::nearbyint(scaled);
      if (digit) digit[q] = static_cast<std::int64_t>(nearest);
      // The difference is scaled up instead of `nearest`, which could become 2^1024.
      if (nearest != 0) rest = (scaled - nearest) * slices.up[q][0] * slices.up[q][1];
    }
    return rest;
  }

  /// Returns the slices of a line, found one after the other as in docs/modes.md.
  template <class Entries>
  Slices slices_of(const Entries& x) const {
    Slices slices;
    const int rho = slice_rho(terms_);
    while (slices.count < mode_.parameter) {
      double most = 0;
      for (Index p = 0; p < terms_; ++p) most = std::max(most, std::fabs(cut(slices, x[p], nullptr)));
      if (most == 0) break;
      slices.push_back(rho + ceil_log2_magnitude(to_bits(most)) - 53);
    }
    return slices;
  }

  Inner<T> sum_of_slices(Index j, const Row& x, const Column& y, std::int64_t* sums) const {
    for (Index p = 0; p < terms_; ++p)
      if (!is_finite(x[p]) || !is_finite(y[p])) return exact(j, x, y);
    const Slices a = slices_of(x), b = slices_of(y);
    std::fill_n(sums, a.count * b.count, 0);
    std::int64_t of_x[max_digits], of_y[max_digits];
    for (Index p = 0; p < terms_; ++p) {
      cut(a, x[p], of_x);
      cut(b, y[p], of_y);
      // 4^rho >= 2^53 k keeps every sum below 2^53.
      for (int q = 0; q < a.count; ++q)
        for (int r = 0; r < b.count; ++r) sums[q * b.count + r] += of_x[q] * of_y[r];
    }
    Inner<T> inner;
    inner.exponent = -2300;  // below the last bit of every pair of grids
    for (int q = 0; q < a.count; ++q)
      for (int r = 0; r < b.count && (!mode_.fast || q + r < mode_.parameter); ++r)
        add_at(inner.sum, sums[q * b.count + r], a.grid[q] + b.grid[r] - inner.exponent);
    return inner;
  }

  const Product<E>& g_;
  const Mode& mode_;
  Execution& execution_;
  ProductLines<E> a_, b_, difference_;
  Index first_kept_ = 0, rows_kept_ = 0;
  const Index terms_;  ///< terms of a component
  int threads_ = 1, bits_ = 0;
  std::int64_t* sums_ = nullptr;  ///< sums of pairs of slices, for each thread
  Line *rows_ = nullptr, *cols_ = nullptr;
};

}  // namespace

template <class E>
void product_by_elements(const Product<E>& g, const Mode& mode, Execution& execution) {
  ProductElements<E>(g, mode, execution).run();
}

template <class E>
void dot2_product_element(const Product<E>& g, Index i, Index j, Execution& execution) {
  const Mode mode{ACCUBLAS_MODE_DOT2};
  ProductElements<E>(g, mode, execution).compute(i, j, nullptr);
}

template void dot2_product_element(const Product<Complex<double>>&, Index, Index, Execution&);
template void dot2_product_element(const Product<Complex<float>>&, Index, Index, Execution&);
#define ACCUBLAS_INSTANTIATE(E) template void product_by_elements(const Product<E>&, const Mode&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
