// Solutions, eigenvalues and singular values with proved error bounds in the C interface: check, views of the caller's
// matrices, one call.
#include "lib/certified/certified.hpp"

#include "c_api/boundary.hpp"
#include "c_api/certified_arguments.hpp"
#include "c_api/views.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/call/overlap.hpp"
#include "lib/certified/eigenvalues.hpp"

using namespace accublas;

namespace {

template <class E>
accublas_status certified_solution(accublas_context* ctx, const SystemShape& s, const void* a, const void* b, void* x,
                                   void* radius, accublas_certificate_t* certificate, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    require(check(s));
    if (certificate) require_report(certificate, "certificate");
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
    with_certificate(certificate, [&](auto* result) { solve_certified(context, system, options, result); });
  });
}

/// The arguments of the eigenvalues of A x = w x, or with `general` of A x = w B x. Only `partial` ones have a range.
struct EigenShape {
  accublas_layout layout;
  accublas_job jobz;
  accublas_uplo uplo;
  std::int64_t n, lda, ldv;
  bool general = false;
  std::int64_t ldb = 0;
  bool partial = false;
  EigenRange part{};
};

/// Returns the first bad argument of a range, with LAPACK's numbers.
BadArgument check(const EigenRange& r, std::int64_t n) {
  if (r.range == ACCUBLAS_INTERVAL) {
    const FpEnvironment environment;  // with the caller's DAZ, subnormal ends would be equal
    if (std::isnan(r.vl)) return {"vl", 7, "a number, not a NaN"};
    if (!(r.vl < r.vu)) return {"vu", 8, "larger than vl"};
  }
  if (r.range == ACCUBLAS_INDICES) {
    if (r.il < 1 || r.il > std::max<std::int64_t>(n, 1)) return {"il", 9, "from 1 to n"};
    if (r.iu < std::min(n, r.il) || r.iu > n) return {"iu", 10, "from il to n"};
  }
  return {};
}

/// Returns the first bad argument. Its number is the one that LAPACK would give it without itype and abstol, with
/// radius, v, ldv, angle and cluster after w.
BadArgument check(const EigenShape& s) {
  const int first = s.partial ? 2 : 1;
  if (!valid(s.layout)) return {"layout", 0};
  if (s.jobz != ACCUBLAS_VALUES && s.jobz != ACCUBLAS_VECTORS) return {"jobz", 1};
  if (s.part.range < ACCUBLAS_ALL || s.part.range > ACCUBLAS_INDICES) return {"range", 2};
  if (s.uplo != ACCUBLAS_UPPER && s.uplo != ACCUBLAS_LOWER) return {"uplo", first + 1};
  if (s.n < 0) return {"n", first + 2};
  if (bad_ld(s.layout, s.n, s.n, s.lda)) return {"lda", first + 4};
  if (s.general && bad_ld(s.layout, s.n, s.n, s.ldb)) return {"ldb", 7};
  if (const BadArgument bad = check(s.part, s.n)) return bad;
  const bool bad_ldv = s.jobz == ACCUBLAS_VECTORS && bad_ld(s.layout, s.n, s.part.most(s.n), s.ldv);
  if (bad_ldv) return {"ldv", s.general ? 11 : s.partial ? 15 : 9};
  return {};
}

