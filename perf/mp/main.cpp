// accublas-mp-bench: the multiple-precision GEMV compared with MPFR, FLINT's arb_dot and GMP's mpn loop, or with --gemm
// GEMM and SYRK by each engine, on the CPU or on a GPU.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>

#include "perf/csv_file.hpp"
#include "perf/mp/gemm.hpp"
#include "perf/mp/measure.hpp"
#include "perf/mp/peers.hpp"

namespace {

using namespace mp_bench;

/// Bytes of the residues that hold every product exactly: n^2 entries, 2 p + log2 n + 2 + s bits in moduli of 31.
std::int64_t least_bytes(std::int64_t n, int bits, int spread) {
  const int range = 2 * bits + static_cast<int>(std::ceil(std::log2(static_cast<double>(n)))) + 2 + spread;
  return n * n * 4 * ((range + 30) / 31);
}

struct Options {
  std::vector<int> bits = {106, 212, 424, 848, 1696}, spreads = {0, 64}, threads = {1, 2};
  std::vector<std::int64_t> sizes = {1000, 4000};
  std::vector<std::string> widths = {"full", "short"};
  std::vector<std::string> engines = {"sums", "int8", "auto"};
  bool device = false, peers = true, gemm = false;
  int repetitions = 10, peer_threads = 0;
  double memory_gib = 6;
};

/// Rates of the peers, nanoseconds a term, on all rows or enough of them to be past the caches: 64 MiB at 32 bytes a
/// number, which is the least that one has, and its limbs.
std::vector<PeerTime> peers(const Options& options, const Input& input, std::int64_t n, int threads) {
  if (!options.peers || options.device) return {};
  const std::int64_t rows = std::clamp<std::int64_t>((std::int64_t{64} << 20) / (n * (32 + (input.bits + 7) / 8)), 8,
                                                     std::max<std::int64_t>(8, n));
  return time_peers(random_numbers(input, rows * n, 3), random_numbers({input.bits, input.width, 0}, n, 4), input.bits,
                    input.spread == 0, threads, 2);
}

void run(const Options& options, std::int64_t n, const Input& input, const std::string& width, int threads,
         std::FILE* csv) {
  const std::int64_t bytes = least_bytes(n, input.bits, input.spread);
  const Numbers a = random_numbers(input, n * n, 1), x = random_numbers({input.bits, input.width, 0}, n, 2);
  Gemv gemv({n, input, options.device, threads, options.repetitions}, a, x);
  // A GPU copies 32 MB at half of its rate: what a small matrix is held against is the rate of a large one.
  const double rate =
      bandwidth(options.device ? std::max(bytes, std::int64_t{1} << 30) : bytes, options.device, threads);
  const std::vector<PeerTime> rivals = peers(options, input, n, threads);
  for (const bool transposed : {false, true}) {
    const Times times = gemv.measure(transposed);
    const double least_ms = static_cast<double>(bytes) / rate * 1e3, terms = static_cast<double>(n * n);
    std::printf("%5lld %5d %-5s %4d %2d %c %9.1f %9.1f %9.4f %8.4f %8.4f %8.4f %6d %8.1f %7.1f %6.2f",
                static_cast<long long>(n), input.bits, width.c_str(), input.spread, threads, transposed ? 'T' : 'N',
                times.set_ms, times.align_ms, times.ms, times.report.ms_align, times.report.ms_product,
                times.report.ms_finish, times.report.moduli, static_cast<double>(bytes) / 1e6, rate / 1e9,
                least_ms / times.ms);
    for (const PeerTime& peer : rivals) std::printf("  %s %.1f", peer.name.c_str(), peer.ns * terms / (times.ms * 1e6));
    for (const PeerTime& peer : rivals)
      if (peer.name == "arb_dot")
        std::printf("  conversion %.2f", (times.set_ms + times.align_ms) * 1e6 / (peer.ns * terms));
    if (options.device)
      std::printf("  %+.1f us  conversion %.1f  sustained %.4f ms %+.1f us", 1e3 * (times.ms - least_ms),
                  times.align_ms / times.ms, times.sustained_ms, 1e3 * (times.sustained_ms - least_ms));
    std::printf("\n");
    std::fflush(stdout);
    if (!csv) continue;
    const auto record = [&](const char* name, double ms, const Times& own) {
      std::fprintf(csv, "%lld,%d,%s,%d,%d,%c,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%lld,%.6g\n",
                   static_cast<long long>(n), input.bits, width.c_str(), input.spread, threads, transposed ? 'T' : 'N',
                   name, ms, own.set_ms, own.align_ms, own.report.ms_align, own.report.ms_product, own.report.ms_finish,
                   own.report.moduli, static_cast<long long>(bytes), rate);
    };
    record("accublas", times.ms, times);
    for (const PeerTime& peer : rivals) record(peer.name.c_str(), peer.ns * terms / 1e6, {});
    std::fflush(csv);
  }
}

/// Prints a row for each engine; `gain` is the time of the first engine over the row's. Prints a row of arb_mat_mul,
/// where `gain` is its time over the least one of accublas.
void run_gemm(const Options& options, std::int64_t n, const Input& input, int threads) {
  double first_ms = 0, least_ms = std::numeric_limits<double>::infinity();
  for (const std::string& engine : options.engines) {
    const GemmTimes times = time_gemm({n, input, options.device, threads, options.repetitions}, engine);
    if (first_ms == 0) first_ms = times.ms;
    least_ms = std::min(least_ms, times.ms);
    const accublas_mp_report_t& report = times.report;
    std::printf("%5lld %5d %4d %2d %-5s %-5s %6d %9.2f %9.2f %9.2f %10.2f %6.2f %10.2f\n", static_cast<long long>(n),
                input.bits, input.spread, threads, engine.c_str(), report.engine, report.moduli, report.ms_align,
                report.ms_product, report.ms_finish, times.ms, first_ms / times.ms, times.syrk_ms);
    std::fflush(stdout);
  }
  if (!options.peers) return;
  const int peer_threads = options.peer_threads > 0 ? options.peer_threads : threads;
  const std::optional<double> ms = time_arb_mat_mul(random_numbers(input, n * n, 1), random_numbers(input, n * n, 2), n,
                                                    input.bits, peer_threads, 1);
  if (!ms) return;
  std::printf("%5lld %5d %4d %2d arb_mat_mul %48.2f %6.2f\n", static_cast<long long>(n), input.bits, input.spread,
              peer_threads, *ms, *ms / least_ms);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app(
      "Times y = A x and y = A' x in multiple precision, A n x n and converted once. Milliseconds: set (A from limbs), "
      "align (its\n"
      "residues), gemv (median), and its phases. MB: bytes of the residues that the products need, GB/s: what this "
      "machine reads\n"
      "(a GPU: copies) in this run, share: time to read them at that rate over the GEMV's. Rivals: their time over "
      "ours; conversion:\n"
      "set and align over arb_dot's GEMV. On a GPU: microseconds above the time to read, align over a GEMV, and a GEMV "
      "of many back to back.\n"
      "With --gemm: C = A B for each engine, all n x n, without a kept aligned form: the engine that ran, the phases, "
      "the\n"
      "time, the first engine's time over it, and the time of a SYRK. With FLINT, a row of its arb_mat_mul: its time "
      "over ours.\n"
      "full: mantissas as wide as the precision; short: a quarter of it, as in the published measurements.");
  Options options;
  bool no_peers = false;
  std::string csv_name;
  app.add_option("-p,--bits", options.bits, "precisions")->delimiter(',')->capture_default_str();
  app.add_option("-n,--size", options.sizes, "orders of A")->delimiter(',')->capture_default_str();
  app.add_option("-i,--input", options.widths, "full, short")
      ->delimiter(',')
      ->check(CLI::IsMember({"full", "short"}))
      ->capture_default_str();
  app.add_option("-s,--spread", options.spreads, "how many different exponents A has")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("-t,--threads", options.threads, "threads (CPU)")->delimiter(',')->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "calls behind a median")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--memory", options.memory_gib, "GiB of residues from which on a case is left out")
      ->capture_default_str();
  app.add_option("--peer-threads", options.peer_threads, "threads of arb_mat_mul (default: those of -t)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--gpu", options.device, "on the GPU");
  app.add_flag("--no-peers", no_peers, "accublas alone");
  app.add_flag("--gemm", options.gemm, "GEMM and SYRK with each engine");
  app.add_option("--engines", options.engines, "engines of --gemm")->delimiter(',')->capture_default_str();
  app.add_option("--csv", csv_name, "also write the figures to this file, milliseconds and bytes, a row a contender");
  CLI11_PARSE(app, count, arguments);
  options.peers = !no_peers;
  if (options.device) options.threads = {1};
  try {
    if (options.gemm) {
      std::printf("%5s %5s %4s %2s %-5s %-5s %6s %9s %9s %9s %10s %6s %10s\n", "n", "bits", "s", "t", "asked", "ran",
                  "moduli", "align", "product", "finish", "gemm", "gain", "syrk");
      for (const std::int64_t n : options.sizes)
        for (const int bits : options.bits)
          for (const int spread : options.spreads)
            for (const int threads : options.threads)
              run_gemm(options, n, {bits, bits, std::max(0, spread - 1)}, threads);
      return 0;
    }
    const bench::CsvFile csv(
        csv_name,
        "n,bits,input,spread,threads,op,contender,ms,ms_set,ms_align,ms_align_x,ms_product,ms_finish,"
        "moduli,bytes,bytes_a_second");
    std::printf("%5s %5s %-5s %4s %2s %c %9s %9s %9s %8s %8s %8s %6s %8s %7s %6s\n", "n", "bits", "input", "s", "t",
                ' ', "set", "align", "gemv", "align x", "product", "finish", "moduli", "MB", "GB/s", "share");
    for (const std::int64_t n : options.sizes)
      for (const int bits : options.bits)
        for (const std::string& width : options.widths)
          for (const int spread : options.spreads) {
            if (width == "short" && (n != options.sizes.front() || spread != options.spreads.front())) continue;
            if (static_cast<double>(least_bytes(n, bits, spread)) > options.memory_gib * 0x1p30) continue;
            for (const int threads : options.threads)
              run(options, n, {bits, width == "short" ? (bits + 3) / 4 : bits, std::max(0, spread - 1)}, width, threads,
                  csv.get());
          }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "accublas-mp-bench: %s\n", failure.what());
    return 1;
  }
  return 0;
}
