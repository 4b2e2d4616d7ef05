/* accublas: a BLAS that states how accurate its answer is and keeps its word.
 *
 * Every routine computes the answer that an accuracy *mode* defines; an *engine* is only a way to compute it.
 * In the bit-defined modes (fixed:T, slices:D, dot2, cr, and dp, sp with `reproducible`) the bits never depend on
 * threads, blocking, engine, vector width, device or run. README.md holds the table of modes, docs/modes.md the
 * exact definitions.
 *
 * Conventions of this header
 *   - Sizes, leading dimensions, strides and increments are int64_t and count elements, never bytes.
 *   - After the context the arguments have CBLAS's order, and enums have CBLAS's values. alpha and beta are passed by
 *     pointer: accublas_set_pointer_mode says whether they (and scalar results) are in host or device memory.
 *   - A context serves one thread and one stream at a time. NULL names the calling thread's default context.
 *   - Every function that can fail returns an accublas_status; 0 is success. accublas_last_error says what went wrong,
 *     in one line.
 *   - A caller needs 64 KiB of stack. An engine that calls OpenBLAS runs on a separate stack, on the caller's thread,
 *     if the caller has less than 192 KiB left (LAPACK's routines: 6 MiB) or runs on another stack than its thread's
 *     (a coroutine). A call that a GPU computes does so if less than 512 KiB are left. The separate stack takes 8 MiB
 *     of addresses. If there is no memory for it, nothing is written: another engine of the mode computes the call, or
 *     the call returns ACCUBLAS_ERROR_MEMORY. The stacks of the library's threads do not depend on the program's
 *     default.
 *   - The stride of a dimension with at most one element is never used, and may be any number.
 *   - alpha = 0 or k = 0: A and B are not read. beta = 0: C (y) is not read.
 *   - A result must not share an element with an operand or with another result; such a call returns
 *     ACCUBLAS_ERROR_ARGUMENT and writes nothing. Operands that are only read may be the same, and matrices of one
 *     array may interleave. Elements that are not read (alpha = 0 in host memory, k = 0, the other triangle) do not
 *     count. Three cases are not checked: two operands of unequal strides with gaps along both dimensions, matrices of
 *     a batch that are not neighbours in memory, and a batch whose array of pointers is in device memory.
 *   - Only the verbose mode, the failure handler and accublas_mp_print print anything.
 */
#ifndef ACCUBLAS_H
#define ACCUBLAS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCUBLAS_VERSION_MAJOR 0 /**< the major version of this header */
#define ACCUBLAS_VERSION_MINOR 1 /**< the minor version of this header */
#define ACCUBLAS_VERSION_PATCH 0 /**< the patch level of this header */

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
  ACCUBLAS_SUCCESS = 0,              /**< the result is the one that the mode defines */
  ACCUBLAS_ERROR_ARGUMENT = 1,       /**< a bad argument; the message names it; nothing was written */
  ACCUBLAS_ERROR_MODE = 2,           /**< unknown mode word, or one that this routine lacks */
  ACCUBLAS_ERROR_ENGINE = 3,         /**< unknown engine, or one that cannot compute this mode */
  ACCUBLAS_ERROR_UNAVAILABLE = 4,    /**< not available in this build or on this device; the message names what is */
  ACCUBLAS_ERROR_MEMORY = 5,         /**< out of memory; C is as it was */
  ACCUBLAS_ERROR_ACCURACY = 6,       /**< the accuracy target cannot be promised; C is as it was */
  ACCUBLAS_ERROR_POINTERS = 7,       /**< host and device operands mixed */
  ACCUBLAS_ERROR_NO_DEVICE = 8,      /**< a device function or pointer was used, but there is no GPU */
  ACCUBLAS_ERROR_DEVICE = 9,         /**< the device or its runtime failed before C was written */
  ACCUBLAS_ERROR_C_UNDEFINED = 10,   /**< a failure after the first write to C (a lost device) */
  ACCUBLAS_ERROR_ENVIRONMENT = 11,   /**< an environment variable of accublas has an invalid value or an unknown name */
  ACCUBLAS_ERROR_NO_BLAS = 12,       /**< the call needs a real BLAS or LAPACK, and none could be loaded */
  ACCUBLAS_ERROR_INTERNAL = 13,      /**< a defect in accublas */
  ACCUBLAS_ERROR_PRECISION = 14,     /**< multiple-precision operands of different precisions; nothing was written */
  ACCUBLAS_ERROR_FORMAT = 15,        /**< a string is not a number, or bytes are not an accumulator */
  ACCUBLAS_ERROR_NOT_CERTIFIED = 16, /**< a bound is not proved; approximate results are written */
  ACCUBLAS_ERROR_UNDECIDED = 17      /**< add all panels of the accumulator again, and finish again; C is as it was */
  /* 18 .. 999 are reserved */
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

/** Whether a routine for eigenvalues computes eigenvectors too. */
typedef int32_t accublas_job;
enum {
  ACCUBLAS_VALUES = 151, /**< the values alone; arguments that belong to vectors are neither read nor written */
  ACCUBLAS_VECTORS = 152 /**< the values and their vectors */
};

/** Which eigenvalues a routine returns. */
typedef int32_t accublas_range;
enum {
  ACCUBLAS_ALL = 161,      /**< all */
  ACCUBLAS_INTERVAL = 162, /**< those in the interval (vl, vu] */
  ACCUBLAS_INDICES = 163   /**< those from number il to number iu, in ascending order, counted from 1 */
};

