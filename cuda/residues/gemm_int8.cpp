// GEMM by INT8 residue products on the device (Ozaki scheme II): the same algorithm as lib/cpu/int8/int8.cpp, and the
// same bits wherever a mode promises bits, laid out so that the host never waits. How many bits and moduli a pass
// takes, which elements it computes and how C is cut into blocks is decided on the device (PassPlan); the host launches
// as many blocks and passes as could be needed, and a kernel whose block or pass is not needed returns at once. What no
// pass decides is computed by exact accumulators.
#include "cuda/residues/gemm_int8.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/elements/exact.hpp"
#include "cuda/elements/exact_call.hpp"
#include "cuda/elements/joined.hpp"
#include "cuda/lines/measure.hpp"
#include "cuda/native/native_behind.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/residues/blocking.hpp"
#include "cuda/residues/certificate_call.hpp"
#include "cuda/residues/certify.hpp"
#include "cuda/residues/convert.hpp"
#include "cuda/residues/first_look.hpp"
#include "cuda/residues/plan.hpp"
#include "cuda/residues/product.hpp"
#include "cuda/residues/reconstruct.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/base/test_hooks.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

namespace {

/// Moduli that passes usually take: buffers are shaped for them. More only make the blocks smaller.
template <class T>
constexpr int usual_moduli(const Mode& mode) {
  const bool single = sizeof(T) == sizeof(float);
  if (mode.kind == ACCUBLAS_MODE_CR) return single ? 11 : 23;
  return single ? 8 : 15;
}

/// Passes, the first included. Kernels of passes that are not needed still have to be launched, some 7 us a block:
/// small products, where that counts, leave what a second pass does not decide to the exact accumulators.
int passes_for(Index m, Index n, Index k) {
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  return work < 0x1p36 ? 2 : most_passes;
}

template <class T>
class DeviceGemm {
 public:
  /// sums: null, or where the product by so many moduli is to be added to instead of to C.
  DeviceGemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, const NativeOffer* offer,
             const PairSums* sums = nullptr, int sum_moduli = 0);
  /// How C and k are cut; the bytes that run needs.
  std::size_t choose();
  /// After choose.
  void run(std::byte* memory);

 private:
  void choose_buffers(std::size_t available, std::size_t fixed);
  void lay_out(Carver& carver);
  CertificateRungKind certificate_kind() const;  ///< of dp and sp
  CertificateLadder certificate_ladder() const;
  CertificateBlocks certificate_blocks() const;
  bool same_lines(ResidueKind of) const { return call_in_engine_.same_lines(of); }
  Operand<T> measured_cols() const { return as_stored_ ? cols_.numbers() : cols_; }
  void measure_lines(bool bounds, bool with_lambda);
  /// Residues of passes that are not said to be real ones.
  ResidueKind residues() const { return complex_ ? ResidueKind::complex : ResidueKind::real; }
  PassLaunch launch_for(int moduli, ResidueKind) const;
  PassLaunch launch_for_bits(int t) const;
  void run_pass(int index, const PassLaunch& launched);
  void resolve_zeros(int index);

  State& state_;
  const Mode& mode_;
  const Call<Gemm<T>, T>& call_as_made_;
  Execution& execution_;
  const NativeOffer* const offer_;
  const PairSums* const sums_;
  const int sum_moduli_;
  const DeviceModel& model_;
  cudaStream_t stream_;
  const EngineCall<T> call_in_engine_;
  const Operand<T>&rows_ = call_in_engine_.rows, &cols_ = call_in_engine_.cols;
  const Matrix<T>& at_ = call_in_engine_.at;
  const Scalar<T>&alpha_ = call_in_engine_.alpha, &beta_ = call_in_engine_.beta;
  const JoinedParts<T>* const joined_;
  /// Passes but those of escalation have complex residues: columns of C and terms go in pairs.
  const bool complex_;
  const bool as_stored_;  ///< columns are complex numbers as they are stored (Gemm::numbers_as_stored)
  bool keep_nonzero_ = false;
  Buffers buffers_{};
  Index chunk_ = 0, chunks_ = 0;
  CallState* call_ = nullptr;
  Lines row_lines_{}, col_lines_{};
  Lines number_lines_{};  ///< of the columns' side as it is measured
  std::uint32_t* open_ = nullptr;
  std::uint8_t *row_residues_ = nullptr, *col_residues_ = nullptr, *result_ = nullptr;
};

