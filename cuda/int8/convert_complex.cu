// Complex operands to bytes: residues of the scaled Gaussian integers a' in the planes of complex moduli.
#include "cuda/int8/convert.hpp"
#include "cuda/int8/convert_sides.hpp"
#include "cuda/int8/entry_limbs.hpp"
#include "lib/numerics/complex_moduli.hpp"

namespace accublas::cuda {

namespace {

using namespace converting;

constexpr int limb_bits = int8_limb_bits, terms_a_lane = 4;

/// One modulus p. With weights w_i = 2^(limb_bits i) mod p the integer sum_i w_i limb_i is congruent to a part of a',
/// and so is y = sum_i w_i x_i + sum_i v_i y_i to x + j y for v_i = w_i j mod p; where p has no root, v_i = w_i. All
/// weights are at most 128 in magnitude, and y below 2^51 (limbs_of). The rest is what convert.cu says of a modulus.
struct Modulus {
  double inverse;
  double real_weight[3], imag_weight[3];
  int minus_p;
  int real_integer[3], imag_integer[3];
};
struct ModulusTable {
  Modulus modulus[complex_moduli];
};
constexpr ModulusTable make_modulus_table() {
  constexpr ComplexModuliList list = complex_moduli_list();
  ModulusTable t{};
  for (int l = 0; l < complex_moduli; ++l) {
    const auto [p, root] = list.of[l];
    Modulus& m = t.modulus[l];
    m.inverse = 1.0 / p;
    m.minus_p = -p;
    for (int i = 0; i < 3; ++i) {
      m.real_weight[i] = m.real_integer[i] = power_of_two_residue(limb_bits * i, p);
      m.imag_weight[i] = m.imag_integer[i] = balanced_residue(m.real_integer[i] * (root != 0 ? root : 1), p);
    }
  }
  return t;
}
__constant__ ModulusTable modulus_table = make_modulus_table();

/// A lane's terms of a line, part by part, and the same packed, modulo 2^32. Limb 0 of each real part is 1/2 too large.
template <int Limbs>
struct FourTerms {
  double real[Limbs][terms_a_lane], imag[Limbs][terms_a_lane];
  std::uint32_t packed_real[Limbs], packed_imag[Limbs];
};

/// at(e): entry e of the lane's terms.
template <int Limbs, class T, class At>
__device__ FourTerms<Limbs> take_four_apart(const LineScale& line, double sign, At&& at) {
  FourTerms<Limbs> t;
  std::uint32_t real[Limbs][terms_a_lane], imag[Limbs][terms_a_lane];
#pragma unroll
  for (int j = 0; j < terms_a_lane; ++j) {
    const EntryLimbs<Limbs> x = take_apart<Limbs>(at(2 * j), line),
                            y = take_apart<Limbs>(static_cast<T>(at(2 * j + 1) * sign), line);
#pragma unroll
    for (int i = 0; i < Limbs; ++i) {
      t.real[i][j] = x.limb[i];
      t.imag[i][j] = y.limb[i];
      real[i][j] = x.word[i];
      imag[i][j] = y.word[i];
    }
    t.real[0][j] += 0.5;
  }
#pragma unroll
  for (int i = 0; i < Limbs; ++i) {
    t.packed_real[i] = pack(real[i][0], real[i][1], real[i][2], real[i][3]);
    t.packed_imag[i] = pack(imag[i][0], imag[i][1], imag[i][2], imag[i][3]);
  }
  return t;
}

/// The terms modulo m, up to multiples of p: the real parts, 1/2 too large, and the imaginary parts.
struct Sums {
  double real[terms_a_lane], imag[terms_a_lane];
  std::uint32_t packed_real, packed_imag;
};
template <int Limbs>
__device__ __forceinline__ Sums weigh(const FourTerms<Limbs>& t, const Modulus& m) {
  Sums s;
  s.packed_real = t.packed_real[0];
  s.packed_imag = t.packed_imag[0] * static_cast<std::uint32_t>(m.imag_integer[0]);
#pragma unroll
  for (int j = 0; j < terms_a_lane; ++j) {
    s.real[j] = t.real[0][j];
    s.imag[j] = t.imag[0][j] * m.imag_weight[0];
  }
#pragma unroll
  for (int i = 1; i < Limbs; ++i) {
    s.packed_real += t.packed_real[i] * static_cast<std::uint32_t>(m.real_integer[i]);
    s.packed_imag += t.packed_imag[i] * static_cast<std::uint32_t>(m.imag_integer[i]);
#pragma unroll
    for (int j = 0; j < terms_a_lane; ++j) {
      s.real[j] = __fma_rn(t.real[i][j], m.real_weight[i], s.real[j]);
      s.imag[j] = __fma_rn(t.imag[i][j], m.imag_weight[i], s.imag[j]);
    }
  }
  return s;
}

/// The residues of four terms, a byte each, of numbers that are 1/2 too large.
__device__ __forceinline__ std::uint32_t reduce(const double (&y)[terms_a_lane], std::uint32_t packed,
                                                const Modulus& m) {
  std::uint32_t quotient[terms_a_lane];
#pragma unroll
  for (int j = 0; j < terms_a_lane; ++j) quotient[j] = low_word(fma_down(y[j], m.inverse, round_to_integer));
  return packed + pack(quotient[0], quotient[1], quotient[2], quotient[3]) * static_cast<std::uint32_t>(m.minus_p);
}

struct ComplexNumbers {
  static constexpr int entries_a_term = 2, most_limbs = 3;

