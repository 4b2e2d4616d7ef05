// The tables of the Chinese remainder theorem for every number of moduli, in device memory: the plan on the device
// picks one.
#pragma once

#include <utility>

#include "lib/numerics/moduli.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

namespace detail {

template <int Count>
constexpr CrtTable crt_table_of = make_crt_table(Count);

struct CrtTables {
  CrtTable table[max_moduli];
};

template <int... I>
constexpr CrtTables all_crt_tables(std::integer_sequence<int, I...>) {
  return {{crt_table_of<I + 1>...}};
}

__device__ const CrtTables crt_tables = all_crt_tables(std::make_integer_sequence<int, max_moduli>());

}  // namespace detail

/// 1 <= count <= max_moduli.
__device__ inline const CrtTable& crt_table(int count) { return detail::crt_tables.table[count - 1]; }

#endif

}  // namespace accublas::cuda
