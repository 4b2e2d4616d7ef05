// Dot products and norms beyond double precision in the C interface. Vectors that are all on one device are used there;
// others are copied to the host.
#include "c_api/quad_operands.hpp"

namespace accublas::quad {
namespace {

/// Where a sum of n terms runs. Its result may be in host memory.
QuadScope::Place place_of_reduction(const QuadScope& scope, std::vector<Named> arrays, const StoredResult& to,
                                    const void* result, std::int64_t n) {
  if (to.on_device()) arrays.push_back({"result", result, 16});
  return scope.place(arrays, 1, 1, n);
}

template <Format F>
accublas_status dot(accublas_context* ctx, std::int64_t n, const void* x, std::int64_t incx, const void* y,
                    std::int64_t incy, void* result, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    n = std::max<std::int64_t>(n, 0);
    QuadScope scope(context, word<F>("qdot", "dddot"), F, 1, 1, n, options);
    const StoredResult to(context, F, result);
    Product product{1, 1, n, number_of(1.0), {}, {}, {}, to.own()};
    const auto computed_there = [&] {
      const QuadScope::Place place = place_of_reduction(scope, {{"x", x, 16}, {"y", y, 16}}, to, result, n);
      if (!place.operands_on_device) return false;
      product.a = vector_view("x", F, x, n, incx).transposed();
      product.b = vector_view("y", F, y, n, incy);
      if (!fits_device(product.a, 1, n, true) || !fits_device(product.b, n, 1, true)) return false;
      scope.multiply_at(place, product, !to.on_device());
      return true;
    };
    if (n > 0 && context.operands_are_apart())
      require_apart({vector_footprint("x", F, x, n, incx, false), vector_footprint("y", F, y, n, incy, false),
                     vector_footprint("result", F, result, 1, 1, true)});
    if (n == 0 || !computed_there()) {
      std::optional<StoredVector> left, right;
      if (n > 0) {
        left.emplace(context, "x", F, x, n, incx);
        right.emplace(context, "y", F, y, n, incy);
        product.a = left->column().transposed();
        product.b = right->column();
      }
      product.c = to.place();
      to.compute([&] { multiply(product, scope.call); });
    }
    scope.finish();
  });
}

accublas_status nrm2(accublas_context* ctx, std::int64_t n, const void* x, std::int64_t incx, void* result,
                     const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    constexpr Format format = Format::binary128;
    n = std::max<std::int64_t>(n, 0);
    QuadScope scope(context, "qnrm2", format, 1, 1, n, options);
    const StoredResult to(context, format, result);
    if (n > 0 && context.operands_are_apart())
      require_apart(
          {vector_footprint("x", format, x, n, incx, false), vector_footprint("result", format, result, 1, 1, true)});
    const auto computed_there = [&] {
      const QuadScope::Place place = place_of_reduction(scope, {{"x", x, 16}}, to, result, n);
      const Operand column = vector_view("x", format, x, n, incx);
      if (!place.operands_on_device || !fits_device(column, n, 1, true)) return false;
      scope.run_there(place, !to.on_device(), [&](DeviceCall& there) { norm_on_device(n, column, to.own(), there); });
      return true;
    };
    if (n == 0 || !computed_there()) {
      std::optional<StoredVector> vector;
      if (n > 0) vector.emplace(context, "x", format, x, n, incx);
      to.compute([&] { norm(n, n > 0 ? vector->column() : Operand{}, to.place()); });
    }
    scope.finish();
  });
}

}  // namespace
}  // namespace accublas::quad

using namespace accublas;

#include "c_api/quad_level1_functions.inc"
