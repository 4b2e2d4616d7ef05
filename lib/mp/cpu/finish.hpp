// The last step of a product: alpha S + beta c in extended reals, rounded once, for an S that comes as integers times
// powers of two.
#pragma once

#include <cstdint>

#include "lib/mp/basis.hpp"
#include "lib/mp/format.hpp"
#include "lib/mp/memory.hpp"
#include "lib/numerics/sparse_sum.hpp"

namespace accublas::mp {

enum class Kind : std::uint8_t { zero, finite, infinite, nan };

/// An extended real: (-1)^negative times an integer of 64-bit limbs times 2^exponent.
struct Extended {
  Kind kind = Kind::zero;
  bool negative = false;
  const std::uint64_t* limb = nullptr;
  int limbs = 0;
  int bits = 0;
  std::int64_t exponent = 0;
};

/// Returns the number 0 or 1.
Extended constant(int value);
/// Returns the element with these limbs. Trailing zeros are skipped; a power of two is 1 times a power, which costs no
/// product.
Extended extended(const std::uint64_t* limb, std::int32_t exponent, bool negative, const Format& format);

/// The integers of S, from the largest exponent downwards: S = sum integer_g 2^exponent_g.
class BandSums {
 public:
  virtual ~BandSums() = default;
  virtual int count() const = 0;
  virtual std::int64_t exponent(int g) const = 0;  ///< decreasing
  /// Computes integer g in the product's basis, as `reconstruct` (lib/mp/basis.hpp) does.
  virtual void integer(int g, std::uint64_t* limb) = 0;
};

/// S as a whole: a finite sum of bands, or a special value that the classes of its terms determine.
struct Sum {
  Kind kind = Kind::finite;  ///< finite (zero included), infinite or nan
  bool negative = false;
  BandSums* bands = nullptr;
};

/// The number to be written: X in 64-bit limbs, zero for a code.
struct Rounded {
  std::uint64_t* limb;
  std::int32_t exponent;
  bool negative;
};

/// The last step for the outputs of one thread. The constructor takes all memory.
class Finisher {
 public:
  /// Keeps references to the limbs of alpha and beta. `product` is null if there is no S.
  Finisher(const Format& format, const Basis* product, const Extended& alpha, const Extended& beta);

  /// Computes alpha S + beta c; an exact zero is +0. c is not read if beta is a zero.
  void combine(const Sum& sum, const Extended& c, Rounded& result);
  /// Computes beta c alone. Zeros have the sign that IEEE arithmetic gives them; the result is +0 if beta is a zero.
  void scale(const Extended& c, Rounded& result);

 private:
  using Accumulator = SparseSum<std::uint64_t>;

  Extended times(const Extended& factor, const Extended& value, std::uint64_t* limb) const;
  /// Returns alpha times integer g.
  Extended scaled_band(BandSums& bands, int g);
  /// Returns the sign of the sum of the bands: -1, 0, 1.
  int sign(BandSums& bands);
  template <class Term>
  Accumulator sum(int count, Term&& term, std::uint64_t* result);
  void write(const Accumulator& sum, Rounded& result) const;
  void special(Kind kind, bool negative, Rounded& result) const;

  Format format_;
  const Basis* basis_;
  Extended alpha_, beta_;
  int term_bits_, capacity_;
  Buffer<std::uint64_t> accumulator_, scratch_, integer_, band_, scaled_;
};

}  // namespace accublas::mp
