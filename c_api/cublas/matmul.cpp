// cublasLtMatmul of the drop-in. It reads the descriptors of a call with the real cublasLt, and computes the product as
// the drop-in's other names do. Steps on elements before and after the product copy C, and compute the epilogue and the
// sums.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "c_api/cublas/serve.hpp"
#include "lib/call/element_steps.hpp"

namespace accublas::cublas {
namespace {

/// The arguments of cublasLtMatmul, without the algorithm and its workspace.
struct Arguments {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t description;
  const void *alpha, *a;
  cublasLtMatrixLayout_t layout_a;
  const void* b;
  cublasLtMatrixLayout_t layout_b;
  const void *beta, *c;
  cublasLtMatrixLayout_t layout_c;
  void* d;
  cublasLtMatrixLayout_t layout_d;
  cudaStream_t stream;
};

/// Returns an attribute that the getter of a description or a layout reads, or `otherwise` if this cublasLt does not
/// know it.
template <class Which, class Object, class T>
T attribute_by(Real& get, Object object, int which, T otherwise) noexcept {
  T value{};
  std::size_t written = 0;
  const bool found = get(object, static_cast<Which>(which), static_cast<void*>(&value), sizeof value, &written) ==
                     CUBLAS_STATUS_SUCCESS;
  return found ? value : otherwise;
}
template <class T>
T attribute(cublasLtMatmulDesc_t description, int which, T otherwise) noexcept {
  static constinit Real get("cublasLtMatmulDescGetAttribute");
  return attribute_by<cublasLtMatmulDescAttributes_t>(get, description, which, otherwise);
}
template <class T>
T attribute(cublasLtMatrixLayout_t layout, int which, T otherwise) noexcept {
  static constinit Real get("cublasLtMatrixLayoutGetAttribute");
  return attribute_by<cublasLtMatrixLayoutAttribute_t>(get, layout, which, otherwise);
}

/// A layout that accublas reads: one matrix, or matrices a stride apart.
struct Layout {
  std::int32_t order = -1;
  std::int64_t rows = 0, cols = 0, ld = 0, stride = 0;
  std::int32_t count = 0;

  Layout(cublasLtMatrixLayout_t layout, std::uint32_t type) noexcept {
    constexpr int batch_mode = 8;  // older headers do not define it
    if (!layout || attribute(layout, CUBLASLT_MATRIX_LAYOUT_TYPE, ~type) != type ||
        attribute(layout, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, std::int64_t{0}) != 0 ||
        attribute(layout, batch_mode, std::uint32_t{0}) != 0)
      return;
    rows = static_cast<std::int64_t>(attribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, std::uint64_t{0}));
    cols = static_cast<std::int64_t>(attribute(layout, CUBLASLT_MATRIX_LAYOUT_COLS, std::uint64_t{0}));
    ld = attribute(layout, CUBLASLT_MATRIX_LAYOUT_LD, std::int64_t{0});
    count = attribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{1});
    stride = attribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{0});
    order = attribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t{-1});
  }
  bool by_rows() const { return order == CUBLASLT_ORDER_ROW; }
  /// Returns whether accublas reads the order, and the leading dimension is large enough for it.
  bool is_valid() const { return (order == CUBLASLT_ORDER_COL || by_rows()) && ld >= (by_rows() ? cols : rows); }
  bool operator==(const Layout&) const = default;
  template <class E>
  Matrix<E> matrix(E* data) const {
    return by_rows() ? Matrix<E>{data, ld, 1} : Matrix<E>{data, 1, ld};
  }
};

