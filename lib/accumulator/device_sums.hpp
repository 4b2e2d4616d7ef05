// The residues of an accumulator in the memory of a device, which converts, multiplies and rounds there
// (cuda/accumulator/). The host keeps the rest of the accumulator, and computes the elements that the device cannot
// decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lib/accumulator/calls.hpp"
#include "lib/numerics/long_accumulator.hpp"

namespace accublas {

struct AccumulatorSide;

/// The findings about the lines of a panel that the host needs: the rows of op(A) and the columns of op(B).
struct PanelFindings {
  Index bad_row = -1, bad_column = -1;  ///< the first lines that do not fit the exponents; -1: none
  bool drops = false;                   ///< some line drops bits
  /// 0 finite, 1 with Inf, 2 with NaN, for every line; empty if all lines are finite.
  std::vector<std::uint8_t> special_rows, special_columns;
};

/// Numbers of C that the host computes, by their positions column m + row in ascending order.
template <class E>
struct OpenNumbers {
  const std::vector<Index>& at;
  const std::int8_t* residues;  ///< of every number, part by part, all moduli of a part adjacent
  const E* c;                   ///< its element of C; zero if beta is zero
};

/// The arguments of the final rounding, C = alpha S + beta C. Neither alpha nor beta is NaN, and alpha is not zero.
template <class E>
struct DeviceRounding {
  E alpha, beta;
  Matrix<E> c;
  bool exact;                       ///< the residues hold the sums that the mode defines
  const std::vector<Index>& known;  ///< numbers that residues do not define, ascending
  Index most_open;                  ///< the host computes at most that many single numbers
  std::function<void(const OpenNumbers<E>&, E* results)> resolve;
  std::function<bool()> may_write;  ///< called when all numbers are computed
};

enum class DeviceOutcome {
  done,         ///< or may_write() was false; C is as it was then
  for_the_host  ///< too many numbers are pending; C is as it was
};

/// The part of the interface that does not depend on the type of numbers. Residues are copied plane by plane: those of
/// one modulus, column by column of C, real lines of op(A) adjacent.
class DeviceResidues {
 public:
  virtual ~DeviceResidues() = default;

  virtual int device() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual std::size_t workspace_bytes() const = 0;  ///< peak of the last call
  virtual void read_plane(int l, std::int8_t* to) = 0;
  virtual void write_plane(int l, const std::int8_t* from) = 0;
  virtual void read_errors(AccumulatorSide& a, AccumulatorSide& b) = 0;
};

template <class E>
class DeviceSums : public DeviceResidues {
 public:
  /// Adds a panel. `known` gets the findings before anything is added, and may throw. The user's stream waits
  /// until the operands have been read. If the device fails when a part has been added, all later calls throw. Terms
  /// that wait and the memory of the call keep to use.cap together; if they cannot, the function throws
  /// Error(ACCUBLAS_ERROR_MEMORY) before it calls `known`.
  virtual void add(const AccumulatorPanel<E>& panel, const DeviceUse& use,
                   const std::function<void(const PanelFindings&)>& known) = 0;
  /// Adds the exact sums of a panel's elements `listed` (accublas_accumulator::listed) to `sums`. `known` may throw;
  /// the sums are then as they were.
  virtual void add_again(const AccumulatorPanel<E>& panel, const DeviceUse& use, const std::vector<Index>& listed,
                         const std::function<void(const PanelFindings&)>& known,
                         std::vector<LongAccumulator>& sums) = 0;
  virtual DeviceOutcome finish(const DeviceRounding<E>& rounding, const DeviceUse& use) = 0;
};

/// Returns sums of zeros for an accumulator, with its error bounds, on a device. `cap` limits the memory of panels that
/// wait, and of a call. Throws Error(ACCUBLAS_ERROR_MEMORY).
template <class E>
std::unique_ptr<DeviceSums<E>> make_device_sums(const Accumulator& of, int device, std::size_t cap);

}  // namespace accublas