template <class T>
DeviceGemm<T>::DeviceGemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, const NativeOffer* offer,
                          const PairSums* sums, int sum_moduli)
    : state_(state),
      mode_(call.mode),
      call_as_made_(call),
      execution_(execution),
      offer_(offer),
      sums_(sums),
      sum_moduli_(sum_moduli),
      model_(state.model()),
      stream_(state.cuda_stream()),
      call_in_engine_(call),
      joined_(call.problem.joined),
      complex_(call_in_engine_.pairs_of_columns != RowPairs::none && converts_complex(model_)),
      as_stored_(cols_.line_pairs != 0) {}

/// Lines, bitmaps and buffers, in this order.
template <class T>
void DeviceGemm<T>::lay_out(Carver& carver) {
  row_lines_ = take_lines(carver, rows_, keep_nonzero_);
  number_lines_ = same_lines(as_stored_ ? ResidueKind::complex : ResidueKind::real)
                      ? row_lines_
                      : take_lines(carver, measured_cols(), keep_nonzero_);
  col_lines_ = as_stored_ ? take_lines(carver, cols_, keep_nonzero_) : number_lines_;
  open_ = take_open(carver, call_in_engine_);
  row_residues_ = carver.take<std::uint8_t>(buffers_.rows_bytes);
  col_residues_ = carver.take<std::uint8_t>(buffers_.cols_bytes);
  result_ = carver.take<std::uint8_t>(buffers_.result_bytes);
}

/// How C and k may be cut: a block of rows x cols elements with `planes` moduli, k in chunks.
struct Cut {
  Index chunk, rows, cols, planes;

  Index bytes() const { return (rows + cols) * planes * chunk + rows * cols * planes; }
  /// Bytes that conversions and sums move through memory for k terms of m and n lines, by and large. Rows are converted
  /// once, columns once a block of rows; with more chunks than one both once a block of C, and results are read again.
  double traffic(Index m, Index n, Index k, Index moduli) const {
    const Index row_blocks = ceil_div(m, rows), col_blocks = ceil_div(n, cols), chunks = ceil_div(k, chunk);
    const Index lines = m * (chunks > 1 ? col_blocks : 1) + n * row_blocks;
    return static_cast<double>(lines) * static_cast<double>(k) * static_cast<double>(moduli + 8) +
           2.0 * static_cast<double>(m * n) * static_cast<double>(moduli * (chunks - 1));
  }
};

/// The largest block for m and n padded lines that fits with chunks of that length.
Cut largest_block(Index m, Index n, Index chunk, Index usual, Index available) {
  // With all moduli where they fit: then one block does, whatever the plan takes.
  Cut cut{chunk, m, n, max_moduli};
  if (cut.bytes() <= available) return cut;
  cut.planes = usual;
  // Rows first, with 2048 columns beside them.
  cut.cols = std::min<Index>(n, 2048);
  for (Index blocks = 2; cut.rows > line_group && cut.bytes() > available; ++blocks)
    cut.rows = padded_lines(ceil_div(m, blocks));
  cut.cols = n;
  for (Index blocks = 2; cut.cols > line_group && cut.bytes() > available; ++blocks)
    cut.cols = padded_lines(ceil_div(n, blocks));
  return cut;
}

