#include "lib/cpu/int8/int8_finish.hpp"

#include <chrono>

#include "lib/cpu/int8/int8_crt.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/escalation.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cpu {

namespace {

constexpr std::uint8_t done = int8_done, open = int8_open, other = int8_other;

/// Undecided or rejected elements that are cheaper to compute one by one than a whole tile again.
Index most_undecided(Index elements) { return elements / tuning().undecided.few + 8; }

}  // namespace

/// Marks the elements that are not of this pass, and computes those that need no pass: with Inf or NaN in their line;
/// rejected ones that are zero by structure, or too few to be worth a pass. Returns how many are not of this pass.
template <class T>
Index Int8Finish<T>::mark_elements(const Int8TileTask& task) const {
  using Elements = Int8Pass::Elements;
  const Int8Tile<T>& tile = call_.tiles[task.thread];
  const bool by_certificate = pass_.elements != Elements::all && verdict_.rejected[task.tile] > 0;
  if (!by_certificate && !call_.any_special) return 0;
  const bool few = by_certificate && verdict_.rejected[task.tile] <= most_undecided(task.rows * task.cols);
  const bool of_rejected = pass_.elements == Elements::rejected;
  // Lines whose elements are of the pass or not by the certificate alone.
  auto plain = [](const Int8Lines& lines, Index i) { return !lines.special[i] && !lines.sparse[i]; };
  bool plain_cols = true;
  for (Index c = 0; c < task.cols; ++c) plain_cols &= plain(call_.cols.lines, task.col + c);
  const std::uint8_t* const accepted = by_certificate ? verdict_.accepted_in(task.tile) : nullptr;
  Index others = 0;
  for (Index r = 0; r < task.rows; ++r) {
    const Index row = task.row + r;
    const bool by_bits = plain_cols && plain(call_.rows.lines, row) && (of_rejected || (by_certificate && !few));
    for (Index c = 0; c < task.cols; c += 8) {
      const Index at = r * call_.tiling.cols + c;
      const unsigned inside = task.cols - c < 8 ? (1u << (task.cols - c)) - 1 : 0xFF;
      const unsigned refused = accepted ? ~accepted[at / 8] & inside : inside;
      // The pass before wrote all but the rejected elements that some term contributes to.
      const unsigned others8 = of_rejected ? refused ^ inside : by_bits ? refused : 0;
      for (unsigned left = others8; left != 0; left &= left - 1) tile.open[at + __builtin_ctz(left)] = other;
      others += __builtin_popcount(others8);
      for (unsigned left = by_bits ? 0 : refused; left != 0; left &= left - 1) {
        const Index i = __builtin_ctz(left), col = task.col + c + i;
        std::uint8_t& state = tile.open[at + i];
        T& out = tile.results[r * tile.stride + c + i];
        const bool special = call_.rows.lines.special[row] != 0 || call_.cols.lines.special[col] != 0;
        if (of_rejected) {
          if (special || call_.structural_zero(row, col)) {
            state = other;
            ++others;
          }
        } else if (special) {
          out = call_.exact(row, col);
          state = done;
        } else if (accepted && call_.structural_zero(row, col)) {
          out = finish(call_.problem.alpha, Wide<1>{}, 0, call_.problem.beta,
                       read_addend(call_.problem.beta, &call_.at(row, col)));
          state = done;
        } else if (accepted && few) {
          out = call_.exact(row, col);
          state = done;
        } else if (accepted) {
          state = other;
          ++others;
        }
      }
    }
  }
  return others;
}

/// Rounds the open elements of a tile one by one from the whole of S; those that stay open are undecided.
template <class T>
template <int L>
void Int8Finish<T>::resolve_in(const Int8TileTask& task) const {
  const Int8Tile<T>& tile = call_.tiles[task.thread];
  const T alpha = call_.scalars.simple ? (call_.problem.alpha < 0 ? T(-1) : T(1)) : call_.problem.alpha;
  const std::int8_t* planes = reinterpret_cast<const std::int8_t*>(task.result);
  const Index plane = int8_tile_plane(call_.tiling.rows, call_.tiling.cols);
  for_each_open(task, [&](Index r, Index c) {
    const Index at = r * call_.tiling.cols + c, row = task.row + r, col = task.col + c;
    const T beta = call_.problem.beta, addend = read_addend(beta, &call_.at(row, col));
    T* const to = &tile.results[r * tile.stride + c];
    if (call_.structural_zero(row, col)) {
      *to = finish(alpha, Wide<1>{}, 0, beta, addend);
      tile.open[at] = done;
      return;
    }
    const Wide<L> s = crt_of_halves<L>(crt_, planes + at, plane);
    const int exponent = call_.rows.scaling.exponent[row] + call_.cols.scaling.exponent[col];
    const double error = pass_.interval ? element_error({call_.rows.scaling.drop[row], call_.rows.scaling.error[row]},
                                                        {call_.cols.scaling.drop[col], call_.cols.scaling.error[col]})
                                        : 0.0;
    if (finish_within(alpha, s, error, exponent, beta, addend, to)) tile.open[at] = done;
  });
}

/// Chooses where the results go: to C itself, where the kernels may write whole runs of 32 and C is not read.
template <class T>
void Int8Finish<T>::place_results(const Int8TileTask& task, bool to_c) const {
  Int8Tile<T>& tile = call_.tiles[task.thread];
  const bool all = pass_.elements == Int8Pass::Elements::all ||
                   (pass_.elements == Int8Pass::Elements::accepted && verdict_.rejected[task.tile] == 0);
  const bool in_place =
      to_c && all && call_.problem.beta == 0 && call_.at.col_stride == 1 && task.cols % int8_panel == 0;
  tile.results = in_place ? &call_.at(task.row, task.col) : tile.out;
  tile.stride = in_place ? call_.at.row_stride : call_.tiling.cols;
}

