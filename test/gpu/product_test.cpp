// The residue products and the certificate's sums against sums of products formed on the host, on the kernels for
// compute capability 9.0 (where the device is one) and on the portable ones.
#include "cuda/int8/product.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "cuda/core/reduction.hpp"
#include "lib/numerics/moduli.hpp"
#include "test/gpu/device.hpp"

namespace accublas::cuda {
namespace {

using test::DeviceArray;
using test::require;

using Bytes = std::vector<std::uint8_t>;

DeviceModel make_model() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  DeviceModel model{};
  model.major = properties.major;
  model.minor = properties.minor;
  model.processors = properties.multiProcessorCount;
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  model.hopper_kernels = properties.major == 9 && properties.minor == 0;
#endif
  return model;
}

/// A block of a product, one chunk of k.
struct Shape {
  Index m, n, k;
  int moduli;
  Index block_rows, block_cols;
  Index row_block, col_block;
  Index rows() const { return std::clamp<Index>(m - block_rows * row_block, 0, block_rows); }
  Index cols() const { return std::clamp<Index>(n - block_cols * col_block, 0, block_cols); }
};

Shape whole(Index m, Index n, Index k, int moduli) { return {m, n, k, moduli, padded_lines(m), padded_lines(n), 0, 0}; }

std::size_t line_start(const Shape& shape, Index i, int plane) {
  return static_cast<std::size_t>(((i / 256 * shape.moduli + plane) * 256 + i % 256) * shape.k);
}

/// A buffer as convert leaves it: lines that exist, zeros to the end of their group, anything (0xFF) beyond. A few
/// bytes more than whole lines.
template <class Value>
Bytes make_buffer(const Shape& shape, Index lines, Index block_lines, const Value& value) {
  constexpr ModuliList list = moduli_list();
  Bytes buffer(static_cast<std::size_t>(block_lines * shape.moduli * shape.k) + 100, 0xFF);
  for (int l = 0; l < shape.moduli; ++l)
    for (Index i = 0; i < padded_lines(lines); ++i)
      for (Index p = 0; p < shape.k; ++p)
        buffer[line_start(shape, i, l) + static_cast<std::size_t>(p)] = i < lines ? value(list.p[l]) : 0;
  return buffer;
}

struct RandomByte {
  std::mt19937& random;
  std::uint8_t operator()(int p) const { return static_cast<std::uint8_t>((random() >> 8) % static_cast<unsigned>(p)); }
};
std::uint8_t largest_byte(int p) { return static_cast<std::uint8_t>(p - 1); }

std::uint64_t sum_of_products(const Shape& shape, const Bytes& rows, const Bytes& cols, Index r, Index c, int plane) {
  const std::uint8_t *a = rows.data() + line_start(shape, r, plane), *b = cols.data() + line_start(shape, c, plane);
  std::uint32_t sum = 0;  // at most 65920 255^2 < 2^32
  for (Index p = 0; p < shape.k; ++p) sum += static_cast<std::uint32_t>(a[p]) * b[p];
  return sum;
}

std::uint64_t sum_of_largest(const Shape& shape, int plane) {
  constexpr ModuliList list = moduli_list();
  const auto factor = static_cast<std::uint64_t>(list.p[plane] - 1);
  return static_cast<std::uint64_t>(shape.k) * factor * factor;
}

class Product : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    model = make_model();
    if (GetParam() && !model.hopper_kernels) GTEST_SKIP() << "no kernels for this device but the portable ones";
    model.hopper_kernels = GetParam();
  }

  std::size_t result_size(const Shape& s) const {
    return static_cast<std::size_t>(s.block_rows * s.block_cols * s.moduli);
  }

  ProductArguments arguments(const Shape& shape, const DeviceArray<std::uint8_t>& rows,
                             const DeviceArray<std::uint8_t>& cols, DeviceArray<std::int8_t>& result, bool accumulate) {
    CallState call{};
    PassPlan& plan = call.pass[1];
    plan.active = 1;
    plan.moduli = shape.moduli;
    plan.block_rows = shape.block_rows;
    plan.block_cols = shape.block_cols;
    state = std::vector<CallState>{call};
    return {rows.data(), cols.data(),     rows.size(),     cols.size(), result.data(),          shape.k,     shape.m,
            shape.n,     shape.row_block, shape.col_block, accumulate,  &state.data()->pass[1], state.data()};
  }

  std::vector<std::int8_t> multiply(const Shape& shape, const Bytes& rows, const Bytes& cols) {
    const DeviceArray<std::uint8_t> row_array(rows), col_array(cols);
    DeviceArray<std::int8_t> result(result_size(shape));
    residue_product(model, arguments(shape, row_array, col_array, result, false), nullptr);
    return result.values();
  }

  /// Checks elements (every `stride`-th) against sum(r, c, plane).
  template <class Sum>
  static void expect_residues(const Shape& shape, const std::vector<std::int8_t>& result, Index stride,
                              const Sum& sum) {
    constexpr ModuliList list = moduli_list();
    int wrong = 0;
    for (int l = 0; l < shape.moduli; ++l)
      for (Index i = 0; i < shape.rows() * shape.cols(); i += stride) {
        const Index r = i / shape.cols(), c = i % shape.cols();
        const int got = result[static_cast<std::size_t>((l * shape.block_rows + r) * shape.block_cols + c)];
        const std::uint64_t wanted = sum(r, c, l);
        if ((static_cast<std::int64_t>(wanted) - got) % list.p[l] != 0 && ++wrong < 4)
          ADD_FAILURE() << shape.m << " x " << shape.n << " x " << shape.k << ", " << shape.moduli << " moduli, plane "
                        << l << ", row " << r << ", column " << c << ": sum " << wanted << ", got " << got;
      }
    EXPECT_EQ(wrong, 0);
  }

  void check_random(const Shape& shape, Index stride = 1) {
    const Bytes rows = make_buffer(shape, shape.rows(), shape.block_rows, RandomByte{random});
    const Bytes cols = make_buffer(shape, shape.cols(), shape.block_cols, RandomByte{random});
    expect_residues(shape, multiply(shape, rows, cols), stride,
                    [&](Index r, Index c, int l) { return sum_of_products(shape, rows, cols, r, c, l); });
  }

  DeviceModel model;
  std::mt19937 random{20};
  DeviceArray<CallState> state{1};
};

