#include "cuda/core/flow_group.hpp"

#include <exception>
#include <thread>
#include <vector>

#include "cuda/core/copy_threads.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

void FlowGroup::run(std::size_t on_caller, const std::function<void(std::size_t)>& body) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    started_ = 0;
  }
  std::vector<std::exception_ptr> errors(flows_);
  const auto flow = [&](std::size_t i) {
    try {
      body(i);
    } catch (const FlowStopped&) {
      fail();
    } catch (...) {
      errors[i] = std::current_exception();
      fail();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(flows_);
  for (std::size_t i = 0; i < flows_; ++i) {
    if (i == on_caller) continue;
    try {
      threads.push_back(start_quiet_thread([&flow, i] { flow(i); }));
    } catch (const std::exception&) {  // std::system_error or std::bad_alloc
      errors[i] =
          std::make_exception_ptr(Error(ACCUBLAS_ERROR_MEMORY, "the system has no thread left for a device's flow"));
      fail();
    }
  }
  flow(on_caller);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  if (failed()) throw Error(ACCUBLAS_ERROR_INTERNAL, "a flow of a shared call stopped without an error");
}

void FlowGroup::started() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++started_;
  }
  changed_.notify_all();
}

void FlowGroup::begin_writing() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || started_ == flows_; });
  if (failed_) throw FlowStopped();
  written_ = true;
}

void FlowGroup::await(const std::function<bool()>& ready) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || ready(); });
  if (failed_) throw FlowStopped();
}

void FlowGroup::change(const std::function<void()>& body) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    body();
  }
  changed_.notify_all();
}

bool FlowGroup::failed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failed_;
}

bool FlowGroup::written() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return written_;
}

void FlowGroup::fail() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    failed_ = true;
  }
  changed_.notify_all();
}

}  // namespace accublas::cuda
