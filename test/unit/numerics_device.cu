// Compiles every header of lib/numerics for the device and instantiates its templates there.
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/eft.hpp"
#include "lib/numerics/finish.hpp"
#include "lib/numerics/finish_root.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/long_accumulator.hpp"
#include "lib/numerics/moduli.hpp"
#include "lib/numerics/scaling.hpp"
#include "lib/numerics/triple_sum.hpp"
#include "lib/numerics/wide.hpp"

namespace {

template <class T, int L>
__device__ void use_finish(const T* in, const std::uint64_t* limbs, T* out) {
  accublas::Wide<L> s;
  for (int i = 0; i < L; ++i) s.limb[i] = limbs[i];
  out[0] = accublas::finish(in[0], s, -100, in[1], in[2]);
  accublas::finish_within(in[0], s, 3.0, -100, in[1], in[2], out + 1);
  out[2] = accublas::finish_pair(in[0], in[3], in[4], in[1], in[2]);
  out[3] = accublas::finish_special(in[0], in[3], in[1], in[2]);
  out[4] = accublas::finish_scaled(in[1], in[2]);
}

/// What the residue engine shares with the device: scaling, residues, reconstruction, certificate.
template <class T>
__device__ void use_residues(const T* in, const std::int8_t* residues, const accublas::CrtTable& table, T* out) {
  const int exponent = accublas::exponent_above(in[0]);
  const accublas::ScaledInteger entry = accublas::scale_entry(in[1], exponent, 60);
  const int power = accublas::power_of_two_residue(entry.shift, 251);
  out[0] = T(accublas::scaled_residue(entry.mantissa, power, 251) + accublas::exponent_of_last_bit(in[1]));
  out[1] = accublas::finish(in[0], accublas::crt_reconstruct<3>(table, residues, 1), -120, in[1], in[2]);
  const accublas::CertificateTest test = accublas::certificate_test(53, accublas::certificate_rungs<T>().digits, 1000);
  const std::int64_t sum = accublas::certificate_ceiling(in[0], exponent);
  out[2] = T(accublas::certificate_suffices(test, sum, accublas::certificate_byte(in[1], exponent)));
  accublas::TripleSum triple{double(in[0]), double(in[1]), double(in[2]), 0};
  accublas::triple_add(triple, triple);
  accublas::finish_triple(in[0], triple, 0, in[1], in[2], out + 3);
}

template <class T>
__global__ void residues(const T* in, const std::int8_t* bytes, const accublas::CrtTable* table, T* out) {
  use_residues(in, bytes, *table, out);
}

template __global__ void residues(const double*, const std::int8_t*, const accublas::CrtTable*, double*);
template __global__ void residues(const float*, const std::int8_t*, const accublas::CrtTable*, float*);

template <class T>
__global__ void numerics(const T* in, const std::uint64_t* limbs, T* out) {
  use_finish<T, 2>(in, limbs, out);
  use_finish<T, 3>(in, limbs, out + 5);
  use_finish<T, 8>(in, limbs, out + 10);
  accublas::LongAccumulator sum;
  sum.add_product(in[0], in[1]);
  sum.add(in[2]);
  sum.add(sum);
  out[15] = accublas::finish(in[0], sum, in[1], in[2]);
  const accublas::DoublePair p = accublas::two_product(in[0], in[1]), q = accublas::two_sum(p.high, in[2]);
  accublas::finish_root_within(in[0], in[1], 1e-20, 600, out + 18);
  out[19] = accublas::finish_root_pair<T>(in[0], in[1], -600);
  out[20] = accublas::finish_root<T>(sum.value(), false, accublas::LongAccumulator::min_exponent);
  out[16] = T(accublas::fast_two_sum(q.high, p.low).low + q.low);
  out[17] =
      T(accublas::gamma_bound(5, accublas::unit_roundoff<T>()) + accublas::dp_bound(5, accublas::unit_roundoff<T>()));
}

template __global__ void numerics(const double*, const std::uint64_t*, double*);
template __global__ void numerics(const float*, const std::uint64_t*, float*);

}  // namespace
