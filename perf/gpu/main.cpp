// accublas-gpu-bench: how fast the modes are on the GPU beside cuBLAS, in one run on the same data.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>

#include "perf/gpu/accumulators.hpp"
#include "perf/gpu/arguments.hpp"
#include "perf/gpu/batched.hpp"
#include "perf/gpu/batched_factors.hpp"
#include "perf/gpu/context.hpp"
#include "perf/gpu/data_table.hpp"
#include "perf/gpu/devices.hpp"
#include "perf/gpu/factor.hpp"
#include "perf/gpu/host.hpp"
#include "perf/gpu/level3.hpp"
#include "perf/gpu/quad.hpp"
#include "perf/gpu/residuals.hpp"
#include "perf/gpu/shapes.hpp"
#include "perf/gpu/spectrum.hpp"
#include "perf/gpu/table.hpp"
#include "perf/gpu/tall_qr.hpp"
#include "perf/gpu/targets.hpp"
#include "perf/gpu/vectors.hpp"

namespace {

using namespace gpu_bench;

/// The options of the commands. Each add function gives a command one of them.
struct Options {
  std::vector<std::string> gemms = {"dgemm"}, contenders, data = {"phi:0.5"}, sizes, orders = {"4096", "8192", "16384"},
                           routines, batch_orders, vector_sizes, vector_data, table_data = matrices::listed(),
                           table_orders = {"1024", "4096"}, middle_orders = {"256", "512", "1024", "2048"},
                           shared_orders = {"8192", "16384", "32768"}, shared_routines = {"dgemm"},
                           residual_orders = {"1024", "2048", "4096", "8192", "16384"},
                           spectrum_orders = {"1024", "4096", "8192"}, quad_orders = {"1024", "4096", "8192"},
                           accumulator_orders = {"4096", "8192"};
  int panels = 8, depth = 512;
  std::vector<int> devices;
  double room = 0;
  std::string csv;
  Effort effort;
  bool burst = false, sustained = false;

  std::vector<Method> methods() const {
    std::vector<Method> out;
    if (burst || !sustained) out.push_back(Method::burst);
    if (sustained || !burst) out.push_back(Method::sustained);
    return out;
  }
  static std::vector<Index> numbers(const std::vector<std::string>& orders) {
    std::vector<Index> out;
    for (const std::string& order : orders) out.push_back(parse_shape(order).m);
    return out;
  }
  std::vector<Index> order_numbers() const { return numbers(orders); }
  std::vector<std::string> located_table_data() const {
    std::vector<std::string> out;
    for (const std::string& name : table_data) out.push_back(located(name));
    return out;
  }
  static std::string located(const std::string& name) { return matrices::located(name, ACCUBLAS_BENCH_DATA); }

