// Turns a tile of residues into rounded results, and lists the elements that need more than this pass.
#pragma once

#include "lib/cpu/int8/int8_pass.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas::cpu {

/// States of an element of a tile (Int8Tile::open).
inline constexpr std::uint8_t int8_done = 0, int8_open = 1, int8_other = 2;

template <class T>
class Int8Finish {
 public:
  /// decide_ties: some row and some column drop no bits, so that sums may be known to be ties.
  Int8Finish(const Int8Call<T>& call, const Int8Verdict& verdict, const Int8Pass& pass, const CrtTable& crt,
             bool decide_ties)
      : call_(call), verdict_(verdict), pass_(pass), crt_(crt), decide_ties_(decide_ties) {}

  /// Writes the pass's elements of a tile whose residues are complete, and whether the tile stays wanted.
  void finish_tile(const Int8TileTask& task) const;

  // Steps for a caller that has no operands. It computes the elements that stay open.
  /// Rounds a tile into the buffer of its thread, or into C if `to_c` allows that and the kernels can. mark() may fill
  /// and mark elements that residues do not define, before any other element signals its exceptions.
  template <class Mark>
  void round_tile(const Int8TileTask& task, bool to_c, Mark&& mark) const {
    place_results(task, to_c);
    reconstruct(task);
    mark();
    resolve(task);
  }
  /// Calls body(r, c) for the open elements of a tile.
  template <class Body>
  void for_each_open(const Int8TileTask& task, Body&& body) const;
  /// Writes a rounded tile to C; with `partial` only the elements that are done.
  void write_tile(const Int8TileTask& task, bool partial) const;

 private:
  void place_results(const Int8TileTask& task, bool to_c) const;
  Index reconstruct(const Int8TileTask& task) const;
  Index mark_elements(const Int8TileTask& task) const;
  void resolve(const Int8TileTask& task) const;
  template <int L>
  void resolve_in(const Int8TileTask& task) const;
  bool compute_undecided(const Int8TileTask& task) const;
  void read_tile(const Int8TileTask& task) const;

  const Int8Call<T>& call_;
  const Int8Verdict& verdict_;
  const Int8Pass& pass_;
  const CrtTable& crt_;
  bool decide_ties_;
};

template <class T>
template <class Body>
void Int8Finish<T>::for_each_open(const Int8TileTask& task, Body&& body) const {
  for (Index r = 0; r < task.rows; ++r) {
    const std::uint8_t* state = call_.tiles[task.thread].open + r * call_.tiling.cols;
    for (Index c = 0; c < task.cols; c += 8) {
      std::uint64_t eight;
      __builtin_memcpy(&eight, state + c, sizeof eight);
      if (eight == 0) continue;
      for (Index i = c; i < c + 8 && i < task.cols; ++i)
        if (state[i] == int8_open) body(r, i);
    }
  }
}

}  // namespace accublas::cpu
