// The interface between the multiple-precision arrays and a backend: the CPU, a CUDA device, or a stub that reports
// that there is no device. No CUDA type appears here.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "include/accublas.h"
#include "lib/base/isa.hpp"
#include "lib/call/backend.hpp"
#include "lib/mp/format.hpp"

namespace accublas::mp {

/// How a call runs. None of it changes a bit of a result.
struct MpExecution {
  int threads;
  cpu::Isa isa;
  BackendState* state;                            ///< of the context: device and stream; null for the CPU
  accublas_mp_report_t& report;                   ///< backends add to it
  accublas_engine engine = ACCUBLAS_ENGINE_AUTO;  ///< of products: int8, sums (residues of 31 bits) or auto
  std::int64_t workspace_bytes = -1;              ///< the cap of the settings; -1: the backend's default
};

/// Writes the engine of a product into a report.
inline void set_engine(accublas_mp_report_t& report, const char* engine) {
  std::strncpy(report.engine, engine, sizeof report.engine - 1);
}

/// The aligned form of a matrix, as a backend keeps it:
///   a_ij = X'_ij 2^(r_i + c_j + 64 b_ij),  X'_ij = +-X_ij 2^rest,  0 <= rest < 64,
/// with E_ij = exponent - p of the nonzero finite entries, c_j the largest E_ij of a column (0 if it has none), r_i the
/// least E_ij - c_j of a row (0 if it has none), b_ij = floor((E_ij - r_i - c_j) / 64), and rest the remainder. Zeros,
/// infinities and NaN have X' = 0 and b = 0.
class Aligned {
 public:
  virtual ~Aligned() = default;
  virtual std::int64_t bytes() const = 0;
};

/// alpha or beta: an element of an array, or a constant.
struct MpScalar {
  const Elements* elements;  ///< null: the constant
  std::int64_t at;
  int constant;  ///< 0 or 1
};

/// C = alpha op(A) B + beta C with op(A) m x k, B k x n, C m x n in extended reals, every element rounded once to
/// nearest even: docs/multiple-precision.md. The strides of B express a transposition of B. If k = 0, A and B are null.
/// If alpha = 0 or k = 0, A and B are not read, and the result is IEEE's beta c. If beta = 0, C is not read; an array
/// element that is a zero of either sign counts as 0. C shares no element with A, B, alpha, beta. m, n > 0.
///   gemv   A, x n x 1, y m x 1            dot    x as n x 1, transposed; y; the result 1 x 1; alpha = 1, beta = 0
///   gemm   A, B, C (syrk: a triangle)     axpy   x as n x 1, B null: the 1 x 1 matrix 1; y; beta = 1
///                                         scal   k = 0, C = x, beta = alpha of the call
struct MpProduct {
  std::int64_t m, n, k;
  const Elements* a;
  Block block_a;  ///< as stored: op(A) is A, or its transpose
  bool transposed;
  Aligned* aligned;  ///< the form of exactly this block, or null: align for this call
  const Elements* b;
  Block block_b;
  Elements* c;
  Block block_c;
  MpScalar alpha, beta;
  Triangle triangle = Triangle::all;  ///< the elements of C that are computed; the others are not touched
};

/// Integers with exponents as users have them: number t is (-1)^(sign[t] != 0) N 2^exponent[t], with N of `size` limbs
/// from limb[t size] on. A code ACCUBLAS_MP_EXPONENT_* in place of the exponent stands for a special value. `sign` may
/// be null.
struct UserNumbers {
  const std::uint64_t* limb;
  std::int64_t size;
  const std::int64_t* exponent;
  const std::int32_t* sign;
};

/// How a product comes to take INT8 units.
enum class ByteChoice {
  never,
  always,  ///< the engine says so
  by_cost  ///< where the backend finds them faster
};
inline ByteChoice byte_choice(const MpProduct& product, const MpExecution& execution) {
  if (!product.b || product.n == 1) return ByteChoice::never;
  if (execution.engine == ACCUBLAS_ENGINE_INT8) return ByteChoice::always;
  return execution.engine == ACCUBLAS_ENGINE_AUTO ? ByteChoice::by_cost : ByteChoice::never;
}
/// Returns the bytes of residues that a product on INT8 units keeps at a time, unless less would not do: 256 MiB, or
/// the cap of the settings if that is smaller.
inline std::int64_t byte_cap(const MpExecution& execution) {
  constexpr std::int64_t most = std::int64_t{256} << 20;
  return execution.workspace_bytes < 0 || execution.workspace_bytes > most ? most : execution.workspace_bytes;
}

class MpBackend {
 public:
  virtual ~MpBackend() = default;
  virtual const char* name() const noexcept = 0;
  virtual bool on_device() const noexcept = 0;

