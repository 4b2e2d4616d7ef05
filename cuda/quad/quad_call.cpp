// Products beyond double precision on a device: residues of the scaled lines, INT8 products, exact integers that are
// rounded once, and exact sums of what they leave undecided. The host chooses the number of moduli, so that a call
// waits and cannot be captured.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "cuda/core/check.hpp"
#include "cuda/core/staging.hpp"
#include "cuda/core/state.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/quad/blocking.hpp"
#include "cuda/quad/kernels.hpp"
#include "cuda/quad/staged.hpp"
#include "cuda/quad/vector_call.hpp"
#include "lib/base/exceptions.hpp"
#include "lib/base/stack.hpp"
#include "lib/quad/device.hpp"
#include "lib/quad/moduli_choice.hpp"

namespace accublas::cuda {

namespace {

constexpr const char* what = "a product beyond double precision";

/// A term of an exact sum takes as long as so many terms modulo a p.
constexpr double moduli_of_exact_term = 10000;
/// Terms of a product up to which sums are faster than residues, and the rows or columns below which they are.
constexpr double least_terms = 300000;
constexpr Index least_lines = 6;

/// One product of operands in device memory.
class QuadProduct {
 public:
  QuadProduct(State& state, const quad::Product& product, quad::DeviceCall& call)
      : state_(state), stream_(state.cuda_stream()), call_(call), workspace_(call.cap, call.buffer, call.buffer_bytes) {
    // The columns' side runs along the shorter stride of C.
    const quad::Operand& c = product.c.place;
    const bool transposed = std::abs(c.row_stride) < std::abs(c.col_stride);
    const QuadSide a{product.a, product.m, product.k, nullptr, nullptr},
        b{product.b.transposed(), product.n, product.k, nullptr, nullptr};
    problem_ = {transposed ? b : a,
                transposed ? a : b,
                product.alpha,
                product.beta,
                {transposed ? c.transposed() : c},
                transposed ? accublas::transposed(product.elements) : product.elements,
                nullptr};
    // An exact sum has a part of the workspace, and all multiprocessors are busy if there is room.
    const std::size_t each = quad_scratch_bytes(1);
    scratch_blocks_ = static_cast<int>(std::clamp(workspace_.cap() / 8 / each, std::size_t{1},
                                                  static_cast<std::size_t>(3 * state.model().processors)));
    lines_.emplace([this](Carver& carver) { take_lines(carver); }, state_, workspace_);
    call_.peak = std::max(call_.peak, lines_->bytes());
  }

  /// Computes C. Returns the exceptions of its results.
  unsigned run() {
    call_state_ = state_.begin_call(call_.report->level);
    state_.phase(&accublas_report_t::ms_convert);
    check(cudaMemsetAsync(problem_.counts, 0, sizeof(QuadCounts), stream_), what);
    quad_measure(state_.model(), problem_.rows, stream_);
    quad_measure(state_.model(), problem_.cols, stream_);
    const bool forced = call_.wanted == ACCUBLAS_ENGINE_INT8;
    const int moduli = forced || !by_sums() ? choose_moduli(forced) : 0;
    if (moduli == 0 || !by_residues(moduli, forced)) {
      call_.used = ACCUBLAS_ENGINE_SUMS;
      state_.phase(&accublas_report_t::ms_exact);
      quad_exact(state_.model(), problem_, QuadBlock{}, scratch_, scratch_blocks_, stream_);
    }
    state_.end_call();
    QuadCounts counts{};
    fetch(&counts, problem_.counts);
    if (call_.used == ACCUBLAS_ENGINE_INT8) call_.report->undecided += static_cast<std::int64_t>(counts.undecided);
    return counts.raised;
  }

 private:
  void take_lines(Carver& carver) {
    for (QuadSide* side : {&problem_.rows, &problem_.cols}) {
      side->facts = carver.take<quad::LineFacts>(padded_lines(side->count));
      side->scaling = carver.take<quad::LineScaling>(padded_lines(side->count));
    }
    findings_ = carver.take<QuadFindings>(1);
    problem_.counts = carver.take<QuadCounts>(1);
    scratch_ = reinterpret_cast<QuadScratch*>(carver.take<std::byte>(quad_scratch_bytes(scratch_blocks_)));
  }

  bool by_sums() const {
    const double terms = static_cast<double>(problem_.rows.count) * static_cast<double>(problem_.cols.count) *
                         static_cast<double>(problem_.rows.k);
    return call_.wanted == ACCUBLAS_ENGINE_SUMS || terms < least_terms ||
           std::min(problem_.rows.count, problem_.cols.count) < least_lines;
  }

