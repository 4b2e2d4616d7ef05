// Accumulators in the C interface. Each function checks its arguments, makes views of the caller's matrices, and calls
// one function of lib/accumulator/.
#include <algorithm>
#include <cstring>

#include "c_api/host_matrix.hpp"
#include "c_api/steps.hpp"
#include "c_api/views.hpp"
#include "lib/accumulator/calls.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/call/overlap.hpp"
#include "lib/runtime/plan.hpp"

using namespace accublas;

namespace {

Type number_type(accublas_type type) {
  for (const auto& [value, number] : {std::pair{ACCUBLAS_TYPE_D, Type::d}, std::pair{ACCUBLAS_TYPE_S, Type::s},
                                      std::pair{ACCUBLAS_TYPE_Z, Type::z}, std::pair{ACCUBLAS_TYPE_C, Type::c}})
    if (type == value) return number;
  bad_argument("type", "ACCUBLAS_TYPE_D, _S, _Z or _C");
}

/// Calls body(E{}) with a number of the type.
template <class Body>
void with_type(Type type, Body&& body) {
  switch (type) {
    case Type::d:
      return body(double{});
    case Type::s:
      return body(float{});
    case Type::z:
      return body(Complex<double>{});
    case Type::c:
      return body(Complex<float>{});
  }
}

/// A call of a function of accumulators, in accublas's floating-point environment.
class AccumulatorScope {
 public:
  AccumulatorScope(Context& context, Type type)
      : settings_(
            resolve({Operation::gemm, type}, nullptr, context.level, valid_environment().level, build_settings())) {
    steps = steps_of(context, settings_);
    steps.bodies_rehearse = true;
  }
  /// Returns the device for operands at these addresses: the one that has an operand, else the one that has the
  /// accumulator, else the one that a product of the accumulator's sizes and mode would be copied to.
  DeviceUse device_for(Context& context, const AccumulatorFacts& facts, int device_now, const Named& a,
                       const Named& b) {
    DeviceUse use;
    if (settings_.backend == ACCUBLAS_BACKEND_CPU) return use;
    const Location of_a = locate(context, a), of_b = locate(context, b);
    use.space.a_there = of_a.is_on_device();
    use.space.b_there = of_b.is_on_device();
    if (use.space.a_there && use.space.b_there && of_a.device != of_b.device) return use;
    if (use.space.a_there || use.space.b_there) {
      use.device = use.space.a_there ? of_a.device : of_b.device;
      use.space.users = &context.state_on(use.device, "the operands are");
    } else {
      use.device = device_now >= 0 ? device_now : copies_to(context, facts);
    }
    if (use.device >= 0) use.cap = cap_on(use.device);
    return use;
  }
  /// Returns how to use the device of an accumulator, which writes C at `c`, or no device if C is on another one.
  DeviceUse device_of_result(Context& context, int device, const Named& c) {
    const Location location = locate(context, c);
    DeviceUse use{device, cap_on(device), {}};
    use.space.c_there = location.is_on_device();
    if (!use.space.c_there) return use;
    if (location.device != device) return {};
    use.space.users = &context.state_on(device, "the operands are");
    return use;
  }
  bool may_use_devices() const { return settings_.backend != ACCUBLAS_BACKEND_CPU; }
  void finish(Accumulator& accumulator) const { put_cost(accumulator, steps.peak, watch_.milliseconds()); }
  int threads() const { return steps.threads; }

  AccumulatorCall steps{};

 private:
  std::size_t cap_on(int device) const {
    const std::int64_t set = settings_.workspace_bytes;
    return set >= 0 ? static_cast<std::size_t>(set) : cuda_backend().default_workspace(device);
  }
  /// Returns the context's device if a product of host operands in the accumulator's mode is computed there, else -1.
  int copies_to(const Context& context, const AccumulatorFacts& facts) const {
    Settings settings = settings_;
    settings.mode = facts.mode;
    settings.target = 0;
    try {
      Plan plan = make_plan({Operation::gemm, facts.type}, settings, cpu_backend(), cuda_backend());
      fit_plan(plan, {facts.m, facts.n, facts.k}, cpu_backend(), cuda_backend());
      return plan.backend == ACCUBLAS_BACKEND_CUDA ? context.device() : -1;
    } catch (const Error&) {  // an engine that accumulators do not have, or a missing device
      return -1;
    }
  }

