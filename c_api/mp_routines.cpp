// The routines of the multiple-precision arrays in the C interface: they check the arguments, express transposition and
// sign of increments by blocks, and make one call.
#include <cstring>
#include <initializer_list>

#include "c_api/boundary.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/call/arguments.hpp"
#include "lib/call/level3.hpp"
#include "lib/mp/array.hpp"
#include "lib/numerics/mp_bounds.hpp"
#include "lib/numerics/rns_moduli.hpp"

using namespace accublas;
using namespace accublas::mp;

namespace {

struct Operand {
  const char* name;
  const Array* array;
};

/// Requires that all operands have the precision and the memory space of the first one. An absent scalar matches any.
void require_alike(std::initializer_list<Operand> operands) {
  const Operand& first = *operands.begin();
  for (const Operand& other : operands) {
    if (!other.array) continue;
    if (other.array->elements.format.precision != first.array->elements.format.precision)
      throw Error(ACCUBLAS_ERROR_PRECISION, std::string("arguments ") + first.name + " and " + other.name +
                                                " differ in precision: accublas_mp_convert rounds explicitly");
    if (!other.array->shares_memory_space(*first.array))
      throw Error(ACCUBLAS_ERROR_POINTERS, std::string("arguments ") + first.name + " and " + other.name +
                                               " are in different memory: accublas_mp_move moves an array");
  }
}

void require_written_apart(const char* name, const Region& written, std::initializer_list<Region> others) {
  for (const Region& other : others)
    if (overlap(written, other))
      throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + name + " shares elements with another operand");
}

void require_transpose(const char* name, accublas_transpose trans) {
  if (!valid_transpose(trans)) bad_argument(name, "an accublas_transpose");
}

bool same(const Block& a, const Block& b) {
  return a.offset == b.offset && a.rows == b.rows && a.columns == b.columns && a.row_stride == b.row_stride &&
         a.column_stride == b.column_stride;
}

/// alpha or beta: an element, or the constant that a NULL array stands for.
struct Scalar {
  Scalar(const char* name, const Array* array, std::int64_t index, int absent)
      : region(array ? element_region(name, array, index) : Region{nullptr, 0, 0, 0, 1}),
        value{array ? &array->elements : nullptr, array ? index : 0, absent} {}
  Region region;
  MpScalar value;
};
MpScalar fixed(int value) { return {nullptr, 0, value}; }

/// A or B of a product. A of GEMV and GEMM may be multiplied in the aligned form that the array keeps, if that form is
/// of exactly this block.
struct Factor {
  const Array* array = nullptr;
  Block block{};
  bool transposed = false, may_be_kept = false;

  const mp::Elements* elements() const { return array ? &array->elements : nullptr; }
  Aligned* kept() const { return may_be_kept && same(array->aligned_block, block) ? array->aligned.get() : nullptr; }
};

/// Runs C = alpha op(A) B + beta C, where op(A) has m rows and k columns, and C is the block `block_c` of region at_c.
void run(Context& context, const char* routine, std::int64_t m, std::int64_t n, std::int64_t k, const MpScalar& alpha,
         const Factor& a, const Factor& b, const MpScalar& beta, Array* c, const Block& block_c, const Region& at_c,
         Triangle triangle = Triangle::all) {
  MpCall call(context, routine, *c);
  call.sizes(m, n, k);
  const MpProduct product{
      m,       n,     k,    a.elements(), a.block, a.transposed, a.kept(), b.elements(), b.block, &c->elements,
      block_c, alpha, beta, triangle};
  if (product.aligned) call.execution().report.aligned_kept = 1;
  try {
    c->backend->product(product, call.execution());
  } catch (const Error& error) {
    if (error.status() == ACCUBLAS_ERROR_C_UNDEFINED) written(*c, at_c);
    throw;
  }
  written(*c, at_c);
  call.finish();
}

}  // namespace

accublas_status accublas_mp_align(accublas_context* ctx, accublas_mp_array* array, int64_t offset, int64_t lda,
                                  int64_t m, int64_t n, int32_t spread) {
  return guarded(ctx, [&](Context& context) {
    const Region region = matrix_region("array", array, offset, lda, m, n);
    if (spread < -1 || spread > shifts) bad_argument("spread", "-1 .. " + std::to_string(shifts));
    if (region.empty()) return;
    MpCall call(context, "mp_align", *array);
    call.sizes(m, n, 0);
    auto aligned = array->backend->align(array->elements, region.block(), spread < 0 ? shifts : spread, m > n ? m : n,
                                         call.execution());
    array->aligned = std::move(aligned);
    array->aligned_block = region.block();
    call.finish();
  });
}

