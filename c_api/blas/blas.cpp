// Levels 1, 2 and 3 under their names of BLAS and CBLAS.
#include "c_api/blas/serve.hpp"

namespace accublas::blas {

#include "c_api/blas/level1_names.inc"
#include "c_api/blas/level2_names.inc"
#include "c_api/blas/level3_names.inc"

}  // namespace accublas::blas
