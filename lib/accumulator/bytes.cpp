// The bytes of an accumulator (docs/accumulators.md, "Bytes"), and the sum of two accumulators.
//
// All numbers are little-endian. Accumulators of the same finite terms have equal bytes, in whatever order and parts
// they were added, except for the bounds of their errors.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "lib/accumulator/accumulator.hpp"
#include "lib/numerics/moduli.hpp"

namespace accublas {

namespace {

constexpr char magic[] = "ACCUBLAC";
constexpr std::uint32_t version = 1, header_bytes = 128;
constexpr std::size_t checked_from = 32;  ///< the checksum is that of the bytes from here on
constexpr char letters[] = "dszc";        ///< letters of the types, in the order of Type

/// Writes and reads integers of any size, least significant byte first.
class Writer {
 public:
  explicit Writer(unsigned char* to) : to_(to) {}
  template <class Integer>
  void put(Integer x) {
    for (std::size_t i = 0; i < sizeof x; ++i)
      *to_++ = static_cast<unsigned char>(static_cast<std::uint64_t>(x) >> 8 * i);
  }
  void put(double x) { put(std::bit_cast<std::uint64_t>(x)); }
  void put_bytes(const void* from, std::size_t count) {
    if (count > 0) std::memcpy(to_, from, count);
    to_ += count;
  }
  unsigned char* at() const { return to_; }

 private:
  unsigned char* to_;
};
class Reader {
 public:
  explicit Reader(const unsigned char* from) : from_(from) {}
  template <class Integer>
  Integer get() {
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) x |= std::uint64_t{*from_++} << 8 * i;
    return static_cast<Integer>(x);
  }
  double number() { return std::bit_cast<double>(get<std::uint64_t>()); }
  const unsigned char* take(std::size_t count) {
    from_ += count;
    return from_ - count;
  }

 private:
  const unsigned char* from_;
};

/// Returns the checksum. A change of eight bytes at a multiple of eight changes it, because each step is a bijection of
/// each of its arguments.
std::uint64_t checksum(const unsigned char* bytes, std::size_t count) {
  std::uint64_t sum = 0xCBF29CE484222325u;
  const auto step = [&](std::uint64_t word) {
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 32;
  };
  Reader from(bytes);
  for (; count >= 8; count -= 8) step(from.get<std::uint64_t>());
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < count; ++i) last |= std::uint64_t{from.get<std::uint8_t>()} << 8 * i;
  step(last);
  return sum;
}

/// The numbers of the header on which the size depends.
struct Sizes {
  Index m, n;
  int parts, moduli;
  bool rounds, classes;
  Index listed;

  /// Returns the size, or 0 if it exceeds every address space.
  std::size_t bytes() const {
    if (m < 0 || n < 0 || listed < 0 || m > most_of_a_size || n > most_of_a_size || listed > most_of_a_size) return 0;
    const Uint128 a = static_cast<Uint128>(m) * static_cast<unsigned>(parts), b = static_cast<Uint128>(n), sums = a * b;
    Uint128 all = header_bytes + 8 * (static_cast<Uint128>(m) + b) + sums * static_cast<unsigned>(moduli);
    if (rounds) all += 9 * (a + b);
    if (classes) all += sums;
    all += static_cast<Uint128>(listed) * (8 + 8 * LongAccumulator::limbs);
    return all < Uint128{1} << 62 ? static_cast<std::size_t>(all) : 0;
  }
};
Sizes sizes_of(const Accumulator& x) {
  return {x.m, x.n, x.a.parts, x.moduli, x.rounds(), !x.classes.empty(), static_cast<Index>(x.listed.size())};
}

/// Balanced residues of the sums -256 .. 255 modulo one modulus; 128 modulo 256 is -128.
class ResidueTable {
 public:
  explicit ResidueTable(int l) {
    for (int x = -256; x < 256; ++x)
      of_[static_cast<std::size_t>(x + 256)] = static_cast<std::int8_t>(balanced_residue(x, moduli_list().p[l]));
  }
  std::int8_t operator()(int x) const { return of_[static_cast<std::size_t>(x + 256)]; }

