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

}  // namespace

void multiply(const Product& product, QuadCall& call) {
  if (product.m == 0 || product.n == 0) return;
  call.used = ACCUBLAS_ENGINE_SUMS;
  if (product.alpha.is_zero() || product.k == 0) return scale_elements(product, call.steps.threads);
  bool done = false;
  if (call.wanted == ACCUBLAS_ENGINE_INT8 || (call.wanted == ACCUBLAS_ENGINE_AUTO && !is_small(product)))
    call.steps.run([&](Execution& execution) {
      done = multiply_residues(product, call.wanted == ACCUBLAS_ENGINE_INT8, execution);
    });
  if (done)
    call.used = ACCUBLAS_ENGINE_INT8;
  else
    compute_elements(product, call.steps.threads);
}

}  // namespace accublas::quad
