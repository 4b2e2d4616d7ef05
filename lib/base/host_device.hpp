// g++, clang++ and nvcc compile lib/numerics with these macros.
#pragma once

#ifdef __CUDACC__
#define ACCUBLAS_HD __host__ __device__
#else
#define ACCUBLAS_HD
#endif

/// This macro stands before a loop over the words of a number. On a device the loop is unrolled if there are few words,
/// which then stay in registers. nvcc would also unroll the loops over the hundred words of an exact sum; the macro
/// prevents that.
#ifdef __CUDA_ARCH__
#define ACCUBLAS_PRAGMA(text) _Pragma(#text)
#define ACCUBLAS_WORDS(count) ACCUBLAS_PRAGMA(unroll((count) > 8 ? 1 : (count)))
#else
#define ACCUBLAS_WORDS(count)
#endif

#define ACCUBLAS_NOINLINE __attribute__((noinline))
