// What becomes of a tile of residues: rounded results, and the elements that need more than that.
#include "lib/cpu/engines.hpp"
#include "lib/cpu/int8_gemm.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cpu {

namespace {

constexpr std::uint8_t done = 0, open = 1, other = 2;

/// Undecided elements that are cheaper to recompute than a whole tile with more moduli: one in a thousand.
constexpr Index most_undecided(Index elements) { return elements / 1000 + 8; }

}  // namespace

/// No term of the element is other than zero. Costs a pass over bits; false where they are not kept.
template <class T>
bool Int8Gemm<T>::structural_zero(Index row, Index col) const {
  if (!row_lines_.nonzero || !col_lines_.nonzero) return false;
  const std::uint64_t* a = row_lines_.nonzero + row * row_lines_.words;
  const std::uint64_t* b = col_lines_.nonzero + col * col_lines_.words;
  for (Index w = 0; w < row_lines_.words; ++w)
    if ((a[w] & b[w]) != 0) return false;
  return true;
}

template <class T>
T Int8Gemm<T>::exact(Index row, Index col) const {
  const T* c = &at_(row, col);
  // A NaN in the row or the column is the answer.
  if (row_lines_.special[row] == 2 || col_lines_.special[col] == 2)
    return finish_special(problem_.alpha, canonical_nan<T>(), problem_.beta, read_addend(problem_.beta, c));
  return exact_element<T>(problem_.k, problem_.alpha, rows_.line(row), cols_.line(col), problem_.beta, c);
}

/// Marks the elements that are not of this pass, and computes those that need no pass: with Inf or NaN in their line;
/// rejected ones that are zero by structure, or too few to be worth a pass. Returns how many are not of this pass.
template <class T>
Index Int8Gemm<T>::mark_elements(const Int8Pass& pass, const Int8TileTask& task) {
  using Elements = Int8Pass::Elements;
  const Int8Tile<T>& tile = tiles_[task.thread];
  const bool by_certificate =
      pass.elements != Elements::all && tile_rejected_[task.tile] > 0 && !mutant(Mutant::rejected_not_recomputed);
  if (!by_certificate && !any_special_) return 0;
  const bool few = tile_rejected_ && tile_rejected_[task.tile] <= most_undecided(task.rows * task.cols);
  Index others = 0;
  for (Index r = 0; r < task.rows; ++r) {
    for (Index c = 0; c < task.cols; ++c) {
      const Index row = task.row + r, col = task.col + c;
      std::uint8_t& state = tile.open[r * tile_cols_ + c];
      T& out = tile.out[r * tile_cols_ + c];
      const bool special = any_special_ && (row_lines_.special[row] != 0 || col_lines_.special[col] != 0);
      const bool refused = by_certificate && !special && rejected(task.tile, r * tile_cols_ + c);
      if (pass.elements == Elements::rejected) {
        // The pass before wrote all but the rejected elements that some term contributes to.
        if (special || !refused || structural_zero(row, col)) {
          state = other;
          ++others;
        }
      } else if (special) {
        out = exact(row, col);
        state = done;
      } else if (refused) {
        if (structural_zero(row, col)) {
          out = finish(problem_.alpha, Wide<1>{}, 0, problem_.beta, read_addend(problem_.beta, &at_(row, col)));
          state = done;
        } else if (few) {
          out = exact(row, col);
          state = done;
        } else {
          state = other;
          ++others;
        }
      }
    }
  }
  return others;
}

/// Calls body(r, c) for the open elements of a tile.
template <class T>
template <class Body>
void Int8Gemm<T>::for_each_open(const Int8TileTask& task, Body&& body) {
  for (Index r = 0; r < task.rows; ++r) {
    const std::uint8_t* state = tiles_[task.thread].open + r * tile_cols_;
    for (Index c = 0; c < task.cols; c += 8) {
      std::uint64_t eight;
      __builtin_memcpy(&eight, state + c, sizeof eight);
      if (eight == 0) continue;
      for (Index i = c; i < c + 8 && i < task.cols; ++i)
        if (state[i] == open) body(r, i);
    }
  }
}

/// Rounds the open elements of a tile one by one from the whole of S; those that stay open are undecided.
template <class T>
template <int L>
void Int8Gemm<T>::resolve(const Int8Pass& pass, const CrtTable& crt, const Int8TileTask& task) {
  const Int8Tile<T>& tile = tiles_[task.thread];
  const T alpha = simple_ ? (problem_.alpha < 0 ? T(-1) : T(1)) : problem_.alpha;
  const std::int8_t* planes = reinterpret_cast<const std::int8_t*>(task.result);
  const Index plane = int8_tile_plane(tile_rows_, tile_cols_);
  for_each_open(task, [&](Index r, Index c) {
    const Index at = r * tile_cols_ + c, row = task.row + r, col = task.col + c;
    if (pass.interval && hook_all_undecided()) return;
    const Wide<L> s = crt_reconstruct<L>(crt, planes + at, plane);
    const int exponent = row_exponent_[row] + col_exponent_[col];
    const T beta = problem_.beta, addend = read_addend(beta, &at_(row, col));
    double error = 0;
    if (pass.interval) error = (col_drop_[col] * row_error_[row] + row_drop_[row] * col_error_[col]) * (1 + 0x1p-50);
    T* const to = &tile.out[at];
    if (finish_within(alpha, s, error, exponent, beta, addend, to)) {
      tile.open[at] = done;
    } else if (structural_zero(row, col)) {
      *to = finish(alpha, Wide<1>{}, 0, beta, addend);
      tile.open[at] = done;
    } else if (mutant(Mutant::skipped_undecided)) {
      *to = finish(alpha, s, exponent, beta, addend);
      tile.open[at] = done;
    }
  });
}

