// First singular triplets, and the steps that refine them (docs/eigenvalues.md, "Singular values").
#include "lib/certified/decompositions.hpp"
#include "lib/certified/eigen_groups.hpp"
#include "lib/certified/singular.hpp"

namespace accublas::certified {

namespace {

/// The vectors whose singular values are close to zero, columns 0 .. size - 1.
struct ZeroBlock {
  Index size = 0;
  Index others = 0;  ///< columns of `basis`
  /// Orthonormal vectors in two parts, orthogonal to all of U, into which A maps these columns of V.
  Placed basis, basis_low;
  ThinSystem system{};  ///< of A between these columns of V and (U, basis)
};

class TripletStep {
 public:
  TripletStep(const RectangularMatrix& a, Triplets& triplets, TripletBounds& bounds, const Calls& calls)
      : a_(a),
        left_(triplets.left),
        right_(triplets.right),
        bounds_(bounds),
        calls_(calls),
        k_(a.n),
        inner_(height(a.n)),
        rows_(height(a.m)) {}

  void run() {
    p_ = project(left_, bounds_.left, rows_);
    q_ = project(right_, bounds_.right, inner_);
    groups_ = groups_of(left_, k_, bounds_.both.residual);
    if (are_close(left_.d[0], bounds_.both.residual)) {
      while (zero_.size < k_ && group(zero_.size) == 0) ++zero_.size;
      solve_at_zero();
    }
    const SentNumbers numbers(left_, k_, groups_, calls_);
    const std::vector<GroupBlock> blocks = middle_blocks(numbers);
    set_corrections(numbers);
    correct(left_, bounds_.left, rows_, p_, a_.tall());
    correct(right_, bounds_.right, inner_, q_, false);
    for (Index j = 0; j < k_; ++j) add_to_parts(left_.d[j], left_.d_low[j], bounds_.both.corrections[j]);
    for (const GroupBlock& block : blocks)
      if (!block.diagonal) rotate(block);
    if (zero_.size > 0) replace_at_zero();
    std::copy_n(left_.d.data(), k_, right_.d.data());
    std::copy_n(left_.d_low.data(), k_, right_.d_low.data());
    const std::vector<Index> order = ascending_order(left_, k_);
    permute(left_, rows_, order, calls_);
    permute(right_, inner_, order, calls_);
  }

 private:
  Index height(Index size) const { return a_.complex ? 2 * size : size; }
  Index group(Index k) const { return groups_[static_cast<std::size_t>(k)]; }
  static const double* left_factor(const Eigenpairs& pairs, const EigenBounds& bounds) {
    return bounds.left.data() ? bounds.left.data() : pairs.x.data();
  }

  /// Returns X^H F of one side.
  Placed project(const Eigenpairs& pairs, const EigenBounds& bounds, Index rows) const {
    Placed h = numbers_at(calls_, inner_, k_);
    calls_.product_in_mode(inner_, k_, rows, {left_factor(pairs, bounds), rows, 1}, {bounds.f.data(), 1, rows},
                           columns_at(h.data(), inner_));
    return h;
  }

  /// Returns the blocks of the groups that are not close to zero, for the vectors (u, v) / sqrt 2.
  std::vector<GroupBlock> middle_blocks(const SentNumbers& numbers) const {
    const Placed h = numbers_at(calls_, inner_, k_, true);
    for (const Placed* side : {&p_, &q_})
      calls_.place().run(AddColumnsStep{columns_at(h.data(), inner_), read_columns(side->data(), inner_), 0.5}, inner_,
                         k_);
    return group_blocks(a_.complex, k_, zero_.size, left_, groups_, numbers, h.data(), calls_);
  }

  /// Turns P = U^H R and Q = V^H S into the corrections of U and V, of which they are the coefficients.
  void set_corrections(const SentNumbers& numbers) const {
    const bool first = left_.parts == 1;
    const auto gram = [&](const EigenBounds& bounds) {
      return read_columns(first ? bounds.e.data() : nullptr, inner_);
    };
    calls_.place().run(
        TripletCorrectionStep{columns_at(p_.data(), inner_), columns_at(q_.data(), inner_), gram(bounds_.left),
                              gram(bounds_.right), k_, zero_.size, a_.tall(), numbers.d(), numbers.groups()},
        inner_, k_);
  }