/** Modes: mathematical definitions of the result. */
typedef int32_t accublas_mode;
enum {
  ACCUBLAS_MODE_DEFAULT = 0, /**< not set here; the context decides, then the environment, then the build */
  ACCUBLAS_MODE_NATIVE = 1,  /**< what OpenBLAS or cuBLAS returns */
  ACCUBLAS_MODE_DP = 2,      /**< FP64-grade (in a family of single precision: sp) */
  ACCUBLAS_MODE_SP = 3,      /**< FP32-grade (in a family of double precision: dp) */
  ACCUBLAS_MODE_FIXED = 4,   /**< fixed:T, parameter T from 2 to 150 */
  ACCUBLAS_MODE_SLICES = 5,  /**< slices:D, parameter D from 1 to 50; flag ACCUBLAS_MODE_FAST */
  ACCUBLAS_MODE_DOT2 = 6,    /**< as if computed in twice the precision */
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

/** Flags of a mode. Add them to combine them. */
enum {
  ACCUBLAS_MODE_FAST = 1,        /**< slices:D:fast, pairs with p + q <= D + 1 only */
  ACCUBLAS_MODE_REPRODUCIBLE = 2 /**< dp:repro, sp:repro */
};

/** Families of routines. Each family has one mode. Complex routines belong to the family of their precision. */
typedef int32_t accublas_family;
enum {
  ACCUBLAS_FAMILY_DGEMM = 0, /**< level 3, batches and LAPACK's routines in double precision (d, z) */
  ACCUBLAS_FAMILY_SGEMM = 1, /**< level 3, batches and LAPACK's routines in single precision (s, c) */
  ACCUBLAS_FAMILY_DOT = 2,   /**< level 1 of all types */
  ACCUBLAS_FAMILY_GEMV = 3   /**< level 2 of all types */
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
  ACCUBLAS_ENGINE_SUMS = 6,     /**< sums with a rigorous bound, or in integers; exact accumulators if needed */
  ACCUBLAS_ENGINE_MULTIWORD = 7 /**< products of words of fewer bits (TF32, FP16; FP32 for TF64) */
  /* 8 .. 999 are reserved */
};

/** The memory of alpha, beta and scalar results. */
typedef int32_t accublas_pointer_mode;
enum {
  ACCUBLAS_POINTER_HOST = 0,  /**< alpha, beta and scalar results are in host memory */
  ACCUBLAS_POINTER_DEVICE = 1 /**< alpha, beta and scalar results are in device memory */
};

/** The action of the default failure handler if a caller has no status (drop-in, Fortran without stat). */
typedef int32_t accublas_on_failure;
enum {
  ACCUBLAS_ON_FAILURE_ABORT = 0, /**< a failure without a status ends the process */
  ACCUBLAS_ON_FAILURE_NATIVE = 1 /**< the real BLAS computes the call */
};

/** Options of one call. Start from ACCUBLAS_OPTIONS_INIT; a field left at its initial value is not set here. */
typedef struct accublas_options {
  size_t struct_size;      /**< sizeof(accublas_options) */
  const char* mode_name;   /**< a mode word, for instance "fixed:70"; NULL: the next three fields name the mode */
  accublas_mode mode;      /**< ACCUBLAS_MODE_DEFAULT: not set; mode_parameter and mode_flags must be 0 then */
  int32_t mode_parameter;  /**< T of fixed, D of slices, else 0 */
  int32_t mode_flags;      /**< ACCUBLAS_MODE_FAST, ACCUBLAS_MODE_REPRODUCIBLE */
  int32_t reproducible;    /**< -1 not set, 0, 1: for dp and sp */
  int32_t backend;         /**< -1 not set, else an accublas_backend */
  int32_t engine;          /**< -1 not set, else an accublas_engine */
  int32_t num_threads;     /**< 0 not set */
  int32_t report_level;    /**< -1 not set, 0, 1, 2 */
  double target;           /**< negative: not set; 0: none; positive: the bound of accublas_set_target */
  int64_t workspace_bytes; /**< -1 not set; cap of the workspace of this call in bytes */
} accublas_options;

/** The initial value of accublas_options, in which no option is set. */
#define ACCUBLAS_OPTIONS_INIT \
  { sizeof(accublas_options), NULL, 0, 0, 0, -1, -1, -1, 0, -1, -1.0, -1 }

/** A report on the last call on a context. Set struct_size before asking; fields past it are not written.
 *
 * The rigorous bound: for every element
 *   abs(c - exact) <= bound_relative abs(exact) + bound_componentwise (abs(alpha) abs(A) abs(B) + abs(beta) abs(C))
 *                     + bound_absolute,
 * as long as no element of the result overflows. For nrm2 and asum the exact result takes the place of abs(A) abs(B).
 * In native, tf32x1, tf32x3 and tf32x4 the bound also needs that no word, product or partial sum over- or underflows.
 * bound_componentwise is infinity if nothing is promised: in slices, fp16x1, fp16x3, tf64x1, tf64x3 and tf64x4, and in
 * fixed if bits are dropped and no target is set. */
typedef struct accublas_report_t {
  size_t struct_size;      /**< sizeof(accublas_report_t) */
  char routine[16];        /**< "dgemm", "dgemm_batched" (both forms), ... */
  char mode[32];           /**< the mode word that ran, for instance "dp:repro" */
  char backend[8];         /**< "cpu" or "cuda"; a call without operands, such as n = 0, names that of its settings */
  char engine[16];         /**< "int8", "native", ... */
  char device[64];         /**< device(s) or instruction set, for instance "cpu:avx512_vnni" */
  char reason[160];        /**< why this mode, backend and engine were chosen */
  int64_t m;               /**< rows of C (dot, nrm2, asum: 1; gemv: outputs) */
  int64_t n;               /**< columns of C; 1 if the result is not a matrix */
  int64_t k;               /**< terms of a sum (dot, nrm2, asum: n) */
  int32_t bits;            /**< the largest number of bits T that was used, also for rejected elements; 0: none */
  int32_t parts;           /**< moduli, or digits or slices of A, that were multiplied (at most); 0 if there are none */
  int64_t rejected;        /**< elements that the certificate rejected at T; all, if it rejected more than one in 64 */
  int64_t undecided;       /**< elements that were computed one by one because Ziv's test had left them undecided; of
                                vectors (DOT, GEMV), TRSM and factorizations only those that took an exact accumulator */
  int64_t workspace_bytes; /**< peak workspace of the call */
  int64_t copied_bytes;    /**< operand bytes that were copied unchanged (packing, host to device) */
  double ms_total;         /**< milliseconds of the call, from report level 1 on */
  double ms_convert;       /**< milliseconds of exponents, scaling, slicing, residues; level 2 */
  double ms_product;       /**< milliseconds of products; level 2 */
  double ms_reconstruct;   /**< milliseconds of reconstruction and rounding; level 2 */
  double ms_exact;         /**< milliseconds of computing undecided and rejected elements again; level 2 */
  double bound_relative;   /**< factor of abs(exact) in the bound above */
  double bound_componentwise; /**< factor of (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) in the bound above */
  double bound_absolute;      /**< last term of the bound above */
  int32_t threads;            /**< threads of accublas's own pool that the call was planned for */
  int32_t level;              /**< the report level that the call ran under */
  int64_t batch_count; /**< matrices of a batched call, else 1; the other numbers are those of all of them together */
} accublas_report_t;

/** One row of the call counters: how many calls of a routine an engine computed, process wide. */
typedef struct accublas_counter_t {
  char routine[16]; /**< "dgemm", ... */
  char engine[16];  /**< "int8", ... */
  uint64_t calls;   /**< since the process began, or since the last reset */
} accublas_counter_t;

/* ---------------------------------------------------------------------------------------------------------------
 * Library, context, errors
 * ------------------------------------------------------------------------------------------------------------ */

/** Returns the version of the library at run time: 10000 major + 100 minor + patch. */
ACCUBLAS_API int32_t accublas_version(void);
/** Returns one line of English for a status; never NULL. */
ACCUBLAS_API const char* accublas_status_string(accublas_status status);

/** Creates a context with the environment's settings. *ctx is NULL on failure. */
ACCUBLAS_API accublas_status accublas_create(accublas_context** ctx);
/** Waits for the context's work and frees it. NULL is allowed and does nothing. */
ACCUBLAS_API accublas_status accublas_destroy(accublas_context* ctx);
/** Returns the message of the context's last failed call, or "" after success. It is valid until the next call on the
 * context. */
ACCUBLAS_API const char* accublas_last_error(accublas_context* ctx);
/** Records a failure that a binding in another language found itself, so that accublas_last_error and accublas_fail
 * report it like any other. Returns `status`. */
ACCUBLAS_API accublas_status accublas_set_last_error(accublas_context* ctx, accublas_status status,
                                                     const char* message);

/* ---------------------------------------------------------------------------------------------------------------
 * Settings. The first one set wins: the call's options, the context, the environment, the build.
 * ------------------------------------------------------------------------------------------------------------ */

/** Sets the mode of every family by its word: "native", "dp", "sp", "dp:repro", "fixed:70", "slices:8",
 * "slices:8:fast", "dot2", "cr", ... dp and sp both mean the accuracy of each family's own type. A family that lacks
 * the word keeps its mode. A word that no family knows is ACCUBLAS_ERROR_MODE, and the message lists the words. NULL or
 * "" unsets the mode. Words of settings may be written in capitals; answers have small letters. */
ACCUBLAS_API accublas_status accublas_set_mode_name(accublas_context* ctx, const char* word);
/** Sets the mode by enum: parameter is T or D (else 0), flags are ACCUBLAS_MODE_FAST and ACCUBLAS_MODE_REPRODUCIBLE. */
ACCUBLAS_API accublas_status accublas_set_mode(accublas_context* ctx, accublas_mode mode, int32_t parameter,
                                               int32_t flags);
/** Sets the mode of one family, which wins over accublas_set_mode_name. A word that the family lacks is
 * ACCUBLAS_ERROR_MODE. */
ACCUBLAS_API accublas_status accublas_set_family_mode_name(accublas_context* ctx, accublas_family family,
                                                           const char* word);
/** Writes the word of the mode that a call without options would run now, with a terminating NUL; size >= 32 suffices.
 * If the mode is dp or sp and reproducible is set, the word has ":repro". */
ACCUBLAS_API accublas_status accublas_get_mode_name(accublas_context* ctx, accublas_family family, char* word,
                                                    size_t size);
/** Sets whether dp and sp promise bits: 0 or 1; -1 unsets it. */
ACCUBLAS_API accublas_status accublas_set_reproducible(accublas_context* ctx, int32_t reproducible);
/** Sets the backend of the context's calls. ACCUBLAS_BACKEND_CUDA without a GPU is ACCUBLAS_ERROR_NO_DEVICE. */
ACCUBLAS_API accublas_status accublas_set_backend(accublas_context* ctx, accublas_backend backend);
/** Selects the CUDA device by its number, from 0; ACCUBLAS_ERROR_NO_DEVICE if there is no such device. Waits for the
 * context's calls on the previous device, and unsets the stream, which belongs to that device. If one of those calls
 * failed, returns the first error; the device is changed all the same. If no device is set, a context works on the
 * device of its first operands (host operands: device 0). */
ACCUBLAS_API accublas_status accublas_set_device(accublas_context* ctx, int32_t device);
/** Sets the CUDA devices that share the context's large products of level 3, and LU and Cholesky's factorizations, with
 * operands in host memory. Each device computes a part of the result. In modes that define bits, the results do not
 * depend on the list. All other calls run on the context's own device, which is the first of the list if no device is
 * set and the context has worked on none. docs/gpu.md lists what is shared.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] count length of the list. 0 restores the list of ACCUBLAS_DEVICES; with 1 no product is shared
 * @param[in] devices numbers of the devices, from 0, in host memory; repeated numbers are allowed. NULL if count is 0
 * @return ACCUBLAS_SUCCESS, ACCUBLAS_ERROR_ARGUMENT (a negative number), ACCUBLAS_ERROR_NO_DEVICE (there is no device
 * of such a number), ACCUBLAS_ERROR_ENVIRONMENT or ACCUBLAS_ERROR_INTERNAL; on failure the list is as it was */
ACCUBLAS_API accublas_status accublas_set_devices(accublas_context* ctx, int32_t count, const int32_t* devices);
/** Names the engine of the context's calls; ACCUBLAS_ENGINE_AUTO lets the plan choose one. A call whose mode the engine
 * cannot compute returns ACCUBLAS_ERROR_ENGINE. */
ACCUBLAS_API accublas_status accublas_set_engine(accublas_context* ctx, accublas_engine engine);
/** Sets the engine by name: "auto", "native", "int8", "fp64", "fp16", "dot2", "sums" or "multiword". */
ACCUBLAS_API accublas_status accublas_set_engine_name(accublas_context* ctx, const char* name);
/** Sets the cap of the workspace in MiB; 0 restores the default (256 MiB on the CPU; on a GPU the lesser of 8 GiB and
 * an eighth of its memory). The cap never changes bits. On the CPU a call takes up to a MiB more, for memory that does
 * not grow with its operands. */
ACCUBLAS_API accublas_status accublas_set_workspace_mib(accublas_context* ctx, int64_t mib);
/** Sets the user's own workspace, which calls use in place of the pool: calls on the CPU a buffer in host memory, calls
 * with device operands one in the memory of their device. All other calls use the pool. NULL, 0 ends this. The buffer
 * must stay valid until it is replaced or the context is destroyed. If a buffer suffices for a call, a longer one at
 * the same address does too. If it does not suffice, the call returns ACCUBLAS_ERROR_MEMORY with the operands as they
 * were, and the message says how many bytes suffice wherever the buffer begins (docs/gpu.md has captured calls). Calls
 * in little more than that may be slow. */
ACCUBLAS_API accublas_status accublas_set_workspace(accublas_context* ctx, void* buffer, size_t bytes);
/** Sets the number of threads of accublas's own pool; 0 restores the default: ACCUBLAS_NUM_THREADS, else affinity and
 * OMP_NUM_THREADS, and 1 inside an OpenMP parallel region. A call takes at most 1024 threads, and at most one for every
 * 64 KiB that its workspace may have; accublas_report says how many. OpenBLAS keeps its own number. */
ACCUBLAS_API accublas_status accublas_set_num_threads(accublas_context* ctx, int32_t threads);
/** Sets what calls print on standard error: 0 nothing, 1 a line for each call of the program, 2 also a line for each
 * inner call, with the word "inner" before the name. Inner calls are those that QR, least squares, inverses and
 * certified solutions make. */
ACCUBLAS_API accublas_status accublas_set_verbose(accublas_context* ctx, int32_t level);
/** Sets the report level: 0 no times, 1 the total time, 2 also the time of each phase. */
ACCUBLAS_API accublas_status accublas_set_report_level(accublas_context* ctx, int32_t level);
/** Sets an accuracy target: a call that cannot promise, for every element,
 *   abs(c - exact) <= bound (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) + (the bound_absolute of the report)
 * returns ACCUBLAS_ERROR_ACCURACY and leaves C as it was (with device operands: accublas_sync returns it). 0 unsets.
 * The promise is the report's, with its conditions: the call does not find out whether a number over- or underflows on
 * the way in native, tf32x1, tf32x3 and tf32x4, or in dp and sp if OpenBLAS or cuBLAS computes them. */
ACCUBLAS_API accublas_status accublas_set_target(accublas_context* ctx, double bound);
/** Sets where alpha, beta and the results of DOT, NRM2 and ASUM are. ACCUBLAS_POINTER_DEVICE is for calls with device
 * operands only. */
ACCUBLAS_API accublas_status accublas_set_pointer_mode(accublas_context* ctx, accublas_pointer_mode mode);
/** Sets the CUDA stream (cudaStream_t as void *) that device calls run on; NULL is the legacy default stream. Later
 * calls wait, on the device, for the context's earlier calls on any stream. The program may destroy the previous stream
 * after this call. Without a GPU every stream but NULL is ACCUBLAS_ERROR_NO_DEVICE. */
ACCUBLAS_API accublas_status accublas_set_stream(accublas_context* ctx, void* stream);
/** Writes the stream that is set, NULL by default. */
ACCUBLAS_API accublas_status accublas_get_stream(accublas_context* ctx, void** stream);
/** Waits for the context's stream and for its calls on earlier streams, then returns and clears the first error of
 * asynchronous calls. While the stream is captured, it returns ACCUBLAS_ERROR_DEVICE without waiting. */
ACCUBLAS_API accublas_status accublas_sync(accublas_context* ctx);
/** Writes the number of usable CUDA devices: 0 without a GPU, a driver, or CUDA in the build. */
ACCUBLAS_API accublas_status accublas_device_count(int32_t* count);

/** A handler of failures of calls whose caller has no status; `message` is one line. If the handler returns a nonzero
 * number, the real BLAS computes the call; if it returns 0, the process aborts. The default handler prints the message
 * on standard error and aborts, or lets the real BLAS compute with ACCUBLAS_ON_FAILURE=native. */
typedef int32_t (*accublas_failure_handler)(accublas_status status, const char* message, void* user);
/** Sets the failure handler of the process, which gets `user` as its last argument; NULL restores the default one. */
ACCUBLAS_API accublas_status accublas_set_failure_handler(accublas_failure_handler handler, void* user);
/** Sets the action of the default handler, process wide. */
ACCUBLAS_API accublas_status accublas_set_on_failure(accublas_on_failure action);
/** Runs the handler for the context's last error, as the drop-in and the Fortran module do; returns only if the handler
 * asks for the real BLAS. */
ACCUBLAS_API accublas_status accublas_fail(accublas_context* ctx, accublas_status status);

/** Copies the report on the last call on the context. */
ACCUBLAS_API accublas_status accublas_report(accublas_context* ctx, accublas_report_t* report);
/** Copies the counters of the program's calls that succeeded, by routine and engine, process wide. Inner calls of
 * QR, inverses and certified solutions are not counted. Copies at most `capacity` rows (0: `rows` may be NULL) and sets
 * *count to the number of all rows. */
ACCUBLAS_API accublas_status accublas_counters(accublas_counter_t* rows, size_t capacity, size_t* count);
/** Sets all counters to 0. */
ACCUBLAS_API accublas_status accublas_reset_counters(void);

/* ---------------------------------------------------------------------------------------------------------------
 * Routines. The first letter of a name is the type: d FP64, s FP32, z and c complex numbers of them. Each routine has a
 * form whose name ends in _ex, with options (NULL: none) as its last argument.
 *
 * A complex number is two adjacent FP64 (z) or FP32 (c) numbers, real part first, as in C, C++ and Fortran. Complex
 * factors are passed by address too. Leading dimensions, strides and increments count complex numbers.
 *
 * In every routine
 *   - ACCUBLAS_ERROR_ARGUMENT, whose message names the argument, means a bad layout, transposition, size, leading
 *     dimension or other enum, an increment of zero that must not be zero, or a NULL pointer that would be read or
 *     written. A leading dimension above the least one is also bad if it takes the matrix beyond 2^59 elements, which
 *     exceed every address space. The other statuses are described above;
 *   - sizes may be any int64_t, with one exception: in mode or engine native with a real BLAS of 32-bit integers, m, n,
 *     k or nrhs of 2^31 or more is ACCUBLAS_ERROR_UNAVAILABLE in LAPACK's routines and in those of level 2 and 3 other
 *     than GEMV and GEMM;
 *   - memory behind a pointer to const is never written;
 *   - every NaN that a bit-defined mode writes is the positive quiet NaN without payload; native, dp and sp may write
 *     any NaN;
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

/** *result = sum over i < n of conj(x_i) y_i. n <= 0 gives +0, and increments may be 0.
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

/** *result = the Euclidean norm of x, sqrt(sum over i < n of abs(x_i)^2). n <= 0 gives +0. No square overflows or
 * underflows in cr and dot2; cr is the exact norm rounded once for every finite x. A NaN in x gives NaN, else an
 * infinity gives +Inf. The mode is that of ACCUBLAS_FAMILY_DOT, but norms have no fixed and no slices: such a mode is
 * ACCUBLAS_ERROR_MODE in the options of the call, and is ignored elsewhere.
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

/** *result = sum over i < n of abs(x_i), for complex numbers of abs(Re x_i) + abs(Im x_i). n <= 0, special values and
 * modes are as in nrm2. (The BLAS name gives 0 for increments that are not positive, as netlib's does.)
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

/** *result = sum over i < n of x_i y_i in double precision, for vectors of single precision. n <= 0 gives +0. In every
 * mode that defines bits the result is the exact sum rounded once. The modes are those of norms.
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

/** *result = sb + sum over i < n of x_i y_i in single precision. n <= 0 gives sb. Rounding and modes are as in dsdot.
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

/* Level 2. The mode is that of ACCUBLAS_FAMILY_GEMV. With operands in device memory, GEMV takes alpha and beta of any
 * kind, in device memory too. The other routines need them in host memory; otherwise they return
 * ACCUBLAS_ERROR_UNAVAILABLE. docs/modes.md, "Level 2", has the definitions. */

/* Made from c_api/routines.py: level2 */
/* clang-format off */
/** y = alpha op(A) x + beta y, A m x n.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] rsa stride from a row of A to the next; it may be 0 or negative
 * @param[in] csa stride from a column of A to the next; it may be 0 or negative
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

/** y = alpha A x + beta y, A symmetric (hemv: Hermitian) of order n. Only the triangle uplo of A is read, and only the
 * real parts of a Hermitian diagonal.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
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
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
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

/** A += alpha x y^T, A m x n. Updates (the routines from here to syr2 and her2) are exact sums that are rounded once
 * in every mode that defines bits. They lack the modes fixed and slices, as norms do.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/** A += alpha x y^T + alpha y x^T (her2: alpha x y^H + conj(alpha) y x^H) in the triangle uplo of A. The other
 * triangle and the diagonal are treated as in syr and her.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/* Level 3. The products other than GEMM have GEMM's modes except the multiword ones, and each element of their results
 * has GEMM's definition (docs/modes.md, "The other products of level 3"). A triangle of C that is not wanted is neither
 * read nor written. With operands in device memory (docs/gpu.md), her2k in dp:repro and sp:repro needs alpha in host
 * memory; otherwise it returns ACCUBLAS_ERROR_UNAVAILABLE.
 *
 * Complex GEMM has the modes of its family except the multiword ones. With operands in device memory, it returns
 * ACCUBLAS_ERROR_UNAVAILABLE for
 *   - strides that cuBLAS cannot express, in native, and in dp and sp with engine native;
 *   - the engines fp16 and fp64 in modes other than slices, if alpha or beta has an imaginary part or lies in device
 *     memory.
 * With such an alpha or beta, cuBLAS computes complex products in dp and sp, unless the call names an engine or cuBLAS
 * cannot express the strides. The CPU computes complex GEMM of host operands unless the caller names the backend. */

/* Made from c_api/routines.py: level3 */
/* clang-format off */
/** C = alpha op(A) op(B) + beta C.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] rsa stride from a row of A to the next; it may be 0 or negative
 * @param[in] csa stride from a column of A to the next; it may be 0 or negative
 * @param[in] b B; in host or device memory
 * @param[in] rsb stride from a row of B to the next; it may be 0 or negative
 * @param[in] csb stride from a column of B to the next; it may be 0 or negative
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
 * order m (LEFT) or n. Only the triangle uplo of A is read, and only the real parts of a Hermitian diagonal.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] side ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where A stands in the product
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] m rows of the result, at least 0
 * @param[in] n columns of the result, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/** Computes the triangle uplo of C = alpha A A^T + beta C (trans NO_TRANS) or alpha A^T A + beta C (TRANS).
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS or ACCUBLAS_TRANS (real numbers: or ACCUBLAS_CONJ_TRANS); herk and her2k:
 *   ACCUBLAS_NO_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/** Computes the triangle uplo of C = alpha A A^H + beta C (trans NO_TRANS) or alpha A^H A + beta C (CONJ_TRANS), alpha
 * and beta real. The imaginary parts of the diagonal of C are not read and become +0.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS or ACCUBLAS_TRANS (real numbers: or ACCUBLAS_CONJ_TRANS); herk and her2k:
 *   ACCUBLAS_NO_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/** Computes the triangle uplo of C = alpha A B^T + alpha B A^T + beta C (trans NO_TRANS) or alpha A^T B + alpha B^T A
 * + beta C (TRANS). Each element is one inner product of 2k terms.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS or ACCUBLAS_TRANS (real numbers: or ACCUBLAS_CONJ_TRANS); herk and her2k:
 *   ACCUBLAS_NO_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/** Computes the triangle uplo of C = alpha A B^H + conj(alpha) B A^H + beta C (trans NO_TRANS) or alpha A^H B +
 * conj(alpha) B^H A + beta C (CONJ_TRANS), beta real. The imaginary parts of the diagonal of C are not read and become
 * +0.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS or ACCUBLAS_TRANS (real numbers: or ACCUBLAS_CONJ_TRANS); herk and her2k:
 *   ACCUBLAS_NO_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] m rows of the result, at least 0
 * @param[in] n columns of the result, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/** Solves op(A) X = alpha B (side LEFT) or X op(A) = alpha B (RIGHT) for X, which overwrites B; A is triangular of
 * order m (LEFT) or n. The modes native, dp and sp have a small residual, as BLAS has, but no bound of an element. The
 * others are dot2, cr, and dp:repro and sp:repro, which are cr here. In cr every unknown, in the order of
 * substitution, is the exact quotient of the exact alpha b - sum a x over the unknowns before it, rounded once,
 * whatever the blocking (docs/modes.md, "TRSM and TRSV"). The bound of the report is that of this rounding.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] side ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where A stands in the product
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] m rows of the result, at least 0
 * @param[in] n columns of the result, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/** Computes the triangle uplo of C = alpha op(A) op(B) + beta C.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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

/* Batches of products. All matrices have the same sizes, layout and leading dimensions. The modes are GEMM's. In the
 * modes that define bits, the results are those of separate calls (in dp:repro the number of bits T* of docs/modes.md
 * belongs to the matrix). batch_count = 0 returns at once; a negative one is an error. The report describes all
 * matrices together: rejected and undecided are sums; bits, parts and bounds are the largest ones. Each matrix is
 * judged by the target alone, as in separate calls; matrices that miss it stay as they were. */

/* Made from c_api/routines.py: batched */
/* clang-format off */
/** C_i = alpha op(A_i) op(B_i) + beta C_i for 0 <= i < batch_count, where A_i begins at a + i stride_a. The elements
 * of one result may lie between those of another.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a the first A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] stride_a elements from one A to the next; it may be 0 or negative
 * @param[in] b the first B; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] stride_b elements from one B to the next; it may be 0 or negative
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
 * are in the memory of the matrices, host or device. In device memory they are read when the stream comes to the call.
 * The results must not overlap. Messages name an element of an array of pointers: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
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
 * These are LAPACK's routines in LAPACK's order of arguments. A bad argument is a status, and a routine whose info
 * would only report bad arguments has no info. A failed factorization is not an error: the status is ACCUBLAS_SUCCESS,
 * and *info is LAPACK's positive number. *info = 0 does not prove that A is nonsingular or positive definite; the
 * certified solutions below do.
 *
 * The mode and the target are those of ACCUBLAS_FAMILY_DGEMM or ACCUBLAS_FAMILY_SGEMM:
 *   - native: the LAPACK of the real BLAS, or else liblapack.so.3; without either the call returns
 *     ACCUBLAS_ERROR_NO_BLAS;
 *   - dp and sp: LAPACK's backward error, computed in the fastest way;
 *   - cr, dp:repro and sp:repro: one answer. Every element of a factor is its exact value from the elements before it,
 *     rounded once, whatever the blocking.
 * Any other mode is ACCUBLAS_ERROR_MODE in options; elsewhere these routines ignore it and keep the build's mode.
 *
 * Operands may be in device memory, and ipiv (int64_t) with them, except in native (ACCUBLAS_ERROR_UNAVAILABLE). info
 * may be in either memory; a call on device operands waits for an info in host memory. In the modes that define bits,
 * the report's bound is the error of one element, given the elements before it. The report's sizes are m, n and the
 * number of pivots, or n, nrhs and n.
 * ------------------------------------------------------------------------------------------------------------ */

/* Made from c_api/routines.py: factorizations */
/* clang-format off */
/** Computes A = U^H U (uplo UPPER) or A = L L^H (LOWER) for a Hermitian positive definite A of order n. Only the
 * triangle uplo of A is read; the factor, whose diagonal is positive, overwrites it. *info = i: the leading minor of
 * order i is not positive, or is NaN. The columns of L (rows of U) before the i-th are then those of the factor; in
 * the modes that define bits the rest is as it was. After ACCUBLAS_ERROR_MEMORY A is as it was.
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

/** Solves A X = B with the factor that potrf left in a.
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

/** Computes P A = L U with partial pivoting, A m x n. L (without its unit diagonal) and U overwrite A. *info = i:
 * column i is the first one whose pivot is zero. After ACCUBLAS_ERROR_MEMORY A is as it was. In dp, sp and native a
 * NaN in A may become 0 below an infinite pivot, with info 0 (OpenBLAS 0.3.21).
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

/** Solves op(A) X = B with the factors that getrf left in a and ipiv. An ipiv in host memory that names a row which A
 * lacks is ACCUBLAS_ERROR_ARGUMENT.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
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

/* Batches of factorizations and solutions. All matrices have the same sizes, layout and leading dimensions. The modes,
 * the memory of the operands and the statuses are those of the single routines. In the modes that define bits, the
 * factors, pivots, solutions and info values are those of separate calls. batch_count = 0 returns at once; a negative
 * one is an error. On the CPU each thread takes one small matrix at a time. The report and the counters name the single
 * routine, and the report describes all matrices together, as in batches of products. A call on device operands waits
 * for an info in host memory. */

/* Made from c_api/routines.py: factorization_batches */
/* clang-format off */
/** potrf for each of batch_count matrices of one shape; A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in,out] a the first matrix: A, overwritten by the factor; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] stride_a elements from one A to the next; no element may belong to two matrices, nor one of the other
 *   triangle
 * @param[out] info batch_count numbers, each as in potrf; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dpotrf_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, double* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_spotrf_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, float* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zpotrf_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cpotrf_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dpotrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, double* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_spotrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, float* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zpotrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cpotrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* info, int64_t batch_count,
    const accublas_options* options);

/** potrf for each of batch_count matrices of one shape; A_i begins at a[i]. The arrays of pointers are in the memory
 * of the matrices, host or device. Messages name an element of them: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in,out] a batch_count pointers to matrices, each: A, overwritten by the factor; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[out] info batch_count numbers, each as in potrf; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dpotrf_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, double* const* a, int64_t lda, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_spotrf_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, float* const* a, int64_t lda, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zpotrf_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* const* a, int64_t lda, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cpotrf_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, void* const* a, int64_t lda, int64_t* info, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dpotrf_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, double* const* a, int64_t lda, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_spotrf_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, float* const* a, int64_t lda, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zpotrf_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, void* const* a, int64_t lda, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cpotrf_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, void* const* a, int64_t lda, int64_t* info, int64_t batch_count,
    const accublas_options* options);

/** potrs for each of batch_count matrices of one shape; A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a the first matrix: the factor from potrf; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] stride_a elements from one A to the next; it may be 0 or negative
 * @param[in,out] b the first matrix: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in] stride_b elements from one B to the next; no element may belong to two matrices
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dpotrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const double* a, int64_t lda, int64_t stride_a, double* b,
    int64_t ldb, int64_t stride_b, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_spotrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const float* a, int64_t lda, int64_t stride_a, float* b, int64_t ldb,
    int64_t stride_b, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zpotrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cpotrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dpotrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const double* a, int64_t lda, int64_t stride_a, double* b,
    int64_t ldb, int64_t stride_b, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_spotrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const float* a, int64_t lda, int64_t stride_a, float* b, int64_t ldb,
    int64_t stride_b, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zpotrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cpotrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t batch_count, const accublas_options* options);

/** potrs for each of batch_count matrices of one shape; A_i begins at a[i]. The arrays of pointers are in the memory
 * of the matrices, host or device. Messages name an element of them: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a batch_count pointers to matrices, each: the factor from potrf; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in,out] b batch_count pointers to matrices, each: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dpotrs_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const double* const* a, int64_t lda, double* const* b, int64_t ldb, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_spotrs_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const float* const* a, int64_t lda, float* const* b, int64_t ldb, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zpotrs_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* const* a, int64_t lda, void* const* b, int64_t ldb, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cpotrs_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* const* a, int64_t lda, void* const* b, int64_t ldb, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dpotrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const double* const* a, int64_t lda, double* const* b, int64_t ldb,
    int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_spotrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const float* const* a, int64_t lda, float* const* b, int64_t ldb,
    int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zpotrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* const* a, int64_t lda, void* const* b, int64_t ldb,
    int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cpotrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, const void* const* a, int64_t lda, void* const* b, int64_t ldb,
    int64_t batch_count, const accublas_options* options);

/** posv for each of batch_count matrices of one shape; A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in,out] a the first matrix: A, overwritten by the factor; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] stride_a elements from one A to the next; no element may belong to two matrices, nor one of the other
 *   triangle
 * @param[in,out] b the first matrix: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in] stride_b elements from one B to the next; no element may belong to two matrices
 * @param[out] info batch_count numbers, each as in posv; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dposv_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, double* a, int64_t lda, int64_t stride_a, double* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sposv_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, float* a, int64_t lda, int64_t stride_a, float* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zposv_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cposv_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dposv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, double* a, int64_t lda, int64_t stride_a, double* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sposv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, float* a, int64_t lda, int64_t stride_a, float* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zposv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cposv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, void* a, int64_t lda, int64_t stride_a, void* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);

/** posv for each of batch_count matrices of one shape; A_i begins at a[i]. The arrays of pointers are in the memory of
 * the matrices, host or device. Messages name an element of them: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in,out] a batch_count pointers to matrices, each: A, overwritten by the factor; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in,out] b batch_count pointers to matrices, each: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[out] info batch_count numbers, each as in posv; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dposv_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, double* const* a, int64_t lda, double* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sposv_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, float* const* a, int64_t lda, float* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zposv_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, void* const* a, int64_t lda, void* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cposv_batched(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, void* const* a, int64_t lda, void* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dposv_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, double* const* a, int64_t lda, double* const* b, int64_t ldb,
    int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sposv_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, float* const* a, int64_t lda, float* const* b, int64_t ldb,
    int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zposv_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, void* const* a, int64_t lda, void* const* b, int64_t ldb,
    int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cposv_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_uplo uplo, int64_t n, int64_t nrhs, void* const* a, int64_t lda, void* const* b, int64_t ldb,
    int64_t* info, int64_t batch_count, const accublas_options* options);

/** getrf for each of batch_count matrices of one shape; A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in,out] a the first matrix: A, overwritten by L and U; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] stride_a elements from one A to the next; no element may belong to two matrices
 * @param[out] ipiv the ipiv of each matrix, one after the other: row exchanges, min(m, n) numbers from 1 on, where A
 *   is: row i and row ipiv[i - 1] changed places, i = 1, 2, ... in this order; in host or device memory
 * @param[out] info batch_count numbers, each as in getrf; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgetrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, double* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgetrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, float* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgetrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgetrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgetrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, double* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgetrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, float* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgetrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgetrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);

/** getrf for each of batch_count matrices of one shape; A_i begins at a[i]. The arrays of pointers are in the memory
 * of the matrices, host or device. Messages name an element of them: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in,out] a batch_count pointers to matrices, each: A, overwritten by L and U; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[out] ipiv the ipiv of each matrix, one after the other: row exchanges, min(m, n) numbers from 1 on, where A
 *   is: row i and row ipiv[i - 1] changed places, i = 1, 2, ... in this order; in host or device memory
 * @param[out] info batch_count numbers, each as in getrf; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgetrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, double* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgetrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, float* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgetrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgetrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgetrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, double* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgetrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, float* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgetrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgetrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, int64_t* ipiv, int64_t* info, int64_t batch_count,
    const accublas_options* options);

/** getrs for each of batch_count matrices of one shape; A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a the first matrix: the factors from getrf; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] stride_a elements from one A to the next; it may be 0 or negative
 * @param[in] ipiv the ipiv of each matrix, one after the other: n numbers each, from getrf_batched or
 *   getrf_strided_batched; in host or device memory
 * @param[in,out] b the first matrix: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in] stride_b elements from one B to the next; no element may belong to two matrices
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgetrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const double* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, double* b, int64_t ldb, int64_t stride_b, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgetrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const float* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, float* b, int64_t ldb, int64_t stride_b, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgetrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, void* b, int64_t ldb, int64_t stride_b, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgetrs_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, void* b, int64_t ldb, int64_t stride_b, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgetrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const double* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, double* b, int64_t ldb, int64_t stride_b, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgetrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const float* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, float* b, int64_t ldb, int64_t stride_b, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgetrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, void* b, int64_t ldb, int64_t stride_b, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgetrs_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* a, int64_t lda, int64_t stride_a,
    const int64_t* ipiv, void* b, int64_t ldb, int64_t stride_b, int64_t batch_count, const accublas_options* options);

/** getrs for each of batch_count matrices of one shape; A_i begins at a[i]. The arrays of pointers are in the memory
 * of the matrices, host or device. Messages name an element of them: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in] a batch_count pointers to matrices, each: the factors from getrf; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] ipiv the ipiv of each matrix, one after the other: n numbers each, from getrf_batched or
 *   getrf_strided_batched; in host or device memory
 * @param[in,out] b batch_count pointers to matrices, each: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgetrs_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const double* const* a, int64_t lda, const int64_t* ipiv,
    double* const* b, int64_t ldb, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgetrs_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const float* const* a, int64_t lda, const int64_t* ipiv,
    float* const* b, int64_t ldb, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgetrs_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* const* a, int64_t lda, const int64_t* ipiv,
    void* const* b, int64_t ldb, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgetrs_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* const* a, int64_t lda, const int64_t* ipiv,
    void* const* b, int64_t ldb, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgetrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const double* const* a, int64_t lda, const int64_t* ipiv,
    double* const* b, int64_t ldb, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgetrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const float* const* a, int64_t lda, const int64_t* ipiv,
    float* const* b, int64_t ldb, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgetrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* const* a, int64_t lda, const int64_t* ipiv,
    void* const* b, int64_t ldb, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgetrs_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t n, int64_t nrhs, const void* const* a, int64_t lda, const int64_t* ipiv,
    void* const* b, int64_t ldb, int64_t batch_count, const accublas_options* options);

/** gesv for each of batch_count matrices of one shape; A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in,out] a the first matrix: A, overwritten by L and U; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] stride_a elements from one A to the next; no element may belong to two matrices
 * @param[out] ipiv the ipiv of each matrix, one after the other: row exchanges, n numbers from 1 on, where A is: row i
 *   and row ipiv[i - 1] changed places, i = 1, 2, ... in this order; in host or device memory
 * @param[in,out] b the first matrix: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[in] stride_b elements from one B to the next; no element may belong to two matrices
 * @param[out] info batch_count numbers, each as in gesv; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgesv_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, double* a, int64_t lda, int64_t stride_a, int64_t* ipiv, double* b, int64_t ldb, int64_t stride_b,
    int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgesv_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, float* a, int64_t lda, int64_t stride_a, int64_t* ipiv, float* b, int64_t ldb, int64_t stride_b,
    int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgesv_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, void* b, int64_t ldb, int64_t stride_b,
    int64_t* info, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgesv_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, void* b, int64_t ldb, int64_t stride_b,
    int64_t* info, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgesv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t n, int64_t nrhs, double* a, int64_t lda, int64_t stride_a, int64_t* ipiv, double* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgesv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t n, int64_t nrhs, float* a, int64_t lda, int64_t stride_a, int64_t* ipiv, float* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgesv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t n, int64_t nrhs, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, void* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgesv_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t n, int64_t nrhs, void* a, int64_t lda, int64_t stride_a, int64_t* ipiv, void* b, int64_t ldb,
    int64_t stride_b, int64_t* info, int64_t batch_count, const accublas_options* options);

/** gesv for each of batch_count matrices of one shape; A_i begins at a[i]. The arrays of pointers are in the memory of
 * the matrices, host or device. Messages name an element of them: "a[3]".
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] n order of A, at least 0
 * @param[in] nrhs right-hand sides, at least 0
 * @param[in,out] a batch_count pointers to matrices, each: A, overwritten by L and U; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[out] ipiv the ipiv of each matrix, one after the other: row exchanges, n numbers from 1 on, where A is: row i
 *   and row ipiv[i - 1] changed places, i = 1, 2, ... in this order; in host or device memory
 * @param[in,out] b batch_count pointers to matrices, each: B, n x nrhs, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n) column-major, max(1, nrhs) row-major
 * @param[out] info batch_count numbers, each as in gesv; as they were if the call fails; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgesv_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, double* const* a, int64_t lda, int64_t* ipiv, double* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgesv_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, float* const* a, int64_t lda, int64_t* ipiv, float* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgesv_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, void* const* a, int64_t lda, int64_t* ipiv, void* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgesv_batched(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, void* const* a, int64_t lda, int64_t* ipiv, void* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgesv_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, double* const* a, int64_t lda, int64_t* ipiv, double* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgesv_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, float* const* a, int64_t lda, int64_t* ipiv, float* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgesv_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, void* const* a, int64_t lda, int64_t* ipiv, void* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgesv_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t n,
    int64_t nrhs, void* const* a, int64_t lda, int64_t* ipiv, void* const* b, int64_t ldb, int64_t* info,
    int64_t batch_count, const accublas_options* options);

/** geqrf for each of batch_count matrices of one shape; A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in,out] a the first matrix: A, overwritten by R and the reflectors; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] stride_a elements from one A to the next; no element may belong to two matrices
 * @param[in,out] tau the tau of each matrix, one after the other: min(m, n) numbers each; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgeqrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, double* a, int64_t lda, int64_t stride_a, double* tau, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgeqrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, float* a, int64_t lda, int64_t stride_a, float* tau, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgeqrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* a, int64_t lda, int64_t stride_a, void* tau, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgeqrf_strided_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* a, int64_t lda, int64_t stride_a, void* tau, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgeqrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, double* a, int64_t lda, int64_t stride_a, double* tau, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgeqrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, float* a, int64_t lda, int64_t stride_a, float* tau, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgeqrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, void* a, int64_t lda, int64_t stride_a, void* tau, int64_t batch_count,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgeqrf_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    int64_t m, int64_t n, void* a, int64_t lda, int64_t stride_a, void* tau, int64_t batch_count,
    const accublas_options* options);

/** geqrf for each of batch_count matrices of one shape; A_i begins at a[i]. The array of pointers is in host memory,
 * also if the matrices are in device memory.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in,out] a batch_count pointers to matrices, each: A, overwritten by R and the reflectors; in host or device
 *   memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in,out] tau the tau of each matrix, one after the other: min(m, n) numbers each; in host or device memory
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgeqrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, double* const* a, int64_t lda, double* tau, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_sgeqrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, float* const* a, int64_t lda, float* tau, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_zgeqrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, void* tau, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_cgeqrf_batched(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, void* tau, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgeqrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, double* const* a, int64_t lda, double* tau, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgeqrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, float* const* a, int64_t lda, float* tau, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgeqrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, void* tau, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgeqrf_batched_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* const* a, int64_t lda, void* tau, int64_t batch_count, const accublas_options* options);
/* clang-format on */

/* Inverses from factors, and the steps that they consist of. They overwrite A, of order n. After ACCUBLAS_ERROR_MEMORY
 * A is as it was. ACCUBLAS_ERROR_C_UNDEFINED is a failure after the first write to A.
 *
 * In the modes that define bits these routines call trsm, trmm and gemv in cr; in dp and sp on a GPU they call them in
 * dp and sp. accublas_counters does not count these calls, and accublas_report describes the whole. Each of the calls
 * decides for itself whether a GPU computes host operands. On device operands trtri, potri and getri wait for info,
 * wherever it is, and trtri also waits for a number every 64 columns, so no graph can hold them. lauum does not wait.
 */

/* Made from c_api/routines.py: inverses */
/* clang-format off */
/** Inverts the triangular matrix A in place. The other triangle, and a unit diagonal (diag UNIT), are neither read nor
 * written. *info = i: element i is the first one of the diagonal that is zero, and A is as it was.
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

/** Computes U U^H (uplo UPPER) or L^H L (LOWER) from the triangle uplo of A, which the same triangle of the product
 * overwrites.
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

/** Computes the inverse from the factor that potrf left in the triangle uplo of A, which the same triangle of the
 * inverse overwrites. It is trtri, then lauum if *info is 0.
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

/** Computes the inverse from the factors that getrf left in a and ipiv. The inverse overwrites a. *info = i: column i
 * is the first one whose pivot is zero, and A is as it was.
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
 * These are LAPACK's routines in LAPACK's order of arguments, in the modes of the factorizations. cr, dp:repro and
 * sp:repro have one answer: panels of 32 reflectors whose products, solutions and norms are those of cr. Matrices are
 * general and in host or device memory, and tau is with them. native on device operands is ACCUBLAS_ERROR_UNAVAILABLE.
 * info of gels may be in either memory.
 *
 * On device operands some calls wait for numbers. geqrf in the modes with one answer, and gels in every mode, wait at
 * every column, so no graph can hold them. ormqr in the modes with one answer waits to learn whether C has numbers of
 * 2^960 (single precision: 2^64) or more; in a graph it assumes that there are none. geqrf and ormqr in dp and sp, and
 * orgqr, do not wait.
 *
 * The report's sizes are m, n and the number of reflectors (gels: nrhs). It has no bound of an element, so no target
 * can be kept. After ACCUBLAS_ERROR_MEMORY everything that the call overwrites is as it was. After
 * ACCUBLAS_ERROR_C_UNDEFINED it is undefined, because memory was missing or a device failed after the first write.
 * ------------------------------------------------------------------------------------------------------------ */

/* Made from c_api/routines.py: orthogonal */
/* clang-format off */
/** Computes A = Q R, A m x n. R is min(m, n) x n and upper triangular with a real diagonal, and overwrites the upper
 * triangle of A. Q = H_1 H_2 ... H_k is a product of k = min(m, n) reflectors H_i = I - tau_i v_i v_i^H. v_i has zeros
 * above row i and 1 in row i, which are not stored; its other elements are in column i below the diagonal of A.
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

/** Computes the first n <= m columns of Q, of order m, from the k <= n reflectors that geqrf left in the columns of a
 * and in tau. These columns of Q overwrite a.
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

/** Computes C = op(Q) C (side LEFT) or C op(Q) (RIGHT), C m x n. Q of order m (LEFT) or n is given by k reflectors in
 * the columns of a, which has as many rows as Q.
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

/** Solves least-squares and least-norm problems with op(A) of full rank, A m x n. If there are more equations than
 * unknowns, X minimizes the norm of each column of B - op(A) X; otherwise X is the solution of op(A) X = B with the
 * least norm. The right-hand sides are the first rows of B, and X overwrites as many rows as it has. (In least squares
 * the other rows become parts of Q^H B.) geqrf's result overwrites A; a wide A gets the conjugate transpose of geqrf's
 * result for A^H, which is LAPACK's LQ factorization. If A is zero, or m, n or nrhs is 0, then B becomes zero and A
 * stays. *info = i: element i is the first one of the diagonal of R that is zero, and X is not computed.
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

/** Computes A = Q R, A m x n with m >= n: Q has n orthonormal columns, which overwrite A, and R is upper triangular
 * with a real diagonal. In the modes that define bits, R is that of geqrf, and Q that of orgqr. The report and the
 * counters name geqrf.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, from 0 to m
 * @param[in,out] a A, overwritten by Q; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in,out] r R, n x n, upper triangular; zeros are written below its diagonal; in host or device memory
 * @param[in] ldr leading dimension of r, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dqr_explicit(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    double* a, int64_t lda, double* r, int64_t ldr);
ACCUBLAS_API accublas_status accublas_sqr_explicit(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    float* a, int64_t lda, float* r, int64_t ldr);
ACCUBLAS_API accublas_status accublas_zqr_explicit(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, void* r, int64_t ldr);
ACCUBLAS_API accublas_status accublas_cqr_explicit(accublas_context* ctx, accublas_layout layout, int64_t m, int64_t n,
    void* a, int64_t lda, void* r, int64_t ldr);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dqr_explicit_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, double* a, int64_t lda, double* r, int64_t ldr, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sqr_explicit_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, float* a, int64_t lda, float* r, int64_t ldr, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zqr_explicit_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* a, int64_t lda, void* r, int64_t ldr, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cqr_explicit_ex(accublas_context* ctx, accublas_layout layout, int64_t m,
    int64_t n, void* a, int64_t lda, void* r, int64_t ldr, const accublas_options* options);
/* clang-format on */

/* ---------------------------------------------------------------------------------------------------------------
 * Solutions and eigenvalues with proved error bounds (docs/certified.md, docs/eigenvalues.md)
 * ------------------------------------------------------------------------------------------------------------ */

/** Why a solution is not certified. */
typedef int32_t accublas_reason;
enum {
  ACCUBLAS_REASON_NONE = 0,            /**< the solution is certified */
  ACCUBLAS_REASON_NOT_FINITE = 1,      /**< an infinity or a NaN is in A, or in a column of B that has no bound */
  ACCUBLAS_REASON_SINGULAR = 2,        /**< a pivot of A is zero; A may be singular or too ill-conditioned */
  ACCUBLAS_REASON_ILL_CONDITIONED = 3, /**< no approximate inverse that was tried proves A to be nonsingular */
  ACCUBLAS_REASON_OVERFLOW = 4,        /**< an unknown or its radius is beyond the largest number */
  ACCUBLAS_REASON_NOT_ORTHOGONAL = 5,  /**< the approximate vectors are too far from orthogonal, or have no bound */
  ACCUBLAS_REASON_INTERVAL = 6         /**< an eigenvalue is not proved to lie inside or outside of the interval */
};

/** How a solution or eigenvalues were certified. Set struct_size before the call; fields past it are not written. */
typedef struct accublas_certificate_t {
  size_t struct_size;        /**< sizeof(accublas_certificate_t) */
  accublas_reason reason;    /**< ACCUBLAS_REASON_NONE if all is proved: every radius is finite */
  int32_t positive_definite; /**< 1: A (sygv_certified, hegv_certified: B) is proved positive definite; 0: unknown */
  int32_t parts;             /**< 1 or 2: how many numbers held an element of the approximate inverse R, or of the
                              *   eigenvectors X; of qgesv and qposv 1, 2 or 4 */
  int64_t iterations;        /**< steps of refinement, at most for a block of right-hand sides */
  double condition;   /**< estimate of the condition number, in the row sum norm, of A with scaled rows and columns; of
                       *   eigenvectors: a bound of norm(A) / gap */
  double contraction; /**< proved bound of a norm of I - R A, or infinity; below 1: A is nonsingular. Of eigenvalues: of
                       *   I - X^H X; below 1: X is nonsingular */
  double residual;    /**< of eigenvalues: proved bound of the distance of every one of them from its approximation
                       *   in the proof, norm(A X - X D) / sqrt(1 - contraction); else 0 */
  double gap;         /**< of eigenvalues: proved lower bound of the distance between different clusters, 0 if there is
                       *   one cluster or if it is below the smallest number; else 0 */
} accublas_certificate_t;

/* The mode is that of the factorizations. It decides how the approximate inverse is computed, and no proof depends on
 * it. In cr, dp:repro and sp:repro X and the radii have the same bits everywhere. Operands are all in host memory or
 * all on one device, whose stream must not be captured, because the call waits. The call takes memory for at least five
 * matrices of doubles of order n (complex: 2 n) from the system, or from the pool of the GPU that computes LU
 * (docs/certified.md, "Cost"). accublas_report describes the whole: its sizes are n, nrhs and n, its backend and engine
 * are LU's, and its bounds are infinite, because the radii are the bounds. accublas_counters does not count the inner
 * calls.
 * Eigenvalues and singular values differ in two ways. Their bits depend on the first approximation, LAPACK's on the CPU
 * and cuSOLVER's on a GPU. The sizes in the report are n, n and n, of singular values m, n and n. */

/* Made from c_api/routines.py: certified */
/* clang-format off */
/** Solves A X = B with a bound of every error: abs(x - exact) <= radius for every element, proved for A and B as they
 * are given. For complex types the real part of a radius bounds the error of the real part of x, and the imaginary
 * part that of the imaginary part. A and B are only read. X, the radii and A must not overlap. If a radius cannot be
 * proved, it is infinite, X is an approximation, the status is ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate gives
 * the reason. After another error X and the radii are as they were.
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

/** Solves A X = B as gesv_certified does, for a Hermitian A, of which only the triangle uplo is read. The radii are
 * proved whether or not A is positive definite; certificate->positive_definite says whether that is proved too.
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

/** Computes the eigenvalues of a Hermitian A of order n, each with a proved bound: the k-th smallest eigenvalue of A,
 * as it is given, lies within radius[k] of w[k]. Only the triangle uplo of A is read, and only the real parts of its
 * diagonal. Column k of V approximates a unit eigenvector, and lies within angle[k] of the span of the exact
 * eigenvectors of its cluster. A cluster is a group of adjacent eigenvalues that are not proved to differ; an
 * eigenvalue that is proved to differ from all others is a cluster by itself. If nothing can be proved, the bounds are
 * infinite, the values are approximations, the status is ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate gives the
 * reason. After another error all results are as they were. LAPACK's syevd or heevd of the real BLAS computes the
 * first approximation. Proofs: docs/eigenvalues.md.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] jobz ACCUBLAS_VALUES, or ACCUBLAS_VECTORS: the vectors, their angles and the clusters are computed too
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in,out] w the eigenvalues, n numbers, ascending; in host or device memory
 * @param[in,out] radius bounds of the errors of w, n numbers; in host or device memory
 * @param[in,out] v the eigenvectors, n x n; with ACCUBLAS_VALUES not written, and may be NULL; in host or device
 *   memory
 * @param[in] ldv leading dimension of v, at least max(1, n)
 * @param[in,out] angle bounds of the angles of the vectors, in radians; with ACCUBLAS_VALUES not written, and may be
 *   NULL; in host or device memory
 * @param[out] cluster for each value the number, counted from 1, of the first value of its cluster; with
 *   ACCUBLAS_VALUES not written, and may be NULL; in host or device memory
 * @param[in,out] certificate how the solution was certified, in host memory with struct_size set, or NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsyev_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const double* a, int64_t lda, double* w, double* radius, double* v, int64_t ldv,
    double* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_ssyev_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const float* a, int64_t lda, float* w, float* radius, float* v, int64_t ldv,
    float* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_zheev_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const void* a, int64_t lda, double* w, double* radius, void* v, int64_t ldv,
    double* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_cheev_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const void* a, int64_t lda, float* w, float* radius, void* v, int64_t ldv,
    float* angle, int64_t* cluster, accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsyev_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const double* a, int64_t lda, double* w, double* radius,
    double* v, int64_t ldv, double* angle, int64_t* cluster, accublas_certificate_t* certificate,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssyev_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const float* a, int64_t lda, float* w, float* radius, float* v,
    int64_t ldv, float* angle, int64_t* cluster, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zheev_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, double* w, double* radius, void* v,
    int64_t ldv, double* angle, int64_t* cluster, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cheev_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, float* w, float* radius, void* v,
    int64_t ldv, float* angle, int64_t* cluster, accublas_certificate_t* certificate, const accublas_options* options);

/** Computes some eigenvalues of a Hermitian A as syev_certified does: all, those from number il to number iu in
 * ascending order, or those in the interval (vl, vu]. The first *found elements of w, radius, angle and cluster and
 * columns of V are written. For the interval their number is proved, too. If an eigenvalue is not proved to lie inside
 * or outside, those that may lie inside are returned with their bounds, the status is ACCUBLAS_ERROR_NOT_CERTIFIED,
 * and the reason is ACCUBLAS_REASON_INTERVAL. Otherwise only the eigenvalues that are returned affect the status.
 * cluster[k] is the number of the first eigenvalue of the cluster among all of A, from 1, and may exceed *found. The
 * report and the counters name syev_certified. Proofs: docs/eigenvalues.md.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] jobz ACCUBLAS_VALUES, or ACCUBLAS_VECTORS: the vectors, their angles and the clusters are computed too
 * @param[in] range ACCUBLAS_ALL, ACCUBLAS_INTERVAL or ACCUBLAS_INDICES: which eigenvalues are returned
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] vl ACCUBLAS_INTERVAL: the lower end of the interval (vl, vu], may be -infinity; else not used
 * @param[in] vu ACCUBLAS_INTERVAL: the upper end, larger than vl, may be infinity; else not used
 * @param[in] il ACCUBLAS_INDICES: the number of the first eigenvalue that is returned, counted from 1 for the smallest
 *   one; else not used
 * @param[in] iu ACCUBLAS_INDICES: the number of the last one, from il to n (n = 0: il is 1 and iu is 0); else not used
 * @param[out] found how many eigenvalues are returned, one number; in host memory. With ACCUBLAS_REASON_INTERVAL it
 *   counts those that may lie in the interval
 * @param[in,out] w the eigenvalues, ascending: iu - il + 1 numbers with ACCUBLAS_INDICES, else n; in host or device
 *   memory
 * @param[in,out] radius bounds of the errors of w, as many numbers; in host or device memory
 * @param[in,out] v the eigenvectors, n rows with a column for each number of w; with ACCUBLAS_VALUES not written, and
 *   may be NULL; in host or device memory
 * @param[in] ldv leading dimension of v, at least max(1, n) column-major, max(1, the numbers of w) row-major
 * @param[in,out] angle bounds of the angles of the vectors, in radians; with ACCUBLAS_VALUES not written, and may be
 *   NULL; in host or device memory
 * @param[out] cluster for each value the number, counted from 1, of the first value of its cluster; with
 *   ACCUBLAS_VALUES not written, and may be NULL; in host or device memory
 * @param[in,out] certificate how the solution was certified, in host memory with struct_size set, or NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsyevx_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const double* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, double* w, double* radius, double* v, int64_t ldv,
    double* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_ssyevx_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const float* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, float* w, float* radius, float* v, int64_t ldv, float* angle,
    int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_zheevx_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, double* w, double* radius, void* v, int64_t ldv, double* angle,
    int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_cheevx_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, float* w, float* radius, void* v, int64_t ldv, float* angle,
    int64_t* cluster, accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsyevx_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const double* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, double* w, double* radius, double* v, int64_t ldv,
    double* angle, int64_t* cluster, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssyevx_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const float* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, float* w, float* radius, float* v, int64_t ldv, float* angle,
    int64_t* cluster, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zheevx_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, double* w, double* radius, void* v, int64_t ldv, double* angle,
    int64_t* cluster, accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cheevx_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_range range, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, double vl,
    double vu, int64_t il, int64_t iu, int64_t* found, float* w, float* radius, void* v, int64_t ldv, float* angle,
    int64_t* cluster, accublas_certificate_t* certificate, const accublas_options* options);

/** Computes the eigenvalues of A x = w B x for Hermitian A and B of order n, each with a proved bound as
 * syev_certified does, and proves that B is positive definite. Only the triangle uplo of A and of B is read. Column k
 * of V has about x^H B x = 1, and angle[k] is measured in the inner product x^H B y. If B is not proved to be positive
 * definite, the reason is ACCUBLAS_REASON_ILL_CONDITIONED. LAPACK's sygvd or hegvd of the real BLAS computes the first
 * approximation. Proofs: docs/eigenvalues.md.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] jobz ACCUBLAS_VALUES, or ACCUBLAS_VECTORS: the vectors, their angles and the clusters are computed too
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] n order of A, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, n)
 * @param[in] b B; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, n)
 * @param[in,out] w the eigenvalues, n numbers, ascending; in host or device memory
 * @param[in,out] radius bounds of the errors of w, n numbers; in host or device memory
 * @param[in,out] v the eigenvectors, n x n; with ACCUBLAS_VALUES not written, and may be NULL; in host or device
 *   memory
 * @param[in] ldv leading dimension of v, at least max(1, n)
 * @param[in,out] angle bounds of the angles of the vectors, in radians; with ACCUBLAS_VALUES not written, and may be
 *   NULL; in host or device memory
 * @param[out] cluster for each value the number, counted from 1, of the first value of its cluster; with
 *   ACCUBLAS_VALUES not written, and may be NULL; in host or device memory
 * @param[in,out] certificate how the solution was certified, in host memory with struct_size set, or NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dsygv_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const double* a, int64_t lda, const double* b, int64_t ldb, double* w,
    double* radius, double* v, int64_t ldv, double* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_ssygv_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const float* a, int64_t lda, const float* b, int64_t ldb, float* w, float* radius,
    float* v, int64_t ldv, float* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_zhegv_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const void* a, int64_t lda, const void* b, int64_t ldb, double* w, double* radius,
    void* v, int64_t ldv, double* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_chegv_certified(accublas_context* ctx, accublas_layout layout, accublas_job jobz,
    accublas_uplo uplo, int64_t n, const void* a, int64_t lda, const void* b, int64_t ldb, float* w, float* radius,
    void* v, int64_t ldv, float* angle, int64_t* cluster, accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dsygv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const double* a, int64_t lda, const double* b, int64_t ldb,
    double* w, double* radius, double* v, int64_t ldv, double* angle, int64_t* cluster,
    accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ssygv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const float* a, int64_t lda, const float* b, int64_t ldb,
    float* w, float* radius, float* v, int64_t ldv, float* angle, int64_t* cluster,
    accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zhegv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, const void* b, int64_t ldb,
    double* w, double* radius, void* v, int64_t ldv, double* angle, int64_t* cluster,
    accublas_certificate_t* certificate, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_chegv_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, accublas_uplo uplo, int64_t n, const void* a, int64_t lda, const void* b, int64_t ldb, float* w,
    float* radius, void* v, int64_t ldv, float* angle, int64_t* cluster, accublas_certificate_t* certificate,
    const accublas_options* options);

/** Computes the k = min(m, n) singular values of A, m x n, each with a proved bound: the i-th largest singular value
 * of A, as it is given, lies within radius[i] of s[i]. Column i of U and row i of V^H approximate unit singular
 * vectors. Each lies within angle[i] of the span of the exact left (right) singular vectors of its cluster. A cluster
 * is a group of adjacent singular values that are not proved to differ. If the last cluster is not proved to differ
 * from 0 and m is not n, then its vectors of the longer side include those that A^H (m > n) or A (m < n) maps to 0. If
 * nothing can be proved, the bounds are infinite, the values are approximations, the status is
 * ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate gives the reason. After another error all results are as they
 * were. LAPACK's gesdd of the real BLAS, on a GPU cuSOLVER, computes the first approximation. Proofs:
 * docs/eigenvalues.md.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] jobz ACCUBLAS_VALUES, or ACCUBLAS_VECTORS: the vectors, their angles and the clusters are computed too
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in,out] s the singular values, k numbers, descending; in host or device memory
 * @param[in,out] radius bounds of the errors of s, k numbers; in host or device memory
 * @param[in,out] u the left singular vectors, m x k; with ACCUBLAS_VALUES not written, and may be NULL; in host or
 *   device memory
 * @param[in] ldu leading dimension of u, at least max(1, m) column-major, max(1, k) row-major
 * @param[in,out] vt V^H, whose rows are the conjugates of the right singular vectors, k x n; with ACCUBLAS_VALUES not
 *   written, and may be NULL; in host or device memory
 * @param[in] ldvt leading dimension of vt, at least max(1, k) column-major, max(1, n) row-major
 * @param[in,out] angle bounds of the angles of the vectors, in radians; with ACCUBLAS_VALUES not written, and may be
 *   NULL; in host or device memory
 * @param[out] cluster for each value the number, counted from 1, of the first value of its cluster; with
 *   ACCUBLAS_VALUES not written, and may be NULL; in host or device memory
 * @param[in,out] certificate how the solution was certified, in host memory with struct_size set, or NULL
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _ACCURACY, _POINTERS,
 *   _NO_DEVICE, _DEVICE, _C_UNDEFINED, _ENVIRONMENT, _NO_BLAS, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_dgesvd_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const double* a, int64_t lda, double* s, double* radius, double* u,
    int64_t ldu, double* vt, int64_t ldvt, double* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_sgesvd_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const float* a, int64_t lda, float* s, float* radius, float* u,
    int64_t ldu, float* vt, int64_t ldvt, float* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_zgesvd_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const void* a, int64_t lda, double* s, double* radius, void* u,
    int64_t ldu, void* vt, int64_t ldvt, double* angle, int64_t* cluster, accublas_certificate_t* certificate);
ACCUBLAS_API accublas_status accublas_cgesvd_certified(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const void* a, int64_t lda, float* s, float* radius, void* u, int64_t ldu,
    void* vt, int64_t ldvt, float* angle, int64_t* cluster, accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_dgesvd_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const double* a, int64_t lda, double* s, double* radius, double* u,
    int64_t ldu, double* vt, int64_t ldvt, double* angle, int64_t* cluster, accublas_certificate_t* certificate,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_sgesvd_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const float* a, int64_t lda, float* s, float* radius, float* u,
    int64_t ldu, float* vt, int64_t ldvt, float* angle, int64_t* cluster, accublas_certificate_t* certificate,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_zgesvd_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const void* a, int64_t lda, double* s, double* radius, void* u,
    int64_t ldu, void* vt, int64_t ldvt, double* angle, int64_t* cluster, accublas_certificate_t* certificate,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_cgesvd_certified_ex(accublas_context* ctx, accublas_layout layout,
    accublas_job jobz, int64_t m, int64_t n, const void* a, int64_t lda, float* s, float* radius, void* u, int64_t ldu,
    void* vt, int64_t ldvt, float* angle, int64_t* cluster, accublas_certificate_t* certificate,
    const accublas_options* options);
/* clang-format on */

/* ---------------------------------------------------------------------------------------------------------------
 * Products beyond double precision (docs/more-than-double.md)
 *
 * Numbers are IEEE binary128 (q, for instance __float128 or Fortran's real(real128) of gfortran; 16 bytes in the
 * machine's order, without an alignment) or pairs of doubles (dd: high and low, which lie side by side). Every result
 * is the exact result rounded once, for all finite operands: pairs get high = RN(S) and low = RN(S - high). The mode is
 * cr and no other; engines are int8 and sums. The rules for arguments, special values and operands are those of the
 * routines above, but arrays may lie in different memories (except in the forms with two strides). A GPU computes all
 * functions but qgesv and qposv if all arrays lie in its memory, and products of matrices if copies of host memory pay.
 * The CPU computes the rest, on copies of operands in device memory. A call waits. Solutions (qgesv, qposv) are not
 * rounded once, but have proved bounds of their errors.
 * ------------------------------------------------------------------------------------------------------------ */

/** A kind of numbers of accublas_gemm_mixed. */
typedef int32_t accublas_number;
enum {
  ACCUBLAS_BINARY64 = 1,     /**< double */
  ACCUBLAS_BINARY128 = 2,    /**< IEEE binary128 */
  ACCUBLAS_DOUBLE_DOUBLE = 3 /**< a pair of doubles, the exact sum of both */
};

/* Made from c_api/routines.py: quad_level1 */
/* clang-format off */
/** *result = sum over i < n of x_i y_i. n <= 0 gives +0. Increments may be 0: the first element counts n times.
 * Numbers of q are IEEE binary128, 16 bytes each; numbers of dd are pairs of doubles (high, low), which stand for
 * their exact sum.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x and y
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[in] y y; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qdot(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result);
ACCUBLAS_API accublas_status accublas_dddot(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qdot_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_dddot_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    const void* y, int64_t incy, void* result, const accublas_options* options);

/** *result = the Euclidean norm of x, the exact root rounded once. n <= 0 gives +0. A NaN in x gives NaN, else an
 * infinity gives +Inf. The increment may be 0: the first element counts n times.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] n elements of x
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS
 * @param[out] result one number; where accublas_set_pointer_mode says
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qnrm2(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    void* result);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qnrm2_ex(accublas_context* ctx, int64_t n, const void* x, int64_t incx,
    void* result, const accublas_options* options);
/* clang-format on */

/* Made from c_api/routines.py: quad */
/* clang-format off */
/** y = alpha op(A) x + beta y, A m x n. Numbers of q are IEEE binary128, 16 bytes each; numbers of dd are pairs of
 * doubles (high, low), which stand for their exact sum.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] trans op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] m rows of A, at least 0
 * @param[in] n columns of A, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A, m x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] y y, overwritten by the result; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qgemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
    void* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_ddgemv(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
    void* y, int64_t incy);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qgemv_ex(accublas_context* ctx, accublas_layout layout, accublas_transpose trans,
    int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x, int64_t incx, const void* beta,
    void* y, int64_t incy, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ddgemv_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose trans, int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x,
    int64_t incx, const void* beta, void* y, int64_t incy, const accublas_options* options);

/** y = alpha A x + beta y with A(i,j) at a[i rsa + j csa]. If A is on a device and x or y is not on it, the status is
 * ACCUBLAS_ERROR_UNAVAILABLE.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] m length of y, at least 0
 * @param[in] n length of x, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] rsa stride from a row of A to the next; it may be 0 or negative
 * @param[in] csa stride from a column of A to the next; it may be 0 or negative
 * @param[in] x x; in host or device memory
 * @param[in] incx stride of x in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] y y, overwritten by the result; in host or device memory
 * @param[in] incy stride of y in elements; if it is negative, the first element is at the far end, as in BLAS; not 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qgemv_strided(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy);
ACCUBLAS_API accublas_status accublas_ddgemv_strided(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qgemv_strided_ex(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ddgemv_strided_ex(accublas_context* ctx, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t rsa, int64_t csa, const void* x, int64_t incx, const void* beta, void* y, int64_t incy,
    const accublas_options* options);

/** C = alpha op(A) op(B) + beta C. Numbers of q are IEEE binary128, 16 bytes each; numbers of dd are pairs of doubles
 * (high, low), which stand for their exact sum.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A: op(A) is m x k; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] b B: op(B) is k x n; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qgemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
    accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
    const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc);
ACCUBLAS_API accublas_status accublas_ddgemm(accublas_context* ctx, accublas_layout layout, accublas_transpose transa,
    accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
    const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qgemm_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc,
    const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ddgemm_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc,
    const accublas_options* options);

/** C = alpha A B + beta C with A(i,p) at a[i rsa + p csa], B(p,j) at b[p rsb + j csb] and C(i,j) at c[i rsc + j csc].
 * If some of the matrices are on a device and not all on it, the status is ACCUBLAS_ERROR_UNAVAILABLE.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] m rows of A and C, at least 0
 * @param[in] n columns of B and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] rsa stride from a row of A to the next; it may be 0 or negative
 * @param[in] csa stride from a column of A to the next; it may be 0 or negative
 * @param[in] b B; in host or device memory
 * @param[in] rsb stride from a row of B to the next; it may be 0 or negative
 * @param[in] csb stride from a column of B to the next; it may be 0 or negative
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] rsc stride from a row of C to the next
 * @param[in] csc stride from a column of C to the next; rsc and csc must not let two elements coincide
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qgemm_strided(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc);
ACCUBLAS_API accublas_status accublas_ddgemm_strided(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qgemm_strided_ex(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ddgemm_strided_ex(accublas_context* ctx, int64_t m, int64_t n, int64_t k,
    const void* alpha, const void* a, int64_t rsa, int64_t csa, const void* b, int64_t rsb, int64_t csb,
    const void* beta, void* c, int64_t rsc, int64_t csc, const accublas_options* options);

/** C_i = alpha op(A_i) op(B_i) + beta C_i for 0 <= i < batch_count, where A_i begins at a + i stride_a.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a the first A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] stride_a elements from one A to the next; it may be 0 or negative
 * @param[in] b the first B; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] stride_b elements from one B to the next; it may be 0 or negative
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c the first C, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @param[in] stride_c elements from one C to the next; no element may belong to two results
 * @param[in] batch_count matrices, at least 0
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qgemm_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count);
ACCUBLAS_API accublas_status accublas_ddgemm_strided_batched(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qgemm_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count, const accublas_options* options);
ACCUBLAS_API accublas_status accublas_ddgemm_strided_batched_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    void* c, int64_t ldc, int64_t stride_c, int64_t batch_count, const accublas_options* options);

/** C = alpha op(A) op(B) + beta C for pairs of doubles whose high and low parts are two arrays. alpha and beta are
 * pairs.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] ahi the high parts of A; in host or device memory
 * @param[in] alo the low parts of A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] bhi the high parts of B; in host or device memory
 * @param[in] blo the low parts of B; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] chi the high parts of C, m x n, overwritten by the result; in host or device memory
 * @param[in,out] clo the low parts of C, m x n, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_ddgemm_split(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const double* ahi, const double* alo, int64_t lda, const double* bhi, const double* blo, int64_t ldb,
    const void* beta, double* chi, double* clo, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_ddgemm_split_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const double* ahi, const double* alo, int64_t lda, const double* bhi, const double* blo, int64_t ldb,
    const void* beta, double* chi, double* clo, int64_t ldc, const accublas_options* options);

/** C = alpha op(A) op(B) + beta C for operands of different numbers, for instance doubles with a binary128 result.
 * alpha and beta are numbers of C.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] transb op(B), with the values of transa
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A: op(A) is m x k; in host or device memory
 * @param[in] typea the numbers of A: ACCUBLAS_BINARY64, ACCUBLAS_BINARY128 or ACCUBLAS_DOUBLE_DOUBLE
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] b B: op(B) is k x n; in host or device memory
 * @param[in] typeb the numbers of B: ACCUBLAS_BINARY64, ACCUBLAS_BINARY128 or ACCUBLAS_DOUBLE_DOUBLE
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns of B as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] typec the numbers of C: ACCUBLAS_BINARY64, ACCUBLAS_BINARY128 or ACCUBLAS_DOUBLE_DOUBLE
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_gemm_mixed(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, accublas_number typea, int64_t lda, const void* b, accublas_number typeb, int64_t ldb,
    const void* beta, void* c, accublas_number typec, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_gemm_mixed_ex(accublas_context* ctx, accublas_layout layout,
    accublas_transpose transa, accublas_transpose transb, int64_t m, int64_t n, int64_t k, const void* alpha,
    const void* a, accublas_number typea, int64_t lda, const void* b, accublas_number typeb, int64_t ldb,
    const void* beta, void* c, accublas_number typec, int64_t ldc, const accublas_options* options);

/** Computes the triangle uplo of C = alpha A A^T + beta C (trans NO_TRANS) or alpha A^T A + beta C (TRANS).
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] trans ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (the same as ACCUBLAS_TRANS)
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A: n x k if trans is ACCUBLAS_NO_TRANS, else k x n; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns of A as
 *   stored) row-major
 * @param[in] beta one number; if it is 0, the old result is not read; where accublas_set_pointer_mode says
 * @param[in,out] c C, of order n, whose triangle uplo is overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qsyrk(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* beta,
    void* c, int64_t ldc);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qsyrk_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    accublas_transpose trans, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda, const void* beta,
    void* c, int64_t ldc, const accublas_options* options);

/** Solves op(A) X = alpha B (side LEFT) or X op(A) = alpha B (RIGHT) for X, which overwrites B; A is triangular of
 * order m (LEFT) or n. Every unknown, in the order of substitution, is the exact quotient of the exact alpha b - sum a
 * x over the unknowns before it, rounded once (docs/modes.md, "TRSM and TRSV").
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] layout ACCUBLAS_COL_MAJOR or ACCUBLAS_ROW_MAJOR, for every matrix of the call
 * @param[in] side ACCUBLAS_LEFT or ACCUBLAS_RIGHT: where A stands in the product
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle that is read or written
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (for real numbers the same as
 *   ACCUBLAS_TRANS)
 * @param[in] diag ACCUBLAS_NON_UNIT, or ACCUBLAS_UNIT: the diagonal of A is ones and is not read
 * @param[in] m rows of the result, at least 0
 * @param[in] n columns of the result, at least 0
 * @param[in] alpha one number; if it is 0, what it multiplies is not read; where accublas_set_pointer_mode says
 * @param[in] a A; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, order of A)
 * @param[in,out] b B, m x n, overwritten by X; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ACCURACY, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS,
 *   _DEVICE, _C_UNDEFINED, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qtrsm(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qtrsm_ex(accublas_context* ctx, accublas_layout layout, accublas_side side,
    accublas_uplo uplo, accublas_transpose transa, accublas_diag diag, int64_t m, int64_t n, const void* alpha,
    const void* a, int64_t lda, void* b, int64_t ldb, const accublas_options* options);
/* clang-format on */

/* Made from c_api/routines.py: quad_solvers */
/* clang-format off */
/** Solves A X = B in binary128 with a bound of every error: abs(x - exact) <= radius for every element, proved for A
 * and B as they are given. A and B are only read. X and the radii must not overlap A, B or each other. If a radius
 * cannot be proved, it is infinite, X is an approximation (NaN where A or B is not finite), the status is
 * ACCUBLAS_ERROR_NOT_CERTIFIED, and the certificate gives the reason. After another error X and the radii are as they
 * were. A target has no effect. Proofs: docs/certified.md.
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
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS, _DEVICE,
 *   _C_UNDEFINED, _ENVIRONMENT, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qgesv(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx, void* radius, int64_t ldr,
    accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qgesv_ex(accublas_context* ctx, accublas_layout layout, int64_t n, int64_t nrhs,
    const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx, void* radius, int64_t ldr,
    accublas_certificate_t* certificate, const accublas_options* options);

/** Solves A X = B as qgesv does, for a symmetric A, of which only the triangle uplo is read. The radii are proved
 * whether or not A is positive definite; certificate->positive_definite says whether that is proved too.
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
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _ENGINE, _UNAVAILABLE, _MEMORY, _POINTERS, _DEVICE,
 *   _C_UNDEFINED, _ENVIRONMENT, _NOT_CERTIFIED or _INTERNAL */
ACCUBLAS_API accublas_status accublas_qposv(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx,
    void* radius, int64_t ldr, accublas_certificate_t* certificate);
/** The functions above with options for this call (NULL: none). */
ACCUBLAS_API accublas_status accublas_qposv_ex(accublas_context* ctx, accublas_layout layout, accublas_uplo uplo,
    int64_t n, int64_t nrhs, const void* a, int64_t lda, const void* b, int64_t ldb, void* x, int64_t ldx,
    void* radius, int64_t ldr, accublas_certificate_t* certificate, const accublas_options* options);
/* clang-format on */

/* ---------------------------------------------------------------------------------------------------------------
 * Accumulators (docs/accumulators.md)
 *
 * An accumulator holds the sums S = op(A) op(B), m x n, of a product whose inner dimension arrives in panels: out of
 * core, from other processes, or over time. A panel is some columns of op(A) and the same rows of op(B). The sums are
 * integers modulo small coprime numbers (residues, as in engine int8), so adding a panel rounds nothing.
 * C = alpha S + beta C is rounded once, at the end. The result has the bits that one call of gemm returns in the same
 * mode. Neither the order of the panels nor their depths change a bit.
 *
 * The exponents of a row of op(A) or a column of op(B) are two adjacent integers E and D: every entry of the whole row
 * (column), in all panels, is below 2^E in magnitude and a multiple of 2^-D. accublas_accumulator_measure finds them.
 * The maxima of the exponents of several parts are those of the whole. A caller who knows only magnitudes may take
 * D = 1074 (single precision: 149).
 *
 * Only one thread at a time may use an accumulator. A, B and C may be in host or device memory. If a panel is in device
 * memory, or is large enough for the GPU, the sums move to the device, which computes (docs/accumulators.md). Calls
 * with operands in device memory follow the context's stream, and may wait. If C is in device memory, no
 * floating-point exceptions are raised. Exponents and exported bytes are in host memory.
 * ------------------------------------------------------------------------------------------------------------ */

/** Opaque accumulator. */
typedef struct accublas_accumulator accublas_accumulator;

/** Types of numbers. The values are the letters of their routines. */
typedef int32_t accublas_type;
enum {
  ACCUBLAS_TYPE_C = 99,  /**< complex numbers of single precision */
  ACCUBLAS_TYPE_D = 100, /**< real numbers of double precision */
  ACCUBLAS_TYPE_S = 115, /**< real numbers of single precision */
  ACCUBLAS_TYPE_Z = 122  /**< complex numbers of double precision */
};

/** Both exponents of a row or column of zeros, and the value that exponents have before the first panel. */
#define ACCUBLAS_EXPONENT_NONE INT32_MIN

/** Raises the exponents of rows of op(A) (side LEFT) or of columns of op(B) (RIGHT) to those of a panel. If a row
 * (column) holds Inf or NaN in this panel, the panel leaves its exponents as they are. The exponents are exact: the
 * least E and D of the entries.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] type an accublas_type
 * @param[in] side ACCUBLAS_LEFT: x is a panel of A; ACCUBLAS_RIGHT: x is a panel of B
 * @param[in] layout ACCUBLAS_ROW_MAJOR or ACCUBLAS_COL_MAJOR
 * @param[in] trans op: ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] lines rows of op(A) or columns of op(B), at least 0
 * @param[in] k terms of the panel, at least 0: columns of op(A) or rows of op(B)
 * @param[in] x the panel: op(x) is lines x k (LEFT) or k x lines (RIGHT); in host or device memory
 * @param[in] ldx leading dimension of x, at least max(1, rows of x as stored) column-major, max(1, columns) row-major
 * @param[in,out] exponents E_0, D_0, E_1, D_1, ...: 2 * lines integers from -1200 to 1200 or ACCUBLAS_EXPONENT_NONE,
 * in host memory, apart from x. Before the first panel all of them are ACCUBLAS_EXPONENT_NONE
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MEMORY, _POINTERS, _NO_DEVICE, _DEVICE, _ENVIRONMENT or
 * _INTERNAL; on failure the exponents are as they were */
ACCUBLAS_API accublas_status accublas_accumulator_measure(accublas_context* ctx, accublas_type type, accublas_side side,
                                                          accublas_layout layout, accublas_transpose trans,
                                                          int64_t lines, int64_t k, const void* x, int64_t ldx,
                                                          int32_t* exponents);
/** Creates an accumulator of zeros. In host memory it takes about 1.4 bytes for each element of C and modulus, and up
 * to 640 bytes for each row of op(A), column of op(B) and modulus; in device memory 1 byte and up to 8192 bytes.
 * Complex elements of C and rows take twice as much.
 * accublas_accumulator_report returns the number of moduli.
 * @param[in] ctx context, or NULL
 * @param[in] type an accublas_type
 * @param[in] mode "cr" or "fixed:T", T from 2 to 150, with the definitions of docs/modes.md
 * @param[in] m rows of op(A) and C, from 0 to 2^44
 * @param[in] n columns of op(B) and C, from 0 to 2^44
 * @param[in] k an upper bound of the terms of all panels together, from 0 to 2^44
 * @param[in] rows exponents E and D of the rows of op(A): 2 m integers from -1200 to 1200 or ACCUBLAS_EXPONENT_NONE, in
 *   host memory. In fixed:T they must be those of the whole rows, since they are part of the definition
 * @param[in] columns exponents E and D of the columns of op(B): 2 n integers, as `rows` has them
 * @param[in] bits in cr, the bits that are kept of an entry, below its row's or column's 2^E: 2 to 150, or 0 for the
 *   default of 80 (single precision: 51). An operand whose entries all have fewer takes fewer. By default one in double
 *   precision that needs more takes up to 85, if they need no further modulus. With more bits fewer elements are
 *   undecided, and panels take longer. In fixed:T: 0
 * @param[out] accumulator the accumulator; NULL on failure
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MODE, _MEMORY, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_accumulator_create(accublas_context* ctx, accublas_type type, const char* mode,
                                                         int64_t m, int64_t n, int64_t k, const int32_t* rows,
                                                         const int32_t* columns, int32_t bits,
                                                         accublas_accumulator** accumulator);
/** Frees an accumulator. NULL is allowed and does nothing.
 * @param[in] accumulator the accumulator
 * @return ACCUBLAS_SUCCESS */
ACCUBLAS_API accublas_status accublas_accumulator_destroy(accublas_accumulator* accumulator);
/** Adds the product of a panel, S += op(A) op(B), exactly. In the second round, after accublas_accumulator_finish
 * returned ACCUBLAS_ERROR_UNDECIDED, it adds to the exact sums of the undecided elements. On failure the accumulator is
 * as it was.
 * @param[in] ctx context, or NULL
 * @param[in,out] accumulator the accumulator
 * @param[in] layout ACCUBLAS_ROW_MAJOR or ACCUBLAS_COL_MAJOR; it may differ from panel to panel
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] transb op(B): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] k terms of the panel, at least 0. The panels together have at most the k of the accumulator. In the second
 *   round they have together at most the terms of the first round
 * @param[in] a A: op(A) is m x k; in host or device memory
 * @param[in] lda leading dimension of a, at least max(1, rows of A as stored) column-major, max(1, columns) row-major
 * @param[in] b B: op(B) is k x n; in host or device memory
 * @param[in] ldb leading dimension of b, at least max(1, rows of B as stored) column-major, max(1, columns) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT (also for an entry that does not fit the exponents), _MEMORY,
 *   _POINTERS, _NO_DEVICE, _DEVICE, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_accumulator_add(accublas_context* ctx, accublas_accumulator* accumulator,
                                                      accublas_layout layout, accublas_transpose transa,
                                                      accublas_transpose transb, int64_t k, const void* a, int64_t lda,
                                                      const void* b, int64_t ldb);
/** Computes C = alpha S + beta C, each element rounded once, with the bits and the floating-point exceptions of one
 * call of gemm on all panels. The accumulator keeps its sums: further calls of finish may follow, and so may panels
 * unless a second round has begun.
 *
 * In cr some elements may be undecided, because their operands have more bits than the accumulator keeps. Then the
 * function returns ACCUBLAS_ERROR_UNDECIDED, C is as it was, and the second round begins. The caller adds all panels
 * again and calls finish again with the same alpha, beta and C, which then succeeds. With another alpha, beta or C more
 * elements may be undecided, and a further round follows.
 * @param[in] ctx context, or NULL
 * @param[in,out] accumulator the accumulator
 * @param[in] layout ACCUBLAS_ROW_MAJOR or ACCUBLAS_COL_MAJOR
 * @param[in] alpha factor of the sums, a number of the accumulator's type, in the memory that
 *   accublas_set_pointer_mode names
 * @param[in] beta factor of C, a number of the accumulator's type, in the memory that accublas_set_pointer_mode names.
 *   If it is zero, C is not read
 * @param[in,out] c C, m x n, overwritten by the result; in host or device memory
 * @param[in] ldc leading dimension of c, at least max(1, m) column-major, max(1, n) row-major
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT (also if the second round lacks panels), _UNDECIDED, _MEMORY,
 *   _POINTERS, _UNAVAILABLE, _NO_DEVICE, _DEVICE, _C_UNDEFINED (C is in device memory, and it could not be written
 *   completely), _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_accumulator_finish(accublas_context* ctx, accublas_accumulator* accumulator,
                                                         accublas_layout layout, const void* alpha, const void* beta,
                                                         void* c, int64_t ldc);
/** Lists the undecided elements of the second round, column by column. An element counts once, also a complex one.
 * @param[in] ctx context, or NULL
 * @param[in] accumulator the accumulator
 * @param[in] capacity length of the arrays rows and columns, at least 0
 * @param[out] rows rows of the first `capacity` undecided elements, from 0; not used if capacity is 0
 * @param[out] columns columns of the first `capacity` undecided elements, from 0; not used if capacity is 0
 * @param[out] count the number of undecided elements, which may exceed capacity
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT */
ACCUBLAS_API accublas_status accublas_accumulator_undecided(accublas_context* ctx,
                                                            const accublas_accumulator* accumulator, int64_t capacity,
                                                            int64_t* rows, int64_t* columns, int64_t* count);
/** Writes the accumulator as plain bytes, which any machine with this version of the format reads. Their form is in
 * docs/accumulators.md.
 * @param[in] ctx context, or NULL
 * @param[in] accumulator the accumulator
 * @param[out] bytes host memory for the bytes, or NULL: then only *size is written
 * @param[in] capacity size of that memory in bytes
 * @param[out] size number of bytes of the exported accumulator
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _MEMORY, _DEVICE, _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_accumulator_export(accublas_context* ctx, accublas_accumulator* accumulator,
                                                         void* bytes, size_t capacity, size_t* size);
/** Creates an accumulator from the bytes of another one. It has the same sums, settings and undecided elements.
 * @param[in] ctx context, or NULL
 * @param[in] bytes the bytes that accublas_accumulator_export wrote
 * @param[in] size number of bytes
 * @param[out] accumulator the accumulator; NULL on failure
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _FORMAT (damaged, truncated or foreign bytes), _MEMORY,
 *   _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_accumulator_import(accublas_context* ctx, const void* bytes, size_t size,
                                                         accublas_accumulator** accumulator);
/** Adds the sums of another accumulator, given by its bytes, exactly. Both have the same type, mode, m, n, k, exponents
 * and bits. In the second round both have the same undecided elements: one of them was imported from the other one's
 * bytes after accublas_accumulator_finish. On failure the accumulator is as it was.
 * @param[in] ctx context, or NULL
 * @param[in,out] accumulator the accumulator
 * @param[in] bytes the bytes that accublas_accumulator_export wrote
 * @param[in] size number of bytes
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT (the accumulators differ), _FORMAT, _MEMORY, _DEVICE,
 *   _ENVIRONMENT or _INTERNAL */
ACCUBLAS_API accublas_status accublas_accumulator_merge(accublas_context* ctx, accublas_accumulator* accumulator,
                                                        const void* bytes, size_t size);

/** A report on an accumulator. Set struct_size before asking; fields past it are not written. */
typedef struct accublas_accumulator_report_t {
  size_t struct_size;      /**< sizeof(accublas_accumulator_report_t) */
  char mode[32];           /**< the mode word, "cr" or "fixed:T" */
  int32_t type;            /**< an accublas_type */
  int32_t row_bits;        /**< bits of the entries of op(A); less than T if no entry has more */
  int32_t column_bits;     /**< bits of the entries of op(B) */
  int32_t moduli;          /**< number of moduli; an exported sum takes as many bytes */
  int64_t m;               /**< rows of C */
  int64_t n;               /**< columns of C */
  int64_t k;               /**< the largest number of terms */
  int64_t terms;           /**< terms that were added in the first round */
  int64_t terms_again;     /**< terms that were added in the second round */
  int64_t undecided;       /**< sums that were undecided; complex elements have two; 0: there is no second round */
  int64_t bytes;           /**< memory of the accumulator in bytes */
  int64_t workspace_bytes; /**< peak workspace of the last add or finish in bytes */
  double ms_total;         /**< milliseconds of the last add, merge or finish */
  int32_t exact;           /**< 1: no bit was dropped (in fixed:T beyond its definition), so nothing can be undecided */
} accublas_accumulator_report_t;

/** Copies a report on the accumulator.
 * @param[in] ctx context, or NULL
 * @param[in] accumulator the accumulator
 * @param[in,out] report the report
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT */
ACCUBLAS_API accublas_status accublas_accumulator_report(accublas_context* ctx, const accublas_accumulator* accumulator,
                                                         accublas_accumulator_report_t* report);

/* ---------------------------------------------------------------------------------------------------------------
 * Multiple-precision arrays (docs/multiple-precision.md)
 *
 * An array holds `length` numbers of `precision` bits, 64 .. 8192, in a residue number system. A finite nonzero
 * number is (-1)^s X 2^(e - precision), where X is an integer with 2^(precision-1) <= X < 2^precision, and abs(e) <=
 * 2^30 - 1 (MPFR's convention and default range). There are signed zeros, signed infinities and one NaN. Equal numbers
 * have equal bits. A value that must be rounded is rounded once, to nearest even. A value beyond the range of e becomes
 * an infinity, or the least number or a zero of its sign.
 *
 * A vector is given by array, offset and increment, and a matrix by array, offset and leading dimension, in
 * column-major order. Offsets and lengths count elements from 0. Blocks outside of the array, sizes below 0 and leading
 * dimensions below max(1, m) are ACCUBLAS_ERROR_ARGUMENT. Sizes of 0 are allowed: nothing is read or written then,
 * except that C (y) becomes beta C (beta y) if it has elements, whose sums then have no terms. A failing status other
 * than ACCUBLAS_ERROR_C_UNDEFINED means that nothing was written.
 *
 * An array is in host or in device memory. Transfers to and from the user's memory work in both cases and are complete
 * at return. Only one thread at a time may use an array.
 * ------------------------------------------------------------------------------------------------------------ */

/** Opaque array of multiple-precision numbers. */
typedef struct accublas_mp_array accublas_mp_array;

/** The memory of an array. */
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
  ACCUBLAS_MP_NAN = 3       /**< a NaN */
};

