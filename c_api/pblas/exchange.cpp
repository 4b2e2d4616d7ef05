#include "c_api/pblas/exchange.hpp"

#include <algorithm>
#include <cstring>

namespace accublas::pblas {
namespace {

constexpr int tag = 1;
constexpr std::size_t longest_message = std::size_t{1} << 30;  // MPI's counts have 32 bits

/// Calls body(first byte, number of bytes) for the parts of a message.
template <class Body>
void for_parts(std::size_t bytes, Body&& body) {
  for (std::size_t at = 0; at < bytes; at += longest_message)
    body(at, static_cast<int>(std::min(longest_message, bytes - at)));
}

}  // namespace

void Messages::send(int rank, const std::vector<char>& bytes) {
  for_parts(bytes.size(), [&](std::size_t at, int count) {
    MPI_Isend(bytes.data() + at, count, MPI_BYTE, rank, tag, team_.comm, &requests_.emplace_back());
  });
}

void Messages::receive(int rank, std::vector<char>& bytes) {
  for_parts(bytes.size(), [&](std::size_t at, int count) {
    MPI_Irecv(bytes.data() + at, count, MPI_BYTE, rank, tag, team_.comm, &requests_.emplace_back());
  });
}

void Messages::wait() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
}

Exchange::Sorted Exchange::sort(const Axis& own, const Axis& other) const {
  Sorted sorted;
  sorted.one_for_all = other.everywhere();
  int groups = 1;
  if (!sorted.one_for_all)
    for (int rank = 0; rank < team_.size(); ++rank) groups = std::max(groups, other.group_of(team_, rank) + 1);
  sorted.runs.resize(static_cast<std::size_t>(groups));
  const int mine = own.group_of(team_, team_.rank);
  std::int64_t position = 0;
  const auto append = [&](Runs& runs, int index) {
    if (!runs.empty() && runs.back().first + runs.back().length == index &&
        runs.back().position + runs.back().length == position)
      ++runs.back().length;
    else
      runs.push_back({position, index, 1});
  };
  for (int i = 0; i < own.count; ++i) {
    if (!own.has(i, mine)) continue;
    const int group = sorted.one_for_all ? 0 : other.owner[static_cast<std::size_t>(i)];
    if (group >= 0) append(sorted.runs[static_cast<std::size_t>(group)], i);
    if (group == Axis::every_group)
      for (Runs& runs : sorted.runs) append(runs, i);
    ++position;
  }
  return sorted;
}

/// Returns the rows whose elements of a column are sent.
Exchange::Run Exchange::wanted(const Run& rows, int col) const {
  if (mask_.part == Triangle::all) return rows;
  const int strict = mask_.diagonal ? 0 : 1;
  if (mask_.part == Triangle::upper)
    return {rows.position, rows.first, std::clamp(col - strict - rows.first + 1, 0, rows.length)};
  const int skipped = std::clamp(col + strict - rows.first, 0, rows.length);
  return {rows.position + skipped, rows.first + skipped, rows.length - skipped};
}

std::size_t Exchange::elements(const Runs& rows, const Runs& cols) const {
  std::size_t count = 0;
  for (const Run& col : cols)
    for (int j = 0; j < col.length; ++j)
      for (const Run& row : rows) count += static_cast<std::size_t>(wanted(row, col.first + j).length);
  return count;
}

void Exchange::pack(const Part& from, const Runs& rows, const Runs& cols, char* to) const {
  for (const Run& col : cols)
    for (int j = 0; j < col.length; ++j) {
      const char* const column =
          static_cast<const char*>(from.data) + (col.position + j) * from.ld * static_cast<std::int64_t>(element_);
      for (const Run& row : rows) {
        const Run run = wanted(row, col.first + j);
        const std::size_t bytes = static_cast<std::size_t>(run.length) * element_;
        std::memcpy(to, column + run.position * static_cast<std::int64_t>(element_), bytes);
        to += bytes;
      }
    }
}

void Exchange::unpack(const Message& message) const {
  const char* from = message.buffer->data();
  for (const Run& col : *message.cols)
    for (int j = 0; j < col.length; ++j) {
      char* const column =
          static_cast<char*>(to_.data) + (col.position + j) * to_.ld * static_cast<std::int64_t>(element_);
      for (const Run& row : *message.rows) {
        const Run run = wanted(row, col.first + j);
        const std::size_t bytes = static_cast<std::size_t>(run.length) * element_;
        std::memcpy(column + run.position * static_cast<std::int64_t>(element_), from, bytes);
        from += bytes;
      }
    }
}

Exchange::Exchange(const Team& team, const Part& from, const Part& to, std::size_t element, Mask mask)
    : team_(team), to_(to), element_(element), mask_(mask), transfers_(team) {
  to_rows_ = sort(to.rows, from.rows);
  to_cols_ = sort(to.cols, from.cols);
  const Sorted from_rows = sort(from.rows, to.rows), from_cols = sort(from.cols, to.cols);
  const auto member = [&](const Axis& axis, int rank) {
    return !axis.everywhere() || axis.has(0, axis.group_of(team, rank));
  };
  // One of the processes that have the same elements sends them to another.
  const auto sends = [&](const Axis& axis, int source, int rank) {
    return !axis.everywhere() || axis.group_of(team, source) == axis.group_of(team, rank);
  };
  const auto talk = [&](int source, int rank) {
    return sends(from.rows, source, rank) && sends(from.cols, source, rank) && member(to.rows, rank) &&
           member(to.cols, rank);
  };

  for (int rank = 0; rank < team.size(); ++rank) {
    if (!talk(rank, team.rank)) continue;
    const Runs &rows = to_rows_.of(from.rows.group_of(team, rank)), &cols = to_cols_.of(from.cols.group_of(team, rank));
    const std::size_t count = elements(rows, cols);
    if (count == 0) continue;
    std::vector<char>& buffer = received_[rank];
    messages_.push_back({&rows, &cols, &buffer});
    if (rank == team.rank) continue;
    buffer.resize(count * element);
    transfers_.receive(rank, buffer);
  }
  for (int i = 1; i <= team.size(); ++i) {
    const int rank = (team.rank + i) % team.size();
    if (!talk(team.rank, rank)) continue;
    const Runs &rows = from_rows.of(to.rows.group_of(team, rank)), &cols = from_cols.of(to.cols.group_of(team, rank));
    std::vector<char>& buffer = sent_[{&rows, &cols}];
    if (buffer.empty()) {
      const std::size_t count = elements(rows, cols);
      if (count == 0) continue;
      buffer.resize(count * element);
      pack(from, rows, cols, buffer.data());
    }
    if (rank == team.rank)
      received_[rank] = buffer;
    else
      transfers_.send(rank, buffer);
  }
}

void Exchange::finish() {
  transfers_.wait();
  for (const Message& message : messages_) unpack(message);
  messages_.clear();
  sent_.clear();
  received_.clear();
}

}  // namespace accublas::pblas
