// Flows of calls (lib/lapack) on a device whose memory is the user's workspace: they are served, with the CPU's bits in
// cr, or refused with their operands as they were, and as many bytes as they ask for suffice. No GPU is needed. Arrays
// of the host that are registered are the device's memory, the CPU computes there, and behind the workspace there is
// nothing of the device. This program has a CUDA backend of its own in place of the library's.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/call/backend.hpp"
#include "lib/call/place.hpp"
#include "lib/certified/certified.hpp"
#include "lib/cpu/element_steps.hpp"
#include "lib/cpu/real_blas.hpp"
#include "lib/lapack/inverses.hpp"
#include "lib/lapack/orthogonal.hpp"
#include "lib/mp/backend.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/dispatch.hpp"
#include "lib/runtime/report.hpp"

namespace accublas {
namespace {

struct HostDevice;
HostDevice& host_device();

class HostDeviceState final : public BackendState {
 public:
  int device() const override { return 0; }
  bool captured() const override { return false; }
  void complete(accublas_report_t&) override {}
  void set_stream(void*) override {}
  void* stream() const override { return nullptr; }
  accublas_status synchronize(std::string&) override { return ACCUBLAS_SUCCESS; }
  accublas_status finish(std::string&) override { return ACCUBLAS_SUCCESS; }
};

struct HostDevice final : Backend {
  struct Range {
    const unsigned char* begin;
    std::size_t bytes;
    bool has(const void* pointer) const {
      return reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(begin) < bytes;
    }
  };
  static constexpr std::size_t call_bytes = 3000;  ///< that each call takes of its workspace

  std::vector<Range> memory;  ///< the device's
  Range workspace{};          ///< the user's, one of them
  Range imagined{};           ///< in a rehearsal
  std::size_t most = 0;       ///< bytes that the rehearsal has taken
  int rehearsals = 0;
  int failing = -1;           ///< the operation after which the device fails, from 0; -1: none
  accublas_status failure{};  ///< with this status

  /// An operation is done. One that may have changed a result fails as CUDA's calls do.
  void done(bool undefined = false) {
    if (imagined.bytes > 0 || failing < 0 || failing-- > 0) return;
    throw Error(undefined ? ACCUBLAS_ERROR_C_UNDEFINED : failure, "the device failed", failure);
  }

  void take(const void* end) {
    most = std::max(most, static_cast<std::size_t>(static_cast<const unsigned char*>(end) - imagined.begin));
  }

  const char* name() const noexcept override { return "cuda"; }
  int device_count(std::string&) const override { return 1; }
  std::string device_name(int) const override { return "host"; }
  Location locate(const void* pointer) const override {
    const bool on_device = imagined.has(pointer) || std::any_of(memory.begin(), memory.end(),
                                                                [&](const Range& range) { return range.has(pointer); });
    return {on_device ? MemoryKind::device : MemoryKind::host, 0};
  }
  std::size_t default_workspace(int) const override { return std::size_t{1} << 28; }
  std::unique_ptr<BackendState> make_state(int) override { return std::make_unique<HostDeviceState>(); }

  std::size_t rehearse(const void*, std::span<std::byte> addresses, const std::function<void()>& body) override {
    struct Imagining {
      Range& range;
      ~Imagining() { range = {}; }
    } const imagining{imagined};
    ++rehearsals;
    most = 0;
    imagined = {reinterpret_cast<const unsigned char*>(addresses.data()), addresses.size()};
    body();
    return most;
  }

