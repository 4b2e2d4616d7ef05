// Serves a product of multiple-precision arrays on the device: its scratch memory, and the order of its kernels.
#include "cuda/mp/product_call.hpp"

#include <algorithm>
#include <memory>

#include "cuda/mp/aligned.hpp"
#include "cuda/mp/context.hpp"
#include "cuda/mp/tables.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr Index most_band_bytes = Index{256} << 20;  // limit for the memory of the sums of bands

/// A scalar as an element of an array.
struct ScalarElement {
  mp::Elements elements;
  std::int64_t at;
};
ScalarElement scalar(const mp::MpScalar& scalar, const mp::Elements& constants) {
  if (scalar.elements) return {*scalar.elements, scalar.at};
  return {constants, scalar.constant};
}
void set_scalars(MpAlignVectors& to, const ScalarElement& alpha, const ScalarElement& beta) {
  to.alpha = alpha.elements;
  to.alpha_at = alpha.at;
  to.beta = beta.elements;
  to.beta_at = beta.at;
}

/// The scratch memory of a product with `columns` columns of C at a time. It has sums of bands in place of y, if there
/// are any.
struct ProductScratch {
  std::uint32_t *z, *y, *partial, *tickets;
  std::int32_t* z_band;

  static std::size_t carve(std::byte* base, ProductScratch& s, MpBandSums& bands, const MpProductPlan& plan, int moduli,
                           int columns, Index z_stride, Index y_stride) {
    Carver carver(base);
    const auto words = [&](Index count) { return carver.take<std::uint32_t>(static_cast<std::size_t>(count)); };
    s.z = words(Index{columns} * moduli * z_stride);
    s.y = words(Index{columns} * moduli * y_stride);
    s.partial = words(mp_product_partials(plan, moduli, columns, y_stride));
    s.tickets = words(mp_product_tickets(plan, moduli));
    s.z_band = carver.take<std::int32_t>(static_cast<std::size_t>(columns * z_stride));
    if (bands.groups > 0) {
      bands.sum = words(mp_band_sum_at(bands, columns, moduli, y_stride, bands.segments, 0, 0, 0));
      bands.mask = carver.take<std::uint8_t>(
          static_cast<std::size_t>(mp_band_mask_at(bands, columns, y_stride, bands.segments, 0, 0)));
    }
    return carver.used();
  }
};

/// Plans the sums of bands for a matrix that has bands, if their memory stays moderate. Without the sums, outputs are
/// summed term by term.
MpBandSums plan_bands(const DeviceModel& model, const DeviceAligned& aligned, const mp::MpProduct& p, int columns) {
  if (!aligned.planes().small_band) return {};
  const int groups = aligned.largest_band() + 1, moduli = aligned.moduli();
  const MpBandSums plan =
      plan_mp_band_sums(model, p.block_a.rows, p.block_a.columns, moduli, p.transposed, columns, groups);
  const Index bytes = 4 * mp_band_sum_at(plan, columns, moduli, round_up(p.m, 16), plan.segments, 0, 0, 0);
  return bytes <= most_band_bytes ? plan : MpBandSums{};
}

/// Returns the columns of C that tensor cores compute at a time, for a matrix whose sums need no bands; 0 if 32-bit
/// arithmetic computes them. It reads the matrix once for mp_columns columns, so tensor cores are faster if it would
/// read it three times.
int tensor_core_columns(const DeviceAligned& aligned, const mp::MpProduct& p, Index column_bytes,
                        const mp::MpExecution& execution) {
  const mp::ByteChoice choice =
      aligned.planes().small_band || aligned.planes().band ? mp::ByteChoice::never : mp::byte_choice(p, execution);
  if (choice == mp::ByteChoice::never || (choice == mp::ByteChoice::by_cost && p.n <= 2 * mp_columns)) return 0;
  const Index fit = mp::byte_cap(execution) / column_bytes;
  return static_cast<int>(std::min({p.n, Index{mp_most_columns}, std::max(Index{mp_columns}, fit)}));
}

/// Computes C = beta C.
void scale_only(State& state, const mp::MpProduct& p, const MpFormat& format, const ScalarElement& alpha,
                const ScalarElement& beta) {
  MpContext& context = MpContext::of(state);
  MpCall* const call = context.call();
  context.phase(&accublas_mp_report_t::ms_align);
  MpAlignVectors scalars{};
  scalars.columns = 1;
  scalars.width = 1;
  scalars.format = format;
  set_scalars(scalars, alpha, beta);
  scalars.call = call;
  mp_align_vectors(state.model(), scalars, state.cuda_stream());
  context.phase(&accublas_mp_report_t::ms_finish);
  constexpr Index most_columns = 65535;  // limit of a grid
  for (Index first = 0; first < p.n; first += most_columns) {
    MpFinish finish{};
    finish.format = format;
    finish.basis = format.basis;
    finish.outputs = p.m;
    finish.columns = static_cast<int>(std::min(most_columns, p.n - first));
    finish.c = *p.c;
    finish.block = p.block_c;
    finish.first = first;
    finish.call = call;
    finish.triangle = p.triangle;
    mp_finish(state.model(), finish, state.cuda_stream());
  }
}

}  // namespace

