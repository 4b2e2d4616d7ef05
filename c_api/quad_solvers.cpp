// Certified solutions of systems of binary128 numbers in the C interface.
#include "c_api/certified_arguments.hpp"
#include "c_api/quad_operands.hpp"
#include "lib/certified/certified.hpp"

namespace accublas::quad {
namespace {

Matrix<Binary128> matrix_of(const Stored& stored) {
  const Operand x = stored.operand();
  return {static_cast<Binary128*>(const_cast<void*>(x.data)), x.row_stride, x.col_stride};
}

accublas_status certified_solution(accublas_context* ctx, const SystemShape& s, const void* a, const void* b, void* x,
                                   void* radius, accublas_certificate_t* certificate, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    constexpr Format format = Format::binary128;
    require(check(s));
    if (certificate) require_report(certificate, "certificate");
    QuadScope scope(context, s.symmetric ? "qposv" : "qgesv", format, s.n, s.nrhs, s.n, options, 1, false);
    const auto given = [&](const char* name, const void* data, std::int64_t cols, std::int64_t ld, bool reads) {
      return s.n > 0 && cols > 0 ? Stored(context, name, format, data, s.layout, s.n, cols, ld, reads) : Stored();
    };
    const Stored of_a = given("a", a, s.n, s.lda, true), of_b = given("b", b, s.nrhs, s.ldb, true),
                 of_x = given("x", x, s.nrhs, s.ldx, false), of_radius = given("radius", radius, s.nrhs, s.ldr, false);
    const Triangle part = !s.symmetric ? Triangle::all : s.uplo == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower;
    require_apart({footprint_of({"a", format, a, s.lda}, false, s.layout, s.n, s.n, false, part),
                   footprint_of({"b", format, b, s.ldb}, false, s.layout, s.n, s.nrhs, false),
                   footprint_of({"x", format, x, s.ldx}, false, s.layout, s.n, s.nrhs, true),
                   footprint_of({"radius", format, radius, s.ldr}, false, s.layout, s.n, s.nrhs, true)});
    CertifiedSystem<Binary128> system{s.n, s.nrhs, {}, {}, matrix_of(of_x), matrix_of(of_radius)};
    const Matrix<Binary128> matrix = matrix_of(of_a), right = matrix_of(of_b);
    system.a.stored = {matrix.data, matrix.row_stride, matrix.col_stride};
    system.b = {right.data, right.row_stride, right.col_stride};
    system.a.part = part;
    if (s.symmetric) system.a.structure = Structure::symmetric;
    with_certificate(certificate, [&](auto* result) {
      // The results of a solution that is not certified are written, too.
      std::optional<Error> refusal;
      const LastCall mine = context.last;
      of_x.compute([&] {
        of_radius.compute([&] {
          try {
            solve_certified(context, system, options, scope.call, result);
          } catch (const Error& error) {
            context.last = mine;
            if (error.status() != ACCUBLAS_ERROR_NOT_CERTIFIED) throw;
            refusal = error;
          }
        });
      });
      context.last = mine;
      if (refusal) throw *refusal;
    });
    scope.finish();
  });
}

}  // namespace
}  // namespace accublas::quad

using namespace accublas;

#include "c_api/quad_solvers_functions.inc"
