#include "lib/quad/calls.hpp"

#include <algorithm>

#include "lib/quad/elements.hpp"
#include "lib/quad/residues.hpp"

namespace accublas::quad {

namespace {

/// Terms of a product up to which sums are faster than residues, and the rows or columns below which they are: residues
/// of an entry take as long as some ten exact terms.
constexpr double least_terms = 30000;
constexpr Index least_lines = 6;

bool is_small(const Product& p) {
  return std::min(p.m, p.n) < least_lines ||
         static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) < least_terms;
}

/// Throws TooSmall with the bytes that residues need.
[[noreturn]] void refuse(const Product& product, const StepsCall& steps) {
  Workspace rehearsal(Workspace::unlimited(steps.buffer));
  accublas_report_t unused{};
  Execution execution{1, steps.isa, rehearsal, unused};  // the least plan has one thread
  static_cast<void>(multiply_residues(product, true, execution));
  const std::size_t needed = rehearsal.peak();
  if (steps.buffer) Workspace::refuse_buffer(steps.buffer_bytes, Workspace::buffer_for(needed));
  throw TooSmall(ACCUBLAS_ERROR_MEMORY, "the workspace of " + std::to_string(steps.cap) + " bytes is too small: " +
                                            std::to_string(Workspace::cap_for(needed)) + " bytes are needed");
}

}  // namespace

void multiply(const Product& product, QuadCall& call) {
  if (product.m == 0 || product.n == 0) return;
  call.used = ACCUBLAS_ENGINE_SUMS;
  if (product.alpha.is_zero() || product.k == 0) return scale_elements(product, call.steps.threads);
  const bool forced = call.wanted == ACCUBLAS_ENGINE_INT8;
  bool done = false;
  if (forced || (call.wanted == ACCUBLAS_ENGINE_AUTO && !is_small(product))) {
    try {
      call.steps.run([&](Execution& execution) { done = multiply_residues(product, forced, execution); });
    } catch (const TooSmall&) {
      if (forced) refuse(product, call.steps);
      // Sums need no workspace. The first numbers of residues may stand in the report.
      call.steps.report->bits = call.steps.report->parts = 0;
    }
  }
  if (done)
    call.used = ACCUBLAS_ENGINE_INT8;
  else
    compute_elements(product, call.steps.threads);
}

}  // namespace accublas::quad
