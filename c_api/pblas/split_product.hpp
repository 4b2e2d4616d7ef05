// The product of a deep inner dimension: the processes share its terms. Each process multiplies its terms for all of C
// into accumulators (docs/accumulators.md), and sends the sums of an element, as residues, to the process that has the
// element. That process adds them and rounds once. So an element has the bits of a single call.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "c_api/pblas/panels.hpp"

namespace accublas::pblas {

/// C = alpha op(A) op(B) + beta C, or alpha op(A) op(A)^T + beta C, in cr or fixed:T.
template <class E>
class SplitProduct {
 public:
  /// A block of C that a process computes: the numbers of its rows and columns, and its elements on that process.
  struct Block {
    std::vector<int> rows, cols;
    E* data;
    std::int64_t ld;

    bool empty() const { return rows.empty() || cols.empty(); }
  };
  /// Returns the blocks of a process.
  using BlocksOf = std::function<std::vector<Block>(int rank)>;

  /// For general A and B. A process computes its part of C.
  SplitProduct(const Caller& by, const Team& team, const Source& a, const Source& b, E alpha, E beta, const Part& c)
      : by_(by),
        team_(team),
        alpha_(alpha),
        beta_(beta),
        k_(terms_of(a, false).count),
        shares_(shares_of(team, longer_side(a, b, c))),
        left_(by, team, a, shares_, c.rows.count, false),
        right_(by, team, b, shares_, c.cols.count, true),
        blocks_of_([&team, c](int rank) {
          return std::vector<Block>{{c.rows.of_group(c.rows.group_of(team, rank)),
                                     c.cols.of_group(c.cols.group_of(team, rank)), static_cast<E*>(c.data), c.ld}};
        }) {}
  /// For B = A^T, whose elements are those of A. C has the order of op(A).
  SplitProduct(const Caller& by, const Team& team, const Source& a, E alpha, E beta, BlocksOf blocks_of)
      : by_(by),
        team_(team),
        alpha_(alpha),
        beta_(beta),
        k_(terms_of(a, false).count),
        shares_(shares_of(team, terms_of(a, false))),
        left_(by, team, a, shares_, terms_of(a, true).count, false),
        right_(left_),
        blocks_of_(std::move(blocks_of)) {}

  /// Whether sharing the terms pays: in a mode whose sums are residues, and if a process receives less than the panels
  /// with all terms that its part of C needs. The terms and the residues must fit into the limit of the panels. All
  /// processes get the same answer.
  static bool pays(const Team& team, const Mode& mode, const Source& a, const Source& b, const Part& c) {
    const double m = c.rows.count, n = c.cols.count, larger = std::max(m, n), smaller = std::min(m, n);
    const double all = team.rows * team.cols;
    return pays(team, mode, {&a.part, &b.part, &c}, terms_of(a, false).count, m, n,
                larger * (1 - 1 / sharers(team, longer_side(a, b, c))) + smaller * (1 - 1 / all), m + n, m * n);
  }
  /// Same contract as the function above, for B = A^T. `elements`: those of all blocks.
  static bool pays(const Team& team, const Mode& mode, const Source& a, const Part& c, double elements) {
    const double n = c.rows.count;
    return pays(team, mode, {&a.part, &c}, terms_of(a, false).count, n, n,
                n * (1 - 1 / sharers(team, terms_of(a, false))), 2 * n, elements);
  }

  void run() {
    left_.receive(), right_.receive();
    measure(left_, ACCUBLAS_LEFT), measure(right_, ACCUBLAS_RIGHT);
    std::vector<std::vector<Block>> blocks;
    std::size_t most = 0;
    for (int rank = 0; rank < team_.size(); ++rank) {
      blocks.push_back(blocks_of_(rank));
      most = std::max(most, blocks.back().size());
    }
    // All processes compute the first block of each, then the second one of each.
    for (std::size_t i = 0; i < most; ++i) {
      blocks_.clear();
      for (std::vector<Block>& of_rank : blocks)
        blocks_.push_back(i < of_rank.size() ? std::move(of_rank[i]) : Block{{}, {}, nullptr, 1});
      run_blocks();
    }
  }

