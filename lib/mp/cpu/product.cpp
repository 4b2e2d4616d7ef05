// alpha op(A) B + beta C on the CPU: one residue product for all outputs, sums by bands for the outputs that need them,
// then one finish for each output.
#include <algorithm>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/mp/cpu/cpu_backend.hpp"
#include "lib/mp/cpu/finish.hpp"
#include "lib/mp/cpu/wide.hpp"
#include "lib/mp/transfer.hpp"

namespace accublas::mp {

namespace {

/// alpha or beta with its limbs.
class Scalar {
 public:
  Scalar(const MpScalar& scalar, const cpu::MpKernels& kernels) {
    if (!scalar.elements) {
      value_ = constant(scalar.constant);
      return;
    }
    const Format& format = scalar.elements->format;
    limb_ = Buffer<std::uint64_t>(format.limbs / 2);
    std::int32_t exponent = 0;
    std::uint8_t sign = 0;
    Decoder decoder(format, kernels);
    decoder.limbs(*scalar.elements, {scalar.at, 1, 1, 1, 1}, 0, 1,
                  {reinterpret_cast<std::uint32_t*>(limb_.data()), &exponent, &sign});
    value_ = extended(limb_.data(), exponent, sign != 0, format);
  }
  const Extended& value() const { return value_; }

 private:
  Buffer<std::uint64_t> limb_;
  Extended value_;
};

/// Returns the rows of outputs in a task: whole cache lines of the planes, and enough tasks for the threads.
std::int64_t rows_per_task(std::int64_t rows, std::int64_t planes, int threads) {
  const std::int64_t wanted = ceil_div(4 * threads, planes);
  return std::max<std::int64_t>(64, round_up(ceil_div(rows, wanted), 64));
}

/// Computes the residues of sum_q X'_iq Z_qv for all outputs: y[k plane_stride + w ldy + i], where w is a column of b.
void residue_products(const MpProduct& p, const HostAligned& a, const AlignedVectors& b, int count, std::uint32_t* y,
                      std::int64_t ldy, const cpu::MpKernels& kernels, int threads) {
  const RnsModulus* modulus = moduli(count);
  const std::int64_t rows = rows_per_task(p.m, count, threads), row_tasks = ceil_div(p.m, rows);
  parallel_for(count * row_tasks, threads, [&](std::int64_t task, int) {
    const int k = static_cast<int>(task / row_tasks);
    const std::int64_t i = task % row_tasks * rows, here = std::min(rows, p.m - i);
    const std::uint32_t* plane = a.plane(k);
    std::uint32_t* out = y + k * ldy * b.columns() + i;
    if (p.transposed)
      kernels.product_t(
          {modulus[k], plane + i * a.ld(), a.ld(), a.rows(), here, b.plane(k), b.ld(), out, ldy, b.columns(), false});
    else
      kernels.product_n(
          {modulus[k], plane + i, a.ld(), here, a.columns(), b.plane(k), b.ld(), out, ldy, b.columns(), false});
  });
}

/// The most bands of a vector that are multiplied as separate columns, so that a matrix without bands is read once for
/// all.
constexpr int most_columns = 8;

/// S from the columns of a vector. Their integers have been reconstructed together with those of a chunk of outputs.
class ColumnBands final : public BandSums {
 public:
  ColumnBands(const AlignedVectors& b, std::int64_t v, int limbs)
      : b_(b),
        v_(v),
        first_(b.first_column(v)),
        count_(static_cast<int>(b.first_column(v + 1) - first_)),
        limbs_(limbs) {}
  int count() const override { return count_; }
  std::int64_t exponent(int g) const override {
    return outer_ + b_.unit(v_) + shifts * std::int64_t{b_.column_band(first_ + g)};
  }
  void integer(int g, std::uint64_t* limb) override { std::copy_n(integers_ + g * chunk * limbs_, limbs_, limb); }
  /// Sets the integers, of which number g is at integers[g chunk limbs]; `outer` is the exponent of the output's row.
  void set(const std::uint64_t* integers, Exponent outer) {
    integers_ = integers;
    outer_ = outer;
  }