/** The exponent that stands for a zero, where numbers are passed as limbs. */
#define ACCUBLAS_MP_EXPONENT_ZERO INT64_MIN
#define ACCUBLAS_MP_EXPONENT_INFINITY (INT64_MIN + 1) /**< the exponent that stands for an infinity */
#define ACCUBLAS_MP_EXPONENT_NAN (INT64_MIN + 2)      /**< the exponent that stands for a NaN */

/** Creates an array of `length` zeros (+0) in host memory. *array is NULL on failure. */
ACCUBLAS_API accublas_status accublas_mp_create(accublas_context* ctx, int32_t precision, int64_t length,
                                                accublas_mp_array** array);
/** Waits for the calls that use the array and frees it. NULL is allowed and does nothing. */
ACCUBLAS_API accublas_status accublas_mp_destroy(accublas_mp_array* array);
/** Returns the precision in bits; 0 for NULL. */
ACCUBLAS_API int32_t accublas_mp_precision(const accublas_mp_array* array);
/** Returns the number of elements; 0 for NULL. */
ACCUBLAS_API int64_t accublas_mp_length(const accublas_mp_array* array);
/** Returns the memory of the array, an accublas_mp_place; ACCUBLAS_MP_HOST for NULL. */
ACCUBLAS_API int32_t accublas_mp_get_place(const accublas_mp_array* array);
/** Returns the bytes of memory that the array and its aligned form take; 0 for NULL. */
ACCUBLAS_API int64_t accublas_mp_bytes(const accublas_mp_array* array);
/** Moves the array to host memory, or to the memory of the context's device (ACCUBLAS_ERROR_NO_DEVICE without one). An
 * array that is there already stays as it is; otherwise the aligned form is dropped. On failure the array stays where
 * it was and as it was. */
