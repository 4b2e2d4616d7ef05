// Rounds each sum of an accumulator once. Elements that the residues leave undecided are listed. Their exact sums are
// computed when the panels are added again.
#include <algorithm>
#include <atomic>

#include "lib/accumulator/accumulator.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/scale_result.hpp"
#include "lib/cpu/int8/int8_portable.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas {

namespace {

/// An infinite or NaN sum.
template <class T>
struct SpecialSum {
  T value;
  bool made;  ///< the sum may be NaN, but no operand is
};
template <class T>
SpecialSum<T> special_of(std::uint8_t classes) {
  constexpr std::uint8_t both = term_plus | term_minus;
  if ((classes & (operand_nan | term_made_nan)) != 0 || (classes & both) == both)
    return {canonical_nan<T>(), (classes & operand_nan) == 0};
  const T infinity = from_bits<T>(FloatFormat<T>::infinity);
  return {(classes & term_plus) != 0 ? infinity : -infinity, false};
}

/// A sum: special, exact, or within `error` of a number.
template <class T>
struct KnownSum {
  bool special = false;
  SpecialSum<T> value{};
  const LongAccumulator* exact = nullptr;
  Wide<crt_limbs> near{};  ///< the sum, in units of 2^exponent, is at most `error` away
  double error = 0;
  int exponent = 0;
};

/// Returns the least integer that is not below x >= 0.
Wide<crt_limbs> ceiling(double x) {
  const Decoded d = decode(x);
  if (d.exponent >= 0) return wide_shift_left(wide_from<crt_limbs>(static_cast<std::int64_t>(d.mantissa)), d.exponent);
  const std::uint64_t whole = d.exponent > -64 ? d.mantissa >> -d.exponent : 0;
  return wide_from<crt_limbs>(static_cast<std::int64_t>(whole + (d.mantissa != 0)));
}

/// One component (real or imaginary part) of alpha S + beta c. Index 0 of the arrays is for this component of S and c,
/// and index 1 for the other one.
template <class T>
struct Component {
  T alpha[2], beta[2], c[2];
  const KnownSum<T>* sum[2];

  Component(const Complex<T>& a, const KnownSum<T>* sums, const Complex<T>& b, const Complex<T>& z, bool imaginary)
      : alpha{a.re, imaginary ? a.im : -a.im},
        beta{b.re, imaginary ? b.im : -b.im},
        c{imaginary ? z.im : z.re, imaginary ? z.re : z.im},
        sum{&sums[imaginary], &sums[!imaginary]} {}

  bool exact() const { return !(uses(0) && sum[0]->error > 0) && !(uses(1) && sum[1]->error > 0); }

  /// Returns false if the errors leave the component undecided.
  bool round(T* out) const {
    if (!uses(1) && is_zero(beta[1])) return round_real(out);
    if (exact()) {
      *out = bound(false);
      return true;
    }
    T high{};
    const unsigned raised = collect_exceptions([&] {
      *out = bound(false);
      high = bound(true);
    });
    if (to_bits(*out) != to_bits(high)) return false;
    signal_exceptions(raised);
    return true;
  }

 private:
  bool uses(int h) const { return !is_zero(alpha[h]); }

  bool round_real(T* out) const {
    const KnownSum<T>& s = *sum[0];
    if (s.special) {
      *out = finish_special(alpha[0], s.value.value, beta[0], c[0], s.value.made);
    } else if (s.exact) {
      *out = finish(alpha[0], *s.exact, beta[0], c[0]);
    } else {
      return finish_within(alpha[0], s.near, s.error, s.exponent, beta[0], c[0], out);
    }
    return true;
  }