TEST_P(Product, EveryNumberOfModuli) {
  for (int moduli = 1; moduli <= max_moduli; ++moduli) check_random(whole(67, 85, 128, moduli));
}

TEST_P(Product, Sizes) {
  for (const Shape& shape :
       {whole(1, 1, 128, 3), whole(64, 300, 256, 3), whole(65, 1, 384, 3), whole(128, 256, 512, 2),
        whole(129, 257, 640, 2), whole(257, 255, 1152, 3), whole(193, 513, 128, 14), whole(600, 700, 256, 3)})
    check_random(shape);
  // More tiles than blocks, and more rows than a stripe.
  check_random(whole(2500, 1100, 128, 5), 37);
}

TEST_P(Product, Blocks) {
  for (Index row_block = 0; row_block < 3; ++row_block)
    for (Index col_block = 0; col_block < 2; ++col_block)
      check_random({600, 900, 256, 4, 256, 512, row_block, col_block});
}

/// Bytes other than zero where a triangular side has zeros, beyond the steps of 128 terms that any of 256 lines needs:
/// they have no part in the sums.
TEST_P(Product, LeavesOutKnownZeros) {
  const Shape shape{1100, 900, 1024, 2, 512, 512, 1, 1};
  Index spoiled = 0;
  for (const Triangle part : {Triangle::upper, Triangle::lower})
    for (int form = 0; form < 16; ++form) {
      KnownZeros zeros{part, (form & 1) != 0, 17, (form & 2) != 0, (form & 4) != 0};
      const Index first_term = form & 8 ? 512 : 0;
      Bytes sides[2] = {make_buffer(shape, shape.rows(), shape.block_rows, RandomByte{random}),
                        make_buffer(shape, shape.cols(), shape.block_cols, RandomByte{random})};
      Bytes& triangular = sides[zeros.of_a ? 0 : 1];
      const Index lines = zeros.of_a ? shape.rows() : shape.cols(), lines_before = 512;
      const auto is_zero = [&](Index line, Index term) {
        const Index j = zeros.paired_lines ? line / 2 : line, p = zeros.paired_terms ? term / 2 : term;
        return part == Triangle::upper ? p > j + zeros.diagonal : p < j + zeros.diagonal;
      };
      const auto for_zeros = [&](auto&& body) {
        for (int l = 0; l < shape.moduli; ++l)
          for (Index i = 0; i < lines; ++i)
            for (Index p = 0; p < shape.k; ++p)
              if (is_zero(lines_before + i, first_term + p))
                body(triangular[line_start(shape, i, l) + static_cast<std::size_t>(p)], i / 256 * 256, p / 128 * 128);
      };
      for_zeros([](std::uint8_t& byte, Index, Index) { byte = 0; });
      const Bytes clean[2] = {sides[0], sides[1]};
      for_zeros([&](std::uint8_t& byte, Index group, Index step) {
        bool all = step > 0;  // one step is taken at least
        for (const Index i : {group, group + 255})
          for (const Index p : {step, step + 127}) all = all && is_zero(lines_before + i, first_term + p);
        if (all) byte = 77, ++spoiled;
      });
      const DeviceArray<std::uint8_t> rows(sides[0]), cols(sides[1]);
      DeviceArray<std::int8_t> result(result_size(shape));
      ProductArguments a = arguments(shape, rows, cols, result, false);
      a.zeros = zeros;
      a.first_term = first_term;
      residue_product(model, a, nullptr);
      expect_residues(shape, result.values(), 37,
                      [&](Index r, Index c, int l) { return sum_of_products(shape, clean[0], clean[1], r, c, l); });
    }
  EXPECT_GT(spoiled, 0);
}

