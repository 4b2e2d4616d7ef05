// LAPACK's singular triplets, and the steps that refine them (docs/eigenvalues.md, "Singular values").
#include "lib/certified/eigen_groups.hpp"
#include "lib/certified/singular.hpp"
#include "lib/cpu/eigensystem.hpp"

namespace accublas::certified {

namespace {

/// The thin singular value decomposition of a matrix, m x k with m >= k, in parts with adjacent columns. Values
/// descend, and the columns of V are the right singular vectors.
struct ThinSystem {
  Array values, u, v;
};

ThinSystem thin_system(bool complex, Index m, Index k, const double* a) {
  const Index height = complex ? 2 * m : m, inner = complex ? 2 * k : k;
  ThinSystem found{Array(k), Array(height * k), Array(inner * k)};
  std::fill_n(found.values.data(), k, 0.0);
  std::fill_n(found.u.data(), height * k, 0.0);
  if (complex) {
    std::vector<Complex<double>> z = joined_parts(m, k, a, height), u(z.size()), vt(static_cast<std::size_t>(k * k));
    cpu::singular_system(m, k, z.data(), found.values.data(), u.data(), vt.data());
    for (Index j = 0; j < k; ++j)
      for (Index i = 0; i < k; ++i) {
        const Complex<double> z_ji = vt[static_cast<std::size_t>(j + i * k)];
        found.v[i + j * inner] = z_ji.re;
        found.v[i + k + j * inner] = -z_ji.im;
      }
    split_parts(m, k, u.data(), found.u.data());
    return found;
  }
  std::vector<double> copy(a, a + m * k), vt(static_cast<std::size_t>(k * k));
  cpu::singular_system(m, k, copy.data(), found.values.data(), found.u.data(), vt.data());
  for (Index j = 0; j < k; ++j)
    for (Index i = 0; i < k; ++i) found.v[i + j * k] = vt[static_cast<std::size_t>(j + i * k)];
  return found;
}

/// Reverses the order of columns.
void reverse_columns(Index rows, Index cols, double* x) {
  for (Index j = 0; j < cols / 2; ++j) std::swap_ranges(x + j * rows, x + (j + 1) * rows, x + (cols - 1 - j) * rows);
}

/// The vectors whose singular values are close to zero, columns 0 .. size - 1.
struct ZeroBlock {
  Index size = 0;
  Index others = 0;  ///< columns of `basis`
  /// Orthonormal vectors in two parts, orthogonal to all of U, into which A maps these columns of V.
  Array basis, basis_low;
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
    const Array h(inner_ * k_);  // X^H F for the vectors (u, v) / sqrt 2
    for (Index i = 0; i < inner_ * k_; ++i) h[i] = 0.5 * (p_[i] + q_[i]);
    const std::vector<GroupBlock> blocks = group_blocks(a_.complex, k_, zero_.size, left_, groups_, h.data());
    set_corrections();
    correct(left_, bounds_.left, rows_, p_, a_.tall());
    correct(right_, bounds_.right, inner_, q_, false);
    for (Index j = 0; j < k_; ++j) add_to_parts(left_.d[j], left_.d_low[j], bounds_.both.corrections[j]);
    for (const GroupBlock& block : blocks)
      if (!block.diagonal) rotate(block);
    if (zero_.size > 0) replace_at_zero();
    std::copy_n(left_.d.data(), k_, right_.d.data());
    std::copy_n(left_.d_low.data(), k_, right_.d_low.data());
    const std::vector<Index> order = ascending_order(left_, k_);
    permute(left_, rows_, order);
    permute(right_, inner_, order);
  }

 private:
  Index height(Index size) const { return a_.complex ? 2 * size : size; }
  Index at(Index i, Index j) const { return i + j * inner_; }
  Index group(Index k) const { return groups_[static_cast<std::size_t>(k)]; }
  static const double* left_factor(const Eigenpairs& pairs, const EigenBounds& bounds) {
    return bounds.left.data() ? bounds.left.data() : pairs.x.data();
  }

  /// Returns X^H F of one side.
  Array project(const Eigenpairs& pairs, const EigenBounds& bounds, Index rows) const {
    Array h(inner_ * k_);
    calls_.product_in_mode(inner_, k_, rows, {left_factor(pairs, bounds), rows, 1}, {bounds.f.data(), 1, rows},
                           {h.data(), 1, inner_});
    return h;
  }