void mp_product_call(State& state, const mp::MpProduct& p, mp::MpExecution& execution) {
  const MpFormat format = device_format(p.c->format);
  const mp::Elements constants = device_constants(p.c->format);
  const ScalarElement alpha = scalar(p.alpha, constants), beta = scalar(p.beta, constants);
  execution.report.bands = 1;
  MpContext& context = MpContext::of(state);
  if (p.k == 0) return scale_only(state, p, format, alpha, beta);

  context.phase(&accublas_mp_report_t::ms_align);
  std::unique_ptr<DeviceAligned> own;
  auto* aligned = static_cast<DeviceAligned*>(p.aligned);
  if (!aligned) {
    own = std::make_unique<DeviceAligned>(state, *p.a, p.block_a, mp::shifts, p.k, false);
    aligned = own.get();
  }
  const int room = aligned->room(state, *p.a, p.k), moduli = aligned->moduli();
  execution.report.moduli = moduli;
  execution.report.spread = aligned->spread();
  execution.report.aligned_bytes = aligned->bytes();

  const mp::Elements b = p.b ? *p.b : constants;
  const mp::Block block_b = p.b ? p.block_b : mp::Block{1, 1, 1, 1, 0};
  const MpScaling& scaling = aligned->scaling();
  const Index z_stride = round_up(p.k, 16), y_stride = round_up(p.m, 16);
  const int of_bytes =
      tensor_core_columns(*aligned, p, (Index{moduli} * (z_stride + y_stride) + z_stride) * 4, execution);
  const int most = of_bytes > 0 ? of_bytes : static_cast<int>(std::min<Index>(mp_columns, p.n));
  MpProductPlan plan{};
  plan.segments = 1;
  if (of_bytes == 0)
    plan = plan_mp_product(state.model(), p.block_a.rows, p.block_a.columns, moduli, p.transposed, most);
  mp::set_engine(execution.report, of_bytes > 0 ? "int8" : "sums");
  ProductScratch s{};
  MpBandSums bands = plan_bands(state.model(), *aligned, p, most);
  const DeviceBlock memory =
      context.scratch(state, ProductScratch::carve(nullptr, s, bands, plan, moduli, most, z_stride, y_stride));
  ProductScratch::carve(memory.data(), s, bands, plan, moduli, most, z_stride, y_stride);
  const bool plain = !p.alpha.elements && p.alpha.constant == 1 && !p.beta.elements && p.beta.constant == 0;
  MpCall* const call = context.call();
  const cudaStream_t stream = state.cuda_stream();
  for (Index first = 0; first < p.n; first += most) {
    const int columns = static_cast<int>(std::min<Index>(most, p.n - first));
    if (first > 0) context.phase(&accublas_mp_report_t::ms_align);
    MpAlignVectors vectors{};
    vectors.b = b;
    vectors.block = block_b;
    vectors.first = first;
    vectors.columns = columns;
    vectors.scale = p.transposed ? scaling.row : scaling.column;
    vectors.width = room + 1;
    vectors.extension = aligned->extension();
    vectors.z = s.z;
    vectors.z_stride = z_stride;
    vectors.band = s.z_band;
    vectors.tickets = s.tickets;
    vectors.ticket_count = mp_product_tickets(plan, moduli);
    vectors.format = format;
    set_scalars(vectors, alpha, beta);
    vectors.plain = plain;
    vectors.call = call;
    vectors.wanted = aligned->wanted();
    mp_align_vectors(state.model(), vectors, stream);

    MpResidueProduct product{};
    product.a = aligned->planes().a;
    product.ld = aligned->planes().ld;
    product.plane = aligned->planes().plane;
    product.m = p.block_a.rows;
    product.n = p.block_a.columns;
    product.modulus = aligned->basis().modulus;
    product.moduli = moduli;
    product.columns = columns;
    product.z = s.z;
    product.z_stride = z_stride;
    product.y = s.y;
    product.y_stride = y_stride;
    product.partial = s.partial;
    product.tickets = s.tickets;
    product.triangle = p.triangle;
    product.first = first;
    context.phase(&accublas_mp_report_t::ms_product);
    if (of_bytes > 0) {
      mp_byte_gemm(state.model(), product, p.transposed, stream);
    } else if (bands.groups > 0) {
      const MpBandProduct groups{bands, aligned->planes().small_band, s.z_band, call, scaling.state, room + 1};
      mp_band_products(state.model(), product, groups, p.transposed, stream);
    } else {
      mp_product(state.model(), product, plan, p.transposed, stream);
    }

    context.phase(&accublas_mp_report_t::ms_finish);
    MpFinish finish{};
    finish.format = format;
    finish.basis = aligned->basis();
    finish.outputs = p.m;
    finish.terms = p.k;
    finish.columns = columns;
    finish.transposed = p.transposed;
    finish.plain = plain;
    finish.y = s.y;
    finish.y_stride = y_stride;
    finish.scale = p.transposed ? scaling.column : scaling.row;
    finish.a_band = p.transposed ? scaling.column_band : scaling.row_band;
    finish.c = *p.c;
    finish.block = p.block_c;
    finish.first = first;
    finish.call = call;
    finish.triangle = p.triangle;
    finish.a = *p.a;
    finish.b = b;
    finish.block_a = p.block_a;
    finish.block_b = block_b;
    finish.matrix = scaling.state;
    finish.aligned = aligned->planes();
    finish.z = s.z;
    finish.z_stride = z_stride;
    finish.z_band = s.z_band;
    finish.width = room + 1;
    finish.band_sums = bands;
    mp_finish(state.model(), finish, stream);
  }
}

}  // namespace accublas::cuda
