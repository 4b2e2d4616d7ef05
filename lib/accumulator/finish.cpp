// Rounds each sum of an accumulator once. Elements that the residues leave undecided are listed. Their exact sums are
// computed when the panels are added again.
#include <algorithm>

#include "lib/accumulator/accumulator.hpp"
#include "lib/accumulator/known_sums.hpp"
#include "lib/call/scale_result.hpp"

namespace accublas {

namespace {

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
    } else if (rounds_parts_alone(alpha_, beta_, c_, sums_.m)) {
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
  /// The kernels of engine int8 round tiles of real numbers, or of the components of complex ones under real factors.
  void by_kernels(T alpha, T beta, Matrix<T> c, bool writes) {
    const auto addend = [=](Index row, Index col) { return read_addend(beta, is_zero(beta) ? nullptr : &c(row, col)); };
    cpu::Int8Rounding<T> rounding{alpha, beta, c, writes, {}, !sums_.classes.empty(), {}};
    rounding.known = [&](Index row, Index col, T* result) {
      const std::uint8_t of = sums_.classes_of(row, col);
      if (of == 0) return false;
      const SpecialSum<T> s = special_of<T>(of);
      *result = finish_special(alpha, s.value, beta, addend(row, col), s.made);
      return true;
    };
    rounding.undecided = [&](Index row, Index col, int thread, T* result) {
      const LongAccumulator* const sum = sums_.exact_sum(row, col);
      if (sum)
        *result = finish(alpha, *sum, beta, addend(row, col));
      else
        found_[static_cast<std::size_t>(thread)].push_back(row * sums_.cols() + col);
      return sum != nullptr;
    };
    call_.run([&](Execution& execution) { cpu::int8_round_sums(sums_.view(), rounding, execution); });
  }

  KnownSum<T> known(Index row, Index col) {
    std::int8_t residues[max_moduli];
    for (int l = 0; l < sums_.moduli; ++l) residues[l] = sums_.residue(l, row, col);
    return known_sum<T>(sums_, row, col, residues);
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

}  // namespace

void require_all_terms(const Accumulator& sums) {
  if (sums.second_round() && sums.added_again != sums.added)
    throw Error(ACCUBLAS_ERROR_ARGUMENT, "the second round of the accumulator has " + std::to_string(sums.added_again) +
                                             " of " + std::to_string(sums.added) +
                                             " terms: add all panels again before it is finished");
}

void begin_second_round(Accumulator& sums, const std::vector<Index>& undecided) {
  std::vector<Index> all;
  std::set_union(undecided.begin(), undecided.end(), sums.listed.begin(), sums.listed.end(), std::back_inserter(all));
  std::vector<LongAccumulator> zeros(all.size());
  sums.listed.swap(all);
  sums.sums.swap(zeros);
  sums.added_again = 0;
  throw Error(ACCUBLAS_ERROR_UNDECIDED, std::to_string(undecided.size()) + " sums are undecided with " +
                                            std::to_string(sums.a.bits) + " and " + std::to_string(sums.b.bits) +
                                            " bits: add all panels again, then finish again; C is as it was");
}

template <class E>
void finish_accumulator(Accumulator& sums, E alpha, E beta, Matrix<E> c, AccumulatorCall& call) {
  require_all_terms(sums);
  if (sums.m == 0 || sums.n == 0) return;
  if (alpha == RealOf<E>(0) || sums.added == 0) {
    if (beta == RealOf<E>(1)) return;
    scale_result(beta, sums.m, sums.n, c, [](E factor, E element) { return finish_scaled(factor, element); });
    return;
  }
  // A NaN in alpha or beta makes every result NaN, and sums that are undecided do not matter.
  if (holds_nan(alpha) || holds_nan(beta))
    return scale_result(written_nan<E>(), sums.m, sums.n, c, [](E nan, E) { return nan; });
  sums.use_tiles();
  sums.multiply_waiting(call.threads, call.isa);
  Finish<E> finish(sums, alpha, beta, c, call);
  if (!facts_of(sums).exact) {
    std::vector<Index> undecided;
    const unsigned discarded = collect_exceptions([&] { undecided = finish.run(false); });
    static_cast<void>(discarded);
    if (!undecided.empty()) begin_second_round(sums, undecided);
  }
  finish.run(true);
}

#define ACCUBLAS_INSTANTIATE(E) template void finish_accumulator(Accumulator&, E, E, Matrix<E>, AccumulatorCall&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
