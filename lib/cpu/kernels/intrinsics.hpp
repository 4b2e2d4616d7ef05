// Every header of vectors starts with this header: it includes <immintrin.h> and defines how their functions are
// declared. gcc 12 warns of the undefined operands inside its AVX-512 intrinsics (gcc bug 105593), and clang has no
// such warning to turn off.
#pragma once

#if ACCUBLAS_ISA_LEVEL >= 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#define ACCUBLAS_INLINE [[gnu::always_inline, maybe_unused]] static inline
