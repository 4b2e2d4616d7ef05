// A product of level 3 is GEMM on operands that are written out if they have a structure
// (cuda/structured/structured_operands.hpp). If only a triangle of C is wanted, the INT8 engine computes no more; the
// other engines compute a square in separate memory. The INT8 engine's tiles leave out TRMM's terms beyond the triangle
// (Gemm::zeros); the other engines leave them out by bands of columns, if that changes no bit.
#include "cuda/structured/level3_call.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "cuda/core/check.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/staged_matrix.hpp"
#include "cuda/native/native_behind.hpp"
#include "cuda/native/native_call.hpp"
#include "cuda/structured/structured_operands.hpp"
#include "cuda/trsm/solve_by_halves.hpp"
#include "cuda/trsm/solve_by_sums.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/mode.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cuda {

namespace {

/// Sets the wanted elements of the result to beta times what they are, if alpha is zero. `alpha` and `beta` are in
/// device memory.
template <class E>
void scale_if_zero(State& state, const Level3<E>& l, const E* alpha, const E* beta, const Mode& mode) {
  scale_wanted(state.model(), l.result(), l.rows(), l.cols(), l.wanted(), l.hermitian_result(), Scalar<E>{E{}, alpha},
               Scalar<E>{E{}, beta}, bit_defined(mode), state.cuda_stream());
}

/// Computes a call by cuBLAS. alpha and beta are in device memory unless they are null. In that case cuBLAS reads A and
/// B, and writes the imaginary parts of a Hermitian diagonal, even if alpha turns out to be zero. So the wanted part of
/// C is kept, put back if alpha is zero, and then scaled by beta.
template <class E>
void native(State& state, const Level3<E>& l, const E* alpha, const E* beta, const Mode& mode, Execution& execution) {
  const Index rows = l.rows(), cols = l.cols();
  const bool keeps = alpha != nullptr && !is_in_place(l.kind);
  const std::size_t bytes = keeps ? static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * sizeof(E) : 0;
  with_cublas(state, execution, bytes, [&](Cublas& blas, std::byte* memory) {
    const DeviceModel& model = state.model();
    const cudaStream_t stream = state.cuda_stream();
    const Matrix<E> result = l.result(), kept{reinterpret_cast<E*>(memory), 1, rows};
    if (keeps) copy_if_zero(model, result, kept, rows, cols, l.wanted(), alpha, stream);
    blas.scalars_on_device(alpha != nullptr);
    // cuBLAS's HER2K reads the imaginary parts of C's diagonal.
    if (l.hermitian_result())
      clear_diagonal(model, result, l.n, Scalar<E>{l.alpha, alpha}, Scalar<E>{l.beta, beta}, stream);
    blas.level3(l, alpha, beta);
    if (keeps) copy_if_zero(model, kept, result, rows, cols, l.wanted(), alpha, stream);
    if (alpha != nullptr) scale_if_zero(state, l, alpha, beta, mode);
  });
}

template <class E>
void native(State& state, const Level3<E>& l, Execution& execution) {
  native<E>(state, l, nullptr, nullptr, Mode{ACCUBLAS_MODE_NATIVE}, execution);
}

/// Returns the routine of cuBLAS that computes the call if the emulation leaves it to cuBLAS.
template <class E>
NativeProduct native_product(const Level3<E>& l) {
  NativeProduct product{[l](Cublas& blas) {
    blas.scalars_on_device(false);
    blas.level3(l);
  }};
  const std::int32_t words[] = {number_of(l.routine()), l.uplo};
  product.set_key(words, l.transa, l.n, l.k, l.lda, l.ldb, l.ldc, l.a, l.b, l.c, l.alpha, l.beta);
  return product;
}

/// Whether alpha or beta may have an imaginary part, so that components of a result need both components of products.
template <class E>
bool combines_parts(const Call<Level3<E>, E>& call) {
  if constexpr (is_complex<E>) return call.alpha.on_device || call.problem.alpha.im != 0 || call.problem.beta.im != 0;
  return false;
}

template <class E>
class StructuredProduct {
 public:
  StructuredProduct(State& state, const Call<Level3<E>, E>& call, Execution& execution, DeviceGemmFunction<E> serve)
      : state_(state), call_(call), execution_(execution), serve_(serve), p_(product_of(call.problem)) {}

