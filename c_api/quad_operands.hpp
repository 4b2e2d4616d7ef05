// The operands of calls beyond double precision as views where they lie or in host memory, and the frame of such a
// call.
#pragma once

#include <array>
#include <bit>
#include <optional>

#include "c_api/host_matrix.hpp"
#include "c_api/steps.hpp"
#include "c_api/views.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/overlap.hpp"
#include "lib/quad/calls.hpp"
#include "lib/quad/device.hpp"
#include "lib/runtime/report.hpp"

namespace accublas::quad {

/// The name of a routine of binary128 or double-double numbers.
template <Format F>
constexpr const char* word(const char* of_quad, const char* of_pair) {
  return F == Format::binary128 ? of_quad : of_pair;
}

/// A call from its settings to its report, in accublas's floating-point environment. The mode is cr. If the call does
/// not round the exact result once, as `rounds_once` says, it promises no bound, and a target has no effect.
class QuadScope {
 public:
  QuadScope(Context& context, const char* routine, Format format, std::int64_t m, std::int64_t n, std::int64_t k,
            const accublas_options* options, std::int64_t batch_count = 1, bool rounds_once = true)
      : context_(context) {
    const Routine gemm{Operation::gemm, Type::d};
    std::optional<Level> level;
    if (options) level = call_level(*options);
    settings_ = resolve(gemm, level ? &*level : nullptr, context.level, valid_environment().level, build_settings());
    if (settings_.source == ModeSource::call && settings_.mode.kind != ACCUBLAS_MODE_CR)
      throw Error(ACCUBLAS_ERROR_MODE, std::string(routine) + " has the mode cr alone");
    const accublas_engine engine = settings_.engine;
    if (engine != ACCUBLAS_ENGINE_AUTO && engine != ACCUBLAS_ENGINE_INT8 && engine != ACCUBLAS_ENGINE_SUMS)
      throw Error(ACCUBLAS_ERROR_ENGINE, std::string(routine) + " has the engines int8 and sums");
    Plan plan;
    plan.routine = gemm;
    plan.mode = Mode{ACCUBLAS_MODE_CR};
    plan.source = settings_.source;
    plan.engine_forced = engine != ACCUBLAS_ENGINE_AUTO;
    plan.engine = ACCUBLAS_ENGINE_SUMS;
    plan.backend_reason = "these products are computed on the CPU";
    context.last.begin(plan);
    context.last.routine = routine;
    accublas_report_t& report = context.last.numbers;
    report.m = m;
    report.n = n;
    report.k = k;
    report.batch_count = batch_count;
    report.level = settings_.report_level;
    call.steps = steps_of(context, settings_);
    call.steps.what = "the product";
    call.steps.report = &report;
    report.threads = call.steps.threads;
    // The exact result rounded once: abs(result - exact) <= u abs(exact) + half of the least subnormal number, for
    // which the report has no smaller number than 2^-1074.
    report.bound_relative = format == Format::binary128 ? 0x1p-113 : format == Format::pair ? 0x1p-106 : 0x1p-53;
    report.bound_absolute = 0x1p-1074;
    if (!rounds_once)
      put_bound(report, {0, std::numeric_limits<double>::infinity(), 0});
    else if (settings_.target > 0 && !keeps(bound_of(report), settings_.target))
      throw Error(ACCUBLAS_ERROR_ACCURACY, std::string(routine) + " rounds once, to " +
                                               scientific(report.bound_relative) + ", which misses the target " +
                                               scientific(settings_.target));
    call.wanted = engine;
  }
  /// Where a call of so many terms runs that reads or writes all of these arrays.
  struct Place {
    bool on_device = false;           ///< a device computes
    bool operands_on_device = false;  ///< all arrays are there
    int device = -1;
  };
  Place place(std::span<const Named> arrays, std::int64_t m, std::int64_t n, std::int64_t k) const {
    // The digits of long accumulators on devices have room for 2^31 products, of which a term of two pairs has four.
    constexpr std::int64_t most_terms = INT32_MAX / 4;
    std::size_t there = 0;
    int device = -1;
    bool one_device = true;
    for (const Named& array : arrays) {
      const Location location = locate(context_, array);
      if (!location.is_on_device()) continue;
      ++there;
      one_device = one_device && (device < 0 || device == location.device);
      device = location.device;
    }
    std::string reason;
    if (settings_.backend == ACCUBLAS_BACKEND_CPU || k > most_terms || cuda_backend().device_count(reason) == 0)
      return {};
    if (there == arrays.size() && one_device) return {true, true, device};
    if (there > 0) return {};
    const bool worth = settings_.backend == ACCUBLAS_BACKEND_CUDA || worth_copying(m, n, k);
    return {worth, false, -1};
  }