/// Sizes of the residue buffers and chunks of k. The least need, a square of line_group lines with all moduli and 128
/// terms, may pass the cap.
template <class T>
void DeviceGemm<T>::choose_buffers(std::size_t cap, std::size_t fixed) {
  const Index available = static_cast<Index>(cap > fixed ? cap - fixed : 0);
  const Index m = padded_lines(rows_.count), n = padded_lines(cols_.count), k = rows_.k;
  const Index usual = usual_moduli<T>(mode_);
  // Complex residues: half as many terms, of which kernels take 128 at a time.
  const Index step = complex_ ? 256 : 128;
  const auto half = [&](Index chunk) { return std::max<Index>(chunk / 2 / step * step, step); };
  // The chunk that moves least; long chunks keep the products busy.
  Cut cut = largest_block(m, n, std::min<Index>(round_up(k, step), product_most_terms / step * step), usual, available);
  for (Cut other = cut; other.chunk >= 4096;) {
    other = largest_block(m, n, half(other.chunk), usual, available);
    const bool fits = other.bytes() <= available && cut.bytes() > available;
    if (fits || other.traffic(m, n, k, usual) < cut.traffic(m, n, k, usual)) cut = other;
  }
  while (cut.chunk > step && Cut{cut.chunk, line_group, line_group, max_moduli}.bytes() > available)
    cut = largest_block(m, n, half(cut.chunk), usual, available);
  chunk_ = cut.chunk;
  chunks_ = ceil_div(k, chunk_);

  // A plan with all moduli must find room for a square of line_group lines.
  const Index least_line = line_group * max_moduli * chunk_;
  const Index least_result = line_group * line_group * (complex_ ? max_planes : max_moduli);
  Index row_bytes = std::max(cut.rows * cut.planes * chunk_, least_line),
        col_bytes = std::max(cut.cols * cut.planes * chunk_, least_line);
  Index result_bytes = std::max(cut.rows * cut.cols * cut.planes, least_result);
  if (row_bytes + col_bytes + result_bytes > available) {
    row_bytes = col_bytes = least_line;
    result_bytes = least_result;
  }
  buffers_ = {static_cast<std::size_t>(row_bytes), static_cast<std::size_t>(col_bytes),
              static_cast<std::size_t>(result_bytes), chunk_};
}

template <class T>
std::size_t DeviceGemm<T>::choose() {
  const std::size_t cap = execution_.workspace.cap();
  // With an offer, many sums without a term are cuBLAS's, and few the exact accumulators'.
  keep_nonzero_ =
      mode_.kind != ACCUBLAS_MODE_FIXED && !offer_ && !joined_ && !sums_ && keeps_nonzero(call_in_engine_, cap);
  Carver measuring(nullptr);
  lay_out(measuring);
  choose_buffers(cap, measuring.used());
  Carver sizing(nullptr);
  lay_out(sizing);
  return sizing.used();
}

