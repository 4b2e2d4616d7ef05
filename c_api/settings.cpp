// The setters and getters of a context.
#include <cstring>

#include "c_api/boundary.hpp"

using namespace accublas;

namespace {

/// Runs a setter. The next call makes the cached plans again, even if the setter fails after it has changed a setting.
template <class Body>
accublas_status change(accublas_context* ctx, Body&& body) {
  return guarded(ctx, [&](Context& context) {
    context.settings_changed();
    body(context);
  });
}

bool is_unset(const char* word) { return !word || !*word; }

void require_family_number(accublas_family family) {
  if (family < ACCUBLAS_FAMILY_DGEMM || family > ACCUBLAS_FAMILY_GEMV) bad_argument("family", "an accublas_family");
}

/// Throws ACCUBLAS_ERROR_NO_DEVICE with the reason.
void require_device(const char* what) {
  std::string reason;
  if (cuda_backend().device_count(reason) == 0)
    throw Error(ACCUBLAS_ERROR_NO_DEVICE, std::string(what) + ": " + reason);
}

/// Throws ACCUBLAS_ERROR_NO_DEVICE if there is no device of this number.
void require_device_number(int32_t device) {
  std::string reason;
  const int count = cuda_backend().device_count(reason);
  if (device >= count)
    throw Error(ACCUBLAS_ERROR_NO_DEVICE,
                "device " + std::to_string(device) + ": " +
                    (count == 0 ? reason : "the number of devices is " + std::to_string(count)));
}

}  // namespace

accublas_status accublas_set_mode_name(accublas_context* ctx, const char* word) {
  return change(ctx, [&](Context& context) { context.level.all = is_unset(word) ? Mode{} : parse_mode(word); });
}

accublas_status accublas_set_mode(accublas_context* ctx, accublas_mode mode, int32_t parameter, int32_t flags) {
  return change(ctx, [&](Context& context) {
    context.level.all = mode == ACCUBLAS_MODE_DEFAULT ? Mode{} : make_mode(mode, parameter, flags);
  });
}

accublas_status accublas_set_family_mode_name(accublas_context* ctx, accublas_family family, const char* word) {
  return change(ctx, [&](Context& context) {
    require_family_number(family);
    Mode mode;
    if (!is_unset(word)) {
      mode = parse_mode(word);
      require_family(family, mode);
    }
    context.level.family[family] = mode;
  });
}

accublas_status accublas_get_mode_name(accublas_context* ctx, accublas_family family, char* word, size_t size) {
  return guarded(ctx, [&](Context& context) {
    require_family_number(family);
    if (!word) bad_argument("word", "a buffer, not NULL");
    constexpr Routine routines[] = {routine_named("dgemm"), routine_named("sgemm"), routine_named("ddot"),
                                    routine_named("dgemv")};
    const Routine routine = routines[family];
    const Settings settings = resolve(routine, nullptr, context.level, valid_environment().level, build_settings());
    const std::string text = mode_word(settings.mode, is_single(routine));
    if (size <= text.size()) bad_argument("size", "at least " + std::to_string(text.size() + 1));
    std::memcpy(word, text.c_str(), text.size() + 1);
  });
}

accublas_status accublas_set_reproducible(accublas_context* ctx, int32_t reproducible) {
  return change(ctx, [&](Context& context) {
    if (reproducible < -1 || reproducible > 1) bad_argument("reproducible", "0 or 1, or -1 to unset it");
    context.level.reproducible = reproducible;
  });
}

accublas_status accublas_set_backend(accublas_context* ctx, accublas_backend backend) {
  return change(ctx, [&](Context& context) {
    if (backend < ACCUBLAS_BACKEND_AUTO || backend > ACCUBLAS_BACKEND_CUDA)
      bad_argument("backend", "an accublas_backend");
    if (backend == ACCUBLAS_BACKEND_CUDA) require_device("backend cuda");
    context.level.backend = backend;
  });
}

accublas_status accublas_set_device(accublas_context* ctx, int32_t device) {
  return change(ctx, [&](Context& context) {
    if (device < 0) bad_argument("device", "a device number from 0");
    require_device_number(device);
    context.level.device = device;
    if (context.device_state && context.device_state->device() != device) context.leave_device();
  });
}

