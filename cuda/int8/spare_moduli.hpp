// Moduli beyond those that the certificate of dp and sp asks for.
#pragma once

namespace accublas::cuda {

/// While an object lives, products of dp and sp that this thread puts on a stream take `count` moduli more than the
/// certificate asks for. A modulus makes errors 2^8 times smaller. An object replaces the one before it until it ends.
class SpareModuli {
 public:
  explicit SpareModuli(int count) : outer_(current_) { current_ = count; }
  ~SpareModuli() { current_ = outer_; }
  SpareModuli(const SpareModuli&) = delete;
  SpareModuli& operator=(const SpareModuli&) = delete;

  /// Returns the count of this thread's current object, 0 if there is none.
  static int current() { return current_; }

 private:
  static inline thread_local int current_ = 0;
  const int outer_;
};

}  // namespace accublas::cuda
