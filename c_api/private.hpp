// What libaccublas_blas needs of libaccublas beyond accublas.h. The two are built and installed together: this is no
// part of the public interface and may change at any time.
#pragma once

#include <cstdint>

#include "c_api/accublas.h"
#include "lib/call/routine.hpp"
#include "lib/cpu/native.hpp"

extern "C" {

/// The short way to the real BLAS: its entry points if a call of the thread's default context would run natively on the
/// CPU and nothing else is asked for (verbose, report level, target, bits); else nullptr. It counts the call, and keeps
/// the sizes for accublas_report (DOT, NRM2, ASUM: 1, 1, n; GEMV: outputs, 1, terms). Does not throw.
ACCUBLAS_API const accublas::cpu::RealBlas* accublas_private_native(accublas::Routine routine, std::int64_t m,
                                                                    std::int64_t n, std::int64_t k) noexcept;

/// The real BLAS, nullptr where none can be loaded.
ACCUBLAS_API const accublas::cpu::RealBlas* accublas_private_real_blas() noexcept;
}