  /// A single limb is at most 2^43, so that abs(y) <= 2^43 (1 + 2^7) + 1/2; of several the lower ones are at most 2^41
  /// and the top one 2^42: with three, abs(y) <= 2^41 + 3 2^48 + 2 2^49 + 1/2 < 2^51. No plan has more bits: those of
  /// both sides are at most 206.
  __device__ static int limbs_of(int bits) { return bits <= 43 ? 1 : bits <= limb_bits + 42 ? 2 : 3; }

  template <int Limbs, class Shape, class T>
  __device__ static void write_residues(const Buffer<T, Shape>& shared, int moduli, int sign, Index line_bytes,
                                        int entries, std::uint8_t* out) {
    static_assert(Shape::terms_a_lane == 2 * terms_a_lane);
    const int line = threadIdx.x / 32 * Shape::lines_a_warp, entry = threadIdx.x % 32 * Shape::terms_a_lane;
    if (entry >= entries) return;
    const Index plane = line_group * line_bytes;
#pragma unroll 1
    for (int i = 0; i < Shape::lines_a_warp; ++i) {
      const T* const from = &shared.tile[Shape::at(line + i, entry)];
      const FourTerms<Limbs> t = take_four_apart<Limbs, T>(shared.line[line + i], sign, [&](int e) { return from[e]; });
      std::uint8_t* to = out + i * line_bytes;
      const auto store = [&](std::uint32_t bytes) {
        *reinterpret_cast<std::uint32_t*>(to) = bytes;
        to += plane;
      };
      const int split = min(moduli, split_moduli);
#pragma unroll 1
      for (int l = 0; l < split; ++l) {
        const Modulus& m = modulus_table.modulus[l];
        const Sums s = weigh(t, m);
        double sum[terms_a_lane], difference[terms_a_lane];
#pragma unroll
        for (int j = 0; j < terms_a_lane; ++j) {
          sum[j] = s.real[j] + s.imag[j];
          difference[j] = s.real[j] - s.imag[j];
        }
        store(reduce(sum, s.packed_real + s.packed_imag, m));
        store(reduce(difference, s.packed_real - s.packed_imag, m));
      }
#pragma unroll 1
      for (int l = split_moduli; l < moduli; ++l) {
        const Modulus& m = modulus_table.modulus[l];
        const Sums s = weigh(t, m);
        double imag[terms_a_lane], sum[terms_a_lane];
#pragma unroll
        for (int j = 0; j < terms_a_lane; ++j) {
          imag[j] = s.imag[j] + 0.5;
          sum[j] = s.real[j] + s.imag[j];
        }
        store(reduce(s.real, s.packed_real, m));
        store(reduce(imag, s.packed_imag, m));
        store(reduce(sum, s.packed_real + s.packed_imag, m));
      }
    }
  }
};

}  // namespace

bool converts_complex(const DeviceModel& device) { return has_shared_memory(device, shared_bytes<double, LongRows>); }

template <class T>
void convert_complex(const DeviceModel& device, const ConvertSide<T>& rows, const ConvertSide<T>& cols,
                     const GroupTerms& nonzero, const PassPlan* plan, Index p0, Index terms, Index k_padded,
                     cudaStream_t stream, const CallGroup<T>& group) {
  launch_convert<T, LongRows, ComplexNumbers>(device, ConvertSides<T>{{rows, cols}, plan, nonzero, group}, p0, terms,
                                              k_padded, stream);
}

template void convert_complex(const DeviceModel&, const ConvertSide<double>&, const ConvertSide<double>&,
                              const GroupTerms&, const PassPlan*, Index, Index, Index, cudaStream_t,
                              const CallGroup<double>&);
template void convert_complex(const DeviceModel&, const ConvertSide<float>&, const ConvertSide<float>&,
                              const GroupTerms&, const PassPlan*, Index, Index, Index, cudaStream_t,
                              const CallGroup<float>&);

}  // namespace accublas::cuda
