// LAPACK's eigenpairs, and the steps that refine them (docs/eigenvalues.md, "Refinement").
#include <numeric>

#include "lib/certified/eigenpairs.hpp"
#include "lib/cpu/eigensystem.hpp"
#include "lib/numerics/eft.hpp"

namespace accublas::certified {

namespace {

/// Adds x to a number in two parts.
void add_to_parts(double& high, double& low, double x) {
  const DoublePair sum = two_sum(high, x), parts = two_sum(sum.high, sum.low + low);
  high = parts.high;
  low = parts.low;
}

/// Computes the eigenvalues w and the eigenvectors of a Hermitian matrix of order m by LAPACK. Columns are adjacent,
/// and those of `from` have from_rows numbers; the imaginary parts of a complex column begin in the middle.
void eigensystem_of_parts(bool complex, Index m, const double* from, Index from_rows, double* w, double* to) {
  if (!complex) {
    for (Index j = 0; j < m; ++j) std::copy_n(from + j * from_rows, m, to + j * m);
    return cpu::eigensystem(m, to, w);
  }
  std::vector<Complex<double>> z(static_cast<std::size_t>(m * m));
  const auto element = [&](Index i, Index j) -> Complex<double>& { return z[static_cast<std::size_t>(i + j * m)]; };
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) element(i, j) = {from[i + j * from_rows], from[i + from_rows / 2 + j * from_rows]};
  cpu::eigensystem(m, z.data(), w);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) {
      to[i + j * 2 * m] = element(i, j).re;
      to[i + m + j * 2 * m] = element(i, j).im;
    }
}

/// The Hermitian matrix X^H A X - origin of a group's columns of X, in parts with adjacent columns.
struct GroupBlock {
  Index first, size;
  double origin;
  Array matrix;
  bool diagonal = true;
};

class EigenStep {
 public:
  EigenStep(const HermitianMatrix& a, Eigenpairs& pairs, EigenBounds& bounds, const Calls& calls)
      : a_(a), pairs_(pairs), bounds_(bounds), calls_(calls), n_(a.n), rows_(a.rows()) {}

  void run() {
    const double* const left = a_.complex ? bounds_.left.data() : pairs_.x.data();
    const Array h(rows_ * n_);  // X^H F, and then Y
    double* const f = bounds_.f.data();
    calls_.product_in_mode(rows_, n_, rows_, {left, rows_, 1}, {f, 1, rows_}, {h.data(), 1, rows_});
    find_groups();
    const std::vector<GroupBlock> blocks = group_blocks(h);
    set_correction(h);
    calls_.product_in_mode(rows_, n_, rows_, {left, 1, rows_}, {h.data(), 1, rows_}, {f, 1, rows_});
    if (pairs_.parts == 1) {
      pairs_.parts = 2;
      pairs_.x_low = Array(rows_ * n_);
      std::fill_n(pairs_.x_low.data(), rows_ * n_, 0.0);
    }
    for_columns(n_, calls_, [&](Index j) {
      for (Index i = at(0, j); i < at(0, j + 1); ++i) add_to_parts(pairs_.x[i], pairs_.x_low[i], f[i]);
      add_to_parts(pairs_.d[j], pairs_.d_low[j], bounds_.corrections[j]);
    });
    for (const GroupBlock& block : blocks)
      if (!block.diagonal) rotate(block);
    sort();
  }

 private:
  Index at(Index i, Index j) const { return i + j * rows_; }
  Index group(Index k) const { return groups_[static_cast<std::size_t>(k)]; }
  Index height(Index size) const { return a_.complex ? 2 * size : size; }

  /// Y's elements between two groups are small, so that their squares are negligible. Clusters that are just separate
  /// share a group.
  void find_groups() {
    constexpr double far = 0x1p8;
    for (Index k = 0; k < n_; ++k)
      groups_.push_back(k > 0 && distance_down(pairs_, k - 1, k) <= far * bounds_.residual ? groups_.back() : k);
  }

