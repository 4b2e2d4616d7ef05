// Every routine of the drop-in for cuBLAS, by its name, on device arrays: the C interface's bits; where cuBLAS answers,
// the real one's status and values. The mode is the environment's.
#include "test/cublas/gpu_memory.hpp"

namespace accublas::test {
namespace {

/// Hooked, and what the real one says and leaves, with the same arguments.
void expect_real_answer(const Row& row, Memory& memory, const Arguments& x, const std::string& what) {
  memory.begin();
  const cublasStatus_t real = row.call(real_function(row), x);
  const Outcome by_real = memory.outcome();
  memory.begin();
  EXPECT_EQ(row.call(row.hooked, x), real) << row.name << ": " << what;
  EXPECT_TRUE(close(row, memory.outcome(), by_real)) << row.name << ": " << what;
}

std::int64_t calls_counted() {
  accublas_counter_t counters[512];
  std::size_t count = 0;
  EXPECT_EQ(accublas_counters(counters, 512, &count), ACCUBLAS_SUCCESS);
  std::int64_t calls = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 512); ++i) calls += counters[i].calls;
  return calls;
}

TEST(CublasGpu, TheProgramIsLinkedWithTheDropIn) {
  for (const Row& row : rows()) {
    Dl_info info;
    ASSERT_TRUE(dladdr(row.hooked, &info));
    EXPECT_NE(std::string(info.dli_fname).find("libaccublas_cublas"), std::string::npos) << row.name;
    ASSERT_TRUE(dladdr(real_function(row), &info));
    EXPECT_NE(std::string(info.dli_fname).find("libcublas.so"), std::string::npos) << row.name;
  }
}

TEST(CublasGpu, EveryRoutine) {
  const Handle handle;
  for (const Row& row : rows()) {
    Memory memory(row);
    with_variants({}, [&](Arguments x) {
      accublas_status status;
      const Outcome wanted = by_interface(row, memory, x, status);
      x.handle = handle;
      for (const bool on_device : {false, true}) {
        set_factors(handle, on_device);
        if (status == ACCUBLAS_ERROR_ARGUMENT) {
          expect_real_answer(row, memory, memory.arguments(x, on_device), "not accublas's");
          continue;
        }
        ASSERT_EQ(status, ACCUBLAS_SUCCESS) << row.name;
        memory.begin();
        EXPECT_EQ(row.call(row.hooked, memory.arguments(x, on_device)), CUBLAS_STATUS_SUCCESS) << row.name;
        EXPECT_TRUE(same(row, memory.outcome(), wanted)) << row.name << (on_device ? ", device factors" : "");
      }
    });
  }
}

/// C's rows beyond the matrix stay, and B does.
TEST(CublasGpu, TrmmOutOfPlace) {
  const Handle handle;
  for (const Row& row : rows()) {
    if (row.kind != Row::copied) continue;
    with_variants({}, [&](Arguments x) {
      Memory memory(row);
      const std::vector<char> b = memory.b().values(), c = memory.c().values();
      x.handle = handle;
      Arguments call = memory.arguments(x);
      call.b = {memory.b().data()};
      ASSERT_EQ(row.call(row.hooked, call), CUBLAS_STATUS_SUCCESS) << row.name;
      const std::vector<char> out = memory.outcome().c;
      EXPECT_EQ(memory.b().values(), b);
      // In place, from B.
      require(cudaMemcpy(memory.c().data(), b.data(), b.size(), cudaMemcpyHostToDevice), "copy");
      const Context context;
      call.context = context;
      ASSERT_EQ(row.by_interface(call), ACCUBLAS_SUCCESS) << row.name;
      ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS);
      Outcome in_place = memory.outcome();
      for (std::size_t i = 0; i < c.size(); ++i) {
        const std::int64_t element = static_cast<std::int64_t>(i / row.bytes());
        if (element % x.ldc >= x.m || element / x.ldc >= x.n) in_place.c[i] = c[i];
      }
      EXPECT_TRUE(same(row, {out, {}}, {in_place.c, {}})) << row.name;
    });
  }
}

