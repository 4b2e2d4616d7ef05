// From residues of complex sums to results: both parts of a number from the same planes.
#include "cuda/int8/crt_tables.hpp"
#include "cuda/int8/reconstruct.hpp"
#include "cuda/int8/reconstruct_combined.hpp"
#include "cuda/int8/reconstruct_tiles.hpp"

namespace accublas::cuda {

namespace {

__device__ const CrtTables<complex_moduli> real_parts = component_tables<false>(),
                                           imaginary_parts = component_tables<true>();

struct ComplexNumbers {
  static constexpr int parts = 2, later = 4;

  __device__ static const CrtTable& crt(int moduli, int part) { return tables(part).crt(moduli); }
  __device__ static const LeadingBytes& leading_bytes(int moduli, int part) {
    return tables(part).leading_bytes(moduli);
  }
  /// 17 moduli have 124.2 bits, 26 189.6.
  __device__ static int limbs_of(int moduli) { return moduli <= 17 ? 2 : moduli <= 26 ? 3 : crt_limbs; }

 private:
  __device__ static const CrtTables<complex_moduli>& tables(int part) {
    return part == 0 ? real_parts : imaginary_parts;
  }
};
static_assert(wide_bit_length(make_crt_table(component_planes(17, false)).product) < 128);
static_assert(wide_bit_length(make_crt_table(component_planes(26, false)).product) < 192);

}  // namespace

template <class T>
void reconstruct_complex(const DeviceModel& model, const ReconstructArguments<T>& a, const CombinedParts<T>* combined,
                         cudaStream_t stream) {
  if (combined) return reconstructing::launch_combined<ComplexNumbers>(model, a, *combined, stream);
  reconstructing::launch_reconstruct<ComplexNumbers>(model, a, stream);
}

template void reconstruct_complex(const DeviceModel&, const ReconstructArguments<double>&, const CombinedParts<double>*,
                                  cudaStream_t);
template void reconstruct_complex(const DeviceModel&, const ReconstructArguments<float>&, const CombinedParts<float>*,
                                  cudaStream_t);

}  // namespace accublas::cuda
