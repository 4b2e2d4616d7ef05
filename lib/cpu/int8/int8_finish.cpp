// What becomes of a tile of residues: rounded results, and the elements that need more than that.
#include "lib/cpu/engines.hpp"
#include "lib/cpu/int8/int8_gemm.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cpu {

namespace {

constexpr std::uint8_t done = 0, open = 1, other = 2;

/// Undecided or rejected elements that are cheaper to compute one by one than a whole tile again.
constexpr Index most_undecided(Index elements) { return few_elements_cpu(elements) + 8; }

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
  return cr_element<T>(execution_.isa, problem_.k, problem_.alpha, rows_.line(row), cols_.line(col), problem_.beta, c);
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
  const bool of_rejected = pass.elements == Elements::rejected;
  // Lines whose elements are of the pass or not by the certificate alone.
  auto plain = [](const Int8Lines& lines, Index i) { return !lines.special[i] && !lines.sparse[i]; };
  bool plain_cols = true;
  for (Index c = 0; c < task.cols; ++c) plain_cols &= plain(col_lines_, task.col + c);
  const std::uint8_t* const accepted = by_certificate ? accepted_bits_ + task.tile * accepted_bytes_ : nullptr;
  Index others = 0;
  for (Index r = 0; r < task.rows; ++r) {
    const Index row = task.row + r;
    const bool by_bits = plain_cols && plain(row_lines_, row) && (of_rejected || (by_certificate && !few));
    for (Index c = 0; c < task.cols; c += 8) {
      const Index at = r * tile_cols_ + c;
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
        const bool special = row_lines_.special[row] != 0 || col_lines_.special[col] != 0;
        if (of_rejected) {
          if (special || structural_zero(row, col)) {
            state = other;
            ++others;
          }
        } else if (special) {
          out = exact(row, col);
          state = done;
        } else if (accepted && structural_zero(row, col)) {
          out = finish(problem_.alpha, Wide<1>{}, 0, problem_.beta, read_addend(problem_.beta, &at_(row, col)));
          state = done;
        } else if (accepted && few) {
          out = exact(row, col);
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
    const double error =
        pass.interval ? element_error({row_drop_[row], row_error_[row]}, {col_drop_[col], col_error_[col]}) : 0.0;
    T* const to = &tile.results[r * tile.stride + c];
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

/// Chooses where the results go: to C itself, where the kernels may write whole runs of 32 and C is not read.
template <class T>
void Int8Gemm<T>::place_results(const Int8Pass& pass, const Int8TileTask& task) {
  Int8Tile<T>& tile = tiles_[task.thread];
  const bool all = pass.elements == Int8Pass::Elements::all ||
                   (pass.elements == Int8Pass::Elements::accepted && tile_rejected_[task.tile] == 0);
  const bool in_place = all && problem_.beta == 0 && at_.col_stride == 1 && task.cols % int8_panel == 0;
  tile.results = in_place ? &at_(task.row, task.col) : tile.out;
  tile.stride = in_place ? at_.row_stride : tile_cols_;
}

/// C into the tile's results.
template <class T>
void Int8Gemm<T>::read_tile(const Int8TileTask& task) {
  for (Index r = 0; r < task.rows; ++r) {
    T* to = tiles_[task.thread].results + r * tiles_[task.thread].stride;
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
  if (tile.results != tile.out) return;
  for (Index r = 0; r < task.rows; ++r) {
    const T* from = tile.results + r * tile.stride;
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
  place_results(pass, task);
  Index left = task.rows * task.cols;
  if (force_open) {
    for (Index r = 0; r < task.rows; ++r)
      for (Index c = 0; c < task.cols; ++c) tile.open[r * tile_cols_ + c] = open;
  } else {
    Int8Reconstruction t{};
    t.crt = &crt;
    t.planes = reinterpret_cast<const std::int8_t*>(task.result);
    t.plane_stride = int8_tile_plane(tile_rows_, tile_cols_);
    t.row_stride = tile_cols_;
    t.out_stride = tile.stride;
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
      left = reconstruct_.to_double(t, tile.results);
    } else {
      left = reconstruct_.to_float(t, tile.results);
    }
  }
  const Index others = mark_elements(pass, task);
  bool too_many = false;
  if (left > 0) {
    const int bits = wide_bit_length(crt.product);
    bits < 127   ? resolve<2>(pass, crt, task)
    : bits < 191 ? resolve<3>(pass, crt, task)
    : bits < 255 ? resolve<4>(pass, crt, task)
                 : resolve<crt_limbs>(pass, crt, task);
    Index undecided = 0;
    for_each_open(task, [&](Index, Index) { ++undecided; });
    if (undecided > 0) {
      too_many = pass.may_escalate && undecided > most_undecided(task.rows * task.cols) && !hook_all_undecided();
      const auto start = std::chrono::steady_clock::now();
      if (!too_many) {
        for_each_open(task, [&](Index r, Index c) {
          tile.results[r * tile.stride + c] = exact(task.row + r, task.col + c);
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