  /// Calls run(DeviceCall&), which computes at a place on a device.
  template <class Run>
  void run_there(const Place& place, bool result_on_host, Run&& run) {
    BackendState& state = context_.state_on(place.device, "the operands are");
    const bool buffer = context_.workspace && cuda_backend().locate(context_.workspace).is_on_device();
    DeviceCall there{&state,
                     place.operands_on_device,
                     call.wanted,
                     ACCUBLAS_ENGINE_SUMS,
                     settings_.workspace_bytes >= 0 ? static_cast<std::size_t>(settings_.workspace_bytes)
                                                    : cuda_backend().default_workspace(state.device()),
                     buffer ? context_.workspace : nullptr,
                     buffer ? context_.workspace_bytes : 0,
                     call.steps.report};
    there.result_on_host = result_on_host;
    run(there);
    call.used = there.used;
    call.steps.peak = std::max(call.steps.peak, there.peak);
    context_.last.plan.backend = ACCUBLAS_BACKEND_CUDA;
    context_.last.plan.backend_reason = place.operands_on_device ? "device operands" : "host operands worth copying";
  }

  /// Computes a product with terms at a place that `place` has chosen for it.
  void multiply_at(const Place& place, const Product& product, bool result_on_host = false) {
    if (!place.on_device) return multiply(product, call);
    try {
      run_there(place, result_on_host, [&](DeviceCall& there) { multiply_on_device(product, there); });
    } catch (const Error& error) {
      // The CPU computes on host operands that a device has no memory for.
      if (place.operands_on_device || error.status() != ACCUBLAS_ERROR_MEMORY) throw;
      multiply(product, call);
    }
  }

  void finish() {
    context_.last.plan.engine = call.used;
    accublas_report_t& report = context_.last.numbers;
    report.workspace_bytes = static_cast<std::int64_t>(call.steps.peak);
    if (report.level >= 1 || settings_.verbose > 0) report.ms_total = watch_.milliseconds();
    if (settings_.verbose > 0) print_call(full_report(context_), true, false);
  }
  int threads() const { return call.steps.threads; }

  QuadCall call{};

 private:
  Context& context_;
  FpEnvironment environment_;
  Settings settings_;
  Stopwatch watch_;
};

inline std::int64_t size_of(Format format) { return static_cast<std::int64_t>(bytes_of(format)); }

/// A stored matrix in host memory: the caller's own, or a copy of the caller's matrix in device memory. The low parts
/// of pairs may be a matrix of their own.
class Stored {
 public:
  Stored() = default;
  Stored(Context& context, const char* name, Format format, const void* data, accublas_layout layout, std::int64_t rows,
         std::int64_t cols, std::int64_t ld, bool reads = true)
      : format_(format), by_columns_(layout == ACCUBLAS_COL_MAJOR) {
    if (format == Format::binary64)
      high_ = HostMatrix<double>(context, name, data, layout, rows, cols, ld, reads);
    else
      whole_ = HostMatrix<Binary128>(context, name, data, layout, rows, cols, ld, reads);
  }
  /// Pairs as two matrices.
  Stored(Context& context, const char* high_name, const void* high, const char* low_name, const void* low,
         accublas_layout layout, std::int64_t rows, std::int64_t cols, std::int64_t ld, bool reads = true)
      : format_(Format::pair),
        split_(true),
        by_columns_(layout == ACCUBLAS_COL_MAJOR),
        high_(context, high_name, high, layout, rows, cols, ld, reads),
        low_(context, low_name, low, layout, rows, cols, ld, reads) {}

