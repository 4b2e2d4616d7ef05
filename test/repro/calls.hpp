// A fixed list of calls in every bit-defined mode, and the bits that they return.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "../both_types.hpp"
#include "accublas.h"
#include "lib/call/engines.hpp"

namespace repro {

enum class Routine { gemm, gemv, dot, nrm2, asum };

struct Call {
  Routine routine;
  bool single;
  std::string mode;
  std::int64_t m, n, k;
  int data;  ///< 0: phi 1; 1: phi 4, rows of different widths; 2: halves of ulps, ties and cancellation
  bool trans;

  std::string name() const {
    const char* const routines[] = {"gemm", "gemv", "dot", "nrm2", "asum"};
    return std::string(single ? "s" : "d") + routines[static_cast<int>(routine)] + (trans ? "T " : " ") + mode + " m " +
           std::to_string(m) + " n " + std::to_string(n) + " k " + std::to_string(k) + " data " + std::to_string(data);
  }
  /// Whether the result is one number.
  bool scalar() const { return routine >= Routine::dot; }
  /// Whether C(i,j) depends on row i and column j only.
  bool element_local() const { return mode.substr(0, 2) != "dp"; }
};

/// Operands of a call: op(A) stored column-major (m x k, or k x m where transposed), B k x n, C m x n.
template <class T>
struct Operands {
  std::vector<T> a, b, c;
  T alpha = 1, beta = 0;
};

namespace detail {
/// SplitMix64 (Steele, Lea, Flood 2014): most of these tests' time is their data's.
struct Random {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
};
/// (rand - 0.5) 2^e, e nearly normal by counting bits; rounded to an integer, so that no libm result decides about
/// bits.
class Spread {
 public:
  explicit Spread(double phi) {
    for (int bits = 0; bits <= 64; ++bits)
      scale_[bits] = std::ldexp(1, static_cast<int>(std::nearbyint(1.4427 * phi * (bits - 32) / 4.0)));
  }
  double operator()(Random& rng) const {
    const double scale = scale_[std::popcount(rng())];
    return (static_cast<double>(rng() >> 11) * 0x1p-53 - 0.5) * scale;
  }

