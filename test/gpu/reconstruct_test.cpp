// Reconstruction on the device, bit for bit against lib/numerics: random integers, their residues, every number of
// moduli.
#include "cuda/int8/reconstruct.hpp"

#include <cmath>
#include <random>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/numerics/crt.hpp"
#include "lib/numerics/finish.hpp"
#include "test/gpu/device_lines.hpp"

namespace accublas::test {
namespace {

using cuda::Elements;
using Integer = Wide<crt_limbs>;

Integer shifted_down(const Integer& a, int bits) {
  Integer r{};
  for (int i = 0; i < 64 * crt_limbs - bits; ++i)
    r.limb[i / 64] |= (a.limb[(i + bits) / 64] >> (i + bits) % 64 & 1) << i % 64;
  return r;
}

/// Sums that the moduli can hold: of full length, short ones, few bits, ties and their neighbours, zeros.
template <class T>
Integer random_sum(std::mt19937_64& random, const Integer& product, int digits) {
  const int length = wide_bit_length(product) - 2;  // below P / 4
  Integer s{};
  for (std::uint64_t& limb : s.limb) limb = random();
  const auto crop = [&](int bits) { s = shifted_down(s, 64 * crt_limbs - bits); };
  switch (random() % 6) {
    case 0:
      crop(std::max(length - static_cast<int>(random() % 12), 0));
      break;
    case 1:
      crop(static_cast<int>(random() % static_cast<unsigned>(length + 1)));
      break;
    case 2: {  // a significand, half a unit and perhaps a bit below
      const int low = static_cast<int>(random() % static_cast<unsigned>(std::max(length - digits - 1, 1)));
      crop(std::min(digits, std::max(length - low - 1, 0)));
      s = wide_shift_left(s, 1);
      s.limb[0] |= random() % 2;
      s = wide_shift_left(s, low);
      if (low > 0 && random() % 2) s = wide_add(s, wide_from<crt_limbs>(random() % 2 ? 1 : -1));
      if (wide_negative(s)) s = Integer{};
      break;
    }
    case 3: {  // many zero bits below
      const int low = static_cast<int>(random() % static_cast<unsigned>(length + 1));
      crop(length - low);
      s = wide_shift_left(s, low);
      break;
    }
    case 4:
      crop(length);
      break;
    default:
      s = Integer{};
      if (random() % 2)
        s = wide_shift_left(wide_from<crt_limbs>(1), static_cast<int>(random() % static_cast<unsigned>(length + 1)));
  }
  if (wide_bit_length(s) > length) crop(length);
  return wide_negate_if(s, random() % 2);
}

template <class T>
T random_scalar(std::mt19937_64& random, int spread) {
  static const T special[] = {T(0), T(-0.0), T(1), T(-1), T(INFINITY), T(-INFINITY), T(NAN), T(1.5)};
  if (random() % 8 == 0) return special[random() % 8];
  const T x =
      static_cast<T>(std::ldexp(static_cast<double>(random() >> 11),
                                static_cast<int>(random() % static_cast<unsigned>(2 * spread + 1)) - spread - 53));
  return random() % 2 ? x : -x;
}

/// The value that the whole of [s - error, s + error] 2^exponent rounds to, by its ends, if there is one: where the
/// twin's bound is too rough to tell, the device may.
template <class T>
bool rounds_to_one(T alpha, const Integer& s, double error, int exponent, T beta, T c, T* out) {
  if (!(error < 0x1p300)) return false;
  constexpr int below = 60;  // bits of the error below 1
  const Decoded d = decode(std::ceil(std::ldexp(error, below)));
  const auto wide = wide_shift_left(wide_cast<crt_limbs + 2>(s), below);
  const auto half = d.exponent >= 0
                        ? wide_shift_left(wide_from<crt_limbs + 2>(static_cast<std::int64_t>(d.mantissa)), d.exponent)
                        : wide_from<crt_limbs + 2>(static_cast<std::int64_t>(d.mantissa >> -d.exponent));
  *out = finish(alpha, wide_add(wide, half), exponent - below, beta, c);
  return to_bits(*out) == to_bits(finish(alpha, wide_sub(wide, half), exponent - below, beta, c));
}

template <class T>
struct Scalars {
  T alpha, beta;
};

struct Shape {
  Index m, n, block_rows, block_cols, row_stride, col_stride;
};

/// One pass over C, block by block; everything is compared.
template <class T>
void check_pass(std::uint64_t seed, int moduli, bool interval, Elements elements, Scalars<T> scalars, bool in_memory,
                bool all_undecided, const Shape& shape) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << " moduli " << moduli << " interval " << interval << " elements "
                                  << static_cast<int>(elements) << " alpha " << scalars.alpha << " beta "
                                  << scalars.beta);
  std::mt19937_64 random(seed);
  const Index m = shape.m, n = shape.n;
  const CrtTable crt = make_crt_table(moduli);
  const int length = wide_bit_length(crt.product);
  cuda::CallState state{};
  cuda::PassPlan& plan = state.pass[1];
  plan.active = 1;
  plan.interval = interval;
  plan.elements = elements;
  plan.moduli = moduli;
  plan.row_bits = length / 2;
  plan.col_bits = length - plan.row_bits;
  plan.block_rows = shape.block_rows;
  plan.block_cols = shape.block_cols;

