#include "cuda/int8/int8_plan.hpp"

#include <algorithm>
#include <cmath>

#include "cuda/int8/even_moduli.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

namespace {

Int8Flow flow_of(const Int8Request& request) {
  if (request.sum_moduli > 0) return Int8Flow::sums;
  if (request.mode.kind == ACCUBLAS_MODE_FIXED) return Int8Flow::fixed;
  return request.mode.kind == ACCUBLAS_MODE_CR ? Int8Flow::cr : Int8Flow::grade;
}

// ---- How k and C are cut ----

/// The moduli that passes usually take. The buffers are shaped for them; more moduli only make the blocks smaller.
template <class T>
constexpr int usual_moduli(const Mode& mode) {
  const bool single = sizeof(T) == sizeof(float);
  if (mode.kind == ACCUBLAS_MODE_CR) return single ? 11 : 23;
  return single ? 8 : 15;
}

/// How C and k may be cut: a block of rows x cols elements with `planes` moduli, k in chunks.
struct Cut {
  Index chunk, rows, cols, planes;

  Index bytes() const { return (rows + cols) * planes * chunk + rows * cols * planes; }
  /// Approximate number of bytes that conversions and sums move through memory for k terms of m and n lines. Rows are
  /// converted once, columns once a block of rows. With more than one chunk both are converted once a block of C, and
  /// results are read again.
  double traffic(Index m, Index n, Index k, Index moduli) const {
    const Index row_blocks = ceil_div(m, rows), col_blocks = ceil_div(n, cols), chunks = ceil_div(k, chunk);
    const Index lines = m * (chunks > 1 ? col_blocks : 1) + n * row_blocks;
    return static_cast<double>(lines) * static_cast<double>(k) * static_cast<double>(moduli + 8) +
           2.0 * static_cast<double>(m * n) * static_cast<double>(moduli * (chunks - 1));
  }
};

/// The largest block for m and n padded lines that fits with chunks of that length.
Cut largest_block(const Int8Tuning& tuning, Index m, Index n, Index chunk, Index usual, Index available) {
  // With all moduli where they fit: then one block does, whatever the device plans.
  Cut cut{chunk, m, n, max_moduli};
  if (cut.bytes() <= available) return cut;
  cut.planes = usual;
  // Rows first, with some columns beside them.
  cut.cols = std::min<Index>(n, tuning.beside_rows);
  for (Index blocks = 2; cut.rows > line_group && cut.bytes() > available; ++blocks)
    cut.rows = padded_lines(ceil_div(m, blocks));
  cut.cols = n;
  for (Index blocks = 2; cut.cols > line_group && cut.bytes() > available; ++blocks)
    cut.cols = padded_lines(ceil_div(n, blocks));
  return cut;
}

/// Buffers that a pass with all moduli needs for a square of line_group lines, its smallest block.
Buffers least_buffers(Index chunk, ResidueKind residues) {
  const Index line = line_group * max_moduli * chunk,
              result = line_group * line_group * (residues == ResidueKind::complex ? max_planes : max_moduli);
  return {static_cast<std::size_t>(line), static_cast<std::size_t>(line), static_cast<std::size_t>(result), chunk};
}

Index bytes_of(const Buffers& b) { return static_cast<Index>(b.rows_bytes + b.cols_bytes + b.result_bytes); }

/// The cut that moves the fewest bytes in `available` bytes. The least one, the smallest block with the fewest terms,
/// may need more.
Cut choose_cut(const Int8Tuning& tuning, Index lines_m, Index lines_n, Index k, ResidueKind residues, Index usual,
               Index available) {
  const Index m = padded_lines(lines_m), n = padded_lines(lines_n);
  // Complex residues have half as many terms, of which kernels take 128 at a time.
  const Index step = residues == ResidueKind::complex ? 256 : 128;
  const auto half = [&](Index chunk) { return std::max<Index>(chunk / 2 / step * step, step); };
  // Long chunks keep the products busy.
  Cut cut = largest_block(tuning, m, n, std::min<Index>(round_up(k, step), product_most_terms / step * step), usual,
                          available);
  for (Cut other = cut; other.chunk >= tuning.least_halved;) {
    other = largest_block(tuning, m, n, half(other.chunk), usual, available);
    const bool fits = other.bytes() <= available && cut.bytes() > available;
    if (fits || other.traffic(m, n, k, usual) < cut.traffic(m, n, k, usual)) cut = other;
  }
  while (cut.chunk > step && bytes_of(least_buffers(cut.chunk, residues)) > available)
    cut = largest_block(tuning, m, n, half(cut.chunk), usual, available);
  return cut;
}

/// Buffers for a cut, which hold the smallest block at least.
Buffers buffers_for(const Cut& cut, ResidueKind residues, Index available) {
  const Buffers least = least_buffers(cut.chunk, residues);
  const auto bytes = [](Index count) { return static_cast<std::size_t>(count); };
  const Buffers buffers{std::max(bytes(cut.rows * cut.planes * cut.chunk), least.rows_bytes),
                        std::max(bytes(cut.cols * cut.planes * cut.chunk), least.cols_bytes),
                        std::max(bytes(cut.rows * cut.cols * cut.planes), least.result_bytes), cut.chunk};
  return bytes_of(buffers) > available ? least : buffers;
}

// ---- The certificate ----

/// dp:repro is defined by T. Where no bits are promised, fewer moduli suffice, if one chunk holds the sampled terms.
CertificateRungKind certificate_kind(const Mode& mode, Index k, Index chunk) {
  const Index terms = certificate_terms(k, certificate_moduli_stride(k));
  return mode.reproducible || terms > chunk ? CertificateRungKind::bits : CertificateRungKind::moduli;
}

/// With an offer, elements that need more moduli than pay are rejected: few of them are no reason to take cuBLAS.
template <class T>
CertificateLadder certificate_ladder(CertificateRungKind kind, Index k, ResidueKind residues,
                                     const NativeOffer* offer) {
  if (!offer) return {kind, all_rungs, residues};
  constexpr CertificateRungs bits = certificate_rungs<T>();
  const CertificateModuli moduli = certificate_moduli<T>(k, residues);
  // Norms save two bits at least.
  const double saved = 2 - std::log2(static_cast<double>(k));
  int most = 1;
  if (kind == CertificateRungKind::bits) {
    while (most < bits.count && int8_moduli_for(2 * bits.t[most] - saved, residues) <= offer->most_moduli) ++most;
  } else {
    while (most < moduli.count && moduli.moduli[most] <= offer->most_moduli) ++most;
  }
  return {kind, most, residues};
}

/// The largest blocks of the certificate that the buffers of the passes hold.
CertificateBlocks certificate_blocks(Index m, Index n, Index terms, Index longest_chunk, const Buffers& buffers) {
  const Index chunk = std::min(round_up(terms, 128), longest_chunk);
  const auto lines_in = [&](std::size_t bytes, Index all) {
    return std::min(static_cast<Index>(bytes) / chunk / line_group * line_group, padded_lines(all));
  };
  Index block_rows = lines_in(buffers.rows_bytes, m);
  Index block_cols = lines_in(buffers.cols_bytes, n);
  if (terms <= chunk) return {block_rows, block_cols, chunk};
  const Index sums = static_cast<Index>(buffers.result_bytes / sizeof(std::int32_t));
  block_cols = std::min(block_cols, sums / line_group / line_group * line_group);
  block_rows = std::min(block_rows, sums / block_cols / line_group * line_group);
  return {block_rows, block_cols, chunk};
}

// ---- The passes ----

template <class T>
PassLaunch launch_for(const EngineCall<T>& call, const Buffers& of_call, int moduli, ResidueKind residues) {
  const bool complex = residues == ResidueKind::complex;
  Buffers buffers = of_call;
  if (complex) buffers.k_padded /= 2;
  PassLaunch launched(buffers, moduli, call.rows.count, complex ? call.cols.count / 2 : call.cols.count, residues);
  launched.same_lines = call.same_lines(residues);
  return launched;
}

/// A launch for T = t or less: the moduli that suffice for abs(a'), abs(b') <= 2^t, whatever the norms.
template <class T>
PassLaunch launch_for_bits(const EngineCall<T>& call, const Buffers& buffers, int t, ResidueKind residues) {
  const double bits = 2 * t + std::log2(static_cast<double>(call.rows.k)) + 1e-9;
  for (const ResidueKind of : {residues, ResidueKind::real})
    if (const int moduli = int8_moduli_for(bits, of); moduli != 0) return launch_for(call, buffers, moduli, of);
  throw Error(ACCUBLAS_ERROR_INTERNAL, "the moduli do not hold T = " + std::to_string(t));
}

/// A launch for every rung of the ladder, and for the numbers of moduli that lines alone may suffice for, with the
/// spare moduli of the plan.
template <class T>
PassLaunch launch_for_ladder(const EngineCall<T>& call, const Int8Plan& plan) {
  const Buffers& buffers = plan.buffers;
  const CertificateLadder& ladder = plan.ladder;
  if (ladder.kind == CertificateRungKind::bits) {
    constexpr CertificateRungs rungs = certificate_rungs<T>();
    return launch_for_bits(call, buffers, rungs.t[rungs.count - 1], ladder.residues);
  }
  const CertificateModuli rungs = certificate_moduli<T>(call.rows.k, ladder.residues);
  const EvenModuli by_lines = even_moduli(sizeof(T) == sizeof(float), call.rows.k, ladder.residues);
  const int moduli = std::max(rungs.moduli[std::min(rungs.count, ladder.most) - 1], by_lines.most) + plan.spare_moduli;
  return launch_for(call, buffers, std::min(moduli, most_moduli(ladder.residues)), ladder.residues);
}

template <class T>
PassLaunch first_launch(const EngineCall<T>& call, const Int8Request& request, const Int8Plan& plan) {
  switch (plan.flow) {
    case Int8Flow::fixed:
      return launch_for_bits(call, plan.buffers, request.mode.parameter, plan.residues);
    case Int8Flow::cr:
      return launch_for(call, plan.buffers, most_moduli(plan.residues), plan.residues);
    case Int8Flow::grade:
      // The first pass of dp:repro may be cr's.
      if (request.mode.reproducible) return launch_for(call, plan.buffers, most_moduli(plan.residues), plan.residues);
      return launch_for_ladder(call, plan);
    case Int8Flow::sums:
      break;
  }
  return launch_for(call, plan.buffers, request.sum_moduli, ResidueKind::real);
}

template <class T>
double work_of(const EngineCall<T>& call) {
  return static_cast<double>(call.rows.count) * static_cast<double>(call.cols.count) * static_cast<double>(call.rows.k);
}
/// Looking for the terms that groups of lines need takes a launch, which small products do not repay.
constexpr double least_work_for_terms = 0x1p32;

/// Returns the number of passes, the first included. Kernels of passes that are not needed still have to be launched. A
/// pass of one block takes the host 30 us and the device 10 us then. So small real products take one pass. Tiles and
/// single sums compute the elements that this pass does not decide or that the certificate of dp:repro rejects, which
/// are at most one in 64. A call that launches slabs launches one pass fewer. Larger products in dp:repro launch at
/// least two passes, the second one for the rejected elements. With an offer (NativeOffer) exact accumulators follow
/// the first pass.
template <class T>
int passes_for(const EngineCall<T>& call, const Int8Request& request, const Int8Plan& plan) {
  if (plan.flow == Int8Flow::fixed || plan.flow == Int8Flow::sums || request.offer) return 1;
  const double work = work_of(call);
  // Complex residues have fewer bits than a second pass with real ones.
  const bool few_rejected = plan.flow == Int8Flow::cr || (request.mode.reproducible && !request.combined);
  if (plan.residues == ResidueKind::real && few_rejected && work <= 0x1p30) return 1;
  const int passes = (work < 0x1p36 ? 2 : most_passes) - (plan.slabs.square > 0 ? 1 : 0);
  return plan.flow == Int8Flow::grade ? std::max(passes, 2) : passes;
}

// ---- Slabs ----

/// Whether terms and lines are single real numbers, whose residues are real.
template <class T>
bool has_real_operands(const EngineCall<T>& call, const Int8Plan& plan) {
  return call.rows.term_pairs == 0 && call.cols.term_pairs == 0 && call.cols.line_pairs == 0 &&
         plan.residues == ResidueKind::real;
}

/// Returns the squares and slabs for the shape of a call, with a chunk of one square, which largest_chunk replaces.
/// Returns no slabs if they cannot be faster.
template <class T>
SlabShape slab_shape(const EngineCall<T>& call, const Int8Request& request, const Int8Plan& plan) {
  const Index m = call.rows.count, n = call.cols.count, k = call.rows.k;
  const double work = work_of(call);
  const bool plain = call.wanted.all() && call.zeros.part == Triangle::all && has_real_operands(call, plan) &&
                     call.rows.negative == 0 && call.cols.negative == 0;
  const bool cr = plan.flow == Int8Flow::cr || (plan.flow == Int8Flow::grade && request.mode.reproducible);
  if (!cr || request.combined || !plain || work < request.slabs.least_work) return {};
  SlabShape shape{};
  shape.square = std::min(m, n) < request.slabs.small_order ? line_group : most_square;
  shape.terms = k < request.slabs.short_sum ? 128 : k < request.slabs.long_sum ? 256 : most_slab_terms;
  shape.slabs = ceil_div(k, shape.terms);
  shape.rows = shape.cols = shape.square;
  shape.moduli = most_slab_moduli;
  const std::size_t bytes = bytes_of_arrays([&](Carver& carver) { take_slab_arrays(carver, shape, m, n); });
  return shape.slabs <= most_slabs && bytes <= request.cap / 8 ? shape : SlabShape{};
}

/// Returns the most bytes that the arrays of a chunk's lines may take together.
std::size_t most_slab_lines(std::size_t cap) { return std::min(cap / 32, std::size_t{16} << 20); }

/// Adds a part of the remaining memory to the buffers, because small chunks do not fill the device. The buffers grow no
/// larger than C needs as one chunk.
void grow_for_slabs(const SlabShape& shape, Index available, Index m, Index n, Buffers& buffers) {
  const Index row_squares = shape.squares(m), col_squares = shape.squares(n), line = shape.k_padded() * shape.moduli;
  const Index lines = row_squares * col_squares * shape.square * line,
              results = row_squares * col_squares * shape.square * shape.square * shape.slabs * shape.moduli;
  const std::size_t part = static_cast<std::size_t>(std::max(available - bytes_of(buffers), Index{0}) / 8);
  const auto grow = [&](std::size_t& bytes, Index whole) {
    bytes = std::max(bytes, std::min(static_cast<std::size_t>(whole), bytes + part));
  };
  grow(buffers.rows_bytes, lines);
  grow(buffers.cols_bytes, lines);
  grow(buffers.result_bytes, results);
}

/// Returns the shape with the chunk that fits the buffers and cuts C into the fewest chunks. Returns no slabs if not
/// even a square fits.
SlabShape largest_chunk(const SlabShape& least, const Buffers& buffers, std::size_t most_lines, Index m, Index n) {
  SlabShape best{};
  Index fewest = 0;
  const Index row_squares = least.squares(m), col_squares = least.squares(n);
  for (Index rows = 1; rows <= row_squares; ++rows) {
    for (Index cols = 1; cols <= col_squares; ++cols) {
      SlabShape shape = least;
      shape.rows = rows * least.square;
      shape.cols = cols * least.square;
      const auto fits = [](Index bytes, std::size_t available) { return static_cast<std::size_t>(bytes) <= available; };
      if (!fits(shape.rows * shape.bytes_of_row() * shape.moduli, buffers.rows_bytes) ||
          !fits(shape.cols * shape.bytes_of_col() * shape.moduli, buffers.cols_bytes) ||
          !fits(shape.rows * shape.cols * shape.slabs * shape.moduli, buffers.result_bytes) ||
          !fits(2 * rows * shape.cols * shape.slabs * Index{sizeof(SlabLine)}, most_lines))
        break;
      const Index chunks = ceil_div(row_squares, rows) * ceil_div(col_squares, cols);
      if (best.square != 0 && chunks >= fewest) continue;
      best = shape;
      fewest = chunks;
    }
  }
  return best;
}

}  // namespace

