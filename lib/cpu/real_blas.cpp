// Finds and loads the real BLAS, and sees to the environment of its threads.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/fp_environment.hpp"
#include "lib/base/stack.hpp"
#include "lib/call/blas_spellings.hpp"
#include "lib/cpu/blas_calls.hpp"

namespace accublas::cpu {
namespace {

// The base address of the object that holds `address`; null if unknown.
const void* object_base(const void* address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

// dlsym on a handle searches that object and then its dependencies, never the global scope: a preloaded drop-in is not
// seen. What remains is a drop-in installed under the BLAS's own name (an alternative for libblas.so.3). It gives
// itself away by carrying this very function, or by depending on libaccublas.
bool is_accublas(void* handle, const void* symbol) {
  const void* const own = object_base(reinterpret_cast<const void*>(&real_blas));
  return dlsym(handle, "accublas_version") != nullptr || (own != nullptr && object_base(symbol) == own);
}

struct Spelling {
  const char *prefix, *f77_suffix, *cblas_suffix;
  bool narrow;  ///< integers have 32 bits, unless find_integers sees others
};
#define ACCUBLAS_SPELLING(spelling, Int, prefix, f77_suffix, cblas_suffix) \
  {#prefix, #f77_suffix, #cblas_suffix, sizeof(Int) == 4},
constexpr Spelling spellings[] = {ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_SPELLING)};

template <class Function>
bool find(void* handle, const Spelling& spelling, const char* routine, Function** function) {
  const std::string name = std::string(spelling.prefix) + routine + spelling.f77_suffix;
  *function = reinterpret_cast<Function*>(dlsym(handle, name.c_str()));
  return *function != nullptr;
}

bool is_required(Operation operation) {
  const RoutineKind kind = kind_of(operation);
  return RealBlas::is_entry(operation) &&
         (kind == RoutineKind::gemm || kind == RoutineKind::vector || kind == RoutineKind::norm);
}

/// Finds the routines that satisfy `wanted`. Returns false if a required one is missing.
bool find_all(void* handle, const Spelling& spelling, bool (*wanted)(Operation), RealBlas& blas) {
  bool complete = true;
  for (Routine routine : all_routines)
    if (wanted(routine)) {
      const bool found = find(handle, spelling, routine_name(routine), &blas.entries[number_of(routine)]);
      complete = complete && (found || !is_required(routine));
    }
  return complete;
}

/// Finds LAPACK's routines for eigenvectors and singular vectors, which no routine of the library has the name of.
void find_spectra(void* handle, const Spelling& spelling, RealBlas& blas) {
  using Function = void();
  const auto find_both = [&](const char* of_reals, const char* of_complex, void** to) {
    for (const char* name : {of_reals, of_complex})
      if (Function* found = nullptr; find(handle, spelling, name, &found))
        to[name == of_complex] = reinterpret_cast<void*>(found);
  };
  find_both("dsyevd", "zheevd", blas.eigensystem);
  find_both("dgesdd", "zgesdd", blas.singular_values);
  find_both("dsygvd", "zhegvd", blas.general);
}

bool find_in_any_spelling(void* handle, RealBlas& blas) {
  for (const Spelling& spelling : spellings)
    if (find_all(handle, spelling, RealBlas::is_entry, blas)) {
      find(handle, spelling, "xerbla", &blas.xerbla);
      find(handle, spelling, "isamax", &blas.isamax);
      find_spectra(handle, spelling, blas);
      blas.narrow_in_blas = spelling.narrow;
      return true;
    }
  return false;
}

// The OpenBLAS libraries that the process has loaded already, in the order of loading: found by a symbol that no
// wrapper around a BLAS has (a wrapper may lead back to the drop-in), wherever they lie and whichever scope they are
// in.
std::vector<std::string> loaded_openblas() {
  struct Objects {
    std::vector<std::string> names;
    bool complete = true;
  } objects;
  const auto collect = [](dl_phdr_info* info, std::size_t, void* to) {
    Objects& all = *static_cast<Objects*>(to);
    try {
      all.names.emplace_back(info->dlpi_name);
    } catch (const std::bad_alloc&) {  // which cannot be thrown through the C library
      all.complete = false;
    }
    return all.complete ? 0 : 1;
  };
  dl_iterate_phdr(collect, &objects);
  if (!objects.complete) throw std::bad_alloc();
  std::vector<std::string> found;
  for (const std::string& object : objects.names) {
    void* const handle = object.empty() ? nullptr : dlopen(object.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) continue;  // the program itself, the kernel's vdso
    for (const Spelling& spelling : spellings) {
      const std::string name = std::string(spelling.prefix) + "openblas_get_config" + spelling.cblas_suffix;
      Dl_info owner;  // the object or one that it needs
      if (const void* symbol = dlsym(handle, name.c_str()); symbol && dladdr(symbol, &owner))
        if (std::find(found.begin(), found.end(), owner.dli_fname) == found.end()) found.push_back(owner.dli_fname);
    }
    dlclose(handle);
  }
  return found;
}

/// The state of this thread's probe of a library (forwards_to_accublas). load_with_stack() answers it.
enum class Probe { none, asked, answered };
thread_local Probe probe_state = Probe::none;

/// Finds the width of a library's integers by its ISAMAX: the number of elements is 1 for readers of one width, and
/// less for those of the other.
void find_integers(RealBlas& blas) {
  constexpr bool little = std::endian::native == std::endian::little;
  constexpr std::int32_t words[2] = {little ? 1 : 0, little ? std::numeric_limits<std::int32_t>::min() : 1};
  const Index one = 1;
  const float x = 1;
  const bool has_element = blas.isamax(words, &x, &one) == 1;
  blas.narrow_in_blas = has_element == little;
}

/// Returns whether a library forwards its routines to the drop-in, as FlexiBLAS does if its user chose that. Such a
/// library must not be the real BLAS. The drop-in's ISAMAX asks for the real BLAS, and works without one. Finds the
/// width of the library's integers too.
bool forwards_to_accublas(void* handle, RealBlas& blas) {
  // FlexiBLAS calls a library while it loads it, and its own routines crash before it has loaded one.
  using ListLoaded = std::ptrdiff_t(char*, std::size_t, std::ptrdiff_t);
  auto* const list_loaded = reinterpret_cast<ListLoaded*>(dlsym(handle, "flexiblas_list_loaded"));
  if (list_loaded && list_loaded(nullptr, 0, -1) == 0) return true;
  if (!blas.isamax) return false;
  probe_state = Probe::asked;
  find_integers(blas);
  const BlasInteger one = blas.blas_integer(1);
  const float x = 1;
  blas.isamax(one.address(), &x, one.address());
  return std::exchange(probe_state, Probe::none) == Probe::answered;
}

// Fills `blas` from one library; otherwise says in `tried` what is wrong with it.
bool load(const std::string& library, RealBlas& blas, std::string& tried) {
  tried += tried.empty() ? "" : "; ";
  tried += library;
  // No RTLD_DEEPBIND: sanitizers refuse it, and it is not needed, since the computing code of a BLAS does not call its
  // own exported routines.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const why = dlerror();
    tried += std::string(" (") + (why ? why : "cannot be loaded") + ")";
    return false;
  }
  Dl_info object;
  if (!find_in_any_spelling(handle, blas)) {
    tried += " (lacks a routine of BLAS)";
  } else if (is_accublas(handle, blas.entries[number_of(routine_named("dgemm"))])) {
    tried += " (is accublas itself)";
  } else if (forwards_to_accublas(handle, blas)) {
    tried += " (forwards to accublas)";
  } else {
    blas.library = dladdr(blas.entries[number_of(routine_named("dgemm"))], &object) ? object.dli_fname : "";
    return true;  // stays loaded for the life of the process
  }
  dlclose(handle);
  return false;
}

/// C = A B with beta = 0, where C held NaN; A and B are zero.
template <class T>
std::vector<T> multiply(const RealBlas& blas, char op_a, char op_b, int m, int n, int k) {
  const std::vector<T> a(static_cast<std::size_t>(m) * k), b(static_cast<std::size_t>(k) * n);
  constexpr auto nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  T poison{nan};
  if constexpr (is_complex<T>) poison.im = nan;
  std::vector<T> c(static_cast<std::size_t>(m) * n, poison);
  call_gemm(blas, op_a, op_b, m, n, k, T{1}, a.data(), op_a == 'N' ? m : k, b.data(), op_b == 'N' ? k : n, T{0},
            c.data(), m);
  return c;
}

/// Tries small matrices, which may have kernels of their own for every transposition, and large ones, which threads
/// share. To clear every C unasked would be a pass over C more, of one thread beside a DGEMM of many.
template <class T>
bool reads_result(const RealBlas& blas) {
  const auto read = [&](char op_a, char op_b, int m, int n, int k) {
    for (const T& element : multiply<T>(blas, op_a, op_b, m, n, k))
      if (!(element == 0)) return true;
    return false;
  };
  for (const char op_a : {'N', 'T'})
    for (const char op_b : {'N', 'T'})
      if (read(op_a, op_b, 37, 29, 5)) return true;
  return read('N', 'N', 261, 251, 17);
}

/// LAPACK beside a BLAS that has none, and the width of its integers, told by the pivot of the column (0, 1): with more
/// columns a preloaded drop-in would be asked for products, which needs what is being loaded here.
void see_to_lapack(RealBlas& blas) {
  constexpr Routine getrf = routine_named("dgetrf");
  blas.narrow_integers = blas.narrow_in_blas;
  if (blas.lacks(getrf)) {
    void* const handle = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    void* const first = handle ? dlsym(handle, "dgetrf_") : nullptr;
    if (!first || is_accublas(handle, first)) return;  // stays loaded
    find_all(handle, spellings[0], is_lapack, blas);
    find_spectra(handle, spellings[0], blas);
    blas.narrow_integers = true;
  }
  const Index one = 1, two = 2;
  double a[2] = {0, 1};
  Index pivot = -1;
  BlasInteger info = blas.lapack_integer(0);
  blas.call(getrf, two, one, a, two, &pivot, info.address());
  blas.narrow_integers = pivot != 2;
}

RealBlas load_first() {
  const FpEnvironment environment;  // OpenBLAS makes its threads while it is loaded
  RealBlas blas{};
  std::string tried;
  std::vector<std::string> libraries = loaded_openblas();
  libraries.insert(libraries.end(), {"libopenblas.so.0", "libblas.so.3"});
  for (const std::string& library : libraries) {
    if (!load(library, blas, tried)) continue;
    blas.reads_result = reads_result<double>(blas) || reads_result<float>(blas) ||
                        reads_result<Complex<double>>(blas) || reads_result<Complex<float>>(blas);
    see_to_lapack(blas);
    return blas;
  }
  throw Error(ACCUBLAS_ERROR_NO_BLAS, "no real BLAS could be loaded; tried " + tried);
}

/// Loading runs the library's constructors, and what is tried runs its routines, LAPACK's among them. Modes that never
/// call the BLAS load it too, to know what it has.
std::unique_ptr<const RealBlas> load_with_stack() {
  if (probe_state != Probe::none) {
    probe_state = Probe::answered;
    throw Error(ACCUBLAS_ERROR_NO_BLAS, "the real BLAS is being loaded");
  }
  std::unique_ptr<const RealBlas> loaded;
  with_stack(stack_of_blas(Operation::getrf), [&] { loaded = std::make_unique<const RealBlas>(load_first()); });
  return loaded;
}

const RealBlas& found() {
  static constinit Lazy<const RealBlas> blas;  // tried again after a failure
  return blas.get(load_with_stack);
}

/// OpenBLAS ends its threads before a fork; parent and child make new ones in the next call that wants them.
std::atomic<std::uint32_t> generation{1};
[[maybe_unused]] const int at_fork = pthread_atfork([] { generation.fetch_add(1); }, nullptr, nullptr);

/// Threads keep the floating-point environment of the thread that makes them, for good. So before a call in another
/// environment than accublas's own they are made, by a product that all of them share. An OpenMP runtime has threads
/// for every thread that calls: each sees to its own.
void make_threads(const RealBlas& blas) {
  thread_local std::uint32_t made = 0;
  const std::uint32_t now = generation.load(std::memory_order_relaxed);
  if (made == now) return;
  const FpEnvironment environment;
  with_stack(stack_of_blas(Operation::gemm), [&] { multiply<double>(blas, 'N', 'N', 256, 256, 256); });
  made = now;
}

}  // namespace

const RealBlas& real_blas() {
  const RealBlas& blas = found();
  if (!FpEnvironment::is_entered()) make_threads(blas);
  return blas;
}

bool have_real_blas() {
  try {
    found();
    return true;
  } catch (const Error& error) {
    if (error.status() != ACCUBLAS_ERROR_NO_BLAS) throw;  // the answer does not depend on the memory of the moment
    return false;
  }
}

bool have_lapack(Routine routine) { return have_real_blas() && !found().lacks(routine); }

}  // namespace accublas::cpu
