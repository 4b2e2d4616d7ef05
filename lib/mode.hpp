// The one table of modes: option, environment, API, log and documentation read it.
#pragma once

#include <string>
#include <string_view>

#include "c_api/accublas.h"

namespace accublas {

/// A mode with its parameters, resolved: what the answer is.
struct Mode {
  accublas_mode kind = ACCUBLAS_MODE_DEFAULT;
  int parameter = 0;          ///< T of fixed:T, D of slices:D
  bool fast = false;          ///< slices:D:fast
  bool reproducible = false;  ///< dp:repro, sp:repro
  friend bool operator==(const Mode&, const Mode&) = default;
};

/// Parses a mode word ("fixed:70", "dp:repro"). Throws Error(ACCUBLAS_ERROR_MODE) with the list of words.
Mode parse_mode(std::string_view word);

/// The word of a mode as a family calls it: dp and sp by the family's type.
std::string mode_word(const Mode& mode, bool single);

/// Whether the family of routines has this mode at all (built or not).
bool family_has(accublas_family family, bool single, accublas_mode kind);

/// The words of a family's modes, for messages: "native, dp, dp:repro, fixed:T (2 to 150), ...".
std::string mode_words(accublas_family family, bool single);

/// Whether the bits of the answer are defined.
bool bit_defined(const Mode& mode);

/// Whether this build has an engine for the mode (tf32x3 and its kin are known words without one).
bool mode_built(accublas_mode kind);

accublas_engine parse_engine(std::string_view name);  ///< throws Error(ACCUBLAS_ERROR_ENGINE) with the list
const char* engine_name(accublas_engine engine);

}  // namespace accublas
