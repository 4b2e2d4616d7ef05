// Products beyond double precision in the C interface: each function checks its arguments, makes views of the caller's
// operands, and makes one call of lib/quad/. Operands that are all on one device are used there; others are copied to
// the host.
#include "c_api/quad_gemm.hpp"

namespace accublas::quad {
namespace {

template <Format F>
accublas_status gemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
                     accublas_transpose transb, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,
                     const void* a, std::int64_t lda, const void* b, std::int64_t ldb, const void* beta, void* c,
                     std::int64_t ldc, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm(layout, transa, transb, m, n, k, lda, ldb, ldc));
    GemmCall{word<F>("qgemm", "ddgemm"), layout,           transa, transb,          m, n, k, alpha,
             {"a", F, a, lda},           {"b", F, b, ldb}, beta,   {"c", F, c, ldc}}
        .run(context, options);
  });
}

template <Format F>
accublas_status gemm_batched(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
                             accublas_transpose transb, std::int64_t m, std::int64_t n, std::int64_t k,
                             const void* alpha, const void* a, std::int64_t lda, std::int64_t stride_a, const void* b,
                             std::int64_t ldb, std::int64_t stride_b, const void* beta, void* c, std::int64_t ldc,
                             std::int64_t stride_c, std::int64_t batch_count, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm(layout, transa, transb, m, n, k, lda, ldb, ldc));
    if (batch_count < 0) require({"batch_count", 0});
    const bool by_columns = layout == ACCUBLAS_COL_MAJOR;
    if (matrices_coincide(batch_count, stride_c, by_columns ? m : n, by_columns ? n : m, ldc)) require({"stride_c", 0});
    GemmCall{word<F>("qgemm_batched", "ddgemm_batched"),
             layout,
             transa,
             transb,
             m,
             n,
             k,
             alpha,
             {"a", F, a, lda, nullptr, nullptr, stride_a},
             {"b", F, b, ldb, nullptr, nullptr, stride_b},
             beta,
             {"c", F, c, ldc, nullptr, nullptr, stride_c},
             batch_count}
        .run(context, options);
  });
}

accublas_status gemm_split(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
                           accublas_transpose transb, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,
                           const double* ahi, const double* alo, std::int64_t lda, const double* bhi, const double* blo,
                           std::int64_t ldb, const void* beta, double* chi, double* clo, std::int64_t ldc,
                           const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm(layout, transa, transb, m, n, k, lda, ldb, ldc));
    GemmCall{"ddgemm_split",
             layout,
             transa,
             transb,
             m,
             n,
             k,
             alpha,
             {"ahi", Format::pair, ahi, lda, "alo", alo},
             {"bhi", Format::pair, bhi, ldb, "blo", blo},
             beta,
             {"chi", Format::pair, chi, ldc, "clo", clo}}
        .run(context, options);
  });
}

Format format_of(const char* name, accublas_number number) {
  if (number == ACCUBLAS_BINARY64) return Format::binary64;
  if (number == ACCUBLAS_BINARY128) return Format::binary128;
  if (number == ACCUBLAS_DOUBLE_DOUBLE) return Format::pair;
  bad_argument(name, "ACCUBLAS_BINARY64, ACCUBLAS_BINARY128 or ACCUBLAS_DOUBLE_DOUBLE");
}

accublas_status gemm_mixed(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
                           accublas_transpose transb, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,
                           const void* a, accublas_number typea, std::int64_t lda, const void* b, accublas_number typeb,
                           std::int64_t ldb, const void* beta, void* c, accublas_number typec, std::int64_t ldc,
                           const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm(layout, transa, transb, m, n, k, lda, ldb, ldc));
    GemmCall{"gemm_mixed",
             layout,
             transa,
             transb,
             m,
             n,
             k,
             alpha,
             {"a", format_of("typea", typea), a, lda},
             {"b", format_of("typeb", typeb), b, ldb},
             beta,
             {"c", format_of("typec", typec), c, ldc}}
        .run(context, options);
  });
}

