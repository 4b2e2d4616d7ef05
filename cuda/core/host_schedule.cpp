#include "cuda/core/host_schedule.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr Index edge = 256;  ///< the edges of blocks are multiples of this

struct Range {
  Index first, count;
};

/// Cuts 0 .. length - 1 into ranges of `step`.
std::vector<Range> even_cuts(Index length, Index step) {
  std::vector<Range> cuts;
  for (Index first = 0; first < length; first += step) cuts.push_back({first, std::min(step, length - first)});
  return cuts;
}

/// Cuts the rows or columns of a result that grows by borders. The first ranges are short, so that products start
/// early. The last ones are short too, because no uploads remain that could hide their downloads.
std::vector<Range> border_cuts(const HostTuning& tuning, Index length) {
  if (length < 2 * tuning.least_border) return {{0, length}};
  if (length <= 8 * tuning.least_border)
    return even_cuts(length, round_up(std::max(ceil_div(length, 4), tuning.least_border), edge));
  constexpr Index weights[] = {1, 1, 2, 2, 1, 1};
  const Index unit = round_up(ceil_div(length, 8), edge);
  std::vector<Range> cuts;
  Index first = 0;
  for (Index weight : weights) {
    if (first >= length) break;
    cuts.push_back({first, std::min(weight * unit, length - first)});
    first += weight * unit;
  }
  return cuts;
}

HostStep first_step(const Range& rows, const Range& cols) {
  HostStep step;
  step.a_row = rows.first, step.a_rows = rows.count;
  step.b_col = cols.first, step.b_cols = cols.count;
  step.product = {rows.first, rows.count, cols.first, cols.count};
  return step;
}

/// The schedule if all operands fit: C grows by borders.
HostSchedule resident_schedule(const HostTuning& tuning, Index m, Index n, bool whole) {
  const bool split = !whole && std::max(m, n) >= tuning.least_split && std::min(m, n) >= tuning.least_border;
  const std::vector<Range> rows = split ? border_cuts(tuning, m) : std::vector<Range>{{0, m}},
                           cols = split ? border_cuts(tuning, n) : std::vector<Range>{{0, n}};
  HostSchedule made{m, n, n, {first_step(rows[0], cols[0])}};
  std::size_t i = 1, j = 1;
  while (i < rows.size() || j < cols.size()) {
    const Index known_rows = rows[i - 1].first + rows[i - 1].count, known_cols = cols[j - 1].first + cols[j - 1].count;
    HostStep step;
    // An uploaded row makes work for all uploaded columns, and an uploaded column for all uploaded rows.
    if (j == cols.size() || (i < rows.size() && known_cols >= known_rows)) {
      step.a_row = step.a_at = rows[i].first, step.a_rows = rows[i].count;
      step.product = {rows[i].first, rows[i].count, 0, known_cols};
      ++i;
    } else {
      step.b_col = step.b_at = cols[j].first, step.b_cols = cols[j].count;
      step.product = {0, known_rows, cols[j].first, cols[j].count};
      ++j;
    }
    step.row_at = step.product.row, step.col_at = step.c_at = step.product.col;
    made.steps.push_back(step);
  }
  return made;
}

struct Blocks {
  Index rows, cols;
};

/// Chooses the rows of a block of A and the columns of each of the two buffers of B and C. It takes the fewest blocks
/// of rows whose buffers are not narrow, or else the widest buffers.
Blocks fitting_blocks(const HostTuning& tuning, Index m, Index n, Index k, double words) {
  Blocks best{};
  const double terms = static_cast<double>(k);
  for (Index count = 1, before = 0; before != std::min(m, edge); ++count) {
    const Index rows = std::min(m, round_up(ceil_div(m, count), edge));
    if (rows == before) continue;
    before = rows;
    const double height = static_cast<double>(rows), width = (words - height * terms) / (2 * (terms + height));
    if (!(width >= static_cast<double>(std::min(n, edge)))) continue;
    const Index room = width >= static_cast<double>(n) ? n : static_cast<Index>(width) / edge * edge;
    const Index cols = std::min(n, round_up(ceil_div(n, ceil_div(n, room)), edge));
    if (cols > best.cols) best = {rows, cols};
    if (cols >= std::min(n, 2 * tuning.narrow_cols)) break;
  }
  if (best.cols == 0) throw Error(ACCUBLAS_ERROR_MEMORY, "256 rows and columns do not fit the device's memory");
  return best;
}

