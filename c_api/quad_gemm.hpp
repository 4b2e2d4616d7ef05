// GEMM and SYRK beyond double precision, where the operands lie or on copies in host memory.
#pragma once

#include "c_api/quad_operands.hpp"
#include "lib/call/one_by_one.hpp"

namespace accublas::quad {

/// C = alpha op(A) op(B) + beta C, once or for the matrices of a batch.
struct GemmCall {
  const char* routine;
  accublas_layout layout;
  accublas_transpose transa, transb;
  std::int64_t m, n, k;
  const void* alpha;
  Given a, b;
  const void* beta;
  Given c;
  std::int64_t batch_count = 1;
  Triangle elements = Triangle::all;
  bool same_operands = false;  ///< SYRK: B is A

  bool plain_a() const { return transa == ACCUBLAS_NO_TRANS; }
  bool plain_b() const { return transb == ACCUBLAS_NO_TRANS; }

  void require_apart_operands(const Given& a_i, const Given& b_i, const Given& c_i) const {
    std::vector<NamedFootprint> all;
    for (const bool low : {false, true}) {
      if (!low || a_i.low_name)
        all.push_back(footprint_of(a_i, low, layout, plain_a() ? m : k, plain_a() ? k : m, false));
      if (!same_operands && (!low || b_i.low_name))
        all.push_back(footprint_of(b_i, low, layout, plain_b() ? k : n, plain_b() ? n : k, false));
      if (!low || c_i.low_name) all.push_back(footprint_of(c_i, low, layout, m, n, true, elements));
    }
    require_apart(all);
  }

  void require_apart_batches() const {
    const Footprint results = footprint_of(c, false, layout, m, n, true).elements;
    const auto compare = [&](const Given& x, std::int64_t rows, std::int64_t cols) {
      require_batch_apart(c, results, x, footprint_of(x, false, layout, rows, cols, false).elements, batch_count);
    };
    compare(a, plain_a() ? m : k, plain_a() ? k : m);
    compare(b, plain_b() ? k : n, plain_b() ? n : k);
  }

  void run(Context& context, const accublas_options* options) const {
    QuadScope scope(context, routine, c.format, m, n, k, options, batch_count);
    const Number alpha_value = factor(context, "alpha", c.format, alpha),
                 beta_value = factor(context, "beta", c.format, beta);
    const bool terms = k > 0 && !alpha_value.is_zero();
    if (m > 0 && n > 0 && (terms || !is_one(beta_value))) {
      if (batch_count > 1 && terms && context.operands_are_apart()) require_apart_batches();
      one_by_one(batch_count, [&](Index i) { one(context, scope, alpha_value, beta_value, terms, i); });
    }
    scope.finish();
  }

 private:
  /// Computes a product where its operands lie. Returns false, with nothing computed, if they have to be copied to the
  /// host.
  bool multiplied_in_place(Context& context, QuadScope& scope, Product product, const Given& a_i, const Given& b_i,
                           const Given& c_i) const {
    std::vector<Named> arrays;
    for (const Given* x : {&a_i, &b_i, &c_i}) {
      if (same_operands && x == &b_i) continue;
      arrays.push_back({x->name, x->data, 16});
      if (x->low_name) arrays.push_back({x->low_name, x->low, 16});
    }
    const QuadScope::Place place = scope.place(arrays, m, n, k);
    if (!place.on_device) return false;
    product.a = stored_view(a_i, layout, transa);
    product.b = stored_view(b_i, layout, transb);
    product.c.place = stored_view(c_i, layout);
    const bool there = place.operands_on_device;
    if (!fits_device(product.a, m, k, there) || !fits_device(product.b, k, n, there) ||
        !fits_device(product.c.place, m, n, there))
      return false;
    if (context.operands_are_apart()) require_apart_operands(a_i, b_i, c_i);
    scope.multiply_at(place, product);
    return true;
  }

  void one(Context& context, QuadScope& scope, const Number& alpha_value, const Number& beta_value, bool terms,
           std::int64_t i) const {
    const Given a_i = a.at(i), b_i = b.at(i), c_i = c.at(i);
    Product product{m, n, terms ? k : 0, alpha_value, {}, {}, beta_value, {}, elements};
    if (terms && multiplied_in_place(context, scope, product, a_i, b_i, c_i)) return;
    Stored stored_a, stored_b;
    if (terms) {
      stored_a = stored(context, a_i, layout, plain_a() ? m : k, plain_a() ? k : m);
      product.a = stored_a.operand(transa);
      if (same_operands) {
        product.b = product.a.transposed();
      } else {
        stored_b = stored(context, b_i, layout, plain_b() ? k : n, plain_b() ? n : k);
        product.b = stored_b.operand(transb);
      }
      if (context.operands_are_apart()) require_apart_operands(a_i, b_i, c_i);
    }
    const Stored stored_c = stored(context, c_i, layout, m, n, !beta_value.is_zero() || elements != Triangle::all);
    product.c.place = stored_c.operand();
    stored_c.compute([&] { multiply(product, scope.call); });
  }
};

}  // namespace accublas::quad
