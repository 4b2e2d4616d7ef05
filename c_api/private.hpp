// Functions of libaccublas that libaccublas_blas, _cublas and _fortran need beyond accublas.h. They are built and
// installed together: this is no part of the public interface and may change at any time.
#pragma once

#include <cstdint>

#include "include/accublas.h"
#include "lib/call/factorization.hpp"
#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"
#include "lib/call/orthogonal.hpp"
#include "lib/call/routine.hpp"
#include "lib/cpu/native.hpp"

namespace accublas {

/// How a call that has no status to return is tried: first as it was set, the rest as accublas_private_next_attempt
/// says. fortran/accublas_c.f90 has the same numbers.
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

/// The short way to the real BLAS: its entry points if a call of the thread's default context would run natively on the
/// CPU, nothing else is asked for (verbose, report level, target, bits), and the caller's stack suffices for it; else
/// nullptr. It counts the call, and keeps the sizes for accublas_report (DOT, NRM2, ASUM: 1, 1, n; GEMV: outputs, 1,
/// terms). With `integer_bytes` the arguments have an array of integers of that size, which must be the real BLAS's; 0:
/// none. Does not throw.
ACCUBLAS_API const accublas::cpu::RealBlas* accublas_private_native(accublas::Routine routine, std::int64_t m,
                                                                    std::int64_t n, std::int64_t k,
                                                                    int integer_bytes = 0) noexcept;

/// Whether a call of the routine in the thread's default context would be in mode native. Does not throw: false where
/// something is wrong, which the call itself tells.
ACCUBLAS_API bool accublas_private_mode_is_native(accublas::Routine routine) noexcept;

/// Whether a call of cuBLAS's with operands in device memory is cuBLAS's own in this context: the mode is native, or dp
/// or sp would be computed by cuBLAS alone, and nothing else is asked for. It counts the call then. So is every call in
/// a process forked from one that used CUDA, where cuBLAS can but say so; that is not counted. Does not throw: false
/// where something is wrong, which the call itself tells.
ACCUBLAS_API bool accublas_private_left_to_cublas(accublas_context* ctx, accublas::Routine routine, std::int64_t m,
                                                  std::int64_t n, std::int64_t k) noexcept;

/// Whether calls in this context (null: the thread's default one) pass operands that overlap, as BLAS and cuBLAS do,
/// which leave the result undefined then.
ACCUBLAS_API void accublas_private_let_operands_overlap(accublas_context* ctx, bool may_overlap) noexcept;

/// Operands in host memory are used when the stream of the context has come so far, as cuBLAS uses those that a device
/// can reach; otherwise a call finds them as they are.
ACCUBLAS_API void accublas_private_follow_stream(accublas_context* ctx) noexcept;

/// Runs the failure handler for the context's last error; whether it asks for the real BLAS.
ACCUBLAS_API bool accublas_private_ask_handler(accublas_context* ctx, accublas_status status) noexcept;

/// A product of level 3 in the thread's default context: column-major arguments in `shape`, alpha and beta numbers of
/// the matrices' type.
ACCUBLAS_API accublas_status accublas_private_level3(const accublas::Level3Shape& shape, bool single, const void* alpha,
                                                     const void* a, const void* b, const void* beta, void* c,
                                                     const accublas_options* options) noexcept;

/// A routine of level 2, by the contract of accublas_private_level3; `c` is what it overwrites, and its other name
/// null.
ACCUBLAS_API accublas_status accublas_private_level2(const accublas::Level2Shape& shape, bool single, const void* alpha,
                                                     const void* a, const void* x, const void* y, const void* beta,
                                                     void* c, const accublas_options* options) noexcept;

/// A factorization or a solution by one, by the contract of accublas_private_level3; `info` is null where LAPACK's
/// could only tell a bad argument.
ACCUBLAS_API accublas_status accublas_private_factorization(const accublas::FactorizationShape& shape, bool single,
                                                            void* a, const accublas::Pivots& pivots, void* b,
                                                            std::int64_t* info,
                                                            const accublas_options* options) noexcept;

/// A QR factorization, a product with its reflectors or a least-squares solution, by the contract of
/// accublas_private_level3; `info` is GELS's alone.
ACCUBLAS_API accublas_status accublas_private_orthogonal(const accublas::OrthogonalShape& shape, bool single, void* a,
                                                         void* tau, void* c, std::int64_t* info,
                                                         const accublas_options* options) noexcept;

/// The real BLAS, nullptr where none can be loaded.
ACCUBLAS_API const accublas::cpu::RealBlas* accublas_private_real_blas() noexcept;

/// Calls call(body, blas) with the real BLAS where there is stack enough for the routine by it. A failure, of `call`
/// too, becomes the message of the thread's default context.
ACCUBLAS_API accublas_status accublas_private_by_real_blas(
    accublas::Routine routine, void (*call)(void* body, const accublas::cpu::RealBlas& blas), void* body) noexcept;
}