/// An operand of the product: the matrices of a layout, and op.
struct Side {
  Layout layout;
  std::int32_t op;
  std::int64_t rows() const { return op == CUBLAS_OP_N ? layout.rows : layout.cols; }
  std::int64_t cols() const { return op == CUBLAS_OP_N ? layout.cols : layout.rows; }
  /// Returns the transposition of the column-major call that reads the same memory and writes D, or D^T if D is stored
  /// by rows; 0 if that would be a conjugate without transposition.
  accublas_transpose in_order_of(const Layout& d, bool complex) const {
    if (layout.order == d.order) return transpose_of(static_cast<cublasOperation_t>(op));
    if (op == CUBLAS_OP_N) return ACCUBLAS_TRANS;
    return op == CUBLAS_OP_T || !complex ? ACCUBLAS_NO_TRANS : 0;
  }
};

/// The epilogue of a call and its memory.
struct Epilogue {
  static constexpr std::uint32_t with_bias = CUBLASLT_EPILOGUE_BIAS, with_aux = 128, bias_gradient = 16;
  std::uint32_t kind = 0;
  void *bias = nullptr, *aux = nullptr;
  std::int64_t bias_stride = 0, aux_ld = 0, aux_stride = 0;

  explicit Epilogue(cublasLtMatmulDesc_t description) noexcept
      : kind(attribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{0})) {
    if (uses_bias()) {
      bias = attribute(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(nullptr));
      bias_stride = attribute(description, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t{0});
    }
    if (uses_aux()) {
      aux = attribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(nullptr));
      aux_ld = attribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{0});
      aux_stride = attribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, std::int64_t{0});
    }
  }
  bool sums_operand() const { return kind == CUBLASLT_EPILOGUE_BGRADA || kind == CUBLASLT_EPILOGUE_BGRADB; }
  bool uses_bias() const { return (kind & (with_bias | bias_gradient)) != 0 || sums_operand(); }
  bool uses_aux() const { return (kind & with_aux) != 0; }
  bool is_relu() const { return (kind & CUBLASLT_EPILOGUE_RELU) != 0; }
  bool is_relu_gradient() const { return (kind & CUBLASLT_EPILOGUE_DRELU & ~with_aux) != 0; }
  Activation activation() const {
    return is_relu()                                           ? Activation::relu
           : is_relu_gradient()                                ? Activation::relu_gradient
           : (kind & CUBLASLT_EPILOGUE_GELU) != 0              ? Activation::gelu
           : (kind & CUBLASLT_EPILOGUE_DGELU & ~with_aux) != 0 ? Activation::gelu_gradient
                                                               : Activation::none;
  }
  bool is_known(bool complex) const {
    if (kind == CUBLASLT_EPILOGUE_DEFAULT || kind == CUBLASLT_EPILOGUE_BIAS) return true;
    constexpr std::uint32_t known[] = {
        CUBLASLT_EPILOGUE_RELU,   CUBLASLT_EPILOGUE_RELU_AUX,      CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_GELU,   CUBLASLT_EPILOGUE_GELU_AUX,      CUBLASLT_EPILOGUE_GELU_BIAS,
        CUBLASLT_EPILOGUE_DRELU,  CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DGELU,  CUBLASLT_EPILOGUE_DRELU_BGRAD,   CUBLASLT_EPILOGUE_DGELU_BGRAD,
        CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB};
    return !complex && std::find(std::begin(known), std::end(known), kind) != std::end(known);
  }
  /// Returns whether the pointers that the epilogue needs are not null, and the strides of the auxiliary matrix are
  /// valid for m rows. The auxiliary matrix is stored by columns.
  /// In a batch, matrices that it writes have memory of their own.
  bool is_valid(std::int64_t m, std::int64_t n, bool by_rows, bool batch) const {
    if (uses_bias() && !bias) return false;
    const bool sums = (kind & bias_gradient) != 0 || sums_operand();
    if (batch && sums && bias_stride < (kind == CUBLASLT_EPILOGUE_BGRADB ? n : m)) return false;
    if (!uses_aux()) return true;
    const std::int64_t multiple = is_relu() || is_relu_gradient() ? 128 : 8;
    const bool reads = is_relu_gradient() || activation() == Activation::gelu_gradient;
    return aux && !by_rows && aux_ld >= m && aux_ld % multiple == 0 &&
           (!batch || (aux_stride % multiple == 0 && (reads || aux_stride >= aux_ld * n)));
  }
};

