// Multiple-precision arrays in the C interface: creation and destruction, input and output of numbers, queries.
#include <algorithm>

#include "c_api/boundary.hpp"
#include "lib/mp/numbers.hpp"
#include "lib/numerics/rns_moduli.hpp"

using namespace accublas;
using namespace accublas::mp;

namespace {

void require_ld(const char* name, std::int64_t ld, std::int64_t m, std::int64_t n) {
  if (bad_ld(ACCUBLAS_COL_MAJOR, m, n, ld))
    bad_argument(name, "at least max(1, m), and the matrix must fit an address space");
}

/// Copies an m x n block. With `rounds` the precisions may differ.
accublas_status copy_block(accublas_context* ctx, std::int64_t m, std::int64_t n, const Array* from,
                           std::int64_t offset_from, std::int64_t ld_from, Array* to, std::int64_t offset_to,
                           std::int64_t ld_to, bool rounds) {
  return guarded(ctx, [&](Context& context) {
    const Region source = matrix_region("from", from, offset_from, ld_from, m, n),
                 target = matrix_region("to", to, offset_to, ld_to, m, n);
    if (!from->shares_memory_space(*to))
      throw Error(ACCUBLAS_ERROR_POINTERS,
                  "arguments from and to are in different memory: accublas_mp_move moves an array");
    if (overlap(target, source)) throw Error(ACCUBLAS_ERROR_ARGUMENT, "argument to overlaps from");
    if (!rounds && from->elements.format.precision != to->elements.format.precision)
      throw Error(ACCUBLAS_ERROR_PRECISION, "arguments from and to differ in precision: accublas_mp_convert rounds");
    if (target.empty()) return;
    MpCall call(context, *to);
    const auto copy = rounds ? &MpBackend::convert : &MpBackend::copy;
    (to->backend->*copy)(to->elements, target.block(), from->elements, source.block(), call.execution());
    written(*to, target);
  });
}

}  // namespace

accublas_status accublas_mp_create(accublas_context* ctx, int32_t precision, int64_t length,
                                   accublas_mp_array** array) {
  return guarded(ctx, [&](Context&) {
    require_pointer("array", array);
    *array = nullptr;
    if (precision < min_precision || precision > max_precision)
      bad_argument("precision", std::to_string(min_precision) + " .. " + std::to_string(max_precision));
    if (length < 0) bad_argument("length", "at least 0");
    if (length > std::int64_t{1} << 40)
      throw Error(ACCUBLAS_ERROR_MEMORY, "out of memory for a multiple-precision array");
    const FpEnvironment environment;
    *array = new Array(precision, length);
  });
}

accublas_status accublas_mp_destroy(accublas_mp_array* array) {
  delete array;
  return ACCUBLAS_SUCCESS;
}

int32_t accublas_mp_precision(const accublas_mp_array* array) { return array ? array->elements.format.precision : 0; }
int64_t accublas_mp_length(const accublas_mp_array* array) { return array ? array->elements.length : 0; }
int32_t accublas_mp_get_place(const accublas_mp_array* array) {
  return array && array->on_device() ? ACCUBLAS_MP_DEVICE : ACCUBLAS_MP_HOST;
}
int64_t accublas_mp_bytes(const accublas_mp_array* array) {
  if (!array) return 0;
  return array->elements.bytes() + (array->aligned ? array->aligned->bytes() : 0);
}

accublas_status accublas_mp_move(accublas_context* ctx, accublas_mp_array* array, accublas_mp_place place) {
  return guarded(ctx, [&](Context& context) {
    require_pointer("array", array);
    if (place != ACCUBLAS_MP_HOST && place != ACCUBLAS_MP_DEVICE) bad_argument("place", "an accublas_mp_place");
    move(context, *array, place == ACCUBLAS_MP_DEVICE);
  });
}

accublas_status accublas_mp_set_double(accublas_context* ctx, accublas_mp_array* array, int64_t offset, int64_t ld,
                                       int64_t m, int64_t n, const double* values, int64_t lda) {
  return guarded(ctx, [&](Context& context) {
    const Region region = matrix_region("array", array, offset, ld, m, n);
    require_ld("lda", lda, m, n);
    if (region.empty()) return;
    require_pointer("values", values);
    MpCall call(context, *array);
    array->backend->write_doubles(array->elements, region.block(), values, lda, call.execution());
    written(*array, region);
  });
}

accublas_status accublas_mp_get_double(accublas_context* ctx, const accublas_mp_array* array, int64_t offset,
                                       int64_t ld, int64_t m, int64_t n, double* values, int64_t lda) {
  return guarded(ctx, [&](Context& context) {
    const Region region = matrix_region("array", array, offset, ld, m, n);
    require_ld("lda", lda, m, n);
    if (region.empty()) return;
    require_pointer("values", values);
    MpCall call(context, *array);
    array->backend->read_doubles(array->elements, region.block(), values, lda, call.execution());
  });
}

