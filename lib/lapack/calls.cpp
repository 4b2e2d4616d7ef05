#include "lib/lapack/calls.hpp"

#include <cstring>

namespace accublas::lapack {

accublas_options inner_options(const accublas_options* options) {
  accublas_options inner = ACCUBLAS_OPTIONS_INIT;
  if (options) {
    call_level(*options);  // what it refuses is refused here
    std::memcpy(&inner, options, std::min(options->struct_size, sizeof inner));
    inner.struct_size = sizeof inner;
  }
  inner.engine = ACCUBLAS_ENGINE_AUTO;
  inner.target = 0;
  return inner;
}

Calls::Calls(Context& context, const accublas_options* options, Workspace* workspace, accublas_mode mode,
             std::size_t least)
    : context_(context),
      in_mode_(inner_options(options)),
      of_products_(in_mode_),
      pointer_mode_(context.pointer_mode),
      in_flow_(context.in_flow),
      users_workspace_(context.workspace),
      users_bytes_(context.workspace_bytes) {
  of_products_.mode_name = nullptr;
  of_products_.mode = mode;
  of_products_.mode_parameter = of_products_.mode_flags = 0;
  const Settings settings = context.resolved({Operation::gemm, Type::d}, of_products_).settings;
  threads_ = threads_for(settings);
  if (workspace && settings.workspace_bytes >= 0)
    in_mode_.workspace_bytes = of_products_.workspace_bytes = static_cast<std::int64_t>(workspace->available());
  if (workspace && workspace->buffer()) {
    unsigned char* const rest = workspace->take<unsigned char>(least);
    if (!workspace->rehearses()) {
      const std::size_t taken = static_cast<std::size_t>(rest - static_cast<unsigned char*>(users_workspace_));
      context_.workspace_bytes -= std::min(taken, users_bytes_);
      context_.workspace = rest;
    }
  }
  context_.pointer_mode = ACCUBLAS_POINTER_HOST;
  context_.in_flow = true;
}

Calls::~Calls() {
  context_.pointer_mode = pointer_mode_;
  context_.in_flow = in_flow_;
  context_.workspace = users_workspace_;
  context_.workspace_bytes = users_bytes_;
}

}  // namespace accublas::lapack
