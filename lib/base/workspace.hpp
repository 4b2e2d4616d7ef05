// The workspace of one call: blocks from the process's pool or from the user's buffer, under a cap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/error.hpp"

namespace accublas {

/// The error of a workspace that is too small for a plan (ACCUBLAS_ERROR_MEMORY), although the system may have memory.
class TooSmall : public Error {
 public:
  using Error::Error;
};

/// The cap of a call's workspace on the CPU if none is set.
constexpr std::size_t default_workspace_bytes = std::size_t{256} << 20;

/// The arena of one call. Engines take all memory that they need before their first write to C. Memory is 64-byte
/// aligned and not initialised. Everything is released when the call ends.
///
/// An engine plans with available() and takes what its plan needs. If the workspace has less, the call tries the least
/// plan: one that is made as if available() were 0, and which may still take everything. So a call that fits into some
/// workspace fits into every larger one. A rehearsal finds out whether a plan fits before anything is computed.
class Workspace {
 public:
  /// Bytes that engines may take beyond the cap, for tables and per-thread tiles that do not grow with the problem.
  static constexpr std::size_t beyond_cap = std::size_t{1} << 20;

  /// The least memory of a thread (see lanes()).
  static constexpr std::size_t lane_bytes = std::size_t{64} << 10;

  /// `cap` is in bytes. If there is a `buffer`, all memory comes from it, and the cap is its size.
  Workspace(std::size_t cap, void* buffer, std::size_t buffer_bytes)
      : cap_(buffer ? plannable(buffer_bytes) : cap),
        limit_(cap + beyond_cap),
        buffer_(static_cast<unsigned char*>(buffer)),
        buffer_bytes_(buffer_bytes) {}
  /// Part of the memory that another workspace has taken: `bytes` of it, 64-byte aligned, of which plans may use `cap`.
  /// Taking at most `bytes` never fails. A rehearsal has no memory: an engine takes what it would take for a call,
  /// reads and writes nothing, and returns.
  struct Part {
    void* memory;
    std::size_t bytes, cap;
    bool rehearsal = false;
  };
  explicit Workspace(const Part& part)
      : cap_(part.cap),
        limit_(part.bytes),
        buffer_(static_cast<unsigned char*>(part.memory)),
        buffer_bytes_(part.bytes),
        kind_(part.rehearsal ? Kind::rehearsal : Kind::part) {}
  ~Workspace() {
    if (blocks_) reset();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// The bytes that an engine may plan with: the cap less what is taken. Blocking by this number never changes bits.
  std::size_t available() const noexcept { return taken_ < cap_ ? cap_ - taken_ : 0; }

  /// Whether this workspace makes least plans: every engine takes the least memory that it can compute with.
  bool least() const noexcept { return cap_ == 0; }

  /// Whether the engine must return once it has taken its memory (see Part).
  bool rehearses() const noexcept { return kind_ == Kind::rehearsal; }

  /// Takes `count` elements of T; returns null in a rehearsal. Throws Error(ACCUBLAS_ERROR_MEMORY). Small fixed needs
  /// (below 1 MiB in all) may pass the cap, but not the end of the user's buffer.
  template <class T>
  T* take(std::size_t count) {
    return static_cast<T*>(take_bytes(count, sizeof(T)));
  }

  /// Returns how many threads, at most `threads`, may have memory of their own. lane_bytes suffice for each thread in
  /// every engine.
  int lanes(int threads) const noexcept {
    const std::size_t fit = most() / lane_bytes;
    return fit >= static_cast<std::size_t>(threads) ? threads : fit > 1 ? static_cast<int>(fit) : 1;
  }

  /// The most bytes that engines may plan to take from an untouched workspace, tables and tiles included: a multiple of
  /// 64.
  std::size_t most() const noexcept { return (kind_ == Kind::call && !buffer_ ? cap_ + beyond_cap : cap_) / 64 * 64; }

  /// The most bytes that can still be taken: a multiple of 64.
  std::size_t left() const noexcept {
    const std::size_t all = (kind_ == Kind::call && buffer_ ? usable() : limit_) / 64 * 64;
    return taken_ < all ? all - taken_ : 0;
  }

  /// Whether to take `bytes` of optional memory, with which the engine is faster. The rehearsal of a least plan counts
  /// only memory that is needed, so it takes none.
  bool spares(std::size_t bytes) const noexcept { return bytes <= left() && !(least() && rehearses()); }

  /// Takes the rest of the workspace, or `needed` bytes of it, for parts of the call that run one after another. Their
  /// plans use what is available, however little of it they need.
  Part take_rest(std::size_t needed = SIZE_MAX) {
    constexpr std::size_t kept_free = 8192;  // plans leave some room for the alignment of their arrays
    Part rest = rest_after(0);
    if (needed < rest.bytes && rest.bytes - needed > kept_free) rest.bytes = (needed + kept_free + 63) / 64 * 64;
    rest.memory = take<unsigned char>(rest.bytes);
    rest.rehearsal = rehearses();
    return rest;
  }

  /// Rehearses take_rest() after `bytes` more, which must fit, were taken.
  Part rest_after(std::size_t bytes) const noexcept {
    return {nullptr, (left() - bytes) / 64 * 64, available() > bytes ? (available() - bytes) / 64 * 64 : 0, true};
  }

  /// Returns a rehearsal that counts how much of `buffer`, or under a cap, the least plan takes, whatever is there.
  static constexpr Part unlimited(void* buffer) { return {buffer, SIZE_MAX / 64 * 64, 0, true}; }

  /// Throws TooSmall: a plan does not fit.
  [[noreturn]] void refuse() const;
  /// Throws TooSmall for a user's buffer of `given` bytes, and says that `needed` bytes suffice wherever a buffer
  /// begins.
  [[noreturn]] static void refuse_buffer(std::size_t given, std::size_t needed);

  std::size_t peak() const noexcept { return peak_; }

  /// The cap and the user's buffer (or null), for a backend that manages its own memory.
  std::size_t cap() const noexcept { return cap_; }
  void* buffer() const noexcept { return buffer_; }
  std::size_t buffer_bytes() const noexcept { return buffer_bytes_; }

  /// Gives all memory back and sets another cap, so that a call which found no memory tries again with less.
  void restart(std::size_t cap) noexcept {
    reset();
    cap_ = buffer_ ? plannable(buffer_bytes_) : cap;
    limit_ = cap + beyond_cap;
  }
  /// Gives all memory back and makes least plans; under `cap` they may take everything.
  void restart_least(std::size_t cap) noexcept {
    restart(cap);
    cap_ = 0;
  }

  /// Arrays on a device are aligned to this many bytes.
  static constexpr std::size_t device_alignment = 256;

  /// Returns how many bytes of a user's buffer, wherever it begins, suffice for taking `bytes`.
  static constexpr std::size_t buffer_for(std::size_t bytes) { return bytes + 63; }
  /// Returns the cap under which `bytes` can be taken.
  static constexpr std::size_t cap_for(std::size_t bytes) { return bytes > beyond_cap ? bytes - beyond_cap : 0; }

  /// Frees the blocks that the process's pool keeps for later calls (at most 512 MiB).
  static void trim_pool();

 private:
  friend class WorkspacePool;
  struct Block;

  /// The owner of the memory: a call, another workspace that holds it, or nobody.
  enum class Kind { call, part, rehearsal };

  void* take_bytes(std::size_t count, std::size_t size);
  void reset() noexcept;

  /// The arena starts at the first aligned address of a user's buffer.
  std::size_t skipped() const noexcept { return (64 - reinterpret_cast<std::uintptr_t>(buffer_) % 64) % 64; }
  std::size_t usable() const noexcept { return buffer_bytes_ > skipped() ? buffer_bytes_ - skipped() : 0; }

  /// The bytes of a user's buffer that plans may use: all less the alignment of its start and of every array.
  static constexpr std::size_t plannable(std::size_t bytes) {
    const std::size_t margin = bytes / 8 < 4096 ? bytes / 8 + 64 : 4096;
    return bytes > margin ? (bytes - margin) / 64 * 64 : 0;
  }

  Block* blocks_ = nullptr;
  std::size_t cap_, limit_, taken_ = 0, peak_ = 0;  ///< limit_: of a buffer see usable()
  unsigned char* buffer_;
  std::size_t buffer_bytes_;
  Kind kind_ = Kind::call;
};

}  // namespace accublas
