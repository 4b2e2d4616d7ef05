// The words of the report and the line of the verbose mode.
#pragma once

#include <string>

#include "lib/runtime/context.hpp"

namespace accublas {

/// Returns the report of the context's last call, words included. It waits for a call on a device, unless `wait` is
/// false; the report then lacks the fields that only the device knows.
accublas_report_t full_report(const Context& context, bool wait = true);

/// Prints the verbose line on standard error in one write; `inner` says that another routine made the call.
void print_call(const accublas_report_t& report, bool success, bool inner);

/// Formats a number as in "1.11e-16".
std::string scientific(double value);

}  // namespace accublas
