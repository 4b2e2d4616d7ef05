/* accublas: a BLAS that states how accurate its answer is and keeps its word.
 *
 * Every routine computes the answer that an accuracy *mode* defines; an *engine* is only a way to compute it.
 * In the bit-defined modes (fixed:T, slices:D, dot2, cr, and dp, sp with `reproducible`) the bits never depend on
 * threads, blocking, engine, vector width, device or run. README.md holds the table of modes, docs/modes.md the
 * exact definitions.
 *
 * Conventions of this header
 *   - Sizes, leading dimensions, strides and increments are int64_t and count elements, never bytes.
 *   - Argument order and enum values are CBLAS's, after the context. alpha and beta are passed by pointer, because
 *     accublas_set_pointer_mode decides whether they (and scalar results) live on the host or on the device.
 *   - A context serves one thread and one stream at a time. NULL names the calling thread's default context.
 *   - Every function that can fail returns an accublas_status; 0 is success. accublas_last_error says what went wrong,
 *     in one line.
 *   - A caller needs 64 KiB of stack. An engine that calls OpenBLAS runs on a stack of the library's own, on the
 *     caller's thread, where less than 192 KiB of the caller's stack are left (LAPACK's routines: 6 MiB), or where the
 *     caller is on another stack than its thread's (a coroutine). So does a call that a GPU computes, where less than
 *     512 KiB are left. If there is no memory for that stack, 8 MiB of addresses, nothing is written: another engine of
 *     the mode serves the call, or it returns ACCUBLAS_ERROR_MEMORY. The library's threads do not depend on the
 *     program's default size.
 *   - A stride along one element at most is never used, and may be any number.
 *   - alpha = 0 or k = 0: A and B are not read. beta = 0: C (y) is not read.
 *   - A result shares no element with an operand, nor with another result: ACCUBLAS_ERROR_ARGUMENT, and nothing is
 *     written. Operands that are only read may be the same, and matrices of one array may interleave. What is not read
 *     (alpha = 0 in host memory, k = 0, the other triangle) does not count. It is not checked for two operands of
 *     unequal strides with gaps along both dimensions, for matrices of a batch that are no neighbours in memory, and
 *     for a batch whose array of pointers is in device memory.
 *   - Only the verbose mode, the failure handler and accublas_mp_print print.
 */
#ifndef ACCUBLAS_H
#define ACCUBLAS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCUBLAS_VERSION_MAJOR 0 /**< of this header */
#define ACCUBLAS_VERSION_MINOR 1 /**< of this header */
#define ACCUBLAS_VERSION_PATCH 0 /**< of this header */

#if defined(__GNUC__)
#define ACCUBLAS_API __attribute__((visibility("default")))
#else
#define ACCUBLAS_API
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Types. Every enum is an int32_t typedef, so that its size is part of the ABI; values are never reused.
 * ------------------------------------------------------------------------------------------------------------ */

/** Opaque context: mode, engine, thread count, workspace, stream, last error, last report. */
typedef struct accublas_context accublas_context;

/** Status codes. */
typedef int32_t accublas_status;
enum {
  ACCUBLAS_SUCCESS = 0,             /**< the result is the one that the mode defines */
  ACCUBLAS_ERROR_ARGUMENT = 1,      /**< a bad argument; the message names it; nothing was written */
  ACCUBLAS_ERROR_MODE = 2,          /**< unknown mode word, or one that this routine lacks */
  ACCUBLAS_ERROR_ENGINE = 3,        /**< unknown engine, or one that cannot serve this mode */
  ACCUBLAS_ERROR_UNAVAILABLE = 4,   /**< not available in this build or on this device; the message names what is */
  ACCUBLAS_ERROR_MEMORY = 5,        /**< out of memory; C is as it was */
  ACCUBLAS_ERROR_ACCURACY = 6,      /**< the target set cannot be promised; C is as it was */
  ACCUBLAS_ERROR_POINTERS = 7,      /**< host and device operands mixed */
  ACCUBLAS_ERROR_NO_DEVICE = 8,     /**< a device function or pointer, and no GPU */
  ACCUBLAS_ERROR_DEVICE = 9,        /**< the device or its runtime failed before C was written */
  ACCUBLAS_ERROR_C_UNDEFINED = 10,  /**< a failure after the first write to C (a lost device) */
  ACCUBLAS_ERROR_ENVIRONMENT = 11,  /**< an environment variable of accublas has an invalid value or an unknown name */
  ACCUBLAS_ERROR_NO_BLAS = 12,      /**< no real BLAS could be loaded for native */
  ACCUBLAS_ERROR_INTERNAL = 13,     /**< a defect in accublas */
  ACCUBLAS_ERROR_PRECISION = 14,    /**< multiple-precision operands of different precisions; nothing was written */
  ACCUBLAS_ERROR_FORMAT = 15,       /**< a string is not a number; nothing was written */
  ACCUBLAS_ERROR_NOT_CERTIFIED = 16 /**< no bound is proved; the approximate solution is written */
  /* 17 .. 999 are reserved */
};

/** Memory layout, CBLAS's values. */
typedef int32_t accublas_layout;
enum {
  ACCUBLAS_ROW_MAJOR = 101, /**< rows are contiguous */
  ACCUBLAS_COL_MAJOR = 102  /**< columns are contiguous, as in Fortran */
};

/** Transposition, CBLAS's values (conjugate transposition equals transposition for real types). */
typedef int32_t accublas_transpose;
enum {
  ACCUBLAS_NO_TRANS = 111,  /**< op(A) = A */
  ACCUBLAS_TRANS = 112,     /**< op(A) is the transpose of A */
  ACCUBLAS_CONJ_TRANS = 113 /**< op(A) is the conjugate transpose of A */
};

/** Which triangle of a matrix is stored or wanted, CBLAS's values. */
typedef int32_t accublas_uplo;
enum {
  ACCUBLAS_UPPER = 121, /**< the upper triangle */
  ACCUBLAS_LOWER = 122  /**< the lower triangle */
};

/** Whether the diagonal of a triangular matrix is stored or ones, CBLAS's values. */
typedef int32_t accublas_diag;
enum {
  ACCUBLAS_NON_UNIT = 131, /**< the diagonal as it is */
  ACCUBLAS_UNIT = 132      /**< the diagonal is ones */
};

/** On which side of the other operand a square one stands, CBLAS's values. */
typedef int32_t accublas_side;
enum {
  ACCUBLAS_LEFT = 141, /**< the square matrix stands on the left */
  ACCUBLAS_RIGHT = 142 /**< the square matrix stands on the right */
};

/** Modes: mathematical definitions of the result. */
typedef int32_t accublas_mode;
enum {
  ACCUBLAS_MODE_DEFAULT = 0, /**< not set here: context, then environment, then build */
  ACCUBLAS_MODE_NATIVE = 1,  /**< what OpenBLAS or cuBLAS returns */
  ACCUBLAS_MODE_DP = 2,      /**< FP64-grade (in a family of single precision: sp) */
  ACCUBLAS_MODE_SP = 3,      /**< FP32-grade (in a family of double precision: dp) */
  ACCUBLAS_MODE_FIXED = 4,   /**< fixed:T, parameter T from 2 to 150 */
  ACCUBLAS_MODE_SLICES = 5,  /**< slices:D, parameter D from 1 to 50; flag ACCUBLAS_MODE_FAST */
  ACCUBLAS_MODE_DOT2 = 6,    /**< as if in twice the precision */
  ACCUBLAS_MODE_CR = 7,      /**< correctly rounded */
  ACCUBLAS_MODE_TF32X1 = 16, /**< one product of TF32 words */
  ACCUBLAS_MODE_TF32X3 = 17, /**< three products of TF32 words */
  ACCUBLAS_MODE_TF32X4 = 18, /**< four products of TF32 words */
  ACCUBLAS_MODE_FP16X1 = 19, /**< one product of FP16 words */
  ACCUBLAS_MODE_FP16X3 = 20, /**< three products of FP16 words */
  ACCUBLAS_MODE_TF64X1 = 24, /**< one product of FP32 words, summed in FP64 */
  ACCUBLAS_MODE_TF64X3 = 25, /**< three of these products */
  ACCUBLAS_MODE_TF64X4 = 26  /**< four of these products */
  /* 27 .. 999 are reserved for modes of later versions */
};

/** Flags that go with a mode; added together. */
enum {
  ACCUBLAS_MODE_FAST = 1,        /**< slices:D:fast, pairs with p + q <= D + 1 only */
  ACCUBLAS_MODE_REPRODUCIBLE = 2 /**< dp:repro, sp:repro */
};

/** Families of routines that have a mode of their own. */
typedef int32_t accublas_family;
enum {
  ACCUBLAS_FAMILY_DGEMM = 0, /**< DGEMM, batched or not */
  ACCUBLAS_FAMILY_SGEMM = 1, /**< SGEMM, batched or not */
  ACCUBLAS_FAMILY_DOT = 2,   /**< DOT, NRM2 and ASUM of both types */
  ACCUBLAS_FAMILY_GEMV = 3   /**< GEMV of both types */
};

/** Backends. */
typedef int32_t accublas_backend;
enum {
  ACCUBLAS_BACKEND_AUTO = 0, /**< where the operands are, or where it is faster */
  ACCUBLAS_BACKEND_CPU = 1,  /**< the CPU */
  ACCUBLAS_BACKEND_CUDA = 2  /**< a GPU */
};

/** Engines: ways to compute a mode. In a bit-defined mode every engine returns the same bits. */
typedef int32_t accublas_engine;
enum {
  ACCUBLAS_ENGINE_AUTO = 0,     /**< the mode's first choice */
  ACCUBLAS_ENGINE_NATIVE = 1,   /**< OpenBLAS or cuBLAS */
  ACCUBLAS_ENGINE_INT8 = 2,     /**< INT8 residue products and the Chinese remainder theorem (Ozaki scheme II) */
  ACCUBLAS_ENGINE_FP64 = 3,     /**< FP64 digits or slices on DGEMM (Ozaki scheme I, OzBLAS) */
  ACCUBLAS_ENGINE_FP16 = 4,     /**< FP16 tensor cores (DGEMM-TC), CUDA only */
  ACCUBLAS_ENGINE_DOT2 = 5,     /**< error-free transformations in FP64 */
  ACCUBLAS_ENGINE_SUMS = 6,     /**< sums with a rigorous bound, or in integers; exact accumulators behind */
  ACCUBLAS_ENGINE_MULTIWORD = 7 /**< products of words of fewer bits (TF32, FP16; FP32 for TF64) */
  /* 8 .. 999 are reserved */
};

/** Where alpha, beta and scalar results live. */
typedef int32_t accublas_pointer_mode;
enum {
  ACCUBLAS_POINTER_HOST = 0,  /**< alpha, beta and scalar results are in host memory */
  ACCUBLAS_POINTER_DEVICE = 1 /**< they are in device memory */
};

/** The action of the default failure handler if a caller has no status (drop-in, Fortran without stat). */
typedef int32_t accublas_on_failure;
enum {
  ACCUBLAS_ON_FAILURE_ABORT = 0, /**< a failure without a status ends the process */
  ACCUBLAS_ON_FAILURE_NATIVE = 1 /**< the real BLAS serves the call */
};