  /// Adds the correction with the given coefficients to one side, and what F has outside of its columns.
  void correct(Eigenpairs& pairs, const EigenBounds& bounds, Index rows, const Placed& coefficients, bool tall) const {
    const Placed change = numbers_at(calls_, rows, k_);
    calls_.product_in_mode(rows, k_, inner_, {left_factor(pairs, bounds), 1, rows}, {coefficients.data(), 1, inner_},
                           columns_at(change.data(), rows));
    const Index first = zero_.size;
    if (tall && first < k_) {
      const Sent d(calls_, k_, pairs.d.data());
      calls_.place().run(AddColumnsStep{columns_at(change.data() + first * rows, rows),
                                        read_columns(bounds.f.data() + first * rows, rows), 1, d.data() + first},
                         rows, k_ - first);
    }
    ensure_two_parts(pairs, rows, k_, calls_);
    calls_.place().run(AddToPartsStep{columns_at(pairs.x.data(), rows), columns_at(pairs.x_low.data(), rows),
                                      read_columns(change.data(), rows)},
                       rows, k_);
  }

  /// Multiplies the columns of a group by the eigenvectors of its block, and replaces its part of D.
  void rotate(const GroupBlock& block) {
    const Rotation rotation = rotation_of(a_.complex, block, calls_);
    multiply_columns(a_.complex, rows_, left_, block.first, block.size, rotation.vectors.data(), calls_);
    multiply_columns(a_.complex, inner_, right_, block.first, block.size, rotation.vectors.data(), calls_);
    for (Index j = 0; j < block.size; ++j) set_number(left_, block.first + j, block.origin, rotation.values[j]);
  }

  /// Subtracts U U^H C from C, which has the given number of columns.
  void subtract_projection(double* c, Index cols) const {
    const double* const u = left_factor(left_, bounds_.left);
    const Placed h = numbers_at(calls_, inner_, cols), part = numbers_at(calls_, rows_, cols);
    calls_.product_in_mode(inner_, cols, rows_, {u, rows_, 1}, {c, 1, rows_}, columns_at(h.data(), inner_));
    calls_.product_in_mode(rows_, cols, inner_, {u, 1, rows_}, {h.data(), 1, inner_}, columns_at(part.data(), rows_));
    calls_.place().run(AddColumnsStep{columns_at(c, rows_), read_columns(part.data(), rows_), -1}, rows_, cols);
  }

  /// Finds orthonormal vectors outside of U's columns into which A maps the first columns of V, and returns their
  /// products with A V, in parts: a row for each vector.
  Placed find_basis() {
    constexpr double dependent = 0x1p-20, noise = 0x1p-36;  // directions that are full of rounding errors
    const Index g = zero_.size;
    const Placed c = numbers_at(calls_, rows_, g);
    calls_.copy(rows_ * g, bounds_.left.f.data(), c.data());
    subtract_projection(c.data(), g);
    subtract_projection(c.data(), g);
    const ThinSystem outside = thin_system_of_parts(view(c.data(), a_.m, g), false, calls_);
    const auto value = [&](Index i) { return outside.values[g - 1 - i]; };  // in descending order
    const double largest = *std::max_element(bounds_.left.residuals.data(), bounds_.left.residuals.data() + g);
    const double least = std::max(dependent * value(0), noise * largest);
    const Index room = std::min(g, a_.m - a_.n);
    while (zero_.others < room && value(zero_.others) > least) ++zero_.others;
    if (zero_.others == 0) return {};
    double* const found = outside.u.data() + (g - zero_.others) * rows_;
    subtract_projection(found, zero_.others);
    zero_.basis = thin_system_of_parts(view(found, a_.m, zero_.others), false, calls_).u;
    const Index terms = height(zero_.others);
    const Placed left = as_left(zero_.basis.data(), zero_.others);
    const auto multiply = [&](const double* right, Index cols) {  // basis^H times a matrix
      Placed result = numbers_at(calls_, terms, cols);
      calls_.product_in_mode(terms, cols, rows_, {left.data(), rows_, 1}, {right, 1, rows_},
                             columns_at(result.data(), terms));
      return result;
    };
    turn_basis(multiply(bounds_.left.f.data(), k_));
    return multiply(c.data(), g);
  }

