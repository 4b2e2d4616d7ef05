// cuBLAS as the fallback candidate of dp and sp's emulation: it runs if the device finds that the data favour it, and
// otherwise costs next to nothing. The host neither knows nor waits.
#pragma once

#include <array>
#include <cstring>
#include <functional>

#include "cuda/core/call_state.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/state.hpp"

namespace accublas::cuda {

/// A call of cuBLAS, put on the stream that the handle has. Calls with equal keys are equal.
struct NativeProduct {
  static constexpr std::size_t key_words = 17;
  std::function<void(Cublas&)> start;
  std::array<std::uint64_t, key_words> key{};

  /// Makes the key of these values, which are numbers and pointers.
  template <class... Values>
  void set_key(const Values&... values) {
    static_assert((((sizeof values + sizeof key[0] - 1) / sizeof key[0]) + ...) <= key_words);
    std::size_t next = 0;
    const auto add = [&](const auto& value) {
      std::memcpy(&key[next], &value, sizeof value);
      next += (sizeof value + sizeof key[0] - 1) / sizeof key[0];
    };
    (add(values), ...);
  }
};

/// Makes `product` the call of cuBLAS that the calls in its lifetime are left to, as State::native_product().
class NativeScope {
 public:
  NativeScope(State& state, const NativeProduct* product) : state_(state), before_(state.native_product()) {
    state.native_product() = product;
  }
  ~NativeScope() { state_.native_product() = before_; }
  NativeScope(const NativeScope&) = delete;
  NativeScope& operator=(const NativeScope&) = delete;

 private:
  State& state_;
  const NativeProduct* const before_;
};

/// Puts work on the state's stream that runs the call by cuBLAS (or the state's native_product() in its place) if
/// call_state->prefers_native is not zero by then. The call's operands must not need copies (native_scratch_bytes is
/// 0). Under capture it adds a conditional node to the captured graph; otherwise it launches a graph with such a node,
/// which is kept for later calls with equal arguments. Throws Error.
template <class T>
void native_behind(State&, const Call<Gemm<T>, T>&, const CallState* call_state);

/// Takes the memory that native_behind() needs; run it before the call. Returns false if there is no cuBLAS. Throws
/// Error.
bool prepare_native_behind(State&);

}  // namespace accublas::cuda