/// The schedule of operands that do not fit together.
class StreamedSchedule {
 public:
  StreamedSchedule(const HostTuning& tuning, Index m, Index n, Blocks blocks) : tuning_(tuning) {
    made_.rows = blocks.rows;
    made_.cols = made_.c_cols = 2 * blocks.cols;
    const std::vector<Range> forward = even_cuts(n, blocks.cols);
    bool reversed = false;
    for (const Range& rows : even_cuts(m, blocks.rows)) {
      std::vector<Range> panels = forward;
      if (reversed) std::reverse(panels.begin(), panels.end());
      reversed = !reversed;
      pass(rows, panels, blocks.cols);
      last_of_rows_ = static_cast<Index>(made_.steps.size()) - 1;
    }
  }
  HostSchedule take() { return std::move(made_); }

 private:
  /// Multiplies a block of rows by all panels of columns. Its rows are uploaded in pieces for the first panel.
  void pass(const Range& rows, const std::vector<Range>& panels, Index width) {
    bool first = true;
    for (const Range& panel : panels) {
      const bool load = panel.first != held_;
      if (load) b_buffer_ = 1 - b_buffer_;
      c_buffer_ = 1 - c_buffer_;
      const Index c_after = c_last_[c_buffer_];
      const std::vector<Range> pieces = first ? border_cuts(tuning_, rows.count) : std::vector<Range>{{0, rows.count}};
      for (const Range& piece : pieces) {
        HostStep step;
        if (first) step.a_row = rows.first + piece.first, step.a_rows = piece.count, step.a_after = last_of_rows_;
        if (load && piece.first == 0) {
          step.b_col = panel.first, step.b_cols = panel.count, step.b_at = b_buffer_ * width;
          step.b_after = b_last_[b_buffer_];
        }
        step.a_at = step.row_at = piece.first;
        step.product = {rows.first + piece.first, piece.count, panel.first, panel.count};
        step.col_at = b_buffer_ * width, step.c_at = c_buffer_ * width;
        step.c_after = c_after;
        b_last_[b_buffer_] = c_last_[c_buffer_] = static_cast<Index>(made_.steps.size());
        made_.steps.push_back(step);
      }
      held_ = panel.first;
      first = false;
    }
  }

  const HostTuning& tuning_;
  HostSchedule made_;
  Index last_of_rows_ = -1, held_ = -1;  ///< held_: first column of the panel of B that was used last
  int b_buffer_ = 1, c_buffer_ = 1;
  Index b_last_[2] = {-1, -1}, c_last_[2] = {-1, -1};
};

}  // namespace

std::vector<Region> divide_result(Index m, Index n, int parts) {
  struct Grid {
    Index row_parts, col_parts, rows, cols;
    Index count() const { return row_parts * col_parts; }
  };
  Grid best{};
  for (Index p = 1; p <= parts; ++p) {
    Grid grid{p, parts / p, round_up(ceil_div(m, p), edge), 0};
    grid.cols = round_up(ceil_div(n, grid.col_parts), edge);
    grid.row_parts = ceil_div(m, grid.rows);
    grid.col_parts = ceil_div(n, grid.cols);
    if (grid.count() > best.count() || (grid.count() == best.count() && grid.rows + grid.cols < best.rows + best.cols))
      best = grid;
  }
  std::vector<Region> regions;
  for (Index row = 0; row < m; row += best.rows)
    for (Index col = 0; col < n; col += best.cols)
      regions.push_back({row, std::min(best.rows, m - row), col, std::min(best.cols, n - col)});
  return regions;
}

HostSchedule schedule_host(const HostTuning& tuning, Index m, Index n, Index k, double words, bool whole) {
  const double rows = static_cast<double>(m), cols = static_cast<double>(n), terms = static_cast<double>(k);
  if (rows * terms + terms * cols + rows * cols <= words) return resident_schedule(tuning, m, n, whole);
  if (whole) throw Error(ACCUBLAS_ERROR_MEMORY, "the operands do not fit the device's memory");
  return StreamedSchedule(tuning, m, n, fitting_blocks(tuning, m, n, k, words)).take();
}

}  // namespace accublas::cuda