accublas_status accublas_set_devices(accublas_context* ctx, int32_t count, const int32_t* devices) {
  return change(ctx, [&](Context& context) {
    if (count < 0) bad_argument("count", "a number of devices, or 0 to unset them");
    if (count > 0 && !devices) bad_argument("devices", "an array, not NULL");
    for (int32_t i = 0; i < count; ++i) {
      if (devices[i] < 0)
        bad_argument("devices", "device numbers from 0; number " + std::to_string(i) + " of the list is " +
                                    std::to_string(devices[i]));
      require_device_number(devices[i]);
    }
    context.level.devices = std::vector<int>(devices, devices + count);
  });
}

accublas_status accublas_set_engine(accublas_context* ctx, accublas_engine engine) {
  return change(ctx, [&](Context& context) {
    if (!engine_name(engine))
      throw Error(ACCUBLAS_ERROR_ENGINE, "argument engine: unknown number " + std::to_string(engine));
    context.level.engine = engine;
  });
}

accublas_status accublas_set_engine_name(accublas_context* ctx, const char* name) {
  return change(ctx, [&](Context& context) { context.level.engine = is_unset(name) ? -1 : parse_engine(name); });
}

accublas_status accublas_set_workspace_mib(accublas_context* ctx, int64_t mib) {
  return change(ctx, [&](Context& context) {
    if (mib < 0 || mib > INT64_MAX >> 21) bad_argument("mib", "a number of MiB, or 0 for the default");
    context.level.workspace_bytes = mib == 0 ? -1 : mib << 20;
  });
}

accublas_status accublas_set_workspace(accublas_context* ctx, void* buffer, size_t bytes) {
  return change(ctx, [&](Context& context) {
    if (!buffer && bytes > 0) bad_argument("buffer", "memory, or NULL with 0 bytes");
    context.workspace = buffer;
    context.workspace_bytes = bytes;
  });
}

accublas_status accublas_set_num_threads(accublas_context* ctx, int32_t threads) {
  return change(ctx, [&](Context& context) {
    if (threads < 0) bad_argument("threads", "a number of threads, or 0 for the default");
    context.level.num_threads = threads;
  });
}

accublas_status accublas_set_verbose(accublas_context* ctx, int32_t level) {
  return change(ctx, [&](Context& context) {
    if (level < 0 || level > 2) bad_argument("level", "0, 1 or 2");
    context.level.verbose = level;
  });
}

accublas_status accublas_set_report_level(accublas_context* ctx, int32_t level) {
  return change(ctx, [&](Context& context) {
    if (level < 0 || level > 2) bad_argument("level", "0, 1 or 2");
    context.level.report_level = level;
  });
}

accublas_status accublas_set_target(accublas_context* ctx, double bound) {
  return change(ctx, [&](Context& context) {
    if (!(bound >= 0)) bad_argument("bound", "positive, or 0 to unset it");
    context.level.target = bound == 0 ? -1 : bound;
  });
}

accublas_status accublas_set_pointer_mode(accublas_context* ctx, accublas_pointer_mode mode) {
  return change(ctx, [&](Context& context) {
    if (mode != ACCUBLAS_POINTER_HOST && mode != ACCUBLAS_POINTER_DEVICE)
      bad_argument("mode", "an accublas_pointer_mode");
    if (mode == ACCUBLAS_POINTER_DEVICE) require_device("pointer mode device");
    context.pointer_mode = mode;
  });
}

accublas_status accublas_set_stream(accublas_context* ctx, void* stream) {
  return guarded(ctx, [&](Context& context) {
    if (!stream && !context.device_state) return;
    require_device("stream");
    context.state_on().set_stream(stream);
  });
}

accublas_status accublas_get_stream(accublas_context* ctx, void** stream) {
  return guarded(ctx, [&](Context& context) {
    if (!stream) bad_argument("stream", "a pointer, not NULL");
    *stream = context.device_state ? context.device_state->stream() : nullptr;
  });
}

accublas_status accublas_sync(accublas_context* ctx) {
  return guarded(ctx, [&](Context& context) {
    if (!context.device_state) return;
    std::string message;
    const accublas_status status = context.device_state->synchronize(message);
    if (status != ACCUBLAS_SUCCESS) throw Error(status, message);
  });
}