 private:
  std::array<std::int8_t, 512> of_;
};
std::vector<ResidueTable> residue_tables(int moduli) {
  std::vector<ResidueTable> tables;
  for (int l = 0; l < moduli; ++l) tables.emplace_back(l);
  return tables;
}

[[noreturn]] void not_ours(const std::string& why) {
  throw Error(ACCUBLAS_ERROR_FORMAT, "the bytes are not those of an accumulator: " + why);
}

std::vector<LineExponents> read_exponents(Reader& from, Index count) {
  std::vector<LineExponents> lines(static_cast<std::size_t>(count));
  for (LineExponents& line : lines) {
    line.above = from.get<std::int32_t>();
    line.below = from.get<std::int32_t>();
    if (!line.valid()) not_ours("an exponent is out of range");
  }
  return lines;
}

void read_errors(Reader& from, AccumulatorSide& side) {
  for (double& error : side.error) {
    error = from.number();
    if (!(error >= 0) || std::isinf(error)) not_ours("a bound is not a number");
  }
}

void read_dropped(Reader& from, AccumulatorSide& side) {
  for (std::uint8_t& dropped : side.dropped)
    if ((dropped = from.get<std::uint8_t>()) > 1) not_ours("a flag is neither 0 nor 1");
}

}  // namespace

std::size_t exported_bytes(const Accumulator& from) { return sizes_of(from).bytes(); }

void export_accumulator(Accumulator& from, unsigned char* to, int threads) {
  if (from.on_device) {
    from.on_device->read_errors(from.a, from.b);
  } else {
    from.use_tiles();
    from.multiply_waiting(threads, cpu::detected_isa());
  }
  const std::size_t size = exported_bytes(from);
  Writer out(to + checked_from);
  out.put(static_cast<std::uint32_t>(letters[static_cast<int>(from.type)]));
  out.put(static_cast<std::uint32_t>(from.mode.kind));
  out.put(static_cast<std::uint32_t>(from.mode.parameter));
  out.put(static_cast<std::uint32_t>(!from.classes.empty()));
  for (const Index x : {from.m, from.n, from.k, from.added, from.added_again, static_cast<Index>(from.listed.size())})
    out.put(x);
  for (const int x : {from.a.bits, from.b.bits, from.moduli}) out.put(static_cast<std::uint32_t>(x));
  while (out.at() < to + header_bytes) out.put(std::uint8_t{0});

  for (const AccumulatorSide* side : {&from.a, &from.b})
    for (const LineExponents& line : side->exponents) out.put(line.above), out.put(line.below);
  if (from.rounds()) {
    for (const AccumulatorSide* side : {&from.a, &from.b})
      for (const double error : side->error) out.put(error);
    for (const AccumulatorSide* side : {&from.a, &from.b}) out.put_bytes(side->dropped.data(), side->dropped.size());
  }
  const std::vector<ResidueTable> tables = residue_tables(from.moduli);
  std::int8_t* residues = reinterpret_cast<std::int8_t*>(out.at());
  for (int l = 0; l < from.moduli; ++l) {
    const ResidueTable& table = tables[static_cast<std::size_t>(l)];
    if (from.on_device) {
      const Index count = from.rows() * from.cols();
      from.on_device->read_plane(l, residues);
      for (Index i = 0; i < count; ++i) residues[i] = table(residues[i]);
      residues += count;
    } else {
      for_each_run(from, l, [&](const std::int8_t* run, Index, Index, Index count) {
        for (Index i = 0; i < count; ++i) *residues++ = table(run[i]);
      });
    }
  }
  out = Writer(reinterpret_cast<unsigned char*>(residues));
  // If an operand is NaN, no other term counts.
  for (const std::uint8_t x : from.classes) out.put((x & operand_nan) != 0 ? std::uint8_t{operand_nan} : x);
  for (const Index sum : from.listed) out.put(sum);
  for (const LongAccumulator& sum : from.sums) {
    const Wide<LongAccumulator::limbs> value = sum.value();
    for (const std::uint64_t limb : value.limb) out.put(limb);
  }

  Writer head(to);
  head.put_bytes(magic, 8);
  head.put(version);
  head.put(header_bytes);
  head.put(static_cast<std::uint64_t>(size));
  head.put(checksum(to + checked_from, size - checked_from));
}

