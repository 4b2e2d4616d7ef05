// Structured products (lib/call/product.hpp), complex GEMM and GEMV, by the engines of real products. The lines of the
// operands are written out: mirrored, conjugated, with the zeros and ones of triangles, and with complex numbers as
// lines of components (components.hpp). If alpha and beta are real, Re C and Im C are two results of equal rows. If
// not, dot2's pairs of both components are combined before the rounding (combined_pairs.hpp); deep_product.cpp and
// elements.cpp compute such products in the other modes. Blocks of C are as large as the workspace allows for their
// lines.
//
// Rectangles outside a wanted triangle are never computed. Small squares on the diagonal are computed whole, in memory
// of their own. dp:repro, whose T* belongs to the call, goes over the blocks twice. If the certificate rejects too many
// elements, the second time is a product in cr.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/exceptions.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/batch.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/kernels/dot2_kernels.hpp"
#include "lib/cpu/structured/block_lines.hpp"
#include "lib/cpu/structured/combined_pairs.hpp"
#include "lib/cpu/structured/fix_rows.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

namespace {

template <class E>
class StructuredProduct {
  using T = RealOf<E>;

 public:
  StructuredProduct(const Product<E>& p, const Mode& mode, accublas_engine engine, RealGemm<T> real,
                    Execution& execution)
      : p_(p),
        mode_(mode),
        engine_(engine),
        real_(real),
        execution_(execution),
        reports_(execution.report),
        lines_(p, execution.threads),
        terms_(lines_.terms),
        combined_(p),
        combines_(combined_.any()),
        alpha_(combines_ ? T(1) : real_part(p.alpha)),
        beta_(combines_ ? T(0) : real_part(p.beta)) {}

  /// Returns false, with nothing done, if the workspace cannot hold two lines, or if even the smallest plan does not
  /// fit.
  bool run() {
    Workspace& workspace = execution_.workspace;
    const bool deep = may_be_deep() && !workspace.rehearses();
    if (terms_ > tuning().engine.deep_terms && deep && deep_product(p_, mode_, execution_)) return true;
    Index rows = p_.m, cols = p_.n;
    const bool vector = lines_.is_vector() && !is_grade(mode_) && engine_ != ACCUBLAS_ENGINE_INT8;
    const std::size_t share = tuning().structured.lines_share / (vector ? 2 : 1);
    const Index room = static_cast<Index>(workspace.available() / sizeof(T) / share) / terms_;
    // The lines of a matrix are few enough to be in the cache when the vector's line is multiplied with them.
    if (vector) {
      Index& lines = p_.n == 1 ? rows : cols;
      lines = std::min(lines, round_up(ceil_div(tuning().structured.cached * execution_.threads, terms_), edge));
    }
    const auto halve = [&] {
      Index& longer = rows >= cols ? rows : cols;
      longer = longer > 2 * edge ? round_up(longer / 2, edge) : ceil_div(longer, Index{2});
    };
    while ((lines_.written(rows, cols) > room || bytes_of_pairs(rows, cols) > workspace.available() / share) &&
           rows + cols > 2)
      halve();
    if (lines_.written(rows, cols) > room && deep && deep_product(p_, mode_, execution_)) return true;
    while (!parts_fit(rows, cols)) {
      if (rows + cols > 2) {
        halve();
        continue;
      }
      if (workspace.least() || bytes_of(rows, cols) > workspace.left()) return false;
      workspace.refuse();
    }
    lines_.take(workspace, rows, cols);
    if (p_.wanted != Triangle::all) square_ = workspace.template take<T>(edge * edge);
    if (combines_) combined_.take(workspace, rows, cols);
    if (workspace.rehearses()) {
      workspace.template take<unsigned char>(needed_);
      return true;
    }
    rest_ = workspace.take_rest(needed_);
    if (shares_bits_) measure(rows, cols);
    for_blocks(rows, cols);
    if (combines_)
      put_bound(execution_.report, promised_bound({Operation::gemm, type_of<E>}, mode_, terms_ / components, p_.alpha));
    return true;
  }

 private:
  static constexpr Index components = BlockLines<E>::components;
  static constexpr Index edge = 32;  ///< edge of the engines' panels, and of squares on the diagonal

  /// Applies the certificate to all blocks. If it fails, the product becomes one in cr.
  void measure(Index rows, Index cols) {
    shared_.all = components * elements_in(p_.wanted, p_.m, p_.n);
    for_blocks(rows, cols);
    shared_.measuring = false;
    if (!shared_.fails()) return;
    shares_bits_ = false;
    mode_ = Mode{ACCUBLAS_MODE_CR};
    execution_.report.rejected += shared_.all - shared_.rejected;
  }
  bool measuring() const { return shares_bits_ && shared_.measuring; }
  bool rehearses() const { return rest_.rehearsal; }
  bool writes() const { return !measuring() && !rehearses(); }

