// The narrow interface between the multiple-precision arrays and a place to compute: the CPU, a CUDA device, or none.
// No CUDA type appears here.
#pragma once

#include <cstdint>
#include <memory>

#include "c_api/accublas.h"
#include "lib/base/isa.hpp"
#include "lib/call/backend.hpp"
#include "lib/mp/format.hpp"

namespace accublas::mp {

/// How a call runs. None of it changes a bit of a result.
struct MpExecution {
  int threads;
  cpu::Isa isa;
  BackendState* state;           ///< of the context: device and stream; null for the CPU
  accublas_mp_report_t& report;  ///< backends add to it
};

/// The aligned form of a matrix, as a backend keeps it:
///   a_ij = X'_ij 2^(r_i + c_j + 64 b_ij),  X'_ij = +-X_ij 2^rest,  0 <= rest < 64,
/// with E_ij = exponent - p of the nonzero finite entries, c_j the largest E_ij of a column (0 without any), r_i the
/// least E_ij - c_j of a row (0 likewise), b_ij = floor((E_ij - r_i - c_j) / 64), and rest what remains. Zeros,
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
/// nearest even: docs/multiple-precision.md. A transposition of B is in its strides. k = 0: A and B are null; alpha = 0
/// or k = 0: they are not read, and the result is IEEE's beta c; beta = 0: C is not read (an element's zero counts, of
/// either sign). C shares no element with A, B, alpha, beta. m, n > 0.
///   gemv   A, x n x 1, y m x 1            dot    x as n x 1, transposed; y; the result 1 x 1; alpha = 1, beta = 0
///   gemm   A, B, C                        axpy   x as n x 1, B null: the 1 x 1 matrix 1; y; beta = 1
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
};

/// Integers with exponents as users have them: number t is (-1)^(sign[t] != 0) N 2^exponent[t], N of `size` limbs from
/// limb[t size] on, or what a code ACCUBLAS_MP_EXPONENT_* in place of the exponent says. `sign` may be null.
struct UserNumbers {
  const std::uint64_t* limb;
  std::int64_t size;
  const std::int64_t* exponent;
  const std::int32_t* sign;
};

class MpBackend {
 public:
  virtual ~MpBackend() = default;
  virtual const char* name() const noexcept = 0;
  virtual bool on_device() const noexcept = 0;

  /// Memory for `elements.length` elements of `elements.format`, all +0. Throws Error(ACCUBLAS_ERROR_MEMORY), nothing
  /// kept. `device` is -1 for the CPU.
  virtual void allocate(Elements& elements, int device) = 0;
  /// Waits for calls that may use it.
  virtual void release(Elements& elements) noexcept = 0;

  /// Host to this place and back, final at return. `numbers` has block.size() numbers; a block of the destination has
  /// no element twice.
  virtual void write(Elements& to, const Block& block, const ConstNumbers& numbers, MpExecution&) = 0;
  virtual void read(const Elements& from, const Block& block, const Numbers& numbers, MpExecution&) = 0;
  /// Rounded to nearest even. Unless a place knows better, all numbers are rounded, then written.
  virtual void write_limbs(Elements& to, const Block& block, const UserNumbers& numbers, MpExecution&);
  /// Doubles, column-major with leading dimension ld: exact on the way in, rounded to nearest even on the way out.
  virtual void write_doubles(Elements& to, const Block& block, const double* values, std::int64_t ld, MpExecution&) = 0;
  virtual void read_doubles(const Elements& from, const Block& block, double* values, std::int64_t ld,
                            MpExecution&) = 0;
  /// Elements of one precision, both here; the blocks have one shape and share no element.
  virtual void copy(Elements& to, const Block& block_to, const Elements& from, const Block& block_from,
                    MpExecution&) = 0;
  /// The same between precisions, rounded to nearest even; by way of limbs in host memory, unless a backend knows
  /// better.
  virtual void convert(Elements& to, const Block& block_to, const Elements& from, const Block& block_from,
                       MpExecution&);
  /// Everything, to and from host memory of the same shape (the arrays of Elements, byte for byte); `host_*` final at
  /// return.
  virtual void import_host(Elements& here, const Elements& host, MpExecution&) = 0;
  virtual void export_host(const Elements& here, Elements& host, MpExecution&) = 0;

  /// The aligned form of a matrix with room for `spread` bits (0 .. 64) of the vectors that it will meet and sums of
  /// `terms` products; spread < 0: no planes yet, the first product makes what it needs.
  virtual std::unique_ptr<Aligned> align(const Elements& a, const Block& block, int spread, std::int64_t terms,
                                         MpExecution&) = 0;
  /// On a device it may return before the product is done; report() then waits.
  virtual void product(const MpProduct& product, MpExecution&) = 0;
  /// Fills in what only the device knows of the last call.
  virtual void complete(accublas_mp_report_t&, BackendState*) {}
};

MpBackend& cpu_mp_backend();
/// The CUDA backend; throws Error(ACCUBLAS_ERROR_NO_DEVICE) where there is none.
MpBackend& cuda_mp_backend();

}  // namespace accublas::mp
