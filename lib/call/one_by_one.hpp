// The parts of a call that are computed one after another, such as the matrices of a batch.
#pragma once

#include <new>

#include "lib/base/error.hpp"
#include "lib/call/problem.hpp"

namespace accublas {

/// Calls body(i) for i = 0 .. count - 1. If a part fails after the first one, earlier parts have written: the failure,
/// a lack of host memory included, becomes an Error(ACCUBLAS_ERROR_C_UNDEFINED) with its cause. `written`: others wrote
/// before the first part.
template <class Body>
void one_by_one(Index count, Body&& body, bool written = false) {
  for (Index i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (const Error& error) {
      if (written || i > 0) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what(), error.cause());
      throw;
    } catch (const std::bad_alloc&) {
      if (written || i > 0) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, "no host memory", ACCUBLAS_ERROR_MEMORY);
      throw;
    }
  }
}

}  // namespace accublas
