#include "c_api/pblas/layout.hpp"

#include <algorithm>
#include <set>

namespace accublas::pblas {
namespace {

/// One dimension of a descriptor.
struct Blocks {
  int first, rest;  ///< sizes of the first block and of the others
  int source, processes;

  int owner(int index) const {
    const int block = index < first ? 0 : 1 + (index - first) / rest;
    return static_cast<int>((static_cast<std::int64_t>(source) + block) % processes);
  }
  /// Returns how many of the first `count` indices a process has.
  std::int64_t before(int count, int process) const {
    if (source < 0) return count;
    if (count == 0) return 0;
    const int distance = (process - source + processes) % processes;
    if (count <= first) return distance == 0 ? count : 0;
    // Block 0 has the size `first`; the others are counted as if it had the size of the rest.
    const int blocks = (count - first) / rest, left = (count - first) % rest;
    const int whole = blocks + 1;  // complete blocks, with block 0
    std::int64_t own = whole / processes + (distance < whole % processes);
    std::int64_t indices = own * rest;
    if (distance == 0) indices += first - rest;
    return indices + (whole % processes == distance ? left : 0);
  }
  Axis axis(By by, int at, int count) const {
    Axis axis{count, by, {}, {}};
    if (source < 0) return axis;
    axis.owner.resize(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) axis.owner[static_cast<std::size_t>(i)] = owner(at + i);
    return axis;
  }
};

Blocks row_blocks(const Grid& grid, const Descriptor& d) {
  return {d.first_row_block, d.row_block, d.row_source, grid.rows};
}
Blocks col_blocks(const Grid& grid, const Descriptor& d) {
  return {d.first_col_block, d.col_block, d.col_source, grid.cols};
}

}  // namespace

std::int64_t rows_before(const Grid& grid, const Descriptor& d, int count) {
  return row_blocks(grid, d).before(count, grid.row);
}
std::int64_t cols_before(const Grid& grid, const Descriptor& d, int count) {
  return col_blocks(grid, d).before(count, grid.col);
}
std::int64_t own_rows(const Grid& grid, const Descriptor& d) { return rows_before(grid, d, d.rows); }
std::int64_t own_cols(const Grid& grid, const Descriptor& d) { return cols_before(grid, d, d.cols); }

Descriptor read_descriptor(const int* d) {
  if (d[0] == 2) return {d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], d[9], d[10]};
  return {d[0], d[1], d[2], d[3], d[4], d[5], d[4], d[5], d[6], d[7], d[8]};
}

int Axis::group_of(const Team& team, int rank) const {
  switch (by) {
    case By::row:
      return team.row_of(rank);
    case By::col:
      return team.col_of(rank);
    case By::rank:
      return rank;
    default:
      return 0;
  }
}

bool Axis::has(int index, int group) const {
  if (everywhere()) return members.empty() || members[static_cast<std::size_t>(group)];
  const int of_index = owner[static_cast<std::size_t>(index)];
  return of_index == group || of_index == every_group;
}

std::vector<int> Axis::of_group(int group) const {
  std::vector<int> indices;
  for (int i = 0; i < count; ++i)
    if (has(i, group)) indices.push_back(i);
  return indices;
}

int Axis::most() const {
  if (everywhere()) return count;
  std::vector<int> counts;
  int everyones = 0;
  for (const int group : owner) {
    if (group == every_group) ++everyones;
    if (group < 0) continue;
    if (static_cast<std::size_t>(group) >= counts.size()) counts.resize(static_cast<std::size_t>(group) + 1);
    ++counts[static_cast<std::size_t>(group)];
  }
  return everyones + (counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()));
}

Axis Axis::slice(int first, int length) const {
  Axis axis{count, by, std::vector<int>(static_cast<std::size_t>(count), no_group), {}};
  std::vector<int> counts;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int group = everywhere() ? every_group : owner[at];
    if (group == no_group) continue;
    const auto slot = static_cast<std::size_t>(group == every_group ? 0 : group);
    if (slot >= counts.size()) counts.resize(slot + 1);
    const int position = counts[slot]++;
    if (position >= first && position < first + length) axis.owner[at] = group;
  }
  return axis;
}

Axis shares_of(const Team& team, const Axis& lines) {
  const bool of_rows = lines.by == By::row;
  const int groups = of_rows ? team.rows : team.cols, in_group = of_rows ? team.cols : team.rows,
            first = of_rows ? team.first_row : team.first_col;
  Axis shares{lines.count, By::rank, {}, {}};
  std::vector<std::int64_t> size(static_cast<std::size_t>(groups)), seen(size);
  const auto group_of = [&](int i) {
    if (!lines.everywhere()) return static_cast<std::size_t>(lines.owner[static_cast<std::size_t>(i)] - first);
    return static_cast<std::size_t>(std::int64_t{i} * groups / lines.count);
  };
  for (int i = 0; i < lines.count; ++i) ++size[group_of(i)];
  for (int i = 0; i < lines.count; ++i) {
    const std::size_t group = group_of(i);
    const int within = static_cast<int>(seen[group]++ * in_group / size[group]), outer = static_cast<int>(group);
    shares.owner.push_back(of_rows ? outer * team.cols + within : within * team.cols + outer);
  }
  return shares;
}

Part part_of(const Grid& grid, const Descriptor& d, void* data, int i, int j, int m, int n, std::size_t element) {
  const Blocks rows = row_blocks(grid, d), cols = col_blocks(grid, d);
  const std::int64_t offset = rows_before(grid, d, i - 1) + cols_before(grid, d, j - 1) * d.ld;
  return {rows.axis(By::row, i - 1, m), cols.axis(By::col, j - 1, n),
          static_cast<char*>(data) + offset * static_cast<std::int64_t>(element), d.ld};
}

Scope scope_of(const Grid& grid, std::initializer_list<const Part*> parts, bool& is_member) {
  std::set<int> rows, cols;
  bool every_row = false, every_col = false;
  for (const Part* part : parts) {
    if (part->rows.count == 0 || part->cols.count == 0) continue;  // has no elements
    every_row |= part->rows.everywhere();
    every_col |= part->cols.everywhere();
    rows.insert(part->rows.owner.begin(), part->rows.owner.end());
    cols.insert(part->cols.owner.begin(), part->cols.owner.end());
  }
  is_member = true;
  if (grid.rows > 1 && !every_row && rows.size() == 1) {
    is_member = grid.row == *rows.begin();
    return Scope::row;
  }
  if (grid.cols > 1 && !every_col && cols.size() == 1) {
    is_member = grid.col == *cols.begin();
    return Scope::column;
  }
  return Scope::grid;
}

}  // namespace accublas::pblas
