// Computes products with one column. The vector kernels read complex, symmetric and Hermitian operands as they are
// stored. `slices` takes the real lines of lib/cpu/structured/components.hpp, and so does cuBLAS's real GEMV if it
// computes a complex product. The rows of A are such lines if complex numbers are adjacent along them. Other rows, and
// those of a triangular matrix, are written out, as many at a time as the workspace has room for. combined_rows.hpp
// computes products whose alpha or beta has an imaginary part, from rows that are written out if A is structured. If
// alpha and beta are in device memory, both ways are launched, and one of them finds nothing to do.
#include "cuda/structured/vector_product.hpp"

#include <algorithm>

#include "cuda/core/component.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/fp64/slices.hpp"
#include "cuda/native/native.hpp"
#include "cuda/native/native_call.hpp"
#include "cuda/structured/combined_rows.hpp"
#include "cuda/structured/structured_operands.hpp"
#include "cuda/structured/vector_lines.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

template <class T>
bool combines_parts(const T&, const T&) {
  return false;
}
template <class T>
bool combines_parts(const Complex<T>& alpha, const Complex<T>& beta) {
  return alpha.im != 0 || beta.im != 0;
}

/// Returns the mode of a call that is not a real product. dp and sp that only engine native could compute get cr's
/// values.
Mode combined_mode(const Mode& mode) {
  const bool defined =
      mode.kind == ACCUBLAS_MODE_DOT2 || mode.kind == ACCUBLAS_MODE_FIXED || mode.kind == ACCUBLAS_MODE_SLICES;
  return defined ? mode : Mode{ACCUBLAS_MODE_CR};
}

template <class E>
class LinesProduct {
  using T = RealOf<E>;

 public:
  LinesProduct(State& state, const VectorProduct<E>& p, ScalarArgument<E> alpha, ScalarArgument<E> beta,
               const Mode& mode, accublas_engine engine, Execution& execution)
      : state_(state), p_(p), alpha_(alpha), beta_(beta), mode_(mode), engine_(engine), execution_(execution) {}

  void run() {
    const bool there = alpha_.on_device, combines = there || combines_parts(*alpha_.pointer, *beta_.pointer);
    const bool triangular = p_.a.structure == Structure::triangular;
    const Workspace& workspace = execution_.workspace;
    // The entries of a structured matrix are found from its first line on, and lines that are not written out need no
    // room.
    const bool by_room = p_.a.structure == Structure::general && !rows_as_stored();
    const std::size_t cap = workspace.buffer() && !workspace.least() ? workspace.buffer_bytes() : workspace.cap();
    const Index room = static_cast<Index>(cap / 2 / sizeof(E)) / p_.k;
    const Index rows = by_room ? std::clamp<Index>(room, 1, p_.m) : p_.m;
    T* column[components] = {};
    E *line = nullptr, *copy = nullptr;
    T* scalars = nullptr;
    const bool copies_x = triangular || !read_in_place(p_.x.data), writes_columns = is_complex<E> && !by_kernels();
    const auto lay_out = [&](Carver& carver) {
      line = carver.take<E>(rows_as_stored() ? 0 : rows * p_.k);
      copy = carver.take<E>(copies_x ? p_.k : 0);
      for (T*& to : column) to = carver.take<T>(writes_columns ? terms() : 0);
      scalars = carver.take<T>(there && is_complex<E> ? 2 : 0);
    };
    InnerCalls inside(state_, execution_, lay_out);
    const bool one_call = by_kernels() && rows_as_stored() && !copies_x && !combines;
    BatchScope scope(state_, execution_.report.level, !one_call);

    Vector<const E> x = p_.x;
    if (copies_x) {  // the y of a triangular product overwrites x, and fix_rows reads x at the end
      write_lines(model(), row_of(x), 1, p_.k, copy, stream());
      x = {copy, 1};
    }
    const bool conjugate = rows_as_stored() && p_.a.conjugate;
    if constexpr (is_complex<E>) {
      if (writes_columns) write_column_lines(model(), x, p_.k, conjugate, {column[0], column[1]}, stream());
      if (there) real_scalars(model(), device_scalar(alpha_), device_scalar(beta_), scalars, stream());
    }
    for (Index row = 0; row < p_.m; row += rows) {
      const Index count = std::min(rows, p_.m - row);
      Matrix<const E> a{line, p_.k, 1};
      if (rows_as_stored()) {
        a = p_.a.stored;
      } else {
        accublas::Operand<E> block = p_.a;
        if (row > 0) block.stored = block.stored.block(row, 0);
        write_lines(model(), ProductLines<E>{block, {}, p_.k}, count, p_.k, line, stream());
      }
      const Gemv<E> rows_product{count, p_.k, E{}, a, x, E{}, {p_.y.data + row * p_.y.stride, p_.y.stride}, conjugate};
      if (there || !combines) multiply(rows_product, column, scalars, inside.execution());
      if constexpr (is_complex<E>)
        if (combines) combine(rows_product);
      wrote_ = true;
    }
    if (triangular) {
      Product<E> fixed_up{1, p_.m, p_.k, E{1}, {{copy, 0, 1}}, {}, E{}, {p_.y.data, 0, p_.y.stride}};
      fixed_up.b = p_.a.transposed();
      fixed_up.b.stored = {line, 1, p_.k};
      fixed_up.b.conjugate = false;
      fix_rows(model(), fixed_up, Scalar<E>{E{1}, nullptr}, stream());
    }
    scope.end();
    inside.end();
  }

