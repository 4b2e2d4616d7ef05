// Norms of vectors and triangular systems of binary128 numbers, by exact sums.
#include <memory>
#include <vector>

#include "lib/base/exceptions.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/quad/calls.hpp"
#include "lib/quad/elements.hpp"
#include "lib/quad/quotient.hpp"

namespace accublas::quad {

void norm(Index n, const Operand& x, const Results& result) {
  const auto sum = std::make_unique<WideSum>();
  TermClasses classes;
  for (Index i = 0; i < n; ++i) {
    const Number number = x(i, 0);
    add_term(*sum, classes, number, number);
  }
  std::vector<std::uint64_t> limbs(WideSum::limbs);
  unsigned raised = exceptions::none;
  result.put(0, 0, root(sum->value(limbs.data()), classes, raised));
  signal_exceptions(raised);
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
      unsigned raised = exceptions::none;
      const Number pivot = solve_.unit ? number_of(1.0) : solve_.a(i, i);
      solve_.b.put(i, j, quotient(sum_.value(value_), classes, pivot, raised));
      signal_exceptions(raised);
    }
  }

 private:
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
