// The product of a deep inner dimension: the processes share its terms. Each process multiplies its terms for all of C
// into accumulators (docs/accumulators.md), and sends the sums of an element, as residues, to the process that has the
// element. That process adds them and rounds once. So an element has the bits of a single call.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "c_api/pblas/panels.hpp"

namespace accublas::pblas {

/// C = alpha op(A) op(B) + beta C for general A and B, in cr or fixed:T.
template <class E>
class SplitProduct {
 public:
  SplitProduct(const Caller& by, const Team& team, const Source& a, const Source& b, E alpha, E beta, const Part& c)
      : by_(by),
        team_(team),
        alpha_(alpha),
        beta_(beta),
        c_(c),
        k_(terms_of(a, false).count),
        shares_(shares_of(team, longer_side(a, b, c))),
        left_(by, team, a, shares_, c_.rows, false),
        right_(by, team, b, shares_, c_.cols, true) {}

  /// Whether sharing the terms pays: in a mode whose sums are residues, and if a process receives less than the panels
  /// with all terms that its part of C needs. The terms and the residues must fit into the limit of the panels. All
  /// processes get the same answer.
  static bool pays(const Team& team, const Mode& mode, const Source& a, const Source& b, const Part& c) {
    if (!team.on_host || team.size() == 1) return false;
    if (mode.kind != ACCUBLAS_MODE_CR && mode.kind != ACCUBLAS_MODE_FIXED) return false;
    for (const Part* part : {&a.part, &b.part, &c})
      if (part->rows.everywhere() || part->cols.everywhere()) return false;
    const double m = c.rows.count, n = c.cols.count, k = terms_of(a, false).count, w = sizeof(E);
    const double p = team.rows, q = team.cols, all = p * q, larger = std::max(m, n), smaller = std::min(m, n);
    // So many processes have elements of the same terms of the larger operand, and share these terms.
    const double sharers = longer_side(a, b, c).by == By::row ? q : p;
    const double panels = w * k * (m / p * (q - 1) / q + n / q * (p - 1) / p);
    const double operands = w * k / all * (larger * (1 - 1 / sharers) + smaller * (1 - 1 / all));
    const double residues = bytes_of_sum(mode, k) * m * n, sums = residues * (1 - 1 / all);
    // The terms are in memory three times (messages sent and received, and the part), the residues twice.
    const double memory = 3 * w * k / all * (m + n) + 2 * residues;
    return operands + sums < panels && memory <= static_cast<double>(team.buffer_bytes);
  }

  void run() {
    left_.receive(), right_.receive();
    measure(left_, ACCUBLAS_LEFT), measure(right_, ACCUBLAS_RIGHT);
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

 private:
  using Bytes = std::vector<char>;
  struct Destroy {
    void operator()(accublas_accumulator* sums) const { accublas_accumulator_destroy(sums); }
  };
  using Sums = std::unique_ptr<accublas_accumulator, Destroy>;
  static constexpr accublas_type type = is_complex<E> ? (is_single_precision<E> ? ACCUBLAS_TYPE_C : ACCUBLAS_TYPE_Z)
                                                      : (is_single_precision<E> ? ACCUBLAS_TYPE_S : ACCUBLAS_TYPE_D);

  /// An operand with this process's terms and all lines: rows of op(A), or columns of op(B) if `right`.
  struct Side {
    Side(const Caller& by, const Team& team, const Source& source, const Axis& terms, const Axis& lines, bool right)
        : name(by.name),
          team(team),
          trans(source.trans),
          are_rows(right != source.plain()),
          lines(lines),
          terms(static_cast<std::int64_t>(terms.of_group(team.rank).size())),
          entries(buffer(lines.count)) {
      Part part{Axis::all(source.part.rows.count), Axis::all(source.part.cols.count), entries.data.get(), entries.ld()};
      (are_rows ? part.cols : part.rows) = terms;
      exchange.emplace(team, source.part, part, sizeof(E));
    }
    void receive() {
      exchange->finish();
      exchange.reset();
    }
    Buffer<E> buffer(std::int64_t count) const {
      return are_rows ? Buffer<E>(name, count, terms) : Buffer<E>(name, terms, count);
    }
    std::vector<int> lines_of(int rank) const { return lines.of_group(lines.group_of(team, rank)); }
    /// Returns the lines of the elements of C that a process has, adjacent in memory.
    Buffer<E> entries_of(const std::vector<int>& own) {
      Buffer<E> copy = buffer(static_cast<std::int64_t>(own.size()));
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(own.size()); ++i)
        for (std::int64_t p = 0; p < terms; ++p) {
          const std::int64_t line = own[static_cast<std::size_t>(i)];
          (are_rows ? copy(i, p) : copy(p, i)) = are_rows ? entries(line, p) : entries(p, line);
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
    const Team& team;
    accublas_transpose trans;
    bool are_rows;  ///< the lines are rows of the stored operand
    const Axis& lines;
    std::int64_t terms;
    Buffer<E> entries;
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
  /// The approximate size of an element's sum as residues: a byte for each modulus, and 7.8 bits of the sum for each
  /// byte. In cr an entry has the bits of an accumulator's default (accublas_accumulator_create), if it has not fewer.
  static double bytes_of_sum(const Mode& mode, double k) {
    constexpr int default_bits = is_single_precision<E> ? 51 : 80;
    const double bits = mode.kind == ACCUBLAS_MODE_FIXED ? mode.parameter : default_bits;
    return std::ceil((2 * bits + std::log2(k) + 2) / 7.8) * (is_complex<E> ? 2 : 1);
  }

  void check(accublas_status status) const { require(by_.name, status); }
  bool has_elements(int rank) const { return !left_.lines_of(rank).empty() && !right_.lines_of(rank).empty(); }
  static Bytes& bytes_for(std::vector<Bytes>& of_ranks, int rank) { return of_ranks[static_cast<std::size_t>(rank)]; }

  /// Finds the exponents of whole lines, whose terms the processes have.
  void measure(Side& side, accublas_side which) {
    side.exponents.assign(2 * static_cast<std::size_t>(side.lines.count), ACCUBLAS_EXPONENT_NONE);
    check(accublas_accumulator_measure(nullptr, type, which, ACCUBLAS_COL_MAJOR, side.trans, side.lines.count,
                                       side.terms, side.entries.data.get(), side.entries.ld(), side.exponents.data()));
    MPI_Allreduce(MPI_IN_PLACE, side.exponents.data(), static_cast<int>(side.exponents.size()), MPI_INT32_T, MPI_MAX,
                  team_.comm);
  }

  /// Adds this process's terms for the elements of C that a process has.
  void add(accublas_accumulator& sums, int rank) {
    const Buffer<E> a = left_.entries_of(left_.lines_of(rank)), b = right_.entries_of(right_.lines_of(rank));
    check(accublas_accumulator_add(nullptr, &sums, ACCUBLAS_COL_MAJOR, left_.trans, right_.trans, left_.terms,
                                   a.data.get(), a.ld(), b.data.get(), b.ld()));
  }
  Sums sums_for(int rank) {
    const std::vector<int> rows = left_.lines_of(rank), cols = right_.lines_of(rank);
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
    return accublas_accumulator_finish(nullptr, &sums, ACCUBLAS_COL_MAJOR, &alpha_, &beta_, c_.data, c_.ld);
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
  const Part c_;
  const std::int64_t k_;
  const Axis shares_;  ///< of the terms
  Side left_, right_;
};

}  // namespace accublas::pblas
