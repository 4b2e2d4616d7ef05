// Stages host operands of GEMM, in panels.
#include "cuda/core/staging.hpp"

#include <algorithm>
#include <new>

#include "cuda/core/call_state.hpp"
#include "cuda/core/copy_lane.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

namespace {

/// Pinned copies of the panels' states, written by copies on the stream.
class PinnedStates {
 public:
  explicit PinnedStates(Index count) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&base_), static_cast<std::size_t>(count) * sizeof(CallState),
                        cudaHostAllocDefault),
          "pinned host memory");
  }
  ~PinnedStates() { cudaFreeHost(base_); }
  PinnedStates(const PinnedStates&) = delete;
  PinnedStates& operator=(const PinnedStates&) = delete;
  CallState* operator+(Index i) const { return base_ + i; }

 private:
  CallState* base_ = nullptr;
};

/// How many rows and columns of C are computed at a time.
struct Panels {
  Index rows, cols;
};

/// Chooses panels so that A's rows once, and B's and C's columns twice, fit `room` bytes. If the product is large
/// enough it makes panels of columns, so that copies overlap with products.
template <class T>
Panels choose_panels(const HostTuning& tuning, const Gemm<T>& g, bool independent, std::size_t room) {
  const double words = static_cast<double>(room) / sizeof(T), k = static_cast<double>(g.k);
  Panels p{g.m, g.n};
  const auto need = [&] {
    const double rows = static_cast<double>(p.rows), cols = static_cast<double>(p.cols);
    return rows * k + (p.cols < g.n || p.rows < g.m ? 2 : 1) * (cols * k + rows * cols);
  };
  const auto split = [](Index all, Index chunks) { return round_up(ceil_div(all, chunks), 256); };
  if (!independent) {
    if (need() > words) throw Error(ACCUBLAS_ERROR_MEMORY, "the operands do not fit the device's memory");
    return p;
  }
  if (g.n >= tuning.least_split_cols && g.m >= tuning.least_split_rows) p.cols = split(g.n, tuning.panels);
  while (need() > words) {
    const Index rows = p.rows, cols = p.cols;
    if (p.cols > tuning.narrow_cols || p.rows <= 256) {
      p.cols = std::max<Index>(split(p.cols, 2), 256);
    } else {
      p.rows = std::max<Index>(split(p.rows, 2), 256);
    }
    if (p.rows == rows && p.cols == cols)
      throw Error(ACCUBLAS_ERROR_MEMORY, "256 rows and columns do not fit the device's memory");
  }
  return p;
}

}  // namespace

