#include "cuda/complex/gemm_complex.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cuda/complex/components.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/exact/combined_parts.hpp"
#include "cuda/native/native_behind.hpp"
#include "cuda/native/native_call.hpp"
#include "lib/base/error.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

/// Returns a component of a matrix: the real parts (which = 0) or the imaginary parts (which = 1).
template <class T>
Matrix<T> component(const Matrix<Complex<T>>& x, int which) {
  return {&x.data->re + which, 2 * x.row_stride, 2 * x.col_stride};
}
/// Returns a matrix with unit row stride as a real matrix with twice as many rows: Im of an element is below its Re.
template <class T>
Matrix<T> both_components(const Matrix<Complex<T>>& x) {
  return {&x.data->re, 1, 2 * x.col_stride};
}

/// A copy of C whose columns hold adjacent numbers, used if neither rows nor columns of C do.
template <class T>
class AdjacentResult {
 public:
  AdjacentResult(State& state, Execution& execution, Gemm<Complex<T>>& g, bool beta_on_device)
      : state_(state), m_(g.m), n_(g.n), c_(g.c) {
    if (g.c.row_stride == 1) return;
    inside_.emplace(state, execution, [&](Carver& carver) { copy_ = {carver.take<Complex<T>>(g.m * g.n), 1, g.m}; });
    if (beta_on_device || !(g.beta == T(0)))
      for (int which : {0, 1}) {
        const Matrix<T> from = component(c_, which);
        copy_matrix<T>({from.data, from.row_stride, from.col_stride}, component(copy_, which), m_, n_, nullptr,
                       state.cuda_stream());
      }
    g.c = copy_;
  }
  Execution& within(Execution& execution) { return inside_ ? inside_->execution() : execution; }
  void put_back() {
    if (!inside_) return;
    for (int which : {0, 1}) {
      const Matrix<T> from = component(copy_, which);
      copy_matrix<T>({from.data, from.row_stride, from.col_stride}, component(c_, which), m_, n_, nullptr,
                     state_.cuda_stream());
    }
  }

 private:
  State& state_;
  Index m_, n_;
  Matrix<Complex<T>> c_, copy_{};
  std::optional<InnerCalls> inside_;
};

/// Describes an operand in the notation of BLAS, with leading dimensions for strides that are not one. Returns false if
/// BLAS cannot express the strides.
template <class T>
bool blas_operand(const Matrix<const Complex<T>>& x, bool conjugate, Index rows, Index cols,
                  BlasMatrix<const Complex<T>>& to) {
  if (!conjugate && (x.row_stride == 1 || rows == 1) && (x.col_stride >= rows || cols == 1)) {
    to = {x.data, CUBLAS_OP_N, cols == 1 ? rows : x.col_stride};
    return true;
  }
  if ((x.col_stride == 1 || cols == 1) && (x.row_stride >= cols || rows == 1)) {
    to = {x.data, conjugate ? CUBLAS_OP_C : CUBLAS_OP_T, rows == 1 ? cols : x.row_stride};
    return true;
  }
  return false;
}

template <class T>
bool named_by_blas(const Gemm<Complex<T>>& g, BlasMatrix<const Complex<T>>& a, BlasMatrix<const Complex<T>>& b) {
  return blas_operand(g.a, g.conjugate_a, g.m, g.k, a) && blas_operand(g.b, g.conjugate_b, g.k, g.n, b) &&
         g.c.row_stride == 1 && (g.c.col_stride >= g.m || g.n == 1);
}

template <class T>
void native(State& state, const Call<Gemm<Complex<T>>, Complex<T>>& call, const Gemm<Complex<T>>& g,
            Execution& execution) {
  BlasMatrix<const Complex<T>> a, b;
  if (!named_by_blas(g, a, b))
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "cuBLAS cannot express the strides of this complex product");
  const bool there = call.alpha.on_device;
  const AlignedNumber<Complex<T>> alpha{there ? Complex<T>{} : *call.alpha.pointer},
      beta{device_scalar(call.beta).value};
  with_cublas(state, execution, 0, [&](Cublas& blas, std::byte*) {
    blas.scalars_on_device(there);
    blas.gemm(g.m, g.n, g.k, there ? call.alpha.pointer : &alpha.number, a, b, there ? call.beta.pointer : &beta.number,
              g.c.data, g.n == 1 ? g.m : g.c.col_stride);
  });
}

