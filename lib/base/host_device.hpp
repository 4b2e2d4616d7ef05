// lib/numerics is compiled by g++, clang++ and nvcc alike.
#pragma once

#ifdef __CUDACC__
#define ACCUBLAS_HD __host__ __device__
#else
#define ACCUBLAS_HD
#endif

#define ACCUBLAS_NOINLINE __attribute__((noinline))