TEST_P(Product, LargestSums) {
  // The longest chunk with few moduli, the largest of them; all moduli with less memory.
  for (const Shape& shape : {whole(5, 9, product_most_terms, 8), whole(5, 9, 8192, max_moduli)}) {
    const Bytes rows = make_buffer(shape, shape.m, shape.block_rows, largest_byte);
    const Bytes cols = make_buffer(shape, shape.n, shape.block_cols, largest_byte);
    expect_residues(shape, multiply(shape, rows, cols), 1,
                    [&](Index, Index, int l) { return sum_of_largest(shape, l); });
  }
}

TEST_P(Product, LongChunks) {
  check_random(whole(70, 60, product_most_terms, 3));
  check_random(whole(140, 60, 65536, 2));
  // Large enough for the blocks to meet.
  check_random(whole(1000, 1020, product_most_terms, 1), 501);
}

TEST_P(Product, Accumulates) {
  const Shape shape = whole(130, 270, 640, max_moduli);
  std::vector<Bytes> rows, cols;
  DeviceArray<std::int8_t> result(result_size(shape));
  for (int chunk = 0; chunk < 3; ++chunk) {
    rows.push_back(make_buffer(shape, shape.m, shape.block_rows, RandomByte{random}));
    cols.push_back(make_buffer(shape, shape.n, shape.block_cols, RandomByte{random}));
    const DeviceArray<std::uint8_t> row_array(rows.back()), col_array(cols.back());
    residue_product(model, arguments(shape, row_array, col_array, result, chunk > 0), nullptr);
    require(cudaDeviceSynchronize(), "product");
  }
  expect_residues(shape, result.values(), 7, [&](Index r, Index c, int l) {
    std::uint64_t sum = 0;
    for (std::size_t chunk = 0; chunk < 3; ++chunk) sum += sum_of_products(shape, rows[chunk], cols[chunk], r, c, l);
    return sum;
  });
}

TEST_P(Product, AccumulatesOnEveryByte) {
  // 256 rows of old bytes -128 .. 127; sums 0 and the largest.
  for (const bool largest : {false, true})
    for (const Shape& shape : {whole(256, 20, product_most_terms, 2), whole(256, 20, 2048, max_moduli)}) {
      const auto value = [&](int p) { return largest ? largest_byte(p) : std::uint8_t{0}; };
      const DeviceArray<std::uint8_t> rows(make_buffer(shape, shape.m, shape.block_rows, value));
      const DeviceArray<std::uint8_t> cols(make_buffer(shape, shape.n, shape.block_cols, value));
      std::vector<std::int8_t> old(result_size(shape));
      for (std::size_t i = 0; i < old.size(); ++i) old[i] = static_cast<std::int8_t>(i / 256 % 256);
      DeviceArray<std::int8_t> result(old);
      residue_product(model, arguments(shape, rows, cols, result, true), nullptr);
      expect_residues(shape, result.values(), 1, [&](Index r, Index, int l) {
        constexpr ModuliList list = moduli_list();
        return (largest ? sum_of_largest(shape, l) : 0) + static_cast<std::uint64_t>(256 * list.p[l]) +
               static_cast<std::uint64_t>(static_cast<std::int8_t>(r));
      });
    }
}

TEST_P(Product, LeavesResultWhereThereIsNothingToDo) {
  const Shape shape = whole(300, 300, 128, 2);
  const DeviceArray<std::uint8_t> rows(make_buffer(shape, 300, 512, RandomByte{random}));
  const DeviceArray<std::uint8_t> cols(make_buffer(shape, 300, 512, RandomByte{random}));
  DeviceArray<std::int8_t> result(result_size(shape));
  ProductArguments beyond = arguments(shape, rows, cols, result, false);
  beyond.row_block = 1;
  residue_product(model, beyond, nullptr);
  beyond.row_block = 0;
  beyond.col_block = 7;
  residue_product(model, beyond, nullptr);
  ProductArguments inactive = arguments(shape, rows, cols, result, false);
  state.zero();
  residue_product(model, inactive, nullptr);
  const std::vector<std::int8_t> after = result.values();
  EXPECT_TRUE(std::all_of(after.begin(), after.end(), [](std::int8_t byte) { return byte == -1; }));
}