 private:
  using Bytes = std::vector<char>;
  struct Destroy {
    void operator()(accublas_accumulator* sums) const { accublas_accumulator_destroy(sums); }
  };
  using Sums = std::unique_ptr<accublas_accumulator, Destroy>;

  /// Computes blocks_, one of each process.
  void run_blocks() {
    std::vector<Bytes> sent(static_cast<std::size_t>(team_.size()));
    for (int i = 1; i < team_.size(); ++i) {
      const int rank = (team_.rank + i) % team_.size();
      if (has_elements(rank)) bytes_for(sent, rank) = exported(*sums_for(rank));
    }
    const bool has_own = has_elements(team_.rank);
    Sums own;
    if (has_own) own = sums_for(team_.rank);
    for (const Bytes& bytes : exchanged(sent))
      if (!bytes.empty()) check(accublas_accumulator_merge(nullptr, own.get(), bytes.data(), bytes.size()));
    sent.clear();
    const accublas_status status = has_own ? finish(*own) : ACCUBLAS_SUCCESS;
    if (status != ACCUBLAS_ERROR_UNDECIDED) check(status);
    decide(own.get(), status == ACCUBLAS_ERROR_UNDECIDED);
  }

  static constexpr accublas_type type = is_complex<E> ? (is_single_precision<E> ? ACCUBLAS_TYPE_C : ACCUBLAS_TYPE_Z)
                                                      : (is_single_precision<E> ? ACCUBLAS_TYPE_S : ACCUBLAS_TYPE_D);

  /// An operand with this process's terms and all lines: rows of op(A), or columns of op(B) if `right`.
  struct Side {
    Side(const Caller& by, const Team& team, const Source& source, const Axis& terms, int lines, bool right)
        : name(by.name),
          trans(source.trans),
          are_rows(right != source.plain()),
          lines(lines),
          terms(static_cast<std::int64_t>(terms.of_group(team.rank).size())),
          own_entries(buffer(lines)) {
      Part part{Axis::all(source.part.rows.count), Axis::all(source.part.cols.count), own_entries.data.get(),
                own_entries.ld()};
      (are_rows ? part.cols : part.rows) = terms;
      exchange.emplace(team, source.part, part, sizeof(E));
    }
    /// The columns of op(A)^T, whose elements are those of `rows`, the rows of op(A).
    explicit Side(const Side& rows)
        : name(rows.name),
          trans(rows.are_rows ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS),
          are_rows(rows.are_rows),
          lines(rows.lines),
          terms(rows.terms),
          entries(rows.entries),
          of_rows(&rows) {}
    void receive() {
      if (exchange) exchange->finish();
      exchange.reset();
    }
    Buffer<E> buffer(std::int64_t count) const {
      return are_rows ? Buffer<E>(name, count, terms) : Buffer<E>(name, terms, count);
    }
    /// Returns the lines with these numbers, adjacent in memory.
    Buffer<E> entries_of(const std::vector<int>& own) const {
      Buffer<E> copy = buffer(static_cast<std::int64_t>(own.size()));
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(own.size()); ++i)
        for (std::int64_t p = 0; p < terms; ++p) {
          const std::int64_t line = own[static_cast<std::size_t>(i)];
          (are_rows ? copy(i, p) : copy(p, i)) = are_rows ? (*entries)(line, p) : (*entries)(p, line);
        }
      return copy;
    }
    std::vector<std::int32_t> exponents_of(const std::vector<int>& own) const {
      std::vector<std::int32_t> of_own;
      for (const int line : own)
        for (int i = 0; i < 2; ++i)
          of_own.push_back(exponents[2 * static_cast<std::size_t>(line) + static_cast<std::size_t>(i)]);
      return of_own;
    }

    const char* name;
    accublas_transpose trans;
    bool are_rows;  ///< the lines are rows of the stored operand
    int lines;
    std::int64_t terms;
    Buffer<E> own_entries;
    Buffer<E>* entries = &own_entries;
    const Side* of_rows = nullptr;  ///< not null: this side's elements are those of that one
    std::optional<Exchange> exchange;
    std::vector<std::int32_t> exponents;  ///< of all lines over all terms
  };

