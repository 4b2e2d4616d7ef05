// Hooks and broken variants that only the test build of the library has (-DACCUBLAS_TEST_HOOKS). In the library that is
// installed every query below is the constant false, and costs nothing.
//
// In the test build:
//   ACCUBLAS_TEST_HOOK=undecided     Ziv's test leaves every element undecided (must not change a bit)
//   ACCUBLAS_TEST_BLOCK=N            factorizations have blocks of at most N columns (must not change a bit)
//   ACCUBLAS_TEST_PANEL=N            QR's panels have N columns (its bits are those of the oracle with as many)
//   ACCUBLAS_TEST_FAIL_ALLOCATION=N  the N-th allocation of workspace from now on fails (0: none), "N+": and all later
//   ACCUBLAS_TEST_MUTANT=name        runs with one deliberate defect; the test suite must catch it
#pragma once

#include "lib/base/hooked_source.hpp"
#include "lib/base/host_device.hpp"

namespace accublas {

/// Deliberate defects, one place each in the code: the name by which ACCUBLAS_TEST_MUTANT selects one, and what it
/// does. test/mutants proves that the suite catches every one.
#define ACCUBLAS_MUTANTS(X)                                                                      \
  X(tie_away, "finish: halfway cases rounded away from zero")                                    \
  X(truncate, "finish: rounded towards zero")                                                    \
  X(tie_sticky, "finish: the sticky bit is forgotten")                                           \
  X(zero_sign, "finish: an exact zero is -0")                                                    \
  X(double_rounding, "finish: beta c is added after a first rounding")                           \
  X(subnormal_flush, "finish: subnormal results become zero")                                    \
  X(exponent_power_of_two, "scaling: E_i one too small where the row maximum is a power of two") \
  X(exponent_subnormal, "scaling: E_i of a subnormal row maximum by its exponent field")         \
  X(scale_tie_away, "scaling: a' rounded half away from zero")                                   \
  X(dropped_modulus, "int8: one modulus too few")                                                \
  X(crt_quotient, "int8: the quotient by P rounded up too late")                                 \
  X(chunk_overflow, "int8: chunks of k twice too long")                                          \
  X(certificate_accepts, "dp:repro: the certificate accepts every element")                      \
  X(certificate_call_rung, "dp:repro: T* taken per block, not per call")                         \
  X(certificate_sampling, "dp:repro: X taken over the first blocks, not over every eighth")      \
  X(certificate_exponent, "dp:repro: lambda of a deep line's first terms keeps their exponent") \
  X(rejected_not_recomputed, "dp:repro: rejected elements keep the value of fixed:T*")           \
  X(skipped_undecided, "cr: the list of undecided elements is not recomputed")                   \
  X(ziv_half, "cr: the error bound halved 40 times")                                             \
  X(slice_rho, "slices: rho one too small")                                                      \
  X(slice_fast_pairs, "slices:fast: pairs with p + q <= D")                                      \
  X(slice_blocked_k, "slices: rho from the block's k, not the whole k")                          \
  X(dot2_tree, "dot2 DOT: blocks combined left to right")                                        \
  X(dot2_lanes, "dot2 DOT: lanes combined in another order")                                     \
  X(dot2_block, "dot2 GEMV, GEMM: another k-block")                                              \
  X(dot2_no_error, "dot2: the error of the product forgotten")                                   \
  X(dot2_overflow_kept, "dot2: a pair that overflowed is rounded as it is")                      \
  X(root_truncated, "nrm2: what the integer root leaves out is forgotten")                       \
  X(root_rest, "nrm2: what the integer of the pair leaves out is forgotten")                     \
  X(norm_scale, "nrm2 dot2: small entries squared as they are")                                  \
  X(norm_order, "norms, dot2: terms taken from the last to the first")                           \
  X(norm_error, "norms, cr: the pair taken for the exact sum")                                   \
  X(norm_undecided, "norms, cr: an undecided result keeps one end of its interval")              \
  X(norm_lost_term, "norms, cr: the exact sum lacks its last term")                              \
  X(norm_inf_over_nan, "nrm2: Inf among NaNs gives Inf")                                         \
  X(solve_numerator, "TRSM, cr: the numerator is rounded before the quotient")                   \
  X(solve_undecided, "TRSM, cr: an undecided quotient keeps its estimate")                       \
  X(cholesky_root, "POTRF, cr: what the root is taken of is rounded before it")                  \
  X(cholesky_pivot, "POTRF, cr: a pivot that is zero passes for a positive one")                 \
  X(lu_tie, "GETRF, cr: the last of the largest is the pivot")                                   \
  X(lu_nan, "GETRF, cr: a NaN is smaller than every number")                                     \
  X(inverse_block, "TRTRI, cr: columns of a block have unknowns beyond their own triangle")      \
  X(square_conjugate, "LAUUM, cr: U U^T in place of U U^H")                                      \
  X(inverse_exchange, "GETRI, cr: columns change places from the first to the last")             \
  X(other_triangle, "described operands: the triangle that is not stored is read")               \
  X(unit_diagonal, "triangular operands: a diagonal of ones is read")                            \
  X(hermitian_diagonal, "Hermitian operands: imaginary parts of the diagonal are read")          \
  X(mirrored_conjugate, "Hermitian operands: what is mirrored is not conjugated")                \
  X(dropped_conjugate, "complex products: columns with no regard to conjugations")               \
  X(triangle_edge, "wanted triangles: the diagonal moved by a row")                              \
  X(result_diagonal, "Hermitian results: imaginary parts of the diagonal stay")                  \
  X(band_edge, "triangular operands: a band of columns lacks its last term")                     \
  X(zero_terms, "triangular operands: Inf and NaN meet what is no term")                         \
  X(increment_sign, "level 2: x with a negative increment is taken from the near end")           \
  X(update_undecided, "updates: what is undecided keeps its quick sum")                          \
  X(update_rest, "updates: what a rounded factor leaves over is forgotten")                      \
  X(update_conjugate, "HER2: both products have alpha")                                          \
  X(piece_edge, "SYMV, TRMV, cr: a block lacks its last column")                                 \
  X(qr_sign, "QR: the diagonal of R has the sign that cancels")                                  \
  X(qr_scale, "QR: a column with a subnormal norm is not scaled")                                \
  X(qr_reduced, "QR: a column that is zero below the diagonal is reflected")                     \
  X(qr_overflow, "QR: a large column whose sums overflow is left to them")                       \
  X(qr_adjoint, "QR: a panel's Q^H in place of Q, and the other way round")                      \
  X(certified_rounding, "certified solutions: bounds are not rounded upwards")                   \
  X(certified_half, "certified solutions: the bound of the error is halved 40 times")            \
  X(certified_tail, "certified solutions: the lower parts of an unknown are forgotten")          \
  X(certified_contraction, "certified solutions: every inverse passes for an exact one")         \
  X(certified_definite, "certified solutions: every symmetric matrix passes for definite")       \
  X(special_inf_times_zero, "specials: Inf times 0 taken as 0")                                  \
  X(special_beta_zero, "C read where beta is 0")                                                 \
  X(multiword_second_word, "multiword: the second word is zero")                                 \
  X(multiword_product, "multiword: the product w2 v1 is missing")                                \
  X(multiword_scale, "multiword: a column's scale is not taken back")                            \
  X(nan_payload, "NaN written with the payload of the input")

#define ACCUBLAS_ENUMERATOR(name, what) name,
enum class Mutant { none, ACCUBLAS_MUTANTS(ACCUBLAS_ENUMERATOR) };
#undef ACCUBLAS_ENUMERATOR

#ifdef ACCUBLAS_TEST_HOOKS
bool mutant(Mutant which) noexcept;      ///< whether ACCUBLAS_TEST_MUTANT names this one
bool hook_all_undecided() noexcept;      ///< ACCUBLAS_TEST_HOOK=undecided
long hook_block(long columns) noexcept;  ///< ACCUBLAS_TEST_BLOCK where it is set, else `columns`
long hook_panel(long columns) noexcept;  ///< ACCUBLAS_TEST_PANEL, or `columns`
bool hook_allocation_fails() noexcept;   ///< counts one allocation; true where it must fail
#else
ACCUBLAS_HD constexpr bool mutant(Mutant) noexcept { return false; }
constexpr bool hook_all_undecided() noexcept { return false; }
constexpr long hook_block(long columns) noexcept { return columns; }
constexpr long hook_panel(long columns) noexcept { return columns; }
constexpr bool hook_allocation_fails() noexcept { return false; }
#endif

}  // namespace accublas