template <class T>
Int8Plan plan_int8(const EngineCall<T>& call, const Int8Request& request) {
  const Index m = call.rows.count, n = call.cols.count, k = call.rows.k;
  Int8Plan plan{};
  plan.flow = flow_of(request);
  const bool complex = call.pairs_of_columns != RowPairs::none && request.complex_kernels;
  plan.residues = complex ? ResidueKind::complex : ResidueKind::real;
  plan.as_stored = call.cols.line_pairs != 0;
  // With an offer, many sums without a term are cuBLAS's, and few the exact accumulators'.
  plan.keep_nonzero = (plan.flow == Int8Flow::cr || plan.flow == Int8Flow::grade) && !request.offer &&
                      !request.combined && keeps_nonzero(call, request.cap);
  plan.keep_terms =
      plan.keep_nonzero && !call.grouped && has_real_operands(call, plan) && work_of(call) >= least_work_for_terms;

  plan.slabs = slab_shape(call, request, plan);
  // Residues get the rest of the workspace after the arrays of rows and columns.
  Carver lines(nullptr);
  take_arrays(lines, call, plan);
  if (plan.slabs.square > 0) lines.take<std::byte>(most_slab_lines(request.cap));
  const Index available = static_cast<Index>(request.cap - std::min(request.cap, lines.used()));
  const Cut cut = choose_cut(request.tuning, m, n, k, plan.residues, usual_moduli<T>(request.mode), available);
  plan.buffers = buffers_for(cut, plan.residues, available);
  plan.chunk = cut.chunk;
  plan.chunks = ceil_div(k, cut.chunk);
  if (plan.slabs.square > 0) grow_for_slabs(plan.slabs, available, m, n, plan.buffers);
  if (plan.slabs.square > 0) plan.slabs = largest_chunk(plan.slabs, plan.buffers, most_slab_lines(request.cap), m, n);

  if (plan.flow == Int8Flow::grade) {
    const CertificateRungKind kind = certificate_kind(request.mode, k, plan.chunk);
    plan.ladder = certificate_ladder<T>(kind, k, plan.residues, request.offer);
    plan.certificate_stride = certificate_stride_of(k, kind);
    plan.spare_moduli = request.spare_moduli;
    plan.certificate =
        certificate_blocks(m, n, certificate_terms(k, plan.certificate_stride), plan.chunk, plan.buffers);
  }
  plan.passes = passes_for(call, request, plan);
  plan.first = first_launch(call, request, plan);
  if (plan.passes > 1) plan.further = launch_for(call, plan.buffers, max_moduli, ResidueKind::real);

  Carver all(nullptr);
  take_arrays(all, call, plan);
  plan.bytes = all.used();
  return plan;
}

