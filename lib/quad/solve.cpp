// Norms of vectors and triangular systems of binary128 numbers, by exact sums.
#include <memory>
#include <vector>

#include "lib/base/exceptions.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/quad/calls.hpp"
#include "lib/quad/elements.hpp"

namespace accublas::quad {

void norm(Index n, const Operand& x, const Results& result) {
  const auto sum = std::make_unique<WideSum>();
  bool infinite = false, nan = false;
  for (Index i = 0; i < n; ++i) {
    const Number number = x(i, 0);
    infinite |= number.kind == Number::Kind::infinite;
    nan |= number.kind == Number::Kind::nan;
    for (int p = 0; p < number.parts; ++p) sum->add_product(number.part[p], number.part[p]);
  }
  Value value;
  if (nan || infinite) {
    value.quad = nan ? canonical_nan<Binary128>() : from_bits<Binary128>(FloatFormat<Binary128>::infinity);
    return result.put(0, 0, value);
  }
  std::vector<std::uint64_t> limbs(WideSum::limbs);
  const SignedLimbs exact = sum->value(limbs.data());
  if (!exact.is_zero()) {
    const Leading128 root = leading_root(exact);
    value.quad = round_to_binary128(false, root.top, root.lost, root.exponent);
    if (!is_finite(value.quad)) signal_exceptions(exceptions::overflow);
  }
  result.put(0, 0, value);
}

namespace {

/// The exact sum of an unknown's terms, and its last rounding, for one thread.
class Unknowns {
 public:
  explicit Unknowns(const Solve& solve) : solve_(solve) {}

  void column(Index j) {
    const Index m = solve_.m;
    for (Index t = 0; t < m; ++t) {
      const Index i = solve_.upper ? m - 1 - t : t;
      sum_.clear();
      TermClasses classes;
      add_term(sum_, classes, solve_.alpha, solve_.b(i, j));
      const Index first = solve_.upper ? i + 1 : 0, end = solve_.upper ? m : i;
      for (Index p = first; p < end; ++p) add_term(sum_, classes, solve_.a(i, p), solve_.b(p, j), true);
      solve_.b.put(i, j, quotient(classes, solve_.unit ? number_of(1.0) : solve_.a(i, i)));
    }
  }

 private:
  Value quotient(const TermClasses& classes, const Number& pivot) {
    const SignedLimbs y = sum_.value(value_);
    Value result;
    if (classes.special() || !pivot.finite() || pivot.is_zero()) {
      const double of_y = classes.special() ? classes.value() : y.is_zero() ? 0.0 : y.negative ? -1.0 : 1.0;
      return special(of_y, pivot, classes.any_nan);
    }
    if (y.is_zero()) return result;
    const Leading128 leading = leading_quotient(y, pivot.part[0]);
    result.quad = round_to_binary128(y.negative != pivot.negative, leading.top, leading.lost, leading.exponent);
    if (!is_finite(result.quad)) signal_exceptions(exceptions::overflow);
    return result;
  }

  /// IEEE's quotient of the classes.
  Value special(double y, const Number& pivot, bool any_nan) const {
    const double x = canonical(y / pivot.representative());
    Value result;
    if (is_nan(x)) {
      if (!any_nan && pivot.kind != Number::Kind::nan) signal_exceptions(exceptions::invalid);
      result.quad = canonical_nan<Binary128>();
    } else {
      const Uint128 sign = (to_bits(x) & FloatFormat<double>::sign) != 0 ? FloatFormat<Binary128>::sign : Uint128{0};
      if (x == 0) {
        result.quad = from_bits<Binary128>(y == 0 ? Uint128{0} : sign);
      } else {
        if (is_finite(y)) signal_exceptions(exceptions::division_by_zero);
        result.quad = from_bits<Binary128>(sign | FloatFormat<Binary128>::infinity);
      }
    }
    return result;
  }

  const Solve& solve_;
  WideSum sum_;
  std::uint64_t value_[WideSum::limbs];
};

}  // namespace

void solve(const Solve& solve, int threads) {
  const double terms = static_cast<double>(solve.m) * static_cast<double>(solve.m) * static_cast<double>(solve.n);
  const int useful = useful_threads(terms, threads);
  std::vector<std::unique_ptr<Unknowns>> workers;
  for (int t = 0; t < useful; ++t) workers.push_back(std::make_unique<Unknowns>(solve));
  parallel_for(solve.n, useful, [&](Index j, int thread) { workers[static_cast<std::size_t>(thread)]->column(j); });
}

}  // namespace accublas::quad