/** Options of one call. Start from ACCUBLAS_OPTIONS_INIT; a field left at its initial value is not set here. */
typedef struct accublas_options {
  size_t struct_size;      /**< sizeof(accublas_options) */
  const char* mode_name;   /**< a mode word, for instance "fixed:70"; NULL: the three fields below */
  accublas_mode mode;      /**< ACCUBLAS_MODE_DEFAULT: not set, and the two below are 0, else ACCUBLAS_ERROR_ARGUMENT */
  int32_t mode_parameter;  /**< T of fixed, D of slices, else 0 */
  int32_t mode_flags;      /**< ACCUBLAS_MODE_FAST, ACCUBLAS_MODE_REPRODUCIBLE */
  int32_t reproducible;    /**< -1 not set, 0, 1: for dp and sp */
  int32_t backend;         /**< -1 not set, else an accublas_backend */
  int32_t engine;          /**< -1 not set, else an accublas_engine */
  int32_t num_threads;     /**< 0 not set */
  int32_t report_level;    /**< -1 not set, 0, 1, 2 */
  double target;           /**< negative: not set; 0: none; else as accublas_set_target */
  int64_t workspace_bytes; /**< -1 not set; cap of the workspace of this call in bytes */
} accublas_options;

/** Options of which none is set. */
#define ACCUBLAS_OPTIONS_INIT \
  { sizeof(accublas_options), NULL, 0, 0, 0, -1, -1, -1, 0, -1, -1.0, -1 }

/** A report on the last call on a context. Set struct_size before asking; fields past it are not written.
 *
 * The rigorous bound: for every element
 *   abs(c - exact) <= bound_relative abs(exact) + bound_componentwise (abs(alpha) abs(A) abs(B) + abs(beta) abs(C))
 *                     + bound_absolute,
 * (nrm2, asum: the exact result stands for abs(A) abs(B)),
 * as long as no element of the result overflows (native, tf32x1, tf32x3, tf32x4: no word, product or partial sum over-
 * or underflows either). Infinity where nothing is promised (slices; fixed where bits are dropped and no target is set;
 * fp16x1, fp16x3, tf64x1, tf64x3, tf64x4). */
typedef struct accublas_report_t {
  size_t struct_size;      /**< sizeof(accublas_report_t) */
  char routine[16];        /**< "dgemm", "dgemm_batched" (both forms), ... */
  char mode[32];           /**< the mode word that ran, for instance "dp:repro" */
  char backend[8];         /**< "cpu", "cuda"; of a call without operands, such as n = 0, what its settings say */
  char engine[16];         /**< "int8", "native", ... */
  char device[64];         /**< device or instruction set, for instance "cpu:avx512_vnni" */
  char reason[160];        /**< why this mode, backend and engine were chosen */
  int64_t m;               /**< rows of C (dot, nrm2, asum: 1; gemv: outputs) */
  int64_t n;               /**< columns of C (else 1) */
  int64_t k;               /**< terms of a sum (dot, nrm2, asum: n) */
  int32_t bits;            /**< T used (the largest, where several), 0 if none */
  int32_t parts;           /**< moduli, or digits or slices of A, multiplied (the most, where several), 0 if none */
  int64_t rejected;        /**< elements that the certificate rejected at T */
  int64_t undecided;       /**< elements that were computed exactly because Ziv's test had left them undecided */
  int64_t workspace_bytes; /**< peak workspace of the call */
  int64_t copied_bytes;    /**< operand bytes copied as they are (packing, host to device); conversions not counted */
  double ms_total;         /**< milliseconds, level >= 1 */
  double ms_convert;       /**< exponents, scaling, slicing, residues; level 2 */
  double ms_product;       /**< products; level 2 */
  double ms_reconstruct;   /**< reconstruction and rounding; level 2 */
  double ms_exact;         /**< recomputation of undecided and rejected elements; level 2 */
  double bound_relative;   /**< times abs(exact) */
  double bound_componentwise; /**< times (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) */
  double bound_absolute;      /**< as it is */
  int32_t threads;            /**< threads of accublas's own pool that the call was planned for */
  int32_t level;              /**< the report level that the call ran under */
  int64_t batch_count; /**< matrices of a batched call, 1 else; the numbers above are those of all of them together */
} accublas_report_t;

/** One row of the call counters: calls of a routine that an engine served, process wide. */
typedef struct accublas_counter_t {
  char routine[16]; /**< "dgemm", ... */
  char engine[16];  /**< "int8", ... */
  uint64_t calls;   /**< since the process began, or since the last reset */
} accublas_counter_t;

/* ---------------------------------------------------------------------------------------------------------------
 * Library, context, errors
 * ------------------------------------------------------------------------------------------------------------ */

/** 10000 major + 100 minor + patch of the library at run time. */
ACCUBLAS_API int32_t accublas_version(void);
/** One line of English for a status; never NULL. */
ACCUBLAS_API const char* accublas_status_string(accublas_status status);

/** Creates a context with the environment's settings. *ctx is NULL on failure. */
ACCUBLAS_API accublas_status accublas_create(accublas_context** ctx);
/** Waits for the context's work and frees it. NULL is allowed and does nothing. */
ACCUBLAS_API accublas_status accublas_destroy(accublas_context* ctx);
/** Message of the context's last failed call; "" after success. Valid until the next call on the context. */
ACCUBLAS_API const char* accublas_last_error(accublas_context* ctx);
/** For bindings in other languages: records a failure that they find themselves, so that accublas_last_error and
 * accublas_fail tell it like any other. Returns `status`. */
ACCUBLAS_API accublas_status accublas_set_last_error(accublas_context* ctx, accublas_status status,
                                                     const char* message);

/* ---------------------------------------------------------------------------------------------------------------
 * Settings. The first one set wins: the call's options, the context, the environment, the build.
 * ------------------------------------------------------------------------------------------------------------ */

/** Mode of every family by its word: "native", "dp", "sp", "dp:repro", "fixed:70", "slices:8", "slices:8:fast", "dot2",
 * "cr", ... dp and sp both mean the grade of each family's own type. A family that lacks the word keeps its mode; a
 * word that no family knows is ACCUBLAS_ERROR_MODE with the list of words. NULL or "" unsets. In every word of a
 * setting capitals count as small letters, and answers have small ones. */
ACCUBLAS_API accublas_status accublas_set_mode_name(accublas_context* ctx, const char* word);
/** Sets the mode by enum: parameter is T or D (else 0), flags are ACCUBLAS_MODE_FAST and ACCUBLAS_MODE_REPRODUCIBLE. */
ACCUBLAS_API accublas_status accublas_set_mode(accublas_context* ctx, accublas_mode mode, int32_t parameter,
                                               int32_t flags);
/** Mode of one family; a word that the family lacks is ACCUBLAS_ERROR_MODE. Wins over accublas_set_mode_name. */
ACCUBLAS_API accublas_status accublas_set_family_mode_name(accublas_context* ctx, accublas_family family,
                                                           const char* word);
/** Writes the word of the mode that a call without options would run now (with terminating NUL; size >= 32 suffices).
 * Where the mode is dp or sp and reproducible is set, ":repro" is shown. */
ACCUBLAS_API accublas_status accublas_get_mode_name(accublas_context* ctx, accublas_family family, char* word,
                                                    size_t size);
/** 0 or 1: whether dp and sp promise bits; -1 unsets it. */
ACCUBLAS_API accublas_status accublas_set_reproducible(accublas_context* ctx, int32_t reproducible);
/** ACCUBLAS_BACKEND_CUDA without a GPU is ACCUBLAS_ERROR_NO_DEVICE. */
ACCUBLAS_API accublas_status accublas_set_backend(accublas_context* ctx, accublas_backend backend);
/** Selects the CUDA device by its number, from 0; ACCUBLAS_ERROR_NO_DEVICE if there is no such device. Waits for the
 * context's calls on the previous device, and unsets the stream, which belongs to that device. If one of those calls
 * failed, returns the first error; the device is changed all the same. If no device is set, a context works on the
 * device of its first operands (host operands: device 0). */
ACCUBLAS_API accublas_status accublas_set_device(accublas_context* ctx, int32_t device);
/** Names the engine of the context's calls; ACCUBLAS_ENGINE_AUTO lets the plan choose one. An engine that cannot serve
 * a call's mode is ACCUBLAS_ERROR_ENGINE at that call. */
ACCUBLAS_API accublas_status accublas_set_engine(accublas_context* ctx, accublas_engine engine);
/** Sets the engine by name: "auto", "native", "int8", "fp64", "fp16", "dot2", "sums" or "multiword". */
ACCUBLAS_API accublas_status accublas_set_engine_name(accublas_context* ctx, const char* name);
/** Cap of the workspace in MiB; 0 restores the default (256 MiB on the CPU; on a GPU the lesser of 8 GiB and an eighth
 * of its memory). Blocking under it never changes bits. On the CPU a call takes up to a MiB more, for what does not
 * grow with its operands. */
ACCUBLAS_API accublas_status accublas_set_workspace_mib(accublas_context* ctx, int64_t mib);
/** The user's own workspace, used in place of the pool by calls that can: host memory by the CPU, device memory by
 * calls with operands on its device; others take the pool. NULL, 0 ends that. It must stay valid until replaced, or
 * until the context is destroyed. If a buffer suffices for a call, a longer one at the same address does, too. One that
 * does not suffice is ACCUBLAS_ERROR_MEMORY, with the operands as they were, and the message says how many bytes suffice
 * wherever the buffer begins (docs/gpu.md: captured calls). Calls in little more than that may be slow. */
ACCUBLAS_API accublas_status accublas_set_workspace(accublas_context* ctx, void* buffer, size_t bytes);
/** Threads of accublas's own pool; 0 restores the default: ACCUBLAS_NUM_THREADS, else affinity and OMP_NUM_THREADS, and
 * 1 inside an OpenMP parallel region. A call takes at most 1024, and one for every 64 KiB that its workspace may have;
 * accublas_report tells how many. OpenBLAS keeps its own count. */
ACCUBLAS_API accublas_status accublas_set_num_threads(accublas_context* ctx, int32_t threads);
/** 0 silent, 1 a line per call of the program on standard error, 2 also one per inner call: those that routines made
 * of others (QR, least squares, inverses, certified solutions) make, with the word "inner" before the name. */
ACCUBLAS_API accublas_status accublas_set_verbose(accublas_context* ctx, int32_t level);
/** Report level: 0 no times, 1 total time, 2 time per phase. */
ACCUBLAS_API accublas_status accublas_set_report_level(accublas_context* ctx, int32_t level);
/** Accuracy target: a call that cannot promise, for every element,
 *   abs(c - exact) <= bound (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) + (the bound_absolute of the report)
 * returns ACCUBLAS_ERROR_ACCURACY and leaves C as it was (with device operands: accublas_sync returns it). 0 unsets.
 * The promise is the report's, with its conditions: what over- or underflows on the way in native, tf32x1, tf32x3,
 * tf32x4, and in dp and sp where OpenBLAS or cuBLAS computes them, is not found out. */
ACCUBLAS_API accublas_status accublas_set_target(accublas_context* ctx, double bound);
/** Where alpha, beta and the results of DOT, NRM2 and ASUM are. ACCUBLAS_POINTER_DEVICE goes with device operands
 * only. */
ACCUBLAS_API accublas_status accublas_set_pointer_mode(accublas_context* ctx, accublas_pointer_mode mode);
/** The CUDA stream (cudaStream_t as void *) that device calls run on; NULL is the legacy default stream. Later
 * calls wait, on the device, for the context's earlier calls on any stream. The earlier stream may be destroyed by
 * then. ACCUBLAS_ERROR_NO_DEVICE without a GPU, except for NULL. */
ACCUBLAS_API accublas_status accublas_set_stream(accublas_context* ctx, void* stream);
/** The stream set, NULL by default. */
ACCUBLAS_API accublas_status accublas_get_stream(accublas_context* ctx, void** stream);
/** Waits for the context's stream and for its calls on streams before; returns and clears the first error of
 * asynchronous calls. ACCUBLAS_ERROR_DEVICE, nothing waited for, while the stream is captured. */
