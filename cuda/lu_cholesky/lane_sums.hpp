// The sums of small_lu.cu: a lane has a row of a matrix, and the sums of all its elements. For .cu files.
#pragma once

#include "cuda/lu_cholesky/small_factors_sums.hpp"

namespace accublas::cuda {

/// The terms of an element of LU whose matrix is in shared memory, with rows in place: L's numbers of its row, and the
/// element itself, are adjacent. Term q has the number of U in the same column and row order[q].
template <class E>
struct LaneTerms {
  const E* row;
  const E* matrix;
  const int* order;
  int pitch, column, terms;
  __device__ Index count() const { return terms; }
  __device__ E entry(Index q) const { return row[q]; }
  __device__ E known(Index q) const { return matrix[order[q] * pitch + column]; }
  __device__ E right_side() const { return row[column]; }
};

/// The state that the sums of a column share: none, unless they have anchors.
template <class E, bool cr>
struct LaneColumn {
  __device__ __forceinline__ Anchor anchor() const { return {}; }
};

/// An anchor is chosen before the terms are known: for magnitudes that have a sum of up to `room` times the largest
/// number of the column. No part of L is larger than 1, or sqrt(2) if it is complex. So a column's elements of U bound
/// the sum. Where they exceed the room, holds() is false.
template <class E>
requires is_anchored<E, true>
struct LaneColumn<E, true> {
  static constexpr double room = 64, largest = is_complex<E> ? 1.5 : 1;

  /// `size`: the largest of the magnitudes of the column's numbers, of both parts together.
  __device__ __forceinline__ void begin(double size) {
    limit_ = room * size;
    used_ = size;
    anchor_ = Anchor::above(power_of_two(sum_lift<E>) * limit_);
  }
  __device__ __forceinline__ void add(const E& u) {
#pragma unroll
    for (int part = 0; part < parts_of<E>; ++part) used_ += largest * fabs(part_of(u, part));
  }
  __device__ __forceinline__ bool holds() const { return used_ <= limit_; }
  __device__ __forceinline__ Anchor anchor() const { return anchor_; }

 private:
  double limit_, used_;
  Anchor anchor_;
};

/// The sum of an element, which holds minus its numerator (in plain arithmetic the numerator).
template <class E, bool cr>
class LaneSum {
 public:
  using Sum = SmallSum<E, cr>;
  __device__ __forceinline__ void begin(const E& element, Anchor) { sum_.begin(element); }
  __device__ __forceinline__ static E factor(const E& x) { return Sum::factor(x); }
  __device__ __forceinline__ void add(const E& factor, const E& number) { sum_.add(factor, number); }
  /// The sum is not known any more.
  __device__ __forceinline__ void spoil() {}
  /// Returns the unknowns of the lanes that want one. `has_products`: a product was not zero.
  __device__ __forceinline__ E value(const Unknown<E>& unknown, bool wanted, Anchor, bool, const LaneTerms<E>& terms,
                                     unsigned long long* undecided) const {
    return sum_.value(unknown, wanted, terms, undecided);
  }

 private:
  Sum sum_;
};

template <class E>
requires is_anchored<E, true>
class LaneSum<E, true> {
  using T = RealOf<E>;

 public:
  __device__ __forceinline__ void begin(const E& element, Anchor anchor) {
    const E lifted = lifted_for_sums(element);
    for_parts([&](int part) { part_[part] = AnchoredSum::from(-part_of(lifted, part), anchor.value()); });
  }
  __device__ __forceinline__ static E factor(const E& x) { return lifted_for_sums(x); }
  __device__ __forceinline__ void add(const E& factor, const E& number) { add_term(part_, factor, number); }
  __device__ __forceinline__ void spoil() {
    for_parts([&](int part) { part_[part].near = canonical_nan<double>(); });
  }
  __device__ __forceinline__ E value(const Unknown<E>& unknown, bool wanted, Anchor anchor, bool has_products,
                                     const LaneTerms<E>& terms, unsigned long long* undecided) const {
    const double error = has_products ? anchor.error(terms.terms * parts_of<E>) : 0;
    BoundedPair<T, true> sum[parts_of<E>];
    for_parts([&](int part) { sum[part] = bounded(part_[part], anchor, error); });
    const Tried<E> tried = try_numerator(unknown, sum, wanted, false);
    return tried.hard == 0 ? tried.value : resolve_sums(tried.hard, unknown, tried.value, true, terms, undecided);
  }

 private:
  template <class Body>
  __device__ __forceinline__ static void for_parts(Body&& body) {
#pragma unroll
    for (int part = 0; part < parts_of<E>; ++part) body(part);
  }

  AnchoredSum part_[parts_of<E>];
};

}  // namespace accublas::cuda