/// Returns whether the description asks for anything that accublas does not compute: factors of operands, the largest
/// element, emulation, counters of finished blocks, another type of the bias or the auxiliary matrix, a triangle of D,
/// or a transposed C.
bool asks_for_more(cublasLtMatmulDesc_t description, std::int32_t type) noexcept {
  constexpr int in_counters = 29, out_counters = 30, d_out_scale = 36, emulation = 38;  // some headers lack them
  for (const int pointer :
       {int{CUBLASLT_MATMUL_DESC_A_SCALE_POINTER}, int{CUBLASLT_MATMUL_DESC_B_SCALE_POINTER},
        int{CUBLASLT_MATMUL_DESC_C_SCALE_POINTER}, int{CUBLASLT_MATMUL_DESC_D_SCALE_POINTER},
        int{CUBLASLT_MATMUL_DESC_AMAX_D_POINTER}, int{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER},
        int{CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER}, in_counters, out_counters, d_out_scale, emulation})
    if (attribute(description, pointer, static_cast<void*>(nullptr))) return true;
  for (const int data : {CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE})
    if (const std::int32_t other = attribute(description, data, std::int32_t{-1}); other != -1 && other != type)
      return true;
  return attribute(description, CUBLASLT_MATMUL_DESC_TRANSC, std::int32_t{CUBLAS_OP_N}) != CUBLAS_OP_N ||
         attribute(description, CUBLASLT_MATMUL_DESC_FILL_MODE, std::int32_t{CUBLAS_FILL_MODE_FULL}) !=
             CUBLAS_FILL_MODE_FULL;
}