accublas_status accublas_mp_drop_aligned(accublas_context* ctx, accublas_mp_array* array) {
  return guarded(ctx, [&](Context&) {
    if (!array) bad_argument("array", "an array, not NULL");
    array->aligned.reset();
  });
}

accublas_status accublas_mp_gemv(accublas_context* ctx, accublas_transpose trans, int64_t m, int64_t n,
                                 const accublas_mp_array* alpha, int64_t index_alpha, accublas_mp_array* a,
                                 int64_t offset_a, int64_t lda, const accublas_mp_array* x, int64_t offset_x,
                                 int64_t incx, const accublas_mp_array* beta, int64_t index_beta, accublas_mp_array* y,
                                 int64_t offset_y, int64_t incy) {
  return guarded(ctx, [&](Context& context) {
    require_transpose("trans", trans);
    const bool transposed = trans != ACCUBLAS_NO_TRANS;
    const std::int64_t outputs = transposed ? n : m, terms = transposed ? m : n;
    const Scalar scalar_alpha("alpha", alpha, index_alpha, 1), scalar_beta("beta", beta, index_beta, 0);
    const Region at_a = matrix_region("a", a, offset_a, lda, m, n), at_x = vector_region("x", x, offset_x, incx, terms),
                 at_y = vector_region("y", y, offset_y, incy, outputs);
    require_alike({{"y", y}, {"alpha", alpha}, {"a", a}, {"x", x}, {"beta", beta}});
    require_written_apart("y", at_y, {scalar_alpha.region, at_a, at_x, scalar_beta.region});
    if (outputs == 0) return;
    run(context, "mp_gemv", outputs, 1, terms, scalar_alpha.value, {a, at_a.block(), transposed, true},
        {x, at_x.column(incx)}, scalar_beta.value, y, at_y.column(incy), at_y);
  });
}

accublas_status accublas_mp_dot(accublas_context* ctx, int64_t n, const accublas_mp_array* x, int64_t offset_x,
                                int64_t incx, const accublas_mp_array* y, int64_t offset_y, int64_t incy,
                                accublas_mp_array* result, int64_t index_result) {
  return guarded(ctx, [&](Context& context) {
    const Region at_x = vector_region("x", x, offset_x, incx, n), at_y = vector_region("y", y, offset_y, incy, n),
                 at_result = element_region("result", result, index_result);
    require_alike({{"result", result}, {"x", x}, {"y", y}});
    require_written_apart("result", at_result, {at_x, at_y});
    run(context, "mp_dot", 1, 1, n, fixed(1), {x, at_x.column(incx), true}, {y, at_y.column(incy)}, fixed(0), result,
        at_result.block(), at_result);
  });
}

accublas_status accublas_mp_axpy(accublas_context* ctx, int64_t n, const accublas_mp_array* alpha, int64_t index_alpha,
                                 const accublas_mp_array* x, int64_t offset_x, int64_t incx, accublas_mp_array* y,
                                 int64_t offset_y, int64_t incy) {
  return guarded(ctx, [&](Context& context) {
    const Scalar scalar_alpha("alpha", alpha, index_alpha, 1);
    const Region at_x = vector_region("x", x, offset_x, incx, n), at_y = vector_region("y", y, offset_y, incy, n);
    require_alike({{"y", y}, {"alpha", alpha}, {"x", x}});
    require_written_apart("y", at_y, {scalar_alpha.region, at_x});
    if (n == 0) return;
    run(context, "mp_axpy", n, 1, 1, scalar_alpha.value, {x, at_x.column(incx)}, {}, fixed(1), y, at_y.column(incy),
        at_y);
  });
}

accublas_status accublas_mp_scal(accublas_context* ctx, int64_t n, const accublas_mp_array* alpha, int64_t index_alpha,
                                 accublas_mp_array* x, int64_t offset_x, int64_t incx) {
  return guarded(ctx, [&](Context& context) {
    const Region at_alpha = element_region("alpha", alpha, index_alpha),
                 at_x = vector_region("x", x, offset_x, incx, n);
    require_alike({{"x", x}, {"alpha", alpha}});
    require_written_apart("x", at_x, {at_alpha});
    if (n == 0) return;
    run(context, "mp_scal", n, 1, 0, fixed(1), {}, {}, {&alpha->elements, index_alpha, 0}, x, at_x.column(incx), at_x);
  });
}