OwnedAccumulator import_accumulator(const unsigned char* bytes, std::size_t size, int threads) {
  if (size < header_bytes)
    not_ours("they are " + std::to_string(size) + ", fewer than the " + std::to_string(header_bytes) + " of a header");
  Reader in(bytes);
  if (std::memcmp(in.take(8), magic, 8) != 0) not_ours("they do not begin with " + std::string(magic));
  if (const auto of = in.get<std::uint32_t>(); of != version)
    not_ours("their version is " + std::to_string(of) + ", and this library knows version " + std::to_string(version));
  if (in.get<std::uint32_t>() != header_bytes) not_ours("the size of the header is wrong");
  if (const auto all = in.get<std::uint64_t>(); all != size)
    not_ours("the header says " + std::to_string(all) + " bytes, and there are " + std::to_string(size));
  if (in.get<std::uint64_t>() != checksum(bytes + checked_from, size - checked_from)) not_ours("the checksum is wrong");

  const std::uint32_t letter = in.get<std::uint32_t>(), kind = in.get<std::uint32_t>(),
                      parameter = in.get<std::uint32_t>(), flags = in.get<std::uint32_t>();
  const char* const type = letter != 0 && letter < 128 ? std::strchr(letters, static_cast<char>(letter)) : nullptr;
  if (!type) not_ours("the type is unknown");
  const bool fixed = kind == ACCUBLAS_MODE_FIXED;
  if (fixed ? parameter < 2 || parameter > 150 : kind != ACCUBLAS_MODE_CR || parameter != 0)
    not_ours("the mode is unknown");
  if (flags > 1) not_ours("a flag is unknown");
  Index of[6];
  for (Index& x : of) x = in.get<Index>();
  const auto [m, n, k, added, again, listed] = of;
  const std::uint32_t row_bits = in.get<std::uint32_t>(), column_bits = in.get<std::uint32_t>(),
                      moduli = in.get<std::uint32_t>();
  for (const unsigned char* rest = in.take(0); rest < bytes + header_bytes; ++rest)
    if (*rest != 0) not_ours("the end of the header is not zero");
  in.take(header_bytes - 108);
  const std::uint32_t most_bits = fixed ? parameter : 150;
  if (row_bits < 2 || column_bits < 2 || row_bits > most_bits || column_bits > most_bits || moduli == 0 ||
      moduli > max_moduli)
    not_ours("the numbers of bits or moduli are out of range");
  const Type number = static_cast<Type>(type - letters);
  const Sizes sizes{m, n, is_complex_type(number) ? 2 : 1, static_cast<int>(moduli), !fixed, flags != 0, listed};
  if (k < 0 || k > most_of_a_size || added < 0 || added > k || again < 0 || again > added ||
      (listed == 0 && again > 0) || sizes.bytes() != size)
    not_ours("the sizes do not agree");

  const std::vector<LineExponents> rows = read_exponents(in, m), columns = read_exponents(in, n);
  Mode mode;
  mode.kind = static_cast<accublas_mode>(kind);
  mode.parameter = static_cast<int>(parameter);
  OwnedAccumulator made;
  try {
    made = make_accumulator(
        {number, mode, m, n, k, rows.data(), columns.data(), static_cast<int>(row_bits), static_cast<int>(column_bits)},
        threads);
  } catch (const Error& error) {
    if (error.status() != ACCUBLAS_ERROR_ARGUMENT) throw;
    not_ours(error.what());
  }
  const auto bits = [&](const AccumulatorSide& side) { return static_cast<std::uint32_t>(side.bits); };
  if (bits(made->a) != row_bits || bits(made->b) != column_bits || made->moduli != static_cast<int>(moduli))
    not_ours("the exponents need other bits or moduli");
  made->added = added;
  made->added_again = again;
  if (!fixed) {
    read_errors(in, made->a);
    read_errors(in, made->b);
    read_dropped(in, made->a);
    read_dropped(in, made->b);
  }
  made->use_tiles();
  for (int l = 0; l < made->moduli; ++l)
    for_each_run(*made, l, [&](std::int8_t* run, Index, Index, Index count) {
      std::memcpy(run, in.take(static_cast<std::size_t>(count)), static_cast<std::size_t>(count));
    });
  const std::size_t sums = static_cast<std::size_t>(made->rows() * made->cols());
  if (flags != 0) {
    const unsigned char* const classes = in.take(sums);
    made->classes.assign(classes, classes + sums);
    for (const std::uint8_t x : made->classes)
      if (x > 15) not_ours("a class is unknown");
  }
  made->listed.resize(static_cast<std::size_t>(listed));
  Index before = -1;
  for (Index& sum : made->listed) {
    sum = in.get<Index>();
    if (sum <= before || static_cast<std::size_t>(sum) >= sums) not_ours("the list of undecided sums is not ascending");
    before = sum;
  }
  made->sums.resize(made->listed.size());
  for (LongAccumulator& sum : made->sums) {
    Wide<LongAccumulator::limbs> value;
    for (std::uint64_t& limb : value.limb) limb = in.get<std::uint64_t>();
    sum.set(value);
  }
  return made;
}