/// `b` is null unless the problem is general, and `found` is null unless it is partial.
template <class E>
accublas_status certified_eigenvalues(accublas_context* ctx, const EigenShape& s, const void* a, const void* b, void* w,
                                      void* radius, void* v, void* angle, std::int64_t* cluster,
                                      accublas_certificate_t* certificate, const accublas_options* options,
                                      std::int64_t* found = nullptr) {
  return guarded(ctx, [&](Context& context) {
    using T = RealOf<E>;
    require(check(s));
    if (s.partial) require_pointer("found", found);
    if (certificate) require_report(certificate, "certificate");
    const std::int64_t most = s.part.most(s.n);
    const auto matrix = [&](auto* data, std::int64_t cols, std::int64_t ld) {
      return view(s.layout, ACCUBLAS_NO_TRANS, s.n, cols, data, ld);
    };
    const auto hermitian = [&](const void* data, std::int64_t ld) {
      Operand<E> operand{matrix(as<E>(data), s.n, ld)};
      operand.structure = Structure::hermitian;
      operand.part = s.uplo == ACCUBLAS_UPPER ? Triangle::upper : Triangle::lower;
      return operand;
    };
    CertifiedEigenvalues<E> problem{s.n,
                                    hermitian(a, s.lda),
                                    as<T>(w),
                                    as<T>(radius),
                                    s.jobz == ACCUBLAS_VECTORS,
                                    matrix(as<E>(v), most, s.ldv),
                                    as<T>(angle),
                                    cluster};
    problem.part = s.part;
    problem.found = found;
    std::vector<NamedFootprint> operands{{"a", footprint(problem.a.stored, s.n, s.n, problem.a.part), false},
                                         {"w", footprint(problem.w, most), true},
                                         {"radius", footprint(problem.radius, most), true}};
    if (s.general) {
      problem.general = true;
      problem.b = hermitian(b, s.ldb);
      operands.push_back({"b", footprint(problem.b.stored, s.n, s.n, problem.b.part), false});
    }
    if (problem.vectors)
      operands.insert(operands.end(), {{"v", footprint(problem.v, s.n, most), true},
                                       {"angle", footprint(problem.angle, most), true},
                                       {"cluster", footprint(problem.cluster, most), true}});
    require_apart(operands);
    with_certificate(certificate, [&](auto* result) { certify_eigenvalues(context, problem, options, result); });
  });
}

struct SingularShape {
  accublas_layout layout;
  accublas_job jobz;
  std::int64_t m, n, lda, ldu, ldvt;

  std::int64_t count() const { return std::min(m, n); }
};

/// Returns the first bad argument. Its number is the one that LAPACK would give it, with radius after s, and with angle
/// and cluster after ldvt.
BadArgument check(const SingularShape& s) {
  if (!valid(s.layout)) return {"layout", 0};
  if (s.jobz != ACCUBLAS_VALUES && s.jobz != ACCUBLAS_VECTORS) return {"jobz", 1};
  if (s.m < 0) return {"m", 2};
  if (s.n < 0) return {"n", 3};
  if (bad_ld(s.layout, s.m, s.n, s.lda)) return {"lda", 5};
  if (s.jobz == ACCUBLAS_VALUES) return {};
  if (bad_ld(s.layout, s.m, s.count(), s.ldu)) return {"ldu", 9};
  if (bad_ld(s.layout, s.count(), s.n, s.ldvt)) return {"ldvt", 11};
  return {};
}

template <class E>
accublas_status certified_singular_values(accublas_context* ctx, const SingularShape& shape, const void* a, void* s,
                                          void* radius, void* u, void* vt, void* angle, std::int64_t* cluster,
                                          accublas_certificate_t* certificate, const accublas_options* options) {
  return guarded(ctx, [&](Context& context) {
    using T = RealOf<E>;
    require(check(shape));
    if (certificate) require_report(certificate, "certificate");
    const std::int64_t m = shape.m, n = shape.n, count = shape.count();
    const auto matrix = [&](auto* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
      return view(shape.layout, ACCUBLAS_NO_TRANS, rows, cols, data, ld);
    };
    const CertifiedSingularValues<E> problem{m,
                                             n,
                                             matrix(as<E>(a), m, n, shape.lda),
                                             as<T>(s),
                                             as<T>(radius),
                                             shape.jobz == ACCUBLAS_VECTORS,
                                             matrix(as<E>(u), m, count, shape.ldu),
                                             matrix(as<E>(vt), count, n, shape.ldvt),
                                             as<T>(angle),
                                             cluster};
    std::vector<NamedFootprint> operands{{"a", footprint(problem.a, m, n), false},
                                         {"s", footprint(problem.s, count), true},
                                         {"radius", footprint(problem.radius, count), true}};
    if (problem.vectors)
      operands.insert(operands.end(), {{"u", footprint(problem.u, m, count), true},
                                       {"vt", footprint(problem.vt, count, n), true},
                                       {"angle", footprint(problem.angle, count), true},
                                       {"cluster", footprint(problem.cluster, count), true}});
    require_apart(operands);
    with_certificate(certificate, [&](auto* result) { certify_singular_values(context, problem, options, result); });
  });
}

}  // namespace

#include "c_api/certified_functions.inc"
