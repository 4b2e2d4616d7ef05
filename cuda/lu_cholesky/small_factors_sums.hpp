// The sums of small_factors.cu, which hold the numerators of elements: in cr with bounds of their errors, otherwise in
// plain arithmetic. For .cu files.
#pragma once

#include "cuda/lu_cholesky/pivot_root.hpp"
#include "cuda/lu_cholesky/plain_arithmetic.hpp"

namespace accublas::cuda {

/// The largest order of the matrices.
inline constexpr int most_lines = 128;
static_assert(most_lines <= dot2_block);

/// The terms of an element: entry q is at entries[q step], and is conjugated if that is wanted; the number that it is
/// multiplied by is at numbers[q number_step]. A's element is at *element.
template <class E>
struct SmallTerms {
  const E* entries;
  const E* numbers;
  const E* element;
  int step, number_step, terms, conjugated;
  __device__ Index count() const { return terms; }
  __device__ E entry(Index q) const { return conjugate_if(conjugated != 0, entries[q * step]); }
  __device__ E known(Index q) const { return numbers[q * number_step]; }
  __device__ E right_side() const { return *element; }
};

template <class E, bool cr>
class SmallSum;

template <class E>
class SmallSum<E, true> {
  using T = RealOf<E>;
  using Part = Chain<T, true>;
  static constexpr int chain_terms = static_cast<int>(dot2_block) / parts_of<E>;

 public:
  __device__ __forceinline__ void begin(const E& element) {
    const E lifted = lifted_for_sums(element);
    for_parts([&](int part) { part_[part] = Part::from({{-static_cast<double>(part_of(lifted, part)), 0}, 0}); });
  }
  /// Adds the term of a number before which there are `before` terms. Real sums have fewer terms than a chain may have.
  __device__ __forceinline__ void add(const E& entry, const E& number, int before) {
    if constexpr (is_complex<E>)
      if (before % chain_terms == chain_terms - 1)
        for_parts([&](int part) { part_[part] = Part::from(part_[part].bounded()); });
    add_term(part_, lifted_for_sums(entry), number);
  }
  /// Returns the unknowns of the lanes that want one; all lanes of the warp call it.
  __device__ __forceinline__ E value(const Unknown<E>& unknown, bool wanted, const SmallTerms<E>& terms,
                                     unsigned long long* undecided) const {
    return resolved_numerator(unknown, part_, wanted, false, terms, undecided);
  }
  /// Returns the root of the numerator of an element of the diagonal, for all lanes of the warp, which have this sum.
  __device__ FoundPivot<T> root(const SmallTerms<E>& terms, unsigned long long* undecided) const {
    const TripleSum left = square_of_pivot<E>(part_[0]);
    T pivot{};
    if (CholeskyPivot<T>::root_of({left.a1, left.a2}, left.error, rsqrt(left.a1), pivot)) return {pivot, true};
    return pivot_by_terms<E>(terms, false, undecided);
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
  __device__ __forceinline__ void begin(const E& element) { numerator_ = element; }
  __device__ __forceinline__ void add(const E& entry, const E& number, int) {
    numerator_ = less_product(numerator_, entry, number);
  }
  __device__ __forceinline__ E value(const Unknown<E>& unknown, bool, const SmallTerms<E>&, unsigned long long*) const {
    if (unknown.unit) return numerator_;
    if constexpr (!is_complex<E>)
      return numerator_ / unknown.pivot;
    else if (is_zero(unknown.pivot.im))
      return {numerator_.re / unknown.pivot.re, numerator_.im / unknown.pivot.re};
    else
      return quotient(numerator_, unknown.pivot, T(0));
  }
  __device__ FoundPivot<T> root(const SmallTerms<E>&, unsigned long long*) const {
    const T square = part_of(numerator_, 0);
    return {sqrt(square), square > 0};
  }

 private:
  E numerator_;
};

}  // namespace accublas::cuda
