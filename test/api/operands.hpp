// Operands in pages that cannot be written, shared with other threads, or at the edge of memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "api.hpp"
#include "every_routine.hpp"

namespace {

using every_routine::Choice;
using every_routine::Operand;
using every_routine::Operands;
using every_routine::Routine;
const std::vector<std::string> all_modes = {"native", "dp", "dp:repro", "fixed:50", "slices:6", "dot2", "cr"};

std::uint64_t scale() {
  const char* const text = std::getenv("ACCUBLAS_TEST_SCALE");
  return text ? static_cast<std::uint64_t>(std::max(std::atof(text), 1.0)) : 1;
}

/// The others may add in another order where operands lie differently.
bool bit_defined(const std::string& mode) { return mode != "native" && mode != "dp"; }

/// Which end of an array lies at a page that cannot be touched.
enum class Edge { none, first, last };

/// Whole pages, of which those that are touched take memory.
class Pages {
 public:
  explicit Pages(std::int64_t bytes, Edge edge = Edge::none) : bytes_(static_cast<std::size_t>(bytes)) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (bytes_ + page - 1) / page * page;
    all_bytes_ = whole + (edge == Edge::none ? 0 : page);
    all_ = mmap(nullptr, all_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all_ == MAP_FAILED) return;
    data_ = static_cast<char*>(all_);
    if (edge == Edge::first) data_ += page;
    if (edge == Edge::last) data_ += whole - bytes_;
    if (edge != Edge::none && mprotect(edge == Edge::first ? all_ : data_ + bytes_, page, PROT_NONE) != 0)
      data_ = nullptr;
  }
  ~Pages() {
    if (all_ != MAP_FAILED) munmap(all_, all_bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  bool here() const { return data_ != nullptr; }
  void* data() const { return data_; }
  /// Without an edge.
  void forbid_writing() const { ASSERT_EQ(mprotect(data_, bytes_, PROT_READ), 0); }

 private:
  void* all_;
  char* data_ = nullptr;
  std::size_t bytes_, all_bytes_;
};

/// The operands of a call in pages of their own, filled.
template <class T>
class Placed {
 public:
  explicit Placed(const Operands& operands, Edge edge = Edge::none) : operands_(operands) {
    for (Operand& o : operands_) {
      pages_.push_back(std::make_unique<Pages>(o.extent() * static_cast<std::int64_t>(o.element), edge));
      if (!pages_.back()->here()) return;
      o.data = pages_.back()->data();
    }
    here_ = true;
    fill([](const Operand&) { return true; });
  }
  bool here() const { return here_; }
  const Operands& operands() const { return operands_; }
  void forbid_writing_const() const {
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!operands_[i].written) pages_[i]->forbid_writing();
  }
  /// Restores the operands that the call wrote.
  void fill_results() const {
    fill([](const Operand& o) { return o.written; });
  }
  /// Whether const operands are what they were.
  bool untouched() const {
    const Placed fresh(operands_);
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!operands_[i].written && every_routine::bytes_of(operands_[i]) != every_routine::bytes_of(fresh.operands_[i]))
        return false;
    return true;
  }
  /// Returns the operands that the call wrote, as bytes.
  std::vector<std::vector<char>> results() const {
    std::vector<std::vector<char>> all;
    for (const Operand& o : operands_)
      if (o.written) all.push_back(every_routine::bytes_of(o));
    return all;
  }
  /// Whether the results are `expected`: to the bit, or, in modes whose bits depend on how operands lie, within a
  /// rounding error.
  testing::AssertionResult wrote(const std::vector<std::vector<char>>& expected, bool bits) const {
    const std::vector<std::vector<char>> got = results();
    if (bits) return got == expected ? testing::AssertionSuccess() : testing::AssertionFailure() << "other bits";
    // OpenBLAS's DSDOT adds up blocks of products in single precision.
    const bool single =
        std::any_of(operands_.begin(), operands_.end(), [](const Operand& o) { return o.element == sizeof(float); });
    const double unit = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<T>::epsilon();
    std::size_t i = 0;
    for (const Operand& o : operands_) {
      if (!o.written) continue;
      const std::vector<char>&x = got[i], &y = expected[i++];
      if (o.kind == Operand::Kind::pivots) {
        if (x != y) return testing::AssertionFailure() << "other pivots";
        continue;
      }
      for (std::size_t byte = 0; byte < x.size(); byte += sizeof(T)) {
        T is, should;
        std::memcpy(&is, &x[byte], sizeof is);
        std::memcpy(&should, &y[byte], sizeof should);
        if (!(std::fabs(is - should) <= 64 * unit * (1 + std::fabs(should))))
          return testing::AssertionFailure()
                 << "number " << byte / sizeof(T) << " of operand " << o.rows << " x " << o.cols << " is "
                 << testing::PrintToString(is) << ", not " << testing::PrintToString(should);
      }
    }
    return testing::AssertionSuccess();
  }

 private:
  template <class Which>
  void fill(Which which) const {
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (which(operands_[i])) every_routine::fill<T>(operands_[i], 17 * i);
  }

  Operands operands_;
  std::vector<std::unique_ptr<Pages>> pages_;
  bool here_ = false;
};

/// Whether the routine has the mode and its library; other failures fail the test.
bool served(const Routine& routine, accublas_status status, const api::Context& context, const std::string& mode) {
  if (status == ACCUBLAS_ERROR_MODE) return false;
  if (mode == "native" && status == ACCUBLAS_ERROR_NO_BLAS) return false;
  EXPECT_TRUE(status == ACCUBLAS_SUCCESS || (routine.certified && status == ACCUBLAS_ERROR_NOT_CERTIFIED))
      << routine.name << " " << mode << ": " << status << " " << context.error();
  return status == ACCUBLAS_SUCCESS;
}

}  // namespace
