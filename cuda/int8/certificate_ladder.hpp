// The certificate of dp and sp as the host plans it (docs/modes.md, dp): the rungs that it tries, the terms that it
// samples, and the blocks that it works in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/operand.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

/// The rungs of the certificate are values of T, by which dp:repro is defined, or numbers of moduli, where no bits are
/// promised (cuda/int8/certify_moduli.hpp).
enum class CertificateRungKind : std::int32_t { bits, moduli };

/// The rungs of a call, and how many of them it takes.
struct CertificateLadder {
  CertificateRungKind kind;
  int most;  ///< elements that need a further one are rejected, as those beyond the last
  ResidueKind residues = ResidueKind::real;  ///< whose moduli are meant
};
inline constexpr int all_rungs = 6;

struct CertificateModuli {
  int count;
  int moduli[6];
};
/// The rungs; the last one holds at least T = 64 (sp: 40) for lines of equal entries. The first one is what data of
/// phi 0.5 pass: a test that most elements fail takes the product kernel four times as long.
template <class T>
ACCUBLAS_HD constexpr CertificateModuli certificate_moduli(Index k, ResidueKind residues = ResidueKind::real) {
  if (residues == ResidueKind::complex) {
    if constexpr (sizeof(T) == sizeof(double)) return {6, {14, 15, 16, 17, 18, 21}};
    return {6, {6, 7, 8, 9, 12, 14}};
  }
  if constexpr (sizeof(T) == sizeof(double)) {
    if (k <= 2560) return {5, {14, 15, 16, 17, 19}};
    return {6, {13, 14, 15, 16, 17, 19}};
  }
  if (k > 1024 && k <= 2560) return {5, {7, 8, 9, 11, 13}};
  return {6, {6, 7, 8, 9, 11, 13}};
}

/// X takes one block of 128 terms in so many. A sample loses what it leaves out, and the more in the worst element the
/// shorter it is: at phi 0.5, 13 moduli need the fraction 0.15 of X at k = 3072, 0.11 at 4096, 0.08 at 8192, 0.055 at
/// 16384, where an eighth leaves 0.06, 0.076, 0.085 and 0.09, and these strides 0.16, 0.13, 0.12 and 0.09. Below 2560
/// they would need half of the terms, which costs what a modulus does.
ACCUBLAS_HD constexpr int certificate_moduli_stride(Index k) {
  return k <= 1024 ? 1 : k <= 2560 ? 8 : k <= 3584 ? 4 : k <= 6400 ? 5 : k <= 11264 ? 6 : 8;
}

/// X takes one block of 128 terms in so many, by the kind of the rungs.
constexpr int certificate_stride_of(Index k, CertificateRungKind kind) {
  return kind == CertificateRungKind::bits ? certificate_stride(k) : certificate_moduli_stride(k);
}

/// Blocks of lines, a multiple of line_group each, over chunks of the sampled terms, a multiple of 128.
struct CertificateBlocks {
  Index rows, cols, chunk;

  std::size_t rows_bytes() const { return static_cast<std::size_t>(rows * chunk); }
  std::size_t cols_bytes() const { return static_cast<std::size_t>(cols * chunk); }
  std::size_t bytes() const {
    return rows_bytes() + cols_bytes() + static_cast<std::size_t>(rows * cols) * sizeof(std::int32_t);
  }
};

}  // namespace accublas::cuda
