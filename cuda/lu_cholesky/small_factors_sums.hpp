// The sums of the factorizations of batches, which hold the numerators of elements: in cr with bounds of their errors,
// otherwise in plain arithmetic. For .cu files.
#pragma once

#include "cuda/lu_cholesky/pivot_root.hpp"
#include "cuda/lu_cholesky/plain_arithmetic.hpp"

namespace accublas::cuda {

/// The terms of an element. Entry q is at entries[q step], and is conjugated if that is wanted. The number that it is
/// multiplied by is at numbers[q number_step], and from q = first_late on at late[(q - first_late) late_step]. A's
/// element is at *element.
template <class E>
struct SmallTerms {
  const E* entries;
  const E* numbers;
  const E* element;
  const E* late;
  Index step, number_step;
  int terms, first_late, late_step, conjugated;
  __device__ Index count() const { return terms; }
  __device__ E entry(Index q) const { return conjugate_if(conjugated != 0, entries[q * step]); }
  __device__ E known(Index q) const {
    return q < first_late ? numbers[q * number_step] : late[(q - first_late) * late_step];
  }
  __device__ E right_side() const { return *element; }
};

template <class E>
__device__ __forceinline__ SmallTerms<E> small_terms(const E* entries, Index step, const E* numbers, Index number_step,
                                                     const E* element, int terms, bool conjugated) {
  return {entries, numbers, element, nullptr, step, number_step, terms, terms, 0, conjugated};
}

/// An unknown that is its numerator.
template <class E>
__device__ __forceinline__ Unknown<E> numerator_alone() {
  return Unknown<E>::of_row(E{RealOf<E>(1)}, {}, true);
}

/// Returns x / pivot in plain arithmetic, or x if it shall not be divided.
template <class E>
__device__ __forceinline__ E quotient_unless(bool undivided, const E& x, const E& pivot) {
  if (undivided) return x;
  if constexpr (!is_complex<E>)
    return x / pivot;
  else if (is_zero(pivot.im))
    return {x.re / pivot.re, x.im / pivot.re};
  else
    return quotient(x, pivot, RealOf<E>(0));
}

template <class E, bool cr>
class SmallSum;

template <class E>
class SmallSum<E, true> {
  using T = RealOf<E>;
  using Part = Chain<T, true>;

 public:
  /// A sum has at most this many terms after begin() or renew().
  static constexpr int most_terms = static_cast<int>(dot2_block) / parts_of<E>;

  __device__ __forceinline__ void begin(const E& element) {
    const E lifted = lifted_for_sums(element);
    for_parts([&](int part) { part_[part] = Part::from({{-static_cast<double>(part_of(lifted, part)), 0}, 0}); });
  }
  __device__ __forceinline__ void renew() {
    for_parts([&](int part) { part_[part] = Part::from(part_[part].bounded()); });
  }
  /// Returns the first factor of products as add() takes it.
  __device__ __forceinline__ static E factor(const E& x) { return lifted_for_sums(x); }
  __device__ __forceinline__ void add(const E& factor, const E& number) { add_term(part_, factor, number); }

  /// Returns the unknowns of the lanes that want one; all lanes of the warp call it.
  template <class Terms>
  __device__ __forceinline__ E value(const Unknown<E>& unknown, bool wanted, const Terms& terms,
                                     unsigned long long* undecided) const {
    return resolved_numerator(unknown, part_, wanted, false, terms, undecided);
  }
  /// Returns the root of the numerator of an element of the diagonal. Each `lanes` neighbours, a power of two, have one
  /// sum and the same terms; all lanes of the warp call it.
  template <class Terms>
  __device__ FoundPivot<T> root(const Terms& terms, bool wanted, int lanes, unsigned long long* undecided) const {
    const TripleSum left = square_of_pivot<E>(part_[0]);
    FoundPivot<T> result{};
    result.found = CholeskyPivot<T>::root_of({left.a1, left.a2}, left.error, rsqrt(left.a1), result.pivot);
    const int group = static_cast<int>(threadIdx.x) % 32 / lanes;
    unsigned hard = __ballot_sync(0xFFFFFFFFu, wanted && !result.found);
    while (hard != 0) {
      const int of = __ffs(static_cast<int>(hard)) - 1;
      const FoundPivot<T> found = pivot_by_terms<E>(of_lane(terms, of), false, undecided);
      if (group == of / lanes) result = found;
      hard &= ~(0xFFFFFFFFu >> (32 - lanes) << (of / lanes * lanes));
    }
    return result;
  }

 private:
  template <class Body>
  __device__ __forceinline__ static void for_parts(Body&& body) {
#pragma unroll
    for (int part = 0; part < parts_of<E>; ++part) body(part);
  }

  Part part_[parts_of<E>];
};

template <class E>
class SmallSum<E, false> {
  using T = RealOf<E>;

 public:
  static constexpr int most_terms = 1 << 30;

  __device__ __forceinline__ void begin(const E& element) { numerator_ = element; }
  __device__ __forceinline__ void renew() {}
  __device__ __forceinline__ static E factor(const E& x) { return x; }
  __device__ __forceinline__ void add(const E& factor, const E& number) {
    numerator_ = less_product(numerator_, factor, number);
  }
  template <class Terms>
  __device__ __forceinline__ E value(const Unknown<E>& unknown, bool, const Terms&, unsigned long long*) const {
    return quotient_unless(unknown.unit, numerator_, unknown.pivot);
  }
  template <class Terms>
  __device__ FoundPivot<T> root(const Terms&, bool, int, unsigned long long*) const {
    const T square = part_of(numerator_, 0);
    return {sqrt(square), square > 0};
  }

 private:
  E numerator_;
};

}  // namespace accublas::cuda
