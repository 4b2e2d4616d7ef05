#include "cuda/mp/tables.hpp"

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/mp/byte_product.hpp"
#include "lib/base/integers.hpp"
#include "lib/mp/basis.hpp"

namespace accublas::cuda {

namespace {

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

/// Returns a copy in memory of the current device, complete at return and never freed.
template <class T>
const T* keep(const T* host, std::size_t count) {
  // A separate stream keeps the copy out of a capture of the call's stream.
  const OwnStream stream;
  void* device = nullptr;
  cudaError_t status = cudaMalloc(&device, count * sizeof(T));
  if (status == cudaSuccess) status = cudaMemcpyAsync(device, host, count * sizeof(T), cudaMemcpyHostToDevice, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  if (status != cudaSuccess) cudaFree(device);
  check(status, "tables of the multiple-precision arrays");
  return static_cast<const T*>(device);
}

template <class T>
const T* keep(const std::vector<T>& host) {
  return keep(host.data(), host.size());
}

std::uint32_t& component(uint4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }

/// Returns the weights w_kj for byte_products, k < words, first <= j < first + count. Lane i of step s and group g
/// reads entry (g steps + s) 32 + i. Component 2 t + h of that entry has byte b = i / 4 % 2 + 2 t of 2^(8 c) w_kj mod
/// m_j as its byte c, for k = 8 s + 4 h + i % 4 and j - first = 4 g + i / 8.
template <class Weight>
std::vector<uint4> byte_table(int words, int first, int count, Weight&& weight) {
  const int steps = byte_steps(words);
  std::vector<uint4> table(static_cast<std::size_t>(byte_weights(words, count)), uint4{});
  for (int j = 0; j < count; ++j) {
    const RnsModulus& modulus = mp::moduli(first + count)[first + j];
    for (int k = 0; k < words; ++k) {
      std::uint32_t power = weight(k, first + j);
      for (int c = 0; c < 4; ++c, power = rns_mul(power, 256, modulus))
        for (int b = 0; b < 4; ++b) {
          const int lane = j % 4 * 8 + b % 2 * 4 + k % 4, entry = (j / 4 * steps + k / 8) * 32 + lane;
          component(table[static_cast<std::size_t>(entry)], b / 2 * 2 + k / 4 % 2) |= (power >> (8 * b) & 255)
                                                                                      << (8 * c);
        }
    }
  }
  return table;
}

/// The moduli and their powers of two. There is one copy for the longest list requested; earlier shorter copies remain.
struct Moduli {
  int count = 0;
  const RnsModulus* modulus = nullptr;
  const mp::RnsPowers* power = nullptr;
};

struct Known {
  std::map<int, Moduli> moduli;  ///< keyed by device first, like all of these maps
  std::map<std::tuple<int, int>, MpBasis> basis;
  std::map<std::tuple<int, int>, const std::uint32_t*> power;
  std::map<std::tuple<int, int>, const uint4*> powers_of, byte_power;
  std::map<std::tuple<int, int>, mp::Elements> constants;
  std::map<std::tuple<int, int, int>, MpExtension> extension;
};

std::mutex guard;
Known& known() {
  static Known* const tables = new Known;
  return *tables;
}

const Moduli& moduli_of(int device, int count) {
  Moduli& m = known().moduli[device];
  if (m.count < count) m = {count, keep(mp::moduli(count), count), keep(mp::powers(count), count)};
  return m;
}

MpBasis basis_of(int device, int count) {
  MpBasis& b = known().basis[{device, count}];
  if (b.moduli == 0) {
    const mp::Basis& host = mp::basis(count);
    const int limbs = ceil_div(31 * count, 32);
    const auto limb_of = [](const std::uint64_t* p, int i) {
      return static_cast<std::uint32_t>(p[i / 2] >> (i % 2 * 32));
    };
    std::vector<uint4> cofactor(static_cast<std::size_t>(mp_quads(count)) * limbs, uint4{});
    std::vector<std::uint32_t> minus(limbs);
    std::uint64_t borrow = 1;
    for (int i = 0; i < limbs; ++i) {
      for (int k = 0; k < count; ++k)
        component(cofactor[static_cast<std::size_t>(k / 4) * limbs + i], k % 4) =
            limb_of(&host.cofactor[static_cast<std::size_t>(k) * host.limbs], i);
      borrow += static_cast<std::uint32_t>(~limb_of(host.product.data(), i));
      minus[i] = static_cast<std::uint32_t>(borrow);
      borrow >>= 32;
    }
    b = {count, limbs, moduli_of(device, count).modulus, keep(host.inverse), keep(cofactor), keep(minus)};
  }
  return b;
}

}  // namespace

MpBasis device_basis(int moduli) {
  const std::lock_guard<std::mutex> lock(guard);
  return basis_of(current_device(), moduli);
}

MpFormat device_format(const mp::Format& format) {
  const std::lock_guard<std::mutex> lock(guard);
  const int device = current_device(), limbs = format.limbs, count = format.moduli, line = round_up(count, 4);
  const std::uint32_t*& power = known().power[{device, format.precision}];
  const uint4*& powers_of = known().powers_of[{device, format.precision}];
  const uint4*& byte_power = known().byte_power[{device, format.precision}];
  if (!power || !powers_of || !byte_power) {
    const RnsModulus* const modulus = mp::moduli(count);
    std::vector<std::uint32_t> host(static_cast<std::size_t>(limbs) * line);
    std::vector<uint4> by_modulus(static_cast<std::size_t>(mp_quads(limbs)) * count, uint4{});
    for (int k = 0; k < count; ++k) {
      std::uint32_t p = 1;
      for (int l = 0; l < limbs; ++l, p = rns_mul(p, modulus[k].r32, modulus[k])) {
        host[static_cast<std::size_t>(l) * line + k] = p;
        component(by_modulus[static_cast<std::size_t>(l / 4) * count + k], l % 4) = p;
      }
    }
    byte_power =
        keep(byte_table(limbs, 0, count, [&](int l, int k) { return host[static_cast<std::size_t>(l) * line + k]; }));
    power = keep(host);
    powers_of = keep(by_modulus);
  }
  return {format.precision, limbs,     basis_of(device, count),          line, power,
          byte_power,       powers_of, mp::eval_factor(format.precision)};
}

MpExtension device_extension(int from, int to) {
  const std::lock_guard<std::mutex> lock(guard);
  const int device = current_device();
  MpExtension& x = known().extension[{device, from, to}];
  if (x.from == 0) {
    const auto host = mp::extension(from, to);
    const int line = round_up(to - from, 4);
    std::vector<std::uint32_t> weight(static_cast<std::size_t>(from + 1) * line, 0);
    for (int j = from; j < to; ++j)
      for (int k = 0; k <= from; ++k)
        weight[static_cast<std::size_t>(k) * line + j - from] =
            host->weight[static_cast<std::size_t>(j - from) * (from + 1) + k];
    const Moduli m = moduli_of(device, to);
    const auto bytes = byte_table(from + 1, from, to - from,
                                  [&](int k, int j) { return weight[static_cast<std::size_t>(k) * line + j - from]; });
    x = {from, to, line, m.modulus, basis_of(device, from).inverse, m.power, keep(weight), keep(bytes)};
  }
  return x;
}

mp::Elements device_constants(const mp::Format& format) {
  const std::lock_guard<std::mutex> lock(guard);
  mp::Elements& e = known().constants[{current_device(), format.precision}];
  if (e.length == 0) {
    const RnsModulus* const modulus = mp::moduli(format.moduli);
    std::vector<std::uint32_t> digits(static_cast<std::size_t>(16) * format.moduli, 0);
    for (int k = 0; k < format.moduli; ++k)
      digits[static_cast<std::size_t>(16) * k + 1] =
          mp::rns_power(2, static_cast<std::uint64_t>(format.precision - 1), modulus[k]);
    const Interval one = evaluate(std::uint64_t{1} << 63, mp::eval_factor(format.precision));
    const auto in_memory = [](auto host) { return const_cast<typename decltype(host)::value_type*>(keep(host)); };
    mp::Elements made{format, 2, 16};
    made.digits = in_memory(digits);
    made.exponent = in_memory(std::vector<std::int32_t>{mp::exponent_zero, 1});
    made.sign = in_memory(std::vector<std::uint8_t>{0, 0});
    made.eval = in_memory(std::vector<double>{0, one.lower, 0, one.upper});
    e = made;
  }
  return e;
}

}  // namespace accublas::cuda