  Operand operand(accublas_transpose trans = ACCUBLAS_NO_TRANS) const {
    const std::int64_t ld = format_ == Format::binary64 || split_ ? high_.ld() : whole_.ld();
    const bool adjacent = by_columns_ == (trans == ACCUBLAS_NO_TRANS);
    const void* const data =
        format_ == Format::binary64 || split_ ? static_cast<const void*>(high_.data()) : whole_.data();
    Operand x = view(format_, data, adjacent ? 1 : ld, adjacent ? ld : 1);
    if (split_) {
      x.low = low_.data();
      x.step = 1;
    }
    return x;
  }
  /// Calls body(), which computes this matrix, and writes it back. Results in device memory raise no flags.
  template <class Body>
  void compute(Body&& body) const {
    if (high_.on_device() || whole_.on_device())
      static_cast<void>(collect_exceptions(body));
    else
      body();
    write_back();
  }

 private:
  void write_back() const {
    try {
      high_.write_back();
      low_.write_back();
      whole_.write_back();
    } catch (const Error& error) {
      throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
    }
  }

  Format format_ = Format::binary128;
  bool split_ = false, by_columns_ = true;
  HostMatrix<double> high_, low_;
  HostMatrix<Binary128> whole_;
};

/// alpha or beta.
inline Number factor(Context& context, const char* name, Format format, const void* pointer) {
  if (format == Format::binary64) return number_of(host_factor<double>(context, name, pointer));
  const Binary128 x = host_factor<Binary128>(context, name, pointer);
  if (format == Format::binary128) return number_of(x);
  const auto pair = std::bit_cast<std::array<double, 2>>(x);
  const Number sum = number_of(pair[0], pair[1]);
  // Two parts whose exact sum is 1 are the number 1. If their rounded sum is 1, the subtraction is exact.
  if (sum.finite() && sum.parts == 2) {
    const bool first = std::fabs(pair[0]) > std::fabs(pair[1]);
    const double larger = pair[first ? 0 : 1], smaller = pair[first ? 1 : 0];
    if (1 - larger == smaller && larger + smaller == 1) return number_of(1.0);
  }
  return sum;
}

inline bool is_one(const Number& x) {
  return x.finite() && x.parts == 1 && !x.negative && bit_length(x.part[0].mantissa) + x.part[0].exponent == 1 &&
         (x.part[0].mantissa & (x.part[0].mantissa - 1)) == 0;
}

/// A matrix as the caller stores it.
struct Given {
  const char* name;
  Format format;
  const void* data;
  std::int64_t ld;
  const char* low_name = nullptr;  ///< pairs as two arrays
  const void* low = nullptr;
  std::int64_t stride = 0;  ///< of batches

  Given at(std::int64_t i) const {
    Given result = *this;
    result.data = static_cast<const char*>(data) + i * stride * size_of(format);
    return result;
  }
};

/// The matrix as it lies in memory.
inline Operand stored_view(const Given& x, accublas_layout layout, accublas_transpose trans = ACCUBLAS_NO_TRANS) {
  const bool adjacent = (layout == ACCUBLAS_COL_MAJOR) == (trans == ACCUBLAS_NO_TRANS);
  Operand view = quad::view(x.format, x.data, adjacent ? 1 : x.ld, adjacent ? x.ld : 1);
  if (x.low_name) {
    view.low = static_cast<const double*>(x.low);
    view.step = 1;
  }
  return view;
}

inline Stored stored(Context& context, const Given& x, accublas_layout layout, std::int64_t rows, std::int64_t cols,
                     bool reads = true) {
  if (x.low_name) return {context, x.name, x.data, x.low_name, x.low, layout, rows, cols, x.ld, reads};
  return {context, x.name, x.format, x.data, layout, rows, cols, x.ld, reads};
}

inline NamedFootprint footprint_of(const Given& x, bool low, accublas_layout layout, std::int64_t rows,
                                   std::int64_t cols, bool written, Triangle part = Triangle::all) {
  const bool by_columns = layout == ACCUBLAS_COL_MAJOR;
  const std::int64_t size = x.low_name ? 8 : size_of(x.format);
  return {low ? x.low_name : x.name,
          footprint(accublas::Elements{low ? x.low : x.data, size, by_columns ? 1 : x.ld, by_columns ? x.ld : 1, rows,
                                       cols, part}),
          written};
}

/// Throws Error(ACCUBLAS_ERROR_ARGUMENT) if a matrix of a batch of results shares an element with any matrix of a batch
/// of operands. The footprints are those of the first matrices.
inline void require_batch_apart(const Given& result, const Footprint& of_result, const Given& operand,
                                const Footprint& of_operand, std::int64_t count) {
  const std::int64_t most = (std::int64_t{1} << 57) / count;  // no address is farther away
  for (const Given* x : {&result, &operand})
    if (x->stride > most || x->stride < -most) return;
  if (batches_share_element(of_result, result.stride * size_of(result.format), of_operand,
                            operand.stride * size_of(operand.format), count))
    refuse_shared(result.name, operand.name);
}

/// A matrix with any strides as it lies in memory.
inline Operand strided_view(Format format, const void* data, std::int64_t rows, std::int64_t cols,
                            std::int64_t row_stride, std::int64_t col_stride) {
  return view(format, data, stride_along(rows, row_stride), stride_along(cols, col_stride));
}

/// Refuses an operand with any strides in device memory, where the others are not or where the device cannot use it.
inline void require_on_host(Context& context, const Named& array) {
  if (locate(context, array).is_on_device())
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                std::string("argument ") + array.name +
                    " is in device memory: strided products take all operands in host memory, or all on one device");
}