/// Returns the product that emulation leaves to cuBLAS, for alpha and beta in host memory and without imaginary parts.
template <class T>
NativeProduct native_product(const Call<Gemm<Complex<T>>, Complex<T>>& call, const Gemm<Complex<T>>& g) {
  BlasMatrix<const Complex<T>> a, b;
  named_by_blas(g, a, b);
  const AlignedNumber<Complex<T>> alpha{*call.alpha.pointer}, beta{*call.beta.pointer};
  const Index ldc = g.n == 1 ? g.m : g.c.col_stride;
  NativeProduct product{[=](Cublas& blas) {
    blas.scalars_on_device(false);
    blas.gemm(g.m, g.n, g.k, &alpha.number, a, b, &beta.number, g.c.data, ldc);
  }};
  constexpr std::int64_t no_routine = -1;  // GEMM is no routine of level 3 with structured operands
  product.set_key(no_routine, g.m, g.n, g.k, a.data, a.op, a.ld, b.data, b.op, b.ld, g.c.data, ldc, alpha.number.re,
                  beta.number.re);
  return product;
}

/// Computes a call by cuBLAS with alpha in device memory. cuBLAS reads A and B even if alpha turns out to be zero. So
/// some columns of C at a time are saved before the product, and restored after it if alpha is zero. C is then scaled
/// by beta.
template <class T>
void native_by_device(State& state, const Call<Gemm<Complex<T>>, Complex<T>>& call, const Gemm<Complex<T>>& g,
                      Execution& execution) {
  const Complex<T>* const alpha = call.alpha.pointer;
  const Index room = static_cast<Index>(execution.workspace.cap() / 4 / sizeof(Complex<T>)),
              cols = std::clamp<Index>(room / g.m, std::min<Index>(g.n, 256), g.n);
  Complex<T>* kept = nullptr;
  InnerCalls inside(state, execution, [&](Carver& carver) { kept = carver.take<Complex<T>>(g.m * cols); });
  const cudaStream_t stream = state.cuda_stream();
  BatchScope scope(state, execution.report.level, cols < g.n);
  for (Index col = 0; col < g.n; col += cols) {
    Gemm<Complex<T>> part = g;
    part.n = std::min(cols, g.n - col);
    part.b = g.b.block(0, col);
    part.c = g.c.block(0, col);
    const Matrix<const Complex<T>> strides{nullptr, part.c.row_stride, part.c.col_stride};
    gather_matrices<Complex<T>>({part.c.data, 0, nullptr}, strides, part.m, part.n, 0, 1, kept, alpha, stream);
    native(state, call, part, inside.execution());
    scatter_matrices<Complex<T>>(kept, {part.c.data, 0, nullptr}, part.c, part.m, part.n, 0, 1, alpha, stream);
  }
  scale_if_alpha_is_zero(state.model(), g.m, g.n, g.c, device_scalar(call.alpha), device_scalar(call.beta),
                         bit_defined(call.mode), stream);
  scope.end();
  inside.end();
}

}  // namespace

template <class T>
Gemm<T> product_as_stored(const Gemm<Complex<T>>& g, T alpha, T beta) {
  const auto parts = [](const Complex<T>* numbers) { return reinterpret_cast<const T*>(numbers); };
  Gemm<T> product{2 * g.m,
                  g.n,
                  2 * g.k,
                  alpha,
                  {parts(g.a.data), g.a.row_stride, g.a.col_stride},
                  {parts(g.b.data), g.b.row_stride, 2 * g.b.col_stride},
                  beta,
                  {reinterpret_cast<T*>(g.c.data), 1, 2 * g.c.col_stride}};
  product.numbers_as_stored = true;
  product.conjugate_a = g.conjugate_a;
  product.conjugate_b = g.conjugate_b;
  product.row_pairs = g.conjugate_b ? RowPairs::conjugated : RowPairs::complex;
  return product;
}

