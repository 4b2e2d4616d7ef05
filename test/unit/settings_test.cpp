// The table of modes, the precedence of settings, the environment, the plan.
#include "lib/runtime/settings.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/isa.hpp"
#include "lib/call/engines.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/plan.hpp"
#include "test/unit/settings.hpp"

namespace {

/// Reads an environment of these variables, among others of the program's.
Environment read_words(const std::map<std::string, std::string>& words) {
  std::vector<std::string> entries = {"PATH=/bin", "ACCUBLASX=1", "accublas_mode=cr", "WITHOUT_TEXT"};
  for (const auto& [name, text] : words) entries.push_back(name + "=" + text);
  std::vector<const char*> pointers;
  for (const std::string& entry : entries) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return read_environment(pointers.data());
}

Level environment_of(const std::map<std::string, std::string>& words) {
  const Environment read = read_words(words);
  EXPECT_EQ(read.error, "");
  return read.level;
}

/// All of it, and with `first` only the first letter.
std::string in_capitals(std::string text, bool first = false) {
  for (char& c : text) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (first) break;
  }
  return text;
}

std::string word(Routine routine, const Level& context, const Level& environment, const Level* call = nullptr) {
  return mode_word(resolve(routine, call, context, environment, build_settings()).mode, is_single(routine));
}

}  // namespace

/// The names that do not follow from the letter and the name of the operation, and the longest one.
TEST(Routines, IrregularNames) {
  constexpr Routine irregular[] = {{Operation::mixed_dot, Type::d}, {Operation::mixed_dot, Type::s},
                                   {Operation::ger, Type::z},       {Operation::nrm2, Type::z},
                                   {Operation::nrm2, Type::c},      {Operation::asum, Type::z},
                                   {Operation::asum, Type::c},      {Operation::orgqr, Type::z},
                                   {Operation::ormqr, Type::c},     {Operation::gesvd_certified, Type::d}};
  std::string names;
  for (const Routine routine : irregular) names += std::string(" ") + routine_name(routine);
  EXPECT_EQ(names, " dsdot sdsdot zgeru dznrm2 scnrm2 dzasum scasum zungqr cunmqr dgesvd_certified");
}

TEST(ModeTable, EveryWordRoundTrips) {
  int words = 0;
  for (const ModeRow& row : mode_table) {
    for (int parameter = row.least; parameter <= row.most; ++parameter) {
      for (int suffix = 0; suffix < (row.suffix.empty() ? 1 : 2); ++suffix) {
        std::string text(row.word);
        if (row.most > 0) text += ":" + std::to_string(parameter);
        if (suffix) text += row.suffix;
        const Mode mode = parse_mode(text);
        EXPECT_EQ(mode.kind, row.kind) << text;
        EXPECT_EQ(mode.parameter, parameter);
        EXPECT_EQ(mode_word(mode, row.kind == ACCUBLAS_MODE_SP), text);
        EXPECT_EQ(parse_mode(in_capitals(text)), mode) << text;
        EXPECT_EQ(
            make_mode(mode.kind, mode.parameter,
                      (mode.fast ? ACCUBLAS_MODE_FAST : 0) | (mode.reproducible ? ACCUBLAS_MODE_REPRODUCIBLE : 0)),
            mode);
        ++words;
      }
    }
  }
  EXPECT_EQ(words, 1 + 2 + 2 + 149 + 100 + 1 + 1 + 8);
}