/// C = beta C for a matrix with any strides, column by column.
void scale_strided(Context& context, QuadScope& scope, Format format, void* c, std::int64_t m, std::int64_t n,
                   std::int64_t rsc, std::int64_t csc, const Number& alpha, const Number& beta) {
  const Operand all = strided_view(format, c, m, n, rsc, csc);
  for (std::int64_t j = 0; j < n; ++j) {
    // BLAS's vector with a negative increment begins at its lowest address.
    const Operand first = all.from(all.row_stride < 0 ? m - 1 : 0, j);
    const StoredVector column(context, "c", format, first.data, m, m > 1 ? rsc : 1, !beta.is_zero());
    column.compute([&] { multiply({m, 1, 0, alpha, {}, {}, beta, {column.column()}}, scope.call); });
  }
}

template <Format F>
accublas_status gemm_strided(accublas_context* ctx, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,
                             const void* a, std::int64_t rsa, std::int64_t csa, const void* b, std::int64_t rsb,
                             std::int64_t csb, const void* beta, void* c, std::int64_t rsc, std::int64_t csc,
                             const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemm_strided(m, n, k, rsc, csc));
    QuadScope scope(context, word<F>("qgemm", "ddgemm"), F, m, n, k, options);
    const Number alpha_value = factor(context, "alpha", F, alpha), beta_value = factor(context, "beta", F, beta);
    const bool terms = k > 0 && !alpha_value.is_zero();
    if (m > 0 && n > 0 && (terms || !is_one(beta_value))) {
      if (terms) {
        Product product{m,
                        n,
                        k,
                        alpha_value,
                        strided_view(F, a, m, k, rsa, csa),
                        strided_view(F, b, k, n, rsb, csb),
                        beta_value,
                        {strided_view(F, c, m, n, rsc, csc)}};
        const std::array arrays{Named{"a", a, 16}, Named{"b", b, 16}, Named{"c", c, 16}};
        QuadScope::Place place = scope.place(arrays, m, n, k);
        const bool there = place.operands_on_device;
        if (!fits_device(product.a, m, k, there) || !fits_device(product.b, k, n, there) ||
            !fits_device(product.c.place, m, n, there))
          place = {};
        if (!place.operands_on_device)
          for (const Named& array : arrays) require_on_host(context, array);
        if (context.operands_are_apart())
          require_apart({{"a", footprint(accublas::Elements{a, 16, rsa, csa, m, k}), false},
                         {"b", footprint(accublas::Elements{b, 16, rsb, csb, k, n}), false},
                         {"c", footprint(accublas::Elements{c, 16, rsc, csc, m, n}), true}});
        scope.multiply_at(place, product);
      } else {
        scale_strided(context, scope, F, c, m, n, rsc, csc, alpha_value, beta_value);
      }
    }
    scope.finish();
  });
}

accublas_status syrk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo, accublas_transpose trans,
                     std::int64_t n, std::int64_t k, const void* alpha, const void* a, std::int64_t lda,
                     const void* beta, void* c, std::int64_t ldc, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    if (!valid(layout)) require({"layout", 0});
    if (uplo != ACCUBLAS_UPPER && uplo != ACCUBLAS_LOWER) require({"uplo", 1});
    if (!valid_transpose(trans)) require({"trans", 2});
    if (n < 0) require({"n", 3});
    if (k < 0) require({"k", 4});
    const bool plain = trans == ACCUBLAS_NO_TRANS;
    if (bad_ld(layout, plain ? n : k, plain ? k : n, lda)) require({"lda", 7});
    if (bad_ld(layout, n, n, ldc)) require({"ldc", 10});
    const Given x{"a", Format::binary128, a, lda};
    GemmCall{"qsyrk", layout,
             trans,   plain ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS,
             n,       n,
             k,       alpha,
             x,       x,
             beta,    {"c", Format::binary128, c, ldc},
             1,       uplo == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower,
             true}
        .run(context, options);
  });
}