 private:
  const AlignedVectors& b_;
  const std::int64_t v_, first_;
  const int count_, limbs_;
  const std::uint64_t* integers_ = nullptr;
  Exponent outer_ = 0;
};

/// The objects and buffers with which a thread finishes outputs, a chunk of a column at a time.
struct Worker {
  Worker(const Elements& c, const cpu::MpKernels& kernels, const Basis* product, const Extended& alpha,
         const Extended& beta, bool reads_c, int columns)
      : format(c.format),
        finisher(format, product, alpha, beta),
        encoder(c, kernels),
        decoder(reads_c ? std::make_unique<Decoder>(format, kernels) : nullptr),
        limbs(chunk * format.limbs / 2),
        c_limbs(chunk * format.limbs / 2),
        digits(product ? (product->count + 1) * chunk : 0),
        integers(product ? columns * product->limbs * chunk : 0),
        room(product ? cpu::mp_room(product->count + 1) : 0) {}

  Format format;
  Finisher finisher;
  Encoder encoder;
  std::unique_ptr<Decoder> decoder;
  Buffer<std::uint64_t> limbs, c_limbs;
  Buffer<std::uint32_t> digits;
  Buffer<std::uint64_t> integers, room;
  std::unique_ptr<WideSum> wide;
  std::int64_t outputs_in_bands = 0;
  int bands = 1;
};

/// Calls finish(t, c, result) for outputs i .. i + rows - 1 of column v, and writes the results.
template <class Finish>
void finish_chunk(const MpProduct& p, Worker& worker, std::int64_t i, std::int64_t v, std::int64_t rows,
                  Finish&& finish) {
  const Format& format = p.c->format;
  const int limbs = format.limbs / 2;
  std::int32_t exponent[chunk], c_exponent[chunk];
  std::uint8_t sign[chunk], c_sign[chunk];
  const std::int64_t first = i + v * p.m;
  if (worker.decoder)
    worker.decoder->limbs(*p.c, p.block_c, first, rows,
                          {reinterpret_cast<std::uint32_t*>(worker.c_limbs.data()), c_exponent, c_sign});
  for (std::int64_t t = 0; t < rows; ++t) {
    Extended c;
    if (worker.decoder) c = extended(worker.c_limbs.data() + t * limbs, c_exponent[t], c_sign[t] != 0, format);
    Rounded result{worker.limbs.data() + t * limbs, 0, false};
    finish(t, c, result);
    exponent[t] = result.exponent;
    sign[t] = result.negative;
    if (is_special(result.exponent)) std::fill_n(result.limb, limbs, 0);
  }
  worker.encoder.limbs(*p.c, p.block_c, first, rows,
                       {reinterpret_cast<const std::uint32_t*>(worker.limbs.data()), exponent, sign});
}

int workers_for(const MpProduct& p, int threads) {
  return static_cast<int>(std::clamp<std::int64_t>(chunks_of(p.m) * p.n, 1, threads));
}

std::vector<Worker> make_workers(const MpProduct& p, int count, const cpu::MpKernels& kernels, const Basis* product,
                                 const Extended& alpha, const Extended& beta, int columns) {
  std::vector<Worker> workers;
  workers.reserve(count);
  for (int t = 0; t < count; ++t)
    workers.emplace_back(*p.c, kernels, product, alpha, beta, beta.kind != Kind::zero, columns);
  return workers;
}

/// Calls chunk_task(i, v, rows, worker) for chunks of the outputs.
template <class Task>
void for_chunks(const MpProduct& p, std::vector<Worker>& workers, Task&& chunk_task) {
  const std::int64_t row_chunks = chunks_of(p.m);
  parallel_for(row_chunks * p.n, static_cast<int>(workers.size()), [&](std::int64_t task, int thread) {
    const std::int64_t i = task % row_chunks * chunk;
    chunk_task(i, task / row_chunks, std::min(chunk, p.m - i), workers[thread]);
  });
}

/// Computes C = beta C.
void scale_only(const MpProduct& p, const Extended& beta, MpExecution& execution, const cpu::MpKernels& kernels) {
  const PhaseTimer timer(execution, &accublas_mp_report_t::ms_finish);
  std::vector<Worker> workers =
      make_workers(p, workers_for(p, execution.threads), kernels, nullptr, constant(0), beta, 0);
  for_chunks(p, workers, [&](std::int64_t i, std::int64_t v, std::int64_t rows, Worker& worker) {
    finish_chunk(p, worker, i, v, rows,
                 [&](std::int64_t, const Extended& c, Rounded& result) { worker.finisher.scale(c, result); });
  });
}

}  // namespace

int product_bits(int precision, int spread, std::int64_t terms) {
  int bits = 2 * precision + spread;
  for (std::int64_t n = 1; n < terms; n *= 2) ++bits;
  return bits;
}

void host_product(const MpProduct& p, MpExecution& execution) {
  const cpu::MpKernels& kernels = cpu::mp_kernels(execution.isa);
  const Format& format = p.c->format;
  p.c->low = 0;
  const Scalar alpha(p.alpha, kernels), beta(p.beta, kernels);
  execution.report.bands = 1;
  if (alpha.value().kind == Kind::zero || p.k == 0) return scale_only(p, beta.value(), execution, kernels);

  // This block makes the aligned forms and finds the number of moduli that their product needs.
  std::unique_ptr<HostAligned> own;
  HostAligned* a = static_cast<HostAligned*>(p.aligned);
  std::unique_ptr<AlignedVectors> b;
  int count = 0;
  bool split = false;
  {
    const PhaseTimer timer(execution, &accublas_mp_report_t::ms_align);
    if (!a) {
      own = std::make_unique<HostAligned>(*p.a, p.block_a, execution.threads);
      a = own.get();
    }
    const Exponent* inner = p.transposed ? a->row_exponent() : a->column_exponent();
    b = p.b ? std::make_unique<AlignedVectors>(*p.b, p.block_b, inner) : std::make_unique<AlignedVectors>(inner);
    count = moduli_for_bits(product_bits(format.precision, a->spread() + b->spread(), p.k));
    a->ensure(*p.a, count, kernels, execution.threads);
    split = b->any_banded() && !a->banded() && b->split_bands(most_columns);
    b->make_planes(count, kernels, execution.threads);
  }
  const Basis& product = basis(count);
  execution.report.moduli = count;
  execution.report.spread = a->spread();
  execution.report.aligned_bytes = a->bytes();

  // All memory is allocated before the first write to C.
  const std::int64_t ldy = round_up(p.m, cpu::mp_padding);
  Buffer<std::uint32_t> y(count * ldy * b->columns());
  std::vector<Worker> workers = make_workers(p, workers_for(p, execution.threads), kernels, &product, alpha.value(),
                                             beta.value(), split ? most_columns : 1);
  const bool any_wide = a->banded() || (b->any_banded() && !split);
  if (any_wide)
    for (Worker& worker : workers)
      worker.wide = std::make_unique<WideSum>(p, *a, *b, product, kernels, y.data(), ldy, ldy * b->columns());
  {
    const PhaseTimer timer(execution, &accublas_mp_report_t::ms_product);
    residue_products(p, *a, *b, count, y.data(), ldy, kernels, execution.threads);
  }

  const PhaseTimer timer(execution, &accublas_mp_report_t::ms_finish);
  const Exponent* outer = p.transposed ? a->column_exponent() : a->row_exponent();
  const bool special = a->nonfinite() || b->nonfinite();
  for_chunks(p, workers, [&](std::int64_t i, std::int64_t v, std::int64_t rows, Worker& worker) {
    ColumnBands columns(*b, v, product.limbs);
    for (int g = 0; g < columns.count(); ++g) {
      kernels.crt_digits({y.data() + (b->first_column(v) + g) * ldy + i, ldy * b->columns(), moduli(count),
                          product.inverse.data(), product.reciprocal.data(), count, rows, worker.digits.data(), chunk});
      kernels.integers({worker.digits.data(), chunk, count + 1, product.column.data(), count + 1, count, rows,
                        worker.integers.data() + g * chunk * product.limbs, product.limbs, worker.room.data()});
    }
    finish_chunk(p, worker, i, v, rows, [&](std::int64_t t, const Extended& c, Rounded& result) {
      Sum sum;
      if (special) sum = classify(p, i + t, v);
      const bool wide = any_wide && worker.wide->in_bands(i + t, v);
      columns.set(&worker.integers[t * product.limbs], outer[i + t]);
      sum.bands = &columns;
      if (wide && sum.kind == Kind::finite) sum.bands = &worker.wide->add_up(i + t, v, i + rows);
      if (sum.bands->count() > 1) ++worker.outputs_in_bands;
      worker.bands = std::max(worker.bands, sum.bands->count());
      worker.finisher.combine(sum, c, result);
    });
  });
  for (const Worker& worker : workers) {
    execution.report.outputs_in_bands += worker.outputs_in_bands;
    execution.report.bands = std::max(execution.report.bands, worker.bands);
  }
}

}  // namespace accublas::mp
