#include "lib/certified/certified.hpp"

#include "lib/base/error.hpp"
#include "lib/base/exceptions.hpp"
#include "lib/certified/refine.hpp"
#include "lib/certified/results.hpp"
#include "lib/certified/wide.hpp"

namespace accublas {

using namespace certified;

namespace {

constexpr Index least_block = 64;  // right-hand sides at a time: no more unknowns than A has elements, but these

/// Reads A and B, which is in host memory; returns whether A is finite. Sides of B that are not finite become zero and
/// are marked.
template <class E>
bool load(const CertifiedSystem<E>& p, System& s, std::vector<bool>& side_is_finite, const Calls& calls) {
  load_parts(p.a, p.n, p.n, s.a.data(), calls);
  for (Index c = 0; c < p.nrhs; ++c) {
    double* const column = s.b.data() + c * s.n;
    for (Index i = 0; i < p.n; ++i) {
      const E z = p.b(i, c);
      if constexpr (is_complex<E>) {
        column[i] = z.re;
        column[i + p.n] = z.im;
      } else {
        column[i] = z;
      }
    }
    const bool good = std::all_of(column, column + s.n, [](double v) { return is_finite(v); });
    if (!good) std::fill_n(column, s.n, 0.0);
    side_is_finite.push_back(good);
  }
  return s.measure(calls);
}

bool load(const CertifiedSystem<Binary128>& p, System& s, std::vector<bool>& side_is_finite, const Calls& calls) {
  for (Index j = 0; j < p.n; ++j)
    for (Index i = 0; i < p.n; ++i)
      s.wide->a[static_cast<std::size_t>(i + j * p.n)] = holds(p.a.part, i, j) ? p.a.stored(i, j) : p.a.stored(j, i);
  for (Index c = 0; c < p.nrhs; ++c) {
    Binary128* const column = s.wide->b.data() + c * p.n;
    for (Index i = 0; i < p.n; ++i) column[i] = p.b(i, c);
    const bool good = std::all_of(column, column + p.n, [](const Binary128& v) { return is_finite(v); });
    if (!good) std::fill_n(column, p.n, Binary128{});
    side_is_finite.push_back(good);
  }
  return s.measure(calls);
}

template <class E>
void put(const CertifiedSystem<E>& p, Index row, Index side, const Ball<RealOf<E>>& ball) {
  const auto write = [&](const Matrix<E>& m, RealOf<E> value) {
    if constexpr (is_complex<E>)
      (row < p.n ? m(row, side).re : m(row - p.n, side).im) = value;
    else
      m(row, side) = value;
  };
  write(p.x, ball.center);
  write(p.radius, ball.radius);
}

[[noreturn]] void refuse(accublas_reason reason) {
  const auto why = [reason] {
    switch (reason) {
      case ACCUBLAS_REASON_NOT_FINITE:
        return "A or B has an infinity or a NaN";
      case ACCUBLAS_REASON_SINGULAR:
        return "a pivot of A is zero";
      case ACCUBLAS_REASON_OVERFLOW:
        return "an unknown or its radius is beyond the largest number";
      default:
        return "A is too ill-conditioned";
    }
  };
  throw Error(ACCUBLAS_ERROR_NOT_CERTIFIED, std::string("the solution is not certified: ") + why());
}

/// The ball of an unknown in the caller's scale, 2^e times that of the refinement.
template <class T>
Ball<T> ball_at(const Balls& balls, Index at, int e) {
  if constexpr (std::is_same_v<T, Binary128>)
    return scaled(balls.wide_center[static_cast<std::size_t>(at)], balls.radius[at], e);
  else
    return scaled<T>(balls.center[at], balls.radius[at], e);
}

/// Certifies solutions of systems whose B, x and radius are in host memory. Sets all of *certificate except for the
/// reason, which it returns. `wide` holds the numbers of a system of binary128.
template <class E>
accublas_reason certify(const CertifiedSystem<E>& p, const Calls& calls, accublas_certificate_t* certificate,
                        WideNumbers* wide = nullptr) {
  using T = RealOf<E>;
  constexpr T infinity = from_bits<T>(FloatFormat<T>::infinity);
  constexpr Index parts = is_complex<E> ? 2 : 1;
  System s{parts * p.n,
           p.nrhs,
           Placed(calls.place(), parts * p.n * parts * p.n),
           Array(wide ? 0 : parts * p.n * p.nrhs),
           p.a.structure != Structure::general,
           wide};
  std::vector<bool> side_is_finite;
  if (!load(p, s, side_is_finite, calls)) {
    for (Index c = 0; c < p.nrhs; ++c)
      for (Index i = 0; i < s.n; ++i) put(p, i, c, {canonical_nan<T>(), infinity});
    certificate->condition = certificate->contraction = HUGE_VAL;
    return ACCUBLAS_REASON_NOT_FINITE;
  }
  const bool may_be_definite = s.scale(calls);
  const Inverses inverses = invert(s, may_be_definite, calls);
  const Inverse& inverse = inverses.best;
  certificate->positive_definite = inverses.definite;
  certificate->parts = static_cast<std::int32_t>(inverse.parts);
  certificate->condition = inverses.condition;
  certificate->contraction = inverse.contraction;
  const Index block = std::max(least_block, s.n);
  std::vector<Balls> blocks;
  for (Index first = 0; first < p.nrhs; first += block) {
    blocks.push_back(refine(s, inverse, first, std::min(p.nrhs, first + block), calls));
    certificate->iterations = std::max<std::int64_t>(certificate->iterations, blocks.back().iterations);
  }
  // Nothing can fail after this.
  bool overflow = false;
  for (Index c = 0; c < p.nrhs; ++c) {
    const Balls& balls = blocks[static_cast<std::size_t>(c / block)];
    const int scale = balls.scale[static_cast<std::size_t>(c % block)];
    const bool given = side_is_finite[static_cast<std::size_t>(c)];
    for (Index i = 0; i < s.n; ++i) {
      const Index at = i + c % block * s.n;
      Ball<T> ball{canonical_nan<T>(), infinity};
      if (given) ball = ball_at<T>(balls, at, scale + s.column[static_cast<std::size_t>(i)]);
      overflow |= given && !is_finite(ball.radius);
      put(p, i, c, ball);
    }
  }
  if (!(inverse.contraction < 1))
    return inverses.zero_pivots > 0 ? ACCUBLAS_REASON_SINGULAR : ACCUBLAS_REASON_ILL_CONDITIONED;
  if (!std::all_of(side_is_finite.begin(), side_is_finite.end(), [](bool good) { return good; }))
    return ACCUBLAS_REASON_NOT_FINITE;
  return overflow ? ACCUBLAS_REASON_OVERFLOW : ACCUBLAS_REASON_NONE;
}

/// Certifies solutions of systems whose B, x and radius are in memory of the device.
template <class E>
accublas_reason certify_on_device(const CertifiedSystem<E>& p, const Calls& calls,
                                  accublas_certificate_t* certificate) {
  const Index count = p.n * p.nrhs;
  std::vector<E> numbers(static_cast<std::size_t>(3 * count));
  const Compact<E> b(p.b, p.n, p.nrhs, numbers.data()), x(p.x, p.n, p.nrhs, numbers.data() + count),
      radius(p.radius, p.n, p.nrhs, numbers.data() + 2 * count);
  b.from(p.b, calls.place());
  const CertifiedSystem<E> on_host{
      p.n, p.nrhs, p.a, {b.matrix().data, b.matrix().row_stride, b.matrix().col_stride}, x.matrix(), radius.matrix()};
  const accublas_reason reason = certify(on_host, calls, certificate);
  x.to(p.x, calls.place());
  radius.to(p.radius, calls.place());
  return reason;
}

}  // namespace

template <class E>
void solve_certified(Context& context, const CertifiedSystem<E>& p, const accublas_options* options,
                     accublas_certificate_t* certificate) {
  const accublas_options inner = options_of(context, options);
  const bool definite = p.a.structure != Structure::general;
  Run run(context, {Operation::getrf, Type::d}, &inner);
  Calls calls(context, &inner);  // scalars lie in host memory from here on, whatever the caller's pointer mode
  run.sizes(p.n, p.nrhs, p.n);
  *certificate = {};
  certificate->positive_definite = p.n == 0 && definite;
  if (p.n > 0) {
    std::vector<Named> operands{{"a", p.a.stored.data}};
    if (p.nrhs > 0) operands.insert(operands.end(), {{"b", p.b.data}, {"x", p.x.data}, {"radius", p.radius.data}});
    run.operands(operands, {}, CallShape(p.n, p.n, p.n));
  }
  run.certify({definite ? Operation::posv_certified : Operation::gesv_certified, type_of<E>}, [&] {
    if (p.n == 0) return run.backend() == ACCUBLAS_BACKEND_CUDA;
    calls.move_to(run);
    certificate->reason = certify_where_possible(calls, certificate, [&] {
      return calls.operands_on_device() ? certify_on_device(p, calls, certificate) : certify(p, calls, certificate);
    });
    if (certificate->reason != ACCUBLAS_REASON_NONE) refuse(certificate->reason);
    return calls.place().on_device();
  });
  run.finish();
}

void solve_certified(Context& context, const CertifiedSystem<Binary128>& p, const accublas_options* options,
                     quad::QuadCall& products, accublas_certificate_t* certificate) {
  accublas_options inner = lapack::inner_options(options);
  inner.mode_name = nullptr;
  inner.mode = ACCUBLAS_MODE_CR;
  inner.mode_parameter = inner.mode_flags = 0;
  Calls calls(context, &inner);
  *certificate = {};
  certificate->positive_definite = p.n == 0 && p.a.structure != Structure::general;
  if (p.n == 0) return;
  WideNumbers wide{std::vector<Binary128>(static_cast<std::size_t>(p.n * p.n)),
                   std::vector<Binary128>(static_cast<std::size_t>(p.n * p.nrhs)), products};
  static_cast<void>(collect_exceptions([&] {
    certificate->reason =
        certify_where_possible(calls, certificate, [&] { return certify(p, calls, certificate, &wide); });
  }));
  if (certificate->reason != ACCUBLAS_REASON_NONE) refuse(certificate->reason);
}

#define ACCUBLAS_CERTIFIED(E) \
  template void solve_certified(Context&, const CertifiedSystem<E>&, const accublas_options*, accublas_certificate_t*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_CERTIFIED)

}  // namespace accublas
