// The floating-point environment that the definitions assume: round to nearest, gradual underflow (FTZ and DAZ off),
// all traps masked.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace accublas {

#if defined(__SSE2__)
/// The control word of the x87 unit, on which OpenBLAS's NRM2 computes. The unit has its own rounding, precision and
/// traps.
inline unsigned short x87_control() {
  unsigned short word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}
/// Returns the exception flags of the x87 unit. glibc's feraiseexcept raises overflow there.
inline unsigned short x87_flags() {
  unsigned short word;
  __asm__ volatile("fnstsw %0" : "=m"(word));
  return word & 0x7F;
}
/// Sets the control word and those of the exception flags that it masks: another flag would trap at once.
inline void set_x87(unsigned short control, unsigned short flags) {
  unsigned environment[7];
  __asm__ volatile("fnstenv %0" : "=m"(environment));
  environment[0] = (environment[0] & 0xFFFF0000u) | control;
  environment[1] = (environment[1] & 0xFFFF7F00u) | (flags & control & 0x3Fu);
  __asm__ volatile("fldenv %0" : : "m"(environment));
}
/// Sets the control word. It clears the exception flags first: a flag that was raised under a mask traps as soon as the
/// mask is removed.
inline void set_x87_control(unsigned short word) { __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(word)); }
#endif

/// Sets the environment for a scope and restores the caller's, with its exception flags. Those of the x87 unit are
/// restored only if its control word was another one. Flags that the scope raises are dropped, unless keep_flags() is
/// called at its end.
class FpEnvironment {
 public:
#if defined(__SSE2__)
  FpEnvironment() : saved_(_mm_getcsr()), saved_x87_(x87_control()), saved_flags_(x87_flags()) { enter(); }
  ~FpEnvironment() {
    _mm_setcsr(saved_);
    if (saved_x87_ != defined_x87) set_x87(saved_x87_, saved_flags_);
  }
  static void enter() {
    _mm_setcsr(defined_state);
    if (x87_control() != defined_x87) set_x87(defined_x87, x87_flags());
  }
  /// Whether the caller is already in this environment; the exception flags do not matter.
  static bool is_entered() { return (_mm_getcsr() & ~0x3Fu) == defined_state && x87_control() == defined_x87; }
  /// Adds invalid, division by zero and overflow to the caller's flags, and does not trap.
  void keep_flags() { saved_ |= _mm_getcsr() & 0x0D; }

 private:
  static constexpr unsigned defined_state = 0x1F80;
  static constexpr unsigned short defined_x87 = 0x037F;  // to nearest, all 64 bits, traps masked
  unsigned saved_;
  unsigned short saved_x87_, saved_flags_;
#else
  FpEnvironment() {
    std::fegetenv(&saved_);
    enter();
  }
  ~FpEnvironment() { std::fesetenv(&saved_); }
  static void enter() { std::fesetenv(FE_DFL_ENV); }
  static bool is_entered() { return false; }
  void keep_flags() {
    constexpr int kept = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;
    std::fexcept_t raised;
    std::fenv_t inside;
    const int which = std::fetestexcept(kept);
    std::fegetexceptflag(&raised, which);
    std::fegetenv(&inside);
    std::fesetenv(&saved_);
    std::fesetexceptflag(&raised, which);
    std::fegetenv(&saved_);
    std::fesetenv(&inside);
  }

 private:
  std::fenv_t saved_;
#endif
 public:
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;
};

#if defined(__SSE2__)
/// Ensures that a call of foreign code leaves rounding, FTZ, DAZ, traps and the x87 unit's control word unchanged. The
/// x86-64 ABI requires that from every function. The check costs two reads.
class FpControl {
 public:
  FpControl() : saved_(_mm_getcsr()), saved_x87_(x87_control()) {}
  ~FpControl() {
    constexpr unsigned flags = 0x3F;
    if ((_mm_getcsr() ^ saved_) & ~flags) _mm_setcsr(saved_);
    if (x87_control() != saved_x87_) set_x87_control(saved_x87_);
  }
  FpControl(const FpControl&) = delete;
  FpControl& operator=(const FpControl&) = delete;

 private:
  unsigned saved_;
  unsigned short saved_x87_;
};
#else
class FpControl {
 public:
  FpControl() { std::fegetenv(&saved_); }
  ~FpControl() { std::fesetenv(&saved_); }
  FpControl(const FpControl&) = delete;
  FpControl& operator=(const FpControl&) = delete;

 private:
  std::fenv_t saved_;
};
#endif

}  // namespace accublas