namespace {

template <class T>
class ComponentProduct {
 public:
  ComponentProduct(State& state, const Call<Gemm<Complex<T>>, Complex<T>>& call, const Gemm<Complex<T>>& g,
                   bool transposed, bool combines, Execution& execution, DeviceGemmFunction<T> serve)
      : state_(state),
        call_(call),
        g_(g),
        transposed_(transposed),
        combines_(combines),
        keeps_addend_(combines && (call.beta.on_device || call.beta.pointer->im != 0)),
        execution_(execution),
        serve_(serve),
        by_parts_(call.mode.kind == ACCUBLAS_MODE_DOT2),
        as_stored_(serves_as_stored()),
        swaps_(by_parts_ && !transposed),
        writes_columns_(!as_stored_ && (swaps_ || g.b.row_stride != 1)),
        alpha_(combines ? T(1) : call.alpha.pointer->re),
        beta_(combines ? T(0) : call.beta.pointer->re) {}

  void run() {
    choose_panels();
    InnerCalls inside(state_, execution_, [&](Carver& carver) {
      row_lines_ = carver.take<T>(rows_ * row_words());
      col_lines_ = carver.take<T>(writes_columns_ ? cols_ * 2 * g_.k : 0);
      if (keeps_pairs())
        for (Pair*& pairs : pairs_)
          pairs = reinterpret_cast<Pair*>(carver.take<std::byte>(rows_ * cols_ * static_cast<Index>(pair_size)));
      addend_ = keeps_addend_ ? carver.take<T>(2 * rows_ * cols_) : nullptr;
    });
    std::optional<NativeProduct> native;
    if (as_stored_ && g_.wanted == Triangle::all && !combines_) native.emplace(native_product(call_, g_));
    const NativeScope in_store(state_, native ? &*native : state_.native_product());
    BatchScope scope(state_, execution_.report.level, by_parts_ || rows_ < g_.m || cols_ < g_.n);
    for (Index col = 0; col < g_.n; col += cols_)
      for (Index row = 0; row < g_.m; row += rows_)
        multiply(row, std::min(rows_, g_.m - row), col, std::min(cols_, g_.n - col), inside.execution());
    scope.end();
    inside.end();
  }

 private:
  static constexpr std::size_t pair_size = 2 * sizeof(double);

  /// Returns whether the product is computed without copies, by the engine that reads the numbers in place. This
  /// requires that cuBLAS, the fallback candidate (cuda/native/native_behind.hpp), can express the product. For a
  /// wanted triangle the fallback is another call.
  bool serves_as_stored() const {
    if (call_.engine != ACCUBLAS_ENGINE_INT8) return false;
    BlasMatrix<const Complex<T>> a, b;
    return g_.wanted != Triangle::all || combines_ || named_by_blas(g_, a, b);
  }

  /// Returns whether dot2's pairs of a panel are kept; they are combined when both components of S are available.
  bool keeps_pairs() const { return combines_ && by_parts_; }
  /// Returns how many numbers are written for a row of A.
  Index row_words() const { return as_stored_ ? 0 : (by_parts_ && !combines_ ? 2 : 4) * g_.k; }

