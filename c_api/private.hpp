// Functions of libaccublas that libaccublas_blas, _cublas, _pblas and _fortran need beyond accublas.h. These libraries
// are built and installed together. This is not part of the public interface and may change at any time.
#pragma once

#include <cstdint>

#include "include/accublas.h"
#include "lib/call/mode.hpp"
#include "lib/call/routine.hpp"
#include "lib/cpu/real_blas.hpp"

namespace accublas {

/// The attempts of a call that has no status to return: first with the settings as they are, then as
/// accublas_private_next_attempt returns. fortran/accublas_c.f90.in has the same numbers.
enum class Attempt : std::int32_t { as_set = 0, on_cpu = 1, native = 2, none = 3 };

}  // namespace accublas

extern "C" {

/// Returns the next attempt after one that failed with `status`. The library itself has tried smaller blocks by then,
/// so the CPU is next if a device may have failed. After that the failure handler is asked, which aborts unless the
/// real BLAS is to compute the call. Nothing can compute a call with bad arguments, nor one whose C is lost, because it
/// was already written to and the call reads it (`reads_result`: beta is not zero). In these cases, and after the real
/// BLAS, the answer is `none`.
ACCUBLAS_API accublas::Attempt accublas_private_next_attempt(accublas_context* ctx, accublas::Attempt failed,
                                                             accublas_status status, std::int32_t reads_result);

/// Serves a call under a name of BLAS or LAPACK, which has no status to return, in the thread's default context: by the
/// mode, or by the real BLAS if accublas_private_next_attempt says so. `call` is the struct that lib/call/ has for the
/// routine (Level1, Level2, Level3, BatchCall, Factorization, Orthogonal), column-major, with checked arguments.
ACCUBLAS_API void accublas_private_serve_unchecked(accublas::Routine routine, const void* call) noexcept;

/// Runs a call under a name of cuBLAS, with the contract of accublas_private_serve_unchecked. alpha and beta are in the
/// memory of the pointer mode, and null if the routine has none.
ACCUBLAS_API accublas_status accublas_private_run_unchecked(accublas_context* ctx, accublas::Routine routine,
                                                            const void* call, const void* alpha,
                                                            const void* beta) noexcept;

/// Returns the mode of a routine without options in `*mode`.
ACCUBLAS_API accublas_status accublas_private_mode_of(accublas_context* ctx, accublas::Routine routine,
                                                      accublas::Mode* mode) noexcept;

/// Returns whether an address is in a device's memory, or in managed memory.
ACCUBLAS_API bool accublas_private_is_on_device(const void* pointer) noexcept;

/// Runs `count` steps of lib/call/element_steps.hpp one after another. `steps` is an array of SizedStep of the type. If
/// `result` is in a device's memory, they run on the context's stream. Otherwise they run on the host, after the work
/// that the stream has.
ACCUBLAS_API accublas_status accublas_private_run_steps(accublas_context* ctx, accublas::Type type, const void* steps,
                                                        int count, const void* result) noexcept;

/// Returns the limit of ACCUBLAS_PBLAS_MIB in `*bytes`, and in `*on_host` whether only the CPU computes in this
/// context: the backend is cpu, or there are no devices.
ACCUBLAS_API accublas_status accublas_private_pblas_settings(accublas_context* ctx, std::int64_t* bytes,
                                                             bool* on_host) noexcept;

/// Returns in `*key` a number that is equal in processes which may share the same devices (devices_key), or zero: this
/// process has no devices, or the program has set the context's device, its list, its stream or the backend cpu.
ACCUBLAS_API accublas_status accublas_private_shared_devices(accublas_context* ctx, std::uint64_t* key) noexcept;

/// Gives the context its part of the devices (share_of_devices): of ACCUBLAS_DEVICES, else of all. The context works on
/// the first of them. Call this only if accublas_private_shared_devices has returned a number other than zero.
ACCUBLAS_API accublas_status accublas_private_take_devices(accublas_context* ctx, int rank, int ranks) noexcept;

/// Copies a column-major matrix of `rows` bytes by `cols` between host memory and a device's memory. Leading dimensions
/// are in bytes. The copy follows the work of the context's stream, or of the default stream of a device on which the
/// context does not work. Returns when the copy is complete.
ACCUBLAS_API accublas_status accublas_private_copy(accublas_context* ctx, void* to, std::int64_t ld_to,
                                                   const void* from, std::int64_t ld_from, std::int64_t rows,
                                                   std::int64_t cols) noexcept;

/// Runs a step of lib/cpu/lu_cholesky/shared_rows.hpp on the CPU. `step` is a SubstitutionStep of the routine's type
/// for TRSM, a CholeskyStep for POTRF, and a PanelStep for GETRF. The step's workspace is not capped. A step counts as
/// a call of the routine.
ACCUBLAS_API accublas_status accublas_private_run_factor_step(accublas_context* ctx, accublas::Routine routine,
                                                              void* step) noexcept;

/// Whether cuBLAS alone computes a call that accublas_private_run_unchecked would run on operands in device memory: the
/// mode is native, or dp or sp would be computed by cuBLAS alone, and nothing else is asked for. The function then
/// counts the call. In a process that was forked from one that used CUDA, the answer is yes for every call, which is
/// not counted: cuBLAS can only report the failure. Does not throw: it returns false if something is wrong, and the
/// call itself reports the error.
ACCUBLAS_API bool accublas_private_left_to_cublas(accublas_context* ctx, accublas::Routine routine,
                                                  const void* call) noexcept;

/// Sets whether calls in this context may pass operands that overlap. cuBLAS accepts such calls and leaves the result
/// undefined.
ACCUBLAS_API void accublas_private_let_operands_overlap(accublas_context* ctx, bool may_overlap) noexcept;

/// Makes calls in this context use operands in host memory in stream order, as cuBLAS uses host memory that a device
/// can reach. Otherwise a call reads them at once.
ACCUBLAS_API void accublas_private_follow_stream(accublas_context* ctx) noexcept;

/// Runs the failure handler for the context's last error. Returns whether it asks for the real BLAS.
ACCUBLAS_API bool accublas_private_ask_handler(accublas_context* ctx, accublas_status status) noexcept;

/// Returns the real BLAS, or nullptr if none can be loaded.
ACCUBLAS_API const accublas::cpu::RealBlas* accublas_private_real_blas() noexcept;

/// Returns ISAMAX, which no mode changes. The real BLAS computes it if there is one that takes the arguments.
ACCUBLAS_API std::int64_t accublas_private_isamax(std::int64_t n, const float* x, std::int64_t incx) noexcept;
}