ACCUBLAS_API accublas_status accublas_sync(accublas_context* ctx);
/** Number of usable CUDA devices, 0 without a GPU, a driver, or CUDA in the build. */
ACCUBLAS_API accublas_status accublas_device_count(int32_t* count);

/** Handler of failures where the caller has no status: `message` is one line. When it returns nonzero the real BLAS
 * serves the call; when it returns 0 the process aborts. NULL restores the default (the line on standard error, then
 * abort, or native with ACCUBLAS_ON_FAILURE=native). Process wide. */
typedef int32_t (*accublas_failure_handler)(accublas_status status, const char* message, void* user);
/** Makes `handler` the one that is called, with `user` as its last argument. */
ACCUBLAS_API accublas_status accublas_set_failure_handler(accublas_failure_handler handler, void* user);
/** Sets the action of the default handler. Process wide. */
ACCUBLAS_API accublas_status accublas_set_on_failure(accublas_on_failure action);
/** Runs the handler for the context's last error, as the drop-in and the Fortran module do; returns only if the handler
 * asks for the real BLAS. */
ACCUBLAS_API accublas_status accublas_fail(accublas_context* ctx, accublas_status status);

/** Copies the report on the last call on the context. */
ACCUBLAS_API accublas_status accublas_report(accublas_context* ctx, accublas_report_t* report);
/** Copies the counters of the program's calls that succeeded, by routine and engine, process wide. Inner calls of
 * routines that are made of others are not counted. Copies at most `capacity` rows (0: `rows` may be NULL) and sets
 * *count to the number of rows that there are. */
ACCUBLAS_API accublas_status accublas_counters(accublas_counter_t* rows, size_t capacity, size_t* count);
/** Sets all counters to 0. */
ACCUBLAS_API accublas_status accublas_reset_counters(void);

/* ---------------------------------------------------------------------------------------------------------------
 * Routines. The first letter of a name is the type: d FP64, s FP32, z and c complex numbers of them. Each routine has a
 * form whose name ends in _ex, with options (NULL: none) as its last argument.
 *
 * A complex number is two numbers of FP64 (z) or FP32 (c) side by side, real part first, as C, C++ and Fortran have it.
 * Complex factors are passed by address, too; leading dimensions, strides and increments count complex numbers.
 *
 * In every routine
 *   - ACCUBLAS_ERROR_ARGUMENT, whose message names the argument, stands for a bad layout, transposition, size, leading
 *     dimension or other enum, for an increment of zero where it must not be, and for a NULL pointer that would be read
 *     or written. The other statuses are those above;
 *   - sizes may be any int64_t. But in native, or with that engine, m, n, k and nrhs of 2^31 and more are
 *     ACCUBLAS_ERROR_UNAVAILABLE in level 2 and 3 beside GEMV and GEMM and in LAPACK's routines;
 *   - memory behind a pointer to const is never written;
 *   - every NaN that a mode with one answer writes is the positive quiet NaN without payload;
 *     in native, dp and sp it may be any;
 *   - the matrices and vectors of a call are all in host memory or all in the memory of one device;
 *   - the mode defines the result and its exactness (docs/modes.md). BLAS and LAPACK (netlib, version 3.12) are the
 *     source of names and of the order of arguments.
 * ------------------------------------------------------------------------------------------------------------ */

/* Level 1: products and norms of vectors. */

/* Made from c_api/routines.py: level1 */
/* clang-format off */
/** *result = sum over i < n of x_i y_i. n <= 0 gives +0. Increments may be 0: the first element counts n times.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x and y
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_ddot(accublas_context* ctx, int64_t n, const double* x, int64_t incx,
    const double* y, int64_t incy, double* result);
ACCUBLAS_API accublas_status accublas_sdot(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    const float* y, int64_t incy, float* result);
ACCUBLAS_API accublas_status accublas_zdotu(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result);
ACCUBLAS_API accublas_status accublas_cdotu(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_ddot_ex(accublas_context* ctx, int64_t n, const double* x, int64_t incx,
    const double* y, int64_t incy, double* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sdot_ex(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    const float* y, int64_t incy, float* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zdotu_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cdotu_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result, const accublas_options* options);

/** *result = sum over i < n of conj(x_i) y_i, else as zdotu.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x and y
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_zdotc(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result);
ACCUBLAS_API accublas_status accublas_cdotc(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_zdotc_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cdotc_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result, const accublas_options* options);

/** *result = the Euclidean norm of x, sqrt(sum over i < n of abs(x_i)^2): of a complex vector that of its 2 n
 * components. n <= 0 gives +0. No square overflows or underflows in cr and dot2; cr is the exact norm rounded once for
 * every finite x. A NaN in x gives NaN, else an infinity gives +Inf. The mode is that of DOT (ACCUBLAS_FAMILY_DOT),
 * which for norms has no fixed and no slices: such a word is ACCUBLAS_ERROR_MODE in the options of the call, and is
 * passed over elsewhere.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dnrm2(accublas_context* ctx, int64_t n, const double* x, int64_t incx,
    double* result);
ACCUBLAS_API accublas_status accublas_snrm2(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    float* result);
ACCUBLAS_API accublas_status accublas_dznrm2(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    double* result);
ACCUBLAS_API accublas_status accublas_scnrm2(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    float* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dnrm2_ex(accublas_context* ctx, int64_t n, const double* x, int64_t incx,
    double* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_snrm2_ex(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    float* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_dznrm2_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    double* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_scnrm2_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    float* result, const accublas_options* options);

/** *result = sum over i < n of abs(x_i); of complex numbers abs(Re x_i) + abs(Im x_i). The rest as nrm2. (The BLAS
 * name gives 0 for increments that are not positive, as netlib's does.)
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dasum(accublas_context* ctx, int64_t n, const double* x, int64_t incx,
    double* result);
ACCUBLAS_API accublas_status accublas_sasum(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    float* result);
ACCUBLAS_API accublas_status accublas_dzasum(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    double* result);
ACCUBLAS_API accublas_status accublas_scasum(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    float* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dasum_ex(accublas_context* ctx, int64_t n, const double* x, int64_t incx,
    double* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sasum_ex(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    float* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_dzasum_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    double* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_scasum_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    float* result, const accublas_options* options);

/** *result = sum over i < n of x_i y_i, vectors of single precision, in double precision. n <= 0 gives +0. In every
 * mode that defines bits it is the exact sum rounded once. The modes are those of norms.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x and y
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsdot(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    const float* y, int64_t incy, double* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsdot_ex(accublas_context* ctx, int64_t n, const float* x, int64_t incx,
    const float* y, int64_t incy, double* result, const accublas_options* options);

/** *result = sb + sum over i < n of x_i y_i in single precision, else as dsdot. n <= 0 gives sb.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x and y
 * @param[in] sb one number; where accublas_set_pointer_mode says
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_sdsdot(accublas_context* ctx, int64_t n, const float* sb, const float* x,
    int64_t incx, const float* y, int64_t incy, float* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_sdsdot_ex(accublas_context* ctx, int64_t n, const float* sb, const float* x,
    int64_t incx, const float* y, int64_t incy, float* result, const accublas_options* options);
/* clang-format on */

/* Level 2. The mode is that of ACCUBLAS_FAMILY_GEMV. For operands in device memory GEMV takes alpha and beta of any
 * kind, in device memory too; the other routines need them in host memory, else they return ACCUBLAS_ERROR_UNAVAILABLE.
 * Definitions: docs/modes.md, "Level 2". */

/* Made from c_api/routines.py: level2 */
/* clang-format off */
/** y = alpha op(A) x + beta y, A m x n.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A, m x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] y y, overwritten by the result; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const double* alpha, const double* a, int64_t lda, const double* x, int64_t incx,
    const double* beta, double* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_sgemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const float* alpha, const float* a, int64_t lda, const float* x, int64_t incx,
    const float* beta, float* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_zgemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
    void* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_cgemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
    void* y, int64_t incy);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgemv_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const double* alpha, const double* a, int64_t lda, const double* x, int64_t incx,
    const double* beta, double* y, int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgemv_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const float* alpha, const float* a, int64_t lda, const float* x, int64_t incx,
    const float* beta, float* y, int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgemv_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
    void* y, int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgemv_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
    void* y, int64_t incy, const accublas_options* options);

/** y = alpha A x + beta y with A(i,j) at a[i rsa + j csa]. No copy of A is made. There is no transposition (exchange m
 * with n and rsa with csa) and no conjugation.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] m length of y, at least 0
 * @param[in] n length of x, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] rsa stride from a row of A to the next, any number, 0 and negative ones too
 * @param[in] csa stride from a column of A to the next, any number, 0 and negative ones too
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] y y, overwritten by the result; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgemv_strided(accublas_context* ctx, int64_t m, int64_t n, const double* alpha,
    const double* a, int64_t rsa, int64_t csa, const double* x, int64_t incx, const double* beta, double* y,
    int64_t incy);
ACCUBLAS_API accublas_status accublas_sgemv_strided(accublas_context* ctx, int64_t m, int64_t n, const float* alpha,
    const float* a, int64_t rsa, int64_t csa, const float* x, int64_t incx, const float* beta, float* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_zgemv_strided(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_cgemv_strided(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgemv_strided_ex(accublas_context* ctx, int64_t m, int64_t n,
    const double* alpha, const double* a, int64_t rsa, int64_t csa, const double* x, int64_t incx, const double* beta,
    double* y, int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgemv_strided_ex(accublas_context* ctx, int64_t m, int64_t n, const float* alpha,
    const float* a, int64_t rsa, int64_t csa, const float* x, int64_t incx, const float* beta, float* y, int64_t incy,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgemv_strided_ex(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgemv_strided_ex(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy,
    const accublas_options* options);

/** y = alpha A x + beta y, A symmetric (hemv: Hermitian) of order n. Only the triangle uplo of A is read, and of a
 * Hermitian diagonal only the real parts.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] y y, overwritten by the result; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsymv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const double* a, int64_t lda, const double* x, int64_t incx, const double* beta,
    double* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_ssymv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const float* a, int64_t lda, const float* x, int64_t incx, const float* beta,
    float* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_zhemv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta, void* y,
    int64_t incy);
ACCUBLAS_API accublas_status accublas_chemv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta, void* y,
    int64_t incy);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsymv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const double* a, int64_t lda, const double* x, int64_t incx, const double* beta,
    double* y, int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssymv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const float* a, int64_t lda, const float* x, int64_t incx, const float* beta,
    float* y, int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zhemv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta, void* y,
    int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_chemv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta, void* y,
    int64_t incy, const accublas_options* options);

/** x becomes op(A) x, A triangular of order n. The other triangle is not read.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] n order of A, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in,out] x x, overwritten by the result; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dtrmv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const double* a, int64_t lda, double* x, int64_t incx);
ACCUBLAS_API accublas_status accublas_strmv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const float* a, int64_t lda, float* x, int64_t incx);
ACCUBLAS_API accublas_status accublas_ztrmv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx);
ACCUBLAS_API accublas_status accublas_ctrmv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dtrmv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const double* a, int64_t lda, double* x, int64_t incx,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_strmv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const float* a, int64_t lda, float* x, int64_t incx,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ztrmv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ctrmv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx,
    const accublas_options* options);

/** x becomes the solution x' of op(A) x' = x, A triangular of order n. The other triangle is not read. The modes are
 * those of trsm.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] n order of A, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in,out] x x, overwritten by the result; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dtrsv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const double* a, int64_t lda, double* x, int64_t incx);
ACCUBLAS_API accublas_status accublas_strsv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const float* a, int64_t lda, float* x, int64_t incx);
ACCUBLAS_API accublas_status accublas_ztrsv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx);
ACCUBLAS_API accublas_status accublas_ctrsv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dtrsv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const double* a, int64_t lda, double* x, int64_t incx,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_strsv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const float* a, int64_t lda, float* x, int64_t incx,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ztrsv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ctrsv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, accublas_diag diag, int64_t n, const void* a, int64_t lda, void* x, int64_t incx,
    const accublas_options* options);

/** A += alpha x y^T, A m x n. Updates, which are this routine and those below, are exact sums, rounded once in every
 * mode that defines bits. They lack the modes fixed and slices, as norms do.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in,out] a A, m x n, overwritten by the result; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dger(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const double* alpha, const double* x, int64_t incx, const double* y, int64_t incy, double* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_sger(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const float* alpha, const float* x, int64_t incx, const float* y, int64_t incy, float* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_zgeru(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_cgeru(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dger_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const double* alpha, const double* x, int64_t incx, const double* y, int64_t incy, double* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sger_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const float* alpha, const float* x, int64_t incx, const float* y, int64_t incy, float* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgeru_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgeru_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda,
    const accublas_options* options);

/** A += alpha x y^H, A m x n.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in,out] a A, m x n, overwritten by the result; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_zgerc(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_cgerc(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_zgerc_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgerc_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda,
    const accublas_options* options);

/** A += alpha x x^T (her: alpha x x^H, alpha real) in the triangle uplo of A, of order n. The other triangle is
 * neither read nor written. The imaginary parts of a Hermitian diagonal are not read and become +0, unless alpha is 0,
 * which leaves A alone.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in,out] a A, overwritten by the result; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsyr(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const double* x, int64_t incx, double* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_ssyr(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const float* x, int64_t incx, float* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_zher(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const void* x, int64_t incx, void* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_cher(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const void* x, int64_t incx, void* a, int64_t lda);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsyr_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const double* x, int64_t incx, double* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssyr_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const float* x, int64_t incx, float* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zher_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const void* x, int64_t incx, void* a, int64_t lda, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cher_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const void* x, int64_t incx, void* a, int64_t lda, const accublas_options* options);

/** A += alpha x y^T + alpha y x^T (her2: alpha x y^H + conj(alpha) y x^H) in the triangle uplo of A, as syr.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in,out] a A, overwritten by the result; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsyr2(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const double* x, int64_t incx, const double* y, int64_t incy, double* a,
    int64_t lda);
ACCUBLAS_API accublas_status accublas_ssyr2(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const float* x, int64_t incx, const float* y, int64_t incy, float* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_zher2(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_cher2(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsyr2_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const double* alpha, const double* x, int64_t incx, const double* y, int64_t incy, double* a,
    int64_t lda, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssyr2_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const float* alpha, const float* x, int64_t incx, const float* y, int64_t incy, float* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zher2_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cher2_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a, int64_t lda,
    const accublas_options* options);
/* clang-format on */