/// A call on numbers of type E. serve() computes it, or passes it on if accublas cannot compute it.
template <class E>
class Matmul {
 public:
  Matmul(const Arguments& call, std::int32_t type) noexcept
      : call_(call),
        a_{Layout(call.layout_a, static_cast<std::uint32_t>(type)),
           attribute(call.description, CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{-1})},
        b_{Layout(call.layout_b, static_cast<std::uint32_t>(type)),
           attribute(call.description, CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{-1})},
        c_(call.layout_c, static_cast<std::uint32_t>(type)),
        d_(call.layout_d, static_cast<std::uint32_t>(type)),
        epilogue_(call.description) {
    const std::int32_t pointers =
        attribute(call.description, CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_HOST});
    factors_on_device_ = pointers == CUBLASLT_POINTER_MODE_DEVICE;
    if (!factors_on_device_ && pointers != CUBLASLT_POINTER_MODE_HOST) return;
    const bool adds_c = factors_on_device_ || !(*static_cast<const E*>(call.beta) == RealOf<E>(0));
    copies_c_ = adds_c && call.c != call.d;
    known_ = !asks_for_more(call.description, type) && epilogue_.is_known(is_complex<E>) && fits() &&
             (!adds_c || (call.c && (copies_c_ || c_ == d_))) && on_one_side();
  }

  /// Computes the call, or calls `real`, which makes the program's own call of cublasLt.
  template <class Forward>
  cublasStatus_t serve(const Forward& real) {
    if (!known_) return real();
    const bool by_rows = d_.by_rows();
    const Side &first = by_rows ? b_ : a_, &second = by_rows ? a_ : b_;
    const auto* const first_data = static_cast<const E*>(by_rows ? call_.b : call_.a);
    const auto* const second_data = static_cast<const E*>(by_rows ? call_.a : call_.b);
    const auto put = [&](auto& shape) {
      shape.transa = first.in_order_of(d_, is_complex<E>), shape.transb = second.in_order_of(d_, is_complex<E>);
      shape.m = by_rows ? d_.cols : d_.rows, shape.n = by_rows ? d_.rows : d_.cols, shape.k = a_.cols();
      shape.lda = first.layout.ld, shape.ldb = second.layout.ld, shape.ldc = d_.ld;
      shape.transposed_call = by_rows;
    };
    if (d_.count > 1) {
      BatchShape shape{Operation::gemm_batched, is_complex<E>};
      put(shape);
      shape.stride_a = first.layout.stride, shape.stride_b = second.layout.stride, shape.stride_c = d_.stride;
      shape.batch_count = d_.count;
      return compute(batch_call<E>(shape, first_data, second_data, call_.d), real);
    }
    Level3Shape shape{Operation::gemm, is_complex<E>};
    put(shape);
    return compute(Level3<E>{shape, E{}, first_data, second_data, E{}, static_cast<E*>(call_.d)}, real);
  }

 private:
  using Steps = std::array<SizedStep<E>, 2>;

  /// Returns whether the sizes of the matrices match, no argument is invalid, and there is something to do.
  bool fits() const {
    const std::int64_t m = d_.rows, n = d_.cols, k = a_.cols();
    for (const Layout* const layout : {&a_.layout, &b_.layout, &c_, &d_})
      if (!layout->is_valid() || layout->count != d_.count) return false;
    return call_.a && call_.b && call_.d && m > 0 && n > 0 && k > 0 && d_.count > 0 && a_.rows() == m &&
           b_.rows() == k && b_.cols() == n && c_.rows == m && c_.cols == n &&
           epilogue_.is_valid(m, n, d_.by_rows(), d_.count > 1);
  }
  /// Returns whether A, B and D are on one side, and the steps can run there. If D is in host memory, they run on the
  /// host, and cannot use a device's memory.
  bool on_one_side() const {
    const auto is_on_device = accublas_private_is_on_device;
    const bool on_device = is_on_device(call_.d);
    if (is_on_device(call_.a) != on_device || is_on_device(call_.b) != on_device) return false;
    if (on_device) return true;
    return !factors_on_device_ && !(copies_c_ && is_on_device(call_.c)) &&
           !(epilogue_.bias && is_on_device(epilogue_.bias)) && !(epilogue_.aux && is_on_device(epilogue_.aux));
  }

  template <class Product, class Forward>
  cublasStatus_t compute(const Product& product, const Forward& real) {
    if (!has_work(product)) return real();
    Way way(call_.handle, call_.stream, factors_on_device_, product.routine(), &product);
    if (way.forwarded()) return real();
    accublas_status failed = way.prepared();
    if (failed == ACCUBLAS_SUCCESS && copies_c_) failed = run(way, {addend()}, 1);
    if (failed == ACCUBLAS_SUCCESS)
      failed = cublas::run(way, product, static_cast<const E*>(call_.alpha), static_cast<const E*>(call_.beta));
    if (failed == ACCUBLAS_SUCCESS && epilogue_.kind != CUBLASLT_EPILOGUE_DEFAULT) {
      Steps steps;
      const int count = epilogue_steps(steps);
      if (run(way, steps, count) != ACCUBLAS_SUCCESS)
        failed = accublas_set_last_error(way.context(), ACCUBLAS_ERROR_C_UNDEFINED,
                                         ("cublasLtMatmul: the epilogue failed after the product: " +
                                          std::string(accublas_last_error(way.context())))
                                             .c_str());
    }
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    return failed != ACCUBLAS_SUCCESS && way.falls_back(failed, status) ? real() : status;
  }
  accublas_status run(const Way& way, const Steps& steps, int count) const {
    return accublas_private_run_steps(way.context(), type_of<E>, steps.data(), count, call_.d);
  }

  std::int64_t all_columns() const { return d_.cols * d_.count; }
  SizedStep<E> addend() const {
    return {AddendStep<E>{d_.matrix(static_cast<E*>(call_.d)), d_.stride, c_.matrix(static_cast<const E*>(call_.c)),
                          c_.stride, d_.cols, factors_on_device_ ? static_cast<const E*>(call_.beta) : nullptr},
            d_.rows, all_columns()};
  }
  int epilogue_steps(Steps& steps) const {
    int count = 0;
    auto* const bias = static_cast<E*>(epilogue_.bias);
    const Matrix<E> d = d_.matrix(static_cast<E*>(call_.d));
    const auto sums_of = [&](const Matrix<const E>& rows, const Layout& layout, std::int64_t size, std::int64_t terms) {
      steps[count++] = {SumStep<E>{bias, epilogue_.bias_stride, rows, layout.stride, terms}, size, d_.count};
    };
    const auto op_of = [](const Side& side, const void* data) {
      const Matrix<const E> stored = side.layout.matrix(static_cast<const E*>(data));
      return side.op == CUBLAS_OP_N ? stored : stored.transposed();
    };
    if (epilogue_.kind == CUBLASLT_EPILOGUE_BGRADA) {
      sums_of(op_of(a_, call_.a), a_.layout, d_.rows, a_.cols());
    } else if (epilogue_.kind == CUBLASLT_EPILOGUE_BGRADB) {
      sums_of(op_of(b_, call_.b).transposed(), b_.layout, d_.cols, a_.cols());
    } else {
      auto* const mask = static_cast<std::uint8_t*>(epilogue_.aux);
      const bool makes_mask = mask && epilogue_.is_relu();
      EpilogueStep<E> step{d, d_.stride, d_.cols, makes_mask ? Activation::none : epilogue_.activation()};
      if ((epilogue_.kind & Epilogue::with_bias) != 0) step.bias = bias, step.bias_stride = epilogue_.bias_stride;
      step.aux_ld = epilogue_.aux_ld, step.aux_stride = epilogue_.aux_stride;
      if (epilogue_.is_relu_gradient())
        step.mask = mask;
      else
        step.argument = static_cast<E*>(epilogue_.aux);
      if (step.bias || !makes_mask) steps[count++] = {step, d_.rows, all_columns()};
      if (makes_mask)
        steps[count++] = {ReluMaskStep<E>{d, d_.stride, d_.rows, d_.cols, mask, epilogue_.aux_ld, epilogue_.aux_stride},
                          (d_.rows + 7) / 8, all_columns()};
      if ((epilogue_.kind & Epilogue::bias_gradient) != 0) sums_of(read_only(d), d_, d_.rows, d_.cols);
    }
    return count;
  }

  const Arguments& call_;
  Side a_, b_;
  Layout c_, d_;
  Epilogue epilogue_;
  bool factors_on_device_ = false, copies_c_ = false, known_ = false;
};