/// y = alpha A x + beta y, A outputs x terms; `in_place` is A where it lies, and `matrix()` returns A in host memory
/// and is called if A is read there.
template <Format F, class Matrix>
void run_gemv(Context& context, std::int64_t outputs, std::int64_t terms, const void* alpha, const Operand& in_place,
              Matrix&& matrix, const NamedFootprint& of_a, const void* x, std::int64_t incx, const void* beta, void* y,
              std::int64_t incy, const accublas_options* options) {
  QuadScope scope(context, word<F>("qgemv", "ddgemv"), F, outputs, 1, terms, options);
  const Number alpha_value = factor(context, "alpha", F, alpha), beta_value = factor(context, "beta", F, beta);
  const bool any = !alpha_value.is_zero();
  if (outputs > 0 && terms > 0 && (any || !is_one(beta_value))) {
    Product product{outputs, 1, any ? terms : 0, alpha_value, {}, {}, beta_value, {}};
    if (any && context.operands_are_apart())
      require_apart(
          {of_a, vector_footprint("x", F, x, terms, incx, false), vector_footprint("y", F, y, outputs, incy, true)});
    const auto computed_there = [&] {
      const std::array arrays{Named{"a", in_place.data, 16}, Named{"x", x, 16}, Named{"y", y, 16}};
      const QuadScope::Place place = scope.place(arrays, outputs, 1, terms);
      if (!place.operands_on_device) return false;
      product.a = in_place;
      product.b = vector_view("x", F, x, terms, incx);
      product.c.place = vector_view("y", F, y, outputs, incy);
      if (!fits_device(product.a, outputs, terms, true) || !fits_device(product.b, terms, 1, true) ||
          !fits_device(product.c.place, outputs, 1, true))
        return false;
      scope.multiply_at(place, product);
      return true;
    };
    if (!any || !computed_there()) {
      std::optional<StoredVector> vector;
      if (any) {
        product.a = matrix();
        vector.emplace(context, "x", F, x, terms, incx);
        product.b = vector->column();
      }
      const StoredVector result(context, "y", F, y, outputs, incy, true);
      product.c.place = result.column();
      result.compute([&] { multiply(product, scope.call); });
    }
  }
  scope.finish();
}

template <Format F>
accublas_status gemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans, std::int64_t m,
                     std::int64_t n, const void* alpha, const void* a, std::int64_t lda, const void* x,
                     std::int64_t incx, const void* beta, void* y, std::int64_t incy, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check_gemv(layout, trans, m, n, lda, incx, incy));
    const bool plain = trans == ACCUBLAS_NO_TRANS;
    Stored stored_a;
    const auto matrix = [&] {
      stored_a = Stored(context, "a", F, a, layout, m, n, lda);
      return stored_a.operand(trans);
    };
    const Given given{"a", F, a, lda};
    run_gemv<F>(context, plain ? m : n, plain ? n : m, alpha, stored_view(given, layout, trans), matrix,
                footprint_of(given, false, layout, m, n, false), x, incx, beta, y, incy, options);
  });
}

template <Format F>
accublas_status gemv_strided(accublas_context* ctx, std::int64_t m, std::int64_t n, const void* alpha, const void* a,
                             std::int64_t rsa, std::int64_t csa, const void* x, std::int64_t incx, const void* beta,
                             void* y, std::int64_t incy, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    if (m < 0) require({"m", 1});
    if (n < 0) require({"n", 2});
    if (incx == 0) require({"incx", 7});
    if (incy == 0) require({"incy", 10});
    const Operand matrix = strided_view(F, a, m, n, rsa, csa);
    const auto on_host = [&] {
      require_on_host(context, {"a", a, 16});
      return matrix;
    };
    run_gemv<F>(context, m, n, alpha, matrix, on_host,
                {"a", footprint(accublas::Elements{a, 16, rsa, csa, m, n}), false}, x, incx, beta, y, incy, options);
  });
}