accublas_status accublas_mp_gemm(accublas_context* ctx, accublas_transpose transa, accublas_transpose transb, int64_t m,
                                 int64_t n, int64_t k, const accublas_mp_array* alpha, int64_t index_alpha,
                                 accublas_mp_array* a, int64_t offset_a, int64_t lda, const accublas_mp_array* b,
                                 int64_t offset_b, int64_t ldb, const accublas_mp_array* beta, int64_t index_beta,
                                 accublas_mp_array* c, int64_t offset_c, int64_t ldc) {
  return guarded(ctx, [&](Context& context) {
    require_transpose("transa", transa);
    require_transpose("transb", transb);
    const bool plain_a = transa == ACCUBLAS_NO_TRANS, plain_b = transb == ACCUBLAS_NO_TRANS;
    const Scalar scalar_alpha("alpha", alpha, index_alpha, 1), scalar_beta("beta", beta, index_beta, 0);
    const Region at_a = matrix_region("a", a, offset_a, lda, plain_a ? m : k, plain_a ? k : m),
                 at_b = matrix_region("b", b, offset_b, ldb, plain_b ? k : n, plain_b ? n : k),
                 at_c = matrix_region("c", c, offset_c, ldc, m, n);
    require_alike({{"c", c}, {"alpha", alpha}, {"a", a}, {"b", b}, {"beta", beta}});
    require_written_apart("c", at_c, {scalar_alpha.region, at_a, at_b, scalar_beta.region});
    if (at_c.empty()) return;
    run(context, "mp_gemm", m, n, k, scalar_alpha.value, {a, at_a.block(), !plain_a, true},
        {b, plain_b ? at_b.block() : at_b.transposed()}, scalar_beta.value, c, at_c.block(), at_c);
  });
}

accublas_status accublas_mp_syrk(accublas_context* ctx, accublas_uplo uplo, accublas_transpose trans, int64_t n,
                                 int64_t k, const accublas_mp_array* alpha, int64_t index_alpha, accublas_mp_array* a,
                                 int64_t offset_a, int64_t lda, const accublas_mp_array* beta, int64_t index_beta,
                                 accublas_mp_array* c, int64_t offset_c, int64_t ldc) {
  return guarded(ctx, [&](Context& context) {
    if (!valid_uplo(uplo)) bad_argument("uplo", "ACCUBLAS_UPPER or ACCUBLAS_LOWER");
    require_transpose("trans", trans);
    const bool plain = trans == ACCUBLAS_NO_TRANS;
    const Scalar scalar_alpha("alpha", alpha, index_alpha, 1), scalar_beta("beta", beta, index_beta, 0);
    const Region at_a = matrix_region("a", a, offset_a, lda, plain ? n : k, plain ? k : n);
    Region at_c = matrix_region("c", c, offset_c, ldc, n, n);
    at_c.part = uplo == ACCUBLAS_LOWER ? Triangle::lower : Triangle::upper;
    require_alike({{"c", c}, {"alpha", alpha}, {"a", a}, {"beta", beta}});
    require_written_apart("c", at_c, {scalar_alpha.region, at_a, scalar_beta.region});
    if (at_c.empty()) return;
    run(context, "mp_syrk", n, n, k, scalar_alpha.value, {a, at_a.block(), !plain, true},
        {a, plain ? at_a.transposed() : at_a.block()}, scalar_beta.value, c, at_c.block(), at_c, at_c.part);
  });
}

accublas_status accublas_mp_report(accublas_context* ctx, accublas_mp_report_t* report) {
  return guarded(ctx, [&](Context& context) {
    require_report(report);
    if (context.mp_on_device && context.device_state)
      cuda_mp_backend().complete(context.mp_report, context.device_state.get());
    hand_out(context.mp_report, report);
  });
}

// Sums are rounded upwards by their errors, which only rounding to nearest gives.

double accublas_mp_published_bound(int64_t n, double log2_m) {
  const FpEnvironment environment;
  return published_bound(n, log2_m);
}

double accublas_mp_log2_absolute_bound(int64_t n, double log2_m, double log2_magnitude) {
  const FpEnvironment environment;
  return published_log2_absolute_bound(n, log2_m, log2_magnitude);
}

double accublas_mp_log2_relative_bound(int64_t n, double log2_m, double log2_magnitude, double log2_exact) {
  const FpEnvironment environment;
  return published_log2_relative_bound(n, log2_m, log2_magnitude, log2_exact);
}