 private:
  static constexpr Index components = is_complex<E> ? 2 : 1;

  const DeviceModel& model() const { return state_.model(); }
  cudaStream_t stream() const { return state_.cuda_stream(); }
  Index terms() const { return components * p_.k; }

  bool by_kernels() const { return by_vector_kernels(mode_, engine_); }
  /// Returns whether the rows are used as stored. The lines of x take account of a conjugation (write_column_lines).
  bool rows_as_stored() const {
    return is_complex<E> && p_.a.structure == Structure::general && read_in_place(p_.a.stored.data) &&
           (by_kernels() || p_.a.stored.col_stride == 1);
  }
  ProductLines<E> row_of(const Vector<const E>& x) const { return {{{x.data, 0, x.stride}}, {}, p_.k}; }

  /// Multiplies rows for real alpha and beta. `column` has the lines of x; the vector kernels do not use it.
  void multiply(const Gemv<E>& g, T* const (&column)[components], const T* scalars, Execution& inner) {
    const bool there = alpha_.on_device;
    const ScalarArgument<T> alpha{there && is_complex<E> ? scalars : component_of(alpha_.pointer, 0), there},
        beta{there && is_complex<E> ? scalars + 1 : component_of(beta_.pointer, 0), there};
    with_written(wrote_, [&] {
      if (by_kernels()) return gemv_by_kernels(state_, g, device_scalar(alpha), device_scalar(beta), mode_, inner);
      for (int part = 0; part < components; ++part) {
        Gemv<T> lines{g.m, terms(), T(0), {}, {column[part], 1}, T(0), {}};
        if (!there) lines.alpha = *alpha.pointer, lines.beta = *beta.pointer;
        lines.a = {component_of(g.a.data, 0), components * g.a.row_stride, 1};
        if constexpr (!is_complex<E>) lines.x = g.x;
        lines.y = {component_of(g.y.data, part), components * g.y.stride};
        gemv_call(state_, Call<Gemv<T>, T>{lines, alpha, beta, true, true, mode_, engine_}, inner);
        wrote_ = true;
      }
    });
  }

  void combine(const Gemv<E>& g) {
    CombinedRows<T> combined{
        g.m, g.k, g.a, g.conjugate_a, g.x, g.y, device_scalar(alpha_), device_scalar(beta_), combined_mode(mode_), 0};
    accublas_report_t& report = execution_.report;
    if (combined.mode.kind == ACCUBLAS_MODE_FIXED) report.bits = mode_.parameter;
    if (combined.mode.kind == ACCUBLAS_MODE_SLICES) {
      report.parts = std::max(report.parts, mode_.parameter);
      combined.rho = slice_scheme(mode_.parameter, mode_.fast, terms()).rho;
    }
    if (combined.mode.kind == ACCUBLAS_MODE_CR && engine_ != ACCUBLAS_ENGINE_NATIVE)
      put_bound(report, rounded_once<T>());
    combined_rows(model(), combined, stream());
  }