  /// Makes the basis, which is orthogonal to U up to its rounding, orthogonal in two parts. It stays so when correct()
  /// moves the columns of U towards it, by F over D. `moved` is basis^H F.
  void turn_basis(const Placed& moved) {
    const Index others = zero_.others, terms = height(others), first = zero_.size;
    const double* const u = left_factor(left_, bounds_.left);
    const Matrix<const double> basis = read_columns(zero_.basis.data(), rows_);
    const Placed h = numbers_at(calls_, inner_, others), change = numbers_at(calls_, rows_, others);
    calls_.product(inner_, others, rows_, 1, {u, rows_, 1}, basis, 0, columns_at(h.data(), inner_));
    if (left_.parts == 2) {
      const Placed left = as_left(left_.x_low.data(), k_), low = numbers_at(calls_, inner_, others);
      calls_.product_in_mode(inner_, others, rows_, {left.data(), rows_, 1}, basis, columns_at(low.data(), inner_));
      calls_.place().run(AddColumnsStep{columns_at(h.data(), inner_), read_columns(low.data(), inner_)}, inner_,
                         others);
    }
    const Sent d(calls_, k_, left_.d.data());
    for (Index part = 0; part < height(1); ++part)
      calls_.place().run(AddColumnsStep{columns_at(h.data() + first + part * k_, inner_).transposed(),
                                        read_columns(moved.data() + part * others + first * terms, terms),
                                        part == 0 ? 1.0 : -1.0, d.data() + first},
                         others, k_ - first);
    calls_.product_in_mode(rows_, others, inner_, {u, 1, rows_}, {h.data(), 1, inner_},
                           columns_at(change.data(), rows_));
    calls_.place().run(ScaleStep<double>{columns_at(change.data(), rows_), -1}, rows_, others);
    zero_.basis_low = numbers_at(calls_, rows_, others, true);
    calls_.place().run(AddToPartsStep{columns_at(zero_.basis.data(), rows_), columns_at(zero_.basis_low.data(), rows_),
                                      read_columns(change.data(), rows_)},
                       rows_, others);
  }

  /// Returns the real matrix that multiplies as columns of U do.
  Placed as_left(const double* x, Index cols) const {
    if (a_.complex) return left_of(x, a_.m, cols, calls_);
    Placed left = numbers_at(calls_, rows_, cols);
    calls_.copy(rows_ * cols, x, left.data());
    return left;
  }
  PartsView view(const double* x, Index m, Index n) const { return {a_.complex, m, n, read_columns(x, height(m)), m}; }

  /// Finds the singular vectors of A between the columns of V and those of (U, basis) whose values are close to zero.
  void solve_at_zero() {
    Placed map;
    if (a_.tall()) map = find_basis();
    const Index g = zero_.size, others = zero_.others, size = g + others, rows = height(size);
    const Placed b = numbers_at(calls_, rows, g);
    for (Index part = 0; part < height(1); ++part) {
      double* const to = b.data() + part * size;
      calls_.copy(g, g, read_columns(p_.data() + part * k_, inner_), columns_at(to, rows));
      if (others > 0)
        calls_.copy(others, g, read_columns(map.data() + part * others, height(others)), columns_at(to + g, rows));
    }
    const Array numbers(g);
    for (Index j = 0; j < g; ++j) numbers[j] = left_.d[j] + left_.d_low[j];
    const Sent d(calls_, g, numbers.data());
    calls_.place().run(AddColumnsStep{columns_at(b.data(), rows + 1), {d.data(), 0, 1}}, 1, g);  // to the diagonal
    zero_.system = thin_system_of_parts(view(b.data(), size, g), false, calls_);
  }

  void replace_at_zero() {
    const Index g = zero_.size, others = zero_.others;
    const Placed z = numbers_at(calls_, rows_, g + others), z_low = numbers_at(calls_, rows_, g + others);
    const auto join = [&](const Placed& to, const Placed& x, const Placed& basis) {
      calls_.copy(rows_ * g, x.data(), to.data());
      if (others > 0) calls_.copy(rows_ * others, basis.data(), to.data() + rows_ * g);
    };
    join(z, left_.x, zero_.basis);
    join(z_low, left_.x_low, zero_.basis_low);
    set_columns(a_.complex, rows_, left_, 0, g, g + others, z.data(), z_low.data(), zero_.system.u.data(), calls_);
    multiply_columns(a_.complex, inner_, right_, 0, g, zero_.system.v.data(), calls_);
    for (Index j = 0; j < g; ++j) set_number(left_, j, zero_.system.values[j], 0);
  }

  const RectangularMatrix& a_;
  Eigenpairs &left_, &right_;
  TripletBounds& bounds_;
  const Calls& calls_;
  const Index k_, inner_, rows_;
  Placed p_{}, q_{};
  ZeroBlock zero_{};
  std::vector<Index> groups_{};
};

}  // namespace

Triplets first_triplets(const RectangularMatrix& a, bool fast, const Calls& calls) {
  const Index k = a.n, rows = a.parts().rows();
  ThinSystem found = thin_system_of_parts({a.complex, a.m, k, read_columns(a.a.data(), rows), a.m}, fast, calls);
  Triplets triplets{{std::move(found.u), {}, std::move(found.values), Array(k)},
                    {std::move(found.v), {}, Array(k), Array(k)}};
  std::copy_n(triplets.left.d.data(), k, triplets.right.d.data());
  std::fill_n(triplets.left.d_low.data(), k, 0.0);
  std::fill_n(triplets.right.d_low.data(), k, 0.0);
  return triplets;
}

void improve_triplets(const RectangularMatrix& a, Triplets& triplets, TripletBounds& bounds, const Calls& calls) {
  TripletStep(a, triplets, bounds, calls).run();
}

}  // namespace accublas::certified
