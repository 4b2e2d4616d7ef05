// Engine native: DOT, DSDOT, SDSDOT, NRM2 and ASUM.
#include <algorithm>
#include <cstdlib>

#include "lib/cpu/blas_calls.hpp"
#include "lib/cpu/native/operands.hpp"

namespace accublas::cpu {
namespace {

/// Copies n elements to `to`, and returns the vector there.
template <class E>
Vector<const E> gather(const Vector<const E>& from, E* to, Index n, Execution& execution) {
  for (Index i = 0; i < n; ++i) to[i] = from[i];
  execution.report.copied_bytes += n * static_cast<Index>(sizeof(E));
  return {to, 1};
}

}  // namespace

template <class T>
void native_dot(const Dot<T>& p, Execution& execution) {
  const RealBlas& blas = real_blas();
  set_bound<RealOf<T>>(is_complex<T> ? 2 * p.n + 4 : p.n, execution);
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  constexpr Index chunk = 512;
  const bool direct_x = blas_increment(p.x, p.n), direct_y = blas_increment(p.y, p.n);
  const Index step = direct_x && direct_y ? size_limit : chunk;
  T space_x[chunk], space_y[chunk];
  T sum{0};
  for (Index i = 0; i < p.n; i += step) {
    const Index n = std::min(step, p.n - i);
    Vector<const T> x{p.x.data + i * p.x.stride, p.x.stride}, y{p.y.data + i * p.y.stride, p.y.stride};
    if (!direct_x) x = gather(x, space_x, n, execution);
    if (!direct_y) y = gather(y, space_y, n, execution);
    const T part = call_dot(blas, p.conjugate_x, n, lowest(x, n), increment(x, n), lowest(y, n), increment(y, n));
    if constexpr (is_complex<T>)
      sum = i == 0 ? part : T{sum.re + part.re, sum.im + part.im};
    else
      sum = i == 0 ? part : sum + part;
  }
  *p.result = sum;
}

template <class T>
void native_mixed_dot(const MixedDot<T>& p, Execution& execution) {
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  const RealBlas& blas = real_blas();
  if (!blas.lacks({Operation::mixed_dot, type_of<T>}) && p.n <= int_max && blas_increment(p.x, p.n) &&
      blas_increment(p.y, p.n)) {
    *p.result = call_mixed_dot(blas, p.n, p.addend, lowest(p.x, p.n), increment(p.x, p.n), lowest(p.y, p.n),
                               increment(p.y, p.n));
  } else {  // netlib's loop
    double sum = p.addend;
    for (Index i = 0; i < p.n; ++i) sum += static_cast<double>(p.x[i]) * p.y[i];
    *p.result = static_cast<T>(sum);
  }
}

namespace {

/// Computes NRM2 or ASUM in parts that BLAS can read. The order of the terms is free, so that increments are positive.
template <class E>
void norm_of(Norm kind, Index length, Vector<const E> all, RealOf<E>* to, Execution& execution) {
  const RealBlas& blas = real_blas();
  const auto norm = [&](Index n, const auto* x, Index increment) {
    return kind == Norm::nrm2 ? call_nrm2(blas, n, x, increment) : call_asum(blas, n, x, increment);
  };
  set_bound<RealOf<E>>(is_complex<E> ? 2 * length : length, execution);
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  constexpr Index chunk = 512;
  const bool direct = blas_increment(all, length);
  const Index step = direct ? size_limit : chunk;
  E space[chunk];
  RealOf<E> result{0};
  for (Index i = 0; i < length; i += step) {
    const Index n = std::min(step, length - i);
    Vector<const E> x{all.data + i * all.stride, all.stride};
    if (!direct) x = gather(x, space, n, execution);
    const RealOf<E> parts[] = {result, norm(n, lowest(x, n), std::abs(increment(x, n)))};
    result = i == 0 ? parts[1] : norm(2, parts, 1);
  }
  *to = result;
}

}  // namespace

template <class T>
void native_norm(const Reduction<T>& p, Execution& execution) {
  if (!p.x.pairs) return norm_of<T>(p.norm, p.n, p.x, p.result, execution);
  const Vector<const Complex<T>> x{reinterpret_cast<const Complex<T>*>(p.x.data), p.x.stride / 2};
  norm_of<Complex<T>>(p.norm, p.length(), x, p.result, execution);
}

#define ACCUBLAS_INSTANTIATE(E) template void native_dot(const Dot<E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE
template void native_mixed_dot(const MixedDot<double>&, Execution&);
template void native_mixed_dot(const MixedDot<float>&, Execution&);
template void native_norm(const Reduction<double>&, Execution&);
template void native_norm(const Reduction<float>&, Execution&);

}  // namespace accublas::cpu
