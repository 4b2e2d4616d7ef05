// A routine with a side is cut along the rows or columns of B and C that do not depend on each other. A triangle of C
// is cut into triangles along its diagonal, which are calls of the routine, and rectangles, which are GEMM.
#include "cuda/structured/shared_level3.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <variant>
#include <vector>

#include "cuda/core/device_states.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/structured/level3_call.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr Index edge = 256;  ///< the edges of parts are multiples of this

template <class E>
using Part = std::variant<Level3<E>, Gemm<E>>;

/// Returns approximately how many terms the sums of a part have together.
template <class E>
double work_of(const Part<E>& part) {
  if (const Gemm<E>* const g = std::get_if<Gemm<E>>(&part))
    return static_cast<double>(g->m) * static_cast<double>(g->n);
  const Level3<E>& l = std::get<Level3<E>>(part);
  return (l.wanted() == Triangle::all ? 1 : 0.5) * static_cast<double>(l.rows()) * static_cast<double>(l.cols());
}

/// Returns the part of a call with a side that has `count` rows or columns of C from `first` on.
template <class E>
Level3<E> side_part(Level3<E> l, Index first, Index count) {
  const bool left = l.side == ACCUBLAS_LEFT, in_place = is_in_place(l.kind);
  const Index ld_c = in_place ? l.ldb : l.ldc;
  (left ? l.n : l.m) = count;
  l.c += left ? first * ld_c : first;
  if (!in_place) l.b += left ? first * l.ldb : first;
  return l;
}

/// Returns the part of a call with a triangular result whose diagonal elements are `first` to first + count - 1.
template <class E>
Level3<E> diagonal_part(Level3<E> l, Index first, Index count) {
  l.n = count;
  l.a += tall_a(l) ? first : first * l.lda;
  if (l.kind == Operation::gemmt) l.b += tall_b(l) ? first : first * l.ldb;
  l.c += first * (l.ldc + 1);
  return l;
}

/// Returns a rectangle of the result of a call without structured operands.
template <class E>
Gemm<E> rectangle(const Level3<E>& l, const Index row, Index rows, Index col, Index cols) {
  const Product<E> p = product_of(l);
  const Gemm<E> g{rows,
                  cols,
                  p.k,
                  p.alpha,
                  p.a.stored.block(row, 0),
                  p.b.stored.block(0, col),
                  p.beta,
                  p.c.block(row, col),
                  p.a.conjugate,
                  p.b.conjugate};
  // In dot2 an imaginary part has two terms for each p, and the term of B comes first then.
  return p.transposed && is_complex<E> ? g.transposed() : g;
}

/// Cuts a call into parts and gives each device a share. Returns an empty list if there is only one part.
template <class E>
std::vector<std::vector<Part<E>>> shares_of(const Level3<E>& l, std::size_t devices) {
  const bool triangle = l.wanted() != Triangle::all;
  const Index length = triangle || l.side == ACCUBLAS_LEFT ? l.n : l.m;
  const Index step = round_up(ceil_div(length, static_cast<Index>(devices)), edge);
  std::vector<Part<E>> parts;
  for (Index first = 0; first < length; first += step) {
    const Index count = std::min(step, length - first);
    parts.push_back(triangle ? diagonal_part(l, first, count) : side_part(l, first, count));
    if (!triangle) continue;
    // Each earlier part of the diagonal makes a rectangle with this one, in two halves.
    for (Index other = 0; other < first; other += step)
      for (Index half = 0; half < step; half += round_up(step / 2, edge)) {
        const Index cols = std::min(round_up(step / 2, edge), step - half);
        parts.push_back(l.part() == Triangle::lower ? rectangle(l, first, count, other + half, cols)
                                                    : rectangle(l, other + half, cols, first, count));
      }
  }
  if (parts.size() < 2) return {};
  std::stable_sort(parts.begin(), parts.end(), [](const auto& x, const auto& y) { return work_of(x) > work_of(y); });
  std::vector<std::vector<Part<E>>> shares(std::min(devices, parts.size()));
  std::vector<double> load(shares.size(), 0);
  for (const Part<E>& part : parts) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += work_of(part);
    shares[static_cast<std::size_t>(least - load.begin())].push_back(part);
  }
  return shares;
}

