// Products and norms of vectors in the C interface. They have no bad argument.
#include "c_api/unchecked.hpp"

using namespace accublas;

namespace {

template <class E>
accublas_status level1(accublas_context* ctx, const Level1Shape& shape, const void* addend, const void* x,
                       const void* y, void* result, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    run_unchecked(context, ACCUBLAS_COL_MAJOR, Level1<E>{shape, {}, x, y, result}, addend, nullptr, options);
  });
}

}  // namespace

#include "c_api/level1_functions.inc"
