// Both ways to form the residue products; product.cpp chooses.
#pragma once

#include "cuda/gemm/certify_element.hpp"
#include "cuda/gemm/certify_moduli.hpp"

namespace accublas::cuda {

/// What certify_product asks of the sums.
struct CertifyJob {
  CertificateRungKind kind;
  Rungs rungs;               ///< of T
  ModuliRungs moduli_rungs;  ///< or of moduli
  Lines rows, cols;
  Index first_row, first_col;  ///< of the block,
  int rows_count, cols_count;  ///< which has so many lines
  std::uint32_t* open;
  CallState* state;
};

namespace hopper {
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);
void certify_product(const DeviceModel&, const SumsArguments&, const CertifyJob&, cudaStream_t);
}  // namespace hopper

namespace portable {
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);
void certify_product(const DeviceModel&, const SumsArguments&, const CertifyJob&, cudaStream_t);
}  // namespace portable

}  // namespace accublas::cuda
