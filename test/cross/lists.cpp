#include "lists.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "test/repro/calls.hpp"

namespace cross {
namespace {

void need(accublas_context* context, accublas_status status, const std::string& what) {
  if (status == ACCUBLAS_SUCCESS) return;
  std::fprintf(stderr, "%s: status %d: %s\n", what.c_str(), static_cast<int>(status), accublas_last_error(context));
  std::exit(1);
}

void print(const std::string& name, const std::vector<std::uint64_t>& bits) {
  std::printf("%s: %016llx\n", name.c_str(), static_cast<unsigned long long>(repro::checksum(bits)));
}

/// Numbers with exponents from -spread to spread; some are zero.
std::vector<double> numbers(repro::detail::Random& random, std::size_t count, int spread) {
  std::vector<double> x(count);
  for (double& value : x) {
    const std::uint64_t bits = random();
    const int exponent = static_cast<int>(random() % static_cast<std::uint64_t>(2 * spread + 1)) - spread;
    value =
        bits % 17 == 0 ? 0.0 : std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits) >> 11), exponent - 53);
  }
  return x;
}

/// Adds two panels to an accumulator; its bytes, and those of one that was imported and merged, and C.
void accumulator(accublas_context* context, const char* mode, std::int64_t m, std::int64_t n, std::int64_t k,
                 int spread) {
  repro::detail::Random random{static_cast<std::uint64_t>(m * 1000003 + n * 1009 + k)};
  const std::size_t rows = static_cast<std::size_t>(m), cols = static_cast<std::size_t>(n),
                    terms = static_cast<std::size_t>(k);
  const std::vector<double> a = numbers(random, rows * terms, spread), b = numbers(random, terms * cols, spread);
  std::vector<std::int32_t> of_rows(2 * rows), of_columns(2 * cols);
  const std::string name = std::string("accumulator ") + mode + " " + std::to_string(m) + " " + std::to_string(n) +
                           " " + std::to_string(k) + " spread " + std::to_string(spread);
  for (std::size_t i = 0; i < rows; ++i) of_rows[2 * i] = of_rows[2 * i + 1] = ACCUBLAS_EXPONENT_NONE;
  of_columns.assign(2 * cols, ACCUBLAS_EXPONENT_NONE);
  need(context,
       accublas_accumulator_measure(context, ACCUBLAS_TYPE_D, ACCUBLAS_LEFT, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, m,
                                    k, a.data(), m, of_rows.data()),
       name);
  need(context,
       accublas_accumulator_measure(context, ACCUBLAS_TYPE_D, ACCUBLAS_RIGHT, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, n,
                                    k, b.data(), k, of_columns.data()),
       name);
  accublas_accumulator *sum = nullptr, *other = nullptr;
  for (accublas_accumulator** one : {&sum, &other})
    need(
        context,
        accublas_accumulator_create(context, ACCUBLAS_TYPE_D, mode, m, n, k, of_rows.data(), of_columns.data(), 0, one),
        name);
  const std::int64_t first = k / 3;
  need(context,
       accublas_accumulator_add(context, sum, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, first, a.data(),
                                m, b.data(), k),
       name);
  need(context,
       accublas_accumulator_add(context, other, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, k - first,
                                a.data() + first * m, m, b.data() + first, k),
       name);
  const auto bytes_of = [&](accublas_accumulator* one) {
    std::size_t size = 0;
    accublas_accumulator_export(context, one, nullptr, 0, &size);
    std::vector<unsigned char> bytes(size);
    need(context, accublas_accumulator_export(context, one, bytes.data(), size, &size), name);
    return bytes;
  };
  std::vector<std::uint64_t> bits;
  const std::vector<unsigned char> of_other = bytes_of(other);
  need(context, accublas_accumulator_merge(context, sum, of_other.data(), of_other.size()), name);
  for (const unsigned char byte : of_other) bits.push_back(byte);
  print(name + " bytes", bits);
  bits.clear();
  for (const unsigned char byte : bytes_of(sum)) bits.push_back(byte);
  print(name + " merged", bits);
  std::vector<double> c(rows * cols, 0.25);
  const double alpha = 1, beta = -3;
  const accublas_status status =
      accublas_accumulator_finish(context, sum, ACCUBLAS_COL_MAJOR, &alpha, &beta, c.data(), m);
  bits.assign(1, static_cast<std::uint64_t>(status));
  if (status == ACCUBLAS_SUCCESS)
    for (const double x : c) bits.push_back(std::bit_cast<std::uint64_t>(x));
  print(name + " C", bits);
  accublas_accumulator_destroy(sum);
  accublas_accumulator_destroy(other);
}

