// First eigenpairs, and the steps that refine them (docs/eigenvalues.md, "Refinement").
#include "lib/certified/decompositions.hpp"
#include "lib/certified/eigen_groups.hpp"

namespace accublas::certified {

namespace {

class EigenStep {
 public:
  EigenStep(const HermitianMatrix& a, Eigenpairs& pairs, EigenBounds& bounds, const Calls& calls)
      : a_(a), pairs_(pairs), bounds_(bounds), calls_(calls), n_(a.n), rows_(a.rows()) {}

  void run() {
    const double* const left = a_.complex ? bounds_.left.data() : pairs_.x.data();
    const Placed h = numbers_at(calls_, rows_, n_);  // X^H F, and then Y
    double* const f = bounds_.f.data();
    calls_.product_in_mode(rows_, n_, rows_, {left, rows_, 1}, {f, 1, rows_}, columns_at(h.data(), rows_));
    groups_ = groups_of(pairs_, n_, bounds_.residual);
    const SentNumbers numbers(pairs_, n_, groups_, calls_);
    const std::vector<GroupBlock> blocks = group_blocks(a_.complex, n_, 0, pairs_, groups_, numbers, h.data(), calls_);
    // E belongs to one part of X, so it serves the first step alone.
    const double* const e = pairs_.parts == 1 ? bounds_.e.data() : nullptr;
    calls_.place().run(
        CorrectionStep{columns_at(h.data(), rows_), read_columns(e, rows_), n_, numbers.d(), numbers.groups()}, rows_,
        n_);
    calls_.product_in_mode(rows_, n_, rows_, {left, 1, rows_}, {h.data(), 1, rows_}, columns_at(f, rows_));
    ensure_two_parts(pairs_, rows_, n_, calls_);
    calls_.place().run(AddToPartsStep{columns_at(pairs_.x.data(), rows_), columns_at(pairs_.x_low.data(), rows_),
                                      read_columns(f, rows_)},
                       rows_, n_);
    for (Index j = 0; j < n_; ++j) add_to_parts(pairs_.d[j], pairs_.d_low[j], bounds_.corrections[j]);
    for (const GroupBlock& block : blocks)
      if (!block.diagonal) rotate(block);
    permute(pairs_, rows_, ascending_order(pairs_, n_), calls_);
  }

 private:
  /// Multiplies the columns of a group by the eigenvectors of its block, and replaces its part of D.
  void rotate(const GroupBlock& block) {
    const Rotation rotation = rotation_of(a_.complex, block, calls_);
    multiply_columns(a_.complex, rows_, pairs_, block.first, block.size, rotation.vectors.data(), calls_);
    for (Index j = 0; j < block.size; ++j) set_number(pairs_, block.first + j, block.origin, rotation.values[j]);
  }

  const HermitianMatrix& a_;
  Eigenpairs& pairs_;
  EigenBounds& bounds_;
  const Calls& calls_;
  const Index n_, rows_;
  std::vector<Index> groups_{};
};

}  // namespace

Eigenpairs first_eigenpairs(const HermitianMatrix& a, const Calls& calls) {
  Eigenpairs pairs{numbers_at(calls, a.rows(), a.n), {}, Array(a.n), Array(a.n)};
  eigensystem_of_parts({a.complex, a.n, a.n, read_columns(a.a.data(), a.rows()), a.n}, pairs.d.data(), pairs.x.data(),
                       calls);
  std::fill_n(pairs.d_low.data(), a.n, 0.0);
  return pairs;
}

void improve_eigenpairs(const HermitianMatrix& a, Eigenpairs& pairs, EigenBounds& bounds, const Calls& calls) {
  EigenStep(a, pairs, bounds, calls).run();
}

}  // namespace accublas::certified
