// The tiles that a cluster of thread blocks multiplies, one after another. For .cu files.
#pragma once

#include "cuda/int8/product_job.hpp"
#include "cuda/int8/product_tiles.hpp"
#include "cuda/tuning/tuning.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

/// The tiles of a cluster, one after another.
template <TileConfig config, class Element>
class TilesOfBlock {
 public:
  __device__ TilesOfBlock(const ProductJob<Element>& job, const BlockExtent& extent)
      : job_(job),
        extent_(extent),
        order_(extent),
        row_lines_before_(job.lines_before(job.bytes_of_row)),
        col_lines_before_(job.lines_before(job.bytes_of_col)),
        next_(static_cast<int>(blockIdx.x / config.cluster)) {
    tile_ = order_.at(next_);
  }
  __device__ bool more() const { return next_ < order_.count(); }
  __device__ const Tile& tile() const { return tile_; }
  __device__ bool wanted() const { return order_.wants(tile_); }
  __device__ void advance() {
    next_ += static_cast<int>(gridDim.x / config.cluster);
    tile_ = order_.at(next_);
  }
  __device__ const BlockExtent& extent() const { return extent_; }
  /// Return the distance of the product's lines from those of the first product of the group.
  __device__ int row_lines_before() const { return row_lines_before_; }
  __device__ int col_lines_before() const { return col_lines_before_; }
  __device__ Element* out() const { return job_.out; }

 private:
  const ProductJob<Element>& job_;
  const BlockExtent& extent_;
  const TileOrder<config> order_;
  const int row_lines_before_, col_lines_before_;
  int next_;
  Tile tile_;
};

/// The counterpart of TilesOfBlock for a group. Its products have `parts` parts each, which the clusters take in turn:
/// every part-th tile of a product. A kernel whose thread blocks belonged to one product each would start several times
/// as many thread blocks, one after another.
template <TileConfig config, class Element>
class TilesOfGroup {
 public:
  __device__ explicit TilesOfGroup(const ProductJob<Element>& job)
      : job_(job),
        parts_(job.parts),
        step_(static_cast<int>(gridDim.x / config.cluster)),
        part_(static_cast<int>(blockIdx.x / config.cluster)),
        end_(static_cast<int>(job.group.count) * job.parts),
        row_lines_(static_cast<int>(job.group.bytes / job.bytes_of_row)),
        col_lines_(static_cast<int>(job.group.bytes / job.bytes_of_col)) {
    load_plan(part_);
    find();
  }
  __device__ bool more() const { return part_ < end_; }
  __device__ const Tile& tile() const { return tile_; }
  __device__ bool wanted() const { return true; }
  __device__ void advance() {
    const TileOrder<config> order(extent_);
    next_ += parts_;
    if (next_ < order.count()) {
      tile_ = order.at(next_);
    } else {
      part_ += step_;
      find();
    }
  }
  __device__ const BlockExtent& extent() const { return extent_; }
  __device__ int row_lines_before() const { return product_ * row_lines_; }
  __device__ int col_lines_before() const { return product_ * col_lines_; }
  __device__ Element* out() const { return job_.group.of_product(job_.out, product_); }

 private:
  /// Loads the plan of a part's product one part ahead, so that find() need not wait for it.
  __device__ void load_plan(int part) {
    if (part < end_) plan_ = *job_.group.of_product(job_.plan, part / parts_);
  }
  /// Finds the first tile of the current part, or of the first one after it that has tiles.
  __device__ void find() {
    for (; part_ < end_; part_ += step_) {
      product_ = part_ / parts_;
      next_ = part_ - product_ * parts_;
      extent_ = block_extent(job_, &plan_);
      load_plan(part_ + step_);
      const TileOrder<config> order(extent_);
      if (next_ >= order.count()) continue;
      tile_ = order.at(next_);
      return;
    }
  }

  const ProductJob<Element>& job_;
  const int parts_, step_;
  int part_, end_, row_lines_, col_lines_;
  int product_ = 0, next_ = 0;
  PassPlan plan_{};  ///< of the next part's product
  BlockExtent extent_{};
  Tile tile_{};
};

#endif  // __CUDACC__

}  // namespace accublas::cuda
