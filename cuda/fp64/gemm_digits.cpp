// The calls of engines fp16 and fp64: the flows of an int8 GEMM (cuda/int8/int8_flows.hpp) with one pass for cr,
// and blocks and bits that the host knows.
#include <algorithm>

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/exact_call.hpp"
#include "cuda/fp64/digit_call.hpp"
#include "cuda/fp64/digits.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/int8/certificate_call.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cuda {

namespace {

/// The largest blocks that fit.
CertificateBlocks certificate_blocks(Index m, Index n, Index k, std::size_t available) {
  CertificateBlocks b{padded_lines(m), padded_lines(n),
                      std::min(round_up(certificate_terms(k), 128), product_most_terms)};
  while (b.bytes() > available) {
    if (b.rows > line_group || b.cols > line_group) {
      Index& longer = b.rows >= b.cols ? b.rows : b.cols;
      longer = padded_lines(longer / 2);
    } else if (b.chunk > 128) {
      b.chunk = round_up(b.chunk / 2, 128);
    } else {
      break;
    }
  }
  return b;
}

template <class T>
class DigitGemm {
 public:
  DigitGemm(State& state, const Call<Gemm<T>, T>& call, bool half, Execution& execution);
  void run();

 private:
  static constexpr CertificateRungs rungs = certificate_rungs<T>();

  struct Pass {
    DigitScheme scheme;
    DigitBlocks blocks;
  };
  Pass pass_for(int bits, std::size_t available) const;
  void lay_out(Carver& carver);
  void resolve_zeros(int index);
  DigitPass<T> digit_pass_of(int index) const;
  void run_pass(const Pass& pass, int index);