/// They are the real cuBLAS's, and no counter counts them; others of that handle are accublas's.
TEST(CublasGpu, OtherArithmeticByMathMode) {
  if (!defines_bits()) GTEST_SKIP() << "for modes that cuBLAS does not serve";
  const Handle handle;
  constexpr int bf16x9 = 4, fixed_point = 8;  // which older headers lack
  for (const int mode : {static_cast<int>(CUBLAS_TF32_TENSOR_OP_MATH), bf16x9, fixed_point}) {
    if (cublasSetMathMode(handle, static_cast<cublasMath_t>(mode)) != CUBLAS_STATUS_SUCCESS) continue;
    for (const Row& row : rows()) {
      const bool vector =
          row.kind == Row::number || (row.kind == Row::on_host && !row.has("2k")) || row.has("mv") || row.has("trsv");
      const bool forwarded = !vector && row.is_single() == (mode != fixed_point);
      Memory memory(row);
      Arguments x;
      x.handle = handle;
      x = memory.arguments(x);
      const std::int64_t before = calls_counted();
      EXPECT_EQ(row.call(row.hooked, x), CUBLAS_STATUS_SUCCESS) << row.name << ", mode " << mode;
      EXPECT_EQ(calls_counted() == before, forwarded) << row.name << ", mode " << mode;
      const Outcome mine = memory.outcome();
      if (forwarded) {
        memory.begin();
        EXPECT_EQ(row.call(real_function(row), x), CUBLAS_STATUS_SUCCESS);
        EXPECT_EQ(mine, memory.outcome()) << row.name << ", mode " << mode;
      } else {
        EXPECT_TRUE(same(row, mine, expected(row))) << row.name << ", mode " << mode;
      }
    }
  }
}

/// Without matrices, which cuBLAS does not look at then.
TEST(CublasGpu, NothingToDo) {
  const Handle handle;
  for (const Row& row : rows()) {
    Memory memory(row);
    for (std::int64_t Arguments::*size : {&Arguments::m, &Arguments::n, &Arguments::count}) {
      Arguments x;
      x.handle = handle;
      x.*size = 0;
      if (size == &Arguments::m && (row.has("gemv") || (x.transa == CUBLAS_OP_N && row.has("rk")))) continue;
      x = memory.arguments(x);
      expect_real_answer(row, memory, x, "nothing to do");
      if (x.count != 0 && x.n != 0) continue;
      if (x.count == 0 && !row.has("atched")) continue;
      x.a = x.b = x.c = x.as = x.bs = x.cs = {};
      expect_real_answer(row, memory, x, "nothing to do, no matrices");
    }
    if (row.kind == Row::number) continue;
    Arguments x;
    x.k = 0;
    if (!defines_bits()) {  // cuBLAS refuses some
      x.handle = handle;
      expect_real_answer(row, memory, memory.arguments(x), "k = 0");
      continue;
    }
    accublas_status status;
    const Outcome wanted = by_interface(row, memory, x, status);
    ASSERT_EQ(status, ACCUBLAS_SUCCESS) << row.name;
    memory.begin();
    x.handle = handle;
    EXPECT_EQ(row.call(row.hooked, memory.arguments(x)), CUBLAS_STATUS_SUCCESS) << row.name;
    EXPECT_TRUE(same(row, memory.outcome(), wanted)) << row.name << ": k = 0";
  }
}

struct Bad {
  const char* what;
  void (*make)(Arguments&);
};

void expect_real_statuses(const std::vector<Bad>& all) {
  const Handle handle;
  for (const Row& row : rows())
    for (const Bad& bad : all) {
      Memory memory(row);
      Arguments x;
      x.handle = handle;
      x = memory.arguments(x);
      bad.make(x);
      expect_real_answer(row, memory, x, bad.what);
    }
}

