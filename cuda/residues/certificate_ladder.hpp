// The certificate of dp and sp as the host plans it (docs/modes.md, dp): the rungs that it tries, the terms that it
// samples, and the blocks that it works in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/operand.hpp"
#include "cuda/residues/certify_moduli.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

/// The rungs of the certificate are values of T, by which dp:repro is defined, or numbers of moduli, where no bits are
/// promised (cuda/residues/certify_moduli.hpp).
enum class CertificateRungKind : std::int32_t { bits, moduli };

/// The rungs of a call, and how many of them it takes.
struct CertificateLadder {
  CertificateRungKind kind;
  int most;  ///< elements that need a further one are rejected, as those beyond the last
  ResidueKind residues = ResidueKind::real;  ///< whose moduli are meant
};
inline constexpr int all_rungs = 6;

/// X takes one block of 128 terms in so many.
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