template <class T>
void DeviceGemm<T>::run(std::byte* memory) {
  const bool fixed = mode_.kind == ACCUBLAS_MODE_FIXED;
  Carver carver(memory);
  lay_out(carver);
  accublas_report_t& report = execution_.report;
  report.workspace_bytes = static_cast<std::int64_t>(carver.used());
  put_bound(report, rounded_once<T>());

  call_ = state_.begin_call(report.level);
  state_.phase(&accublas_report_t::ms_convert);
  if (sums_) {
    measure_lines(false, true);
    const PassLaunch launched = launch_for(sum_moduli_, ResidueKind::real);
    plan_sums(model_, sum_moduli_, row_lines_, col_lines_, launched, call_, stream_);
    run_pass(0, launched);
    return state_.end_call();
  }
  if (!call_in_engine_.wanted.all())
    check(cudaMemsetAsync(open_, 0, sizeof(std::uint32_t) * open_words(call_in_engine_), stream_),
          "clearing the bits of open elements");
  if (offer_) {
    const int stride = certificate_stride_of(rows_.k, certificate_kind());
    first_look(model_, rows_, cols_, alpha_, stride, *offer_, residues(), call_, stream_);
  }
  const bool grade = !fixed && mode_.kind != ACCUBLAS_MODE_CR;
  measure_lines(grade && certificate_kind() == CertificateRungKind::moduli, !fixed);
  if (fixed) {
    const int t = mode_.parameter;
    const PassLaunch launched = launch_for_bits(t);
    plan_fixed<T>(model_, 0, t, row_lines_, col_lines_, launched, execution_.target, alpha_, nullptr, call_, stream_);
    run_pass(0, launched);
  } else if (mode_.kind == ACCUBLAS_MODE_CR) {
    const PassLaunch launched = launch_for(most_moduli(residues()), residues());
    plan_cr(model_, 0, true, rows_, row_lines_, cols_, col_lines_, launched, open_, alpha_, call_, stream_);
    run_pass(0, launched);
  } else {
    const CertificateLadder ladder = certificate_ladder();
    certify_all(state_, call_in_engine_, row_lines_, col_lines_, ladder, certificate_blocks(),
                {row_residues_, col_residues_, buffers_.rows_bytes, buffers_.cols_bytes,
                 reinterpret_cast<std::int32_t*>(result_)},
                open_, call_);
    if (joined_) join_rejected(model_, *joined_, rows_.count, cols_.count, open_, call_, stream_);
    resolve_zeros(-1);
    report.bound_componentwise = certificate_bound(rows_.k, unit_roundoff<T>());
    if (ladder.kind == CertificateRungKind::moduli) {
      const CertificateModuli rungs = certificate_moduli<T>(rows_.k, residues());
      const LineRungs by_lines = make_line_rungs<T>(rows_.k, residues());
      const PassLaunch launched = launch_for(
          std::max(rungs.moduli[std::min(rungs.count, ladder.most) - 1], by_lines.moduli[by_lines.count - 1]),
          residues());
      plan_moduli<T>(model_, 0, row_lines_, col_lines_, launched, alpha_, offer_, call_, stream_);
      run_pass(0, launched);
    } else {
      const PassLaunch launched = launch_for_bits(certificate_rungs<T>().t[certificate_rungs<T>().count - 1]);
      plan_fixed<T>(model_, 0, 0, row_lines_, col_lines_, launched, 0, alpha_, offer_, call_, stream_);
      run_pass(0, launched);
    }
  }
  if (!fixed && !offer_) {
    for (int index = 1; index < passes_for(rows_.count, cols_.count, rows_.k); ++index) {
      if (index > 1 || mode_.kind == ACCUBLAS_MODE_CR) resolve_zeros(index - 1);
      state_.phase(&accublas_report_t::ms_convert);
      const PassLaunch launched = launch_for(max_moduli, ResidueKind::real);
      plan_cr(model_, index, mode_.kind == ACCUBLAS_MODE_CR, rows_, row_lines_, cols_, col_lines_, launched, open_,
              alpha_, call_, stream_);
      run_pass(index, launched);
    }
  }
  state_.phase(&accublas_report_t::ms_exact);
  const ExactArguments<T> of_open = exact_arguments(call_in_engine_, row_lines_, col_lines_, open_, call_);
  joined_ ? exact_joined(model_, of_open, *joined_, stream_) : exact(model_, of_open, stream_);
  if (alpha_.pointer && call_in_engine_.wanted.all())
    scale_if_alpha_is_zero(model_, rows_.count, cols_.count, at_, alpha_, beta_, true, stream_);
  if (offer_) {
    state_.phase(&accublas_report_t::ms_product);
    native_behind(state_, call_as_made_, call_);
  }
  state_.end_call();
}

template <class T>
void DeviceGemm<T>::measure_lines(bool bounds, bool with_lambda) {
  if (bounds) {
    measure_bounds(model_, rows_, row_lines_, measured_cols(), number_lines_, call_, stream_);
  } else {
    measure(model_, rows_, row_lines_, measured_cols(), number_lines_, with_lambda, call_, stream_);
  }
  if (as_stored_) {
    spread_over_pairs(model_, number_lines_, col_lines_, with_lambda, stream_);
  } else if (complex_) {
    share_in_pairs(model_, col_lines_, with_lambda, stream_);
  }
}

/// dp:repro is defined by T; where no bits are promised, fewer moduli will do.
template <class T>
CertificateRungKind DeviceGemm<T>::certificate_kind() const {
  const Index terms = certificate_terms(rows_.k, certificate_moduli_stride(rows_.k));
  return mode_.reproducible || terms > chunk_ ? CertificateRungKind::bits : CertificateRungKind::moduli;
}

/// With an offer, elements that need more moduli than pay are rejected: few of them are no reason to take cuBLAS.
template <class T>
CertificateLadder DeviceGemm<T>::certificate_ladder() const {
  const CertificateRungKind kind = certificate_kind();
  if (!offer_) return {kind, all_rungs, residues()};
  constexpr CertificateRungs bits = certificate_rungs<T>();
  const CertificateModuli moduli = certificate_moduli<T>(rows_.k, residues());
  // Norms save two bits at least.
  const double saved = 2 - std::log2(static_cast<double>(rows_.k));
  int most = 1;
  if (kind == CertificateRungKind::bits) {
    while (most < bits.count && int8_moduli_for(2 * bits.t[most] - saved, residues()) <= offer_->most_moduli) ++most;
  } else {
    while (most < moduli.count && moduli.moduli[most] <= offer_->most_moduli) ++most;
  }
  return {kind, most, residues()};
}

/// The largest blocks of the certificate that the buffers of the passes hold.
template <class T>
CertificateBlocks DeviceGemm<T>::certificate_blocks() const {
  const Index terms = certificate_terms(rows_.k, certificate_stride_of(rows_.k, certificate_kind()));
  const Index chunk = std::min(round_up(terms, 128), chunk_);
  const auto lines_in = [&](std::size_t bytes, Index all) {
    return std::min(static_cast<Index>(bytes) / chunk / line_group * line_group, padded_lines(all));
  };
  Index block_rows = lines_in(buffers_.rows_bytes, rows_.count);
  Index block_cols = lines_in(buffers_.cols_bytes, cols_.count);
  if (terms <= chunk) return {block_rows, block_cols, chunk};
  const Index sums = static_cast<Index>(buffers_.result_bytes / sizeof(std::int32_t));
  block_cols = std::min(block_cols, sums / line_group / line_group * line_group);
  block_rows = std::min(block_rows, sums / block_cols / line_group * line_group);
  return {block_rows, block_cols, chunk};
}

/// For a plan with T = t or less: what suffices for abs(a'), abs(b') <= 2^t, whatever the norms.
template <class T>
PassLaunch DeviceGemm<T>::launch_for_bits(int t) const {
  const double bits = 2 * t + std::log2(static_cast<double>(rows_.k)) + 1e-9;
  for (const ResidueKind of : {residues(), ResidueKind::real})
    if (const int moduli = int8_moduli_for(bits, of); moduli != 0) return launch_for(moduli, of);
  throw Error(ACCUBLAS_ERROR_INTERNAL, "the moduli do not hold T = " + std::to_string(t));
}

template <class T>
PassLaunch DeviceGemm<T>::launch_for(int moduli, ResidueKind of) const {
  const bool complex = of == ResidueKind::complex;
  Buffers buffers = buffers_;
  if (complex) buffers.k_padded /= 2;
  PassLaunch launched(buffers, moduli, rows_.count, complex ? cols_.count / 2 : cols_.count, of);
  launched.same_lines = same_lines(of);
  return launched;
}

template <class T>
void DeviceGemm<T>::run_pass(int index, const PassLaunch& launched) {
  const PassPlan* plan = &call_->pass[index];
  const bool complex = launched.residues == ResidueKind::complex;
  // The real lines of a pair hold the numbers; the operand's other lines are theirs in another order.
  const Operand<T> cols = complex ? cols_.numbers() : cols_;
  const bool conjugated = call_in_engine_.pairs_of_columns == RowPairs::conjugated;
  const int row_sign = conjugated ? -1 : 1, stored_sign = call_as_made_.problem.conjugate_a ? -1 : 1,
            col_sign = as_stored_ ? stored_sign : -row_sign;
  const auto start_convert = complex ? convert_complex<T> : convert<T>;
  const auto start_reconstruct = complex ? reconstruct_complex<T> : reconstruct<T>;
  const Index k_padded = launched.buffers.k_padded;
  const Wanted& wanted = call_in_engine_.wanted;
  const bool same = same_lines(launched.residues);
  KnownZeros zeros = call_in_engine_.zeros;
  if (complex) zeros.paired_lines = zeros.paired_terms = false;
  for (Index row = 0; row < launched.row_blocks; ++row) {
    for (Index col = 0; col < launched.col_blocks; ++col) {
      for (Index c = 0; c < chunks_; ++c) {
        const Index p = c * chunk_, terms = std::min(rows_.k - p, chunk_);
        state_.phase(&accublas_report_t::ms_convert);
        start_convert(model_, {rows_, row_lines_, row, row_residues_, col == 0 || chunks_ > 1, 1, row_sign},
                      {cols, col_lines_, col, col_residues_, true, complex ? 2 : 1, col_sign, same}, plan, p, terms,
                      k_padded, stream_);
        state_.phase(&accublas_report_t::ms_product);
        residue_product(model_,
                        {row_residues_, col_residues_, buffers_.rows_bytes, buffers_.cols_bytes,
                         reinterpret_cast<std::int8_t*>(result_), k_padded, rows_.count, cols.count, row, col, c > 0,
                         plan, call_, launched.residues, complex ? wanted.of_numbers() : wanted, same,
                         as_stored_ && row_sign != col_sign, zeros, complex ? p / 2 : p},
                        stream_);
      }
      state_.phase(&accublas_report_t::ms_reconstruct);
      const ReconstructArguments<T> arguments{reinterpret_cast<const std::int8_t*>(result_),
                                              row_lines_,
                                              col_lines_,
                                              row,
                                              col,
                                              at_,
                                              alpha_,
                                              beta_,
                                              open_,
                                              index,
                                              hook_all_undecided(),
                                              call_,
                                              wanted};
      sums_ ? add_sums(model_, arguments, *sums_, stream_) : start_reconstruct(model_, arguments, joined_, stream_);
    }
  }
}