  // Errors between none and all of S; results beyond both ends of the type's range.
  HostLines rows(m, 100), cols(n, 100);
  const int range = random() % 2 ? 8 : (sizeof(T) == 8 ? 700 : 100);
  for (HostLines* side : {&rows, &cols}) {
    const int bits = side == &rows ? plan.row_bits : plan.col_bits;
    for (std::size_t i = 0; i < static_cast<std::size_t>(side->count); ++i) {
      if (random() % 16 == 0) continue;  // zero lines
      side->exponent[i] = static_cast<int>(random() % static_cast<unsigned>(2 * range + 1)) - range;
      side->norm[i] = std::ldexp(static_cast<double>(random() >> 11), -53 + static_cast<int>(random() % 4));
      if (!(side->norm[i] > 0)) side->norm[i] = 1;
      side->lambda[i] = std::ceil(std::ldexp(side->norm[i], 24 - static_cast<int>(random() % 30)));
      const int keeps = random() % 2 ? bits - 10 : bits + 40;
      side->last_bit[i] = side->exponent[i] - keeps;
      side->special[i] = random() % 16 == 0 ? static_cast<std::uint8_t>(1 + random() % 2) : 0;
      if (side->special[i])
        side->norm[i] = side->lambda[i] = side->exponent[i] = 0, side->last_bit[i] = cuda::no_last_bit;
    }
  }
  const cuda::Lines row_host = host_lines(rows), col_host = host_lines(cols);

  const Index span = (m - 1) * shape.row_stride + (n - 1) * shape.col_stride + 1;
  std::vector<T> c(static_cast<std::size_t>(span));
  for (T& x : c) x = random_scalar<T>(random, sizeof(T) == 8 ? 200 : 40);
  const Index words = cuda::OpenBits::words_per_row(n);
  std::vector<std::uint32_t> open(static_cast<std::size_t>(m * words));
  for (std::uint32_t& w : open) w = static_cast<std::uint32_t>(random() & random());
  const auto bit = [&](const std::vector<std::uint32_t>& bits, Index r, Index col) {
    return (bits[static_cast<std::size_t>(r * words + col / 32)] >> col % 32 & 1) != 0;
  };