/// C into the tile's results.
template <class T>
void Int8Finish<T>::read_tile(const Int8TileTask& task) const {
  for (Index r = 0; r < task.rows; ++r) {
    T* to = call_.tiles[task.thread].results + r * call_.tiles[task.thread].stride;
    const T* from = &call_.at(task.row + r, task.col);
    if (call_.at.col_stride == 1) {
      for (Index c = 0; c < task.cols; ++c) to[c] = from[c];
    } else {
      for (Index c = 0; c < task.cols; ++c) to[c] = from[c * call_.at.col_stride];
    }
  }
}

template <class T>
void Int8Finish<T>::write_tile(const Int8TileTask& task, bool partial) const {
  const Int8Tile<T>& tile = call_.tiles[task.thread];
  if (tile.results != tile.out) return;
  for (Index r = 0; r < task.rows; ++r) {
    const T* from = tile.results + r * tile.stride;
    const std::uint8_t* state = tile.open + r * call_.tiling.cols;
    T* to = &call_.at(task.row + r, task.col);
    if (partial) {
      for (Index c = 0; c < task.cols; ++c)
        if (state[c] == done) to[c * call_.at.col_stride] = from[c];
    } else if (call_.at.col_stride == 1) {
      for (Index c = 0; c < task.cols; ++c) to[c] = from[c];
    } else {
      for (Index c = 0; c < task.cols; ++c) to[c * call_.at.col_stride] = from[c];
    }
  }
}

/// The kernels round the tile; how many elements they leave open.
template <class T>
Index Int8Finish<T>::reconstruct(const Int8TileTask& task) const {
  const Int8Tile<T>& tile = call_.tiles[task.thread];
  const Int8Tiling& tiling = call_.tiling;
  const Int8Scaling &rows = call_.rows.scaling, &cols = call_.cols.scaling;
  if (!(call_.scalars.simple || call_.scalars.combine)) {  // no kernel
    for (Index r = 0; r < task.rows; ++r)
      for (Index c = 0; c < task.cols; ++c) tile.open[r * tiling.cols + c] = open;
    return task.rows * task.cols;
  }
  Int8Reconstruction t{};
  t.crt = &crt_;
  t.planes = reinterpret_cast<const std::int8_t*>(task.result);
  t.plane_stride = int8_tile_plane(tiling.rows, tiling.cols);
  t.row_stride = tiling.cols;
  t.out_stride = tile.stride;
  t.rows = task.rows;
  t.cols = task.cols;
  t.row_exponent = rows.exponent + task.row;
  t.col_exponent = cols.exponent + task.col;
  t.negative = call_.problem.alpha < 0;
  t.combine = call_.scalars.combine;
  t.alpha = call_.problem.alpha;
  t.beta = call_.problem.beta;
  if (call_.scalars.combine && call_.problem.beta != 0) read_tile(task);
  if (pass_.interval) {
    t.row_error = rows.error + task.row;
    t.row_drop = rows.drop + task.row;
    t.col_error = cols.error + task.col;
    t.col_drop = cols.drop + task.col;
    t.decide_ties = decide_ties_;
  }
  t.open = tile.open;
  if constexpr (sizeof(T) == sizeof(double)) {
    return call_.kernels.reconstruct.to_double(t, tile.results);
  } else {
    return call_.kernels.reconstruct.to_float(t, tile.results);
  }
}

template <class T>
void Int8Finish<T>::resolve(const Int8TileTask& task) const {
  const int bits = wide_bit_length(crt_.product);
  if (bits < 127) return resolve_in<2>(task);
  if (bits < 191) return resolve_in<3>(task);
  if (bits < 255) return resolve_in<4>(task);
  resolve_in<crt_limbs>(task);
}

/// Computes the undecided elements one by one; not if they are so many that another pass is to be tried: false.
template <class T>
bool Int8Finish<T>::compute_undecided(const Int8TileTask& task) const {
  const Int8Tile<T>& tile = call_.tiles[task.thread];
  Int8Counts& counts = call_.counts[task.thread];
  Index undecided = 0;
  for_each_open(task, [&](Index, Index) { ++undecided; });
  if (undecided == 0) return true;
  if (pass_.may_escalate && undecided > most_undecided(task.rows * task.cols)) return false;
  const auto start = std::chrono::steady_clock::now();
  for_each_open(task, [&](Index r, Index c) {
    tile.results[r * tile.stride + c] = call_.exact(task.row + r, task.col + c);
    tile.open[r * call_.tiling.cols + c] = done;
  });
  counts.undecided += undecided;
  counts.exact_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  return true;
}

template <class T>
void Int8Finish<T>::finish_tile(const Int8TileTask& task) const {
  place_results(task, true);
  const Index left = reconstruct(task);
  const Index others = mark_elements(task);
  if (left > 0) {
    resolve(task);
    // A tile that is tried again with more moduli keeps its C: beta C is read from it.
    if (!compute_undecided(task)) return;
  }
  write_tile(task, others > 0);
  call_.wanted[task.tile] = pass_.elements == Int8Pass::Elements::accepted && others > 0;
}

template class Int8Finish<double>;
template class Int8Finish<float>;

}  // namespace accublas::cpu