template <class T>
Int8Arrays take_arrays(Carver& carver, const EngineCall<T>& call, const Int8Plan& plan) {
  Int8Arrays arrays{};
  arrays.rows = take_lines(carver, call.rows, plan.keep_nonzero);
  const bool same_lines = call.same_lines(plan.as_stored ? ResidueKind::complex : ResidueKind::real);
  if (same_lines) {
    arrays.numbers = arrays.rows;
  } else {
    arrays.numbers = take_lines(carver, plan.as_stored ? call.cols.numbers() : call.cols, plan.keep_nonzero);
  }
  arrays.cols = plan.as_stored ? take_lines(carver, call.cols, plan.keep_nonzero) : arrays.numbers;
  if (plan.keep_terms) arrays.nonzero = take_group_terms(carver, arrays.rows, arrays.cols, same_lines);
  arrays.open = take_open(carver, call);
  if (plan.slabs.square > 0) arrays.slabs = take_slab_arrays(carver, plan.slabs, call.rows.count, call.cols.count);
  arrays.row_residues = carver.take<std::uint8_t>(plan.buffers.rows_bytes);
  arrays.col_residues = carver.take<std::uint8_t>(plan.buffers.cols_bytes);
  arrays.result = carver.take<std::uint8_t>(plan.buffers.result_bytes);
  return arrays;
}