  DeviceLines row_lines(rows), col_lines(cols);
  DeviceState device_state(state);
  DeviceArray<T> device_c(c), device_scalars(std::vector<T>{scalars.alpha, scalars.beta});
  DeviceArray<std::uint32_t> device_open(open);
  std::vector<T> want = c;
  std::vector<std::uint32_t> want_open = open;
  std::vector<bool> decidable(static_cast<std::size_t>(m * n), false);
  std::vector<T> also = c;  // what an element that the twin leaves open may become
  unsigned long long count = 0;
  const cuda::DeviceModel model = device_model();
  for (Index row_block = 0; row_block * shape.block_rows < m + shape.block_rows; ++row_block) {
    for (Index col_block = 0; col_block * shape.block_cols < n + shape.block_cols; ++col_block) {
      const std::size_t plane = static_cast<std::size_t>(shape.block_rows * shape.block_cols);
      std::vector<std::int8_t> residues(plane * static_cast<std::size_t>(moduli), 77);
      for (Index r = 0; r < shape.block_rows && row_block * shape.block_rows + r < m; ++r) {
        for (Index j = 0; j < shape.block_cols && col_block * shape.block_cols + j < n; ++j) {
          const Index row = row_block * shape.block_rows + r, col = col_block * shape.block_cols + j;
          const Integer s = random_sum<T>(random, crt.product, FloatFormat<T>::digits);
          const bool negative = wide_negative(s);
          const Integer magnitude = wide_negate_if(s, negative);
          for (int l = 0; l < moduli; ++l) {
            const int p = moduli_list().p[l];
            int value = balanced_residue(residue_of(magnitude, p) * (negative ? -1 : 1), p);
            if (value == 128) value = -128;
            if (random() % 4 == 0 && value - p >= -128) value -= p;
            residues[static_cast<std::size_t>(l) * plane + static_cast<std::size_t>(r * shape.block_cols + j)] =
                static_cast<std::int8_t>(value);
          }
          const std::size_t i = static_cast<std::size_t>(row), k = static_cast<std::size_t>(col);
          const bool was_open = elements != Elements::all && bit(open, row, col);
          const bool special = rows.special[i] != 0 || cols.special[k] != 0;
          bool left = special || was_open;
          if (!special && (elements == Elements::all || (elements == Elements::open) == was_open)) {
            const int x = cuda::line_scale(plan, row_host, row, plan.row_bits),
                      y = cuda::line_scale(plan, col_host, col, plan.col_bits);
            double error = 0;
            if (interval)
              error =
                  element_error(cuda::line_error(row_host, row, x, true), cuda::line_error(col_host, col, y, false));
            T* const at = &want[static_cast<std::size_t>(row * shape.row_stride + col * shape.col_stride)];
            left = true;
            T out;
            if (!(interval && all_undecided) &&
                finish_within(scalars.alpha, s, error, -(x + y), scalars.beta, read_addend(scalars.beta, at), &out)) {
              *at = out;
              left = false;
            } else if (!all_undecided && rounds_to_one(scalars.alpha, s, error, -(x + y), scalars.beta,
                                                       read_addend(scalars.beta, at), &out)) {
              also[static_cast<std::size_t>(at - want.data())] = out;
              decidable[static_cast<std::size_t>(row * n + col)] = true;
            }
          }
          std::uint32_t& word = want_open[static_cast<std::size_t>(row * words + col / 32)];
          word = (word & ~(1u << col % 32)) | static_cast<std::uint32_t>(left) << col % 32;
        }
      }
      DeviceArray<std::int8_t> result(residues);
      cuda::ReconstructArguments<T> a{};
      a.result = result.data();
      a.rows = row_lines.lines();
      a.cols = col_lines.lines();
      a.row_block = row_block;
      a.col_block = col_block;
      a.at = {device_c.data(), shape.row_stride, shape.col_stride};
      a.alpha = {in_memory ? T(7) : scalars.alpha, in_memory ? device_scalars.data() : nullptr};
      a.beta = {in_memory ? T(7) : scalars.beta, in_memory ? device_scalars.data() + 1 : nullptr};
      a.open = device_open.data();
      a.index = 1;
      a.all_undecided = all_undecided;
      a.state = device_state.data();
      cuda::reconstruct(model, a, static_cast<const CombinedParts<T>*>(nullptr), nullptr);
    }
  }
  const std::vector<T> got = device_c.values();
  const std::vector<std::uint32_t> got_open = device_open.values();
  for (Index row = 0; row < m; ++row) {
    for (Index col = 0; col < n; ++col) {
      const std::size_t at = static_cast<std::size_t>(row * shape.row_stride + col * shape.col_stride);
      const bool left = bit(got_open, row, col), further = !left && bit(want_open, row, col);
      ASSERT_TRUE(left == bit(want_open, row, col) || (further && decidable[static_cast<std::size_t>(row * n + col)]))
          << row << ' ' << col;
      const T expected = further ? also[at] : want[at];
      ASSERT_EQ(to_bits(got[at]), to_bits(expected)) << row << ' ' << col << ": " << got[at] << " for " << expected;
      count +=
          left && rows.special[static_cast<std::size_t>(row)] == 0 && cols.special[static_cast<std::size_t>(col)] == 0;
    }
    for (Index col = n; col < words * 32; ++col) ASSERT_FALSE(bit(got_open, row, col));
  }
  EXPECT_EQ(device_state.read().open[1], count);
  // Between the elements nothing is touched.
  std::vector<bool> part(c.size(), false);
  for (Index row = 0; row < m; ++row)
    for (Index col = 0; col < n; ++col)
      part[static_cast<std::size_t>(row * shape.row_stride + col * shape.col_stride)] = true;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (part[i]) continue;
    ASSERT_EQ(to_bits(got[i]), to_bits(c[i])) << "padding " << i;
  }
}