/// C into the tile's results.
template <class T>
void Int8Gemm<T>::read_tile(const Int8TileTask& task) {
  for (Index r = 0; r < task.rows; ++r) {
    T* to = tiles_[task.thread].out + r * tile_cols_;
    const T* from = &at_(task.row + r, task.col);
    if (at_.col_stride == 1) {
      for (Index c = 0; c < task.cols; ++c) to[c] = from[c];
    } else {
      for (Index c = 0; c < task.cols; ++c) to[c] = from[c * at_.col_stride];
    }
  }
}

template <class T>
void Int8Gemm<T>::write_tile(const Int8TileTask& task, bool partial) {
  const Int8Tile<T>& tile = tiles_[task.thread];
  for (Index r = 0; r < task.rows; ++r) {
    const T* from = tile.out + r * tile_cols_;
    const std::uint8_t* state = tile.open + r * tile_cols_;
    T* to = &at_(task.row + r, task.col);
    if (partial) {
      for (Index c = 0; c < task.cols; ++c)
        if (state[c] == done) to[c * at_.col_stride] = from[c];
    } else if (at_.col_stride == 1) {
      for (Index c = 0; c < task.cols; ++c) to[c] = from[c];
    } else {
      for (Index c = 0; c < task.cols; ++c) to[c * at_.col_stride] = from[c];
    }
  }
}

template <class T>
void Int8Gemm<T>::finish_tile(const Int8Pass& pass, const CrtTable& crt, const Int8TileTask& task) {
  const Int8Tile<T>& tile = tiles_[task.thread];
  Int8Counts& counts = counts_[task.thread];
  const bool force_open = !(simple_ || combine_) || (pass.interval && hook_all_undecided());
  Index left = task.rows * task.cols;
  if (force_open) {
    for (Index r = 0; r < task.rows; ++r)
      for (Index c = 0; c < task.cols; ++c) tile.open[r * tile_cols_ + c] = open;
  } else {
    Int8Reconstruction t{};
    t.crt = &crt;
    t.planes = reinterpret_cast<const std::int8_t*>(task.result);
    t.plane_stride = int8_tile_plane(tile_rows_, tile_cols_);
    t.row_stride = t.out_stride = tile_cols_;
    t.rows = task.rows;
    t.cols = task.cols;
    t.row_exponent = row_exponent_ + task.row;
    t.col_exponent = col_exponent_ + task.col;
    t.col_exponent_min = t.col_exponent_max = t.col_exponent[0];
    for (Index c = 1; c < task.cols; ++c) {
      if (t.col_exponent[c] < t.col_exponent_min) t.col_exponent_min = t.col_exponent[c];
      if (t.col_exponent[c] > t.col_exponent_max) t.col_exponent_max = t.col_exponent[c];
    }
    t.negative = problem_.alpha < 0;
    t.combine = combine_;
    t.alpha = problem_.alpha;
    t.beta = problem_.beta;
    if (combine_ && problem_.beta != 0) read_tile(task);
    if (pass.interval) {
      t.row_error = row_error_ + task.row;
      t.row_drop = row_drop_ + task.row;
      t.col_error = col_error_ + task.col;
      t.col_drop = col_drop_ + task.col;
      t.decide_ties = decide_ties_;
    }
    t.open = tile.open;
    if constexpr (sizeof(T) == sizeof(double)) {
      left = reconstruct_.to_double(t, tile.out);
    } else {
      left = reconstruct_.to_float(t, tile.out);
    }
  }
  const Index others = mark_elements(pass, task);
  bool too_many = false;
  if (left > 0) {
    const int bits = wide_bit_length(crt.product);
    bits < 127   ? resolve<2>(pass, crt, task)
    : bits < 191 ? resolve<3>(pass, crt, task)
                 : resolve<crt_limbs>(pass, crt, task);
    Index undecided = 0;
    for_each_open(task, [&](Index, Index) { ++undecided; });
    if (undecided > 0) {
      too_many = pass.may_escalate && undecided > most_undecided(task.rows * task.cols) && !hook_all_undecided();
      const auto start = std::chrono::steady_clock::now();
      if (!too_many) {
        for_each_open(task, [&](Index r, Index c) {
          tile.out[r * tile_cols_ + c] = exact(task.row + r, task.col + c);
          tile.open[r * tile_cols_ + c] = done;
        });
      }
      if (!too_many) counts.undecided += undecided;
      counts.exact_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    }
  }
  // A tile that is tried again with more moduli keeps its C: beta C is read from it.
  wanted_[task.tile] = too_many;
  if (too_many) return;
  write_tile(task, others > 0);
  if (pass.elements == Int8Pass::Elements::accepted) wanted_[task.tile] = others > 0;
}

template class Int8Gemm<double>;
template class Int8Gemm<float>;

}  // namespace accublas::cpu