  /// Allocates memory for `elements.length` elements of `elements.format`, all +0. Throws Error(ACCUBLAS_ERROR_MEMORY)
  /// and keeps nothing allocated. `device` is -1 for the CPU.
  virtual void allocate(Elements& elements, int device) = 0;
  /// Waits for calls that may use the memory, and frees it.
  virtual void release(Elements& elements) noexcept = 0;

  /// Copies numbers from the host to this backend's memory, or back; the copy is complete at return. `numbers` has
  /// block.size() numbers; a block of the destination has no element twice.
  virtual void write(Elements& to, const Block& block, const ConstNumbers& numbers, MpExecution&) = 0;
  virtual void read(const Elements& from, const Block& block, const Numbers& numbers, MpExecution&) = 0;
  /// Writes users' numbers, rounded to nearest even. The default implementation rounds all numbers and then writes
  /// them.
  virtual void write_limbs(Elements& to, const Block& block, const UserNumbers& numbers, MpExecution&);
  /// Copies doubles, column-major with leading dimension ld. They are exact on the way in and rounded to nearest even
  /// on the way out.
  virtual void write_doubles(Elements& to, const Block& block, const double* values, std::int64_t ld, MpExecution&) = 0;
  virtual void read_doubles(const Elements& from, const Block& block, double* values, std::int64_t ld,
                            MpExecution&) = 0;
  /// Copies elements of one precision within this backend's memory. The blocks have one shape and share no element.
  virtual void copy(Elements& to, const Block& block_to, const Elements& from, const Block& block_from,
                    MpExecution&) = 0;
  /// Copies elements between precisions, rounded to nearest even. The default implementation goes through limbs in host
  /// memory. The blocks have one shape and share no element.
  virtual void convert(Elements& to, const Block& block_to, const Elements& from, const Block& block_from,
                       MpExecution&);
  /// Copies a whole array from or to host memory of the same shape (the arrays of Elements, byte for byte); `host_*` is
  /// complete at return.
  virtual void import_host(Elements& here, const Elements& host, MpExecution&) = 0;
  virtual void export_host(const Elements& here, Elements& host, MpExecution&) = 0;

  /// Makes the aligned form of a matrix with room for `spread` bits (0 .. 64) of the vectors that it is multiplied
  /// with, and for sums of `terms` products. With spread < 0 it makes no planes yet, and the first product makes those
  /// that it needs.
  virtual std::unique_ptr<Aligned> align(const Elements& a, const Block& block, int spread, std::int64_t terms,
                                         MpExecution&) = 0;
  /// Computes a product. On a device it may return before the product is done; report() then waits.
  virtual void product(const MpProduct& product, MpExecution&) = 0;
  /// Fills in the fields of the report that only the device knows after the last call.
  virtual void complete(accublas_mp_report_t&, BackendState*) {}
};

MpBackend& cpu_mp_backend();
/// Returns the CUDA backend. Throws Error(ACCUBLAS_ERROR_NO_DEVICE) if there is no device.
MpBackend& cuda_mp_backend();

}  // namespace accublas::mp