  void run() {
    const bool writes_rows = p_.two_pairs || p_.in_place || p_.a.structure != Structure::general;
    const bool writes_columns = p_.two_pairs || p_.b.structure != Structure::general;
    const Index terms = p_.pairs() * p_.k;
    const bool apart = p_.hermitian && p_.two_pairs && combines_parts(call_);
    const bool by_square = p_.wanted != Triangle::all && !of_int8();
    const int squares = apart ? 2 : by_square ? 1 : 0;
    E *rows = nullptr, *columns = nullptr, *square[2] = {};
    InnerCalls inside(state_, execution_, [&](Carver& carver) {
      rows = carver.take<E>(writes_rows ? p_.m * terms : 0);
      columns = carver.take<E>(writes_columns ? p_.n * terms : 0);
      for (int i = 0; i < squares; ++i) square[i] = carver.take<E>(p_.n * p_.n);
    });
    Execution& inner = inside.execution();
    if (apart) {
      multiply_apart(rows, columns, square, inner);
    } else {
      if (writes_rows) p_.a = written(rows_of(p_), p_.m, terms, rows, true);
      if (writes_columns) {
        const Structure structure = p_.b.structure;
        const Triangle part = p_.b.part;
        p_.b = written(columns_of(p_), p_.n, terms, columns, false);
        // The triangle is kept for the ranges of columns' terms; all entries are written out.
        if (structure == Structure::triangular) triangle_ = part;
      }
      by_square ? multiply_square(square[0], terms, inner) : multiply(terms, inner);
    }
    inside.end();
  }

 private:
  static constexpr Index components = is_complex<E> ? 2 : 1;

  /// Whether the engine computes only the wanted triangle.
  bool of_int8() const { return call_.engine == ACCUBLAS_ENGINE_INT8; }
  /// Whether alpha and beta are on the device; p_ has none then.
  bool on_device() const { return call_.alpha.on_device; }
  /// Returns the alpha of p_. By rows the pairs of HER2K change places, so its conjugate is used (take_factors writes
  /// it).
  const E* alpha_on_device() const {
    return call_.alpha.pointer + (p_.two_pairs && call_.problem.conjugate_alpha ? 2 : 0);
  }
  Scalar<E> alpha() const { return on_device() ? Scalar<E>{E{}, alpha_on_device()} : Scalar<E>{p_.alpha, nullptr}; }
  Scalar<E> beta() const { return on_device() ? device_scalar(call_.beta) : Scalar<E>{p_.beta, nullptr}; }
  const DeviceModel& model() const { return state_.model(); }
  cudaStream_t stream() const { return state_.cuda_stream(); }

  accublas::Operand<E> written(const ProductLines<E>& lines, Index count, Index terms, E* to, bool rows) {
    write_lines(model(), lines, count, terms, to, stream());
    const Matrix<const E> as_rows{to, terms, 1};
    return {rows ? as_rows : as_rows.transposed()};
  }

  /// Serves a product. A `transposed` product is the transpose of the product that was requested, and is computed as
  /// that one, because dot2 is a sequence of operations. For cuBLAS the strides of a matrix without rows or columns
  /// must be BLAS's.
  void serve(Gemm<E> g, accublas_engine engine, Execution& inner) {
    if (p_.transposed && engine != ACCUBLAS_ENGINE_NATIVE) g = g.transposed();
    const ScalarArgument<E> alpha{&g.alpha, false}, beta{&g.beta, false};
    serve_(state_,
           Call<Gemm<E>, E>{g, on_device() ? ScalarArgument<E>{alpha_on_device(), true} : alpha,
                            on_device() ? call_.beta : beta, true, true, call_.mode, engine},
           inner);
  }

  Gemm<E> gemm(Index terms, Matrix<E> c) const {
    return {p_.m, p_.n, terms, p_.alpha, p_.a.stored, p_.b.stored, p_.beta, c, p_.a.conjugate, p_.b.conjugate};
  }

