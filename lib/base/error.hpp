// Failures inside the library are exceptions of one type; the C boundary turns them into a status and a message.
#pragma once

#include <stdexcept>
#include <string>

#include "include/accublas.h"

namespace accublas {

class Error : public std::runtime_error {
 public:
  Error(accublas_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  accublas_status status() const noexcept { return status_; }

 private:
  accublas_status status_;
};

}  // namespace accublas