  /// Returns whether sums may read the lines some terms at a time, in any order of the terms. fix_rows(), for
  /// triangular operands, needs whole lines.
  bool may_be_deep() const {
    return engine_ == ACCUBLAS_ENGINE_SUMS && p_.n > 1 && p_.m > 1 && !p_.in_place &&
           p_.b.structure != Structure::triangular;
  }
  /// Returns the bytes that run() takes for a block, without those of the real products.
  std::size_t bytes_of(Index rows, Index cols) const {
    const auto bytes = [](std::size_t count) { return round_up(count * sizeof(T), 64); };
    return bytes(lines_.numbers(lines_.rows_written(rows))) + bytes(lines_.numbers(lines_.cols_written(cols))) +
           (p_.wanted != Triangle::all ? bytes(edge * edge) : 0) + bytes_of_pairs(rows, cols);
  }
  std::size_t bytes_of_pairs(Index rows, Index cols) const {
    return round_up(combined_.numbers(rows, cols) * sizeof(double), 64);
  }

  /// Returns whether blocks of so many rows and columns fit, by a rehearsal of their real products, which sets needed_.
  bool parts_fit(Index rows, Index cols) {
    const Workspace& workspace = execution_.workspace;
    const std::size_t bytes = bytes_of(rows, cols);
    if (bytes > workspace.left()) return false;
    const bool one_block = components == 1 && p_.wanted == Triangle::all && rows == p_.m && cols == p_.n;
    shares_bits_ = is_grade(mode_) && !one_block;  // such a mode has a T* of the whole call
    rest_ = workspace.rest_after(bytes);
    needed_ = 0;
    const Mode mode = mode_;
    bool fit = true;
    // With a T* of the whole call, the second time over the blocks may be in cr.
    for (const Mode& tried : {mode, Mode{ACCUBLAS_MODE_CR}}) {
      if (!fit || !(tried == mode || shares_bits_)) continue;
      mode_ = tried;
      for (bool(&of_height)[2] : tried_) of_height[0] = of_height[1] = false;
      try {
        for_blocks(rows, cols);
      } catch (const Error& error) {
        if (error.status() != ACCUBLAS_ERROR_MEMORY) throw;
        fit = false;
      }
    }
    mode_ = mode;
    return fit;
  }

  /// Computes all blocks. The outer loop is over rows: an operand that C overwrites is on the left, and its lines are
  /// kept until their rows of C are done.
  void for_blocks(Index rows, Index cols) {
    for (row_ = 0; row_ < p_.m; row_ += rows) {
      const Index m = std::min(rows, p_.m - row_);
      x_ = lines_.rows(row_, m);
      for (col_ = 0; col_ < p_.n; col_ += cols) {
        const Index n = std::min(cols, p_.n - col_);
        if (!holds_some(p_.wanted, row_, m, col_, n) || (rehearses() && repeats(rows, cols, m, n))) continue;
        for (imaginary_ = 0; imaginary_ < components; ++imaginary_) {
          y_ = lines_.columns(col_, n, imaginary_ == 1);
          shift_ = imaginary_ == 1 && !combines_ ? imaginary_shift(p_) : 0;
          const bool swaps = p_.transposed && imaginary_ == 1 && !rehearses();
          if (swaps) lines_.swap_components(m);
          const bool fixes = p_.b.structure == Structure::triangular && writes();
          if (combines_)
            compute_pairs(m, n);
          else if (fixes)
            compute_triangular(m, n);
          else
            compute(0, m, 0, n);
          if (swaps) lines_.swap_components(m);
        }
        if (combines_ && writes())
          combine(m, n);
        else if (p_.hermitian && writes())
          clear_diagonal(p_, row_, m, col_, n);
      }
    }
  }

  /// Returns whether, in a rehearsal with blocks of rows x cols, the current block of m x n takes as much memory as one
  /// that was tried already. The columns of a triangular operand have lengths of their own.
  bool repeats(Index rows, Index cols, Index m, Index n) {
    if (p_.b.structure == Structure::triangular) return p_.wanted == Triangle::all && row_ > 0 && m == rows;
    // The diagonal moves by a row at most between the components.
    const Index lowered = p_.wanted == Triangle::upper ? 1 : -1;
    if (!holds_all(p_.wanted, row_ + lowered, m, col_, n)) return false;
    bool& tried = tried_[m == rows][n == cols];
    return std::exchange(tried, true);
  }