  void multiply(Index terms, Execution& inner) {
    Gemm<E> g = gemm(terms, p_.c);
    g.wanted = p_.wanted;
    g.real_diagonal = p_.hermitian;
    if (triangle_ == Triangle::all) {
      std::optional<NativeProduct> native;
      if (p_.wanted != Triangle::all && call_.problem.kind != Operation::gemmt && !on_device())
        native.emplace(native_product(call_.problem));
      {
        const NativeScope left_to(state_, native ? &*native : nullptr);
        serve(g, call_.engine, inner);
      }
      if (p_.hermitian) clear_diagonal(model(), p_.c, p_.n, alpha(), beta(), stream());
      if (on_device() && p_.wanted != Triangle::all) scale_result();
      return;
    }
    // Bands change no bits of cr and dot2, and none that dp promises.
    const Mode& mode = call_.mode;
    const bool free = is_grade(mode) && !mode.reproducible;
    if (!free && mode.kind != ACCUBLAS_MODE_CR && mode.kind != ACCUBLAS_MODE_DOT2) {
      g.zeros.part = triangle_;
      serve(g, call_.engine, inner);
    } else {
      BatchScope scope(state_, execution_.report.level, p_.n > tuning_.least_band);
      multiply_bands(g, free && !execution_.engine_forced ? ACCUBLAS_ENGINE_NATIVE : call_.engine, inner);
      scope.end();
    }
    Product<E> fixed_up = p_;
    fixed_up.b.structure = Structure::triangular;
    fixed_up.b.part = triangle_;
    fix_rows(model(), fixed_up, alpha(), stream());
  }

  /// Multiplies bands of columns with the terms that they have. From the full end each band takes half of the columns
  /// that are left, so that at least half of its terms exist. The engine `last` computes the rest.
  void multiply_bands(const Gemm<E>& g, accublas_engine last, Execution& inner) {
    const bool upper = triangle_ == Triangle::upper;
    const Index n = p_.n;
    for (Index left = n; left > 0;) {
      const Index half = round_up(left / 2, 256), kept = left > tuning_.least_band ? std::min(half, left - 1) : 0;
      const Index j = upper ? kept : n - left;
      Gemm<E> band = g;
      band.n = left - kept;
      const Index first = upper ? 0 : j * components / dot2_block * dot2_block / components;
      band.k = (upper ? j + band.n : p_.k) - first;
      band.a = g.a.block(0, first);
      band.b = g.b.block(first, j);
      band.c = g.c.block(0, j);
      band.zeros = {triangle_, false, j - first};
      with_written(left < n, [&] { serve(band, kept == 0 ? last : call_.engine, inner); });
      left = kept;
    }
  }

  void multiply_square(E* square, Index terms, Execution& inner) {
    const TriangleOfResult<E> triangle{p_.c, p_.n, p_.wanted, p_.hermitian, alpha(), beta()};
    if (on_device() || !(p_.beta == 0)) gather_triangle(model(), triangle, square, stream());
    serve(gemm(terms, {square, 1, p_.n}), call_.engine, inner);
    scatter_triangle(model(), triangle, square, stream());
  }

  /// Computes a HER2K whose alpha has an imaginary part. With S and D of docs/modes.md, Re alpha Re S - Im alpha Im D
  /// is the real part of alpha (A B + conj(A2 B2)), and Re alpha Im S + Im alpha Re D is the imaginary part of alpha (A
  /// B - conj(A2 B2)). These are two products, each in a separate square. Both parts of their diagonals count for T*,
  /// as Im D does.
  void multiply_apart(E* rows, E* cols, E* const (&square)[2], Execution& inner) {
    if constexpr (is_complex<E>) {
      const Index n = p_.n, terms = 2 * p_.k;
      const TriangleOfResult<E> triangle{p_.c, n, p_.wanted, true, alpha(), beta()};
      ProductLines<E> a = rows_of(p_), b = columns_of(p_);
      a.second.conjugate = !a.second.conjugate;
      b.second.conjugate = !b.second.conjugate;
      p_.a = written(a, n, terms, rows, true);
      BatchScope scope(state_, execution_.report.level);
      for (const bool difference : {false, true}) {
        b.negate_second = difference;
        p_.b = written(b, n, terms, cols, false);
        E* const result = square[difference];
        if (on_device() || !(p_.beta == 0)) gather_triangle(model(), triangle, result, stream());
        Gemm<E> g = gemm(terms, {result, 1, n});
        if (of_int8()) g.wanted = p_.wanted;
        serve(g, call_.engine, inner);
      }
      scope.end();
      copy_matrix<RealOf<E>>({&square[0]->re, 2, 2 * n}, {&square[1]->re, 2, 2 * n}, n, n, nullptr, stream());
      scatter_triangle(model(), triangle, square[1], stream());
      if (on_device() && of_int8()) scale_result();
    }
  }