std::string Int8Plan::describe() const {
  const auto text = [](auto number) { return std::to_string(number); };
  const auto launched = [&](const PassLaunch& launch) {
    return std::string(launch.residues == ResidueKind::complex ? "complex" : "real") + " residues of at most " +
           text(launch.moduli) + " moduli in " + text(launch.row_blocks) + " x " + text(launch.col_blocks) + " blocks";
  };
  constexpr const char* names[] = {"fixed", "cr", "grade", "sums"};
  std::string out = names[static_cast<int>(flow)];
  out += ": " + text(chunks) + " x " + text(chunk) + " terms; ";
  if (flow == Int8Flow::grade) {
    out += "certificate by " + std::string(ladder.kind == CertificateRungKind::bits ? "bits" : "moduli") +
           ", at most " + text(ladder.most) + " rungs, 1 block of terms in " + text(certificate_stride) +
           ", blocks of " + text(certificate.rows) + " x " + text(certificate.cols) + " x " + text(certificate.chunk) +
           "; ";
  }
  out += launched(first);
  if (passes > 1) out += "; " + text(passes - 1) + " more: " + launched(further);
  if (slabs.square > 0)
    out += "; slabs of " + text(slabs.terms) + " terms for squares of " + text(slabs.square) + " in chunks of " +
           text(slabs.rows) + " x " + text(slabs.cols);
  out += "; residues " + text(buffers.rows_bytes) + " + " + text(buffers.cols_bytes) + ", results " +
         text(buffers.result_bytes);
  return out + ", in all " + text(bytes) + " bytes" + (keep_nonzero ? ", with bitmaps of nonzero entries" : "");
}

#define ACCUBLAS_INSTANTIATE(T)                                          \
  template Int8Plan plan_int8(const EngineCall<T>&, const Int8Request&); \
  template Int8Arrays take_arrays(Carver&, const EngineCall<T>&, const Int8Plan&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
