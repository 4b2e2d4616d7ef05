// Every header of vectors starts with this header: it includes the intrinsics, says how many bits a register has (none
// in the portable twin), and defines how functions on vectors are declared. gcc 12 warns of the undefined operands
// inside its AVX-512 intrinsics (gcc bug 105593), and clang has no such warning to turn off.
#pragma once

#if ACCUBLAS_ISA_LEVEL == 0
#define ACCUBLAS_VECTOR_BITS 0
#elif ACCUBLAS_ISA_LEVEL == 1
#define ACCUBLAS_VECTOR_BITS 256
#elif ACCUBLAS_ISA_LEVEL < 5
#define ACCUBLAS_VECTOR_BITS 512
#else
#define ACCUBLAS_VECTOR_BITS 128
#endif

#if ACCUBLAS_VECTOR_BITS == 128
#include <arm_neon.h>
#elif ACCUBLAS_VECTOR_BITS > 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#define ACCUBLAS_INLINE [[gnu::always_inline, maybe_unused]] static inline