constexpr Shape small{19, 70, 256, 256, 71, 1};

template <class T>
class Reconstruct : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Reconstruct, Types);

TYPED_TEST(Reconstruct, EveryNumberOfModuli) {
  using T = TypeParam;
  const Scalars<T> scalars[] = {{T(1), T(0)},   {T(-0.25), T(0)},  {T(1), T(1)},    {T(-1), T(1)},
                                {T(1.3), T(0)}, {T(-0.7), T(2.1)}, {T(2), T(-0.0)}, {T(1), T(-1)}};
  std::uint64_t seed = 0;
  for (int moduli = 1; moduli <= max_moduli; ++moduli)
    for (bool interval : {false, true})
      for (const Scalars<T>& s : scalars) {
        ++seed;
        check_pass<T>(seed, moduli, interval, static_cast<Elements>(seed % 3), s, seed % 2 != 0, false, small);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(Reconstruct, Scalars) {
  using T = TypeParam;
  const T inf = T(INFINITY), nan = T(NAN);
  const Scalars<T> scalars[] = {{inf, T(0)},
                                {nan, T(0)},
                                {-inf, T(1)},
                                {T(1), inf},
                                {T(1), nan},
                                {T(0), T(1)},
                                {T(0), T(0)},
                                {std::numeric_limits<T>::denorm_min(), T(0)},
                                {std::numeric_limits<T>::max(), T(1)},
                                {T(1), std::numeric_limits<T>::denorm_min()}};
  std::uint64_t seed = 1000;
  for (const Scalars<T>& s : scalars)
    for (int moduli : {3, 14, 15, 22, 30})
      for (bool interval : {false, true}) {
        ++seed;
        check_pass<T>(seed, moduli, interval, static_cast<Elements>(seed % 3), s, false, false, small);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(Reconstruct, BlocksAndStrides) {
  using T = TypeParam;
  const Shape shapes[] = {{300, 530, 256, 256, 530, 1}, {300, 530, 256, 512, 531, 1}, {70, 300, 256, 512, 1, 71},
                          {40, 33, 256, 256, 100, 3},   {1, 1, 256, 256, 1, 1},       {257, 4, 256, 256, 4, 1}};
  std::uint64_t seed = 2000;
  for (const Shape& shape : shapes)
    for (bool interval : {false, true})
      for (Elements elements : {Elements::all, Elements::not_open, Elements::open}) {
        ++seed;
        check_pass<T>(seed, 14, interval, elements, {T(1), T(seed % 2)}, false, false, shape);
        check_pass<T>(seed, 22, interval, elements, {T(-1), T(seed % 2)}, false, interval && seed % 4 == 0, shape);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(Reconstruct, InactivePassDoesNothing) {
  using T = TypeParam;
  HostLines lines(10, 5);
  DeviceLines device_lines(lines);
  DeviceState state(cuda::CallState{});
  DeviceArray<T> c(100);
  DeviceArray<std::uint32_t> open(10);
  cuda::ReconstructArguments<T> a{};
  a.rows = a.cols = device_lines.lines();
  a.at = {c.data(), 10, 1};
  a.alpha.value = 1;
  a.open = open.data();
  a.state = state.data();
  cuda::reconstruct(device_model(), a, static_cast<const CombinedParts<T>*>(nullptr), nullptr);
  for (std::uint32_t w : open.values()) EXPECT_EQ(w, 0xFFFFFFFFu);
}

}  // namespace
}  // namespace accublas::test
