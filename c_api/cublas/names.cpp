// The functions under cuBLAS's names, which the build makes from c_api/routines.py.
#include "c_api/cublas/serve.hpp"

namespace accublas::cublas {

#include "c_api/cublas/batched_cublas.inc"
#include "c_api/cublas/level1_cublas.inc"
#include "c_api/cublas/level2_cublas.inc"
#include "c_api/cublas/level3_cublas.inc"

}  // namespace accublas::cublas