  /// Turns P = U^H R and Q = V^H S into the corrections of U and V, of which they are the coefficients. Y belongs to
  /// the vectors (u, v), and Z to (u, -v), whose eigenvalues are the negative singular values.
  void set_corrections() const {
    const bool first = left_.parts == 1;
    for_columns(k_, calls_, [&](Index j) {
      for (Index i = 0; i < k_; ++i) {
        const bool together = group(i) == group(j), at_zero = i < zero_.size && j < zero_.size;
        const double minus = (left_.d[j] - left_.d[i]) + (left_.d_low[j] - left_.d_low[i]);
        const double plus = (left_.d[j] + left_.d[i]) + (left_.d_low[j] + left_.d_low[i]);
        for (Index row = i; row < inner_; row += k_) {
          double &p = p_[at(row, j)], &q = q_[at(row, j)];
          const double e = first ? 0.25 * bounds_.left.e[at(row, j)] : 0,
                       g = first ? 0.25 * bounds_.right.e[at(row, j)] : 0;
          const double y = together ? e + g : 0.5 * (p + q) / minus;
          const double z = at_zero ? e - g : 0.5 * (p - q) / plus;
          // The part of R outside of U's columns belongs to the eigenvalue 0, and is added by correct().
          const double outside = a_.tall() && j >= zero_.size ? p / left_.d[j] : 0;
          p = y + z - outside;
          q = y - z;
        }
      }
    });
  }

  /// Adds the correction with the given coefficients to one side, and what F has outside of its columns.
  void correct(Eigenpairs& pairs, const EigenBounds& bounds, Index rows, const Array& coefficients, bool tall) const {
    const Array change(rows * k_);
    calls_.product_in_mode(rows, k_, inner_, {left_factor(pairs, bounds), 1, rows}, {coefficients.data(), 1, inner_},
                           {change.data(), 1, rows});
    ensure_two_parts(pairs, rows * k_);
    for_columns(k_, calls_, [&](Index j) {
      const bool outside = tall && j >= zero_.size;
      for (Index i = j * rows; i < (j + 1) * rows; ++i)
        add_to_parts(pairs.x[i], pairs.x_low[i], change[i] + (outside ? bounds.f[i] / pairs.d[j] : 0));
    });
  }

  /// Multiplies the columns of a group by the eigenvectors of its block, and replaces its part of D.
  void rotate(const GroupBlock& block) {
    const Array values(block.size), vectors(height(block.size) * block.size);
    eigensystem_of_parts(a_.complex, block.size, block.matrix.data(), height(block.size), values.data(),
                         vectors.data());
    multiply_columns(a_.complex, rows_, left_, block.first, block.size, vectors.data(), calls_);
    multiply_columns(a_.complex, inner_, right_, block.first, block.size, vectors.data(), calls_);
    for (Index j = 0; j < block.size; ++j) set_number(left_, block.first + j, block.origin, values[j]);
  }

  /// Subtracts U U^H C from C, which has the given number of columns.
  void subtract_projection(const Array& c, Index cols) const {
    const double* const u = left_factor(left_, bounds_.left);
    const Array h(inner_ * cols), part(rows_ * cols);
    calls_.product_in_mode(inner_, cols, rows_, {u, rows_, 1}, {c.data(), 1, rows_}, {h.data(), 1, inner_});
    calls_.product_in_mode(rows_, cols, inner_, {u, 1, rows_}, {h.data(), 1, inner_}, {part.data(), 1, rows_});
    for (Index i = 0; i < rows_ * cols; ++i) c[i] -= part[i];
  }

  /// Finds orthonormal vectors outside of U's columns into which A maps the first columns of V, and writes their
  /// products with A V to `map`, in parts: a row for each vector.
  void find_basis(Array& map) {
    constexpr double dependent = 0x1p-20, noise = 0x1p-36;  // directions that are full of rounding errors
    const Index g = zero_.size;
    const Array c(rows_ * g);
    std::copy_n(bounds_.left.f.data(), rows_ * g, c.data());
    subtract_projection(c, g);
    subtract_projection(c, g);
    ThinSystem outside = thin_system(a_.complex, a_.m, g, c.data());
    const double largest = *std::max_element(bounds_.left.residuals.data(), bounds_.left.residuals.data() + g);
    const double least = std::max(dependent * outside.values[0], noise * largest);
    const Index room = std::min(g, a_.m - a_.n);
    while (zero_.others < room && outside.values[zero_.others] > least) ++zero_.others;
    if (zero_.others == 0) return;
    subtract_projection(outside.u, zero_.others);
    zero_.basis = thin_system(a_.complex, a_.m, zero_.others, outside.u.data()).u;
    const Index terms = height(zero_.others);
    const Array left = as_left(zero_.basis.data(), zero_.others);
    const auto multiply = [&](const double* right, Index cols) {  // basis^H times a matrix
      Array result(terms * cols);
      calls_.product_in_mode(terms, cols, rows_, {left.data(), rows_, 1}, {right, 1, rows_}, {result.data(), 1, terms});
      return result;
    };
    map = multiply(c.data(), g);
    turn_basis(multiply(bounds_.left.f.data(), k_));
  }