/// Returns how many bytes of device memory a part's copies take. GEMM can also compute with less.
template <class E>
std::size_t bytes_of(const Part<E>& part) {
  const Level3<E>* const l = std::get_if<Level3<E>>(&part);
  if (!l) return 0;
  const Index order = l->wanted() == Triangle::all ? l->order() : 0, c = l->rows() * l->cols();
  // Structured operands are also written out, and so is the other operand of TRMM.
  const Index operands = order > 0 ? 2 * order * order + c : 2 * l->n * l->k;
  return static_cast<std::size_t>(operands + c) * sizeof(E);
}

template <class E>
class SharedLevel3 {
 public:
  SharedLevel3(State& state, const Call<Level3<E>, E>& call, Execution& execution, DeviceGemmFunction<E> serve,
               std::vector<std::vector<Part<E>>> shares)
      : call_(call),
        execution_(execution),
        serve_(serve),
        shares_(std::move(shares)),
        devices_(state, execution.devices, shares_.size()),
        group_(shares_.size()) {}

  bool fits() const {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const int device = devices_.states[i]->device();
      const DeviceScope scope(device);
      const std::size_t room = room_for_operands(device, devices_.sharing(i), execution_.workspace.cap());
      for (const Part<E>& part : shares_[i])
        if (bytes_of(part) > room) return false;
    }
    return true;
  }

  void run() {
    std::vector<accublas_report_t> reports(shares_.size(), report_of_part(execution_.report));
    const auto fail = [&](const char* message, accublas_status status) {
      throw Error(written_ ? ACCUBLAS_ERROR_C_UNDEFINED : status, message);
    };
    try {
      devices_.run(group_, [&](std::size_t i, State& state) {
        Workspace workspace(execution_.workspace.cap(), nullptr, 0);
        Execution own = execution_.within(workspace, reports[i]);
        own.devices = {};
        own.threads = std::max(1, execution_.threads / static_cast<int>(shares_.size()));
        for (const Part<E>& part : shares_[i]) {
          group_.require_running();
          try {
            std::visit([&](const auto& problem) { compute(state, problem, own); }, part);
          } catch (const Error& error) {
            // Other failures may come after the first write.
            written_ =
                written_ || (error.status() != ACCUBLAS_ERROR_MEMORY && error.status() != ACCUBLAS_ERROR_UNAVAILABLE);
            throw;
          }
          written_ = true;
        }
      });
    } catch (const Error& error) {
      fail(error.what(), error.status());
    } catch (const std::bad_alloc&) {
      if (written_) fail("no host memory", ACCUBLAS_ERROR_MEMORY);
      throw;
    }
    report_devices(reports, execution_);
  }

 private:
  template <class Problem>
  void compute(State& state, const Problem& problem, Execution& own) {
    const Call<Problem, E> call{problem,     {&problem.alpha, false}, {&problem.beta, false}, false, false, call_.mode,
                                call_.engine};
    if constexpr (std::is_same_v<Problem, Gemm<E>>) {
      staged_gemm(state, call, own, serve_);
    } else {
      staged_level3(state, call, own, serve_);
      state.complete(own.report);
      state.forget_call();
    }
  }

  const Call<Level3<E>, E>& call_;
  Execution& execution_;
  const DeviceGemmFunction<E> serve_;
  const std::vector<std::vector<Part<E>>> shares_;
  const DeviceStates devices_;
  FlowGroup group_;
  std::atomic<bool> written_{false};
};

}  // namespace

template <class E>
bool share_level3(State& state, const Call<Level3<E>, E>& call, Execution& execution, DeviceGemmFunction<E> serve) {
  const Level3<E>& l = call.problem;
  const double operations = (l.wanted() == Triangle::all ? 2.0 : 1.0) * static_cast<double>(l.rows()) *
                            static_cast<double>(l.cols()) * static_cast<double>(l.terms());
  if (!worth_sharing(state, execution, operations) || is_syr2k(l.kind) || l.alpha == 0 || execution.target > 0 ||
      (is_grade(call.mode) && call.mode.reproducible))
    return false;
  std::vector<std::vector<Part<E>>> shares = shares_of(l, execution.devices.size());
  if (shares.empty()) return false;
  SharedLevel3<E> shared(state, call, execution, serve, std::move(shares));
  if (!shared.fits()) return false;
  shared.run();
  return true;
}

#define ACCUBLAS_INSTANTIATE(E) \
  template bool share_level3(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E>);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