ACCUBLAS_API accublas_status accublas_mp_move(accublas_context* ctx, accublas_mp_array* array, accublas_mp_place place);

/* Input and output. Blocks are m x n and column-major. In the array a block begins at `offset` and has the leading
 * dimension ld >= max(1, m); in the user's memory lda >= max(1, m). A vector of n elements with increment inc > 0 is
 * the block 1 x n with ld = inc. */

/** Set and get copy a block from and to doubles. Set is exact, also for subnormal numbers, infinities and NaN. Get
 * rounds once to nearest even, with gradual underflow, and every NaN becomes the positive quiet one. */
ACCUBLAS_API accublas_status accublas_mp_set_double(accublas_context* ctx, accublas_mp_array* array, int64_t offset,
                                                    int64_t ld, int64_t m, int64_t n, const double* values,
                                                    int64_t lda);
ACCUBLAS_API accublas_status accublas_mp_get_double(accublas_context* ctx, const accublas_mp_array* array,
                                                    int64_t offset, int64_t ld, int64_t m, int64_t n, double* values,
                                                    int64_t lda);
/** Set and get copy a block from and to limbs in GMP's order. Number t = i + j m of the block is (-1)^signs[t] N
 * 2^exponents[t], where N is the integer of the `size` limbs at limbs[t size], least significant first. The codes
 * ACCUBLAS_MP_EXPONENT_* stand for zeros, infinities and NaN, whose limbs are not read.
 *
 * Set takes any N, and rounds it if it is longer than the precision; N = 0 is a zero of the sign. If signs is NULL, all
 * numbers are positive. Get is exact, with N = X and exponents[t] = e - precision or a code. It needs size >=
 * ceil(precision / 64), else it returns ACCUBLAS_ERROR_ARGUMENT; signs may be NULL. */