accublas_status trsm(accublas_context* ctx, accublas_layout layout, accublas_side side, accublas_uplo uplo,
                     accublas_transpose transa, accublas_diag diag, std::int64_t m, std::int64_t n, const void* alpha,
                     const void* a, std::int64_t lda, void* b, std::int64_t ldb, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    constexpr Format format = Format::binary128;
    if (!valid(layout)) require({"layout", 0});
    if (side != ACCUBLAS_LEFT && side != ACCUBLAS_RIGHT) require({"side", 1});
    if (uplo != ACCUBLAS_UPPER && uplo != ACCUBLAS_LOWER) require({"uplo", 2});
    if (!valid_transpose(transa)) require({"transa", 3});
    if (diag != ACCUBLAS_UNIT && diag != ACCUBLAS_NON_UNIT) require({"diag", 4});
    if (m < 0) require({"m", 5});
    if (n < 0) require({"n", 6});
    const bool left = side == ACCUBLAS_LEFT;
    const std::int64_t order = left ? m : n;
    if (bad_ld(layout, order, order, lda)) require({"lda", 9});
    if (bad_ld(layout, m, n, ldb)) require({"ldb", 11});
    QuadScope scope(context, "qtrsm", format, m, n, order, options);
    const Number alpha_value = factor(context, "alpha", format, alpha);
    if (m > 0 && n > 0) {
      const bool zero = alpha_value.is_zero();
      const Given given{"a", format, a, lda}, of_b{"b", format, b, ldb};
      const bool by_columns = layout == ACCUBLAS_COL_MAJOR;
      if (!zero && context.operands_are_apart()) {
        // A triangle is read without the other one, where B may lie, and a unit diagonal is not read.
        NamedFootprint triangle = footprint_of(given, false, layout, order, order, false);
        triangle.elements = footprint(
            accublas::Elements{a, 16, by_columns ? 1 : lda, by_columns ? lda : 1, order, order,
                               uplo == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower, diag == ACCUBLAS_UNIT});
        require_apart({triangle, footprint_of(of_b, false, layout, m, n, true)});
      }
      // X op(A) = alpha B is op(A)^T X^T = alpha B^T.
      const bool transposed = (transa != ACCUBLAS_NO_TRANS) == left;
      const accublas_transpose of_op = transposed ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
      const auto system = [&](const Operand& of_a, const Operand& x) {
        return Solve{order,
                     left ? n : m,
                     (uplo == ACCUBLAS_UPPER) != transposed,
                     diag == ACCUBLAS_UNIT,
                     alpha_value,
                     of_a,
                     {left ? x : x.transposed()}};
      };
      const auto computed_there = [&] {
        const std::array arrays{Named{"a", a, 16}, Named{"b", b, 16}};
        const QuadScope::Place place = scope.place(arrays, 1, 1, order);
        const Operand of_a = stored_view(given, layout, of_op), x = stored_view(of_b, layout);
        if (!place.operands_on_device || !fits_device(of_a, order, order, true) || !fits_device(x, m, n, true))
          return false;
        scope.run_there(place, false, [&](DeviceCall& there) { solve_on_device(system(of_a, x), there); });
        return true;
      };
      if (zero || !computed_there()) {
        Stored matrix;
        if (!zero) matrix = stored(context, given, layout, order, order);
        const Stored unknowns = stored(context, of_b, layout, m, n, !zero);
        unknowns.compute([&] {
          const Operand x = unknowns.operand();
          if (zero)
            multiply({m, n, 0, alpha_value, {}, {}, {}, {x}}, scope.call);
          else
            solve(system(matrix.operand(of_op), x), scope.threads());
        });
      }
    }
    scope.finish();
  });
}

}  // namespace
}  // namespace accublas::quad

using namespace accublas;

#include "c_api/quad_functions.inc"
