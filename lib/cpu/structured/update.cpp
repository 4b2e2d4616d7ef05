// GER, SYR, SYR2 and the like: every element is an exact sum, rounded once (docs/modes.md, "Level 2 other than GEMV").
// Vector kernels decide nearly all elements of a column (lib/cpu/kernels/update.cpp). Elements that these leave
// pending, and columns whose factors are far from 1 in magnitude, are computed one by one
// (lib/numerics/update_element.hpp).
//
// A column has the factor alpha y_j, and each product of a part of alpha and a part of y_j is a separate term. Complex
// numbers are pairs of entries, to which Re x and Im x contribute a term each.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/update_kernels.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/update_bound.hpp"
#include "lib/numerics/update_element.hpp"

namespace accublas::cpu {

namespace {

template <class E>
class Update {
  using T = RealOf<E>;
  static constexpr Index parts = is_complex<E> ? 2 : 1;
  static constexpr Index rows_at_once = update_block / parts;

  /// A thread's copy of x and x2 in double precision. For complex types each number is there twice, for both parts of
  /// an element.
  struct Scratch {
    double x[4][update_block + update_slack];
    std::uint16_t open[update_block];
  };

 public:
  Update(const Product<E>& p, Execution& execution)
      : p_(p), execution_(execution), kernel_(kernels_for<UpdateKernel<T>>(execution.isa)) {}

  void run() {
    PhaseTimer timer(execution_, &accublas_report_t::ms_product);
    put_bound(execution_.report, rounded_once<T>());
    const Index columns_at_once = tuning().structured.update_columns;
    const Index blocks = ceil_div(p_.m, rows_at_once), groups = ceil_div(p_.n, columns_at_once);
    const int threads = p_.m * p_.n < tuning().structured.update_elements ? 1 : execution_.threads;
    const std::size_t lanes = static_cast<std::size_t>(threads);
    // A small workspace of the caller's may have no room.
    Workspace& workspace = execution_.workspace;
    Scratch* const scratch =
        workspace.spares(lanes * sizeof(Scratch)) ? workspace.template take<Scratch>(lanes) : nullptr;
    if (workspace.rehearses()) return;
    parallel_for(blocks * groups, threads, [&](Index task, int thread) {
      const Index i = task % blocks * rows_at_once, j = task / blocks * columns_at_once;
      add(i, std::min(i + rows_at_once, p_.m), j, std::min(j + columns_at_once, p_.n),
          scratch ? scratch + thread : nullptr);
    });
    execution_.report.undecided += undecided_.load();
  }

 private:
  /// Adds to rows first .. end - 1 of some columns; without scratch, element by element.
  void add(Index first, Index end, Index first_column, Index end_column, Scratch* s) {
    const bool in_range = s && spread(first, end, *s);
    UpdateTerms terms;
    for (Index j = first_column; j < end_column; ++j) {
      // The diagonal of a Hermitian result is real.
      const Index apart = p_.hermitian ? 1 : 0;
      const Index begin = p_.wanted == Triangle::lower ? std::max(first, j + apart) : first,
                  stop = p_.wanted == Triangle::upper ? std::min(end, j + 1 - apart) : end;
      if (p_.hermitian && j >= first && j < end) add_diagonal(j);
      if (begin >= stop) continue;
      if (!in_range || !factors(j, *s, begin - first, terms)) {
        for (Index i = begin; i < stop; ++i)
          for (int part = 0; part < parts; ++part) add_exactly(i, j, part);
        continue;
      }
      T* const c = reinterpret_cast<T*>(&p_.c(begin, j));
      const Index count = kernel_.update((stop - begin) * parts, c, terms, s->open);
      for (Index o = 0; o < count; ++o)
        add_exactly(begin + s->open[o] / parts, j, static_cast<int>(s->open[o] % parts));
    }
  }

