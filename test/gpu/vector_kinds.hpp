// The data of vectors on which every path of the engines is taken.
#pragma once

#include <vector>

#include "test/gpu/gemm_data.hpp"

namespace accublas::test {

inline const std::vector<Kind> vector_kinds = {{Data::phi, 0.5},     {Data::phi, 10},     {Data::ties},
                                               {Data::cancellation}, {Data::few_special}, {Data::many_special},
                                               {Data::subnormal},    {Data::overflow},    {Data::whole_range}};

}  // namespace accublas::test
