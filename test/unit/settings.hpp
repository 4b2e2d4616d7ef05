// Settings and plans without a GPU: words, the environment, and a backend that stands for a device.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <functional>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/isa.hpp"
#include "lib/call/engines.hpp"
#include "lib/runtime/plan.hpp"
#include "lib/runtime/settings.hpp"

using namespace accublas;

namespace {

accublas_status status_of(const std::function<void()>& body, std::string* message = nullptr) {
  try {
    body();
  } catch (const Error& error) {
    if (message) *message = error.what();
    return error.status();
  }
  return ACCUBLAS_SUCCESS;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace
