// share_element against a set of addresses, on small matrices of one array with any strides.
#include "lib/call/overlap.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace accublas;

namespace {

struct Case {
  Matrix<double> x;
  Index m, n;
  Triangle part;
  bool unit;
  Footprint elements() const { return footprint(x, m, n, part, unit); }
};

std::set<const double*> addresses(const Case& c) {
  std::set<const double*> all;
  for (Index i = 0; i < c.m; ++i)
    for (Index j = 0; j < c.n; ++j)
      if (holds(c.part, i, j) && !(c.unit && i == j)) all.insert(&c.x(i, j));
  return all;
}

bool share(const Case& p, const Case& q) {
  const auto of_p = addresses(p);
  for (const double* address : addresses(q))
    if (of_p.count(address)) return true;
  return false;
}

class Numbers {
 public:
  Index below(Index n) {
    return static_cast<Index>((state_ = state_ * 6364136223846793005u + 1442695040888963407u) >> 33) % n;
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace

TEST(Overlap, IsExact) {
  std::vector<double> array(4000);
  Numbers numbers;
  int shared = 0, apart = 0;
  for (int round = 0; round < 200000; ++round) {
    const Index common = 1 + numbers.below(9);
    const auto make = [&](bool triangle) {
      const Index ld = numbers.below(3) ? common : 1 + numbers.below(9);
      Case c{
          {array.data() + 2000 + numbers.below(60), 1, ld}, numbers.below(7), numbers.below(7), Triangle::all, false};
      if (triangle) {
        c.n = c.m;
        c.x.col_stride = std::max(ld, c.m);
        c.part = numbers.below(2) ? Triangle::upper : Triangle::lower;
        c.unit = numbers.below(2) != 0;
      } else if (numbers.below(3) == 0) {  // a vector
        c.n = 1;
        c.x.row_stride = numbers.below(2) ? common : numbers.below(9) - 4;
      } else if (numbers.below(2)) {
        c.x = c.x.transposed();
      }
      return c;
    };
    const Case p = make(numbers.below(3) == 0), q = make(false);
    const bool expected = share(p, q);
    ASSERT_EQ(share_element(p.elements(), q.elements()), expected)
        << round << ": " << p.x.data - array.data() << " " << p.x.row_stride << " " << p.x.col_stride << " " << p.m
        << " x " << p.n << " part " << static_cast<int>(p.part) << p.unit << "; " << q.x.data - array.data() << " "
        << q.x.row_stride << " " << q.x.col_stride << " " << q.m << " x " << q.n;
    ASSERT_EQ(share_element(q.elements(), p.elements()), expected) << round;
    (expected ? shared : apart)++;
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
}

/// With gaps along both dimensions an overlap may pass, but none is invented.
/// Matrices with gaps in their rows and their columns, whose strides are equal.
TEST(Overlap, OfEqualStridesIsExact) {
  std::vector<double> array(4000);
  Numbers numbers;
  int shared = 0, apart = 0;
  for (int round = 0; round < 100000; ++round) {
    const Index row = 1 + numbers.below(9), col = 1 + numbers.below(40);
    const auto make = [&] {
      return Case{{array.data() + 1000 + numbers.below(80), row, col},
                  numbers.below(7),
                  numbers.below(7),
                  Triangle::all,
                  false};
    };
    const Case p = make(), q = make();
    const bool wanted = share(p, q);
    ASSERT_EQ(share_element(p.elements(), q.elements()), wanted)
        << row << " " << col << " " << p.m << p.n << q.m << q.n;
    ++(wanted ? shared : apart);
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
}

TEST(Overlap, IsNeverInvented) {
  std::vector<double> array(4000);
  Numbers numbers;
  for (int round = 0; round < 100000; ++round) {
    const auto make = [&] {
      return Case{{array.data() + 2000 + numbers.below(90), numbers.below(9) - 4, numbers.below(41) - 20},
                  numbers.below(6),
                  numbers.below(6),
                  Triangle::all,
                  false};
    };
    const Case p = make(), q = make();
    if (share_element(p.elements(), q.elements())) {
      ASSERT_TRUE(share(p, q)) << round << ": " << p.x.data - array.data() << " " << p.x.row_stride << " "
                               << p.x.col_stride << " " << p.m << " x " << p.n << "; " << q.x.data - array.data() << " "
                               << q.x.row_stride << " " << q.x.col_stride << " " << q.m << " x " << q.n;
    }
  }
}

/// Matrices of two batches against a set of addresses. An overlap of matrices with gaps may pass where there are many.
TEST(Overlap, OfBatchesIsExact) {
  std::vector<double> array(6000);
  Numbers numbers;
  int shared = 0, apart = 0;
  for (int round = 0; round < 60000; ++round) {
    const Index count = 1 + numbers.below(9), common = 1 + numbers.below(12);
    struct Batch {
      Case first;
      Index stride;
    };
    const auto make = [&] {
      Case c{{array.data() + 3000 + numbers.below(90), 1, 1 + numbers.below(9)},
             1 + numbers.below(4),
             1 + numbers.below(4),
             Triangle::all,
             false};
      if (numbers.below(3) == 0) c.x.row_stride = 1 + numbers.below(4);
      if (numbers.below(3) == 0) c.x = c.x.transposed();
      return Batch{c, numbers.below(3) ? common : numbers.below(40) - 10};
    };
    const Batch p = make(), q = make();
    std::set<const double*> of_p;
    bool expected = false;
    for (Index i = 0; i < count; ++i) {
      Case one = p.first;
      one.x.data += i * p.stride;
      of_p.merge(addresses(one));
    }
    for (Index i = 0; i < count; ++i) {
      Case one = q.first;
      one.x.data += i * q.stride;
      for (const double* address : addresses(one)) expected |= of_p.count(address) != 0;
    }
    const bool got = batches_share_element(p.first.elements(), p.stride * 8, q.first.elements(), q.stride * 8, count);
    ASSERT_EQ(got, expected) << round << ": " << count << " of " << p.first.m << " x " << p.first.n << " by "
                             << p.stride << " and " << q.first.m << " x " << q.first.n << " by " << q.stride;
    (expected ? shared : apart)++;
  }
  EXPECT_GT(shared, 1000);
  EXPECT_GT(apart, 1000);
}

/// The cost of a check follows neither the elements nor the matrices of a batch: these would take minutes.
TEST(Overlap, IsCheap) {
  double* const a = reinterpret_cast<double*>(std::uintptr_t{1} << 32);
  constexpr Index many = 10000;
  // The columns of C are 3 elements wide, every 7 elements; A lies in the gaps.
  const Footprint c = footprint(Matrix<double>{a, 1, 7}, 3, many * many),
                  gaps = footprint(Matrix<double>{a + 3, 14, 14 * many}, many, many / 2);
  for (int times = 0; times < 100; ++times) ASSERT_FALSE(share_element(gaps, c));
  EXPECT_TRUE(share_element(footprint(Matrix<double>{a + 3, 15, 14 * many}, many, many / 2), c));
  // 4 x 4 matrices, those of A between the columns of those of C.
  const Footprint result = footprint(Matrix<double>{a, 1, 8}, 4, 4),
                  left = footprint(Matrix<double>{a + 4, 1, 8}, 4, 4);
  for (int times = 0; times < 1000; ++times)
    ASSERT_FALSE(batches_share_element(result, 32 * 8, left, 32 * 8, many * many));
  EXPECT_TRUE(batches_share_element(result, 32 * 8, left, 31 * 8, many * many));
}