  State& state_;
  const VectorProduct<E>& p_;
  const ScalarArgument<E> alpha_, beta_;
  const Mode& mode_;
  const accublas_engine engine_;
  Execution& execution_;
  bool wrote_ = false;
};

constexpr std::size_t result_bytes = 256;

/// Converts a number in device memory to the caller's result.
template <class T>
void deliver(State& state, const T* from, T* to, bool to_device) {
  const cudaStream_t stream = state.cuda_stream();
  copy_on_stream(to, from, sizeof(T), to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, stream,
                 "reading a result");
  if (!to_device) wait_on_host(stream, "waiting for a result");
}

}  // namespace

template <class E>
void vector_product(State& state, const VectorProduct<E>& p, ScalarArgument<E> alpha, ScalarArgument<E> beta,
                    const Mode& mode, accublas_engine engine, Execution& execution) {
  require_no_target(mode, execution.target, is_single_precision<E>);
  if (!alpha.on_device && *alpha.pointer == 0) {
    state.begin_call(0);
    scale_wanted<E>(state.model(), {p.y.data, p.y.stride, 0}, p.m, 1, Triangle::all, false, Scalar<E>{},
                    Scalar<E>{*beta.pointer, nullptr}, bit_defined(mode), state.cuda_stream());
    return state.end_call();
  }
  using T = RealOf<E>;
  const bool mirrored = p.a.structure == Structure::symmetric || p.a.structure == Structure::hermitian;
  if (mirrored && by_vector_kernels(mode, engine) && !alpha.on_device &&
      !combines_parts(*alpha.pointer, *beta.pointer) && read_in_place(p.a.stored.data) && read_in_place(p.x.data))
    return symv_by_kernels(state, Symv<E>{p.m, p.a, p.x, p.y},
                           device_scalar(ScalarArgument<T>{component_of(alpha.pointer, 0), false}),
                           device_scalar(ScalarArgument<T>{component_of(beta.pointer, 0), false}), mode, execution);
  LinesProduct<E>(state, p, alpha, beta, mode, engine, execution).run();
}

template <class T>
void complex_gemv(State& state, const Call<Gemv<Complex<T>>, Complex<T>>& call, Execution& execution) {
  const Gemv<Complex<T>>& g = call.problem;
  const bool product = call.alpha.on_device || !(*call.alpha.pointer == T(0));
  if (call.engine == ACCUBLAS_ENGINE_NATIVE && product && native_has(g))
    return with_cublas(state, execution, 0, [&](Cublas& cublas, std::byte*) {
      native_gemv(cublas, g, device_scalar(call.alpha), device_scalar(call.beta));
    });
  vector_product(state, VectorProduct<Complex<T>>{g.m, g.k, {g.a, g.conjugate_a}, g.x, g.y}, call.alpha, call.beta,
                 call.mode, call.engine, execution);
}

