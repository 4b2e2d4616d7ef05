// Moves elements between processes: changes a matrix from one distribution to another.
#pragma once

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
  void start(bool sends, int peer, std::vector<char>& buffer);

  const Team& team_;
  Part to_;
  std::size_t element_;
  Mask mask_;
  Sorted to_rows_, to_cols_;
  /// Several processes may get the same message.
  std::map<std::pair<const Runs*, const Runs*>, std::vector<char>> sent_;
  std::map<int, std::vector<char>> received_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;
};

}  // namespace accublas::pblas