ACCUBLAS_API accublas_status accublas_mp_set_limbs(accublas_context* ctx, accublas_mp_array* array, int64_t offset,
                                                   int64_t ld, int64_t m, int64_t n, const uint64_t* limbs,
                                                   int64_t size, const int64_t* exponents, const int32_t* signs);
ACCUBLAS_API accublas_status accublas_mp_get_limbs(accublas_context* ctx, const accublas_mp_array* array,
                                                   int64_t offset, int64_t ld, int64_t m, int64_t n, uint64_t* limbs,
                                                   int64_t size, int64_t* exponents, int32_t* signs);
/** Sets one element from a string as MPFR's mpfr_strtofr reads it, correctly rounded. The base is 10, 16, or 0 (16
 * after 0x, else 10). Examples are "-1.25e-3", "0x1.8p+4" (with an exponent of 2), "1.8@2" (base 16, with an exponent
 * of 16), "inf" and "nan". If the whole string, up to blanks around it, is not a number, the status is
 * ACCUBLAS_ERROR_FORMAT. A build without MPFR returns ACCUBLAS_ERROR_UNAVAILABLE. MPFR works in GMP's memory; if there
 * is none, GMP ends the program (abort), and no status comes back. */
ACCUBLAS_API accublas_status accublas_mp_set_string(accublas_context* ctx, accublas_mp_array* array, int64_t index,
                                                    const char* text, int32_t base);