  void compute(const AnyCall& any, BackendState*, Execution& execution) override {
    const accublas_mode mode = std::visit(
        [](const auto* call) {
          if constexpr (requires { call->problem.reflectors(); })
            throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "QR is a flow on this device");
          return call->mode.kind;
        },
        any.call);
    auto* const buffer = static_cast<unsigned char*>(execution.workspace.buffer());
    if (!buffer) throw Error(ACCUBLAS_ERROR_INTERNAL, "a call without its part of the workspace");
    auto* const start = reinterpret_cast<unsigned char*>(round_up(reinterpret_cast<std::uintptr_t>(buffer), 256));
    if (imagined.bytes > 0) return take(start + call_bytes);
    if (start + call_bytes > buffer + execution.workspace.buffer_bytes()) execution.workspace.refuse();
    if (!workspace.has(start) || !workspace.has(start + call_bytes - 1))
      throw Error(ACCUBLAS_ERROR_INTERNAL, "a call beside the workspace");
    std::memset(start, 0xA5, call_bytes);
    any.engine = mode == ACCUBLAS_MODE_CR ? ACCUBLAS_ENGINE_SUMS : ACCUBLAS_ENGINE_NATIVE;
    Workspace hosts(std::size_t{1} << 28, nullptr, 0);
    Execution on_host = execution.within(hosts);
    cpu_backend().compute(any, nullptr, on_host);
    done(true);
  }
  void begin_steps(AnySteps place, BackendState*, Workspace& of_call, int) override;
};

template <class E>
class Steps final : public ElementSteps<E> {
 public:
  explicit Steps(Workspace& workspace) : workspace_(workspace), host_(workspace) {}
  std::byte* take_bytes(std::size_t bytes) override {
    std::byte* const memory = workspace_.take<std::byte>(bytes);
    if (rehearses()) host_device().take(memory + bytes);
    return memory;
  }
  void run(const ElementStep<E>& step, Index rows, Index cols) override {
    if (!rehearses()) host_.run(step, rows, cols);
    host_device().done();
  }
  Index first(const ElementQuestion<E>& question, Index rows, Index cols) override {
    if (rehearses()) return question.kind == ElementQuestion<E>::Kind::nonzero ? 0 : -1;
    const Index found = host_.first(question, rows, cols);
    host_device().done();
    return found;
  }
  void reflect(const ReflectorsOfColumns<E>& columns) override {
    if (!rehearses()) host_.reflect(columns);
    host_device().done();
  }
  E read(const E* from) override {
    host_device().done();
    return rehearses() ? E{} : *from;
  }
  void put(std::int64_t* to, std::int64_t value) override {
    if (!rehearses()) *to = value;
    host_device().done();
  }
  using ElementSteps<E>::put;
  void exchange(const Matrix<E>& b, Index columns, const Pivots& pivots, Index count, bool backwards) override {
    if (!rehearses()) host_.exchange(b, columns, pivots, count, backwards);
    host_device().done();
  }
  std::int64_t finish() override {
    host_device().done();
    return 0;
  }

 private:
  static bool rehearses() { return host_device().imagined.bytes > 0; }

  Workspace& workspace_;
  cpu::HostSteps<E> host_;
};

void HostDevice::begin_steps(AnySteps place, BackendState*, Workspace& of_call, int) {
  std::visit([&]<class E>(std::unique_ptr<ElementSteps<E>>* steps) { *steps = std::make_unique<Steps<E>>(of_call); },
             place);
}

HostDevice& host_device() {
  static HostDevice device;
  return device;
}

/// A routine's operands.
template <class E>
struct Operands {
  Index m, n, sides;
  std::vector<E> a, c, tau;
  std::vector<std::int64_t> pivots, info{-77};
  bool operator==(const Operands& other) const {
    const auto same = [](const auto& x, const auto& y) {
      return std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
    };
    return same(a, other.a) && same(c, other.c) && same(tau, other.tau) && same(info, other.info);
  }
};

template <class E>
class FlowWorkspace : public testing::Test {
 protected:
  static Operands<E> make(Operation kind, Index m = 150, Index n = 100, Index sides = 40) {
    const Index edge = std::max(m, n);
    std::uint64_t state = 7;
    const auto numbers = [&](Index count) {
      std::vector<E> x(static_cast<std::size_t>(count));
      for (E& number : x) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        number = E{static_cast<RealOf<E>>(static_cast<std::int64_t>(state)) * RealOf<E>(0x1p-64)};
      }
      return x;
    };
    Operands<E> o{m, n, sides, numbers(edge * edge), numbers(edge * edge), numbers(edge), {}};
    if (is_inverse(kind))
      for (Index i = 0; i < n; ++i) o.a[static_cast<std::size_t>(i * (n + 1))] = E{4};
    for (Index i = 1; i <= edge; ++i) o.pivots.push_back(i);
    return o;
  }