  /// Chooses panels. A quarter of the workspace is for written rows and columns: all columns, if they fit half of that,
  /// and as many rows as there is room for. T* of a reproducible dp or sp belongs to the whole call, and a wanted
  /// triangle is one of all rows and columns; in both cases there is one panel, whatever the cap.
  void choose_panels() {
    rows_ = g_.m, cols_ = g_.n;
    if ((is_grade(call_.mode) && call_.mode.reproducible) || g_.wanted != Triangle::all) return;
    const Index room = static_cast<Index>(execution_.workspace.cap() / 4 / sizeof(T));
    if (keeps_pairs() || keeps_addend_) {
      // Another quarter is for pairs, and for C as it was.
      const std::size_t each = (keeps_pairs() ? 2 * pair_size : 0) + (keeps_addend_ ? 2 * sizeof(T) : 0);
      const Index elements = static_cast<Index>(execution_.workspace.cap() / 4 / each);
      rows_ = std::clamp<Index>(elements / std::min<Index>(g_.n, 1024), std::min<Index>(g_.m, 256), g_.m);
      cols_ = std::clamp<Index>(elements / rows_, std::min<Index>(g_.n, 256), g_.n);
    }
    if (as_stored_) return;
    const Index most_rows = rows_, most_cols = cols_;
    if (writes_columns_) cols_ = std::clamp<Index>(room / 2 / (2 * g_.k), std::min<Index>(most_cols, 256), most_cols);
    const Index left = room - (writes_columns_ ? cols_ * 2 * g_.k : 0);
    rows_ = std::clamp<Index>(left / row_words(), std::min<Index>(most_rows, 256), most_rows);
  }

  void multiply(Index row, Index rows, Index col, Index cols, Execution& inner) {
    const Matrix<Complex<T>> c = g_.c.block(row, col);
    if (keeps_addend_) {
      const Matrix<T> from = both_components(c);
      copy_matrix<T>({from.data, from.row_stride, from.col_stride}, {addend_, 1, 2 * rows}, 2 * rows, cols, nullptr,
                     state_.cuda_stream());
    }
    if (!by_parts_) {
      serve(2 * rows, cols, RowLayout::both, false, row, rows, col, both_components(c), inner);
    } else if (combines_) {
      // These two calls have the shape of the panel that combines them.
      const Matrix<T> nothing{nullptr, 1, rows};
      serve(rows, cols, RowLayout::real, false, row, rows, col, nothing, inner);
      serve(rows, cols, RowLayout::imaginary, swaps_, row, rows, col, nothing, inner);
      serve(2 * rows, cols, RowLayout::both, false, row, rows, col, both_components(c), inner);
    } else {
      serve(rows, cols, RowLayout::real, false, row, rows, col, component(c, 0), inner);
      serve(rows, cols, RowLayout::imaginary, swaps_, row, rows, col, component(c, 1), inner);
    }
  }

  void serve(Index lines, Index cols, RowLayout layout, bool swapped, Index row, Index rows, Index col, Matrix<T> c,
             Execution& inner) {
    const cudaStream_t stream = state_.cuda_stream();
    const Matrix<const Complex<T>> a = g_.a.block(row, 0), b = g_.b.block(0, col);
    const Matrix<const T> written_rows{row_lines_, 1, lines}, written_columns{col_lines_, 1, 2 * g_.k};
    const Matrix<const T> columns{&b.data->re, b.row_stride, 2 * b.col_stride};
    if (!as_stored_) write_rows(a, rows, g_.k, layout, g_.conjugate_a, g_.conjugate_b, transposed_, row_lines_, stream);
    if (writes_columns_) write_columns(b, g_.k, cols, swapped, col_lines_, stream);
    Gemm<T> product{lines, cols, 2 * g_.k, alpha_, written_rows, writes_columns_ ? written_columns : columns, beta_, c};
    if (as_stored_) {
      Gemm<Complex<T>> panel = g_;
      panel.m = rows;
      panel.n = cols;
      panel.a = a;
      panel.b = b;
      panel.c = g_.c.block(row, col);
      product = product_as_stored<T>(panel, alpha_, beta_);
    }
    product.wanted = g_.wanted;
    product.real_diagonal = g_.real_diagonal;
    product.zeros = g_.zeros;
    product.zeros.diagonal += g_.zeros.of_a ? row : col;
    product.zeros.paired_lines = g_.zeros.of_a && layout == RowLayout::both;
    product.zeros.paired_terms = true;
    CombinedParts<T> combined{device_scalar(call_.alpha), device_scalar(call_.beta), addend_, 2 * rows};
    if (combines_) {
      product.combined = &combined;
      if (layout != RowLayout::imaginary) combined.real = pairs_[0];
      if (layout != RowLayout::real) combined.imaginary = pairs_[1];
    }
    if (layout == RowLayout::both) product.row_pairs = g_.conjugate_b ? RowPairs::conjugated : RowPairs::complex;
    serve_(state_, Call<Gemm<T>, T>{product, {&alpha_, false}, {&beta_, false}, true, true, call_.mode, call_.engine},
           inner);
  }