void merge_accumulator(Accumulator& to, const Accumulator& from) {
  const auto differ = [](const char* what) {
    throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("the accumulators differ in their ") + what);
  };
  if (to.type != from.type) differ("types");
  if (to.mode != from.mode) differ("modes");
  if (to.m != from.m || to.n != from.n || to.k != from.k) differ("sizes");
  if (to.a.exponents != from.a.exponents || to.b.exponents != from.b.exponents) differ("exponents");
  if (to.a.bits != from.a.bits || to.b.bits != from.b.bits) differ("bits");
  if (to.listed != from.listed) differ("lists of undecided sums");
  if (to.second_round()) {
    if (to.added != from.added) differ("terms of the first round");
    if (from.added_again > to.added - to.added_again) differ("terms: together they have more than the first round");
    for (std::size_t i = 0; i < to.sums.size(); ++i) to.sums[i].add(from.sums[i]);
    to.added_again += from.added_again;
    return;
  }
  if (from.added > to.k - to.added) differ("terms: together they have more than k");
  to.use_tiles();
  if (to.classes.empty() && !from.classes.empty()) {
    to.classes = from.classes;
  } else if (!from.classes.empty()) {
    for (std::size_t i = 0; i < to.classes.size(); ++i) to.classes[i] |= from.classes[i];
  }
  for (AccumulatorSide Accumulator::*side : {&Accumulator::a, &Accumulator::b}) {
    AccumulatorSide& sum = to.*side;
    const AccumulatorSide& more = from.*side;
    for (std::size_t i = 0; i < sum.error.size(); ++i) {
      sum.error[i] = add_upwards(sum.error[i], more.error[i]);
      sum.dropped[i] |= more.dropped[i];
    }
  }
  // The other accumulator comes from bytes, so no panel waits there; those of this one may go on waiting.
  const std::vector<ResidueTable> tables = residue_tables(to.moduli);
  for (int l = 0; l < to.moduli; ++l)
    for_each_run(to, l, [&](std::int8_t* run, Index row, Index col, Index count) {
      const ResidueTable& table = tables[static_cast<std::size_t>(l)];
      // The tiles of the two accumulators may differ in size.
      for (Index i = 0, end = 0; i < count; i = end) {
        const std::int8_t* const more = &from.residue(l, row, col + i) - i;
        end = std::min(count, i + from.tiling.cols - (col + i) % from.tiling.cols);
        for (Index p = i; p < end; ++p) run[p] = table(run[p] + more[p]);
      }
    });
  to.added += from.added;
}

}  // namespace accublas