  void add_gemms(CLI::App* command, const std::vector<std::string>& known) {
    command->add_option("-r,--routine", gemms, "GEMM routines, separated by commas")
        ->delimiter(',')
        ->check(CLI::IsMember(known))
        ->capture_default_str();
  }
  void add_data(CLI::App* command) { add_data(command, data); }
  static void add_data(CLI::App* command, std::vector<std::string>& to) {
    command->add_option("-d,--data", to, matrices::known_names())
        ->delimiter(',')
        ->transform(located)
        ->check(accepted_by([](const std::string& word) { matrices::named(word); }))
        ->capture_default_str();
  }
  void add_orders(CLI::App* command) { add_orders(command, orders); }
  static void add_orders(CLI::App* command, std::vector<std::string>& to) {
    command->add_option("-n,--size", to, "orders of square matrices")
        ->delimiter(',')
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
  }
  void add_routines(CLI::App* command, const std::vector<std::string>& known, const char* meaning) {
    command->add_option("routines", routines, meaning)->delimiter(',')->check(CLI::IsMember(known));
  }
  void add_repetitions(CLI::App* command) {
    command->add_option("--repetitions", effort.repetitions, "measurements behind a median")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
  }
  void add_bursts(CLI::App* command) {
    add_repetitions(command);
    command->add_option("--pause", effort.pause, "seconds of rest before a single call")->capture_default_str();
  }
  void add_methods(CLI::App* command) {
    add_bursts(command);
    command->add_flag("--burst", burst, "single calls from an idle device");
    command->add_flag("--sustained", sustained, "calls back to back (default: both)");
    command->add_option("-s,--seconds", effort.seconds, "seconds of a row of sustained calls")->capture_default_str();
  }
  void add_csv(CLI::App* command) { command->add_option("--csv", csv, "a file that also gets the figures"); }
};

/// A command: its options are added before the command line is parsed. `run` returns whether all targets are met.
struct Command {
  const char *name, *meaning;
  std::function<void(CLI::App*)> add_options;
  std::function<bool()> run;
};

bool print_gemm(const Options& options) {
  Table table(options.csv);
  for (const Method method : options.methods())
    for (const std::string& routine : options.gemms)
      for (const std::string& kind : options.data)
        for (const std::string& size : options.sizes) {
          const Shape shape = parse_shape(size);
          const Case what{routine, shape.m, shape.n, shape.k, kind, method};
          const bool chosen = !options.contenders.empty();
          table.print(what,
                      measure(what, chosen ? options.contenders : default_contenders(routine, shape), options.effort));
        }
  return true;
}

std::vector<Command> commands_of(Options& o) {
  return {
      {"gemm", "GEMM of any size and data in any mode",
       [&o](CLI::App* command) {
         command->footer(
             "ratio: time of cuBLAS over the time of the row. T, N: bits and parts (moduli, digits or slices).\n"
             "Top/s: rate of the INT8 products. FP64: share of the FP64 units' rate that dot2 reaches, at 10\n"
             "operations a term (s: 1), measured in this run. error/u, bound/u: largest sampled error and the bound\n"
             "of the report, in units of u (abs(A) abs(B)). The phases are those of a call at report level 2.");
         o.sizes = {"1024", "2048", "4096", "8192", "16384", "16384x16384x256", "16384x16384x1024", "64x16384x16384"};
         o.add_gemms(command, {"dgemm", "sgemm", "zgemm", "cgemm"});
         command
             ->add_option("-m,--mode", o.contenders,
                          "cublas, cublasLt-int8, or a mode word, with an engine behind a slash where one is wanted "
                          "(default: cublas, cublasLt-int8, dp, dp/int8, dp:repro, cr, up to 8192 dot2; s and c: sp)")
             ->transform(
                 [](std::string word) { return word.rfind("cublas", 0) == 0 ? word : CLI::detail::to_lower(word); })
             ->delimiter(',')
             ->check(accepted_by(parse_contender));
         command->add_option("-n,--size", o.sizes, "N or MxNxK")
             ->delimiter(',')
             ->check(accepted_by([](const std::string& word) { parse_shape(word); }))
             ->capture_default_str();
         o.add_data(command);
         o.add_methods(command);
         o.add_csv(command);
       },
       [&o] { return print_gemm(o); }},
      {"targets", "the rows of GEMM that have targets, then each target, its figure, met or not",
       [&o](CLI::App* command) {
         o.add_methods(command);
         o.add_csv(command);
       },
       [&o] {
         Table table(o.csv);
         return print_targets(table, o.methods(), o.effort);
       }},
      {"small", "small, middle, flat and deep products, batches and complex vectors, with targets (multiword: targets)",
       [&o](CLI::App* command) {
         o.add_bursts(command);
         o.add_csv(command);
       },
       [&o] {
         Table table(o.csv);
         bool met = print_short_targets(table, o.effort);
         met &= print_batched({"dgemm"}, {"phi:0.5"}, {128, 256, 512, 1024}, {"dp:repro", "cr"}, o.effort.repetitions);
         met &= print_vectors({{"zgemv-n", "zgemv-t", "zgemv-c"}, {8192}, {"phi:1"}, o.effort.repetitions}, "");
         met &= print_vectors({{"zdotc"}, {1 << 24}, {"phi:1"}, o.effort.repetitions}, "");
         return met;
       }},
      {"shapes", "square, flat, deep and narrow products in every mode and in cuBLAS, and which way dp (s: sp) takes",
       [&o](CLI::App* command) {
         o.add_gemms(command, {"dgemm", "sgemm"});
         command->add_option("-m,--mode", o.contenders, "modes besides dp or sp (default: all)")->delimiter(',');
         o.add_data(command);
         o.add_bursts(command);
         o.add_csv(command);
       },
       [&o] {
         Table table(o.csv);
         return print_shapes(table, o.gemms, o.contenders, o.data, o.effort);
       }},
      {"batched", "strided batches of small matrices",
       [&o](CLI::App* command) {
         o.add_gemms(command, {"dgemm", "sgemm"});
         o.add_data(command);
         command->add_option("-n,--size", o.batch_orders, "orders among those of the table (default: all)")
             ->delimiter(',')
             ->check(CLI::PositiveNumber);
         command->add_option("-m,--mode", o.contenders, "modes among those of the table (default: all)")
             ->delimiter(',');
         o.add_repetitions(command);
       },
       [&o] {
         return print_batched(o.gemms, o.data, Options::numbers(o.batch_orders), o.contenders, o.effort.repetitions);
       }},
      {"host", "DGEMM with operands in pinned and in pageable host memory",
       [&o](CLI::App* command) {
         o.add_data(command);
         o.add_repetitions(command);
       },
       [&o] {
         for (const std::string& kind : o.data) print_host(kind, o.effort.repetitions);
         return true;
       }},
      {"devices", "calls with operands in host memory on one device and shared by several",
       [&o](CLI::App* command) {
         command->footer(
             "copies: the operands to a device and C back at the same time, in pinned memory. compute: the call on\n"
             "operands in device memory. Both are scaled from a smaller order if a device lacks the memory. one, all: "
             "a\n"
             "call on the first device, and on all of them. predicted: a device's part of compute, or of the time of "
             "the\n"
             "bytes that all of them copy, if that is longer. ratio: one over all. GB: copied between host and "
             "devices.");
         command->add_option("-r,--routine", o.shared_routines, "dgemm, zgemm, dsyrk, dgetrf, dpotrf (default: dgemm)")
             ->delimiter(',')
             ->check(CLI::IsMember({"dgemm", "zgemm", "dsyrk", "dgetrf", "dpotrf"}));
         o.add_orders(command, o.shared_orders);
         o.add_data(command);
         o.add_repetitions(command);
         command->add_option("--devices", o.devices, "device numbers (default: all)")->delimiter(',');
         command->add_option("-m,--mode", o.contenders, "mode words (default: cr, dp)")->delimiter(',');
         command->add_option("--room", o.room, "GiB of device memory that are left free for the calls (default: all)");
       },
       [&o] {
         const std::vector<std::string> modes =
             o.contenders.empty() ? std::vector<std::string>{"cr", "dp"} : o.contenders;
         return print_devices({o.devices, o.shared_routines, o.numbers(o.shared_orders), modes, o.data.front(), o.room,
                               o.effort.repetitions});
       }},
      {"accumulators", "DGEMM by accumulators of panels beside one call, with a limit",
       [&o](CLI::App* command) {
         command->add_option("-m,--mode", o.contenders, "modes cr and fixed:T (default: cr, fixed:53)")->delimiter(',');
         o.add_orders(command, o.accumulator_orders);
         o.add_data(command);
         command->add_option("--panels", o.panels, "panels of a product")
             ->check(CLI::Range(1, 1024))
             ->capture_default_str();
         command->add_option("--depth", o.depth, "terms of a panel")
             ->check(CLI::Range(1, 1 << 20))
             ->capture_default_str();
         o.add_repetitions(command);
       },
       [&o] {
         const std::vector<std::string> modes =
             o.contenders.empty() ? std::vector<std::string>{"cr", "fixed:53"} : o.contenders;
         return print_accumulators(
             {modes, Options::numbers(o.accumulator_orders), o.data.front(), o.panels, o.depth, o.effort.repetitions});
       }},
      {"level3", "square products of level 3 and triangular systems beside cuBLAS's own",
       [&o](CLI::App* command) {
         o.add_routines(command, level3_routines(), "routines (default: those that have targets)");
         o.add_orders(command);
         o.add_data(command);
         o.add_bursts(command);
       },
       [&o] { return print_level3(o.routines, o.data, o.order_numbers(), o.effort); }},
      {"factor", "factorizations and certified solutions beside cuSOLVER's",
       [&o](CLI::App* command) {
         o.add_routines(command, factor_routines(), "routines (default: all)");
         o.add_orders(command);
         o.add_data(command);
         o.add_bursts(command);
         o.add_csv(command);
       },
       [&o] { return print_factor(o.routines, o.data, o.order_numbers(), o.effort, o.csv); }},
      {"factor-batches", "batches of factorizations of small matrices beside cuBLAS's and cuSOLVER's",
       [&o](CLI::App* command) {
         o.add_routines(command, {"dgetrf", "dpotrf"}, "routines (default: all)");
         command->add_option("-n,--size", o.batch_orders, "orders among those of the table (default: all)")
             ->delimiter(',')
             ->check(CLI::PositiveNumber);
         command->add_option("-m,--mode", o.contenders, "modes among dp, dp:repro and cr (default: all)")
             ->delimiter(',');
         o.add_repetitions(command);
       },
       [&o] {
         const std::vector<std::string> routines =
             o.routines.empty() ? std::vector<std::string>{"dgetrf", "dpotrf"} : o.routines;
         return print_batched_factors(routines, Options::numbers(o.batch_orders), o.contenders, o.effort.repetitions);
       }},
      {"residuals", "residuals of the factorizations in dp beside cuSOLVER's, with a limit",
       [&o](CLI::App* command) {
         o.add_routines(command, {"dgetrf", "dpotrf", "dgeqrf"}, "routines (default: all)");
         o.add_orders(command, o.residual_orders);
       },
       [&o] { return print_residuals(o.routines, Options::numbers(o.residual_orders)); }},
      {"tall-qr", "QR of tall matrices beside cuSOLVER's",
       [&o](CLI::App* command) {
         command
             ->add_option("-n,--columns", o.batch_orders, "numbers of columns among those of the table (default: all)")
             ->delimiter(',')
             ->check(CLI::PositiveNumber);
         o.add_repetitions(command);
       },
       [&o] { return print_tall_qr(Options::numbers(o.batch_orders), o.effort.repetitions); }},
      {"spectra", "certified eigenvalues and singular values beside cuSOLVER's, with a limit",
       [&o](CLI::App* command) {
         o.add_orders(command, o.spectrum_orders);
         o.add_repetitions(command);
       },
       [&o] { return print_spectra(Options::numbers(o.spectrum_orders), o.effort.repetitions); }},
      {"middle", "level 3, triangular systems and factorizations of orders 256 to 2048, and in cuBLAS and cuSOLVER",
       [&o](CLI::App* command) {
         o.add_orders(command, o.middle_orders);
         o.add_data(command);
         o.add_bursts(command);
       },
       [&o] {
         const std::vector<Index> orders = Options::numbers(o.middle_orders);
         const bool level3 = print_level3({"dsymm", "dsyrk", "dtrmm", "dtrsm"}, o.data, orders, o.effort);
         return print_factor({"dgetrf", "dpotrf", "dgeqrf"}, o.data, orders, o.effort, "") && level3;
       }},
      {"data", "costs of random, structured and decaying data, with limits",
       [&o](CLI::App* command) {
         o.add_routines(command, data_table_routines(), "routines (default: all)");
         o.add_orders(command, o.table_orders);
         o.add_data(command, o.table_data);
       },
       [&o] { return print_data_table(o.routines, o.located_table_data(), o.numbers(o.table_orders)); }},
      {"vectors", "bandwidth of DOT, NRM2, ASUM, GEMV, SYMV, HEMV and TRMV",
       [&o](CLI::App* command) {
         o.add_routines(command, vector_routines(), "routines (default: all)");
         command->add_option("-n,--size", o.vector_sizes, "lengths, or orders of square matrices (default: several)")
             ->delimiter(',')
             ->check(CLI::PositiveNumber);
         command->add_option("-d,--data", o.vector_data, "phi:X, condition:1e16 or ties (default: several)")
             ->delimiter(',');
         o.add_repetitions(command);
         o.add_csv(command);
       },
       [&o] {
         return print_vectors({o.routines, o.numbers(o.vector_sizes), o.vector_data, o.effort.repetitions}, o.csv);
       }},
      {"quad", "binary128 and double-double routines on uniform numbers, with a target",
       [&o](CLI::App* command) {
         o.add_routines(command, quad_routines(), "routines (default: all)");
         o.add_orders(command, o.quad_orders);
         o.add_repetitions(command);
       },
       [&o] { return print_quad(o.routines, o.numbers(o.quad_orders), o.effort.repetitions); }},
  };
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app(
      "Times the modes of accublas on a GPU beside NVIDIA's libraries, on the same data. Runs are interleaved, and "
      "the\n"
      "median of the repetitions counts. Exit status: 0, 1 where a target is missed, 2 for an error, 77 without a "
      "GPU.");
  app.require_subcommand(0, 1);  // a word that is no command is named by the message about words that are too many
  Options options;
  const std::vector<Command> commands = commands_of(options);
  for (const Command& command : commands) command.add_options(app.add_subcommand(command.name, command.meaning));
  try {
    app.parse(count, arguments);
    if (app.get_subcommands().empty()) throw CLI::RequiredError("A command");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  std::int32_t devices = 0;
  if (accublas_device_count(&devices) || devices == 0) {
    std::fprintf(stderr, "accublas-gpu-bench: no CUDA device\n");
    return 77;
  }
  try {
    std::printf("accublas %d.%d.%d on %s; cuBLAS %s\n", ACCUBLAS_VERSION_MAJOR, ACCUBLAS_VERSION_MINOR,
                ACCUBLAS_VERSION_PATCH, device_name().c_str(), cublas_version().c_str());
    for (const Command& command : commands)
      if (app.got_subcommand(command.name)) return command.run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "accublas-gpu-bench: %s\n", error.what());
    return 2;
  }
  return 2;
}