  /// Scales the wanted triangle, which engine int8 leaves alone, if alpha, in device memory, is zero.
  void scale_result() { scale_if_zero(state_, call_.problem, alpha_on_device(), call_.beta.pointer, call_.mode); }

  State& state_;
  const Level3Tuning& tuning_ = state_.model().tuning().level3;
  const Call<Level3<E>, E>& call_;
  Execution& execution_;
  const DeviceGemmFunction<E> serve_;
  Product<E> p_;
  Triangle triangle_ = Triangle::all;  ///< of B, where that is triangular
};

/// Calls a function with alpha and beta as numbers of type E, in either memory space.
template <class E>
void level3_by_factors(State& state, const Call<Level3<E>, E>& call, Execution& execution,
                       DeviceGemmFunction<E> serve) {
  const Level3<E>& l = call.problem;
  const bool on_device = call.alpha.on_device;
  if (no_product(l.terms(), call.alpha)) {
    state.begin_call(0);
    scale_wanted(state.model(), l.result(), l.rows(), l.n, l.wanted(), l.hermitian_result(), Scalar<E>{},
                 device_scalar(call.beta), bit_defined(call.mode), state.cuda_stream());
    return state.end_call();
  }
  if (l.kind == Operation::trsm && (call.engine == ACCUBLAS_ENGINE_SUMS || call.engine == ACCUBLAS_ENGINE_DOT2)) {
    solve_by_sums<E>(state, system_of(l), on_device ? call.alpha.pointer : nullptr, call.mode, execution);
    // The sums read A even if alpha turns out to be zero.
    if (on_device) scale_if_zero(state, l, call.alpha.pointer, call.beta.pointer, call.mode);
    return;
  }
  const bool joins = combines_parts(call);
  // The emulation has no fallback candidate there; cuBLAS keeps the promise of dp and sp.
  const bool left_to_native =
      (joins || on_device) && is_grade(call.mode) && !call.mode.reproducible && !execution.engine_forced;
  // cuBLAS's products between halves of the unknowns may compute dp if cuBLAS's own routine does not.
  const bool by_halves = l.kind == Operation::trsm && !on_device && !joins && is_grade(call.mode) &&
                         !execution.engine_forced && pays_by_halves(state.model().tuning().trsm, system_of(l));
  if ((call.engine == ACCUBLAS_ENGINE_NATIVE || left_to_native) && l.kind != Operation::gemmt && !by_halves) {
    std::strcpy(execution.report.engine, engine_name(ACCUBLAS_ENGINE_NATIVE));
    return native<E>(state, l, on_device ? call.alpha.pointer : nullptr, on_device ? call.beta.pointer : nullptr,
                     call.mode, execution);
  }
  if (l.kind == Operation::trsm && on_device)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "engine int8 of TRSM on a GPU needs alpha in host memory");
  // alpha decides whether the imaginary part of a diagonal counts for T*.
  if (l.kind == Operation::her2k && on_device && is_grade(call.mode) && call.mode.reproducible)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "HER2K in dp:repro with k > " + std::to_string(most_terms_as_cr / 4) +
                                                " needs alpha in host memory on a GPU");
  if (l.kind == Operation::trsm) return solve_by_halves(state, call, execution, serve, native<E>);
  require_no_target(call.mode, execution.target, is_single_precision<E>);
  StructuredProduct<E>(state, call, execution, serve).run();
}

}  // namespace

