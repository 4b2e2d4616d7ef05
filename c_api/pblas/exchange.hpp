// Moves elements between processes: changes a matrix from one distribution to another.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "c_api/pblas/layout.hpp"

namespace accublas::pblas {

/// The elements of a matrix that are sent: all, or a triangle with or without the diagonal.
struct Mask {
  Triangle part = Triangle::all;
  bool diagonal = true;
};

/// Messages between processes of a team, of any length. Two processes must start their messages to each other in the
/// same order.
class Messages {
 public:
  explicit Messages(const Team& team) : team_(team) {}
  void send(int rank, const std::vector<char>& bytes);
  /// Receives as many bytes as `bytes` has room for.
  void receive(int rank, std::vector<char>& bytes);
  void wait();

 private:
  const Team& team_;
  std::vector<MPI_Request> requests_;
};

/// Sends `count` numbers from a rank to all processes of the team.
template <class E>
void broadcast(const Team& team, E* numbers, std::int64_t count, int rank) {
  constexpr std::int64_t most = std::int64_t{1} << 26;  // MPI's counts have 32 bits
  for (std::int64_t at = 0; at < count; at += most)
    MPI_Bcast(numbers + at, static_cast<int>(std::min(most, count - at) * static_cast<std::int64_t>(sizeof(E))),
              MPI_BYTE, rank, team.comm);
}

/// Sends each element of `from` to every process that has it in `to`. Where several processes have an element in
/// `from`, a process gets it from the one in its own row or column. The constructor copies what this process sends and
/// starts the messages. finish() waits for them and writes `to`. Processes that have nothing to send or to receive take
/// no part. All processes of a team must start their exchanges in the same order.
class Exchange {
 public:
  Exchange(const Team& team, const Part& from, const Part& to, std::size_t element, Mask mask = {});
  void finish();

 private:
  /// A run of consecutive indices at consecutive positions of a process's part.
  struct Run {
    std::int64_t position;
    int first, length;
  };
  using Runs = std::vector<Run>;
  /// The indices that this process has on an axis, sorted by the groups of the other side's axis.
  struct Sorted {
    std::vector<Runs> runs;
    bool one_for_all = false;  ///< every group of the other side has all indices, and runs[0] holds them
    const Runs& of(int group) const { return runs[one_for_all ? 0 : static_cast<std::size_t>(group)]; }
  };
  struct Message {
    const Runs *rows, *cols;
    std::vector<char>* buffer;
  };

  Sorted sort(const Axis& own, const Axis& other) const;
  Run wanted(const Run& rows, int col) const;
  std::size_t elements(const Runs& rows, const Runs& cols) const;
  void pack(const Part& from, const Runs& rows, const Runs& cols, char* to) const;
  void unpack(const Message& message) const;

  const Team& team_;
  Part to_;
  std::size_t element_;
  Mask mask_;
  Sorted to_rows_, to_cols_;
  /// Several processes may get the same message.
  std::map<std::pair<const Runs*, const Runs*>, std::vector<char>> sent_;
  std::map<int, std::vector<char>> received_;
  std::vector<Message> messages_;
  Messages transfers_;
};

}  // namespace accublas::pblas