  State& state_;
  const Mode& mode_;
  Execution& execution_;
  const DeviceModel& model_;
  cudaStream_t stream_;
  EngineCall<T> call_;
  bool half_, fixed_, certified_;
  bool keep_nonzero_;
  Pass fixed_pass_{}, cr_pass_{};
  CertificateBlocks certificate_{};
  std::size_t arena_bytes_ = 0, blas_bytes_;
  CallState* device_ = nullptr;
  Lines row_lines_{}, col_lines_{};
  std::uint32_t* open_ = nullptr;
  std::byte *arena_ = nullptr, *blas_ = nullptr;
};

template <class T>
DigitGemm<T>::DigitGemm(State& state, const Call<Gemm<T>, T>& call, bool half, Execution& execution)
    : state_(state),
      mode_(call.mode),
      execution_(execution),
      model_(state.model()),
      stream_(state.cuda_stream()),
      call_(call),
      half_(half),
      fixed_(call.mode.kind == ACCUBLAS_MODE_FIXED),
      certified_(!fixed_ && call.mode.kind != ACCUBLAS_MODE_CR),
      keep_nonzero_(!fixed_ && keeps_nonzero(call_, execution.workspace.cap())),
      blas_bytes_(state.blas_bytes()) {}

template <class T>
typename DigitGemm<T>::Pass DigitGemm<T>::pass_for(int bits, std::size_t available) const {
  const DigitScheme scheme = digit_scheme(half_, bits, call_.rows.k);
  return {scheme, digit_blocks(scheme, call_.rows.count, call_.cols.count, call_.rows.k, available)};
}

template <class T>
void DigitGemm<T>::lay_out(Carver& carver) {
  row_lines_ = take_lines(carver, call_.rows, keep_nonzero_);
  col_lines_ = take_lines(carver, call_.cols, keep_nonzero_);
  open_ = take_open(carver, call_);
  blas_ = carver.take<std::byte>(blas_bytes_);
  arena_ = carver.take<std::byte>(arena_bytes_);
}

template <class T>
void DigitGemm<T>::run() {
  Carver measuring(nullptr);
  lay_out(measuring);
  const std::size_t cap = execution_.workspace.cap();
  const std::size_t available = cap > measuring.used() ? cap - measuring.used() : 0;
  if (fixed_ || certified_) {
    fixed_pass_ = pass_for(fixed_ ? mode_.parameter : rungs.t[rungs.count - 1], available);
    arena_bytes_ = fixed_pass_.blocks.bytes();
  }
  if (!fixed_) {
    cr_pass_ = pass_for(digit_bits_cr<T>(), available);
    arena_bytes_ = std::max(arena_bytes_, cr_pass_.blocks.bytes());
  }
  if (certified_) {
    certificate_ = certificate_blocks(call_.rows.count, call_.cols.count, call_.rows.k, arena_bytes_);
    arena_bytes_ = std::max(arena_bytes_, certificate_.bytes());
  }
  Cublas& cublas = state_.cublas();
  const ArrayMemory<CallMemory> memory([&](Carver& carver) { lay_out(carver); }, state_, execution_.workspace);
  cublas.begin(stream_, blas_bytes_ ? blas_ : nullptr, blas_bytes_);
  accublas_report_t& report = execution_.report;
  report.workspace_bytes = static_cast<std::int64_t>(memory.bytes());
  put_bound(report, rounded_once<T>(certified_ ? certificate_bound(call_.rows.k, unit_roundoff<T>()) : 0));

  device_ = state_.begin_call(report.level);
  state_.phase(&accublas_report_t::ms_convert);
  measure(model_, call_.rows, row_lines_, call_.cols, col_lines_, !fixed_, device_, stream_);
  if (certified_) {
    auto* const rows_bytes = reinterpret_cast<std::uint8_t*>(arena_);
    auto* const cols_bytes = rows_bytes + certificate_.rows_bytes();
    certify_all(state_, call_, row_lines_, col_lines_, {CertificateRungKind::bits, all_rungs}, certificate_,
                {rows_bytes, cols_bytes, certificate_.rows_bytes(), certificate_.cols_bytes(),
                 reinterpret_cast<std::int32_t*>(cols_bytes + certificate_.cols_bytes())},
                certified_elements(call_), open_, device_);
  }
  if (fixed_ || certified_) {
    plan_digits_fixed(fixed_pass_.scheme, fixed_pass_.blocks, digit_pass_of(0), fixed_ ? mode_.parameter : 0,
                      fixed_ ? execution_.target : 0, certified_elements(call_), stream_);
    run_pass(fixed_pass_, 0);
  }
  if (!fixed_) {
    const int index = certified_ ? 1 : 0;
    if (certified_) resolve_zeros(0);
    plan_digits_cr(cr_pass_.scheme, cr_pass_.blocks, digit_pass_of(index), !certified_, stream_);
    run_pass(cr_pass_, index);
    resolve_zeros(index);
  }
  state_.phase(&accublas_report_t::ms_exact);
  exact(model_, exact_arguments(call_, row_lines_, col_lines_, open_, device_), stream_);
  if (call_.alpha.pointer)
    scale_if_alpha_is_zero(model_, call_.rows.count, call_.cols.count, call_.at, call_.alpha, call_.beta, true,
                           stream_);
  state_.end_call();
}

/// Computes the pending elements that no term contributes to.
template <class T>
void DigitGemm<T>::resolve_zeros(int index) {
  if (!keep_nonzero_) return;
  state_.phase(&accublas_report_t::ms_exact);
  resolve_structural_zeros(model_, exact_arguments(call_, row_lines_, col_lines_, open_, device_), index, stream_);
}

template <class T>
DigitPass<T> DigitGemm<T>::digit_pass_of(int index) const {
  return {call_.rows, call_.cols, row_lines_, col_lines_, call_.at, call_.alpha,
          call_.beta, open_,      index,      false,      device_};
}

template <class T>
void DigitGemm<T>::run_pass(const Pass& pass, int index) {
  state_.phase(&accublas_report_t::ms_product);
  digit_pass(state_.cublas(), pass.scheme, pass.blocks, digit_pass_of(index), arena_, stream_);
}

}  // namespace

template <class T>
void digit_gemm(State& state, const Call<Gemm<T>, T>& call, bool half, Execution& execution) {
  DigitGemm<T>(state, call, half, execution).run();
}

template void digit_gemm(State&, const Call<Gemm<double>, double>&, bool, Execution&);
template void digit_gemm(State&, const Call<Gemm<float>, float>&, bool, Execution&);

}  // namespace accublas::cuda
