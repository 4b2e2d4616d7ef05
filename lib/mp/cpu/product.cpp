// alpha op(A) B + beta C on the CPU: one residue product for all outputs, sums by bands for the outputs that need them,
// then one finish for each output.
#include <algorithm>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/mp/cpu/byte_product.hpp"
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

/// Computes the residues of sum_q X'_iq Z_qv for all outputs of the triangle: y[k plane_stride + w ldy + i], where w is
/// a column of b.
void residue_products(const MpProduct& p, const HostAligned& a, const AlignedVectors& b, int count, std::uint32_t* y,
                      std::int64_t ldy, const cpu::MpKernels& kernels, int threads) {
  const RnsModulus* modulus = moduli(count);
  constexpr std::int64_t triangle_rows = 128;  // a task of a triangle leaves out whole columns of C
  const std::int64_t all = rows_per_task(p.m, count, threads),
                     rows = p.triangle == Triangle::all ? all : std::min(all, triangle_rows),
                     row_tasks = ceil_div(p.m, rows);
  parallel_for(count * row_tasks, threads, [&](std::int64_t task, int) {
    const int k = static_cast<int>(task / row_tasks);
    const std::int64_t i = task % row_tasks * rows, here = std::min(rows, p.m - i);
    const std::int64_t first = b.first_column(p.triangle == Triangle::upper ? i : 0),
                       vectors = b.first_column(p.triangle == Triangle::lower ? i + here : p.n) - first;
    const std::uint32_t *plane = a.plane(k), *x = b.plane(k) + first * b.ld();
    std::uint32_t* out = y + (k * b.columns() + first) * ldy + i;
    if (p.transposed)
      kernels.product_t({modulus[k], plane + i * a.ld(), a.ld(), a.rows(), here, x, b.ld(), out, ldy, vectors, false});
    else
      kernels.product_n({modulus[k], plane + i, a.ld(), here, a.columns(), x, b.ld(), out, ldy, vectors, false});
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
  Worker(const Elements& c, const cpu::MpKernels& kernels, const Basis* product, int digit_count, const Extended& alpha,
         const Extended& beta, bool reads_c, int columns)
      : format(c.format),
        finisher(format, product, alpha, beta),
        encoder(c, kernels),
        decoder(reads_c ? std::make_unique<Decoder>(format, kernels) : nullptr),
        limbs(chunk * format.limbs / 2),
        c_limbs(chunk * format.limbs / 2),
        digits(digit_count * chunk),
        integers(product ? columns * product->limbs * chunk : 0),
        room(cpu::mp_room(digit_count)) {}

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

/// Makes workers for sums of so many digits of the Chinese remainder theorem, or none without a product.
std::vector<Worker> make_workers(const MpProduct& p, int count, const cpu::MpKernels& kernels, const Basis* product,
                                 int digits, const Extended& alpha, const Extended& beta, int columns) {
  std::vector<Worker> workers;
  workers.reserve(count);
  for (int t = 0; t < count; ++t)
    workers.emplace_back(*p.c, kernels, product, digits, alpha, beta, beta.kind != Kind::zero, columns);
  return workers;
}

/// Calls chunk_task(i, v, rows, worker) for chunks of the outputs.
template <class Task>
void for_chunks(const MpProduct& p, std::vector<Worker>& workers, Task&& chunk_task) {
  const std::int64_t row_chunks = chunks_of(p.m);
  parallel_for(row_chunks * p.n, static_cast<int>(workers.size()), [&](std::int64_t task, int thread) {
    // The triangle's elements of a column are neighbours.
    const std::int64_t v = task / row_chunks, begin = p.triangle == Triangle::lower ? v : 0,
                       end = p.triangle == Triangle::upper ? v + 1 : p.m, at = task % row_chunks * chunk,
                       i = std::max(at, begin), rows = std::min(at + chunk, end) - i;
    if (rows > 0) chunk_task(i, v, rows, workers[thread]);
  });
}

/// Computes C = beta C.
void scale_only(const MpProduct& p, const Extended& beta, MpExecution& execution, const cpu::MpKernels& kernels) {
  const PhaseTimer timer(execution, &accublas_mp_report_t::ms_finish);
  std::vector<Worker> workers =
      make_workers(p, workers_for(p, execution.threads), kernels, nullptr, 0, constant(0), beta, 0);
  for_chunks(p, workers, [&](std::int64_t i, std::int64_t v, std::int64_t rows, Worker& worker) {
    finish_chunk(p, worker, i, v, rows,
                 [&](std::int64_t, const Extended& c, Rounded& result) { worker.finisher.scale(c, result); });
  });
}

}  // namespace

namespace {

/// Returns the basis of 8-bit numbers for sums of so many bits, if the product is to use it; null otherwise.
const ByteBasis* bytes_for(const MpProduct& p, int bits, int moduli, const HostAligned& a,
                           const MpExecution& execution) {
  const ByteBasis& basis = byte_basis(bits);
  return takes_bytes(p, moduli, a.moduli() >= moduli, basis, execution) ? &basis : nullptr;
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
  bool split = false, any_wide = false;
  const ByteBasis* bytes = nullptr;
  {
    const PhaseTimer timer(execution, &accublas_mp_report_t::ms_align);
    if (!a) {
      own = std::make_unique<HostAligned>(*p.a, p.block_a, execution.threads);
      a = own.get();
    }
    const Exponent* inner = p.transposed ? a->row_exponent() : a->column_exponent();
    b = p.b ? std::make_unique<AlignedVectors>(*p.b, p.block_b, inner) : std::make_unique<AlignedVectors>(inner);
    const int bits = product_bits(format.precision, a->spread() + b->spread(), p.k);
    count = moduli_for_bits(bits);
    split = b->any_banded() && !a->banded() && b->split_bands(most_columns);
    any_wide = a->banded() || (b->any_banded() && !split);
    if (!any_wide) bytes = bytes_for(p, bits, count, *a, execution);
    if (!bytes) {
      a->ensure(*p.a, count, kernels, execution.threads);
      b->make_planes(count, kernels, execution.threads);
    }
  }
  const Basis& product = basis(count);
  set_engine(execution.report, bytes ? "int8" : "sums");
  execution.report.moduli = bytes ? bytes->count : count;
  execution.report.spread = a->spread();
  execution.report.aligned_bytes = a->bytes();

  // All memory but that of the planes of 8-bit numbers is allocated before the product.
  const std::int64_t ldy = round_up(p.m, cpu::mp_padding);
  Buffer<std::uint32_t> y(bytes ? 0 : count * ldy * b->columns());
  std::unique_ptr<ByteSums> byte_sums;
  if (bytes) byte_sums = std::make_unique<ByteSums>(*bytes, p.m, b->columns());
  const int digits = bytes ? bytes->digits() : count + 1;
  std::vector<Worker> workers = make_workers(p, workers_for(p, execution.threads), kernels, &product, digits,
                                             alpha.value(), beta.value(), split ? most_columns : 1);
  if (any_wide)
    for (Worker& worker : workers)
      worker.wide = std::make_unique<WideSum>(p, *a, *b, product, kernels, y.data(), ldy, ldy * b->columns());
  if (bytes) {
    byte_products(p, *a, *b, *byte_sums, execution);
  } else {
    const PhaseTimer timer(execution, &accublas_mp_report_t::ms_product);
    residue_products(p, *a, *b, count, y.data(), ldy, kernels, execution.threads);
  }

  const PhaseTimer timer(execution, &accublas_mp_report_t::ms_finish);
  const Exponent* outer = p.transposed ? a->column_exponent() : a->row_exponent();
  const bool special = a->nonfinite() || b->nonfinite();
  const cpu::MpByteKernels& byte_kernels = cpu::kernels_for<cpu::MpByteKernels>(execution.isa);
  for_chunks(p, workers, [&](std::int64_t i, std::int64_t v, std::int64_t rows, Worker& worker) {
    ColumnBands columns(*b, v, product.limbs);
    for (int g = 0; g < columns.count(); ++g) {
      const std::int64_t w = b->first_column(v) + g;
      if (bytes)
        byte_sums->digits(i, w, rows, byte_kernels, worker.digits.data(), chunk);
      else
        kernels.crt_digits({y.data() + w * ldy + i, ldy * b->columns(), moduli(count), product.inverse.data(),
                            product.reciprocal.data(), count, rows, worker.digits.data(), chunk});
      kernels.integers({worker.digits.data(), chunk, digits, bytes ? bytes->column.data() : product.column.data(),
                        digits, count, rows, worker.integers.data() + g * chunk * product.limbs, product.limbs,
                        worker.room.data()});
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