  /// Rounds the lower or the upper end of the interval.
  T bound(bool upper) const {
    ComponentSum<T> total;
    for (int h = 0; h < 2; ++h) {
      if (!uses(h)) continue;
      const KnownSum<T>& s = *sum[h];
      if (s.special) {
        total.add_special(alpha[h], s.value.value, s.value.made);
      } else if (s.exact) {
        total.add(alpha[h], s.exact->value(), LongAccumulator::min_exponent);
      } else {
        const Wide<crt_limbs> end = wide_negate_if(ceiling(s.error), upper != (alpha[h] > 0));
        total.add(alpha[h], wide_add(s.near, end), s.exponent);
      }
    }
    total.add(beta[0], static_cast<double>(c[0]));
    total.add(beta[1], static_cast<double>(c[1]));
    return total.round();
  }
};

/// One rounding of all sums, which writes C or only lists what it cannot decide.
template <class E>
class Finish {
 public:
  using T = RealOf<E>;

  Finish(Accumulator& sums, E alpha, E beta, Matrix<E> c, AccumulatorCall& call)
      : sums_(sums), alpha_(alpha), beta_(beta), c_(c), call_(call) {}

  /// Returns the sums that are undecided, in ascending order. `writes` is for a call that has none.
  std::vector<Index> run(bool writes) {
    found_.assign(static_cast<std::size_t>(call_.threads), {});
    if constexpr (!is_complex<E>) {
      by_kernels(alpha_, beta_, {c_.data, c_.col_stride, c_.row_stride}, writes);
    } else if (alpha_.im == 0 && beta_.im == 0 && (c_.row_stride == 1 || sums_.m == 1)) {
      by_kernels(alpha_.re, beta_.re, {reinterpret_cast<T*>(c_.data), 2 * c_.col_stride, 1}, writes);
    } else {
      by_elements(writes);
    }
    std::vector<Index> all;
    for (const std::vector<Index>& some : found_) all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::uint8_t classes(Index row, Index col) const {
    return sums_.classes.empty() ? 0 : sums_.classes[static_cast<std::size_t>(row * sums_.cols() + col)];
  }
  const LongAccumulator* exact(Index row, Index col) const {
    const std::vector<Index>& listed = sums_.listed;
    const Index sum = row * sums_.cols() + col;
    const auto at = std::lower_bound(listed.begin(), listed.end(), sum);
    return at != listed.end() && *at == sum ? &sums_.sums[static_cast<std::size_t>(at - listed.begin())] : nullptr;
  }

  /// The kernels of engine int8 round tiles of real numbers, or of the components of complex ones under real factors.
  void by_kernels(T alpha, T beta, Matrix<T> c, bool writes) {
    const auto addend = [=](Index row, Index col) { return read_addend(beta, is_zero(beta) ? nullptr : &c(row, col)); };
    cpu::Int8Rounding<T> rounding{alpha, beta, c, writes, {}, !sums_.classes.empty(), {}};
    rounding.known = [&](Index row, Index col, T* result) {
      const std::uint8_t of = classes(row, col);
      if (of == 0) return false;
      const SpecialSum<T> s = special_of<T>(of);
      *result = finish_special(alpha, s.value, beta, addend(row, col), s.made);
      return true;
    };
    rounding.undecided = [&](Index row, Index col, int thread, T* result) {
      const LongAccumulator* const sum = exact(row, col);
      if (sum)
        *result = finish(alpha, *sum, beta, addend(row, col));
      else
        found_[static_cast<std::size_t>(thread)].push_back(row * sums_.cols() + col);
      return sum != nullptr;
    };
    call_.run([&](Execution& execution) { cpu::int8_round_sums(sums_.view(), rounding, execution); });
  }

  KnownSum<T> known(Index row, Index col) {
    KnownSum<T> s;
    if (const std::uint8_t of = classes(row, col); of != 0) {
      s.special = true;
      s.value = special_of<T>(of);
    } else if ((s.exact = exact(row, col)) == nullptr) {
      std::int8_t residues[max_moduli];
      for (int l = 0; l < sums_.moduli; ++l) residues[l] = sums_.residue(l, row, col);
      s.near = crt_reconstruct<crt_limbs>(cpu::int8_crt_table(sums_.moduli), residues, 1);
      const std::size_t r = static_cast<std::size_t>(row), i = static_cast<std::size_t>(col);
      s.exponent = -sums_.b.scale[r] - sums_.a.scale[i];
      if (sums_.rounds())
        s.error = element_error({double(sums_.b.dropped[r]), sums_.b.error[r]},
                                {double(sums_.a.dropped[i]), sums_.a.error[i]});
    }
    return s;
  }

  /// Complex numbers one by one: complex factors, or C in other order than the sums.
  void by_elements(bool writes) {
    if constexpr (is_complex<E>) {
      parallel_for(sums_.n, call_.threads, [&](Index j, int thread) {
        std::vector<Index>& found = found_[static_cast<std::size_t>(thread)];
        for (Index i = 0; i < sums_.m; ++i) {
          const KnownSum<T> s[2] = {known(j, 2 * i), known(j, 2 * i + 1)};
          const E c = beta_ == T(0) ? E{} : c_(i, j);
          E result;
          bool decided = true;
          for (const bool imaginary : {false, true}) {
            const Component<T> component(alpha_, s, beta_, c, imaginary);
            decided &= component.round(imaginary ? &result.im : &result.re);
          }
          if (writes) c_(i, j) = result;
          if (decided) continue;
          for (const Index part : {0, 1})
            if (s[part].error > 0) found.push_back(j * sums_.cols() + 2 * i + part);
        }
      });
    }
  }

  Accumulator& sums_;
  const E alpha_, beta_;
  const Matrix<E> c_;
  AccumulatorCall& call_;
  std::vector<std::vector<Index>> found_;
};

/// Begins the second round with the sums that are undecided. Sums that were listed before stay in the list.
void list(Accumulator& sums, const std::vector<Index>& undecided) {
  std::vector<Index> all;
  std::set_union(undecided.begin(), undecided.end(), sums.listed.begin(), sums.listed.end(), std::back_inserter(all));
  std::vector<LongAccumulator> zeros(all.size());
  sums.listed.swap(all);
  sums.sums.swap(zeros);
  sums.added_again = 0;
}

}  // namespace

template <class E>
void finish_accumulator(Accumulator& sums, E alpha, E beta, Matrix<E> c, AccumulatorCall& call) {
  if (sums.second_round() && sums.added_again != sums.added)
    throw Error(ACCUBLAS_ERROR_ARGUMENT, "the second round of the accumulator has " + std::to_string(sums.added_again) +
                                             " of " + std::to_string(sums.added) +
                                             " terms: add all panels again before it is finished");
  if (sums.m == 0 || sums.n == 0) return;
  if (alpha == RealOf<E>(0) || sums.added == 0) {
    if (beta == RealOf<E>(1)) return;
    scale_result(beta, sums.m, sums.n, c, [](E factor, E element) { return finish_scaled(factor, element); });
    return;
  }
  // A NaN in alpha or beta makes every result NaN, and sums that are undecided do not matter.
  if (holds_nan(alpha) || holds_nan(beta))
    return scale_result(written_nan<E>(), sums.m, sums.n, c, [](E nan, E) { return nan; });
  sums.multiply_waiting(call.threads, call.isa);
  Finish<E> finish(sums, alpha, beta, c, call);
  if (!facts_of(sums).exact) {
    std::vector<Index> undecided;
    const unsigned discarded = collect_exceptions([&] { undecided = finish.run(false); });
    static_cast<void>(discarded);
    if (!undecided.empty()) {
      list(sums, undecided);
      throw Error(ACCUBLAS_ERROR_UNDECIDED, std::to_string(undecided.size()) + " sums are undecided with " +
                                                std::to_string(sums.a.bits) + " and " + std::to_string(sums.b.bits) +
                                                " bits: add all panels again, then finish again; C is as it was");
    }
  }
  finish.run(true);
}

#define ACCUBLAS_INSTANTIATE(E) template void finish_accumulator(Accumulator&, E, E, Matrix<E>, AccumulatorCall&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