/** Writes one element as a string in base 10 or 16, correctly rounded, with one digit before the point and `digits`
 * significant digits. digits = 0 takes as many as give the same number when they are read again. A decimal exponent
 * follows "e". A hexadecimal string begins with "0x", and its exponent (of 2) follows "p". *needed is the size with the
 * terminating NUL; needed may be NULL. If `size` is less and text is not NULL, the status is ACCUBLAS_ERROR_ARGUMENT. A
 * build without MPFR returns ACCUBLAS_ERROR_UNAVAILABLE. MPFR works in GMP's memory; if there is none, GMP ends the
 * program (abort), and no status comes back. */
ACCUBLAS_API accublas_status accublas_mp_get_string(accublas_context* ctx, const accublas_mp_array* array,
                                                    int64_t index, int32_t base, int32_t digits, char* text,
                                                    size_t size, size_t* needed);
/** Prints a block, column after column, one element a line. Each line is the string that accublas_mp_get_string writes
 * with this base and these digits. A build without MPFR returns ACCUBLAS_ERROR_UNAVAILABLE. */
ACCUBLAS_API accublas_status accublas_mp_print(accublas_context* ctx, FILE* stream, const accublas_mp_array* array,
                                               int64_t offset, int64_t ld, int64_t m, int64_t n, int32_t base,
                                               int32_t digits);