  FpEnvironment environment_;
  Settings settings_;
  Stopwatch watch_;
};

std::vector<LineExponents> exponents_of(const char* name, std::int64_t count, const std::int32_t* given) {
  std::vector<LineExponents> lines;
  if (count == 0) return lines;
  require_pointer(name, given);
  lines.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    lines.push_back({given[2 * i], given[2 * i + 1]});
    if (!lines.back().valid())
      bad_argument(name, "pairs of exponents from -1200 to 1200, or of ACCUBLAS_EXPONENT_NONE; pair " +
                             std::to_string(i) + " is " + std::to_string(given[2 * i]) + " and " +
                             std::to_string(given[2 * i + 1]));
  }
  return lines;
}

/// Finishes an accumulator on its device, into C there or in host memory. Returns false if the CPU must do it.
template <class E>
bool finishes_on_device(Context& context, Accumulator& sums, E alpha, E beta, accublas_layout layout, void* c,
                        std::int64_t ldc, AccumulatorScope& call) {
  const AccumulatorFacts facts = facts_of(sums);
  const DeviceUse use = call.device_of_result(context, device_of(sums), {"c", c, sizeof(E)});
  if (use.device < 0) return false;
  bool done = false;
  const auto finish = [&] {
    done = finish_on_device(
        sums, alpha, beta, view(layout, ACCUBLAS_NO_TRANS, facts.m, facts.n, static_cast<E*>(c), ldc), use, call.steps);
  };
  if (use.space.c_there)
    static_cast<void>(collect_exceptions(finish));
  else
    finish();
  return done;
}

Accumulator& used(accublas_accumulator* accumulator) {
  require_pointer("accumulator", accumulator);
  return *accumulator;
}

}  // namespace

accublas_status accublas_accumulator_measure(accublas_context* ctx, accublas_type type, accublas_side side,
                                             accublas_layout layout, accublas_transpose trans, int64_t lines, int64_t k,
                                             const void* x, int64_t ldx, int32_t* exponents) {
  return guarded(ctx, [&](Context& context) {
    const Type number = number_type(type);
    if (side != ACCUBLAS_LEFT && side != ACCUBLAS_RIGHT) bad_argument("side", "ACCUBLAS_LEFT or ACCUBLAS_RIGHT");
    if (!valid(layout)) require({"layout", 0});
    if (!valid_transpose(trans)) require({"trans", 1});
    if (lines < 0) bad_argument("lines", "at least 0");
    if (k < 0) require({"k", 3});
    const bool rows_stored = (side == ACCUBLAS_LEFT) == (trans == ACCUBLAS_NO_TRANS);  // lines are rows of X
    if (bad_ld(layout, rows_stored ? lines : k, rows_stored ? k : lines, ldx)) require({"ldx", 5});
    if (lines == 0 || k == 0) return;
    require_pointer("exponents", exponents);
    std::vector<LineExponents> found;
    AccumulatorScope call(context, number);
    with_type(number, [&]<class E>(E) {
      const auto lines_of = [&](const void* data, std::int64_t ld) {
        return view(layout, rows_stored ? ACCUBLAS_NO_TRANS : ACCUBLAS_TRANS, lines, k, static_cast<const E*>(data),
                    ld);
      };
      require_apart({{"x", footprint(lines_of(x, ldx), lines, k), false},
                     named_array("exponents", exponents, 2 * lines, sizeof *exponents, true)});
      found = exponents_of("exponents", lines, exponents);
      const Location location = locate(context, {"x", x, sizeof(E)});
      if (location.is_on_device() && call.may_use_devices())
        return measure_on_device<E>(context.state_on(location.device, "the operands are"), lines, k, lines_of(x, ldx),
                                    found.data());
      const HostMatrix<E> stored(context, "x", x, layout, rows_stored ? lines : k, rows_stored ? k : lines, ldx);
      measure_lines<E>(lines, k, lines_of(stored.data(), stored.ld()), found.data(), call.steps);
    });
    for (std::int64_t i = 0; i < lines; ++i) {
      exponents[2 * i] = found[static_cast<std::size_t>(i)].above;
      exponents[2 * i + 1] = found[static_cast<std::size_t>(i)].below;
    }
  });
}

