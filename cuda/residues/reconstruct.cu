// From residues of real sums to results.
#include "cuda/residues/crt_tables.hpp"
#include "cuda/residues/reconstruct.hpp"
#include "cuda/residues/reconstruct_tiles.hpp"

namespace accublas::cuda {

namespace {

__device__ const CrtTables<max_moduli> tables = real_tables();

struct RealNumbers {
  static constexpr int parts = 1, later = 2;

  __device__ static const CrtTable& crt(int moduli, int /*part*/) { return tables.crt(moduli); }
  __device__ static const LeadingBytes& leading_bytes(int moduli, int /*part*/) { return tables.leading_bytes(moduli); }
  /// 16 moduli have 125.4 bits, 24 184.4.
  __device__ static int limbs_of(int moduli) { return moduli <= 16 ? 2 : moduli <= 24 ? 3 : crt_limbs; }
};

}  // namespace

template <class T>
void reconstruct(const DeviceModel& model, const ReconstructArguments<T>& a, cudaStream_t stream) {
  reconstructing::launch_reconstruct<RealNumbers>(model, a, stream);
}

template void reconstruct(const DeviceModel&, const ReconstructArguments<double>&, cudaStream_t);
template void reconstruct(const DeviceModel&, const ReconstructArguments<float>&, cudaStream_t);

}  // namespace accublas::cuda
