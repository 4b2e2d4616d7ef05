// The sums of the factorizations of batches, which hold the numerators of elements: in cr with bounds of their errors,
// otherwise in plain arithmetic. For .cu files.
#pragma once

#include "cuda/lu_cholesky/pivot_root.hpp"
#include "cuda/lu_cholesky/plain_arithmetic.hpp"
#include "lib/numerics/anchored_sum.hpp"

namespace accublas::cuda {

/// The terms of an element. Entry q is at entries[q step], and from q = first_late on at late[(q - first_late)
/// late_step]. It is conjugated if that is wanted. The number that it is multiplied by is at numbers[q number_step].
/// A's element is at *element.
template <class E>
struct SmallTerms {
  const E* entries;
  const E* numbers;
  const E* element;
  const E* late;
  Index step, number_step;
  int terms, first_late, late_step, conjugated;
  __device__ Index count() const { return terms; }
  __device__ E entry(Index q) const {
    return conjugate_if(conjugated != 0, q < first_late ? entries[q * step] : late[(q - first_late) * late_step]);
  }
  __device__ E known(Index q) const { return numbers[q * number_step]; }
  __device__ E right_side() const { return *element; }
};

template <class E>
__device__ __forceinline__ SmallTerms<E> small_terms(const E* entries, Index step, const E* numbers, Index number_step,
                                                     const E* element, int terms, bool conjugated) {
  return {entries, numbers, element, nullptr, step, number_step, terms, terms, 0, conjugated};
}

/// Whether sums of type E may have anchors. Products of numbers in single precision are doubles, for which Chain takes
/// two operations.
template <class E, bool cr>
inline constexpr bool is_anchored = cr && sizeof(RealOf<E>) == sizeof(double);

/// An unknown that is its numerator.
template <class E>
__device__ __forceinline__ Unknown<E> numerator_alone() {
  return Unknown<E>::of_row(E{RealOf<E>(1)}, {}, true);
}

/// Computes the undecided unknowns of the lanes in `hard`, whose sums had anchors. Each lane adds up its terms by
/// itself in dot2's steps first, which may decide more than sums around anchors. The function is not inlined, as
/// resolve_one.
template <class E, class Terms>
__device__ ACCUBLAS_NOINLINE E resolve_anchored(unsigned hard, Unknown<E> unknown, E value, Terms terms,
                                                unsigned long long* undecided) {
  constexpr int most_terms = static_cast<int>(dot2_block) / parts_of<E>, few = 2;
  if (__popc(hard) > few) {
    using Part = Chain<RealOf<E>, true>;
    const bool wanted = (hard >> threadIdx.x % 32 & 1) != 0;
    const E element = lifted_for_sums(wanted ? terms.right_side() : E{});
    Part sums[parts_of<E>];
    for (int part = 0; part < parts_of<E>; ++part)
      sums[part] = Part::from({{-static_cast<double>(part_of(element, part)), 0}, 0});
    for (int q = 0; wanted && q < static_cast<int>(terms.count()); ++q) {
      if (q > 0 && q % most_terms == 0)
        for (Part& sum : sums) sum = Part::from(sum.bounded());
      add_term(sums, lifted_for_sums(terms.entry(q)), terms.known(q));
    }
    __syncwarp();
    const Tried<E> tried = try_numerator(unknown, sums, wanted, false);
    if (wanted) value = tried.value;
    hard = tried.hard;
  }
  return hard == 0 ? value : resolve_lanes(hard, unknown, value, false, terms, undecided);
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

  /// Returns a bound of the magnitudes of all parts, before any terms are added.
  __device__ __forceinline__ double size() const {
    double size = 0;
    for_parts([&](int part) { size += fabs(part_[part].pair.s); });
    return size;
  }
  /// Returns a part around an anchor, before any terms are added.
  __device__ __forceinline__ AnchoredSum around(const Anchor& anchor, int part) const {
    return AnchoredSum::from(part_[part].pair.s, anchor.value());
  }
  /// Sets a part to a sum around an anchor. `error` is 0 if every product was zero.
  __device__ __forceinline__ void set(int part, const AnchoredSum& sum, const Anchor& anchor, double error) {
    const DoublePair found = sum.sum(anchor.value());
    part_[part] = Part::from({{found.high, found.low}, error});
  }

  /// Returns the unknowns of the lanes that want one; all lanes of the warp call it. `anchored`: the sums had anchors.
  template <bool anchored = false, class Terms>
  __device__ __forceinline__ E value(const Unknown<E>& unknown, bool wanted, const Terms& terms,
                                     unsigned long long* undecided) const {
    if constexpr (!anchored) {
      return resolved_numerator(unknown, part_, wanted, false, terms, undecided);
    } else {
      const Tried<E> tried = try_numerator(unknown, part_, wanted, false);
      return tried.hard == 0 ? tried.value : resolve_anchored(tried.hard, unknown, tried.value, terms, undecided);
    }
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
  template <bool = false, class Terms>
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
