// Both ways to form the residue products; product.cpp chooses.
#pragma once

#include "cuda/kernels.hpp"

namespace accublas::cuda {

namespace hopper {
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);
}  // namespace hopper

namespace portable {
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);
}  // namespace portable

}  // namespace accublas::cuda