accublas_status accublas_accumulator_create(accublas_context* ctx, accublas_type type, const char* mode, int64_t m,
                                            int64_t n, int64_t k, const int32_t* rows, const int32_t* columns,
                                            int32_t bits, accublas_accumulator** accumulator) {
  return guarded(ctx, [&](Context& context) {
    require_pointer("accumulator", accumulator);
    *accumulator = nullptr;
    const Type number = number_type(type);
    require_pointer("mode", mode);
    const Mode of = parse_mode(mode);
    if (of.kind != ACCUBLAS_MODE_CR && of.kind != ACCUBLAS_MODE_FIXED)
      throw Error(ACCUBLAS_ERROR_MODE,
                  std::string("accumulators have the modes cr and fixed:T (2 to 150), not \"") + mode + "\"");
    for (const auto& [name, size] : {std::pair{"m", m}, std::pair{"n", n}, std::pair{"k", k}})
      if (size < 0 || size > most_of_a_size) bad_argument(name, "from 0 to 2^44");
    if (n > 0 && m > most_of_a_size / n)
      throw Error(ACCUBLAS_ERROR_MEMORY,
                  "out of memory for an accumulator of " + std::to_string(m) + " x " + std::to_string(n) + " sums");
    if (bits < 0 || bits == 1 || bits > 150 || (bits != 0 && of.kind == ACCUBLAS_MODE_FIXED))
      bad_argument("bits", "0, or in cr from 2 to 150, not " + std::to_string(bits));
    const std::vector<LineExponents> of_rows = exponents_of("rows", m, rows),
                                     of_columns = exponents_of("columns", n, columns);
    const AccumulatorScope call(context, number);
    const EntryBits of_entries = entry_bits(number, of, bits);
    *accumulator = make_accumulator({number, of, m, n, k, of_rows.data(), of_columns.data(), of_entries.most,
                                     of_entries.most, of_entries.filled},
                                    call.threads())
                       .release();
  });
}

accublas_status accublas_accumulator_add(accublas_context* ctx, accublas_accumulator* accumulator,
                                         accublas_layout layout, accublas_transpose transa, accublas_transpose transb,
                                         int64_t k, const void* a, int64_t lda, const void* b, int64_t ldb) {
  return guarded(ctx, [&](Context& context) {
    Accumulator& to = used(accumulator);
    const AccumulatorFacts facts = facts_of(to);
    const std::int64_t m = facts.m, n = facts.n;
    require(check_gemm(layout, transa, transb, m, n, k, lda, ldb, std::max<std::int64_t>({1, m, n})));
    AccumulatorScope call(context, facts.type);
    with_type(facts.type, [&]<class E>(E) {
      AccumulatorPanel<E> panel{k, {}, {}, transa == ACCUBLAS_CONJ_TRANS, transb == ACCUBLAS_CONJ_TRANS};
      if (k == 0 || m == 0 || n == 0) return add_panel(to, panel, call.steps);
      const auto panel_at = [&](const void* of_a, std::int64_t ld_a, const void* of_b, std::int64_t ld_b) {
        panel.a = view(layout, transa, m, k, static_cast<const E*>(of_a), ld_a);
        panel.b = view(layout, transb, k, n, static_cast<const E*>(of_b), ld_b);
        return panel;
      };
      HostMatrix<E> stored_a, stored_b;
      const auto in_host_memory = [&] {
        const bool plain_a = transa == ACCUBLAS_NO_TRANS, plain_b = transb == ACCUBLAS_NO_TRANS;
        stored_a = HostMatrix<E>(context, "a", a, layout, plain_a ? m : k, plain_a ? k : m, lda);
        stored_b = HostMatrix<E>(context, "b", b, layout, plain_b ? k : n, plain_b ? n : k, ldb);
        return panel_at(stored_a.data(), stored_a.ld(), stored_b.data(), stored_b.ld());
      };
      const DeviceUse use = call.device_for(context, facts, device_of(to), {"a", a, sizeof(E)}, {"b", b, sizeof(E)});
      if (use.device >= 0 && add_on_device<E>(to, panel_at(a, lda, b, ldb), use, in_host_memory, call.steps)) return;
      add_panel(to, in_host_memory(), call.steps);
    });
    call.finish(to);
  });
}

accublas_status accublas_accumulator_finish(accublas_context* ctx, accublas_accumulator* accumulator,
                                            accublas_layout layout, const void* alpha, const void* beta, void* c,
                                            int64_t ldc) {
  return guarded(ctx, [&](Context& context) {
    Accumulator& sums = used(accumulator);
    const AccumulatorFacts facts = facts_of(sums);
    const std::int64_t m = facts.m, n = facts.n;
    if (!valid(layout)) require({"layout", 0});
    if (bad_ld(layout, m, n, ldc)) require({"ldc", 13});
    AccumulatorScope call(context, facts.type);
    with_type(facts.type, [&]<class E>(E) {
      const E of_sums = host_factor<E>(context, "alpha", alpha), of_c = host_factor<E>(context, "beta", beta);
      if (m == 0 || n == 0) return;
      if (device_of(sums) >= 0 && call.may_use_devices() &&
          finishes_on_device<E>(context, sums, of_sums, of_c, layout, c, ldc, call))
        return;
      const HostMatrix<E> to(context, "c", c, layout, m, n, ldc, !(of_c == RealOf<E>(0)));
      const auto finish = [&] {
        finish_accumulator(sums, of_sums, of_c, view(layout, ACCUBLAS_NO_TRANS, m, n, to.data(), to.ld()), call.steps);
      };
      if (!to.on_device()) return finish();
      static_cast<void>(collect_exceptions(finish));
      try {
        to.write_back();
      } catch (const Error& error) {
        throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
      }
    });
    call.finish(sums);
  });
}

