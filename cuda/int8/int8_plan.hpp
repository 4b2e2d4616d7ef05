// The plan of a GEMM call of engine int8: everything that the host chooses before anything runs. It follows from the
// shapes of the operands, the mode and the workspace's cap, never from values; so a test makes plans without a GPU. The
// values decide the rest on the device, within what the host launches: bits, moduli and blocks of each pass
// (cuda/int8/plan.hpp).
#pragma once

#include <string>

#include "cuda/core/carver.hpp"
#include "cuda/core/group_terms.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/int8/certificate_ladder.hpp"
#include "cuda/int8/slab_shape.hpp"
#include "cuda/native/native_offer.hpp"
#include "cuda/tuning/numbers.hpp"
#include "lib/call/mode.hpp"

namespace accublas::cuda {

/// The ways of a call, a function each (cuda/int8/int8_flows.hpp).
enum class Int8Flow {
  fixed,  ///< fixed:T: one pass
  cr,     ///< passes with more and more moduli
  grade,  ///< dp and sp: certificate, a pass for what it accepts, passes of cr for what it rejects
  sums,   ///< the product is added to sums that others go on with: one pass
};

/// The input of a plan besides the operands' shapes.
struct Int8Request {
  Mode mode;
  std::size_t cap;                     ///< bytes that the call may take, if they suffice
  bool complex_kernels = false;        ///< the device has kernels for complex residues
  bool combined = false;               ///< Gemm::combined: alpha or beta is complex
  const NativeOffer* offer = nullptr;  ///< cuBLAS may take the call over
  int sum_moduli = 0;                  ///< more than 0: flow sums, with so many moduli
  int spare_moduli = 0;                ///< in flow grade: moduli beyond those of a rung of moduli
  Int8Tuning tuning{};
  SlabTuning slabs{};
};

struct Int8Plan {
  Int8Flow flow;
  /// Residues of the first pass. If complex, columns of C and terms go in pairs. Further passes have real ones.
  ResidueKind residues;
  bool as_stored;     ///< the columns' side is complex numbers as they are stored (Gemm::numbers_as_stored)
  bool keep_nonzero;  ///< the lines have bitmaps of nonzero entries, so that sums without a term are found
  bool keep_terms;    ///< and the terms that groups of lines need are found (cuda/core/group_terms.hpp)
  Buffers buffers;
  Index chunk, chunks;  ///< terms of k whose residues are in the buffers at a time; how many times
  // Flow grade.
  CertificateLadder ladder;
  int certificate_stride;
  int spare_moduli;  ///< beyond those of a rung of moduli
  CertificateBlocks certificate;
  // Passes.
  int passes;  ///< at most; the device leaves out those that it does not need
  PassLaunch first, further;
  SlabShape slabs;    ///< products by slabs that may take the place of the first pass of cr
  std::size_t bytes;  ///< of all arrays

  const PassLaunch& launch_of(int pass) const { return pass == 0 ? first : further; }
  std::string describe() const;
};

/// Throws Error(ACCUBLAS_ERROR_INTERNAL) where no moduli hold fixed:T, which the checks of arguments exclude.
template <class T>
Int8Plan plan_int8(const EngineCall<T>& call, const Int8Request& request);

/// The arrays of a call in device memory.
struct Int8Arrays {
  Lines rows, cols;
  Lines numbers;  ///< the columns' side as it is measured: of complex numbers as they are stored, a line for each
  GroupTerms nonzero;
  std::uint32_t* open;
  SlabArrays slabs;
  std::uint8_t *row_residues, *col_residues, *result;
};
/// Takes the arrays of a plan, plan.bytes in all. Where both sides have the same lines, these are one set of arrays.
template <class T>
Int8Arrays take_arrays(Carver& carver, const EngineCall<T>& call, const Int8Plan& plan);

}  // namespace accublas::cuda