/// Returns whether cuBLAS itself makes the call. Each thread keeps the answer for its last caller.
bool is_made_by_cublas(const void* caller) noexcept {
  static thread_local const void* last = nullptr;
  static thread_local bool answer = false;
  if (caller != last) answer = is_in_cublas(caller), last = caller;
  return answer;
}

}  // namespace

extern "C" ACCUBLAS_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                                                      const void* alpha, const void* a, cublasLtMatrixLayout_t layout_a,
                                                      const void* b, cublasLtMatrixLayout_t layout_b, const void* beta,
                                                      const void* c, cublasLtMatrixLayout_t layout_c, void* d,
                                                      cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t* algo,
                                                      void* workspace, std::size_t workspace_bytes,
                                                      cudaStream_t stream) {
  static constinit Real real("cublasLtMatmul");
  const auto forward = [&] {
    return real(handle, description, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d, layout_d, algo, workspace,
                workspace_bytes, stream);
  };
  if (!real || !handle || !description || !alpha || !beta || is_made_by_cublas(__builtin_return_address(0)))
    return forward();
  const Arguments call{handle, description, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d, layout_d, stream};
  const std::int32_t compute = attribute(description, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, std::int32_t{-1}),
                     type = attribute(description, CUBLASLT_MATMUL_DESC_SCALE_TYPE, std::int32_t{-1});
  const auto with = [&](auto element) { return Matmul<decltype(element)>(call, type).serve(forward); };
  return with_numbers(compute, type, with, forward);
}

}  // namespace accublas::cublas
