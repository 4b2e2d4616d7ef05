// The host's copy of the findings about a panel, in pinned memory, to which a kernel writes (publish_notes). So the
// host waits for that kernel alone, while the device goes on.
#pragma once

#include <mutex>
#include <vector>

#include "cuda/accumulator/lines.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device.hpp"

namespace accublas::cuda {

/// Pinned notes of one accumulator. The process keeps those that accumulators gave back, because pinning memory takes
/// longer than adding a panel.
class PinnedNotes {
 public:
  PinnedNotes() {
    const std::lock_guard<std::mutex> lock(mutex());
    if (kept().empty()) {
      PanelNotes* page = nullptr;
      kept().reserve(kept().capacity() + notes_a_page);
      check(cudaHostAlloc(reinterpret_cast<void**>(&page), notes_a_page * sizeof *page,
                          cudaHostAllocMapped | cudaHostAllocPortable),
            "pinned host memory");
      for (std::size_t i = 0; i < notes_a_page; ++i) kept().push_back(page + i);
    }
    notes_ = kept().back();
    kept().pop_back();
  }
  ~PinnedNotes() {
    if (forked_from_user()) return;  // another thread may have held the lock at the fork
    const std::lock_guard<std::mutex> lock(mutex());
    kept().push_back(notes_);
  }
  PinnedNotes(const PinnedNotes&) = delete;
  PinnedNotes& operator=(const PinnedNotes&) = delete;

  PanelNotes* get() const { return notes_; }

 private:
  static constexpr std::size_t notes_a_page = 4096 / sizeof(PanelNotes);

  static std::mutex& mutex() {
    static std::mutex* const one = new std::mutex;
    return *one;
  }
  static std::vector<PanelNotes*>& kept() {
    static auto* const all = new std::vector<PanelNotes*>;
    return *all;
  }
  PanelNotes* notes_ = nullptr;
};

}  // namespace accublas::cuda