  Matrix<T> c_at(Index i, Index j) const {
    return {components_of(&p_.c(row_ + i, col_ + j)) + imaginary_, components * p_.c.row_stride,
            components * p_.c.col_stride};
  }
  Gemm<T> part(Index i, Index m, Index j, Index n, T beta, Matrix<T> c) const {
    return {m, n, terms_, alpha_, x_.block(i, 0), y_.block(j, 0).transposed(), beta, c};
  }

  /// Computes the wanted elements of a rectangle of the block.
  void compute(Index i, Index m, Index j, Index n) {
    const Index top = row_ + i + shift_, left = col_ + j;
    if (!holds_some(p_.wanted, top, m, left, n) || (measuring() && shared_.fails())) return;
    if (holds_all(p_.wanted, top, m, left, n)) {
      compute_all(i, m, j, n);
    } else if (m <= edge && n <= edge) {
      combines_ ? compute_all(i, m, j, n) : compute_square(i, m, j, n);
    } else if (m >= n) {
      const Index half = round_up(m / 2, edge);
      compute(i, half, j, n);
      compute(i + half, m - half, j, n);
    } else {
      const Index half = round_up(n / 2, edge);
      compute(i, m, j, half);
      compute(i, m, j + half, n - half);
    }
  }

  /// Computes all elements of a rectangle. In modes in which zeros of a triangular operand change no bits, most zeros
  /// are left out.
  void compute_all(Index i, Index m, Index j, Index n) {
    const bool by_bands =
        p_.b.structure == Structure::triangular && (mode_.kind == ACCUBLAS_MODE_CR || mode_.kind == ACCUBLAS_MODE_DOT2);
    const Index width = by_bands ? tuning().structured.band : n;
    for (Index q = j; q < j + n; q += width) {
      Gemm<T> g = part(i, m, q, std::min(width, j + n - q), beta_, c_at(i, q));
      if (by_bands) {
        const TermRange of_first = terms_of_column(p_, col_ + q), of_last = terms_of_column(p_, col_ + q + g.n - 1);
        const Index first = components * std::min(of_first.first, of_last.first) / dot2_block * dot2_block;
        g.k = components * std::max(of_first.end, of_last.end) - first;
        g.a = g.a.block(0, first);
        g.b = g.b.block(first, 0);
      }
      pairs_ = combined_.pairs(difference_, imaginary_, i, q);
      multiply(g, engine_);
    }
  }

  /// Computes the block where B is triangular.
  void compute_triangular(Index m, Index n) {
    const bool had_exceptions = collect_exceptions([&] { compute(0, m, 0, n); }) != exceptions::none;
    fix_rows(p_, col_, part(0, m, 0, n, 0, c_at(0, 0)), had_exceptions, execution_.threads);
  }

  /// Computes the pairs of the current component of the block.
  void compute_pairs(Index m, Index n) {
    for (const bool difference : {false, true}) {
      if (!combined_.needs(difference)) continue;
      difference_ = difference;
      if (difference && !rehearses()) lines_.negate_second(n);
      compute(0, m, 0, n);
      if (difference && !rehearses()) lines_.negate_second(n);
    }
  }

  /// Writes the results of the block from its pairs.
  void combine(Index m, Index n) {
    if constexpr (is_complex<E>) {
      Product<E> block = p_;
      Index row = row_;
      if (p_.in_place) {
        // C overwrites the rows of A. The written rows in `x_` are copies of them.
        block.a = {{reinterpret_cast<const E*>(x_.data), terms_ / components, 1}};
        block.c = p_.c.block(row_, 0);
        block.in_place = false;
        row = 0;
      }
      // Most zeros of a triangular operand were left out, so that an Inf or a NaN in a row may not be in its pairs.
      if (p_.b.structure == Structure::triangular)
        for (Index i = 0; i < m; ++i)
          if (!is_finite_row(x_.row(i), terms_)) combined_.discard_row(i, n);
      PairCombiner<T>(block, row, col_, combined_, execution_.isa).run(m, n, execution_.threads, [&](Index i, Index j) {
        dot2_product_element(block, row + i, col_ + j, execution_);
      });
    }
  }