  int choose_moduli(bool forced) {
    check(cudaMemsetAsync(findings_, 0, sizeof(QuadFindings), stream_), what);
    quad_find(state_.model(), problem_, findings_, scratch_, scratch_blocks_, stream_);
    QuadFindings found;
    fetch(&found, findings_);
    // Lines that need more than so many bits, times 2^-bits.
    const auto part = [&](int side, Index lines, int bits) {
      double more = 0;
      for (int b = bits + 1; b <= most_needs; ++b) more += found.needs[side][b];
      return std::ldexp(more / static_cast<double>(lines), -bits);
    };
    return quad::cheapest_moduli(
        found.samples, found.sampled, [&](int bits) { return part(0, problem_.rows.count, bits); },
        [&](int bits) { return part(1, problem_.cols.count, bits); }, problem_.rows.k, moduli_of_exact_term, forced);
  }

  /// Returns false, with nothing written, if the workspace is too small for residues and they are not forced.
  bool by_residues(int moduli, bool forced) {
    const Index k = problem_.rows.k, m = problem_.rows.count, n = problem_.cols.count;
    const Workspace rest = rest_of(workspace_, lines_->data(), lines_->bytes());
    // The arrays are aligned to 256 bytes each.
    constexpr std::size_t alignment = 5 * Workspace::device_alignment;
    const std::size_t room = workspace_.cap() > lines_->bytes() ? workspace_.cap() - lines_->bytes() : 0;
    const QuadBlocking b = quad_blocking(m, n, k, moduli, room > alignment ? room - alignment : 0);
    const std::size_t needed = b.bytes(moduli) + alignment + lines_->bytes();
    if (needed > workspace_.cap()) {
      if (!forced) return false;
      throw TooSmall(ACCUBLAS_ERROR_MEMORY, "the workspace of " + std::to_string(workspace_.cap()) +
                                                " bytes is too small: " + std::to_string(needed) + " bytes are needed");
    }
    std::uint8_t *rows = nullptr, *cols = nullptr;
    std::int8_t* result = nullptr;
    QuadBlock block{};
    const ArrayMemory<CallMemory> memory(
        [&](Carver& carver) {
          rows = carver.take<std::uint8_t>(b.row_bytes(moduli));
          cols = carver.take<std::uint8_t>(b.col_bytes(moduli));
          result = carver.take<std::int8_t>(b.result_bytes(moduli));
          block.list = carver.take<std::uint32_t>(b.list_bytes() / sizeof(std::uint32_t));
        },
        state_, rest);
    call_.peak = std::max(call_.peak, lines_->bytes() + memory.bytes());

    int row_bits, col_bits;
    split_bits(capacity_of(int8_capacity(moduli)), most_relative_norm, most_relative_norm, k, row_bits, col_bits);
    PassPlan plan{};
    plan.active = plan.interval = 1;
    plan.row_bits = plan.row_peak = row_bits;
    plan.col_bits = plan.col_peak = col_bits;
    plan.moduli = moduli;
    plan.block_rows = b.rows;
    plan.block_cols = b.cols;
    quad_scale(state_.model(), problem_, row_bits, col_bits, plan, call_state_, stream_);

    call_.used = ACCUBLAS_ENGINE_INT8;
    call_.report->bits = std::max(row_bits, col_bits);
    call_.report->parts = moduli;
    block.residues = result;
    block.rows = b.rows;
    block.cols = b.cols;
    block.moduli = moduli;
    const Index chunks = ceil_div(k, b.terms), row_blocks = ceil_div(m, b.rows), col_blocks = ceil_div(n, b.cols);
    const Wanted wanted{problem_.wanted};
    const auto convert = [&](const QuadSide& side, int bits, Index first, Index most, Index chunk, std::uint8_t* to) {
      const QuadConversion c{side,
                             first,
                             std::min(most, padded_lines(side.count - first)),
                             chunk * b.terms,
                             std::min(b.terms, k - chunk * b.terms),
                             b.terms,
                             moduli,
                             quad_limbs(bits),
                             to};
      quad_convert(state_.model(), c, stream_);
    };
    for (Index r = 0; r < row_blocks; ++r) {
      for (Index c = 0; c < col_blocks; ++c) {
        block.row = r * b.rows;
        block.col = c * b.cols;
        if (!wanted.any(block.row, std::min(b.rows, m - block.row), block.col, std::min(b.cols, n - block.col)))
          continue;
        for (Index chunk = 0; chunk < chunks; ++chunk) {
          state_.phase(&accublas_report_t::ms_convert);
          // Residues of a block that are there already are left.
          if (chunks > 1 || rows_there_ != r) convert(problem_.rows, row_bits, block.row, b.rows, chunk, rows);
          if (chunks > 1 || cols_there_ != c) convert(problem_.cols, col_bits, block.col, b.cols, chunk, cols);
          rows_there_ = r;
          cols_there_ = c;
          state_.phase(&accublas_report_t::ms_product);
          ProductArguments product{};
          product.rows = rows;
          product.cols = cols;
          product.rows_bytes = b.row_bytes(moduli);
          product.cols_bytes = b.col_bytes(moduli);
          product.result = result;
          product.k_padded = b.terms;
          product.m = m;
          product.n = n;
          product.row_block = r;
          product.col_block = c;
          product.accumulate = chunk > 0;
          product.plan = &call_state_->pass[0];
          product.state = call_state_;
          product.wanted = wanted;
          residue_product(state_.model(), product, stream_);
        }
        state_.phase(&accublas_report_t::ms_reconstruct);
        check(cudaMemsetAsync(&problem_.counts->listed, 0, sizeof(unsigned), stream_), what);
        quad_reconstruct(state_.model(), problem_, block, stream_);
        state_.phase(&accublas_report_t::ms_exact);
        quad_exact(state_.model(), problem_, block, scratch_, scratch_blocks_, stream_);
      }
    }
    return true;
  }