  State& state_;
  const Call<Gemm<Complex<T>>, Complex<T>>& call_;
  const Gemm<Complex<T>>& g_;
  const bool transposed_, combines_, keeps_addend_;
  Execution& execution_;
  const DeviceGemmFunction<T> serve_;
  /// by_parts_ says that each component is a separate product, in dot2, whose terms have an order. as_stored_ says that
  /// the engine reads complex numbers in place, swaps_ that B's columns are written with im first for the imaginary
  /// component, and writes_columns_ that B's columns are written at all.
  const bool by_parts_, as_stored_, swaps_, writes_columns_;
  const T alpha_, beta_;
  Index rows_ = 0, cols_ = 0;
  T *row_lines_ = nullptr, *col_lines_ = nullptr;
  Pair* pairs_[2] = {};
  T* addend_ = nullptr;
};

}  // namespace

template <class T>
void complex_gemm(State& state, const Call<Gemm<Complex<T>>, Complex<T>>& call, Execution& execution,
                  DeviceGemmFunction<T> serve) {
  // The numbers of a column of C must be adjacent; a row-major C is the column-major C^T = B^T A^T.
  const bool transposed = call.problem.c.row_stride != 1 && call.problem.c.col_stride == 1;
  Gemm<Complex<T>> g = transposed ? call.problem.transposed() : call.problem;
  const bool on_device = call.alpha.on_device, scales = no_product(call);
  const bool combines = on_device || call.alpha.pointer->im != 0 || call.beta.pointer->im != 0;
  if (call.engine == ACCUBLAS_ENGINE_NATIVE && !scales)
    return on_device ? native_by_device(state, call, g, execution) : native(state, call, g, execution);
  // Emulation has no fallback candidate if it combines parts; cuBLAS keeps the promise of dp and sp.
  if (combines && !scales && is_grade(call.mode) && !call.mode.reproducible && !execution.engine_forced &&
      g.wanted == Triangle::all) {
    BlasMatrix<const Complex<T>> a, b;
    if (named_by_blas(g, a, b)) {
      std::strcpy(execution.report.engine, engine_name(ACCUBLAS_ENGINE_NATIVE));
      return on_device ? native_by_device(state, call, g, execution) : native(state, call, g, execution);
    }
  }
  require_no_target(call.mode, execution.target, sizeof(T) == 4);
  const Scalar<Complex<T>> alpha = scales ? Scalar<Complex<T>>{} : device_scalar(call.alpha),
                           beta = device_scalar(call.beta);
  AdjacentResult<T> result(state, execution, g, on_device);
  Execution& inner = result.within(execution);
  const auto scale = [&] {
    scale_if_alpha_is_zero(state.model(), g.m, g.n, g.c, alpha, beta, bit_defined(call.mode), state.cuda_stream());
  };
  if (scales) {
    state.begin_call(0);
    scale();
    state.end_call();
  } else {
    ComponentProduct<T>(state, call, g, transposed, combines, inner, serve).run();
    if (on_device && g.wanted == Triangle::all) scale();
  }
  result.put_back();
}

template Gemm<double> product_as_stored(const Gemm<Complex<double>>&, double, double);
template Gemm<float> product_as_stored(const Gemm<Complex<float>>&, float, float);
template void complex_gemm(State&, const Call<Gemm<Complex<double>>, Complex<double>>&, Execution&,
                           DeviceGemmFunction<double>);
template void complex_gemm(State&, const Call<Gemm<Complex<float>>, Complex<float>>&, Execution&,
                           DeviceGemmFunction<float>);

}  // namespace accublas::cuda
