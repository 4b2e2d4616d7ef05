// An element's products are summed error-free in floating point, which Ziv's test rounds nearly always; else exactly.
#include "cuda/core/launch.hpp"
#include "cuda/described/update.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/quotient.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256;

/// Re or Im of an element's change: factor[g] times an inner product of the terms u v, for each part of alpha.
template <class T>
struct Change {
  static constexpr int most_terms = 4;
  int factors, terms;  ///< terms: of each inner product
  T factor[2], u[2][most_terms], v[2][most_terms];
};

template <class E>
struct Element {
  using T = RealOf<E>;
  E alpha, x, y, x2, y2;
  bool two_pairs, hermitian;

  __device__ Element(const Product<E>& p, Index i, Index j)
      : alpha(p.alpha), x(p.a(i, 0)), y(p.b(0, j)), two_pairs(p.two_pairs), hermitian(p.hermitian) {
    if (two_pairs) x2 = p.a2(i, 0), y2 = p.b2(0, j);
  }

  __device__ Change<T> change(int part) const {
    Change<T> c;
    if constexpr (is_complex<E>) {
      c.factors = is_zero(alpha.im) ? 1 : 2;
      c.terms = two_pairs ? 4 : 2;
      c.factor[0] = alpha.re;
      c.factor[1] = part == 0 ? -alpha.im : alpha.im;
      put(c, 0, 0, part, x, y, false);
      put(c, 1, 0, 1 - part, x, y, false);
      if (!two_pairs) return c;
      put(c, 0, 2, part, x2, y2, false);
      // The second product has conj(alpha).
      put(c, 1, 2, 1 - part, x2, y2, hermitian);
    } else {
      c.factors = 1;
      c.terms = two_pairs ? 2 : 1;
      c.factor[0] = alpha;
      c.u[0][0] = x, c.v[0][0] = y;
      if (two_pairs) c.u[0][1] = x2, c.v[0][1] = y2;
    }
    return c;
  }

 private:
  __device__ static void put(Change<T>& c, int factor, int at, int part, const E& a, const E& b, bool negated) {
    const T re = negated ? -a.re : a.re, im = negated ? -a.im : a.im;
    c.u[factor][at] = re, c.v[factor][at] = part == 0 ? b.re : b.im;
    c.u[factor][at + 1] = part == 0 ? -im : im, c.v[factor][at + 1] = part == 0 ? b.im : b.re;
  }
};

/// sum += f u v, error-free; false where something may be lost.
__device__ bool add_product(TripleSum& sum, double f, double u, double v) {
  const DoublePair first = two_product(f, u), p = two_product(first.high, v), q = two_product(first.low, v);
  if (!(is_finite(f) && is_finite(u) && is_finite(v))) return false;
  if (is_zero(f) || is_zero(u) || is_zero(v)) return true;
  if (!(Approximation::in_range(f) && Approximation::in_range(u) && Approximation::in_range(v))) return false;
  triple_add(sum, {p.high, p.low, 0, 0});
  if (first.low != 0) triple_add(sum, {q.high, q.low, 0, 0});
  return true;
}

template <class T>
__device__ bool add_quickly(const Change<T>& change, T c, T* to) {
  TripleSum sum{static_cast<double>(c), 0, 0, 0};
  bool good = true;
#pragma unroll
  for (int g = 0; g < 2; ++g)
#pragma unroll
    for (int t = 0; t < Change<T>::most_terms; ++t)
      if (g < change.factors && t < change.terms)
        good = good && add_product(sum, change.factor[g], change.u[g][t], change.v[g][t]);
  if (!good || !triple_known(sum)) return false;
  if (sum.a1 == 0 && sum.a2 == 0 && sum.a3 == 0 && sum.error == 0) {
    *to = T(0);
    return true;
  }
  return detail::round_triple(sum, to);
}

/// An inner product of a Change, times its factor.
template <class T>
__device__ void add_exactly(ComponentSum<T>& sum, T factor, const T* u, const T* v, int terms) {
  if (is_zero(factor)) return;
  T special = 0;
  bool any_special = false;
  for (int t = 0; t < terms; ++t)
    if (!is_finite(u[t]) || !is_finite(v[t])) special += u[t] * v[t], any_special = true;
  if (any_special) return sum.add_special(factor, special);
  for (int t = 0; t < terms; ++t) {
    const Decoded a = decode(u[t]), b = decode(v[t]);
    const Uint128 product = static_cast<Uint128>(a.mantissa) * b.mantissa;
    const Wide<2> magnitude{{static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)}};
    sum.add(factor, wide_negate_if(magnitude, a.negative != b.negative), a.exponent + b.exponent);
  }
}

/// Out of line, by value: it must not take registers from what is computed quickly.
template <class E>
__device__ __noinline__ RealOf<E> add_exactly(Element<E> element, int part, RealOf<E> c) {
  using T = RealOf<E>;
  const Change<T> change = element.change(part);
  // An infinite factor asks for the class of the inner product: special, or its sign.
  T special = 0;
  bool any_special = false;
  for (int g = 0; g < change.factors; ++g) {
    if (is_finite(change.factor[g])) continue;
    ComponentSum<T> inner;
    add_exactly(inner, T(1), change.u[g], change.v[g], change.terms);
    const T value = inner.round();
    special += change.factor[g] * (is_finite(value) ? T(inner.sign()) : value);
    any_special = true;
  }
  ComponentSum<T> sum;
  if (any_special) sum.add_special(T(1), special);
  for (int g = 0; g < change.factors; ++g)
    if (is_finite(change.factor[g])) add_exactly(sum, change.factor[g], change.u[g], change.v[g], change.terms);
  sum.add(T(1), c);
  return sum.round();
}

template <class E>
__global__ void __launch_bounds__(threads, 2) update_kernel(const __grid_constant__ Product<E> p) {
  using T = RealOf<E>;
  await_predecessor();
  for (Index j = blockIdx.y; j < p.n; j += gridDim.y)
    for (Index i = Index{blockIdx.x} * threads + threadIdx.x; i < p.m; i += Index{gridDim.x} * threads) {
      if (!holds(p.wanted, i, j)) continue;
      const Element<E> element(p, i, j);
      const auto rounded = [&](int part, T c) {
        T result;
        return add_quickly(element.change(part), c, &result) ? result : add_exactly(element, part, c);
      };
      E& c = p.c(i, j);
      if constexpr (is_complex<E>) {
        const E before = c;
        const bool real = p.hermitian && i == j;
        c = {rounded(0, before.re), real ? T(0) : rounded(1, before.im)};
      } else {
        c = rounded(0, c);
      }
    }
}

}  // namespace

template <class E>
void update(const DeviceModel& model, const Product<E>& p, cudaStream_t stream) {
  const Index across = ceil_div(p.m, Index{threads});
  const dim3 grid(static_cast<unsigned>(across < 1 << 20 ? across : 1 << 20),
                  static_cast<unsigned>(p.n < 65535 ? p.n : 65535));
  launch(model, "update", update_kernel<E>, {grid, threads}, stream, p);
}

template void update(const DeviceModel&, const Product<double>&, cudaStream_t);
template void update(const DeviceModel&, const Product<float>&, cudaStream_t);
template void update(const DeviceModel&, const Product<Complex<double>>&, cudaStream_t);
template void update(const DeviceModel&, const Product<Complex<float>>&, cudaStream_t);

}  // namespace accublas::cuda