/// Matrices of multiple precision from limbs; the limbs and the doubles of alpha A B + beta C, A x and x . y.
void multiple_precision(accublas_context* context, int precision, std::int64_t m, std::int64_t n, std::int64_t k,
                        int spread) {
  repro::detail::Random random{static_cast<std::uint64_t>(precision * 7919 + m * 131 + k)};
  const std::int64_t limbs = (precision + 63) / 64;
  const std::string name = "mp " + std::to_string(precision) + " " + std::to_string(m) + " " + std::to_string(n) + " " +
                           std::to_string(k) + " spread " + std::to_string(spread);
  accublas_mp_array *a, *b, *c, *factors;
  const auto make = [&](accublas_mp_array** array, std::int64_t count) {
    need(context, accublas_mp_create(context, precision, count, array), name);
    std::vector<std::uint64_t> limb(static_cast<std::size_t>(count * limbs));
    std::vector<std::int64_t> exponent(static_cast<std::size_t>(count));
    std::vector<std::int32_t> sign(static_cast<std::size_t>(count));
    for (std::uint64_t& word : limb) word = random() % 5 == 0 ? 0 : random();
    for (std::int64_t& e : exponent)
      e = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * spread + 1)) - spread - 64 * limbs;
    for (std::int32_t& s : sign) s = static_cast<std::int32_t>(random() & 1);
    need(context,
         accublas_mp_set_limbs(context, *array, 0, count, count, 1, limb.data(), limbs, exponent.data(), sign.data()),
         name);
  };
  make(&a, m * k);
  make(&b, k * n);
  make(&c, m * n);
  make(&factors, 2);
  const auto show = [&](const char* what) {
    const std::int64_t count = m * n;
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(count * limbs));
    std::vector<std::int64_t> exponent(static_cast<std::size_t>(count));
    std::vector<std::int32_t> sign(static_cast<std::size_t>(count));
    need(context,
         accublas_mp_get_limbs(context, c, 0, count, count, 1, bits.data(), limbs, exponent.data(), sign.data()), name);
    for (const std::int64_t e : exponent) bits.push_back(static_cast<std::uint64_t>(e));
    for (const std::int32_t s : sign) bits.push_back(static_cast<std::uint64_t>(s != 0));
    print(name + what, bits);
    std::vector<double> values(static_cast<std::size_t>(count));
    need(context, accublas_mp_get_double(context, c, 0, count, count, 1, values.data(), count), name);
    bits.clear();
    for (const double x : values) bits.push_back(std::bit_cast<std::uint64_t>(x));
    print(name + what + " doubles", bits);
  };
  need(context,
       accublas_mp_gemm(context, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, k, factors, 0, a, 0, m, b, 0, k, factors,
                        1, c, 0, m),
       name);
  show(" gemm");
  need(context, accublas_set_engine_name(context, "int8"), name);
  need(context,
       accublas_mp_gemm(context, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, k, factors, 0, a, 0, m, b, 0, k, factors,
                        1, c, 0, m),
       name);
  show(" gemm, int8");
  need(context,
       accublas_mp_syrk(context, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, m < n ? m : n, k, factors, 0, a, 0, m, factors, 1,
                        c, 0, m),
       name);
  show(" syrk, int8");
  need(context, accublas_set_engine_name(context, "auto"), name);
  need(context, accublas_mp_gemv(context, ACCUBLAS_NO_TRANS, m, k, factors, 0, a, 0, m, b, 0, 1, factors, 1, c, 0, 1),
       name);
  show(" gemv n");
  need(context, accublas_mp_align(context, a, 0, m, m, k, -1), name);
  need(context, accublas_mp_gemv(context, ACCUBLAS_NO_TRANS, m, k, factors, 0, a, 0, m, b, 0, 1, factors, 1, c, 0, 1),
       name);
  show(" gemv n, aligned");
  need(context,
       accublas_mp_gemv(context, ACCUBLAS_TRANS, k < m ? k : m, m, nullptr, 0, a, 0, m, c, 0, 1, factors, 1, b, 0, 1),
       name);
  need(context, accublas_mp_dot(context, k, a, 0, 1, b, 0, 1, c, 0), name);
  show(" gemv t, dot");
  need(context, accublas_mp_axpy(context, m, factors, 0, a, 0, 1, c, 0, 1), name);
  need(context, accublas_mp_scal(context, m, factors, 1, c, 0, 1), name);
  show(" axpy, scal");
  const std::vector<double> values = numbers(random, static_cast<std::size_t>(m * n), 900);
  need(context, accublas_mp_set_double(context, c, 0, m, m, n, values.data(), m), name);
  show(" from doubles");
  for (accublas_mp_array* array : {a, b, c, factors}) accublas_mp_destroy(array);
}

}  // namespace

void print_lists(accublas_context* context) {
  accublas_set_mode_name(context, "cr");
  double x = 1, y;
  need(context, accublas_ddot(context, 1, &x, 1, &x, 1, &y), "ddot");
  accublas_report_t report;
  report.struct_size = sizeof report;
  need(context, accublas_report(context, &report), "report");
  std::printf("%s\n", report.device);
  for (const repro::Call& call : repro::calls(false))
    if (call.mode[0] != 's')  // slices are products of the real BLAS
      print(call.name(), repro::run(context, call));
  accumulator(context, "cr", 37, 21, 150, 30);
  accumulator(context, "cr", 5, 70, 40, 3);
  accumulator(context, "cr", 9, 8, 300, 400);
  accumulator(context, "fixed:60", 33, 65, 129, 20);
  for (const int precision : {64, 106, 128, 200, 424, 1000})
    for (const int spread : {0, 10, 90, 4000}) multiple_precision(context, precision, 19, 3, 37, spread);
}

}  // namespace cross
