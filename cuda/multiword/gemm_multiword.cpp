// The call of a multiword mode.
#include "cuda/multiword/gemm_multiword.hpp"

#include <algorithm>
#include <type_traits>

#include "cuda/core/carver.hpp"
#include "cuda/core/device.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/exact_call.hpp"
#include "cuda/multiword/portable.hpp"
#include "cuda/multiword/prepare.hpp"
#include "cuda/multiword/product.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/numerics/multiword.hpp"

namespace accublas::cuda {

namespace {

struct Layout {
  Lines rows, cols;
  std::uint32_t* open;
  std::uint8_t *rows_fit, *cols_fit;  ///< fused TF32
  SplitWords row_words, col_words;    ///< fused, of words that are split first
  std::byte *blas, *arena;            ///< composition
};

/// Words of lines that FP16 holds are multiplied as FP16, with the same result at twice the rate; x4 has no
/// accumulators for this.
bool tries_half(const MultiwordMode& mode) { return mode.format == MultiwordFormat::tf32 && mode.products < 4; }

/// Whether the fused kernel computes the product. cuBLAS computes the one product of tf32x1.
template <class T>
bool fused_serves([[maybe_unused]] const DeviceModel& model, [[maybe_unused]] const MultiwordMode& mode) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  const bool single_tf32 = mode.format == MultiwordFormat::tf32 && mode.products == 1;
  return std::is_same_v<T, float> && !single_tf32 && use_hopper_kernels(model);
#else
  return false;
#endif
}

/// Rows and columns of C from which on FP16 words are split first. `accublas-gpu-bench gemm -r sgemm -m tf32x3,fp16x3`
/// measures it.
constexpr Index least_split = 1024;

/// Returns whether the fused kernel takes FP16 words that are split first. Their arrays, as large as A and B, must fit
/// in the workspace.
template <class T>
bool splits_first(const MultiwordMode& mode, const EngineCall<T>& call, std::size_t cap) {
  const bool halves = mode.format == MultiwordFormat::fp16 || tries_half(mode);
  if (!halves || std::min(call.rows.count, call.cols.count) < least_split) return false;
  const auto bytes = [&](const Operand<T>& x) {
    return static_cast<std::size_t>(padded_lines(x.count) * round_up(x.k, 64)) * sizeof(std::uint16_t);
  };
  return (bytes(call.rows) + bytes(call.cols)) * static_cast<std::size_t>(mode.words()) <= cap / 2;
}

#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
void fused_pass(const DeviceModel& model, const MultiwordMode& mode, const ExactArguments<float>& pass,
                const Layout& at, cudaStream_t stream) {
  MultiwordProduct product{pass, at.rows_fit, at.cols_fit, Tiles::all};
  const auto run = [&](WordKind words, Tiles tiles) {
    product.tiles = tiles;
    if (words == WordKind::tf32 || !at.row_words.data)
      return hopper::multiword_product(model, words, mode.products, product, stream);
    const bool all = tiles == Tiles::all;
    split_first(model, words, pass.rows, pass.row_lines, all ? nullptr : at.rows_fit, pass.state, at.row_words, stream);
    split_first(model, words, pass.cols, pass.col_lines, all ? nullptr : at.cols_fit, pass.state, at.col_words, stream);
    hopper::split_product(model, words, mode.products, product, at.row_words, at.col_words, stream);
  };
  if (mode.format == MultiwordFormat::fp16) return run(WordKind::half, Tiles::all);
  if (!tries_half(mode)) return run(WordKind::tf32, Tiles::all);
  find_fitting_groups(model, pass.rows, pass.row_lines, at.rows_fit, pass.state, stream);
  find_fitting_groups(model, pass.cols, pass.col_lines, at.cols_fit, pass.state, stream);
  run(WordKind::tf32_half, Tiles::fitting);
  run(WordKind::tf32, Tiles::not_fitting);
}
#endif

/// Computes a product whose result cuBLAS writes (writes_result). A special line makes all of its elements not finite,
/// so the lines are measured only if there is such an element.
void gemm_in_place(State& state, const EngineCall<float>& engine, Execution& execution) {
  const DeviceModel& model = state.model();
  const std::size_t blas_bytes = state.blas_bytes();
  Layout at{};
  const auto lay_out = [&](Carver& carver) {
    at.rows = take_lines(carver, engine.rows, false);
    at.cols = take_lines(carver, engine.cols, false);
    at.open = take_open(carver, engine);
    at.blas = carver.take<std::byte>(blas_bytes);
  };
  Cublas& cublas = state.cublas();
  const ArrayMemory<CallMemory> memory(lay_out, state, execution.workspace);
  execution.report.workspace_bytes = static_cast<std::int64_t>(memory.bytes());
  const cudaStream_t stream = state.cuda_stream();
  CallState* const device = state.begin_call(execution.report.level);
  state.phase(&accublas_report_t::ms_product);
  cublas.begin(stream, blas_bytes ? at.blas : nullptr, blas_bytes);
  multiply_in_place(cublas, model.tuning().parts, engine);
  state.phase(&accublas_report_t::ms_exact);
  open_not_finite(engine.at, engine.rows.count, engine.cols.count, at.open, device, stream);
  measure_if_pending(model, engine.rows, at.rows, engine.cols, at.cols, &device->rejected, device, stream);
  count_finite_lines(at.rows, at.cols, at.open, device, stream);
  accumulate_open_elements(model, exact_arguments(engine, at.rows, at.cols, at.open, device), stream);
  state.end_call();
}

}  // namespace

