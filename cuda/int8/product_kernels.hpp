// Both ways to form the residue products; product.cpp chooses.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/certify_element.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/product.hpp"

namespace accublas::cuda {

/// The test that certify_product makes of the sums.
struct CertifyJob {
  CertificateRungKind kind;
  Rungs rungs;               ///< of T
  ModuliRungs moduli_rungs;  ///< or of moduli
  Lines rows, cols;
  Index first_row, first_col;  ///< of the block,
  int rows_count, cols_count;  ///< which has so many lines
  std::uint32_t* open;         ///< zero where not all elements are wanted
  CallState* state;
  Wanted wanted;   ///< of the block
  Index elements;  ///< of the call (certified_elements)
  GroupStride group{};

#ifdef __CUDACC__
  /// For arguments_of_block.
  __device__ void move_to_product() {
    group.move(rows);
    group.move(cols);
    group.move(open);
    group.move(state);
  }
#endif
};

namespace hopper {
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);
void slab_product(const DeviceModel&, const SlabProduct&, cudaStream_t);
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);
void certify_product(const DeviceModel&, const SumsArguments&, const CertifyJob&, cudaStream_t);
}  // namespace hopper

namespace portable {
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);
void slab_product(const DeviceModel&, const SlabProduct&, cudaStream_t);
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);
void certify_product(const DeviceModel&, const SumsArguments&, const CertifyJob&, cudaStream_t);
}  // namespace portable

}  // namespace accublas::cuda
