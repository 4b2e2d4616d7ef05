// Solutions with proved error bounds in the C interface: check, views of the caller's matrices, one call.
#include "lib/certified/certified.hpp"

#include "c_api/boundary.hpp"
#include "c_api/views.hpp"
#include "lib/call/overlap.hpp"

using namespace accublas;

namespace {

/// The arguments that all routines have; only posv_certified has `uplo`.
struct SystemShape {
  accublas_layout layout;
  bool symmetric;
  accublas_uplo uplo;
  std::int64_t n, nrhs, lda, ldb, ldx, ldr;
};

/// Returns the first bad argument. Its number is the one that LAPACK would give it, with x, ldx, radius and ldr after
/// ldb.
BadArgument check(const SystemShape& s) {
  const int first = s.symmetric ? 1 : 0;
  if (!valid(s.layout)) return {"layout", 0};
  if (s.symmetric && s.uplo != ACCUBLAS_UPPER && s.uplo != ACCUBLAS_LOWER) return {"uplo", first};
  if (s.n < 0) return {"n", first + 1};
  if (s.nrhs < 0) return {"nrhs", first + 2};
  if (bad_ld(s.layout, s.n, s.n, s.lda)) return {"lda", first + 4};
  const auto bad = [&](std::int64_t ld) { return bad_ld(s.layout, s.n, s.nrhs, ld); };
  if (bad(s.ldb)) return {"ldb", first + 6};
  if (bad(s.ldx)) return {"ldx", first + 8};
  if (bad(s.ldr)) return {"ldr", first + 10};
  return {};
}

template <class E>
accublas_status certified_solution(accublas_context* ctx, const SystemShape& s, const void* a, const void* b, void* x,
                                   void* radius, accublas_certificate_t* certificate, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check(s));
    if (certificate) require_report(certificate);
    const auto matrix = [&](auto* data, std::int64_t cols, std::int64_t ld) {
      return view(s.layout, ACCUBLAS_NO_TRANS, s.n, cols, data, ld);
    };
    const auto at = [](auto* data) { return static_cast<E*>(const_cast<void*>(static_cast<const void*>(data))); };
    CertifiedSystem<E> system{s.n,
                              s.nrhs,
                              {matrix(static_cast<const E*>(at(a)), s.n, s.lda)},
                              matrix(static_cast<const E*>(at(b)), s.nrhs, s.ldb),
                              matrix(at(x), s.nrhs, s.ldx),
                              matrix(at(radius), s.nrhs, s.ldr)};
    if (s.symmetric) {
      system.a.structure = Structure::hermitian;
      system.a.part = s.uplo == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower;
    }
    require_apart({{"a", footprint(system.a.stored, s.n, s.n, system.a.part), false},
                   {"b", footprint(system.b, s.n, s.nrhs), false},
                   {"x", footprint(system.x, s.n, s.nrhs), true},
                   {"radius", footprint(system.radius, s.n, s.nrhs), true}});
    accublas_certificate_t result;
    const auto return_certificate = [&] {
      if (certificate) hand_out(result, certificate);
    };
    try {
      solve_certified(context, system, options, &result);
    } catch (const Error& error) {
      if (error.status() == ACCUBLAS_ERROR_NOT_CERTIFIED) return_certificate();
      throw;
    }
    return_certificate();
  });
}

}  // namespace

#include "c_api/certified_functions.inc"