TEST_P(Product, Captured) {
  const Shape shape = whole(300, 200, 256, 5);
  const Bytes rows = make_buffer(shape, shape.m, shape.block_rows, RandomByte{random});
  const Bytes cols = make_buffer(shape, shape.n, shape.block_cols, RandomByte{random});
  const DeviceArray<std::uint8_t> row_array(rows), col_array(cols);
  DeviceArray<std::int8_t> result(result_size(shape));
  const ProductArguments product = arguments(shape, row_array, col_array, result, false);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  residue_product(model, product, stream);
  require(cudaStreamEndCapture(stream, &graph), "capture");
  require(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
  for (int run = 0; run < 2; ++run) {
    require(cudaMemset(result.data(), 0xFF, result.size()), "cudaMemset");
    require(cudaGraphLaunch(executable, stream), "launch");
    require(cudaStreamSynchronize(stream), "graph");
    expect_residues(shape, result.values(), 1,
                    [&](Index r, Index c, int l) { return sum_of_products(shape, rows, cols, r, c, l); });
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_P(Product, CertificateSums) {
  state.zero();
  for (const Shape& shape : {whole(1, 1, 128, 1), whole(300, 530, 1024, 1), whole(70, 257, product_most_terms, 1)}) {
    const bool largest = shape.k == product_most_terms;
    const auto value = [&](int) { return static_cast<std::uint8_t>(largest ? 127 : random() % 128); };
    const Bytes rows = make_buffer(shape, shape.m, shape.block_rows, value);
    const Bytes cols = make_buffer(shape, shape.n, shape.block_cols, value);
    const DeviceArray<std::uint8_t> row_array(rows), col_array(cols);
    DeviceArray<std::int32_t> sums(result_size(shape));
    const auto run = [&](bool accumulate) {
      certificate_sums(model,
                       {row_array.data(), col_array.data(), row_array.size(), col_array.size(), sums.data(), shape.k,
                        shape.m, shape.n, shape.block_rows, shape.block_cols, accumulate, state.data()},
                       nullptr);
    };
    run(false);
    // Three times the longest sum of largest factors passes 2^31.
    for (std::uint64_t times = 1; times <= 3; ++times) {
      if (times > 1) run(true);
      const std::vector<std::int32_t> got = sums.values();
      int wrong = 0;
      for (Index i = 0; i < shape.m * shape.n; i += 3) {
        const Index r = i / shape.n, c = i % shape.n;
        const std::uint64_t exact = times * sum_of_products(shape, rows, cols, r, c, 0);
        wrong += got[static_cast<std::size_t>(r * shape.block_cols + c)] !=
                 static_cast<std::int64_t>(std::min<std::uint64_t>(exact, 0x7FFFFFFF));
      }
      EXPECT_EQ(wrong, 0) << shape.m << " x " << shape.n << " x " << shape.k << ", times " << times;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Product, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "hopper" : "portable"; });

/// The table and reduce_two() on the host: every value that weighing four bytes and adding an old residue can give.
TEST(ByteReduction, EveryWeighedSum) {
  constexpr ModuliList list = moduli_list();
  const ReductionTable table = make_reductions();
  for (int l = 0; l < max_moduli; ++l) {
    const ByteReduction& modulus = table.of[l];
    const int p = list.p[l];
    for (int i = 0; i < 4; ++i) {
      const std::int64_t weight =
          std::int64_t{weigh_bytes(1u << (8 * i), modulus.weights, modulus.start)} - modulus.start;
      EXPECT_EQ((weight - (std::int64_t{1} << (8 * i))) % p, 0);
      EXPECT_LE(2 * std::abs(weight), p);
    }
    int wrong = 0;
    for (int v = -(1 << 17); v < 1 << 17; ++v) {
      const int other = -1 - v;
      const std::uint32_t both = reduce_two(0, v, 0, other, modulus);
      wrong += (static_cast<std::int8_t>(both) - v) % p != 0;
      wrong += (static_cast<std::int8_t>(both >> 16) - other) % p != 0;
    }
    EXPECT_EQ(wrong, 0) << p;
  }
}

}  // namespace
}  // namespace accublas::cuda