/// Returns the distance of neighbours in BLAS's vector of n elements. Throws Error(ACCUBLAS_ERROR_ARGUMENT) if the
/// vector exceeds every address space.
inline std::int64_t vector_step(const char* name, std::int64_t n, std::int64_t increment) {
  if (n <= 1) return 1;
  const std::uint64_t step =
      increment < 0 ? 0 - static_cast<std::uint64_t>(increment) : static_cast<std::uint64_t>(increment);
  if (beyond_addresses(step, n))
    bad_argument((std::string("inc") + name).c_str(), "such that the vector fits an address space");
  return static_cast<std::int64_t>(step);
}

/// The column of BLAS's vector whose elements lie x.col_stride apart. A negative increment begins at the last one.
inline Operand column_of(Operand x, std::int64_t n, std::int64_t increment) {
  const std::int64_t step = increment == 0 ? 0 : increment < 0 ? -x.col_stride : x.col_stride;
  if (increment < 0) x = x.moved((n - 1) * x.col_stride);
  x.row_stride = step;
  x.col_stride = 0;
  return x;
}

/// BLAS's vector as a column where it lies in memory.
inline Operand vector_view(const char* name, Format format, const void* data, std::int64_t n, std::int64_t increment) {
  return column_of(view(format, data, 1, vector_step(name, n, increment)), n, n > 1 ? increment : 1);
}

/// BLAS's vector as a column in host memory.
class StoredVector {
 public:
  StoredVector(Context& context, const char* name, Format format, const void* data, std::int64_t n,
               std::int64_t increment, bool reads = true)
      : n_(n), increment_(n > 1 ? increment : 1) {
    const std::int64_t lines = increment_ == 0 ? 1 : n, step = vector_step(name, n, increment);
    stored_ = Stored(context, name, format, data, ACCUBLAS_COL_MAJOR, 1, lines, step == 0 ? 1 : step, reads);
  }
  Operand column() const { return column_of(stored_.operand(), n_, increment_); }
  template <class Body>
  void compute(Body&& body) const {
    stored_.compute(body);
  }

 private:
  std::int64_t n_, increment_;
  Stored stored_;
};

inline NamedFootprint vector_footprint(const char* name, Format format, const void* data, std::int64_t n,
                                       std::int64_t increment, bool written) {
  const std::int64_t step = vector_step(name, n, increment);
  return {name, footprint(accublas::Elements{data, size_of(format), step, 0, n, 1}), written};
}

/// *result in the memory that the pointer mode names.
class StoredResult {
 public:
  StoredResult(Context& context, Format format, void* result)
      : stored_(context, "result", format, result, ACCUBLAS_COL_MAJOR, 1, 1, 1, false),
        own_{view(format, result, 1, 1)},
        on_device_(locate(context, {"result", result, 16}).is_on_device()) {
    if (on_device_ != (context.pointer_mode == ACCUBLAS_POINTER_DEVICE))
      throw Error(ACCUBLAS_ERROR_POINTERS, "argument result is not in the memory that the pointer mode names");
  }
  /// The result, or a copy in host memory.
  Results place() const { return {stored_.operand()}; }
  /// The result where it lies.
  const Results& own() const { return own_; }
  bool on_device() const { return on_device_; }
  template <class Body>
  void compute(Body&& body) const {
    stored_.compute(body);
  }

 private:
  Stored stored_;
  Results own_;
  bool on_device_;
};

}  // namespace accublas::quad
