// The floating-point environment that the definitions assume: round to nearest, gradual underflow (FTZ and DAZ off),
// all traps masked.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace accublas {

/// Sets that environment for a scope and restores the caller's, exception flags included.
class FpEnvironment {
 public:
#if defined(__SSE2__)
  FpEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(defined_state); }
  ~FpEnvironment() { _mm_setcsr(saved_); }
  static void enter() { _mm_setcsr(defined_state); }
  /// Whether the caller is in it already; the exception flags do not matter.
  static bool is_entered() { return (_mm_getcsr() & ~0x3Fu) == defined_state; }

 private:
  static constexpr unsigned defined_state = 0x1F80;
  unsigned saved_;
#else
  FpEnvironment() {
    std::fegetenv(&saved_);
    enter();
  }
  ~FpEnvironment() { std::fesetenv(&saved_); }
  static void enter() { std::fesetenv(FE_DFL_ENV); }
  static bool is_entered() { return false; }

 private:
  std::fenv_t saved_;
#endif
 public:
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;
};

}  // namespace accublas