  static const Axis& terms_of(const Source& source, bool right) {
    return right == source.plain() ? source.part.rows : source.part.cols;
  }
  /// The terms as the larger operand has them: A has m rows, and B has n columns.
  static const Axis& longer_side(const Source& a, const Source& b, const Part& c) {
    return c.rows.count >= c.cols.count ? terms_of(a, false) : terms_of(b, true);
  }
  /// Returns how many processes have elements of the same terms of an operand, and share these terms.
  static double sharers(const Team& team, const Axis& terms) { return terms.by == By::row ? team.cols : team.rows; }
  /// operand_lines: times k, the elements of the operands that the processes receive together; lines: those that they
  /// have in memory.
  static bool pays(const Team& team, const Mode& mode, std::initializer_list<const Part*> parts, double k, double m,
                   double n, double operand_lines, double lines, double elements) {
    if (!team.on_host || team.size() == 1) return false;
    if (mode.kind != ACCUBLAS_MODE_CR && mode.kind != ACCUBLAS_MODE_FIXED) return false;
    for (const Part* part : parts)
      if (part->rows.everywhere() || part->cols.everywhere()) return false;
    const double p = team.rows, q = team.cols, all = p * q, w = sizeof(E);
    const double panels = w * k * (m / p * (q - 1) / q + n / q * (p - 1) / p);
    const double residues = bytes_of_sum(mode, k) * elements, sums = residues * (1 - 1 / all);
    // The terms are in memory three times (messages sent and received, and the part), the residues twice.
    const double memory = 3 * w * k / all * lines + 2 * residues;
    return w * k / all * operand_lines + sums < panels && memory <= static_cast<double>(team.buffer_bytes);
  }
  /// The approximate size of an element's sum as residues: a byte for each modulus, and 7.8 bits of the sum for each
  /// byte. In cr an entry has the bits of an accumulator's default (accublas_accumulator_create), if it has not fewer.
  static double bytes_of_sum(const Mode& mode, double k) {
    constexpr int default_bits = is_single_precision<E> ? 51 : 80;
    const double bits = mode.kind == ACCUBLAS_MODE_FIXED ? mode.parameter : default_bits;
    return std::ceil((2 * bits + std::log2(k) + 2) / 7.8) * (is_complex<E> ? 2 : 1);
  }

  void check(accublas_status status) const { require(by_.name, status); }
  const Block& block(int rank) const { return blocks_[static_cast<std::size_t>(rank)]; }
  bool has_elements(int rank) const { return !block(rank).empty(); }
  static Bytes& bytes_for(std::vector<Bytes>& of_ranks, int rank) { return of_ranks[static_cast<std::size_t>(rank)]; }

  /// Finds the exponents of whole lines, whose terms the processes have.
  void measure(Side& side, accublas_side which) {
    if (side.of_rows) {
      side.exponents = side.of_rows->exponents;
      return;
    }
    side.exponents.assign(2 * static_cast<std::size_t>(side.lines), ACCUBLAS_EXPONENT_NONE);
    check(accublas_accumulator_measure(nullptr, type, which, ACCUBLAS_COL_MAJOR, side.trans, side.lines, side.terms,
                                       side.entries->data.get(), side.entries->ld(), side.exponents.data()));
    MPI_Allreduce(MPI_IN_PLACE, side.exponents.data(), static_cast<int>(side.exponents.size()), MPI_INT32_T, MPI_MAX,
                  team_.comm);
  }

