// Batches of GEMM under the names of BLAS and CBLAS that OpenBLAS and MKL have: ?gemm_batch_strided, and ?gemm_batch,
// whose matrices are in groups. Each argument of ?gemm_batch is an array with an element for each group, except the
// matrices. Their pointers are those of the first group, then those of the second one, and so on.
#include "c_api/blas/serve.hpp"

namespace accublas::blas {
namespace {

/// The matrices are arrays of pointers, or the first ones.
template <class E, class Operand>
BatchCall<E> batched(const BatchShape& shape, E alpha, Operand* a, Operand* b, E beta, const void* c) {
  BatchCall<E> call = batch_call<E>(shape, a, b, c);
  call.alpha = alpha;
  call.beta = beta;
  return call;
}

/// Calls use(call) for the groups in their order. make(group, first) returns the call of a group, whose matrices begin
/// with number `first`. Stops where use returns false, and returns whether it always returned true.
template <class Int, class Make, class Use>
bool for_groups(Int group_count, const Int* group_size, const Make& make, const Use& use) {
  std::int64_t first = 0;
  for (Int group = 0; group < group_count; first += group_size[group++])
    if (!use(make(group, first))) return false;
  return true;
}

constexpr int position_of_group_count = 14;  ///< of ?gemm_batch, in F77

/// Serves ?gemm_batch, one group after another. If an argument of any group is bad, nothing is computed.
template <class Int, class Make>
void f77(Spelling spelling, const char* name, Int group_count, const Int* group_size, const Make& make) {
  const auto complain = [&](int bad) { f77_error(name, bad, spelling); };
  if (group_count < 0) return complain(position_of_group_count);
  const bool good = for_groups(group_count, group_size, make, [&](const auto& call) {
    const int bad = first_bad(call);
    if (bad != 0) complain(bad);
    return bad == 0;
  });
  if (good) for_groups(group_count, group_size, make, [](const auto& call) { return serve_unchecked(call), true; });
}

/// Serves ?gemm_batch under a CBLAS name.
template <class Int, class Make>
void cblas(Spelling spelling, const char* name, const char* f77_name, accublas_layout layout, Int group_count,
           const Int* group_size, const Make& make) {
  const auto complain = [&](const CblasComplaint& bad) {
    cblas_error(name, f77_name, bad, layout == ACCUBLAS_ROW_MAJOR, spelling);
  };
  if (!valid(layout)) return complain({1, "Illegal layout setting, %d\n", layout});
  if (group_count < 0) return complain({position_of_group_count + 1, "", 0});
  const bool good = for_groups(group_count, group_size, make, [&](auto call) {
    const CblasComplaint bad = made_column_major(layout, call);
    if (bad.argument != 0) complain(bad);
    return bad.argument == 0;
  });
  if (!good) return;
  for_groups(group_count, group_size, make, [&](auto call) {
    made_column_major(layout, call);
    serve_unchecked(call);
    return true;
  });
}

}  // namespace

#include "c_api/blas/batched_names.inc"

}  // namespace accublas::blas