  /// Computes a square that the diagonal crosses. Elements of C that are not wanted are neither read nor written.
  void compute_square(Index i, Index m, Index j, Index n) {
    const Matrix<T> c = c_at(i, j), whole{square_, 1, edge};
    if (rehearses()) multiply(part(i, m, j, n, beta_, whole), engine_);
    if (measuring()) {
      shared_.elements = p_.wanted;
      shared_.diagonal = row_ + i + shift_ - (col_ + j);
      multiply(part(i, m, j, n, beta_, whole), engine_ == ACCUBLAS_ENGINE_INT8 ? engine_ : ACCUBLAS_ENGINE_SUMS);
      shared_.elements = Triangle::all;
    }
    if (!writes()) return;
    const auto for_wanted = [&](auto&& body) {
      for (Index q = 0; q < n; ++q)
        for (Index r = 0; r < m; ++r)
          if (holds(p_.wanted, row_ + i + shift_ + r, col_ + j + q)) body(whole(r, q), c(r, q));
    };
    if (beta_ != 0) {
      std::fill_n(square_, edge * edge, T(0));
      for_wanted([](T& inside, const T& element) { inside = element; });
    }
    const unsigned of_square = collect_exceptions([&] { multiply(part(i, m, j, n, beta_, whole), engine_); });
    for_wanted([&](const T& inside, T& element) {
      if (of_square != exceptions::none)
        signal_element(inside, terms_, alpha_, x_.row(i + (&inside - square_) % edge),
                       y_.row(j + (&inside - square_) / edge), beta_, element);
      element = inside;
    });
  }

  void multiply(const Gemm<T>& g, accublas_engine engine) {
    accublas_report_t report = reports_.begin();
    serve_in(rest_, [&](Workspace& workspace) {
      Execution execution = execution_.within(workspace, report);
      if (shares_bits_) execution.shared = &shared_;
      combines_ ? dot2_gemm(g, execution, &pairs_) : real_(g, mode_, engine, execution);
      needed_ = std::max(needed_, workspace.peak());
    });
    if (rehearses()) return;
    // The pass that measures has counted the rejected elements, without the unwanted ones of squares.
    if (shares_bits_ && !measuring()) report.rejected = 0;
    reports_.add(report);
  }

  const Product<E>& p_;
  Mode mode_;
  const accublas_engine engine_;
  const RealGemm<T> real_;
  Execution& execution_;
  PartReports reports_;
  BlockLines<E> lines_;
  const Index terms_;  ///< terms of a component
  CombinedPairs combined_;
  const bool combines_;      ///< the components of the results are combined from pairs
  const T alpha_, beta_;     ///< factors of the real products
  Dot2Pairs pairs_{};        ///< results of the current real product, if pairs are combined
  bool difference_ = false;  ///< the current product is A B - A2 B2
  T* square_ = nullptr;
  Workspace::Part rest_{};
  SharedBits shared_;
  std::size_t needed_ = 0;  ///< most bytes that a real product needs
  bool shares_bits_ = false;
  bool tried_[2][2] = {};  ///< see repeats()
  // The current block: its position, its lines, the component, and how far the wanted triangle is moved down.
  Index row_ = 0, col_ = 0, imaginary_ = 0, shift_ = 0;
  Matrix<const T> x_{}, y_{};
};

}  // namespace

template <class E>
void structured_product(const Product<E>& p, const Mode& mode, accublas_engine engine, RealGemm<RealOf<E>> real,
                        Execution& execution) {
  require_no_target(mode, execution.target, is_single_precision<E>);
  const bool combines = combines_components(p), dot2 = mode.kind == ACCUBLAS_MODE_DOT2;
  const auto by_lines = [&](Execution& with) {
    return (!combines || dot2) && StructuredProduct<E>(p, mode, engine, real, with).run();
  };
  const bool by_sums = combines && !dot2 && mode.kind != ACCUBLAS_MODE_SLICES;
  Workspace& workspace = execution.workspace;
  if (!workspace.rehearses()) {
    if (!by_lines(execution) && !(by_sums && deep_product(p, mode, execution))) product_by_elements(p, mode, execution);
    return;
  }
  // A rehearsal takes the lesser of the bytes that the two ways need.
  std::size_t needed = SIZE_MAX;
  for (const bool lines : {true, false}) {
    Workspace way(workspace.rest_after(0));
    Execution with = execution.within(way);
    try {
      if (lines && !by_lines(with)) continue;
      if (!lines) product_by_elements(p, mode, with);
      needed = std::min(needed, way.peak());
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_MEMORY) throw;
    }
  }
  needed == SIZE_MAX ? workspace.refuse() : void(workspace.take<unsigned char>(needed));
}

template void structured_product(const Product<double>&, const Mode&, accublas_engine, RealGemm<double>, Execution&);
template void structured_product(const Product<float>&, const Mode&, accublas_engine, RealGemm<float>, Execution&);
template void structured_product(const Product<Complex<double>>&, const Mode&, accublas_engine, RealGemm<double>,
                                 Execution&);
template void structured_product(const Product<Complex<float>>&, const Mode&, accublas_engine, RealGemm<float>,
                                 Execution&);

}  // namespace accublas::cpu