  /// Makes the basis, which is orthogonal to U up to its rounding, orthogonal in two parts. It stays so when correct()
  /// moves the columns of U towards it, by F over D. `moved` is basis^H F.
  void turn_basis(const Array& moved) {
    const Index others = zero_.others, terms = height(others), count = rows_ * others;
    const double* const u = left_factor(left_, bounds_.left);
    const Matrix<const double> basis{zero_.basis.data(), 1, rows_};
    const Array h(inner_ * others), low(inner_ * others), change(count);
    calls_.product(inner_, others, rows_, 1, {u, rows_, 1}, basis, 0, {h.data(), 1, inner_});
    if (left_.parts == 2) {
      const Array left = as_left(left_.x_low.data(), k_);
      calls_.product_in_mode(inner_, others, rows_, {left.data(), rows_, 1}, basis, {low.data(), 1, inner_});
      for (Index i = 0; i < inner_ * others; ++i) h[i] += low[i];
    }
    for (Index o = 0; o < others; ++o)
      for (Index j = zero_.size; j < k_; ++j)
        for (Index part = 0; part < height(1); ++part) {
          const double x = moved[o + part * others + j * terms] / left_.d[j];
          h[at(j + part * k_, o)] += part == 0 ? x : -x;
        }
    calls_.product_in_mode(rows_, others, inner_, {u, 1, rows_}, {h.data(), 1, inner_}, {change.data(), 1, rows_});
    zero_.basis_low = Array(count);
    std::fill_n(zero_.basis_low.data(), count, 0.0);
    for (Index i = 0; i < count; ++i) add_to_parts(zero_.basis[i], zero_.basis_low[i], -change[i]);
  }

  /// Returns the real matrix that multiplies as columns of U do.
  Array as_left(const double* x, Index cols) const {
    Array left(rows_ * height(cols));
    if (a_.complex)
      write_left(x, a_.m, cols, left.data());
    else
      std::copy_n(x, rows_ * cols, left.data());
    return left;
  }

  /// Finds the singular vectors of A between the columns of V and those of (U, basis) whose values are close to zero.
  void solve_at_zero() {
    Array map;
    if (a_.tall()) find_basis(map);
    const Index g = zero_.size, size = g + zero_.others, rows = height(size);
    const Array b(rows * g);
    for (Index j = 0; j < g; ++j)
      for (Index part = 0; part < height(1); ++part) {
        double* const column = b.data() + part * size + j * rows;
        for (Index i = 0; i < g; ++i) column[i] = p_[at(i + part * k_, j)];
        if (part == 0) column[j] += left_.d[j] + left_.d_low[j];
        for (Index i = 0; i < zero_.others; ++i)
          column[g + i] = map[i + part * zero_.others + j * height(zero_.others)];
      }
    zero_.system = thin_system(a_.complex, size, g, b.data());
    reverse_columns(rows, g, zero_.system.u.data());
    reverse_columns(height(g), g, zero_.system.v.data());
    std::reverse(zero_.system.values.data(), zero_.system.values.data() + g);
  }

  void replace_at_zero() {
    const Index g = zero_.size, size = g + zero_.others;
    const Array z(rows_ * size), z_low(rows_ * size);
    std::copy_n(left_.x.data(), rows_ * g, z.data());
    std::copy_n(left_.x_low.data(), rows_ * g, z_low.data());
    std::copy_n(zero_.basis.data(), rows_ * zero_.others, z.data() + rows_ * g);
    std::copy_n(zero_.basis_low.data(), rows_ * zero_.others, z_low.data() + rows_ * g);
    set_columns(a_.complex, rows_, left_, 0, g, size, z.data(), z_low.data(), zero_.system.u.data(), calls_);
    multiply_columns(a_.complex, inner_, right_, 0, g, zero_.system.v.data(), calls_);
    for (Index j = 0; j < g; ++j) set_number(left_, j, zero_.system.values[j], 0);
  }

  const RectangularMatrix& a_;
  Eigenpairs &left_, &right_;
  TripletBounds& bounds_;
  const Calls& calls_;
  const Index k_, inner_, rows_;
  Array p_{}, q_{};
  ZeroBlock zero_{};
  std::vector<Index> groups_{};
};

}  // namespace

Triplets first_triplets(const RectangularMatrix& a) {
  const Index k = a.n, rows = a.complex ? 2 * a.m : a.m, inner = a.complex ? 2 * k : k;
  ThinSystem found = thin_system(a.complex, a.m, k, a.a.data());
  reverse_columns(rows, k, found.u.data());
  reverse_columns(inner, k, found.v.data());
  std::reverse(found.values.data(), found.values.data() + k);
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