TEST(ModeTable, RefusesWhatIsNoWord) {
  for (const char* text : {"",
                           "Natives",
                           "natives",
                           "native ",
                           " dp",
                           "dp:",
                           "dp:repr",
                           "dp:reproducible",
                           "dp:fast",
                           "fixed",
                           "fixed:",
                           "fixed:1",
                           "fixed:151",
                           "fixed:007",
                           "fixed:7x",
                           "fixed:-7",
                           "fixed:+7",
                           "fixed:70:fast",
                           "fixed:9999999999999",
                           "slices:0",
                           "slices:51",
                           "slices:8:repro",
                           "slices:8:fast:fast",
                           "dot2:repro",
                           "cr:1",
                           "crr",
                           "tf32",
                           "tf32x2",
                           "fp16x4"}) {
    std::string message;
    EXPECT_EQ(status_of([&] { parse_mode(text); }, &message), ACCUBLAS_ERROR_MODE) << text;
    for (const char* listed :
         {"native", "dp:repro", "fixed:T (2 to 150)", "slices:D:fast", "dot2", "cr", "tf32x3", "tf64x4"})
      EXPECT_TRUE(contains(message, listed)) << message;
  }
  EXPECT_EQ(status_of([] { make_mode(ACCUBLAS_MODE_FIXED, 1, 0); }), ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(status_of([] { make_mode(ACCUBLAS_MODE_FIXED, 50, ACCUBLAS_MODE_FAST); }), ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(status_of([] { make_mode(ACCUBLAS_MODE_CR, 1, 0); }), ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(status_of([] { make_mode(999, 0, 0); }), ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(status_of([] { make_mode(ACCUBLAS_MODE_DP, 0, 64); }), ACCUBLAS_ERROR_MODE);
}

TEST(ModeTable, Families) {
  EXPECT_TRUE(family_has(ACCUBLAS_FAMILY_SGEMM, true, ACCUBLAS_MODE_TF32X3));
  EXPECT_FALSE(family_has(ACCUBLAS_FAMILY_DGEMM, false, ACCUBLAS_MODE_TF32X3));
  EXPECT_FALSE(family_has(ACCUBLAS_FAMILY_DOT, true, ACCUBLAS_MODE_TF32X3));
  EXPECT_TRUE(family_has(ACCUBLAS_FAMILY_DGEMM, false, ACCUBLAS_MODE_TF64X3));
  EXPECT_TRUE(family_has(ACCUBLAS_FAMILY_GEMV, false, ACCUBLAS_MODE_SLICES));
  EXPECT_TRUE(bit_defined(parse_mode("dp:repro")));
  EXPECT_FALSE(bit_defined(parse_mode("dp")));
  EXPECT_TRUE(bit_defined(parse_mode("fixed:2")));
}

TEST(Settings, Precedence) {
  const Level none;
  Level context;
  EXPECT_EQ(word(routine_named("dgemm"), none, none), "dp");
  EXPECT_EQ(word(routine_named("sdot"), none, none), "sp");

  const Level environment = environment_of({{"ACCUBLAS_MODE", "cr"}, {"ACCUBLAS_DOT_MODE", "fixed:99"}});
  EXPECT_EQ(word(routine_named("dgemm"), none, environment), "cr");
  EXPECT_EQ(word(routine_named("ddot"), none, environment), "fixed:99");
  EXPECT_EQ(word(routine_named("sdot"), none, environment), "fixed:99");

  context.all = parse_mode("dot2");
  EXPECT_EQ(word(routine_named("ddot"), context, environment),
            "dot2");  // the context's general word before the family's variable
  context.family[ACCUBLAS_FAMILY_DOT] = parse_mode("slices:3");
  EXPECT_EQ(word(routine_named("sdot"), context, environment), "slices:3");
  EXPECT_EQ(word(routine_named("sgemv"), context, environment), "dot2");

  Level call;
  call.all = parse_mode("fixed:7");
  EXPECT_EQ(word(routine_named("sdot"), context, environment, &call), "fixed:7");
  call.all = parse_mode("tf32x3");
  EXPECT_EQ(status_of([&] { resolve(routine_named("ddot"), &call, context, environment, build_settings()); }),
            ACCUBLAS_ERROR_MODE);
  EXPECT_EQ(word(routine_named("sgemm"), context, environment, &call), "tf32x3");
}

TEST(Settings, NormsTakeTheModeOfDotWhereTheyHaveIt) {
  const Level none;
  for (const Routine norm :
       {routine_named("dnrm2"), routine_named("snrm2"), routine_named("dasum"), routine_named("sasum")}) {
    EXPECT_EQ(family_of(norm), ACCUBLAS_FAMILY_DOT);
    const std::string grade = is_single(norm) ? "sp" : "dp";
    EXPECT_EQ(word(norm, none, none), grade);
    EXPECT_EQ(word(norm, none, environment_of({{"ACCUBLAS_DOT_MODE", "dot2"}})), "dot2");
    EXPECT_EQ(word(norm, none, environment_of({{"ACCUBLAS_DOT_MODE", "fixed:70"}})), grade);
    EXPECT_EQ(word(norm, none, environment_of({{"ACCUBLAS_DOT_MODE", "fixed:70"}, {"ACCUBLAS_MODE", "cr"}})), "cr");
    Level context, build;
    context.all = parse_mode("slices:4");
    const Level environment = environment_of({{"ACCUBLAS_MODE", "cr"}});
    EXPECT_EQ(word(norm, context, environment), "cr");
    EXPECT_TRUE(resolve(norm, nullptr, context, environment, build_settings()).passed_over);
    // A build whose word for DOT the norms lack: plain dp, with the build's `reproducible`.
    build.family[ACCUBLAS_FAMILY_DOT] = parse_mode("fixed:60");
    build.reproducible = 1;
    EXPECT_EQ(mode_word(resolve(norm, nullptr, none, none, build).mode, is_single(norm)), grade + ":repro");
    std::string message;
    EXPECT_EQ(status_of([&] { resolve(norm, &context, none, none, build_settings()); }, &message), ACCUBLAS_ERROR_MODE);
    EXPECT_TRUE(contains(message, std::string(routine_name(norm)) + " has no mode slices:4; its modes are native"))
        << message;
    EXPECT_FALSE(contains(message, "fixed") || contains(message, "slices:D")) << message;
  }
}

TEST(Settings, AWordThatARoutineLacksIsPassedOver) {
  const Level none;
  const Level environment = environment_of({{"ACCUBLAS_MODE", "tf32x3"}});
  EXPECT_EQ(word(routine_named("sgemm"), none, environment), "tf32x3");
  EXPECT_EQ(word(routine_named("dgemm"), none, environment), "dp");
  EXPECT_EQ(word(routine_named("sgemv"), none, environment), "sp");
  EXPECT_TRUE(resolve(routine_named("dgemm"), nullptr, none, environment, build_settings()).passed_over);
  Level context;
  context.all = parse_mode("tf64x3");
  EXPECT_EQ(word(routine_named("sgemm"), context, environment), "tf32x3");
  EXPECT_EQ(word(routine_named("dgemm"), context, environment), "tf64x3");
}

TEST(Settings, Reproducible) {
  const Level none;
  Level context, call;
  const Level set = environment_of({{"ACCUBLAS_REPRODUCIBLE", "1"}});
  EXPECT_EQ(word(routine_named("dgemm"), none, set), "dp:repro");
  EXPECT_EQ(word(routine_named("sgemm"), none, set), "sp:repro");
  context.reproducible = 0;
  EXPECT_EQ(word(routine_named("dgemm"), context, set), "dp");
  context.all = parse_mode("dp:repro");  // a word's own suffix counts where the word is set
  EXPECT_EQ(word(routine_named("sgemm"), context, none), "sp:repro");
  call.reproducible = 0;
  EXPECT_EQ(word(routine_named("dgemm"), context, none, &call), "dp");
  call.reproducible = 1;
  context.all = parse_mode("cr");
  EXPECT_EQ(word(routine_named("dgemm"), context, none, &call), "cr");
}

TEST(Settings, OtherFieldsAndOptions) {
  const Level environment = environment_of({{"ACCUBLAS_NUM_THREADS", "5"},
                                            {"ACCUBLAS_WORKSPACE_MIB", "3"},
                                            {"ACCUBLAS_ENGINE", "fp64"},
                                            {"ACCUBLAS_BACKEND", "cpu"}});
  Level context;
  Settings settings = resolve(routine_named("dgemm"), nullptr, context, environment, build_settings());
  EXPECT_EQ(settings.num_threads, 5);
  EXPECT_FALSE(settings.threads_by_caller);
  EXPECT_EQ(settings.workspace_bytes, 3 << 20);
  EXPECT_EQ(settings.engine, ACCUBLAS_ENGINE_FP64);
  EXPECT_EQ(settings.backend, ACCUBLAS_BACKEND_CPU);

  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.num_threads = 2;
  options.workspace_bytes = 1000;
  options.engine = ACCUBLAS_ENGINE_AUTO;
  options.target = 1e-9;
  const Level call = call_level(options);
  settings = resolve(routine_named("dgemm"), &call, context, environment, build_settings());
  EXPECT_EQ(settings.num_threads, 2);
  EXPECT_TRUE(settings.threads_by_caller);
  EXPECT_EQ(settings.workspace_bytes, 1000);
  EXPECT_EQ(settings.engine, ACCUBLAS_ENGINE_AUTO);
  EXPECT_EQ(settings.target, 1e-9);

  // An older caller's shorter struct: what it does not hold is not set.
  options.struct_size = offsetof(accublas_options, reproducible);
  options.mode_name = "cr";
  options.reproducible = 1234;
  const Level shorter = call_level(options);
  EXPECT_EQ(shorter.all.kind, ACCUBLAS_MODE_CR);
  EXPECT_EQ(shorter.reproducible, -1);
  EXPECT_EQ(shorter.num_threads, 0);
  options.struct_size = 0;
  EXPECT_EQ(status_of([&] { call_level(options); }), ACCUBLAS_ERROR_ARGUMENT);
  options.struct_size = sizeof options + 64;  // a newer caller
  options.reproducible = -1;
  EXPECT_EQ(call_level(options).num_threads, 2);
}

TEST(Settings, DevicesThatShareProducts) {
  const Level environment = environment_of({{"ACCUBLAS_DEVICES", "2,0,2"}});
  Level context;
  const auto devices = [&] {
    return resolve(routine_named("dgemm"), nullptr, context, environment, build_settings()).devices;
  };
  EXPECT_EQ(devices(), (std::vector<int>{2, 0, 2}));
  context.devices = {1};
  EXPECT_EQ(devices(), (std::vector<int>{1}));
  EXPECT_TRUE(resolve(routine_named("dgemm"), nullptr, Level{}, Level{}, build_settings()).devices.empty());
}

TEST(Environment, InvalidValuesNameTheVariableAndTheWords) {
  const std::pair<const char*, const char*> invalid[] = {
      {"ACCUBLAS_MODE", "dp2"},         {"ACCUBLAS_DGEMM_MODE", "tf32x3"}, {"ACCUBLAS_SGEMM_MODE", "tf64x1"},
      {"ACCUBLAS_DOT_MODE", "fp16x3"},  {"ACCUBLAS_GEMV_MODE", "fixed"},   {"ACCUBLAS_REPRODUCIBLE", "yes"},
      {"ACCUBLAS_BACKEND", "gpu"},      {"ACCUBLAS_DEVICE", "-1"},         {"ACCUBLAS_ENGINE", "int9"},
      {"ACCUBLAS_WORKSPACE_MIB", "1G"}, {"ACCUBLAS_NUM_THREADS", "two"},   {"ACCUBLAS_VERBOSE", "3"},
      {"ACCUBLAS_ON_FAILURE", "exit"},  {"ACCUBLAS_ISA", "avx"},           {"ACCUBLAS_CUDA_KERNELS", "hopper"},
      {"ACCUBLAS_DEVICES", "0,-1"},     {"ACCUBLAS_DEVICES", "0,,1"},      {"ACCUBLAS_DEVICES", "0,1,"},
      {"ACCUBLAS_DEVICES", "all"},      {"ACCUBLAS_DEVICES", "0 1"},       {"ACCUBLAS_DEVICES", ","},
  };
  for (const auto& [name, value] : invalid) {
    const std::string error = read_words({{name, value}}).error;
    EXPECT_TRUE(contains(error, std::string(name) + "=" + value)) << error;
    EXPECT_EQ(read_words({{name, ""}}).error, "") << name << " empty is not set";
  }
  EXPECT_TRUE(contains(read_words({{"ACCUBLAS_DGEMM_MODE", "tf32x3"}}).error, "tf64x3")) << "lists the family's words";
  EXPECT_TRUE(contains(read_words({{"ACCUBLAS_ENGINE", "int9"}}).error, "int8, fp64"));
  EXPECT_TRUE(contains(read_words({{"ACCUBLAS_ISA", "AVX3"}}).error,
                       "baseline, avx2, avx512, avx512_vnni, amx, neon, dotprod, i8mm"));
  EXPECT_TRUE(contains(read_words({{"ACCUBLAS_CUDA_KERNELS", "1"}}).error, "auto or portable"));
  EXPECT_TRUE(contains(read_words({{"ACCUBLAS_VERBOSE", "lines"}}).error, "0, 1, 2 or summary"));
}

// Every name with a letter left out, doubled or changed is an error that has the name and the known ones; those of
// tests, of accublas-compare and of an installation are nobody's mistake.
TEST(Environment, UnknownVariablesAreErrors) {
  const std::string names[] = {"ACCUBLAS_MODE",         "ACCUBLAS_DGEMM_MODE",  "ACCUBLAS_SGEMM_MODE",
                               "ACCUBLAS_DOT_MODE",     "ACCUBLAS_GEMV_MODE",   "ACCUBLAS_ENGINE",
                               "ACCUBLAS_REPRODUCIBLE", "ACCUBLAS_NUM_THREADS", "ACCUBLAS_BACKEND",
                               "ACCUBLAS_DEVICE",       "ACCUBLAS_VERBOSE",     "ACCUBLAS_WORKSPACE_MIB",
                               "ACCUBLAS_ON_FAILURE",   "ACCUBLAS_ISA",         "ACCUBLAS_CUDA_KERNELS"};
  for (const std::string& name : names)
    for (std::size_t i = 9; i < name.size(); ++i) {
      std::string missing = name, doubled = name, changed = name;
      missing.erase(i, 1);
      doubled.insert(i, 1, name[i]);
      changed[i] = static_cast<char>(name[i] ^ 32);
      for (const std::string& wrong : {missing, doubled, changed}) {
        const std::string error = read_words({{wrong, "cr"}}).error;
        EXPECT_EQ(error.rfind(wrong + "=cr: unknown variable; the variables are ", 0), 0u) << wrong << ": " << error;
        for (const std::string& known : names) EXPECT_TRUE(contains(error, known)) << known;
        EXPECT_EQ(read_words({{wrong, ""}}).error, "") << "empty is not set";
      }
    }
  for (const char* other : {"ACCUBLAS_TEST_SCALE", "ACCUBLAS_TEST_", "ACCUBLAS_LIBRARY", "ACCUBLAS_ROOT"})
    EXPECT_EQ(read_words({{other, "x"}}).error, "") << other;
  EXPECT_TRUE(contains(read_words({{"ACCUBLAS_", "x"}}).error, "unknown variable"));
  // The words of the others are kept.
  const Environment read = read_words({{"ACCUBLAS_MODE", "cr"}, {"ACCUBLAS_MOD", "dot2"}});
  EXPECT_TRUE(contains(read.error, "ACCUBLAS_MOD=dot2"));
  EXPECT_EQ(read.level.all.kind, ACCUBLAS_MODE_CR);
}

// Capitals mean what small letters mean, in every variable that takes a word, and in part of a word too.
TEST(Environment, WordsInCapitals) {
  for (const bool first : {false, true}) {
    const auto of = [&](const char* name, const std::string& word) {
      const Environment read = read_words({{name, in_capitals(word, first)}});
      EXPECT_EQ(read.error, "");
      return read;
    };
    for (const char* mode : {"cr", "dp:repro", "slices:4:fast", "fixed:70", "native"}) {
      EXPECT_EQ(of("ACCUBLAS_MODE", mode).level.all, parse_mode(mode));
      EXPECT_EQ(of("ACCUBLAS_GEMV_MODE", mode).level.family[ACCUBLAS_FAMILY_GEMV], parse_mode(mode));
    }
    for (const EngineWord& row : engine_words) EXPECT_EQ(of("ACCUBLAS_ENGINE", row.word).level.engine, row.engine);
    EXPECT_EQ(of("ACCUBLAS_BACKEND", "cpu").level.backend, ACCUBLAS_BACKEND_CPU);
    EXPECT_EQ(of("ACCUBLAS_BACKEND", "cuda").level.backend, ACCUBLAS_BACKEND_CUDA);
    EXPECT_EQ(of("ACCUBLAS_BACKEND", "auto").level.backend, ACCUBLAS_BACKEND_AUTO);
    EXPECT_TRUE(of("ACCUBLAS_VERBOSE", "summary").summary);
    EXPECT_EQ(of("ACCUBLAS_ON_FAILURE", "native").on_failure, ACCUBLAS_ON_FAILURE_NATIVE);
    EXPECT_TRUE(of("ACCUBLAS_CUDA_KERNELS", "portable").portable_kernels);
    of("ACCUBLAS_ISA", "avx512_vnni");
    EXPECT_EQ(cpu::isa_of(in_capitals("avx512_vnni", first)), cpu::Isa::avx512_vnni);
  }
}

TEST(Environment, VerboseLevels) {
  for (int level = 0; level <= 2; ++level)
    EXPECT_EQ(environment_of({{"ACCUBLAS_VERBOSE", std::to_string(level)}}).verbose, level);
  EXPECT_EQ(environment_of({{"ACCUBLAS_VERBOSE", "summary"}}).verbose, 0);
}

TEST(Environment, WordsForKernels) {
  for (const char* isa : {"baseline", "avx2", "avx512", "avx512_vnni", "amx", "neon", "dotprod", "i8mm"}) {
    EXPECT_STREQ(cpu::isa_name(cpu::isa_of(isa).value()), isa);
    environment_of({{"ACCUBLAS_ISA", isa}});
  }
  EXPECT_FALSE(cpu::isa_of(""));
  for (const char* kernels : {"", "auto", "portable"}) {
    const Environment read = read_words({{"ACCUBLAS_CUDA_KERNELS", kernels}});
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.portable_kernels, kernels == std::string("portable"));
  }
}

// Sizes cannot land in the fields that say where the operands are.
static_assert(!std::is_aggregate_v<CallShape>);

TEST(Settings, ThreadsAreClamped) {
  accublas::Settings settings;
  settings.threads_by_caller = true;
  for (int threads : {1, 2, 1024, 1025, 1 << 29, INT32_MAX}) {
    settings.num_threads = threads;
    EXPECT_EQ(accublas::threads_for(settings), std::min(threads, accublas::most_threads));
  }
  settings.num_threads = 0;
  EXPECT_GE(accublas::threads_for(settings), 1);
}