  std::vector<GroupBlock> group_blocks(const Array& h) const {
    std::vector<GroupBlock> blocks;
    for (Index first = 0, end = 0; first < n_; first = end) {
      for (end = first + 1; end < n_ && group(end) == first;) ++end;
      const Index size = end - first, rows = height(size);
      if (size == 1) continue;
      GroupBlock block{first, size, pairs_.d[first], Array(rows * size)};
      for (Index j = 0; j < size; ++j)
        for (Index i = 0; i < size; ++i) {
          const Index p = first + i, q = first + j;
          double re = 0.5 * (h[at(p, q)] + h[at(q, p)]), im = 0;
          if (i == j) re += (pairs_.d[q] - block.origin) + pairs_.d_low[q];
          if (a_.complex) im = block.matrix[i + size + j * rows] = 0.5 * (h[at(p + n_, q)] - h[at(q + n_, p)]);
          block.matrix[i + j * rows] = re;
          block.diagonal &= i == j || (re == 0 && im == 0);
        }
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  /// Turns H = X^H F into Y. E belongs to one part of X, so it serves the first step alone.
  void set_correction(const Array& h) const {
    for_columns(n_, calls_, [&](Index j) {
      for (Index i = 0; i < n_; ++i) {
        const bool together = group(i) == group(j);
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
    const Index size = block.size, inner = height(size), begin = at(0, block.first), count = rows_ * size;
    const Array values(size), vectors(inner * size), left(rows_ * inner), high(count), low(count), rest(count);
    eigensystem_of_parts(a_.complex, size, block.matrix.data(), inner, values.data(), vectors.data());
    const Matrix<const double> x{left.data(), 1, rows_}, v{vectors.data(), 1, inner};
    write_as_left(pairs_.x.data() + begin, size, left.data());
    calls_.product(rows_, size, inner, 1, x, v, 0, {high.data(), 1, rows_});
    std::copy_n(high.data(), count, low.data());
    calls_.product(rows_, size, inner, 1, x, v, -1, {low.data(), 1, rows_});
    write_as_left(pairs_.x_low.data() + begin, size, left.data());
    calls_.product_in_mode(rows_, size, inner, x, v, {rest.data(), 1, rows_});
    for (Index i = 0; i < count; ++i) {
      pairs_.x[begin + i] = high[i];
      pairs_.x_low[begin + i] = 0;
      add_to_parts(pairs_.x[begin + i], pairs_.x_low[begin + i], low[i] + rest[i]);
    }
    for (Index j = 0; j < size; ++j) {
      pairs_.d[block.first + j] = block.origin;
      pairs_.d_low[block.first + j] = 0;
      add_to_parts(pairs_.d[block.first + j], pairs_.d_low[block.first + j], values[j]);
    }
  }
  void write_as_left(const double* x, Index size, double* to) const {
    a_.complex ? write_left(x, n_, size, to) : static_cast<void>(std::copy_n(x, rows_ * size, to));
  }

  /// Permutes D, and X with it, so that D ascends.
  void sort() {
    std::vector<Index> order(static_cast<std::size_t>(n_));
    std::iota(order.begin(), order.end(), Index{0});
    const auto less = [&](Index j, Index k) {
      return pairs_.d[j] < pairs_.d[k] || (pairs_.d[j] == pairs_.d[k] && pairs_.d_low[j] < pairs_.d_low[k]);
    };
    if (std::is_sorted(order.begin(), order.end(), less)) return;
    std::stable_sort(order.begin(), order.end(), less);
    const auto permute = [&](Array& from, Index length) {
      Array to(length * n_);
      for (Index k = 0; k < n_; ++k)
        std::copy_n(from.data() + order[static_cast<std::size_t>(k)] * length, length, to.data() + k * length);
      from = std::move(to);
    };
    permute(pairs_.d, 1);
    permute(pairs_.d_low, 1);
    permute(pairs_.x, rows_);
    permute(pairs_.x_low, rows_);
  }

  const HermitianMatrix& a_;
  Eigenpairs& pairs_;
  EigenBounds& bounds_;
  const Calls& calls_;
  const Index n_, rows_;
  std::vector<Index> groups_{};  ///< the first eigenvalue of each one's group
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