accublas_status accublas_accumulator_undecided(accublas_context* ctx, const accublas_accumulator* accumulator,
                                               int64_t capacity, int64_t* rows, int64_t* columns, int64_t* count) {
  return guarded(ctx, [&](Context&) {
    require_pointer("accumulator", accumulator);
    require_pointer("count", count);
    if (capacity < 0) bad_argument("capacity", "at least 0");
    if (capacity > 0) require_pointer("rows", rows), require_pointer("columns", columns);
    const AccumulatorFacts facts = facts_of(*accumulator);
    Index found = 0, last = -1;
    for (const Index sum : *facts.listed) {
      const Index element = sum / facts.parts;
      if (element == last) continue;
      last = element;
      if (found < capacity) {
        rows[found] = element % facts.m;
        columns[found] = element / facts.m;
      }
      ++found;
    }
    *count = found;
  });
}

accublas_status accublas_accumulator_export(accublas_context* ctx, accublas_accumulator* accumulator, void* bytes,
                                            size_t capacity, size_t* size) {
  return guarded(ctx, [&](Context& context) {
    require_pointer("accumulator", accumulator);
    require_pointer("size", size);
    *size = exported_bytes(*accumulator);
    if (!bytes) return;
    if (capacity < *size)
      bad_argument("capacity", "at least " + std::to_string(*size) + ", the bytes of this accumulator, not " +
                                   std::to_string(capacity));
    const AccumulatorScope call(context, facts_of(*accumulator).type);
    export_accumulator(*accumulator, static_cast<unsigned char*>(bytes), call.threads());
  });
}

accublas_status accublas_accumulator_import(accublas_context* ctx, const void* bytes, size_t size,
                                            accublas_accumulator** accumulator) {
  return guarded(ctx, [&](Context& context) {
    require_pointer("accumulator", accumulator);
    *accumulator = nullptr;
    require_pointer("bytes", bytes);
    const AccumulatorScope call(context, Type::d);
    *accumulator = import_accumulator(static_cast<const unsigned char*>(bytes), size, call.threads()).release();
  });
}

accublas_status accublas_accumulator_merge(accublas_context* ctx, accublas_accumulator* accumulator, const void* bytes,
                                           size_t size) {
  return guarded(ctx, [&](Context& context) {
    Accumulator& to = used(accumulator);
    require_pointer("bytes", bytes);
    const AccumulatorScope call(context, facts_of(to).type);
    merge_accumulator(to, *import_accumulator(static_cast<const unsigned char*>(bytes), size, call.threads()));
    call.finish(to);
  });
}

accublas_status accublas_accumulator_destroy(accublas_accumulator* accumulator) {
  AccumulatorDeleter()(accumulator);
  return ACCUBLAS_SUCCESS;
}

accublas_status accublas_accumulator_report(accublas_context* ctx, const accublas_accumulator* accumulator,
                                            accublas_accumulator_report_t* report) {
  return guarded(ctx, [&](Context&) {
    require_pointer("accumulator", accumulator);
    require_report(report);
    const AccumulatorFacts facts = facts_of(*accumulator);
    accublas_accumulator_report_t full{};
    const std::string word = mode_word(facts.mode, is_single(facts.type));
    std::strncpy(full.mode, word.c_str(), sizeof full.mode - 1);
    full.type = "dszc"[static_cast<int>(facts.type)];
    full.m = facts.m;
    full.n = facts.n;
    full.k = facts.k;
    full.terms = facts.added;
    full.terms_again = facts.added_again;
    full.row_bits = facts.row_bits;
    full.column_bits = facts.column_bits;
    full.moduli = facts.moduli;
    full.exact = facts.exact;
    full.undecided = static_cast<std::int64_t>(facts.listed->size());
    full.bytes = static_cast<std::int64_t>(facts.bytes);
    full.workspace_bytes = facts.workspace_bytes;
    full.ms_total = facts.milliseconds;
    hand_out(full, report);
  });
}
