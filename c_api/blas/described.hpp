// The drop-in's routines of levels 2 and 3 and of LAPACK share their names by table, netlib's letters, and factors.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "c_api/blas/serve.hpp"

namespace accublas::blas {

/// The name of a routine after `prefix`, in capitals and padded to six characters for xerbla.
template <std::size_t N>
constexpr std::array<char, N + 7> name_of(const char (&prefix)[N], Routine routine, bool capitals) {
  std::array<char, N + 7> name{};
  std::size_t length = 0;
  for (; prefix[length]; ++length) name[length] = prefix[length];
  for (const char* c = routine_name(routine); *c; ++c, ++length)
    name[length] = capitals && *c >= 'a' ? static_cast<char>(*c - 'a' + 'A') : *c;
  while (capitals && length < 6) name[length++] = ' ';
  return name;
}

/// A routine and its names.
template <class E, Routine of_routine>
struct Names {
  static constexpr Routine served = of_routine;
  static constexpr auto f77_text = name_of("", of_routine, true);
  static constexpr auto cblas_text = name_of("cblas_", of_routine, false);
  static constexpr const char *f77_name = f77_text.data(), *cblas_name = cblas_text.data();
};

/// A number of elements as LAPACK tells it in a workspace: not rounded downwards.
template <class T>
T length_of(std::int64_t numbers) {
  const T length = static_cast<T>(numbers);
  return static_cast<std::int64_t>(length) < numbers ? std::nextafter(length, std::numeric_limits<T>::infinity())
                                                     : length;
}

/// A factor, which may be real where the numbers are complex; null, which gives zero, where the routine has none.
template <class E, class Factor>
E number(Factor x) {
  if constexpr (std::is_null_pointer_v<Factor>)
    return E{};
  else
    return E{x};
}

/// netlib's letters in either case; 0 for anything else.
inline std::int32_t letter_of(char c, char first, std::int32_t of_first, char second, std::int32_t of_second) {
  const char capital = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return capital == first ? of_first : capital == second ? of_second : 0;
}
inline accublas_side f77_side(char c) { return letter_of(c, 'L', ACCUBLAS_LEFT, 'R', ACCUBLAS_RIGHT); }
inline accublas_uplo f77_uplo(char c) { return letter_of(c, 'U', ACCUBLAS_UPPER, 'L', ACCUBLAS_LOWER); }
inline accublas_diag f77_diag(char c) { return letter_of(c, 'N', ACCUBLAS_NON_UNIT, 'U', ACCUBLAS_UNIT); }

}  // namespace accublas::blas