  /// Copies x, and x2, of some rows to the scratch. Returns false if an entry is too large or too small for the kernel.
  bool spread(Index first, Index end, Scratch& s) const {
    bool in_range = true;
    const auto put = [&](int which, Index at, double x) {
      const double size = std::fabs(x), most = update_most * update_most, least = update_least * update_least;
      in_range &= size == 0 || (size >= least && size <= most) || !std::isfinite(x);
      for (Index part = 0; part < parts; ++part) s.x[which][at * parts + part] = x;
    };
    for (int pair = 0; pair < p_.pairs(); ++pair)
      for (Index i = first; i < end; ++i) {
        const E x = pair == 0 ? p_.a(i, 0) : p_.a2(i, 0);
        if constexpr (is_complex<E>) {
          put(2 * pair, i - first, x.re);
          put(2 * pair + 1, i - first, x.im);
        } else {
          put(pair, i - first, x);
        }
      }
    const Index used = (end - first) * parts;
    for (auto& x : s.x) std::fill_n(x + used, update_slack, 0.0);
    return in_range;
  }

  /// Sets the terms of column j from row `from` of the scratch on. Returns false if a factor is out of range.
  bool factors(Index j, const Scratch& s, Index from, UpdateTerms& terms) const {
    terms.count = 0;
    terms.with_rest = false;
    for (int pair = 0; pair < p_.pairs(); ++pair) {
      const E y = pair == 0 ? p_.b(0, j) : p_.b2(0, j);
      const double* const x = s.x[pair * parts] + from * parts;
      if constexpr (is_complex<E>) {
        const bool conjugate = p_.hermitian && pair == 1;
        const T im = conjugate ? -p_.alpha.im : p_.alpha.im;
        const double* const x_im = s.x[pair * parts + 1] + from * parts;
        // The product x (re + i im) y has these factors of Re x and of Im x, for Re and for Im of the element.
        if (!is_zero(p_.alpha.re) &&
            !(add_term(terms, x, p_.alpha.re, y.re, y.im) && add_term(terms, x_im, p_.alpha.re, -y.im, y.re)))
          return false;
        if (!is_zero(im) && !(add_term(terms, x, im, -y.im, y.re) && add_term(terms, x_im, im, -y.re, -y.im)))
          return false;
      } else if (!add_term(terms, x, p_.alpha, y, y)) {
        return false;
      }
    }
    return true;
  }

  /// Adds a term: x times factor times `even` for even entries, x times factor times `odd` for odd ones. Returns false
  /// if a factor is out of range.
  static bool add_term(UpdateTerms& terms, const double* x, T factor, T even, T odd) {
    const auto in_range = [](T v) {
      const double size = std::fabs(v);
      return size == 0 || (size >= update_least && size <= update_most);
    };
    if (!in_range(factor) || !in_range(even) || !in_range(odd)) return false;
    UpdateTerm& term = terms.term[terms.count++];
    term.x = x;
    const DoublePair of_even = two_product(factor, even), of_odd = two_product(factor, odd);
    for (int l = 0; l < 8; l += 2) {
      term.factor[l] = of_even.high, term.factor[l + 1] = of_odd.high;
      term.rest[l] = of_even.low, term.rest[l + 1] = of_odd.low;
    }
    terms.with_rest |= of_even.low != 0 || of_odd.low != 0;
    return true;
  }

  UpdateElement<E> element(Index i, Index j) const {
    UpdateElement<E> element{p_.alpha, p_.a(i, 0), p_.b(0, j), p_.two_pairs, p_.hermitian};
    if (p_.two_pairs) element.x2 = p_.a2(i, 0), element.y2 = p_.b2(0, j);
    return element;
  }

  void add_exactly(Index i, Index j, int part) {
    T& c = reinterpret_cast<T*>(&p_.c(i, j))[part];
    const UpdateElement<E> e = element(i, j);
    T result;
    if (e.quickly(part, c, &result)) {
      c = result;
    } else {
      c = UpdateElement<E>::exactly(e, part, c);
      undecided_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  void add_diagonal(Index j) {
    if constexpr (is_complex<E>) {
      add_exactly(j, j, 0);
      p_.c(j, j).im = 0;
    }
  }

  const Product<E>& p_;
  Execution& execution_;
  const UpdateKernel<T>& kernel_;
  std::atomic<std::int64_t> undecided_{0};
};

}  // namespace

template <class E>
void update(const Product<E>& p, Execution& execution) {
  Update<E>(p, execution).run();
}

#define ACCUBLAS_INSTANTIATE(E) template void update(const Product<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