/* Level 3. The products beside GEMM have the modes of GEMM but the multiword ones, element by element GEMM's definition
 * (docs/modes.md, "The other products of level 3"). A triangle of C that is not wanted is neither read nor written. For
 * operands in device memory (docs/gpu.md) her2k in dp:repro and sp:repro wants alpha in host memory, else it returns
 * ACCUBLAS_ERROR_UNAVAILABLE.
 *
 * Complex GEMM has the modes of its family but the multiword ones. For operands in device memory these are
 * ACCUBLAS_ERROR_UNAVAILABLE:
 *   - strides that cuBLAS has no name for, in native, and in dp and sp with engine native;
 *   - the engines fp16 and fp64 in other modes than slices, if alpha or beta has an imaginary part or lies in device
 *     memory.
 * With such an alpha or beta, complex products in dp and sp are cuBLAS's, unless the call names an engine or cuBLAS has
 * no name for the strides. Host operands of complex GEMM are the CPU's unless the backend is named. */

/* Made from c_api/routines.py: level3 */
/* clang-format off */
/** C = alpha op(A) op(B) + beta C.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] transb op(B), as transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A: op(A) is m x k; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] b B: op(B) is k x n; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
    accublas_transpose transb, int64_t m, int64_t n, int64_t k, const double* alpha, const double* a, int64_t lda,
    const double* b, int64_t ldb, const double* beta, double* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_sgemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
    accublas_transpose transb, int64_t m, int64_t n, int64_t k, const float* alpha, const float* a, int64_t lda,
    const float* b, int64_t ldb, const float* beta, float* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_zgemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
    accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
    const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_cgemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
    accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
    const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgemm_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const double* alpha,
    const double* a, int64_t lda, const double* b, int64_t ldb, const double* beta, double* c, int64_t ldc,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgemm_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const float* alpha,
    const float* a, int64_t lda, const float* b, int64_t ldb, const float* beta, float* c, int64_t ldc,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgemm_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgemm_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc,
    const accublas_options* options);

/** C = alpha A B + beta C with A(i,p) at a[i rsa + p csa], B(p,j) at b[p rsb + j csb] and C(i,j) at c[i rsc + j csc].
 * There is no conjugation.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] m rows of A and C, at least 0
 * @param[in] n columns of B and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] rsa stride from a row of A to the next, any number, 0 and negative ones too
 * @param[in] csa stride from a column of A to the next, any number, 0 and negative ones too
 * @param[in] b B; in host or device memory
 * @param[in] rsb stride from a row of B to the next, any number, 0 and negative ones too
 * @param[in] csb stride from a column of B to the next, any number, 0 and negative ones too
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] rsc stride from a row of C to the next
 * @param[in] csc stride from a column of C to the next; rsc and csc must not let two elements coincide
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgemm_strided(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const double* alpha, const double* a, int64_t rsa, int64_t csa, const double* b, int64_t rsb, int64_t csb,
    const double* beta, double* c, int64_t rsc, int64_t csc);
ACCUBLAS_API accublas_status accublas_sgemm_strided(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const float* alpha, const float* a, int64_t rsa, int64_t csa, const float* b, int64_t rsb, int64_t csb,
    const float* beta, float* c, int64_t rsc, int64_t csc);
ACCUBLAS_API accublas_status accublas_zgemm_strided(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc);
ACCUBLAS_API accublas_status accublas_cgemm_strided(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgemm_strided_ex(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const double* alpha, const double* a, int64_t rsa, int64_t csa, const double* b, int64_t rsb, int64_t csb,
    const double* beta, double* c, int64_t rsc, int64_t csc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgemm_strided_ex(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const float* alpha, const float* a, int64_t rsa, int64_t csa, const float* b, int64_t rsb, int64_t csb,
    const float* beta, float* c, int64_t rsc, int64_t csc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgemm_strided_ex(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgemm_strided_ex(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc, const accublas_options* options);

/** C = alpha A B + beta C (side LEFT) or alpha B A + beta C (RIGHT), C and B m x n, A symmetric (hemm: Hermitian) of
 * order m (LEFT) or n. Only the triangle uplo of A is read, and of a Hermitian diagonal only the real parts.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] side ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where A stands in the product
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] m rows of the result, at least 0
 * @param[in] n columns of the result, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, order of A)
 * @param[in] b B; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsymm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const double* alpha, const double* a, int64_t lda, const double* b,
    int64_t ldb, const double* beta, double* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_ssymm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const float* alpha, const float* a, int64_t lda, const float* b,
    int64_t ldb, const float* beta, float* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_zsymm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_csymm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_zhemm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_chemm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsymm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const double* alpha, const double* a, int64_t lda, const double* b,
    int64_t ldb, const double* beta, double* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssymm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const float* alpha, const float* a, int64_t lda, const float* b,
    int64_t ldb, const float* beta, float* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zsymm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_csymm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zhemm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_chemm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);

/** The triangle uplo of C = alpha A A^T + beta C (trans NO_TRANS) or alpha A^T A + beta C (TRANS).
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS (of real numbers also ACCUBLAS_CONJ_TRANS); herk and her2k: or
 *   ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A: n x k if trans is ACCUBLAS_NO_TRANS, else k x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, of order n, whose triangle uplo is overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsyrk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const double* alpha, const double* a, int64_t lda,
    const double* beta, double* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_ssyrk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const float* alpha, const float* a, int64_t lda, const float* beta,
    float* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_zsyrk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* beta,
    void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_csyrk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* beta,
    void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsyrk_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const double* alpha, const double* a, int64_t lda,
    const double* beta, double* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssyrk_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const float* alpha, const float* a, int64_t lda, const float* beta,
    float* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zsyrk_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* beta,
    void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_csyrk_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* beta,
    void* c, int64_t ldc, const accublas_options* options);

/** The triangle uplo of C = alpha A A^H + beta C (trans NO_TRANS) or alpha A^H A + beta C (CONJ_TRANS), alpha and beta
 * real. The imaginary parts of the diagonal of C are not read and become +0.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS (of real numbers also ACCUBLAS_CONJ_TRANS); herk and her2k: or
 *   ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A: n x k if trans is ACCUBLAS_NO_TRANS, else k x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, of order n, whose triangle uplo is overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_zherk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const double* alpha, const void* a, int64_t lda,
    const double* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_cherk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const float* alpha, const void* a, int64_t lda, const float* beta,
    void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_zherk_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const double* alpha, const void* a, int64_t lda,
    const double* beta, void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cherk_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const float* alpha, const void* a, int64_t lda, const float* beta,
    void* c, int64_t ldc, const accublas_options* options);

/** The triangle uplo of C = alpha A B^T + alpha B A^T + beta C (trans NO_TRANS) or alpha A^T B + alpha B^T A + beta C
 * (TRANS): one inner product of 2k terms.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS (of real numbers also ACCUBLAS_CONJ_TRANS); herk and her2k: or
 *   ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A: n x k if trans is ACCUBLAS_NO_TRANS, else k x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] b B, stored as A is; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, of order n, whose triangle uplo is overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsyr2k(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const double* alpha, const double* a, int64_t lda, const double* b,
    int64_t ldb, const double* beta, double* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_ssyr2k(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const float* alpha, const float* a, int64_t lda, const float* b,
    int64_t ldb, const float* beta, float* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_zsyr2k(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_csyr2k(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsyr2k_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const double* alpha, const double* a, int64_t lda, const double* b,
    int64_t ldb, const double* beta, double* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssyr2k_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const float* alpha, const float* a, int64_t lda, const float* b,
    int64_t ldb, const float* beta, float* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zsyr2k_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_csyr2k_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);

/** The triangle uplo of C = alpha A B^H + conj(alpha) B A^H + beta C (trans NO_TRANS) or alpha A^H B + conj(alpha) B^H
 * A + beta C (CONJ_TRANS), beta real, the diagonal as herk's.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS (of real numbers also ACCUBLAS_CONJ_TRANS); herk and her2k: or
 *   ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A: n x k if trans is ACCUBLAS_NO_TRANS, else k x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] b B, stored as A is; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, of order n, whose triangle uplo is overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_zher2k(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const double* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_cher2k(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const float* beta, void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_zher2k_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const double* beta, void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cher2k_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* b,
    int64_t ldb, const float* beta, void* c, int64_t ldc, const accublas_options* options);

/** B = alpha op(A) B (side LEFT) or alpha B op(A) (RIGHT), B m x n, A triangular of order m (LEFT) or n. The other
 * triangle of A is not read and makes no terms.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] side ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where A stands in the product
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] m rows of the result, at least 0
 * @param[in] n columns of the result, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, order of A)
 * @param[in,out] b B, m x n, overwritten by the result; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dtrmm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const double* alpha,
    const double* a, int64_t lda, double* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_strmm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const float* alpha,
    const float* a, int64_t lda, float* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_ztrmm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_ctrmm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dtrmm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const double* alpha,
    const double* a, int64_t lda, double* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_strmm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const float* alpha,
    const float* a, int64_t lda, float* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ztrmm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ctrmm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb, const accublas_options* options);

/** Solves op(A) X = alpha B (side LEFT) or X op(A) = alpha B (RIGHT) for X, which overwrites B; A as trmm's. Modes
 * native, dp and sp (a small residual, as BLAS's; no bound of an element), dot2, cr, dp:repro and sp:repro (cr's
 * values): every unknown, in the order of substitution, is the exact quotient of the exact alpha b - sum a x over the
 * unknowns before it, rounded once, whatever the blocking (docs/modes.md, "TRSM and TRSV"). The bound of the report is
 * that of this rounding.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] side ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where A stands in the product
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] m rows of the result, at least 0
 * @param[in] n columns of the result, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, order of A)
 * @param[in,out] b B, m x n, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dtrsm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const double* alpha,
    const double* a, int64_t lda, double* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_strsm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const float* alpha,
    const float* a, int64_t lda, float* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_ztrsm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_ctrsm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dtrsm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const double* alpha,
    const double* a, int64_t lda, double* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_strsm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const float* alpha,
    const float* a, int64_t lda, float* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ztrsm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ctrsm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb, const accublas_options* options);

/** The triangle uplo of C = alpha op(A) op(B) + beta C.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] transb op(B), as transa
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a A: op(A) is n x k; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] b B: op(B) is k x n; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, of order n, whose triangle uplo is overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgemmt(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const double* alpha, const double* a,
    int64_t lda, const double* b, int64_t ldb, const double* beta, double* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_sgemmt(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const float* alpha, const float* a,
    int64_t lda, const float* b, int64_t ldb, const float* beta, float* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_zgemmt(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const void* alpha, const void* a,
    int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_cgemmt(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const void* alpha, const void* a,
    int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgemmt_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const double* alpha, const double* a,
    int64_t lda, const double* b, int64_t ldb, const double* beta, double* c, int64_t ldc,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgemmt_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const float* alpha, const float* a,
    int64_t lda, const float* b, int64_t ldb, const float* beta, float* c, int64_t ldc,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgemmt_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const void* alpha, const void* a,
    int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgemmt_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose transa, accublas_transpose transb, int64_t n, int64_t k, const void* alpha, const void* a,
    int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc, const accublas_options* options);
/* clang-format on */

