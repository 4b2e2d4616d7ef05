/* A correctly rounded product of matrices in GPU memory, on a stream of its own. The calls return at once; the host
 * waits where it asks for the result. */
#include <accublas.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static void need(int failed, const char *what, const char *why) {
  if (!failed) return;
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}
static void cuda(cudaError_t status, const char *what) {
  need(status != cudaSuccess, what, cudaGetErrorString(status));
}

int main(void) {
  enum { n = 1000 };
  static double a[n * n], b[n * n], c[n * n];
  const size_t bytes = sizeof a;
  const double one = 1.0, zero = 0.0;
  double *device_a, *device_b, *device_c;
  cudaStream_t stream;
  accublas_context *ctx;
  accublas_report_t report;
  int32_t devices = 0;

  accublas_device_count(&devices);
  if (devices == 0) {
    fprintf(stderr, "no CUDA device\n");
    return 77;
  }
  for (int i = 0; i < n * n; ++i) {
    a[i] = (i * 7 % 13 - 6) / 3.0;
    b[i] = (i * 11 % 17 - 8) / 5.0;
  }
  /* Row 1 of A times column 1 of B: 1e20 + 1 - 1e20, the large terms far apart. */
  for (int p = 0; p < n; ++p) a[p * n] = b[p] = 0.0;
  a[0] = b[0] = 1e10;
  a[100 * n] = b[100] = 1.0;
  a[200 * n] = -1e10;
  b[200] = 1e10;

  cuda(cudaStreamCreate(&stream), "stream");
  cuda(cudaMalloc((void **)&device_a, bytes), "memory");
  cuda(cudaMalloc((void **)&device_b, bytes), "memory");
  cuda(cudaMalloc((void **)&device_c, bytes), "memory");
  cuda(cudaMemcpyAsync(device_a, a, bytes, cudaMemcpyHostToDevice, stream), "copy");
  cuda(cudaMemcpyAsync(device_b, b, bytes, cudaMemcpyHostToDevice, stream), "copy");

  need(accublas_create(&ctx) != ACCUBLAS_SUCCESS, "context", accublas_last_error(NULL));
  need(accublas_set_stream(ctx, stream) != ACCUBLAS_SUCCESS, "stream", accublas_last_error(ctx));
  for (int mode = 0; mode < 2; ++mode) {
    need(accublas_set_mode_name(ctx, mode ? "cr" : "native") != ACCUBLAS_SUCCESS, "mode", accublas_last_error(ctx));
    need(accublas_dgemm(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, n, n, n, &one, device_a, n,
                        device_b, n, &zero, device_c, n) != ACCUBLAS_SUCCESS,
         "dgemm", accublas_last_error(ctx));
    cuda(cudaMemcpyAsync(c, device_c, bytes, cudaMemcpyDeviceToHost, stream), "copy");
    need(accublas_sync(ctx) != ACCUBLAS_SUCCESS, "sync", accublas_last_error(ctx)); /* waits for the stream */
    report.struct_size = sizeof report;
    need(accublas_report(ctx, &report) != ACCUBLAS_SUCCESS, "report", accublas_last_error(ctx));
    printf("%-7s C(1,1) = %-22.17g (exact: 1) on %s, engine %s\n", report.mode, c[0], report.device, report.engine);
  }

  accublas_destroy(ctx);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  cudaStreamDestroy(stream);
  return c[0] == 1.0 ? 0 : 1;
}