#if defined(MPFR_VERSION)
/** Set and get copy one element from and to an mpfr_t, correctly rounded to the destination's precision and range. Get
 * rounds into MPFR's present range of exponents; no other function depends on it, and none changes MPFR's state. These
 * functions are declared if <mpfr.h> comes before this header. A build without MPFR returns
 * ACCUBLAS_ERROR_UNAVAILABLE. */
ACCUBLAS_API accublas_status accublas_mp_set_mpfr(accublas_context* ctx, accublas_mp_array* array, int64_t index,
                                                  mpfr_srcptr value);
ACCUBLAS_API accublas_status accublas_mp_get_mpfr(accublas_context* ctx, const accublas_mp_array* array, int64_t index,
                                                  mpfr_ptr value);
#endif
/** Both functions copy an m x n block between arrays in the same memory. accublas_mp_convert rounds if the precision of
 * `to` is smaller; accublas_mp_copy returns ACCUBLAS_ERROR_PRECISION if the precisions differ. Blocks of one array must
 * not overlap. Arrays in different memory are ACCUBLAS_ERROR_POINTERS. */
ACCUBLAS_API accublas_status accublas_mp_copy(accublas_context* ctx, int64_t m, int64_t n,
                                              const accublas_mp_array* from, int64_t offset_from, int64_t ld_from,
                                              accublas_mp_array* to, int64_t offset_to, int64_t ld_to);
