// Inner products in one pass, with a rigorous bound of the error: to some 120 bits below the largest product (`full`,
// 12 operations a term; float: 9), or to some 80 (`swift`, 5), or of contiguous rows to some 160 (`deep`, 19).
#include "lib/cpu/kernels/cr_columns.hpp"
#include "lib/cpu/kernels/cr_rows.hpp"
#include "lib/cpu/kernels/cr_short_rows.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

// Products of float are decided by `full`, whose sums keep four times their digits.
template <class T>
constexpr CrKernels<T> table{{rows<Speed::full, T>, rows<Speed::swift, T>},
                             rows<exact_product<T> ? Speed::full : Speed::deep, T>,
                             short_rows<Speed::full, T>,
                             short_rows<Speed::swift, T>,
                             short_rows<exact_product<T> ? Speed::plain : Speed::swift, T>,
                             {columns<Speed::full, T>, columns<Speed::swift, T>},
                             last_bit_of<T>};

}  // namespace

template <>
const CrKernels<double>& kernels() {
  return table<double>;
}
template <>
const CrKernels<float>& kernels() {
  return table<float>;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
