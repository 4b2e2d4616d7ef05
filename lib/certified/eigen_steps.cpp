// LAPACK's eigenpairs, and the steps that refine them (docs/eigenvalues.md, "Refinement").
#include "lib/certified/eigen_groups.hpp"

namespace accublas::certified {

namespace {

class EigenStep {
 public:
  EigenStep(const HermitianMatrix& a, Eigenpairs& pairs, EigenBounds& bounds, const Calls& calls)
      : a_(a), pairs_(pairs), bounds_(bounds), calls_(calls), n_(a.n), rows_(a.rows()) {}

  void run() {
    const double* const left = a_.complex ? bounds_.left.data() : pairs_.x.data();
    const Array h(rows_ * n_);  // X^H F, and then Y
    double* const f = bounds_.f.data();
    calls_.product_in_mode(rows_, n_, rows_, {left, rows_, 1}, {f, 1, rows_}, {h.data(), 1, rows_});
    groups_ = groups_of(pairs_, n_, bounds_.residual);
    const std::vector<GroupBlock> blocks = group_blocks(a_.complex, n_, 0, pairs_, groups_, h.data());
    set_correction(h);
    calls_.product_in_mode(rows_, n_, rows_, {left, 1, rows_}, {h.data(), 1, rows_}, {f, 1, rows_});
    ensure_two_parts(pairs_, rows_ * n_);
    for_columns(n_, calls_, [&](Index j) {
      for (Index i = at(0, j); i < at(0, j + 1); ++i) add_to_parts(pairs_.x[i], pairs_.x_low[i], f[i]);
      add_to_parts(pairs_.d[j], pairs_.d_low[j], bounds_.corrections[j]);
    });
    for (const GroupBlock& block : blocks)
      if (!block.diagonal) rotate(block);
    permute(pairs_, rows_, ascending_order(pairs_, n_));
  }

 private:
  Index at(Index i, Index j) const { return i + j * rows_; }

  /// Turns H = X^H F into Y. E belongs to one part of X, so it serves the first step alone.
  void set_correction(const Array& h) const {
    for_columns(n_, calls_, [&](Index j) {
      for (Index i = 0; i < n_; ++i) {
        const bool together = groups_[static_cast<std::size_t>(i)] == groups_[static_cast<std::size_t>(j)];
        const double distance = (pairs_.d[j] - pairs_.d[i]) + (pairs_.d_low[j] - pairs_.d_low[i]);
        for (Index row = i; row < rows_; row += n_) {
          double& y = h[at(row, j)];
          y = !together ? y / distance : pairs_.parts == 1 ? 0.5 * bounds_.e[at(row, j)] : 0;
        }
      }
    });
  }

  /// Multiplies the columns of a group by the eigenvectors of its block, and replaces its part of D.
  void rotate(const GroupBlock& block) {
    const Index inner = a_.complex ? 2 * block.size : block.size;
    const Array values(block.size), vectors(inner * block.size);
    eigensystem_of_parts(a_.complex, block.size, block.matrix.data(), inner, values.data(), vectors.data());
    multiply_columns(a_.complex, rows_, pairs_, block.first, block.size, vectors.data(), calls_);
    for (Index j = 0; j < block.size; ++j) set_number(pairs_, block.first + j, block.origin, values[j]);
  }

  const HermitianMatrix& a_;
  Eigenpairs& pairs_;
  EigenBounds& bounds_;
  const Calls& calls_;
  const Index n_, rows_;
  std::vector<Index> groups_{};
};

}  // namespace

Eigenpairs first_eigenpairs(const HermitianMatrix& a) {
  Eigenpairs pairs{Array(a.rows() * a.n), {}, Array(a.n), Array(a.n)};
  eigensystem_of_parts(a.complex, a.n, a.a.data(), a.rows(), pairs.d.data(), pairs.x.data());
  std::fill_n(pairs.d_low.data(), a.n, 0.0);
  return pairs;
}

void improve_eigenpairs(const HermitianMatrix& a, Eigenpairs& pairs, EigenBounds& bounds, const Calls& calls) {
  EigenStep(a, pairs, bounds, calls).run();
}

}  // namespace accublas::certified
