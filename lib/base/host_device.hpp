// lib/numerics is compiled by g++, clang++ and nvcc alike.
#pragma once

#ifdef __CUDACC__
#define ACCUBLAS_HD __host__ __device__
#else
#define ACCUBLAS_HD
#endif

/// Before a loop over the words of a number, on a device: unrolled where there are few, which stay in registers then,
/// but not for the hundred of an exact sum, as nvcc would.
#ifdef __CUDA_ARCH__
#define ACCUBLAS_PRAGMA(text) _Pragma(#text)
#define ACCUBLAS_WORDS(count) ACCUBLAS_PRAGMA(unroll((count) > 8 ? 1 : (count)))
#else
#define ACCUBLAS_WORDS(count)
#endif

#define ACCUBLAS_NOINLINE __attribute__((noinline))