template <class T>
void complex_dot(State& state, const Call<Dot<Complex<T>>, Complex<T>>& call, Execution& execution) {
  using E = Complex<T>;
  const Dot<E>& d = call.problem;
  const bool to_device = call.result_on_device;
  if (!to_device) state.require_not_captured("a result for the host");
  require_no_target(call.mode, execution.target, sizeof(T) == 4);
  if (d.n == 0) return write_zero(state, d.result, execution);
  if (call.engine == ACCUBLAS_ENGINE_NATIVE && native_has(d))
    return with_cublas(state, execution, result_bytes, [&](Cublas& cublas, std::byte* memory) {
      Dot<E> there = d;
      there.result = reinterpret_cast<E*>(memory);
      native_dot(cublas, there);
      deliver(state, there.result, d.result, to_device);
    });
  const bool by_kernels = by_vector_kernels(call.mode, call.engine),
             copies_x = by_kernels ? !read_in_place(d.x.data) : d.x.stride != 1,
             copies_y = by_kernels && !read_in_place(d.y.data);
  E *x_copy = nullptr, *y_copy = nullptr, *result = nullptr;
  T* column[2] = {};
  const auto lay_out = [&](Carver& carver) {
    x_copy = carver.take<E>(copies_x ? d.n : 0);
    y_copy = carver.take<E>(copies_y ? d.n : 0);
    result = carver.take<E>(by_kernels ? 0 : 1);
    for (T*& to : column) to = carver.take<T>(by_kernels ? 0 : 2 * d.n);
  };
  InnerCalls inside(state, execution, lay_out);
  const cudaStream_t stream = state.cuda_stream();
  const auto copy = [&](Vector<const E>& v, E* to) {
    write_lines(state.model(), ProductLines<E>{{{v.data, 0, v.stride}}, {}, d.n}, 1, d.n, to, stream);
    v = {to, 1};
  };
  Dot<E> read = d;
  if (copies_x) copy(read.x, x_copy);
  if (copies_y) copy(read.y, y_copy);
  if (by_kernels) {
    dot_by_kernels(state, Call<Dot<E>, E>{read, call.alpha, call.beta, true, to_device, call.mode, call.engine},
                   inside.execution());
    return inside.end();
  }
  BatchScope scope(state, execution.report.level);
  write_column_lines(state.model(), d.y, d.n, d.conjugate_x, {column[0], column[1]}, stream);
  for (int part : {0, 1}) {
    const Dot<T> dot{2 * d.n, {&read.x.data->re, 1}, {column[part], 1}, component_of(result, part)};
    dot_call(state, Call<Dot<T>, T>{dot, {}, {}, true, true, call.mode, call.engine}, inside.execution());
  }
  scope.end();
  inside.end();
  deliver(state, result, d.result, to_device);
}

template <class T>
void mixed_dot(State& state, const Call<MixedDot<T>, T>& call, Execution& execution) {
  const MixedDot<T>& d = call.problem;
  const cudaStream_t stream = state.cuda_stream();
  const Mode cr{ACCUBLAS_MODE_CR};
  if (!call.result_on_device) state.require_not_captured("a result for the host");
  constexpr bool adds = sizeof(T) == sizeof(float);
  T *result = nullptr, *x = nullptr, *y = nullptr;
  InnerCalls inside(state, execution, [&](Carver& carver) {
    result = carver.take<T>(1);
    x = carver.take<T>(adds ? 0 : d.n);
    y = carver.take<T>(adds ? 0 : d.n);
  });
  Execution& inner = inside.execution();
  const T one = 1;
  if constexpr (adds) {
    if (call.alpha.on_device)
      copy_on_stream(result, call.alpha.pointer, sizeof(T), cudaMemcpyDeviceToDevice, stream, "copying sb");
    else
      set_scalar(result, d.addend, stream);
    const Gemv<T> row{1, d.n, one, {d.x.data, 0, d.x.stride}, d.y, one, {result, 1}};
    if (d.n > 0) {
      gemv_call(state, Call<Gemv<T>, T>{row, {&one, false}, {&one, false}, true, true, cr, ACCUBLAS_ENGINE_SUMS},
                inner);
    } else {
      state.begin_native_call(execution.report.level);
      state.end_call();
    }
  } else {
    if (d.n > 0) {
      widen(state.model(), d.x, d.n, x, stream);
      widen(state.model(), d.y, d.n, y, stream);
    }
    const Dot<T> dot{d.n, {x, 1}, {y, 1}, result};
    dot_call(state, Call<Dot<T>, T>{dot, {}, {}, true, true, cr, ACCUBLAS_ENGINE_SUMS}, inner);
  }
  inside.end();
  deliver(state, result, d.result, call.result_on_device);
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                    \
  template void vector_product(State&, const VectorProduct<T>&, ScalarArgument<T>, ScalarArgument<T>, const Mode&, \
                               accublas_engine, Execution&);                                                       \
  template void vector_product(State&, const VectorProduct<Complex<T>>&, ScalarArgument<Complex<T>>,               \
                               ScalarArgument<Complex<T>>, const Mode&, accublas_engine, Execution&);              \
  template void complex_gemv(State&, const Call<Gemv<Complex<T>>, Complex<T>>&, Execution&);                       \
  template void complex_dot(State&, const Call<Dot<Complex<T>>, Complex<T>>&, Execution&);                         \
  template void mixed_dot(State&, const Call<MixedDot<T>, T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
