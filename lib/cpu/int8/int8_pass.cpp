#include "lib/cpu/int8/int8_pass.hpp"

#include <algorithm>
#include <chrono>

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocks.hpp"
#include "lib/cpu/int8/int8_finish.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cpu {

namespace {

/// Fills the scaling of a side's lines; whether an interval pass drops no bit of some line.
bool scale_lines(const Int8Lines& lines, const Int8Scaling& to, int bits, bool interval, bool row) {
  bool any_exact = false;
  for (Index i = 0; i < lines.count; ++i) {
    const double norm = lines.norm[i];
    const int exponent = lines.exponent[i], scale = line_scale(norm, exponent, bits, interval);
    to.scale[i] = scale;
    to.exponent[i] = -scale;
    if (!interval) continue;
    const LineError e = line_error(norm, lines.lambda[i], exponent, lines.last_bit[i], scale, lines.k, row);
    any_exact |= e.drop == 0;
    to.drop[i] = e.drop;
    to.error[i] = e.error;
  }
  for (Index i = lines.count; i < round_up(lines.count, 32); ++i) {
    to.scale[i] = to.exponent[i] = 0;
    to.drop[i] = to.error[i] = 0;
  }
  return any_exact;
}

/// The time of a pass at report level 2: what the threads worked, as shares of what it took beside the conversions.
class PassClock {
 public:
  PassClock(const accublas_report_t& report, Int8Counts* counts, int threads)
      : counts_(counts), threads_(threads), convert_before_(report.ms_convert) {
    for (int t = 0; t < threads_; ++t) counts_[t].product_ns = counts_[t].reconstruct_ns = counts_[t].exact_ns = 0;
  }

  void add_to(accublas_report_t& report) const {
    std::int64_t product = 0, reconstruct = 0, exact = 0;
    for (int t = 0; t < threads_; ++t) {
      product += counts_[t].product_ns;
      reconstruct += counts_[t].reconstruct_ns;
      exact += counts_[t].exact_ns;
    }
    const double wall = watch_.milliseconds() - (report.ms_convert - convert_before_);
    const double all = static_cast<double>(product + reconstruct + exact);
    if (all > 0) {
      report.ms_product += wall * static_cast<double>(product) / all;
      report.ms_reconstruct += wall * static_cast<double>(reconstruct) / all;
      report.ms_exact += wall * static_cast<double>(exact) / all;
    }
  }

 private:
  Int8Counts* counts_;
  int threads_;
  double convert_before_;
  Stopwatch watch_;
};

}  // namespace

template <class T>
void int8_run_pass(Int8Call<T>& call, const Int8Verdict& verdict, const Int8Pass& pass) {
  bool some_exact = true;
  {
    PhaseTimer timer(call.execution, &accublas_report_t::ms_convert);
    some_exact &= scale_lines(call.rows.lines, call.rows.scaling, pass.row_bits, pass.interval, true);
    some_exact &= scale_lines(call.cols.lines, call.cols.scaling, pass.col_bits, pass.interval, false);
    for (Index i = 0; i < call.rows.lines.count; ++i) call.rows.scaling.exponent[i] += call.scalars.alpha_exponent;
  }
  accublas_report_t& report = call.execution.report;
  report.bits = std::max({report.bits, pass.row_bits, pass.col_bits});
  report.parts = std::max(report.parts, pass.moduli);

  const Int8Tiling& tiling = call.tiling;
  const Int8Blocking b = int8_blocking(call.rows.operand.count, call.cols.operand.count, call.problem.k, pass.moduli,
                                       tiling.rows, tiling.cols, 1, call.threads, call.arena_bytes);
  const Int8Bytes row_bytes{
      false,        false,        call.rows.scaling.scale, int8_limbs(pass.row_bits), pass.moduli, call.arena,
      b.row_stride, b.row_plane()};
  const Int8Bytes col_bytes{
      true, false,        call.cols.scaling.scale, int8_limbs(pass.col_bits), pass.moduli, call.arena + b.row_bytes,
      0,    b.col_plane()};
  const Int8Finish<T> finish(call, verdict, pass, int8_crt_table(pass.moduli), some_exact);
  const bool timed = report.level >= 2;
  const PassClock clock(report, call.counts, call.threads);
  int8_for_each_tile(call, b, row_bytes, col_bytes, call.problem.k, [&](const Int8TileTask& task) {
    using Clock = std::chrono::steady_clock;
    const auto begin = timed ? Clock::now() : Clock::time_point();
    int8_multiply_tile(call.kernels.product, task, pass.moduli, row_bytes, col_bytes, b.tile_plane(), tiling.cols);
    const auto middle = timed ? Clock::now() : Clock::time_point();
    Int8Counts& counts = call.counts[task.thread];
    const std::int64_t exact_before = counts.exact_ns;
    if (task.last_chunk) finish.finish_tile(task);
    if (timed) {
      counts.product_ns += std::chrono::nanoseconds(middle - begin).count();
      counts.reconstruct_ns +=
          std::chrono::nanoseconds(Clock::now() - middle).count() - (counts.exact_ns - exact_before);
    }
  });
  if (timed) clock.add_to(report);
}

template void int8_run_pass(Int8Call<double>&, const Int8Verdict&, const Int8Pass&);
template void int8_run_pass(Int8Call<float>&, const Int8Verdict&, const Int8Pass&);

}  // namespace accublas::cpu
