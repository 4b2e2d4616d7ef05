// A context of accublas that frees itself, for the tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "accublas.h"

namespace accublas::test {

class Context {
 public:
  Context() { EXPECT_EQ(accublas_create(&context_), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr); }
  explicit Context(const std::string& mode) : Context() {
    EXPECT_EQ(accublas_set_mode_name(context_, mode.c_str()), ACCUBLAS_SUCCESS) << error();
  }
  explicit Context(accublas_backend backend) : Context() {
    EXPECT_EQ(accublas_set_backend(context_, backend), ACCUBLAS_SUCCESS) << error();
  }
  ~Context() { EXPECT_EQ(close(), ACCUBLAS_SUCCESS); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  operator accublas_context*() const { return context_; }
  std::string error() const { return accublas_last_error(context_); }
  accublas_report_t report() const {
    accublas_report_t report{};
    report.struct_size = sizeof report;
    EXPECT_EQ(accublas_report(context_, &report), ACCUBLAS_SUCCESS) << error();
    return report;
  }
  void set(const std::string& mode, const std::string& engine = "auto") {
    EXPECT_EQ(accublas_set_mode_name(context_, mode.c_str()), ACCUBLAS_SUCCESS) << error();
    EXPECT_EQ(accublas_set_engine_name(context_, engine.c_str()), ACCUBLAS_SUCCESS) << error();
  }
  /// Returns the status of accublas_destroy; the context is gone.
  accublas_status close() {
    accublas_context* const context = context_;
    context_ = nullptr;
    return accublas_destroy(context);
  }

 private:
  accublas_context* context_ = nullptr;
};

}  // namespace accublas::test