/// Open elements that no term contributes to, before a pass is planned for them.
template <class T>
void DeviceGemm<T>::resolve_zeros(int index) {
  if (!keep_nonzero_) return;
  state_.phase(&accublas_report_t::ms_exact);
  resolve_structural_zeros(model_, exact_arguments(call_in_engine_, row_lines_, col_lines_, open_, call_), index,
                           stream_);
}

}  // namespace

template <class T>
void int8_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, const NativeOffer* offer) {
  DeviceGemm<T> gemm(state, call, execution, offer);
  const CallMemory memory(state.device(), state.cuda_stream(), state.capture_memory(), execution.workspace.buffer(),
                          execution.workspace.buffer_bytes(), gemm.choose());
  gemm.run(memory.data());
}

namespace {

/// body(a DeviceGemm for sums += A B by so many moduli, of which choose is done; the bytes it needs).
template <class T, class Body>
void with_sums(State& state, const Gemm<T>& problem, int moduli, const PairSums& sums, Execution& execution,
               Body&& body) {
  const T one = 1, zero = 0;
  Gemm<T> g = problem;
  g.c = {nullptr, g.n + 1, 1};  // rows of A stay rows
  Mode mode{};
  mode.kind = ACCUBLAS_MODE_CR;
  const Call<Gemm<T>, T> call{g, {&one, false}, {&zero, false}, true, true, mode, ACCUBLAS_ENGINE_INT8};
  DeviceGemm<T> gemm(state, call, execution, nullptr, &sums, moduli);
  body(gemm, gemm.choose());
}

}  // namespace

template <class T>
std::size_t int8_sums_bytes(State& state, const Gemm<T>& problem, int moduli, Execution& execution) {
  std::size_t bytes = 0;
  with_sums(state, problem, moduli, PairSums{}, execution, [&](DeviceGemm<T>&, std::size_t need) { bytes = need; });
  return bytes;
}

template <class T>
void int8_sums(State& state, const Gemm<T>& problem, int moduli, const PairSums& sums, std::byte* memory,
               Execution& execution) {
  with_sums(state, problem, moduli, sums, execution, [&](DeviceGemm<T>& gemm, std::size_t) { gemm.run(memory); });
}

#define ACCUBLAS_INSTANTIATE(T)                                                  \
  template std::size_t int8_sums_bytes(State&, const Gemm<T>&, int, Execution&); \
  template void int8_sums(State&, const Gemm<T>&, int, const PairSums&, std::byte*, Execution&);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
#undef ACCUBLAS_INSTANTIATE
template void int8_gemm(State&, const Call<Gemm<double>, double>&, Execution&, const NativeOffer*);
template void int8_gemm(State&, const Call<Gemm<float>, float>&, Execution&, const NativeOffer*);

}  // namespace accublas::cuda
