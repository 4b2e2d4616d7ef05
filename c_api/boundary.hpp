// The C boundary: exceptions stop here and become a status and the context's message.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/exceptions.hpp"
#include "lib/call/arguments.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// Stores a failure in the context and returns its status.
accublas_status failure(Context& context, accublas_status status, const char* message) noexcept;

/// Runs `body(context)` on the caller's context or the thread's default one. The floating-point exceptions of its
/// results raise the caller's flags, unless it fails.
template <class Body>
accublas_status guarded(accublas_context* given, Body&& body) noexcept {
  Context* context = given;
  try {
    if (!context) context = &default_context();
    body(*context);
    context->succeeded();
    // A handler of SIGFPE may leave the call by longjmp: nothing is left to do.
    if (const unsigned signalled = take_exceptions(); signalled != exceptions::none) raise_flags(signalled);
    return ACCUBLAS_SUCCESS;
  } catch (const Error& error) {
    return context ? failure(*context, error.status(), error.what()) : error.status();
  } catch (const std::bad_alloc&) {
    return context ? failure(*context, ACCUBLAS_ERROR_MEMORY, "out of memory") : ACCUBLAS_ERROR_MEMORY;
  } catch (const std::exception& error) {
    return context ? failure(*context, ACCUBLAS_ERROR_INTERNAL, error.what()) : ACCUBLAS_ERROR_INTERNAL;
  }
}

[[noreturn]] inline void bad_argument(const char* name, const std::string& allowed) {
  throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + name + " must be " + allowed);
}

inline void require_pointer(const char* name, const void* pointer) {
  if (!pointer) bad_argument(name, "a pointer, not NULL");
}

/// Copies a report to the caller, up to the caller's struct_size.
template <class Report>
void hand_out(const Report& full, Report* to) {
  const std::size_t size = to->struct_size;
  std::memcpy(static_cast<void*>(to), &full, size < sizeof full ? size : sizeof full);
  to->struct_size = size;
}

/// Checks the address and the size of a struct that hand_out fills. Call this before.
template <class Report>
void require_report(const Report* to, const char* name = "report") {
  if (!to) bad_argument(name, "a pointer, not NULL");
  if (to->struct_size < sizeof(std::size_t)) bad_argument(name, "a struct with struct_size set");
}

}  // namespace accublas