ACCUBLAS_API accublas_status accublas_mp_convert(accublas_context* ctx, int64_t m, int64_t n,
                                                 const accublas_mp_array* from, int64_t offset_from, int64_t ld_from,
                                                 accublas_mp_array* to, int64_t offset_to, int64_t ld_to);

/* Queries. They read sign, exponent and the interval evaluation of X / M, where M is the product of the element's
 * moduli. Only a comparison whose intervals overlap reconstructs the numbers. */

/** Compares two numbers, whose precisions may differ: *result is -1 if x < y, 0 if x = y, 1 if x > y, and 2 if one of
 * them is NaN. +0 = -0. */
ACCUBLAS_API accublas_status accublas_mp_compare(accublas_context* ctx, const accublas_mp_array* x, int64_t index_x,
                                                 const accublas_mp_array* y, int64_t index_y, int32_t* result);
/** Writes the class of the number at `index`, an accublas_mp_class_t, to *result. */
ACCUBLAS_API accublas_status accublas_mp_classify(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                                  int32_t* result);
/** Writes the sign of the number at `index`, -1, 0 or 1, to *result; it is 0 for zeros and NaN. */
ACCUBLAS_API accublas_status accublas_mp_sign(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                              int32_t* result);
/** Writes the e with 2^(e-1) <= abs(x) < 2^e to *exponent, or a code ACCUBLAS_MP_EXPONENT_*. */
ACCUBLAS_API accublas_status accublas_mp_exponent(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                                  int64_t* exponent);
/** Writes the interval evaluation: *lower <= X / M <= *upper, where M is the product of the element's moduli. Both are
 * 0 unless the number is finite and not zero. */
ACCUBLAS_API accublas_status accublas_mp_evaluation(accublas_context* ctx, const accublas_mp_array* x, int64_t index,
                                                    double* lower, double* upper);

/** Builds the aligned form of the m x n matrix at `offset`: common exponents of rows and columns, and residues for the
 * range of the products. With it accublas_mp_gemv (N and T) and accublas_mp_gemm run at the speed of memory, if they
 * use exactly this matrix. The array keeps the form until one of its elements is written, the array is moved or
 * destroyed, or another form is built. `spread` (0 .. 64, or -1 for 64) is the number of bits over which the exponents
 * of the vectors may spread, after scaling. A call with a larger spread makes the form grow, which takes as long as
 * this call. Without an aligned form every routine aligns its operands for itself. */
ACCUBLAS_API accublas_status accublas_mp_align(accublas_context* ctx, accublas_mp_array* array, int64_t offset,
                                               int64_t lda, int64_t m, int64_t n, int32_t spread);
/** Drops the aligned form, if there is one. */
ACCUBLAS_API accublas_status accublas_mp_drop_aligned(accublas_context* ctx, accublas_mp_array* array);

/* Routines. All operands have one precision (else ACCUBLAS_ERROR_PRECISION) and are in one memory (else
 * ACCUBLAS_ERROR_POINTERS). Every element of the result is the exact value of alpha S + beta c, rounded once, where S
 * is the sum of the products and c the old element. docs/multiple-precision.md, "Results", has the rules for special
 * values, alpha = 0 and beta = 0.
 *
 * alpha and beta are elements of arrays; NULL stands for alpha = 1 and beta = 0 (not in accublas_mp_scal). The output
 * must not share an element with another operand, else the status is ACCUBLAS_ERROR_ARGUMENT. Increments may be
 * negative (a vector then starts at the far end, as in BLAS), but not 0. On a device calls may return before they are
 * done; accublas_sync waits. */

/** Computes y = alpha op(A) x + beta y; A is m x n at offset_a, lda >= max(1, m). */
ACCUBLAS_API accublas_status accublas_mp_gemv(accublas_context* ctx, accublas_transpose trans, int64_t m, int64_t n,
                                              const accublas_mp_array* alpha, int64_t index_alpha, accublas_mp_array* a,
                                              int64_t offset_a, int64_t lda, const accublas_mp_array* x,
                                              int64_t offset_x, int64_t incx, const accublas_mp_array* beta,
                                              int64_t index_beta, accublas_mp_array* y, int64_t offset_y, int64_t incy);
/** Computes result[index_result] = sum_i x_i y_i over i < n; n = 0 gives +0. */
ACCUBLAS_API accublas_status accublas_mp_dot(accublas_context* ctx, int64_t n, const accublas_mp_array* x,
                                             int64_t offset_x, int64_t incx, const accublas_mp_array* y,
                                             int64_t offset_y, int64_t incy, accublas_mp_array* result,
                                             int64_t index_result);
/** Computes y = alpha x + y; alpha = 0 leaves y as it is. */
ACCUBLAS_API accublas_status accublas_mp_axpy(accublas_context* ctx, int64_t n, const accublas_mp_array* alpha,
                                              int64_t index_alpha, const accublas_mp_array* x, int64_t offset_x,
                                              int64_t incx, accublas_mp_array* y, int64_t offset_y, int64_t incy);
/** Computes x = alpha x, element by element with IEEE's rules; alpha = 0 gives +0, and x is not read. */
ACCUBLAS_API accublas_status accublas_mp_scal(accublas_context* ctx, int64_t n, const accublas_mp_array* alpha,
                                              int64_t index_alpha, accublas_mp_array* x, int64_t offset_x,
                                              int64_t incx);
/** Computes C = alpha op(A) op(B) + beta C; all matrices are column-major.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] transa op(A): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS (the same as ACCUBLAS_TRANS)
 * @param[in] transb op(B): ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS
 * @param[in] m rows of op(A) and C, at least 0
 * @param[in] n columns of op(B) and C, at least 0
 * @param[in] k columns of op(A) and rows of op(B), at least 0
 * @param[in] alpha array of alpha, or NULL for alpha = 1
 * @param[in] index_alpha index of alpha in its array; not used if alpha is NULL
 * @param[in] a array of A. An aligned form that it keeps of exactly this matrix is used
 * @param[in] offset_a index of A(0,0)
 * @param[in] lda distance of A's columns, at least max(1, m) (transposed: k)
 * @param[in] b array of B, which may be that of A
 * @param[in] offset_b index of B(0,0)
 * @param[in] ldb distance of B's columns, at least max(1, k) (transposed: n)
 * @param[in] beta array of beta, or NULL for beta = 0
 * @param[in] index_beta index of beta in its array; not used if beta is NULL
 * @param[in,out] c array of C, overwritten by the result. C shares no element with another operand, whatever alpha is
 * @param[in] offset_c index of C(0,0)
 * @param[in] ldc distance of C's columns, at least max(1, m)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _PRECISION, _POINTERS, _MEMORY, _NO_DEVICE, _DEVICE,
 *   _C_UNDEFINED or _INTERNAL. After any error but _C_UNDEFINED, C is as it was */
ACCUBLAS_API accublas_status accublas_mp_gemm(accublas_context* ctx, accublas_transpose transa,
                                              accublas_transpose transb, int64_t m, int64_t n, int64_t k,
                                              const accublas_mp_array* alpha, int64_t index_alpha, accublas_mp_array* a,
                                              int64_t offset_a, int64_t lda, const accublas_mp_array* b,
                                              int64_t offset_b, int64_t ldb, const accublas_mp_array* beta,
                                              int64_t index_beta, accublas_mp_array* c, int64_t offset_c, int64_t ldc);

/** Computes C = alpha A A' + beta C or C = alpha A' A + beta C on one triangle of C, with about half of the work of
 * accublas_mp_gemm and its bits. Both matrices are column-major. The other triangle is neither read nor written, and A
 * may lie there.
 * @param[in] ctx context, or NULL: the default context of the thread
 * @param[in] uplo ACCUBLAS_UPPER or ACCUBLAS_LOWER: the triangle of C
 * @param[in] trans ACCUBLAS_NO_TRANS: A A', where A is n x k; ACCUBLAS_TRANS or ACCUBLAS_CONJ_TRANS: A' A, where A is
 *   k x n
 * @param[in] n order of C, at least 0
 * @param[in] k terms of an inner product, at least 0
 * @param[in] alpha array of alpha, or NULL for alpha = 1
 * @param[in] index_alpha index of alpha in its array; not used if alpha is NULL
 * @param[in] a array of A. An aligned form that it keeps of exactly this matrix is used
 * @param[in] offset_a index of A(0,0)
 * @param[in] lda distance of A's columns, at least max(1, n) (transposed: k)
 * @param[in] beta array of beta, or NULL for beta = 0
 * @param[in] index_beta index of beta in its array; not used if beta is NULL
 * @param[in,out] c array of C, whose triangle is overwritten. The triangle shares no element with another operand,
 *   whatever alpha is
 * @param[in] offset_c index of C(0,0)
 * @param[in] ldc distance of C's columns, at least max(1, n)
 * @return ACCUBLAS_SUCCESS, or ACCUBLAS_ERROR_ARGUMENT, _PRECISION, _POINTERS, _MEMORY, _NO_DEVICE, _DEVICE,
 *   _C_UNDEFINED or _INTERNAL. After any error but _C_UNDEFINED, C is as it was */
ACCUBLAS_API accublas_status accublas_mp_syrk(accublas_context* ctx, accublas_uplo uplo, accublas_transpose trans,
                                              int64_t n, int64_t k, const accublas_mp_array* alpha, int64_t index_alpha,
                                              accublas_mp_array* a, int64_t offset_a, int64_t lda,
                                              const accublas_mp_array* beta, int64_t index_beta, accublas_mp_array* c,
                                              int64_t offset_c, int64_t ldc);

/** These functions return error bounds of the published multiple-precision GEMV (Isupov and Knyazkov 2020, equations 16
 * to 19), for n terms and moduli with the product M = 2^log2_m. The arithmetic of the paper with p bits takes log2_m =
 * 2 p + 2. The results of accublas_mp_gemv are within half a unit in the last place, far below these bounds.
 * accublas_mp_published_bound returns the factor (n + 2) u / (1 - (n + 2) u) with u = 4 / sqrt(M), but at least
 * 2^-1074. This factor times the magnitude sum_i (abs(beta y_i) + sum_j abs(alpha a_ij x_j)) bounds the error. The
 * other two functions take and return binary logarithms, because the bounds leave the range of doubles from 1075 bits
 * on. The absolute bound, (16) and (18), is that of the error sum_i abs(y*_i - y_i); the relative bound, (17) and (19),
 * divides this error by the exact sum_i abs(y*_i). The functions return infinity if the bounds do not apply, and never
 * less than the exact value for the given numbers. */
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
  int32_t moduli;           /**< moduli of the products (the largest number) */
  int32_t spread;           /**< bits of spread that row and column scaling left in A */
  int32_t bands;            /**< the largest number of bands of an output; 1: no output was split */
  int32_t threads;          /**< threads of accublas's own pool that the call was planned for */
  int64_t outputs_in_bands; /**< outputs that were summed in more than one band */
  int64_t aligned_bytes;    /**< bytes of the aligned form of A */
  int64_t copied_bytes;     /**< bytes that a move copied between host and device; the other fields are 0 then */
  int32_t aligned_kept;     /**< 1: the kept aligned form of A was used */
  int32_t level;            /**< the report level that the call ran under */
  double ms_total;          /**< milliseconds of the call, from report level 1 on */
  double ms_align;          /**< milliseconds of aligning A and B; level 2 */
  double ms_product;        /**< milliseconds of residue products; level 2 */
  double ms_finish;         /**< milliseconds of reconstruction, alpha, beta, rounding, residues of results; level 2 */
  char engine[16];          /**< "int8" or "sums" (residues of 31 bits); empty for a call without products */
} accublas_mp_report_t;

/** Copies the report on the last accublas_mp_* routine, alignment or move on the context. Waits for it if it runs on a
 * device. */
ACCUBLAS_API accublas_status accublas_mp_report(accublas_context* ctx, accublas_mp_report_t* report);

#ifdef __cplusplus
}
#endif

#endif