/* Batches of products. Every matrix has the sizes, layout and leading dimensions of GEMM. The modes are GEMM's, and
 * in those that define bits the results are those of calls one by one (in dp:repro T* belongs to the matrix).
 * batch_count = 0 is a quick return, a negative one is an error. The report speaks of all matrices together:
 * rejected and undecided are sums, bits, parts and bounds the largest. A target is judged by matrix, as in calls one
 * by one: those that miss it are as they were. */

/* Made from c_api/routines.py: batched */
/* clang-format off */
/** C_i = alpha op(A_i) op(B_i) + beta C_i for 0 <= i < batch_count, where A_i begins at a + i stride_a. Results may
 * lie in each other's gaps.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] transb op(B), as transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a the first A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] stride_a elements from one A to the next, any number, 0 and negative ones too
 * @param[in] b the first B; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] stride_b elements from one B to the next, any number, 0 and negative ones too
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c the first C, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] stride_c elements from one C to the next; no element may belong to two results
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgemm_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const double* alpha,
    const double* a, int64_t lda, int64_t stride_a, const double* b, int64_t ldb, int64_t stride_b, const double* beta,
    double* c, int64_t ldc, int64_t stride_c, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgemm_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const float* alpha,
    const float* a, int64_t lda, int64_t stride_a, const float* b, int64_t ldb, int64_t stride_b, const float* beta,
    float* c, int64_t ldc, int64_t stride_c, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgemm_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgemm_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgemm_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const double* alpha,
    const double* a, int64_t lda, int64_t stride_a, const double* b, int64_t ldb, int64_t stride_b, const double* beta,
    double* c, int64_t ldc, int64_t stride_c, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgemm_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const float* alpha,
    const float* a, int64_t lda, int64_t stride_a, const float* b, int64_t ldb, int64_t stride_b, const float* beta,
    float* c, int64_t ldc, int64_t stride_c, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgemm_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgemm_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count, const accublas_options* options);

/** C_i = alpha op(A_i) op(B_i) + beta C_i for 0 <= i < batch_count, where A_i begins at a[i]. The arrays of pointers
 * are where the matrices are, in host or in device memory, and are read when the call's turn on the stream comes. The
 * results must not overlap. Messages name an element of an array of pointers: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] transb op(B), as transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, A and B (x and y) are not read; where accublas_set_pointer_mode says
 * @param[in] a batch_count pointers to A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] b batch_count pointers to B; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c batch_count pointers to C, overwritten by the results; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgemm_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const double* alpha,
    const double* const* a, int64_t lda, const double* const* b, int64_t ldb, const double* beta, double* const* c,
    int64_t ldc, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgemm_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const float* alpha,
    const float* const* a, int64_t lda, const float* const* b, int64_t ldb, const float* beta, float* const* c,
    int64_t ldc, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgemm_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* const* a, int64_t lda, const void* const* b, int64_t ldb, const void* beta, void* const* c,
    int64_t ldc, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgemm_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* const* a, int64_t lda, const void* const* b, int64_t ldb, const void* beta, void* const* c,
    int64_t ldc, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgemm_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const double* alpha,
    const double* const* a, int64_t lda, const double* const* b, int64_t ldb, const double* beta, double* const* c,
    int64_t ldc, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgemm_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const float* alpha,
    const float* const* a, int64_t lda, const float* const* b, int64_t ldb, const float* beta, float* const* c,
    int64_t ldc, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgemm_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* const* a, int64_t lda, const void* const* b, int64_t ldb, const void* beta, void* const* c,
    int64_t ldc, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgemm_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* const* a, int64_t lda, const void* const* b, int64_t ldb, const void* beta, void* const* c,
    int64_t ldc, int64_t batch_count, const accublas_options* options);
/* clang-format on */

/* ---------------------------------------------------------------------------------------------------------------
 * Factorizations, solutions and inverses by them (docs/factorizations.md)
 *
 * LAPACK's routines in LAPACK's order of arguments, without its info where that only tells a bad argument, which is a
 * status here. A failed factorization is no error: the status is success, and *info is LAPACK's positive number.
 *
 * *info = 0 does not prove that A is regular or positive definite: certified solutions do (below).
 *
 * Modes: native (the real BLAS's LAPACK, or liblapack.so.3: without either ACCUBLAS_ERROR_NO_BLAS), dp and sp (LAPACK's
 * backward error, by whichever is fastest), cr, dp:repro and sp:repro (one answer: every element of a factor is the
 * exact one of the elements before it, rounded once, whatever the blocking); mode and target by family dgemm, or sgemm.
 * Others are ACCUBLAS_ERROR_MODE in options, and passed over elsewhere. All take operands in device memory too, ipiv
 * (int64_t) with them, but in native (ACCUBLAS_ERROR_UNAVAILABLE); info may be in either memory, and a call waits for
 * one in host memory. The report's bound is that of an element from those before it, for the modes that define bits;
 * its sizes are m, n and the number of pivots, or n, nrhs and n.
 * ------------------------------------------------------------------------------------------------------------ */

/* Made from c_api/routines.py: factorizations */
/* clang-format off */
/** A = U^H U (uplo UPPER) or L L^H (LOWER), A Hermitian positive definite of order n, of which that triangle is read
 * and becomes the factor; its diagonal is positive. *info = i: the leading minor of order i is not positive, or NaN,
 * and columns of L (rows of U) before the i-th are the factor's, in the modes that define bits the rest as it was.
 * After ACCUBLAS_ERROR_MEMORY A is as it was.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in,out] a A, overwritten by the factor; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dpotrf(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, double* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_spotrf(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, float* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_zpotrf(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_cpotrf(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dpotrf_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, double* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_spotrf_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, float* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zpotrf_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cpotrf_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info, const accublas_options* options);

/** Solves A X = B by the factor that potrf left in a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a the factor from potrf; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in,out] b B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dpotrs(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const double* a, int64_t lda, double* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_spotrs(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const float* a, int64_t lda, float* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_zpotrs(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, void* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_cpotrs(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, void* b, int64_t ldb);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dpotrs_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const double* a, int64_t lda, double* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_spotrs_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const float* a, int64_t lda, float* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zpotrs_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, void* b, int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cpotrs_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, void* b, int64_t ldb, const accublas_options* options);

/** Solves A X = B for a Hermitian positive definite A by Cholesky's factorization: potrf, then potrs if *info is 0.
 * Otherwise B is as it was.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in,out] a A, overwritten by the factor; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in,out] b B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dposv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, double* a, int64_t lda, double* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_sposv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, float* a, int64_t lda, float* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_zposv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_cposv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dposv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, double* a, int64_t lda, double* b, int64_t ldb, int64_t* info,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sposv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, float* a, int64_t lda, float* b, int64_t ldb, int64_t* info,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zposv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cposv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info,
    const accublas_options* options);

/** P A = L U with partial pivoting, A m x n: L (unit diagonal, not stored) and U overwrite A. *info = i: the pivot of
 * column i, the first such, is zero. After ACCUBLAS_ERROR_MEMORY A is as it was. In dp, sp and native a NaN in A may
 * become 0 below an infinite pivot, with info 0 (OpenBLAS 0.3.21).
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in,out] a A, overwritten by L and U; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[out] ipiv row exchanges, min(m, n) numbers from 1 on, where A is: row i and row ipiv[i - 1] changed places, i
 *   = 1, 2, ... in this order; in host or device memory
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgetrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    double* a, int64_t lda, int64_t* ipiv, int64_t* info);
ACCUBLAS_API accublas_status accublas_sgetrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    float* a, int64_t lda, int64_t* ipiv, int64_t* info);
ACCUBLAS_API accublas_status accublas_zgetrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, int64_t* ipiv, int64_t* info);
ACCUBLAS_API accublas_status accublas_cgetrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, int64_t* ipiv, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgetrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    double* a, int64_t lda, int64_t* ipiv, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgetrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    float* a, int64_t lda, int64_t* ipiv, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgetrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, int64_t* ipiv, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgetrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, int64_t* ipiv, int64_t* info, const accublas_options* options);

/** Solves op(A) X = B by the factors that getrf left in a and ipiv. ACCUBLAS_ERROR_ARGUMENT also if ipiv, in host
 * memory, names a row that A lacks.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS, which of real numbers is
 *   ACCUBLAS_TRANS
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a the factors from getrf; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] ipiv n numbers from getrf; in host or device memory
 * @param[in,out] b B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgetrs(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t n, int64_t nrhs, const double* a, int64_t lda, const int64_t* ipiv, double* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_sgetrs(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t n, int64_t nrhs, const float* a, int64_t lda, const int64_t* ipiv, float* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_zgetrs(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, const int64_t* ipiv, void* b, int64_t ldb);
ACCUBLAS_API accublas_status accublas_cgetrs(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, const int64_t* ipiv, void* b, int64_t ldb);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgetrs_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const double* a, int64_t lda, const int64_t* ipiv, double* b,
    int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgetrs_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const float* a, int64_t lda, const int64_t* ipiv, float* b,
    int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgetrs_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* a, int64_t lda, const int64_t* ipiv, void* b,
    int64_t ldb, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgetrs_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* a, int64_t lda, const int64_t* ipiv, void* b,
    int64_t ldb, const accublas_options* options);

/** Solves A X = B by LU with partial pivoting: getrf, then getrs if *info is 0. Otherwise B is as it was.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in,out] a A, overwritten by L and U; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[out] ipiv row exchanges, n numbers from 1 on, where A is: row i and row ipiv[i - 1] changed places, i = 1, 2,
 *   ... in this order; in host or device memory
 * @param[in,out] b B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgesv(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    double* a, int64_t lda, int64_t* ipiv, double* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_sgesv(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    float* a, int64_t lda, int64_t* ipiv, float* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_zgesv(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    void* a, int64_t lda, int64_t* ipiv, void* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_cgesv(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    void* a, int64_t lda, int64_t* ipiv, void* b, int64_t ldb, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgesv_ex(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    double* a, int64_t lda, int64_t* ipiv, double* b, int64_t ldb, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgesv_ex(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    float* a, int64_t lda, int64_t* ipiv, float* b, int64_t ldb, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgesv_ex(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    void* a, int64_t lda, int64_t* ipiv, void* b, int64_t ldb, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgesv_ex(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    void* a, int64_t lda, int64_t* ipiv, void* b, int64_t ldb, int64_t* info, const accublas_options* options);
/* clang-format on */

