// Turns a tile of residues into rounded results, and lists the elements that need more than this pass.
#pragma once

#include "lib/cpu/int8/int8_pass.hpp"
#include "lib/numerics/crt.hpp"

namespace accublas::cpu {

template <class T>
class Int8Finish {
 public:
  /// decide_ties: some row and some column drop no bits, so that sums may be known to be ties.
  Int8Finish(const Int8Call<T>& call, const Int8Verdict& verdict, const Int8Pass& pass, const CrtTable& crt,
             bool decide_ties)
      : call_(call), verdict_(verdict), pass_(pass), crt_(crt), decide_ties_(decide_ties) {}

  /// Writes the pass's elements of a tile whose residues are complete, and whether the tile stays wanted.
  void finish_tile(const Int8TileTask& task) const;

 private:
  void place_results(const Int8TileTask& task) const;
  Index reconstruct(const Int8TileTask& task) const;
  Index mark_elements(const Int8TileTask& task) const;
  void resolve(const Int8TileTask& task) const;
  template <int L>
  void resolve_in(const Int8TileTask& task) const;
  bool compute_undecided(const Int8TileTask& task) const;
  template <class Body>
  void for_each_open(const Int8TileTask& task, Body&& body) const;
  void read_tile(const Int8TileTask& task) const;
  void write_tile(const Int8TileTask& task, bool partial) const;

  const Int8Call<T>& call_;
  const Int8Verdict& verdict_;
  const Int8Pass& pass_;
  const CrtTable& crt_;
  bool decide_ties_;
};

}  // namespace accublas::cpu