  static void call(accublas_context& context, Operation kind, Operands<E>& o) {
    const Index edge = std::max(o.m, o.n);
    if (is_inverse(kind)) {
      Factorization<E> f{{kind, is_complex<E>}, {o.a.data(), 1, o.n}, {}, {o.pivots.data(), false}};
      f.n = f.lda = o.n;
      f.info = o.info.data();
      run_inverse(context, f, nullptr);
    } else {
      Orthogonal<E> q{{kind, is_complex<E>}};
      q.m = o.m, q.n = kind == Operation::ormqr ? o.sides : o.n, q.k = kind == Operation::orgqr ? o.sides : o.n;
      q.nrhs = o.sides, q.lda = q.ldc = edge;
      q.a = {o.a.data(), 1, edge}, q.c = {o.c.data(), 1, edge}, q.tau = o.tau.data();
      if (kind == Operation::gels) q.info = o.info.data();
      run_orthogonal(context, q, nullptr);
    }
  }

  /// The call on the device, in a workspace of so many bytes: Error's status, or success.
  static accublas_status on_device(accublas_mode mode, Operation kind, std::size_t bytes, Operands<E>& o,
                                   std::string& message, bool info_on_device = true) {
    std::vector<unsigned char> workspace(bytes);
    const auto range = [](auto& x) {
      return HostDevice::Range{reinterpret_cast<const unsigned char*>(x.data()), x.size() * sizeof x[0]};
    };
    HostDevice& device = host_device();
    device.memory = {range(o.a), range(o.c), range(o.tau), range(o.pivots), range(workspace)};
    if (info_on_device) device.memory.push_back(range(o.info));
    device.workspace = range(workspace);
    accublas_context context;
    context.level.all.kind = mode;
    context.workspace = workspace.data();
    context.workspace_bytes = bytes;
    accublas_status status = ACCUBLAS_SUCCESS;
    try {
      call(context, kind, o);
    } catch (const Error& error) {
      status = error.status();
      message = error.what();
    }
    EXPECT_EQ(context.workspace, workspace.data());
    EXPECT_EQ(context.workspace_bytes, bytes);
    EXPECT_FALSE(context.rehearses);
    device.memory.clear();
    return status;
  }

  static void expect_all_or_nothing(accublas_mode mode, Operation kind) {
    const std::string what = routine_name({kind, type_of<E>});
    Operands<E> want = make(kind);
    accublas_context on_cpu;
    on_cpu.level.all.kind = ACCUBLAS_MODE_CR;
    call(on_cpu, kind, want);
    const auto try_size = [&](std::size_t bytes) -> std::size_t {
      const Operands<E> before = make(kind);
      Operands<E> o = before;
      std::string message;
      const accublas_status status = on_device(mode, kind, bytes, o, message);
      if (status == ACCUBLAS_SUCCESS) {
        EXPECT_TRUE(mode != ACCUBLAS_MODE_CR || o == want) << what << " in " << bytes;
        return 0;
      }
      EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << what << " in " << bytes << ": " << message;
      EXPECT_TRUE(o == before) << what << " in " << bytes << ": operands have changed";
      const std::string given = "user's workspace of " + std::to_string(bytes) + " bytes is too small: ";
      const std::size_t at = message.find(given);
      EXPECT_NE(at, std::string::npos) << what << ": " << message;
      return at == std::string::npos ? 0 : std::strtoull(message.c_str() + at + given.size(), nullptr, 10);
    };
    host_device().rehearsals = 0;
    for (const std::size_t bytes : {1, 300, 4096, 65536, 1 << 18, 1 << 22}) {
      const std::size_t needed = try_size(bytes);
      if (needed == 0) continue;
      EXPECT_GT(needed, bytes) << what;
      EXPECT_EQ(try_size(needed), 0u) << what << ": " << needed << " are said to suffice";
    }
    EXPECT_GT(host_device().rehearsals, 6) << what;
  }

  /// The device fails after the first, second, ... operation of the call, and the status says whether a result changed.
  static void expect_failures(accublas_mode mode, Operation kind, const Operands<E>& before) {
    for (const accublas_status failure : {ACCUBLAS_ERROR_DEVICE, ACCUBLAS_ERROR_MEMORY})
      for (const bool info_on_device : {false, true})
        for (int nth = 0;; ++nth) {
          Operands<E> o = before;
          std::string message;
          host_device().failing = nth;
          host_device().failure = failure;
          const accublas_status status = on_device(mode, kind, 1 << 16, o, message, info_on_device);
          if (status == ACCUBLAS_SUCCESS) {
            EXPECT_GE(host_device().failing, 0);
            EXPECT_GT(nth, 1);
            break;
          }
          EXPECT_EQ(status, o == before ? failure : ACCUBLAS_ERROR_C_UNDEFINED)
              << routine_name({kind, type_of<E>}) << " of " << o.m << " x " << o.n << ", operation " << nth;
          EXPECT_EQ(message, "the device failed");
        }
    host_device().failing = -1;
  }
};
using FlowElements = testing::Types<double, float, Complex<double>, Complex<float>>;
TYPED_TEST_SUITE(FlowWorkspace, FlowElements);