/* Inverses by factors, and what they are made of. They overwrite A, of order n. Errors: ACCUBLAS_ERROR_MEMORY, A is as
 * it was; ACCUBLAS_ERROR_C_UNDEFINED, a failure after the first write to A. In the modes that define bits they are made
 * of calls of trsm, trmm and gemv in cr (dp and sp on a GPU: of the same in dp and sp), which accublas_counters does
 * not count, and accublas_report tells of the whole; what the calls take of a GPU for host operands is decided as for
 * any call. On device operands trtri, potri and getri wait for info wherever that lies, and trtri for a number of every
 * 64 columns, so that no graph can hold them; lauum waits for nothing. */

/* Made from c_api/routines.py: inverses */
/* clang-format off */
/** X with A X = 1 overwrites the triangle uplo of A, which is triangular. The other triangle is neither read nor
 * written, and of a unit diagonal (diag UNIT) not the diagonal either. *info = i: element i of the diagonal, the first
 * such, is zero, and A is as it was.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] n order of A, at least 0
 * @param[in,out] a A, overwritten by X; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dtrtri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, double* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_strtri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, float* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_ztrtri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, void* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_ctrtri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, void* a, int64_t lda, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dtrtri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, double* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_strtri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, float* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ztrtri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, void* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ctrtri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_diag diag, int64_t n, void* a, int64_t lda, int64_t* info, const accublas_options* options);

/** U U^H (uplo UPPER) or L^H L (LOWER) of the triangle uplo of A. The triangle of the product overwrites it.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in,out] a U or L, overwritten by the product; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dlauum(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, double* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_slauum(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, float* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_zlauum(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda);
ACCUBLAS_API accublas_status accublas_clauum(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dlauum_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, double* a, int64_t lda, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_slauum_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, float* a, int64_t lda, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zlauum_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_clauum_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, const accublas_options* options);

/** The inverse by the factor that potrf left in the triangle uplo of A, which the triangle of the inverse overwrites:
 * trtri, then lauum if *info is 0.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in,out] a the factor from potrf, overwritten by the inverse; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dpotri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, double* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_spotri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, float* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_zpotri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info);
ACCUBLAS_API accublas_status accublas_cpotri(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dpotri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, double* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_spotri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, float* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zpotri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cpotri_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* a, int64_t lda, int64_t* info, const accublas_options* options);

/** The inverse by the factors that getrf left in a and ipiv, which overwrites a. *info = i: the pivot of column i, the
 * first such, is zero, and A is as it was.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] n order of A, at least 0
 * @param[in,out] a the factors from getrf, overwritten by the inverse; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] ipiv n numbers from getrf; in host or device memory
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgetri(accublas_context* ctx, accublas_layout layout, int64_t n, double* a,
    int64_t lda, const int64_t* ipiv, int64_t* info);
ACCUBLAS_API accublas_status accublas_sgetri(accublas_context* ctx, accublas_layout layout, int64_t n, float* a,
    int64_t lda, const int64_t* ipiv, int64_t* info);
ACCUBLAS_API accublas_status accublas_zgetri(accublas_context* ctx, accublas_layout layout, int64_t n, void* a,
    int64_t lda, const int64_t* ipiv, int64_t* info);
ACCUBLAS_API accublas_status accublas_cgetri(accublas_context* ctx, accublas_layout layout, int64_t n, void* a,
    int64_t lda, const int64_t* ipiv, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgetri_ex(accublas_context* ctx, accublas_layout layout, int64_t n, double* a,
    int64_t lda, const int64_t* ipiv, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgetri_ex(accublas_context* ctx, accublas_layout layout, int64_t n, float* a,
    int64_t lda, const int64_t* ipiv, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgetri_ex(accublas_context* ctx, accublas_layout layout, int64_t n, void* a,
    int64_t lda, const int64_t* ipiv, int64_t* info, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgetri_ex(accublas_context* ctx, accublas_layout layout, int64_t n, void* a,
    int64_t lda, const int64_t* ipiv, int64_t* info, const accublas_options* options);
/* clang-format on */

/* ---------------------------------------------------------------------------------------------------------------
 * QR factorization and least squares (docs/factorizations.md)
 *
 * LAPACK's routines in LAPACK's order of arguments, in the modes of the factorizations: cr, dp:repro and sp:repro have
 * one answer, panels of 32 reflectors whose products, solutions and norms are those of cr. Matrices are general, in
 * host or device memory, tau with them; native is ACCUBLAS_ERROR_UNAVAILABLE for the latter. On device operands geqrf
 * in the modes with one answer, and gels in every mode, wait for numbers of every column, so that no graph can hold
 * them; ormqr in the modes with one answer waits for whether C has numbers of 2^960 (single precision: 2^64) or more,
 * which in a graph it takes to be smaller; geqrf and ormqr in dp and sp, and orgqr, wait for nothing. info of gels may
 * be in either memory. The report's sizes are m, n and the number of reflectors (gels: nrhs); it has no bound of an
 * element, so no target can be set. Errors: ACCUBLAS_ERROR_MEMORY: what the call overwrites is as it was;
 * ACCUBLAS_ERROR_C_UNDEFINED: memory was missing later, and it is not.
 * ------------------------------------------------------------------------------------------------------------ */

/* Made from c_api/routines.py: orthogonal */
/* clang-format off */
/** A = Q R, A m x n: R, min(m, n) x n and upper triangular with a real diagonal, overwrites the upper triangle of A.
 * Below it stand the vectors of k = min(m, n) reflectors H_i = I - tau_i v_i v_i^H, Q = H_1 H_2 ... H_k: v_i has
 * zeros, 1 in row i (not stored), then column i.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in,out] a A, overwritten by R and the reflectors; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in,out] tau the factors of the reflectors, min(m, n) numbers; in host or device memory
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgeqrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    double* a, int64_t lda, double* tau);
ACCUBLAS_API accublas_status accublas_sgeqrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    float* a, int64_t lda, float* tau);
ACCUBLAS_API accublas_status accublas_zgeqrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, void* tau);
ACCUBLAS_API accublas_status accublas_cgeqrf(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, void* tau);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgeqrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    double* a, int64_t lda, double* tau, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgeqrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    float* a, int64_t lda, float* tau, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgeqrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, void* tau, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgeqrf_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, void* tau, const accublas_options* options);

/** The first n columns of Q, m x n with n <= m, by the k <= n reflectors that geqrf left in the columns of a and in
 * tau. They overwrite a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of Q, at least 0
 * @param[in] n columns of Q, from 0 to m
 * @param[in] k reflectors, from 0 to n
 * @param[in,out] a the vectors of the reflectors, overwritten by Q, m x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] tau the factors of the k reflectors, k numbers, from geqrf; in host or device memory
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dorgqr(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, double* a, int64_t lda, const double* tau);
ACCUBLAS_API accublas_status accublas_sorgqr(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, float* a, int64_t lda, const float* tau);
ACCUBLAS_API accublas_status accublas_zungqr(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, void* a, int64_t lda, const void* tau);
ACCUBLAS_API accublas_status accublas_cungqr(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, void* a, int64_t lda, const void* tau);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dorgqr_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, double* a, int64_t lda, const double* tau, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sorgqr_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, float* a, int64_t lda, const float* tau, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zungqr_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, void* a, int64_t lda, const void* tau, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cungqr_ex(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    int64_t k, void* a, int64_t lda, const void* tau, const accublas_options* options);

/** C = op(Q) C (side LEFT) or C op(Q) (RIGHT), C m x n, Q of order m or n by k reflectors in the columns of a, which
 * has as many rows.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] side ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where Q stands in the product
 * @param[in] trans ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS of real numbers, ACCUBLAS_CONJ_TRANS of complex ones
 * @param[in] m rows of C, at least 0
 * @param[in] n columns of C, at least 0
 * @param[in] k reflectors, from 0 to the order of Q
 * @param[in] a the vectors of the reflectors, from geqrf; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, order of Q) column-major, max(1, k) row-major
 * @param[in] tau the factors of the k reflectors, k numbers, from geqrf; in host or device memory
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dormqr(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* tau,
    double* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_sormqr(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* tau, float* c,
    int64_t ldc);
ACCUBLAS_API accublas_status accublas_zunmqr(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const void* a, int64_t lda, const void* tau, void* c,
    int64_t ldc);
ACCUBLAS_API accublas_status accublas_cunmqr(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const void* a, int64_t lda, const void* tau, void* c,
    int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dormqr_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* tau,
    double* c, int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sormqr_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* tau, float* c,
    int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zunmqr_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const void* a, int64_t lda, const void* tau, void* c,
    int64_t ldc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cunmqr_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_transpose trans, int64_t m, int64_t n, int64_t k, const void* a, int64_t lda, const void* tau, void* c,
    int64_t ldc, const accublas_options* options);

/** Least squares and least norms with op(A) of full rank, A m x n. For more equations than unknowns X makes the norms
 * of B - op(A) X least, else X is the solution of least norm of op(A) X = B. The right-hand sides are the first rows
 * of B, and X overwrites as many rows as it has (of least squares the others become parts of Q^H B). A is overwritten
 * by geqrf's result, a wide A by that of A^H, conjugated and transposed (which is LAPACK's LQ factorization). If A is
 * zero, or m, n or nrhs is, B becomes zero and A stays. *info = i: element i of the diagonal of R, the first such, is
 * zero, and X is not computed.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, or ACCUBLAS_TRANS of real numbers, ACCUBLAS_CONJ_TRANS of complex ones
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in,out] a A, overwritten by its factorization; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in,out] b B, max(m, n) x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, m, n) column-major, max(1, nrhs) row-major
 * @param[out] info 0, or the positive number that is described above; as it was if the call fails; in host or device
 *   memory, not NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgels(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, double* a, int64_t lda, double* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_sgels(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, float* a, int64_t lda, float* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_zgels(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info);
ACCUBLAS_API accublas_status accublas_cgels(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgels_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, double* a, int64_t lda, double* b, int64_t ldb, int64_t* info,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgels_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, float* a, int64_t lda, float* b, int64_t ldb, int64_t* info,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgels_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgels_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, int64_t nrhs, void* a, int64_t lda, void* b, int64_t ldb, int64_t* info,
    const accublas_options* options);
/* clang-format on */

