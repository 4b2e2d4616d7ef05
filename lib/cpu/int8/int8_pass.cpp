// One pass over C: scaling of the lines, what is known of the error, residues and products.
#include <chrono>
#include <cmath>

#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_blocks.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cpu {

template <class T>
void Int8Gemm<T>::prepare_pass(const Int8Pass& pass) {
  decide_ties_ = false;
  bool any_row_exact = false, any_col_exact = false;
  auto prepare = [&](const Int8Lines& lines, int bits, std::int32_t* scale, std::int32_t* exponent, double* error,
                     double* drop, bool row, bool& any_exact) {
    for (Index i = 0; i < lines.count; ++i) {
      scale[i] = line_scale(lines.norm[i], lines.exponent[i], bits, pass.interval);
      exponent[i] = -scale[i];
      if (!pass.interval) continue;
      const LineError e =
          line_error(lines.norm[i], lines.lambda[i], lines.exponent[i], lines.last_bit[i], scale[i], problem_.k, row);
      any_exact |= e.drop == 0;
      drop[i] = e.drop;
      error[i] = mutant(Mutant::ziv_half) ? e.error * 0x1p-40 : e.error;
    }
    for (Index i = lines.count; i < round_up(lines.count, 32); ++i) {
      scale[i] = 0;
      exponent[i] = 0;
      drop[i] = error[i] = 0;
    }
  };
  prepare(row_lines_, pass.row_bits, row_scale_, row_exponent_, row_error_, row_drop_, true, any_row_exact);
  prepare(col_lines_, pass.col_bits, col_scale_, col_exponent_, col_error_, col_drop_, false, any_col_exact);
  for (Index i = 0; i < row_lines_.count; ++i) row_exponent_[i] += alpha_exponent_;
  decide_ties_ = any_row_exact && any_col_exact;
}

template <class T>
void Int8Gemm<T>::run_pass(const Int8Pass& asked) {
  Int8Pass pass = asked;
  if (mutant(Mutant::dropped_modulus) && pass.moduli > 1) --pass.moduli;
  {
    PhaseTimer timer(execution_, &accublas_report_t::ms_convert);
    prepare_pass(pass);
  }
  accublas_report_t& report = execution_.report;
  const int bits = pass.row_bits > pass.col_bits ? pass.row_bits : pass.col_bits;
  if (bits > report.bits) report.bits = bits;
  if (pass.moduli > report.parts) report.parts = pass.moduli;

  const Int8Blocking b = int8_blocking(rows_.count, cols_.count, problem_.k, pass.moduli, tile_rows_, tile_cols_, 1,
                                       threads_, arena_bytes_);
  const CrtTable& crt = int8_crt_table(pass.moduli);
  Int8Bytes row_bytes{false,       false,  row_scale_,   int8_limbs(pass.row_bits),
                      pass.moduli, arena_, b.row_stride, b.row_plane()};
  Int8Bytes col_bytes{true, false,        col_scale_, int8_limbs(pass.col_bits), pass.moduli, arena_ + b.row_bytes,
                      0,    b.col_plane()};
  const bool timed = execution_.report.level >= 2;
  const auto start = std::chrono::steady_clock::now();
  const double convert_before = report.ms_convert;
  for (int t = 0; t < threads_; ++t) counts_[t].product_ns = counts_[t].reconstruct_ns = counts_[t].exact_ns = 0;

  for_each_tile(b, row_bytes, col_bytes, problem_.k, [&](const Int8TileTask& task) {
    using clock = std::chrono::steady_clock;
    const auto begin = timed ? clock::now() : clock::time_point();
    std::int8_t* to = reinterpret_cast<std::int8_t*>(task.result);
    Int8Product product = task.product;
    for (int l = 0; l < pass.moduli; ++l) {
      if (l + 1 < pass.moduli) {
        product.next_rows += row_bytes.plane_stride;
        product.next_columns += col_bytes.plane_stride;
      }
      product_.residues(product, int8_moduli[l], !task.first_chunk, to, tile_cols_);
      product.rows_data = product.next_rows;
      product.columns_data = product.next_columns;
      to += b.tile_plane();
    }
    const auto middle = timed ? clock::now() : clock::time_point();
    const std::int64_t exact_before = counts_[task.thread].exact_ns;
    if (task.last_chunk) finish_tile(pass, crt, task);
    if (timed) {
      Int8Counts& counts = counts_[task.thread];
      counts.product_ns += std::chrono::nanoseconds(middle - begin).count();
      counts.reconstruct_ns +=
          std::chrono::nanoseconds(clock::now() - middle).count() - (counts.exact_ns - exact_before);
    }
  });
  if (timed) {
    // The threads' times, as shares of what this pass took beside the conversions.
    std::int64_t product = 0, reconstruct = 0, exact = 0;
    for (int t = 0; t < threads_; ++t) {
      product += counts_[t].product_ns;
      reconstruct += counts_[t].reconstruct_ns;
      exact += counts_[t].exact_ns;
    }
    const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() -
                        (report.ms_convert - convert_before);
    const double all = static_cast<double>(product + reconstruct + exact);
    if (all > 0) {
      report.ms_product += wall * static_cast<double>(product) / all;
      report.ms_reconstruct += wall * static_cast<double>(reconstruct) / all;
      report.ms_exact += wall * static_cast<double>(exact) / all;
    }
  }
}

template void Int8Gemm<double>::run_pass(const Int8Pass&);
template void Int8Gemm<float>::run_pass(const Int8Pass&);

}  // namespace accublas::cpu
