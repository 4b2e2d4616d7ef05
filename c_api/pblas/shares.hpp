// Right-hand sides of linear systems. They are independent of each other in every mode that defines bits. So each
// process solves for its share of them.
#pragma once

#include <algorithm>
#include <optional>

#include "c_api/pblas/exchange.hpp"
#include "c_api/pblas/local.hpp"
#include "lib/base/integers.hpp"

namespace accublas::pblas {

/// The shares of the right-hand sides, which are the columns of B, or its rows unless `left`. The constructor starts
/// the messages.
template <class E>
class Shares {
 public:
  Shares(const Caller& by, const Team& team, bool left, const Part& b)
      : team_(team), b_(b), sides_(left ? b.cols.count : b.rows.count), share_(ceil_div(sides_, team.size())) {
    const int m = b.rows.count, n = b.cols.count;
    Axis shares{sides_, By::rank, {}, {}};
    for (int i = 0; i < sides_; ++i) shares.owner.push_back(i / share_);
    own_ = std::clamp(sides_ - team.rank * std::int64_t{share_}, std::int64_t{0}, std::int64_t{share_});
    unknowns = Buffer<E>(by.name, left ? m : own_, left ? own_ : n);
    part_ = {Axis::all(m), Axis::all(n), unknowns.data.get(), unknowns.ld()};
    (left ? part_.cols : part_.rows) = shares;
    exchange_.emplace(team, b, part_, sizeof(E));
  }

  Buffer<E> unknowns;  ///< this process's share

  std::int64_t own() const { return own_; }
  /// Whether a process has right-hand sides.
  bool has_some(int rank) const { return rank * std::int64_t{share_} < sides_; }
  void receive() { exchange_->finish(); }
  /// Writes the solutions to B.
  void give_back() { Exchange(team_, part_, b_, sizeof(E)).finish(); }

 private:
  const Team& team_;
  const Part b_;
  const int sides_, share_;
  std::int64_t own_ = 0;
  Part part_;
  std::optional<Exchange> exchange_;
};

}  // namespace accublas::pblas