/* ---------------------------------------------------------------------------------------------------------------
 * Solutions with proved error bounds (docs/certified.md)
 * ------------------------------------------------------------------------------------------------------------ */

/** Why a solution is not certified. */
typedef int32_t accublas_reason;
enum {
  ACCUBLAS_REASON_NONE = 0,            /**< it is */
  ACCUBLAS_REASON_NOT_FINITE = 1,      /**< an infinity or a NaN in A, or in those columns of B */
  ACCUBLAS_REASON_SINGULAR = 2,        /**< a pivot of A is zero; A may be singular or too ill-conditioned */
  ACCUBLAS_REASON_ILL_CONDITIONED = 3, /**< no inverse that was tried proves A to be regular */
  ACCUBLAS_REASON_OVERFLOW = 4         /**< an unknown or its radius is beyond the largest number */
};

/** How a solution was certified. Set struct_size before the call; fields past it are not written. */
typedef struct accublas_certificate_t {
  size_t struct_size;        /**< sizeof(accublas_certificate_t) */
  accublas_reason reason;    /**< ACCUBLAS_REASON_NONE where every radius is finite */
  int32_t positive_definite; /**< 1: posv_certified has proved A to be positive definite; 0: nothing is known */
  int32_t parts;             /**< numbers that an element of the approximate inverse R was held in, 1 or 2 */
  int64_t iterations;        /**< steps of refinement, the most of a block of right-hand sides */
  double condition;   /**< estimate of the condition number, in the row sum norm, of A with scaled rows and columns */
  double contraction; /**< proved bound of a norm of I - R A, or infinity; below 1: A is regular */
} accublas_certificate_t;

/* The mode, that of the factorizations, makes the approximate inverse, on which no proof rests: in cr, dp:repro and
 * sp:repro X and the radii have the same bits everywhere. Operands are all in host memory or all on one device, whose
 * stream must not be captured, since the call waits. Five matrices of the size of A (complex: 16) are taken from the
 * system, or from the pool of the GPU that computes LU. accublas_report speaks of the whole: its sizes are n, nrhs and
 * n, its backend and engine are LU's, and its bounds are infinite, since the radii are the solution's. The calls that
 * the solution is made of are not counted. */

/* Made from c_api/routines.py: certified */
/* clang-format off */
/** Solves A X = B with a bound of every error: abs(x - exact) <= radius for every element, proved for A and B as they
 * are given. Complex types: the real part of a radius bounds the error of the real part of x, the imaginary part that
 * of its imaginary part. A and B are only read; X, the radii and A must not overlap. If a radius cannot be proved it
 * is infinite, X is an approximation, the status is ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate tells the
 * reason. After another error X and the radii are as they were.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] b B, n x nrhs; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in,out] x X, n x nrhs; in host or device memory
 * @param[in] ldx leading dimension of x, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in,out] radius bounds of the errors of X, n x nrhs; in host or device memory
 * @param[in] ldr leading dimension of radius, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in,out] certificate how the solution was certified, in host memory with struct_size set, or NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgesv_certified(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const double* a, int64_t lda, const double* b, int64_t ldb, double* x, int64_t ldx, double* radius,
    int64_t ldr, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_sgesv_certified(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const float* a, int64_t lda, const float* b, int64_t ldb, float* x, int64_t ldx, float* radius,
    int64_t ldr, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_zgesv_certified(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx, void* radius,
    int64_t ldr, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_cgesv_certified(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx, void* radius,
    int64_t ldr, accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgesv_certified_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const double* a, int64_t lda, const double* b, int64_t ldb, double* x, int64_t ldx, double* radius,
    int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgesv_certified_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const float* a, int64_t lda, const float* b, int64_t ldb, float* x, int64_t ldx, float* radius,
    int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgesv_certified_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx, void* radius,
    int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgesv_certified_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx, void* radius,
    int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);

/** gesv_certified for a Hermitian A, of which the triangle uplo is read. The radii are proved whether or not A is
 * positive definite; certificate->positive_definite tells whether that is proved, too.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] b B, n x nrhs; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in,out] x X, n x nrhs; in host or device memory
 * @param[in] ldx leading dimension of x, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in,out] radius bounds of the errors of X, n x nrhs; in host or device memory
 * @param[in] ldr leading dimension of radius, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in,out] certificate how the solution was certified, in host memory with struct_size set, or NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dposv_certified(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const double* a, int64_t lda, const double* b, int64_t ldb, double* x,
    int64_t ldx, double* radius, int64_t ldr, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_sposv_certified(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const float* a, int64_t lda, const float* b, int64_t ldb, float* x,
    int64_t ldx, float* radius, int64_t ldr, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_zposv_certified(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x,
    int64_t ldx, void* radius, int64_t ldr, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_cposv_certified(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x,
    int64_t ldx, void* radius, int64_t ldr, accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dposv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const double* a, int64_t lda, const double* b, int64_t ldb, double* x,
    int64_t ldx, double* radius, int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sposv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const float* a, int64_t lda, const float* b, int64_t ldb, float* x,
    int64_t ldx, float* radius, int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zposv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x,
    int64_t ldx, void* radius, int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cposv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x,
    int64_t ldx, void* radius, int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
/* clang-format on */

/* ---------------------------------------------------------------------------------------------------------------
 * Multiple-precision arrays (docs/multiple-precision.md)
 *
 * An array holds `length` numbers of `precision` bits, 64 .. 8192, in a residue number system. A finite nonzero
 * number is (-1)^s X 2^(e - precision), X an integer, 2^(precision-1) <= X < 2^precision, abs(e) <= 2^30 - 1 (MPFR's
 * convention and default range).
 * There are signed zeros, signed infinities and one NaN; equal numbers have equal bits. Wherever a
 * value must be rounded, it is rounded once, to nearest even; beyond the range of e it becomes infinity, or the least
 * number or a zero of its sign.
 *
 * Vectors are (array, offset, increment), matrices (array, offset, leading dimension), column-major; offsets and
 * lengths count elements from 0. Blocks outside of the array, sizes below 0 and leading dimensions below max(1, m) are
 * ACCUBLAS_ERROR_ARGUMENT. Sizes of 0 are allowed: nothing is read or written then. With a failing status nothing has
 * been written (but ACCUBLAS_ERROR_C_UNDEFINED).
 *
 * An array lives in host or in device memory. Transfers to and from the user's memory work in both places and are final
 * at return. An array serves one thread at a time, like a context.
 * ------------------------------------------------------------------------------------------------------------ */

/** Opaque array of multiple-precision numbers. */
typedef struct accublas_mp_array accublas_mp_array;

/** Where an array lives. */
typedef int32_t accublas_mp_place;
enum {
  ACCUBLAS_MP_HOST = 0,  /**< host memory */
  ACCUBLAS_MP_DEVICE = 1 /**< the memory of a GPU */
};

/** Classes of numbers. */
typedef int32_t accublas_mp_class_t;
enum {
  ACCUBLAS_MP_ZERO = 0,     /**< a zero of either sign */
  ACCUBLAS_MP_FINITE = 1,   /**< a finite nonzero number */
  ACCUBLAS_MP_INFINITE = 2, /**< an infinity of either sign */
  ACCUBLAS_MP_NAN = 3       /**< no number */
};

/** Exponents that stand for what is no finite nonzero number, where numbers travel as limbs. */
#define ACCUBLAS_MP_EXPONENT_ZERO INT64_MIN
#define ACCUBLAS_MP_EXPONENT_INFINITY (INT64_MIN + 1) /**< of an infinity */
#define ACCUBLAS_MP_EXPONENT_NAN (INT64_MIN + 2)      /**< of NaN */

/** An array of `length` zeros (+0) in host memory. *array is NULL on failure. */
ACCUBLAS_API accublas_status accublas_mp_create(accublas_context* ctx, int32_t precision, int64_t length,
                                                accublas_mp_array** array);
/** Waits for calls that use it and frees it. NULL is allowed and does nothing. */
ACCUBLAS_API accublas_status accublas_mp_destroy(accublas_mp_array* array);
/** Bits, number of elements, an accublas_mp_place, bytes of all its forms; 0 (host) for NULL. */
ACCUBLAS_API int32_t accublas_mp_precision(const accublas_mp_array* array);
ACCUBLAS_API int64_t accublas_mp_length(const accublas_mp_array* array);
ACCUBLAS_API int32_t accublas_mp_get_place(const accublas_mp_array* array);
ACCUBLAS_API int64_t accublas_mp_bytes(const accublas_mp_array* array);
/** Moves the array to host memory, or to the memory of the context's device (ACCUBLAS_ERROR_NO_DEVICE without one).
 * Where it is there already, nothing happens. An aligned form is dropped. On failure the array is where and as it was.
 */
ACCUBLAS_API accublas_status accublas_mp_move(accublas_context* ctx, accublas_mp_array* array, accublas_mp_place place);

/* In and out. Blocks are m x n, column-major, at `offset` with leading dimension ld >= max(1, m) in the array; in the
 * user's memory lda >= max(1, m). A vector of n elements with increment inc > 0 is the block 1 x n with ld =
 * inc. */

/** Doubles: exact on the way in (also subnormals, infinities, NaN), rounded once to nearest even on the way out
 * (gradual underflow; every NaN is the positive quiet one). */
ACCUBLAS_API accublas_status accublas_mp_set_double(accublas_context* ctx, accublas_mp_array* array, int64_t offset,
                                                    int64_t ld, int64_t m, int64_t n, const double* values,
                                                    int64_t lda);
ACCUBLAS_API accublas_status accublas_mp_get_double(accublas_context* ctx, const accublas_mp_array* array,
                                                    int64_t offset, int64_t ld, int64_t m, int64_t n, double* values,
                                                    int64_t lda);
/** Limbs, GMP's way: number t = i + j m of the block is (-1)^signs[t] N 2^exponents[t], N the integer of the `size`
 * limbs at limbs[t size], least significant first. On the way in N need not be normalised and is rounded where it is
 * longer than the precision; N = 0 is a zero of the sign. The codes ACCUBLAS_MP_EXPONENT_* name zeros, infinities and
 * NaN, whose limbs are not read. signs: NULL is all positive. On the way out size >= ceil(precision / 64), N = X,
 * exponents[t] = e - precision or a code; it is exact, signs may be NULL if they do not matter. ACCUBLAS_ERROR_ARGUMENT
 * for a size too small. */
ACCUBLAS_API accublas_status accublas_mp_set_limbs(accublas_context* ctx, accublas_mp_array* array, int64_t offset,
                                                   int64_t ld, int64_t m, int64_t n, const uint64_t* limbs,
                                                   int64_t size, const int64_t* exponents, const int32_t* signs);
ACCUBLAS_API accublas_status accublas_mp_get_limbs(accublas_context* ctx, const accublas_mp_array* array,
                                                   int64_t offset, int64_t ld, int64_t m, int64_t n, uint64_t* limbs,
                                                   int64_t size, int64_t* exponents, int32_t* signs);
/** One element from a string as MPFR's mpfr_strtofr reads it, correctly rounded: base 10, 16, or 0 (16 after 0x, else
 * 10); decimal "-1.25e-3", hexadecimal "0x1.8p+4" (exponent of 2) or, with base 16, "1.8@2" (of 16), "inf", "nan". The
 * whole string must be a number, up to blanks around it: else ACCUBLAS_ERROR_FORMAT. ACCUBLAS_ERROR_UNAVAILABLE in a
 * build without MPFR. Out of memory GMP, in whose memory MPFR reads, ends the program, as in accublas_mp_get_string. */