  /// Adds this process's terms for the elements of C that a process has.
  void add(accublas_accumulator& sums, int rank) {
    const Buffer<E> a = left_.entries_of(block(rank).rows), b = right_.entries_of(block(rank).cols);
    check(accublas_accumulator_add(nullptr, &sums, ACCUBLAS_COL_MAJOR, left_.trans, right_.trans, left_.terms,
                                   a.data.get(), a.ld(), b.data.get(), b.ld()));
  }
  Sums sums_for(int rank) {
    const std::vector<int>&rows = block(rank).rows, &cols = block(rank).cols;
    const std::vector<std::int32_t> of_rows = left_.exponents_of(rows), of_cols = right_.exponents_of(cols);
    const std::string mode = by_.mode.kind == ACCUBLAS_MODE_CR ? "cr" : "fixed:" + std::to_string(by_.mode.parameter);
    accublas_accumulator* sums = nullptr;
    check(accublas_accumulator_create(nullptr, type, mode.c_str(), static_cast<std::int64_t>(rows.size()),
                                      static_cast<std::int64_t>(cols.size()), k_, of_rows.data(), of_cols.data(), 0,
                                      &sums));
    Sums made(sums);
    add(*sums, rank);
    return made;
  }
  Bytes exported(accublas_accumulator& sums) const {
    std::size_t size = 0;
    check(accublas_accumulator_export(nullptr, &sums, nullptr, 0, &size));
    Bytes bytes(size);
    check(accublas_accumulator_export(nullptr, &sums, bytes.data(), bytes.size(), &size));
    return bytes;
  }
  accublas_status finish(accublas_accumulator& sums) {
    return accublas_accumulator_finish(nullptr, &sums, ACCUBLAS_COL_MAJOR, &alpha_, &beta_, block(team_.rank).data,
                                       block(team_.rank).ld);
  }

  /// Sends bytes to each process, and returns those that each has sent to this one.
  std::vector<Bytes> exchanged(const std::vector<Bytes>& sent) const {
    std::vector<std::int64_t> sizes, of_others(sent.size());
    for (const Bytes& bytes : sent) sizes.push_back(static_cast<std::int64_t>(bytes.size()));
    MPI_Alltoall(sizes.data(), 1, MPI_INT64_T, of_others.data(), 1, MPI_INT64_T, team_.comm);
    std::vector<Bytes> received(sent.size());
    Messages messages(team_);
    for (int rank = 0; rank < team_.size(); ++rank) {
      bytes_for(received, rank).resize(static_cast<std::size_t>(of_others[static_cast<std::size_t>(rank)]));
      messages.receive(rank, bytes_for(received, rank));
    }
    for (int i = 1; i < team_.size(); ++i) {
      const int rank = (team_.rank + i) % team_.size();
      messages.send(rank, sent[static_cast<std::size_t>(rank)]);
    }
    messages.wait();
    return received;
  }

  /// Lets all processes add their terms again to the undecided elements of each process that has some, and finishes.
  void decide(accublas_accumulator* own, bool is_undecided) {
    const Bytes list = is_undecided ? exported(*own) : Bytes();
    std::int64_t size = static_cast<std::int64_t>(list.size());
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(team_.size()));
    MPI_Allgather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, team_.comm);
    for (int rank = 0; rank < team_.size(); ++rank) {
      size = sizes[static_cast<std::size_t>(rank)];
      if (size == 0) continue;
      Bytes bytes = rank == team_.rank ? list : Bytes(static_cast<std::size_t>(size));
      broadcast(team_, bytes.data(), size, rank);
      std::vector<Bytes> sent(static_cast<std::size_t>(team_.size()));
      if (rank == team_.rank) {
        add(*own, rank);
      } else {
        accublas_accumulator* again = nullptr;
        check(accublas_accumulator_import(nullptr, bytes.data(), bytes.size(), &again));
        const Sums sums(again);
        add(*again, rank);
        bytes_for(sent, rank) = exported(*again);
      }
      for (const Bytes& of_other : exchanged(sent))
        if (!of_other.empty()) check(accublas_accumulator_merge(nullptr, own, of_other.data(), of_other.size()));
    }
    if (is_undecided) check(finish(*own));
  }

  const Caller by_;
  const Team& team_;
  const E alpha_, beta_;
  const std::int64_t k_;
  const Axis shares_;  ///< of the terms
  Side left_, right_;
  const BlocksOf blocks_of_;
  std::vector<Block> blocks_;  ///< a block of each process, empty if it has none
};

}  // namespace accublas::pblas
