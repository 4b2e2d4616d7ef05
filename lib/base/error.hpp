// Failures inside the library are exceptions of one type; the C boundary turns them into a status and a message.
#pragma once

#include <stdexcept>
#include <string>

#include "include/accublas.h"

namespace accublas {

class Error : public std::runtime_error {
 public:
  /// `cause` is the status that a failure with ACCUBLAS_ERROR_C_UNDEFINED would have had before the first write.
  Error(accublas_status status, const std::string& message, accublas_status cause = ACCUBLAS_ERROR_DEVICE)
      : std::runtime_error(message), status_(status), cause_(status == ACCUBLAS_ERROR_C_UNDEFINED ? cause : status) {}
  accublas_status status() const noexcept { return status_; }
  accublas_status cause() const noexcept { return cause_; }

 private:
  accublas_status status_, cause_;
};

}  // namespace accublas