template <class T>
void multiword_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const EngineCall<T> engine(call);
  const cudaStream_t stream = state.cuda_stream();
  const DeviceModel& model = state.model();
  MultiwordMode mode = multiword_of(call.mode.kind);
  const bool fused = fused_serves<T>(model, mode);
  if constexpr (std::is_same_v<T, float>)
    if (writes_result(mode, engine)) return gemm_in_place(state, engine, execution);
  const bool split = fused && splits_first(mode, engine, execution.workspace.cap());
  const std::size_t blas_bytes = fused ? 0 : state.blas_bytes();
  const auto lay_out = [&](Carver& carver, std::size_t arena_bytes) {
    const auto take_groups = [&](const Operand<T>& x) {
      return fused ? carver.take<std::uint8_t>(padded_lines(x.count) / line_group) : nullptr;
    };
    Layout at{};
    at.rows = take_lines(carver, engine.rows, false);
    at.cols = take_lines(carver, engine.cols, false);
    at.open = take_open(carver, engine);
    at.rows_fit = take_groups(engine.rows);
    at.cols_fit = take_groups(engine.cols);
    if constexpr (std::is_same_v<T, float>) {
      const auto take_words = [&](const Operand<float>& x) {
        SplitWords words(x, mode.words());
        words.data = carver.take<std::uint16_t>(words.numbers());
        return words;
      };
      if (split) at.row_words = take_words(engine.rows), at.col_words = take_words(engine.cols);
    }
    at.blas = carver.take<std::byte>(blas_bytes);
    at.arena = carver.take<std::byte>(arena_bytes);
    return at;
  };
  Carver measuring(nullptr);
  lay_out(measuring, 0);
  MultiwordBlocks blocks{};
  if (!fused) {
    const std::size_t cap = execution.workspace.cap();
    blocks = multiword_blocks(model.tuning().parts, mode, engine.rows, engine.cols,
                              cap > measuring.used() ? cap - measuring.used() : 0);
  }
  const std::size_t bytes = measuring.used() + blocks.bytes();
  Cublas* const cublas = fused ? nullptr : &state.cublas();
  const CallMemory memory(state, execution.workspace, bytes);
  Carver carver(memory.data());
  const Layout at = lay_out(carver, blocks.bytes());
  execution.report.workspace_bytes = static_cast<std::int64_t>(bytes);

  CallState* const device = state.begin_call(execution.report.level);
  state.phase(&accublas_report_t::ms_convert);
  // The words need exponents, and exact accumulators a lower bound of the last bits.
  measure_bounds(model, engine.rows, at.rows, engine.cols, at.cols, device, stream);
  open_special_elements(model, at.rows, at.cols, at.open, device, stream);
  state.phase(&accublas_report_t::ms_product);
  const ExactArguments<T> pass = exact_arguments(engine, at.rows, at.cols, at.open, device);
  if (fused) {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
    if constexpr (std::is_same_v<T, float>) fused_pass(model, mode, pass, at, stream);
#endif
  } else {
    cublas->begin(stream, blas_bytes ? at.blas : nullptr, blas_bytes);
    multiword_pass(*cublas, mode, blocks, pass, at.arena, stream);
  }
  state.phase(&accublas_report_t::ms_exact);
  // The lines have no lambda, so grid sums cannot compute these elements.
  accumulate_open_elements(model, pass, stream);
  if (engine.alpha.pointer)
    scale_if_alpha_is_zero(model, engine.rows.count, engine.cols.count, engine.at, engine.alpha, engine.beta,
                           bit_defined(call.mode), stream);
  state.end_call();
}

template void multiword_gemm(State&, const Call<Gemm<double>, double>&, Execution&);
template void multiword_gemm(State&, const Call<Gemm<float>, float>&, Execution&);

}  // namespace accublas::cuda