template <class E>
void level3_call(State& state, const Call<Level3<E>, E>& call, Execution& execution, DeviceGemmFunction<E> serve) {
  if (!call.alpha.on_device) return level3_by_factors(state, call, execution, serve);
  const Level3<E>& l = call.problem;
  E* factors = nullptr;
  InnerCalls inside(state, execution, [&](Carver& carver) { factors = carver.take<E>(2); });
  const auto parts = [](const E* factor) { return reinterpret_cast<const RealOf<E>*>(factor); };
  take_factors<E>(state.model(),
                  {parts(call.alpha.pointer), is_in_place(l.kind) ? nullptr : parts(call.beta.pointer), l.real_alpha(),
                   l.real_beta(), l.conjugate_alpha},
                  factors, state.cuda_stream());
  level3_by_factors(state,
                    Call<Level3<E>, E>{l, {factors, true}, {factors + 1, true}, true, true, call.mode, call.engine},
                    inside.execution(), serve);
}

template <class E>
void staged_level3(State& state, const Call<Level3<E>, E>& call, Execution& execution, DeviceGemmFunction<E> serve) {
  Level3<E> l = call.problem;
  const cudaStream_t stream = state.cuda_stream();
  const bool sides = is_symm(l.kind) || is_in_place(l.kind), product = !(l.alpha == 0) && l.terms() != 0;
  const bool plain_a = l.transa == ACCUBLAS_NO_TRANS;
  const bool plain_b = l.kind == Operation::gemmt ? l.transb != ACCUBLAS_NO_TRANS : plain_a;
  const auto read = [&](const E* host) { return product ? const_cast<E*>(host) : nullptr; };
  StagedMatrix<E> a({read(l.a), 1, l.lda},
                    sides     ? l.order()
                    : plain_a ? l.n
                              : l.k,
                    sides     ? l.order()
                    : plain_a ? l.k
                              : l.n);
  StagedMatrix<E> b({read(l.b), 1, l.ldb}, sides ? l.m : plain_b ? l.n : l.k, sides ? l.n : plain_b ? l.k : l.n);
  StagedMatrix<E> c(l.result(), l.rows(), l.n);
  const CallMemory memory(state, a.bytes() + b.bytes() + c.bytes());
  std::byte* next = memory.data();
  const Matrix<E> a_copy = a.take(next), b_copy = b.take(next), c_copy = c.take(next);
  l.a = a_copy.data, l.b = b_copy.data, l.c = c_copy.data;
  if (l.a) a.copy_in(stream);
  if (l.b) b.copy_in(stream);
  if (is_in_place(l.kind) || !(l.beta == 0)) c.copy_in(stream);
  l.lda = a_copy.col_stride;
  (is_in_place(l.kind) ? l.ldb : l.ldc) = c_copy.col_stride;
  if (l.b) l.ldb = b_copy.col_stride;
  level3_call(state, Call<Level3<E>, E>{l, call.alpha, call.beta, true, true, call.mode, call.engine}, execution,
              serve);
  execution.report.copied_bytes += static_cast<std::int64_t>(a.bytes() + b.bytes() + 2 * c.bytes());
  CallState found{};
  state.copy_state(&found);
  check(cudaStreamSynchronize(stream), "waiting for a call");
  if (found.not_covered) {
    state.forget_call();
    throw Error(ACCUBLAS_ERROR_C_UNDEFINED, not_covered_message);
  }
  // The part of C outside of the wanted triangle stays as it is.
  const bool upper = l.wanted() == Triangle::upper;
  if (l.wanted() == Triangle::all)
    c.copy_out(stream);
  else
    c.copy_out([&](Index j) { return upper ? 0 : j; }, [&](Index j) { return upper ? j + 1 : l.n; }, stream);
  check(cudaStreamSynchronize(stream), "waiting for a call");
}

#define ACCUBLAS_INSTANTIATE(E)                                                                    \
  template void level3_call(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E>); \
  template void staged_level3(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E>);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