template <class T>
void staged_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve) {
  const Gemm<T>& g = call.problem;
  const accublas_mode kind = call.mode.kind;
  // The T* of dp:repro and sp:repro belongs to all of C.
  const bool one_rung = (kind == ACCUBLAS_MODE_DP || kind == ACCUBLAS_MODE_SP) && call.mode.reproducible;
  // A target holds for all of C or for none of it.
  const bool judged = kind == ACCUBLAS_MODE_FIXED && execution.target > 0;
  const bool independent = !one_rung && !judged;
  const bool product = !no_product(call), read_c = !(g.beta == 0);
  const std::size_t free = free_memory(state.device());
  const std::size_t reserve = execution.workspace.cap() + (std::size_t{64} << 20);
  const Panels panels =
      choose_panels(state.model().tuning().host, g, independent, free / 10 * 9 > reserve ? free / 10 * 9 - reserve : 0);

  const cudaStream_t compute = state.cuda_stream();
  const PinnedBuffers pinned;
  Lane up(pinned, 0, execution.threads), down(pinned, 2, execution.threads);
  const int sets = panels.cols < g.n || panels.rows < g.m ? 2 : 1;
  struct Set {
    T *b, *c;
    Event copied, computed;
  } set[2];
  T* a = nullptr;
  const auto lay_out = [&](Carver& carver) {
    a = carver.take<T>(product ? static_cast<std::size_t>(panels.rows * g.k) : 0);
    for (int i = 0; i < sets; ++i) {
      set[i].b = carver.take<T>(product ? static_cast<std::size_t>(g.k * panels.cols) : 0);
      set[i].c = carver.take<T>(static_cast<std::size_t>(panels.rows * panels.cols));
    }
  };
  const ArrayMemory<CallMemory> memory(lay_out, state);
  // The memory is available once `compute` has reached this point.
  record(set[0].computed, compute);
  record(set[1].computed, compute);
  stream_waits(up.stream(), set[0].computed);

  struct Block {
    Index row, rows, col, cols;
  };
  bool written = false;
  const PinnedStates states(ceil_div(g.m, panels.rows) * ceil_div(g.n, panels.cols));
  Index served = 0;
  // Checks what the device has reported of the panels so far. A target is judged before C is written; there is only one
  // panel then.
  const auto check_states = [&] {
    check(cudaStreamSynchronize(compute), "waiting for a call");
    for (Index i = 0; i < served; ++i) {
      if ((states + i)->not_covered) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, not_covered_message);
      if ((states + i)->missed_target)
        throw Error(ACCUBLAS_ERROR_ACCURACY, "the target cannot be promised on this data");
    }
  };
  // Waits for the streams before the call's memory is given back, since a copy may still use it.
  const auto finish_transfers = [&] {
    try {
      state.forget_call();
    } catch (const Error&) {  // the device is lost, and the call's own error says so
    }
    cudaStreamSynchronize(up.stream());
    cudaStreamSynchronize(down.stream());
    cudaStreamSynchronize(compute);
  };
  const auto fetch = [&](const Block& block, Set& from) {
    if (judged) check_states();
    stream_waits(down.stream(), from.computed);
    written = true;
    down.download(from.c, g.c.block(block.row, block.col), block.rows, block.cols);
  };
  try {
    state.begin_parts();
    int turn = 0;
    Block pending{};
    for (Index row = 0; row < g.m; row += panels.rows) {
      const Index rows = std::min(g.m - row, panels.rows);
      // The products of the previous panel still use A's rows.
      stream_waits(up.stream(), set[1 - turn].computed);
      if (product) up.upload(g.a.block(row, 0), a, rows, g.k);
      for (Index col = 0; col < g.n; col += panels.cols) {
        const Index cols = std::min(g.n - col, panels.cols);
        Set& now = set[turn];
        stream_waits(up.stream(), now.computed);
        if (product) up.upload(g.b.block(0, col), now.b, g.k, cols);
        if (read_c) up.upload(Matrix<const T>{&g.c(row, col), g.c.row_stride, g.c.col_stride}, now.c, rows, cols);
        record(now.copied, up.stream());
        stream_waits(compute, now.copied);
        const Gemm<T> panel{
            rows,          cols,         g.k, g.alpha, {a, 1, rows}, {now.b, 1, g.k}, g.beta, {now.c, 1, rows},
            g.conjugate_a, g.conjugate_b};
        serve(state, Call<Gemm<T>, T>{panel, call.alpha, call.beta, true, true, call.mode, call.engine}, execution);
        state.copy_state(states + served++);
        record(now.computed, compute);
        execution.report.copied_bytes +=
            static_cast<std::int64_t>(sizeof(T)) *
            ((product ? g.k * cols + (col == 0 ? rows * g.k : 0) : 0) + (read_c ? 2 : 1) * rows * cols);
        if (pending.rows > 0) fetch(pending, set[1 - turn]);
        pending = {row, rows, col, cols};
        if (sets == 2) turn = 1 - turn;
      }
    }
    fetch(pending, set[sets == 2 ? 1 - turn : 0]);
    check_states();
    for (Index i = 0; i < served; ++i) add_to_report(*(states + i), execution.report);
    state.add_phases(execution.report);
    state.forget_call();
  } catch (const Error& error) {
    finish_transfers();
    if (written && error.status() != ACCUBLAS_ERROR_ACCURACY) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
    throw;
  } catch (const std::bad_alloc&) {
    finish_transfers();
    if (written) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, "no host memory");
    throw;
  }
}

template void staged_gemm(State&, const Call<Gemm<double>, double>&, Execution&, DeviceGemmFunction<double>);
template void staged_gemm(State&, const Call<Gemm<float>, float>&, Execution&, DeviceGemmFunction<float>);
template void staged_gemm(State&, const Call<Gemm<Complex<double>>, Complex<double>>&, Execution&,
                          DeviceGemmFunction<Complex<double>>);
template void staged_gemm(State&, const Call<Gemm<Complex<float>>, Complex<float>>&, Execution&,
                          DeviceGemmFunction<Complex<float>>);

}  // namespace accublas::cuda
