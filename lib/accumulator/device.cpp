// Panels and results of accumulators whose residues are in the memory of a device. The host computes the elements that
// the device cannot decide, from their residues, exact sums or special terms.
#include <algorithm>
#include <numeric>

#include "lib/accumulator/accumulator.hpp"
#include "lib/accumulator/known_sums.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/call/scale_result.hpp"

namespace accublas {

namespace {

/// Returns the accumulator's sums on a device, where it moves them if they are elsewhere, or null if they do not fit.
template <class E>
DeviceSums<E>* sums_on(Accumulator& of, const DeviceUse& use, AccumulatorCall& call) {
  if (of.on_device && of.on_device->device() != use.device) of.use_tiles();
  if (!of.on_device) {
    of.multiply_waiting(call.threads, call.isa);
    try {
      std::unique_ptr<DeviceSums<E>> made = make_device_sums<E>(of, use.device, use.cap);
      if (!of.blank) {
        std::vector<std::int8_t> plane(static_cast<std::size_t>(of.rows() * of.cols()));
        for (int l = 0; l < of.moduli; ++l) {
          for_each_run(of, l, [&](const std::int8_t* run, Index row, Index col, Index count) {
            std::copy(run, run + count, plane.data() + row * of.cols() + col);
          });
          made->write_plane(l, plane.data());
        }
      }
      of.on_device = std::move(made);
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_MEMORY) throw;
      return nullptr;
    }
    of.tiles.reset();
    of.waiting_bytes.reset();
  }
  return static_cast<DeviceSums<E>*>(of.on_device.get());
}

/// Returns the numbers, column m + row, with a sum that residues do not define.
std::vector<Index> known_numbers(const Accumulator& sums) {
  std::vector<Index> known;
  for (std::size_t i = 0; i < sums.classes.size(); ++i)
    if (sums.classes[i] != 0) known.push_back(static_cast<Index>(i) / sums.a.parts);
  for (const Index sum : sums.listed) known.push_back(sum / sums.a.parts);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

/// Computes single elements as Finish (finish.cpp) does, and collects the sums that stay undecided.
template <class E>
class OneByOne {
 public:
  using T = RealOf<E>;
  static constexpr int parts = is_complex<E> ? 2 : 1;

  /// `single`: components are rounded, and listed, on their own.
  OneByOne(const Accumulator& sums, E alpha, E beta, bool single, int threads)
      : sums_(sums), alpha_(number(alpha)), beta_(number(beta)), single_(single), threads_(threads) {}

  void run(const OpenNumbers<E>& open, E* results) {
    std::vector<std::vector<Index>> found(static_cast<std::size_t>(threads_));
    parallel_for(static_cast<Index>(open.at.size()), threads_, [&](Index i, int thread) {
      const Index at = open.at[static_cast<std::size_t>(i)], j = at / sums_.m, row = at % sums_.m;
      KnownSum<T> s[2];
      for (int part = 0; part < parts; ++part)
        s[part] = known_sum<T>(sums_, j, parts * row + part, open.residues + (parts * i + part) * sums_.moduli);
      std::vector<Index>& undecided = found[static_cast<std::size_t>(thread)];
      const auto list = [&](int part) {
        if (s[part].error > 0) undecided.push_back(j * sums_.cols() + parts * row + part);
      };
      T* const out = reinterpret_cast<T*>(results + i);
      bool decided[2] = {true, true};
      for (int part = 0; part < parts; ++part)
        decided[part] = Component<T>(alpha_, s, beta_, number(open.c[i]), part == 1).round(out + part);
      for (int part = 0; part < parts; ++part)
        if (!decided[part] || (!single_ && !decided[1 - part])) list(part);
    });
    for (const std::vector<Index>& some : found) undecided_.insert(undecided_.end(), some.begin(), some.end());
  }
  /// Returns the undecided sums, in ascending order.
  const std::vector<Index>& undecided() {
    std::sort(undecided_.begin(), undecided_.end());
    undecided_.erase(std::unique(undecided_.begin(), undecided_.end()), undecided_.end());
    return undecided_;
  }

 private:
  static Complex<T> number(const E& x) {
    if constexpr (is_complex<E>)
      return x;
    else
      return {x, T(0)};
  }

  const Accumulator& sums_;
  const Complex<T> alpha_, beta_;
  const bool single_;
  const int threads_;
  std::vector<Index> undecided_;
};

}  // namespace

template <class E>
bool add_on_device(Accumulator& to, const AccumulatorPanel<E>& panel, const DeviceUse& use,
                   const std::function<AccumulatorPanel<E>()>& in_host_memory, AccumulatorCall& call) {
  require_room(to, panel.k);
  const bool again = to.second_round();
  // The CPU takes exact sums of host operands in less time than copies take.
  if (again && !use.space.users) return false;
  DeviceSums<E>* const sums = sums_on<E>(to, use, call);
  if (!sums) return false;
  bool drops = false, fits = false;  // fits: from then on the sums change
  const auto require_fit = [&](const PanelFindings& found) {
    const auto exponents = [](const AccumulatorSide& side, Index i) {
      return side.exponents[static_cast<std::size_t>(i)];
    };
    if (found.bad_row >= 0) beyond("row", found.bad_row, exponents(to.a, found.bad_row));
    if (found.bad_column >= 0) beyond("column", found.bad_column, exponents(to.b, found.bad_column));
    fits = true;
  };
  try {
    if (again) {
      sums->add_again(panel, use, to.listed, require_fit, to.sums);
    } else {
      sums->add(panel, use, [&](const PanelFindings& found) {
        require_fit(found);
        if (!found.special_rows.empty())
          add_classes(to, in_host_memory(), found.special_rows.data(), found.special_columns.data(), call.threads);
        drops = found.drops;
      });
    }
  } catch (const Error& error) {
    if (fits || error.status() != ACCUBLAS_ERROR_MEMORY) throw;
    return false;
  }
  to.drops_on_device |= drops && to.rounds();
  (again ? to.added_again : to.added) += panel.k;
  call.peak = std::max(call.peak, sums->workspace_bytes());
  return true;
}

template <class E>
bool finish_on_device(Accumulator& sums, E alpha, E beta, Matrix<E> c, const DeviceUse& use, AccumulatorCall& call) {
  require_all_terms(sums);
  if (!sums.on_device || sums.added == 0 || alpha == RealOf<E>(0) || holds_nan(alpha) || holds_nan(beta)) return false;
  const std::vector<Index> known = known_numbers(sums);
  const Index most = std::max<Index>(sums.m * sums.n / 64, 4096);
  if (static_cast<Index>(known.size()) > most) return false;
  const bool exact = facts_of(sums).exact;
  OneByOne<E> one_by_one(sums, alpha, beta, rounds_parts_alone(alpha, beta, c, sums.m), call.threads);
  DeviceSums<E>& there = static_cast<DeviceSums<E>&>(*sums.on_device);
  DeviceOutcome outcome = DeviceOutcome::done;
  bool knows_errors = false;
  const unsigned raised = collect_exceptions([&] {
    try {
      outcome = there.finish({alpha, beta, c, exact, known, most,
                              [&](const OpenNumbers<E>& open, E* results) {
                                if (!exact && !knows_errors) sums.on_device->read_errors(sums.a, sums.b);
                                knows_errors = true;
                                one_by_one.run(open, results);
                              },
                              [&] { return one_by_one.undecided().empty(); }},
                             use);
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_MEMORY) throw;
      outcome = DeviceOutcome::for_the_host;
    }
  });
  call.peak = std::max(call.peak, there.workspace_bytes());
  if (outcome == DeviceOutcome::for_the_host) return false;
  if (!one_by_one.undecided().empty()) begin_second_round(sums, one_by_one.undecided());
  signal_exceptions(raised);
  return true;
}

#define ACCUBLAS_INSTANTIATE(E)                                                               \
  template bool add_on_device(Accumulator&, const AccumulatorPanel<E>&, const DeviceUse&,     \
                              const std::function<AccumulatorPanel<E>()>&, AccumulatorCall&); \
  template bool finish_on_device(Accumulator&, E, E, Matrix<E>, const DeviceUse&, AccumulatorCall&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
