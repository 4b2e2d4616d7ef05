// Functions of libaccublas that libaccublas_blas, _cublas and _fortran need beyond accublas.h. They are built and
// installed together: this is no part of the public interface and may change at any time.
#pragma once

#include <cstdint>

#include "include/accublas.h"
#include "lib/call/routine.hpp"
#include "lib/cpu/real_blas.hpp"

namespace accublas {

/// How a call that has no status to return is tried: first as it was set, the rest as accublas_private_next_attempt
/// says. fortran/accublas_c.f90.in has the same numbers.
enum class Attempt : std::int32_t { as_set = 0, on_cpu = 1, native = 2, none = 3 };

}  // namespace accublas

extern "C" {

/// After an attempt of such a call failed with `status`: how it is tried next. The library itself has tried smaller
/// blocks when it fails, so the CPU is next where a device may have failed. Then the failure handler is asked, which
/// aborts unless the real BLAS is to serve the call. Nothing can serve a call with bad arguments, nor a C that is lost:
/// one already written to that the call reads (`reads_result`: beta is not zero). There, and after the real BLAS, none
/// is left.
ACCUBLAS_API accublas::Attempt accublas_private_next_attempt(accublas_context* ctx, accublas::Attempt failed,
                                                             accublas_status status, std::int32_t reads_result);

/// Serves a call under a name of BLAS or LAPACK, which has no status to return, in the thread's default context: by the
/// mode, or on the real BLAS where accublas_private_next_attempt says so. `call` is what lib/call/ has for the routine
/// (Level1, Level2, Level3, Factorization, Orthogonal), column-major, whose arguments are checked.
ACCUBLAS_API void accublas_private_serve_unchecked(accublas::Routine routine, const void* call) noexcept;

/// Runs a call under a name of cuBLAS, a BatchCall too, by the contract of accublas_private_serve_unchecked. alpha and
/// beta are where the pointer mode says, and null where the routine has none.
ACCUBLAS_API accublas_status accublas_private_run_unchecked(accublas_context* ctx, accublas::Routine routine,
                                                            const void* call, const void* alpha,
                                                            const void* beta) noexcept;

/// Whether a call that accublas_private_run_unchecked would run, on operands in device memory, is cuBLAS's own: the
/// mode is native, or dp or sp would be computed by cuBLAS alone, and nothing else is asked for. It counts the call
/// then. So is every call in a process forked from one that used CUDA, where cuBLAS can but say so; that is not
/// counted. Does not throw: false where something is wrong, which the call itself tells.
ACCUBLAS_API bool accublas_private_left_to_cublas(accublas_context* ctx, accublas::Routine routine,
                                                  const void* call) noexcept;

/// Whether calls in this context pass operands that overlap, as cuBLAS does, which leaves the result undefined then.
ACCUBLAS_API void accublas_private_let_operands_overlap(accublas_context* ctx, bool may_overlap) noexcept;

/// Operands in host memory are used when the stream of the context has come so far, as cuBLAS uses those that a device
/// can reach; otherwise a call finds them as they are.
ACCUBLAS_API void accublas_private_follow_stream(accublas_context* ctx) noexcept;

/// Runs the failure handler for the context's last error; whether it asks for the real BLAS.
ACCUBLAS_API bool accublas_private_ask_handler(accublas_context* ctx, accublas_status status) noexcept;

/// The real BLAS, nullptr where none can be loaded.
ACCUBLAS_API const accublas::cpu::RealBlas* accublas_private_real_blas() noexcept;
}