TYPED_TEST(FlowWorkspace, InEverySize) {
  using enum Operation;
  for (const Operation kind : {geqrf, orgqr, ormqr, gels, trtri, lauum, potri, getri})
    this->expect_all_or_nothing(ACCUBLAS_MODE_CR, kind);
}

TYPED_TEST(FlowWorkspace, DeviceThatFails) {
  using enum Operation;
  for (const Operation kind : {geqrf, orgqr, ormqr, gels, trtri, lauum, potri, getri})
    this->expect_failures(ACCUBLAS_MODE_CR, kind, this->make(kind, 6, 4, 3));
  this->expect_failures(ACCUBLAS_MODE_CR, gels, this->make(gels, 4, 6, 3));
  Operands<TypeParam> singular = this->make(getri, 6, 4, 3);
  singular.a[5] = {};
  this->expect_failures(ACCUBLAS_MODE_CR, getri, singular);
}

// A process may have less room for addresses than the buffer that a rehearsal imagines (ulimit -v).
using FlowWorkspaceOfDouble = FlowWorkspace<double>;
TEST_F(FlowWorkspaceOfDouble, UnderALimitOfAddresses) {
  const auto call_with_64_gib_more = [] {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 30);
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(127);
    Operands<double> o = make(Operation::geqrf);
    std::string message;
    const accublas_status status = on_device(ACCUBLAS_MODE_CR, Operation::geqrf, 1 << 20, o, message);
    std::fputs(message.c_str(), stderr);
    std::_Exit(status);
  };
  EXPECT_EXIT(call_with_64_gib_more(), testing::ExitedWithCode(ACCUBLAS_SUCCESS), "");
}

// GELS in dp and sp is calls of GEQRF and ORMQR, which are flows here.
TYPED_TEST(FlowWorkspace, FlowsWithinAFlow) {
  if (!cpu::have_real_blas()) GTEST_SKIP() << "the products are the real BLAS's";
  const accublas_mode mode = is_single_precision<TypeParam> ? ACCUBLAS_MODE_SP : ACCUBLAS_MODE_DP;
  this->expect_all_or_nothing(mode, Operation::gels);
  this->expect_failures(mode, Operation::gels, this->make(Operation::gels, 6, 4, 3));
}

/// A call without an operand is reported where its settings alone would have it.
TEST(EmptyCall, IsReportedWhereItsSettingsSay) {
  for (const accublas_backend backend : {ACCUBLAS_BACKEND_AUTO, ACCUBLAS_BACKEND_CPU, ACCUBLAS_BACKEND_CUDA}) {
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.backend = backend;
    const std::string want = backend == ACCUBLAS_BACKEND_CUDA ? "cuda" : "cpu";
    accublas_context context;
    std::int64_t info = -77;
    Factorization<double> factorization{{Operation::getrf, false}};
    factorization.info = &info;
    run_factorization(context, factorization, &options);
    EXPECT_EQ(full_report(context, false).backend, want);
    accublas_certificate_t certificate{};
    for (const Structure structure : {Structure::general, Structure::symmetric}) {
      CertifiedSystem<double> system{};
      system.a.structure = structure;
      solve_certified(context, system, &options, &certificate);
      EXPECT_EQ(full_report(context, false).backend, want);
    }
  }
}

}  // namespace

Backend& cuda_backend() { return host_device(); }
std::unique_ptr<Place> device_place(BackendState&) {
  throw Error(ACCUBLAS_ERROR_NO_DEVICE, "this device has no certified solutions");
}
namespace mp {
MpBackend& cuda_mp_backend() { throw Error(ACCUBLAS_ERROR_NO_DEVICE, "this device has no multiple precision"); }
}  // namespace mp

}  // namespace accublas