  template <class T>
  void fetch(T* to, const T* from) const {
    check(cudaMemcpyAsync(to, from, sizeof(T), cudaMemcpyDeviceToHost, stream_), what);
    check(cudaStreamSynchronize(stream_), what);
  }

  State& state_;
  const cudaStream_t stream_;
  quad::DeviceCall& call_;
  Workspace workspace_;
  QuadProblem problem_{};
  QuadFindings* findings_ = nullptr;
  QuadScratch* scratch_ = nullptr;
  int scratch_blocks_;
  std::optional<ArrayMemory<CallMemory>> lines_;
  CallState* call_state_ = nullptr;
  Index rows_there_ = -1, cols_there_ = -1;  ///< numbers of the blocks whose residues are in the buffers
};

/// A product of operands in device memory, whose only result may be in host memory.
unsigned run_product(State& state, const quad::Product& product, quad::DeviceCall& call) {
  if (is_vector_product(product, call)) return sum_vector(state, product, false, call);
  if (!call.result_on_host) return QuadProduct(state, product, call).run();
  const StagedQuad c(product.c.place, product.m, product.n, state);
  if (!product.beta.is_zero()) c.send();
  quad::Product copy = product;
  copy.c.place = c.operand();
  const unsigned raised = QuadProduct(state, copy, call).run();
  c.fetch();
  return raised;
}

/// A product of operands in host memory, by copies.
unsigned run_staged(State& state, const quad::Product& product, quad::DeviceCall& call) {
  const StagedQuad a(product.a, product.m, product.k, state), b(product.b, product.k, product.n, state),
      c(product.c.place, product.m, product.n, state);
  a.send();
  b.send();
  if (!product.beta.is_zero() || product.elements != Triangle::all) c.send();
  quad::Product copy = product;
  copy.a = a.operand();
  copy.b = b.operand();
  copy.c.place = c.operand();
  call.report->copied_bytes += static_cast<std::int64_t>(a.bytes() + b.bytes() + c.bytes());
  const unsigned raised = run_product(state, copy, call);
  c.fetch();
  return raised;
}

}  // namespace

}  // namespace accublas::cuda

namespace accublas::quad {

bool worth_copying(Index m, Index n, Index k) {
  // The CPU's best rate is some 10 Gflop/s a core; a call on a device and its copies take 500 us and more.
  constexpr double least_operations = 1e8;
  constexpr Index least_lines = 32;
  return std::min(m, n) >= least_lines &&
         2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) >= least_operations;
}

bool fits_device(const Operand& x, Index rows, Index cols, bool on_device) {
  if (!on_device) return cuda::StagedQuad::takes(x, rows, cols);
  constexpr std::uintptr_t alignment = 8;
  return reinterpret_cast<std::uintptr_t>(x.data) % alignment == 0 &&
         reinterpret_cast<std::uintptr_t>(x.low) % alignment == 0;
}

namespace {

/// Calls run(state), which returns the exceptions of results, on the stream of a call. Waits.
template <class Run>
void run_on_device(DeviceCall& call, Run&& run) {
  cuda::State& state = static_cast<cuda::State&>(*call.state);
  unsigned raised = exceptions::none;
  with_stack(cuda::needed_stack, [&] {
    using enum cuda::CallScope::Stream;
    try {
      const cuda::CallScope scope(state, call.operands_on_device ? users : own);
      state.require_not_captured(cuda::what);
      raised = run(state);
    } catch (const Error& error) {
      if (error.status() == ACCUBLAS_ERROR_DEVICE && state.begun())
        throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      throw;
    }
    if (call.report->level >= 1) state.complete(*call.report);
  });
  if (!call.operands_on_device || call.result_on_host) signal_exceptions(raised);
}

}  // namespace

void multiply_on_device(const Product& product, DeviceCall& call) {
  run_on_device(call, [&](cuda::State& state) {
    return call.operands_on_device ? cuda::run_product(state, product, call) : cuda::run_staged(state, product, call);
  });
}

void norm_on_device(Index n, const Operand& x, const Results& result, DeviceCall& call) {
  const Number one = number_of(1.0);
  run_on_device(call, [&](cuda::State& state) {
    return cuda::sum_vector(state, {1, 1, n, one, x.transposed(), x, {}, result}, true, call);
  });
}

void solve_on_device(const Solve& solve, DeviceCall& call) {
  run_on_device(call, [&](cuda::State& state) { return cuda::solve_columns(state, solve, call); });
}

}  // namespace accublas::quad