accublas_status accublas_mp_set_limbs(accublas_context* ctx, accublas_mp_array* array, int64_t offset, int64_t ld,
                                      int64_t m, int64_t n, const uint64_t* limbs, int64_t size,
                                      const int64_t* exponents, const int32_t* signs) {
  return guarded(ctx, [&](Context& context) {
    const Region region = matrix_region("array", array, offset, ld, m, n);
    if (size < 1 || size > 1 << 20) bad_argument("size", "1 .. 2^20");
    if (region.empty()) return;
    require_pointer("limbs", limbs);
    require_pointer("exponents", exponents);
    MpCall call(context, *array);
    array->backend->write_limbs(array->elements, region.block(), {limbs, size, exponents, signs}, call.execution());
    written(*array, region);
  });
}

accublas_status accublas_mp_get_limbs(accublas_context* ctx, const accublas_mp_array* array, int64_t offset, int64_t ld,
                                      int64_t m, int64_t n, uint64_t* limbs, int64_t size, int64_t* exponents,
                                      int32_t* signs) {
  return guarded(ctx, [&](Context& context) {
    const Region region = matrix_region("array", array, offset, ld, m, n);
    const Format& format = array->elements.format;
    if (size < format.limbs / 2) bad_argument("size", "at least ceil(precision / 64)");
    if (region.empty()) return;
    require_pointer("limbs", limbs);
    require_pointer("exponents", exponents);
    MpCall call(context, *array);
    NumberBuffer numbers(format, m * n);
    array->backend->read(array->elements, region.block(), numbers.view(), call.execution());
    for (std::int64_t t = 0; t < m * n; ++t) {
      std::copy_n(numbers.x(t), numbers.limbs, limbs + t * size);
      std::fill(limbs + t * size + numbers.limbs, limbs + (t + 1) * size, 0);
      const std::int32_t e = numbers.exponent[t];
      exponents[t] = is_special(e) ? users_code(e) : std::int64_t{e} - format.precision;
      if (signs) signs[t] = numbers.sign[t];
    }
  });
}

accublas_status accublas_mp_copy(accublas_context* ctx, int64_t m, int64_t n, const accublas_mp_array* from,
                                 int64_t offset_from, int64_t ld_from, accublas_mp_array* to, int64_t offset_to,
                                 int64_t ld_to) {
  return copy_block(ctx, m, n, from, offset_from, ld_from, to, offset_to, ld_to, false);
}

accublas_status accublas_mp_convert(accublas_context* ctx, int64_t m, int64_t n, const accublas_mp_array* from,
                                    int64_t offset_from, int64_t ld_from, accublas_mp_array* to, int64_t offset_to,
                                    int64_t ld_to) {
  return copy_block(ctx, m, n, from, offset_from, ld_from, to, offset_to, ld_to, true);
}

accublas_status accublas_mp_compare(accublas_context* ctx, const accublas_mp_array* x, int64_t index_x,
                                    const accublas_mp_array* y, int64_t index_y, int32_t* result) {
  return guarded(ctx, [&](Context& context) {
    element_region("x", x, index_x);
    element_region("y", y, index_y);
    require_pointer("result", result);
    const FpEnvironment environment;
    *result = compare(context, *x, index_x, *y, index_y);
  });
}

namespace {

template <class Result, class Use>
accublas_status query(accublas_context* ctx, const accublas_mp_array* x, std::int64_t index, Result* result,
                      Use&& use) {
  return guarded(ctx, [&](Context& context) {
    element_region("x", x, index);
    require_pointer("result", result);
    const FpEnvironment environment;
    use(facts(context, *x, index));
  });
}

}  // namespace

accublas_status accublas_mp_classify(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                     int32_t* result) {
  return query(ctx, x, index, result, [&](const ElementFacts& f) {
    *result = f.exponent == exponent_zero       ? ACCUBLAS_MP_ZERO
              : f.exponent == exponent_infinity ? ACCUBLAS_MP_INFINITE
              : f.exponent == exponent_nan      ? ACCUBLAS_MP_NAN
                                                : ACCUBLAS_MP_FINITE;
  });
}

accublas_status accublas_mp_sign(accublas_context* ctx, const accublas_mp_array* x, int64_t index, int32_t* result) {
  return query(ctx, x, index, result, [&](const ElementFacts& f) {
    *result = f.exponent == exponent_zero || f.exponent == exponent_nan ? 0 : f.negative ? -1 : 1;
  });
}

accublas_status accublas_mp_exponent(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                     int64_t* exponent) {
  return query(ctx, x, index, exponent, [&](const ElementFacts& f) {
    *exponent = is_special(f.exponent) ? users_code(f.exponent) : f.exponent;
  });
}

accublas_status accublas_mp_evaluation(accublas_context* ctx, const accublas_mp_array* x, int64_t index, double* lower,
                                       double* upper) {
  return query(ctx, x, index, lower && upper ? lower : nullptr, [&](const ElementFacts& f) {
    *lower = f.interval.lower;
    *upper = f.interval.upper;
  });
}