 private:
  double scale_[65];
};
}  // namespace detail

/// The operands of a call, in the memory of another one's.
template <class T>
void fill(Operands<T>& o, const Call& call) {
  detail::Random rng{1469598103934665603u};
  for (const char ch : call.name()) rng.state = (rng.state ^ static_cast<unsigned char>(ch)) * 1099511628211u;
  o.alpha = 1, o.beta = 0;
  o.a.resize(static_cast<std::size_t>(call.m * call.k));
  o.b.resize(static_cast<std::size_t>(call.k * call.n));
  o.c.resize(static_cast<std::size_t>(call.m * call.n));
  const int digits = sizeof(T) == 8 ? 53 : 24;
  for (std::int64_t i = 0; i < call.m; ++i) {
    const detail::Spread spread(call.data == 1 ? 4.0 * static_cast<double>(i % 7) / 6 : 1.0);
    for (std::int64_t p = 0; p < call.k; ++p) {
      double x = spread(rng);
      if (call.data == 2 && p % 2 != 0) {
        const int exponent = static_cast<int>(rng() % 80) - digits;
        x = std::ldexp(rng() & 1 ? 1.0 : -1.0, exponent);
      } else if (call.data == 2) {
        x = static_cast<double>(rng() % 16) - 8;
      }
      o.a[static_cast<std::size_t>(call.trans ? p + i * call.k : i + p * call.m)] = static_cast<T>(x);
    }
  }
  const detail::Spread spread(call.data == 1 ? 2 : 1), of_c(1);
  for (T& x : o.b) x = static_cast<T>(call.data == 2 ? static_cast<double>(1 << rng() % 3) : spread(rng));
  for (T& x : o.c) x = static_cast<T>(of_c(rng));
  if (!call.scalar() && rng() % 2) {
    o.alpha = static_cast<T>(-1.3);
    o.beta = static_cast<T>(0.7);
  }
}

template <class T>
Operands<T> operands(const Call& call) {
  Operands<T> o;
  fill(o, call);
  return o;
}

template <class T>
accublas_status invoke(accublas_context* x, const Call& c, const Operands<T>& o, T* out, std::int64_t ldc,
                       const accublas_options* options) {
  using namespace both_types;
  const auto t = c.trans ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
  const std::int64_t lda = c.trans ? c.k : c.m;
  switch (c.routine) {
    case Routine::dot:
      return dot_ex(T{}, x, c.k, o.a.data(), 1, o.b.data(), 1, out, options);
    case Routine::nrm2:
      return nrm2_ex(T{}, x, c.k, o.a.data(), 1, out, options);
    case Routine::asum:
      return asum_ex(T{}, x, c.k, o.a.data(), 1, out, options);
    case Routine::gemv:
      return gemv_ex(T{}, x, ACCUBLAS_COL_MAJOR, t, c.trans ? c.k : c.m, c.trans ? c.m : c.k, &o.alpha, o.a.data(), lda,
                     o.b.data(), 1, &o.beta, out, 1, options);
    case Routine::gemm:
      return gemm_ex(T{}, x, ACCUBLAS_COL_MAJOR, t, ACCUBLAS_NO_TRANS, c.m, c.n, c.k, &o.alpha, o.a.data(), lda,
                     o.b.data(), c.k, &o.beta, out, ldc, options);
  }
  return ACCUBLAS_ERROR_INTERNAL;
}

/// How a call runs; none of it may change a bit.
struct Settings {
  int threads = 0;
  std::int64_t workspace = -1;
  const char* engine = "auto";
};

/// The result's bit patterns, column by column. Throws where the call fails.
template <class T>
std::vector<std::uint64_t> bits_of(accublas_context* context, const Call& call, const Settings& settings) {
  // The last call's operands are kept: most tests repeat one call under several settings.
  thread_local std::string last;
  thread_local Operands<T> o;
  if (last != call.name()) {
    fill(o, call);
    last = call.name();
  }
  std::vector<T> out = o.c;
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = call.mode.c_str();
  options.num_threads = settings.threads;
  options.workspace_bytes = settings.workspace;
  if (accublas_set_engine_name(context, settings.engine) != ACCUBLAS_SUCCESS ||
      invoke(context, call, o, out.data(), call.m, &options) != ACCUBLAS_SUCCESS) {
    throw std::runtime_error(call.name() + " engine " + settings.engine + ": " + accublas_last_error(context));
  }
  std::vector<std::uint64_t> result;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (const T& x : out) result.push_back(std::bit_cast<Bits>(x));
  return result;
}

inline std::vector<std::uint64_t> run(accublas_context* context, const Call& call, const Settings& settings = {}) {
  return call.single ? bits_of<float>(context, call, settings) : bits_of<double>(context, call, settings);
}

/// The bit-defined modes that are tried.
inline std::vector<std::string> modes() {
  return {"fixed:53", "fixed:106", "dp:repro", "cr", "dot2", "slices:3", "slices:6:fast"};
}

/// The CPU's engines for a mode of GEMM.
inline std::vector<const char*> engines(const std::string& mode) {
  std::vector<const char*> names;
  for (const accublas_engine engine :
       accublas::engine_table.row({accublas::Operation::gemm, accublas::Type::d}, accublas::find_mode(mode)).cpu)
    names.push_back(accublas::engine_name(engine));
  return names;
}

/// `large`: n up to 700, k to 5000; else small enough for the portable kernels.
inline std::vector<Call> calls(bool large) {
  std::vector<Call> list;
  struct Shape {
    std::int64_t m, n, k;
    int data;
    bool trans;
  };
  const std::vector<Shape> shapes =
      large ? std::vector<Shape>{{700, 330, 260, 0, false}, {70, 50, 5000, 1, true}, {129, 131, 1030, 2, false}}
            : std::vector<Shape>{{150, 90, 200, 1, false}, {65, 40, 1100, 0, true}, {33, 100, 1029, 2, false}};
  for (const bool single : {false, true}) {
    for (const std::string& mode : modes()) {
      for (const Shape& s : shapes) list.push_back({Routine::gemm, single, mode, s.m, s.n, s.k, s.data, s.trans});
      const std::int64_t k = large ? 5000 : 1300;
      list.push_back({Routine::gemv, single, mode, 700, 1, k, 1, false});
      list.push_back({Routine::gemv, single, mode, 700, 1, k, 0, true});
      list.push_back({Routine::gemv, single, mode, 70, 1, 5 * k, 2, false});
      list.push_back({Routine::dot, single, mode, 1, 1, large ? 300007 : 20011, 0, false});
      list.push_back({Routine::dot, single, mode, 1, 1, large ? 100001 : 9001, 2, false});
      if (mode[0] == 'f' || mode[0] == 's') continue;  // fixed and slices, which the norms lack
      for (const Routine norm : {Routine::nrm2, Routine::asum}) {
        list.push_back({norm, single, mode, 1, 1, large ? 300007 : 20011, 0, false});
        list.push_back({norm, single, mode, 1, 1, large ? 100001 : 9001, 2, false});
      }
    }
  }
  return list;
}

/// FNV-1a of the bit patterns.
inline std::uint64_t checksum(const std::vector<std::uint64_t>& bits) {
  std::uint64_t h = 1469598103934665603u;
  for (std::uint64_t x : bits) {
    for (int byte = 0; byte < 8; ++byte) h = (h ^ ((x >> (8 * byte)) & 255)) * 1099511628211u;
  }
  return h;
}

}  // namespace repro