ACCUBLAS_API accublas_status accublas_mp_set_string(accublas_context* ctx, accublas_mp_array* array, int64_t index,
                                                    const char* text, int32_t base);
/** One element as a string in base 10 or 16, one digit before the point, `digits` significant ones, correctly rounded;
 * 0: as many as give the same number when read again. Decimal exponents follow "e", hexadecimal ones (of 2) "p", with
 * "0x" in front. *needed (may be NULL) is the size with the terminating NUL; ACCUBLAS_ERROR_ARGUMENT where `size` is
 * less and text is not NULL. ACCUBLAS_ERROR_UNAVAILABLE in a build without MPFR. Out of memory GMP, in
 * whose memory MPFR writes the digits, ends the program (abort): no status comes back. */
ACCUBLAS_API accublas_status accublas_mp_get_string(accublas_context* ctx, const accublas_mp_array* array,
                                                    int64_t index, int32_t base, int32_t digits, char* text,
                                                    size_t size, size_t* needed);
/** Prints a block, an element a line, columns one after the other: accublas_mp_get_string with its base and digits.
 * ACCUBLAS_ERROR_UNAVAILABLE in a build without MPFR. */
ACCUBLAS_API accublas_status accublas_mp_print(accublas_context* ctx, FILE* stream, const accublas_mp_array* array,
                                               int64_t offset, int64_t ld, int64_t m, int64_t n, int32_t base,
                                               int32_t digits);
#if defined(MPFR_VERSION)
/** One element from and to an mpfr_t, correctly rounded to the destination's precision and range: on the way out to
 * MPFR's present range of exponents, which matters nowhere else, nor does MPFR's state change. Declared where <mpfr.h>
 * comes before this header. ACCUBLAS_ERROR_UNAVAILABLE in a build without MPFR. */
ACCUBLAS_API accublas_status accublas_mp_set_mpfr(accublas_context* ctx, accublas_mp_array* array, int64_t index,
                                                  mpfr_srcptr value);
ACCUBLAS_API accublas_status accublas_mp_get_mpfr(accublas_context* ctx, const accublas_mp_array* array, int64_t index,
                                                  mpfr_ptr value);
#endif
/** Copies an m x n block between arrays in one place, rounding where the precision of `to` is smaller
 * (accublas_mp_copy: ACCUBLAS_ERROR_PRECISION where it differs at all). Blocks of one array must not overlap.
 * ACCUBLAS_ERROR_POINTERS for arrays in different places. */
ACCUBLAS_API accublas_status accublas_mp_copy(accublas_context* ctx, int64_t m, int64_t n,
                                              const accublas_mp_array* from, int64_t offset_from, int64_t ld_from,
                                              accublas_mp_array* to, int64_t offset_to, int64_t ld_to);
ACCUBLAS_API accublas_status accublas_mp_convert(accublas_context* ctx, int64_t m, int64_t n,
                                                 const accublas_mp_array* from, int64_t offset_from, int64_t ld_from,
                                                 accublas_mp_array* to, int64_t offset_to, int64_t ld_to);

/* Queries. They use sign, exponent and the interval evaluation of X / M; only a comparison whose intervals overlap
 * reconstructs. */

/** *result = -1, 0, 1 as x < y, x = y, x > y; 2 where one is NaN. Precisions may differ. +0 = -0. */
ACCUBLAS_API accublas_status accublas_mp_compare(accublas_context* ctx, const accublas_mp_array* x, int64_t index_x,
                                                 const accublas_mp_array* y, int64_t index_y, int32_t* result);
/** *result = the class of the number at `index`, an accublas_mp_class_t. */
ACCUBLAS_API accublas_status accublas_mp_classify(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                                  int32_t* result);
/** *result = -1, 0, 1 (zeros and NaN: 0). */
ACCUBLAS_API accublas_status accublas_mp_sign(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                              int32_t* result);
/** e with 2^(e-1) <= abs < 2^e, or a code ACCUBLAS_MP_EXPONENT_*. */
ACCUBLAS_API accublas_status accublas_mp_exponent(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                                  int64_t* exponent);
/** The interval evaluation: *lower <= X / M <= *upper, M the product of the element's moduli; 0, 0 but for finite
 * nonzero numbers. */
ACCUBLAS_API accublas_status accublas_mp_evaluation(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                                    double* lower, double* upper);

/** Builds the aligned form of the m x n matrix at `offset`: common exponents of rows and columns and residues of the
 * products' range, in which accublas_mp_gemv (N and T) and accublas_mp_gemm with exactly this matrix run at memory
 * speed. It is kept beside the array until one of its elements is written, the array is moved or destroyed, or another
 * is built. `spread`, 0 .. 64, or -1 for 64: how many bits the exponents of the vectors may spread (after scaling)
 * before the form must grow, which takes a call as long as this one. Without this call every routine aligns what it
 * needs and forgets it. */
ACCUBLAS_API accublas_status accublas_mp_align(accublas_context* ctx, accublas_mp_array* array, int64_t offset,
                                               int64_t lda, int64_t m, int64_t n, int32_t spread);
/** Drops the aligned form, if there is one. */
ACCUBLAS_API accublas_status accublas_mp_drop_aligned(accublas_context* ctx, accublas_mp_array* array);

/* Routines. All operands have one precision (else ACCUBLAS_ERROR_PRECISION) and one place (else
 * ACCUBLAS_ERROR_POINTERS). Every element of the result is the exact value of alpha S + beta c, S the sum of products,
 * rounded once. S is NaN if a factor is NaN, a term is Inf times 0 or infinite terms have both signs; alpha S + beta c
 * follows in extended reals; an exact zero is +0. alpha = 0 or no terms: A and B are not read, and the result is beta c
 * (zeros signed as IEEE has it). beta = 0: C is not read, and is no term. alpha and beta are elements of arrays; NULL
 * stands for alpha = 1 and beta = 0 (not in accublas_mp_scal). The output must share no element with another operand:
 * ACCUBLAS_ERROR_ARGUMENT. Increments may be negative (they start at the far end, as in BLAS), not 0. On a device calls
 * may return before they are done; accublas_sync waits. */

/** y = alpha op(A) x + beta y; A is m x n at offset_a, lda >= max(1, m). */
ACCUBLAS_API accublas_status accublas_mp_gemv(accublas_context* ctx, accublas_transpose trans, int64_t m, int64_t n,
                                              const accublas_mp_array* alpha, int64_t index_alpha, accublas_mp_array* a,
                                              int64_t offset_a, int64_t lda, const accublas_mp_array* x,
                                              int64_t offset_x, int64_t incx, const accublas_mp_array* beta,
                                              int64_t index_beta, accublas_mp_array* y, int64_t offset_y, int64_t incy);
/** result[index_result] = sum_i x_i y_i, i < n; n = 0 gives +0. */
ACCUBLAS_API accublas_status accublas_mp_dot(accublas_context* ctx, int64_t n, const accublas_mp_array* x,
                                             int64_t offset_x, int64_t incx, const accublas_mp_array* y,
                                             int64_t offset_y, int64_t incy, accublas_mp_array* result,
                                             int64_t index_result);
/** y = alpha x + y; alpha = 0 leaves y as it is. */
ACCUBLAS_API accublas_status accublas_mp_axpy(accublas_context* ctx, int64_t n, const accublas_mp_array* alpha,
                                              int64_t index_alpha, const accublas_mp_array* x, int64_t offset_x,
                                              int64_t incx, accublas_mp_array* y, int64_t offset_y, int64_t incy);
/** x = alpha x, element by element the product of IEEE's arithmetic; alpha = 0 gives +0, and x is not read. */
ACCUBLAS_API accublas_status accublas_mp_scal(accublas_context* ctx, int64_t n, const accublas_mp_array* alpha,
                                              int64_t index_alpha, accublas_mp_array* x, int64_t offset_x,
                                              int64_t incx);
/** C = alpha op(A) op(B) + beta C; op(A) is m x k, op(B) k x n, C m x n, column-major. */
ACCUBLAS_API accublas_status accublas_mp_gemm(accublas_context* ctx, accublas_transpose transa,
                                              accublas_transpose transb, int64_t m, int64_t n, int64_t k,
                                              const accublas_mp_array* alpha, int64_t index_alpha, accublas_mp_array* a,
                                              int64_t offset_a, int64_t lda, const accublas_mp_array* b,
                                              int64_t offset_b, int64_t ldb, const accublas_mp_array* beta,
                                              int64_t index_beta, accublas_mp_array* c, int64_t offset_c, int64_t ldc);

/** Error bounds of the published multiple-precision GEMV (Isupov and Knyazkov 2020, equations 16 to 19), for n terms
 * and moduli of product M = 2^log2_m; their arithmetic of p bits takes log2_m = 2 p + 2. With u = 4 / sqrt(M) they are
 * the factor (n + 2) u / (1 - (n + 2) u), which accublas_mp_published_bound returns (no less than 2^-1074), times the
 * magnitude sum_i (abs(beta y_i) + sum_j abs(alpha a_ij x_j)). The other two take and return binary logarithms, since
 * the bounds leave the range of doubles from 1075 bits on: (16), (18) of the error sum_i abs(y*_i - y_i), and (17),
 * (19) of that error relative to the exact sum_i abs(y*_i). Results of accublas_mp_gemv, N and T, are within half a
 * unit in the last place, far below. Infinity where the bounds do not apply. What is returned is never below the exact
 * value for the given numbers. */
ACCUBLAS_API double accublas_mp_published_bound(int64_t n, double log2_m);
ACCUBLAS_API double accublas_mp_log2_absolute_bound(int64_t n, double log2_m, double log2_magnitude);
ACCUBLAS_API double accublas_mp_log2_relative_bound(int64_t n, double log2_m, double log2_magnitude, double log2_exact);

/** A report on the last routine, alignment or move of multiple-precision arrays on a context. Set struct_size before
 * asking; fields past it are not written. */
typedef struct accublas_mp_report_t {
  size_t struct_size;       /**< sizeof(accublas_mp_report_t) */
  char routine[16];         /**< "mp_gemv", ... */
  char backend[8];          /**< "cpu", "cuda" */
  char device[64];          /**< device or instruction set */
  int64_t m;                /**< rows of C */
  int64_t n;                /**< columns of C */
  int64_t k;                /**< terms of a sum */
  int32_t precision;        /**< bits */
  int32_t element_moduli;   /**< moduli of an element */
  int32_t moduli;           /**< moduli of the products (the most, where several) */
  int32_t spread;           /**< bits of spread that row and column scaling left in A */
  int32_t bands;            /**< most bands of an output; 1: none was split */
  int32_t threads;          /**< threads of accublas's own pool that the call was planned for */
  int64_t outputs_in_bands; /**< outputs that were summed in more than one band */
  int64_t aligned_bytes;    /**< bytes of the aligned form of A */
  int64_t copied_bytes;     /**< bytes that a move copied between host and device; the other fields are 0 then */
  int32_t aligned_kept;     /**< 1: the kept aligned form of A was used */
  int32_t level;            /**< the report level that the call ran under */
  double ms_total;          /**< milliseconds, level >= 1 */
  double ms_align;          /**< aligning A and B; level 2 */
  double ms_product;        /**< residue products; level 2 */
  double ms_finish;         /**< reconstruction, alpha, beta, rounding, residues of the results; level 2 */
} accublas_mp_report_t;

/** Copies the report on the last accublas_mp_* routine, alignment or move on the context. Waits for it if it runs on a
 * device. */
ACCUBLAS_API accublas_status accublas_mp_report(accublas_context* ctx, accublas_mp_report_t* report);

#ifdef __cplusplus
}
#endif

#endif
