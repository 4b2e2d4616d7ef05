// How the calls of the engines hand their open elements to cuda/exact/exact.hpp.
#pragma once

#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact.hpp"

namespace accublas::cuda {

template <class T>
ExactArguments<T> exact_arguments(const EngineCall<T>& call, const Lines& row_lines, const Lines& col_lines,
                                  std::uint32_t* open, CallState* state) {
  return {call.rows, call.cols, row_lines, col_lines, call.at,    call.alpha,
          call.beta, open,      state,     nullptr,   call.wanted};
}

}  // namespace accublas::cuda
