// Numbers on their way between the user's memory and arrays in any memory space.
#pragma once

#include <cstdint>

#include "lib/mp/array.hpp"
#include "lib/mp/memory.hpp"
#include "lib/mp/transfer.hpp"
#include "lib/numerics/mp_eval.hpp"

namespace accublas::mp {

/// Rounds (-1)^negative N 2^exponent to nearest even at the precision of a format, with its range of exponents. One per
/// thread, for N of at most `limbs` 64-bit limbs.
class Rounder {
 public:
  Rounder(const Format& format, int limbs);

  /// Writes number t of `to`. N = 0 gives a zero of the given sign.
  void round(const std::uint64_t* integer, int limbs, std::int64_t exponent, bool negative, NumberBuffer& to,
             std::int64_t t);

 private:
  Format format_;
  int capacity_;
  Buffer<std::uint64_t> accumulator_, scratch_;
};

/// Users' numbers as numbers of a format, rounded to nearest even. One per thread.
class Reader {
 public:
  Reader(const Format& format, const UserNumbers& from)
      : format_(format), from_(from), rounder_(format, static_cast<int>(from.size)) {}

  /// Reads numbers first .. first + count - 1 into numbers at .. at + count - 1 of `to`.
  void read(std::int64_t first, std::int64_t count, NumberBuffer& to, std::int64_t at);
  /// Returns numbers first .. first + count - 1 without copying their limbs if all of them are finite, nonzero and have
  /// exactly the format's precision. Otherwise it reads them to the front of `to`.
  ConstNumbers look(std::int64_t first, std::int64_t count, NumberBuffer& to);

 private:
  Format format_;
  UserNumbers from_;
  Rounder rounder_;
};

/// Returns the code ACCUBLAS_MP_EXPONENT_* that users see for a code of lib/mp/format.hpp.
constexpr std::int64_t users_code(std::int32_t code) {
  return ACCUBLAS_MP_EXPONENT_ZERO + (std::int64_t{code} - exponent_zero);
}
static_assert(users_code(exponent_infinity) == ACCUBLAS_MP_EXPONENT_INFINITY &&
              users_code(exponent_nan) == ACCUBLAS_MP_EXPONENT_NAN);

/// Writes a code of lib/mp/format.hpp.
void set_special(NumberBuffer& to, std::int64_t t, std::int32_t code, bool negative);

/// Numbers of one format as numbers of another.
void convert(const NumberBuffer& from, const Format& from_format, NumberBuffer& to, const Format& to_format,
             std::int64_t count, int threads);

/// Compares numbers 0 of x and y. Returns -1, 0, 1 as x < y, x = y, x > y; 2 if one is NaN.
int compare_numbers(const NumberBuffer& x, const Format& x_format, const NumberBuffer& y, const Format& y_format);

/// Facts about an element that need no reconstruction.
struct ElementFacts {
  std::int32_t exponent;
  bool negative;
  Interval interval;
};
ElementFacts facts(Context& context, const Array& array, std::int64_t index);
int compare(Context& context, const Array& x, std::int64_t index_x, const Array& y, std::int64_t index_y);

/// Returns one element as a number.
NumberBuffer read_element(Context& context, const Array& array, std::int64_t index);
void write_element(Context& context, Array& array, std::int64_t index, const NumberBuffer& number);

}  // namespace accublas::mp