TEST(CublasGpu, BadArguments) {
  expect_real_statuses({
      {"op(A)", [](Arguments& x) { x.transa = static_cast<cublasOperation_t>(7); }},
      {"op(B)", [](Arguments& x) { x.transb = static_cast<cublasOperation_t>(7); }},
      {"triangle", [](Arguments& x) { x.uplo = static_cast<cublasFillMode_t>(7); }},
      {"side", [](Arguments& x) { x.side = static_cast<cublasSideMode_t>(7); }},
      {"diagonal", [](Arguments& x) { x.diag = static_cast<cublasDiagType_t>(7); }},
      {"m", [](Arguments& x) { x.m = -1; }},
      {"n", [](Arguments& x) { x.n = -1; }},
      {"k", [](Arguments& x) { x.k = -1; }},
      {"lda", [](Arguments& x) { x.lda = 4; }},
      {"ldb", [](Arguments& x) { x.ldb = 4; }},
      {"ldc", [](Arguments& x) { x.ldc = 4; }},
      {"lda 0", [](Arguments& x) { x.lda = 0; }},
      {"incx", [](Arguments& x) { x.incx = 0; }},
      {"negative incx", [](Arguments& x) { x.incx = -2; }},
      {"count", [](Arguments& x) { x.count = -1; }},
      {"m and lda", [](Arguments& x) { x.m = 0, x.lda = 0; }},
      {"handle", [](Arguments& x) { x.handle = nullptr; }},
  });
}

TEST(CublasGpu, MixedTypes) {
  const Handle handle;
  for (const Row& row : rows()) {
    if (!row.has("Ex")) continue;
    for (const cudaDataType_t type : {CUDA_R_16F, CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F, CUDA_R_8I})
      for (const cublasComputeType_t compute :
           {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_16F,
            CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, static_cast<cublasComputeType_t>(999)}) {
        Memory memory(row);
        Arguments x;
        x.handle = handle;
        x.type_c = type, x.compute = compute;
        expect_real_answer(row, memory, memory.arguments(x), "types " + std::to_string(type));
      }
  }
}

/// The real cuBLAS crashes on some.
TEST(CublasGpu, NoFactors) {
  if (!defines_bits()) GTEST_SKIP() << "cuBLAS's own calls";
  const Handle handle;
  for (const Row& row : rows())
    for (const bool on_device : {false, true})
      for (Address Arguments::*const factor : row.factors()) {
        Memory memory(row);
        Arguments x;
        x.handle = handle;
        set_factors(handle, on_device);
        x = memory.arguments(x, on_device);
        x.*factor = {};
        if (row.kind == Row::copied) x.b = {memory.b().data()};
        const Outcome before = memory.outcome();
        EXPECT_EQ(row.call(row.hooked, x), CUBLAS_STATUS_INVALID_VALUE) << row.name << ", on device " << on_device;
        EXPECT_EQ(memory.outcome(), before) << row.name;
      }
}

/// alpha = 0: NaN in A and B does not matter; beta = 0: nor in C. The real one, which reads A and B in batches by
/// pointers, SYMM, SYRK, TRSM and their kind all the same, gets none where its results are not the mode's.
TEST(CublasGpu, ZeroFactors) {
  const Handle handle;
  const std::vector<char> zero(16);
  for (const Row& row : rows()) {
    if (row.kind == Row::number) continue;
    for (const Address Arguments::*const factor : row.factors()) {
      const bool of_product = factor == &Arguments::alpha;
      Memory memory(row, of_product ? -0.75 : 0);
      Arguments x;
      x.handle = handle;
      x = memory.arguments(x);
      if (of_product) x.alpha = {zero.data()};
      const auto outcome = [&](void* function, bool poisoned, cublasStatus_t& status) {
        memory.begin();
        for (const Address& array : of_product ? std::vector{x.a, x.b} : std::vector{x.c})
          if (poisoned && (array.where != x.c.where || !of_product))
            require(cudaMemset(array, 0xFF, Arguments::elements * row.bytes()), "memset");
        status = row.call(function, x);
        return memory.outcome();
      };
      cublasStatus_t real, mine;
      const Outcome by_real = outcome(real_function(row), !of_product || !defines_bits(), real),
                    by_hooked = outcome(row.hooked, true, mine);
      EXPECT_EQ(mine, real) << row.name;
      EXPECT_TRUE(close(row, by_hooked, by_real)) << row.name << (of_product ? ": alpha = 0" : ": beta = 0");
    }
  }
}

}  // namespace
}  // namespace accublas::test
