#include "lib/certified/refine.hpp"

#include "lib/certified/wide.hpp"
#include "lib/numerics/eft.hpp"

namespace accublas::certified {

namespace {

// A radius is small enough if it is little more than half a unit in the last place, or small compared with the largest
// unknown.
constexpr double half_and_a_little = 0.5 + 0x1p-8;

double unit_in_last_place(double x) {
  const auto field = static_cast<int>(to_bits(std::fabs(x)) >> 52);
  return std::ldexp(1.0, (field > 0 ? field : 1) - 1075);
}

template <class N>
auto numbers(Index count) {
  if constexpr (std::is_same_v<N, double>)
    return Array(count);
  else
    return std::vector<N>(static_cast<std::size_t>(count));
}

/// One block of right-hand sides: Y is the sum of its parts, unevaluated. The numbers N of A, B and Y are double or
/// Binary128. For Binary128 the bounds are computed from doubles: `y_` is Y, `z_` is Z and `r_` is 2^-60 R, rounded
/// away from zero, so that the rounding of R loses at most 2^-53 of `r_`.
template <class N>
class Refinement {
  static constexpr bool wide = std::is_same_v<N, Binary128>;
  static constexpr Index most_iterations = wide ? 200 : 60;
  static constexpr int patience = wide ? 3 : 1;
  static constexpr double negligible = wide ? 0x1p-240 : 0x1p-120;

 public:
  Refinement(const System& s, const Inverse& inverse, Index first, Index end, const Calls& calls)
      : s_(s),
        inverse_(inverse),
        calls_(calls),
        n_(s.n),
        sides_(end - first),
        most_(wide ? 3 : inverse.parts + 2),
        parts_(wide ? 2 : inverse.parts + 1),
        b_(numbers<N>(n_ * sides_)),
        y_(calls.place(), most_ * n_ * sides_),
        r_(calls.place(), inverse.parts * n_ * sides_),
        z_(calls.place(), n_ * sides_),
        progress_(static_cast<std::size_t>(sides_)) {
    balls_.center = Array(n_ * sides_);
    balls_.radius = Array(n_ * sides_);
    for (Index c = 0; c < sides_; ++c) balls_.scale.push_back(scale_side(s, first + c, b_.data() + c * n_));
    std::fill_n(y_.data(), most_ * n_ * sides_, 0.0);
    std::fill_n(balls_.radius.data(), n_ * sides_, HUGE_VAL);
    if constexpr (wide) {
      wide_y_ = numbers<N>(most_ * n_ * sides_);
      wide_r_ = numbers<N>(inverse.parts * n_ * sides_);
      wide_z_ = numbers<N>(n_ * sides_);
      balls_.wide_center = numbers<N>(n_ * sides_);
      sum_ = std::make_unique<PartsOf>();
    }
  }

  Balls run() {
    add_correction(false);
    for (Index i = 0; i < n_ * sides_; ++i) balls_.center[i] = z_[i];
    if constexpr (wide) balls_.wide_center = wide_z_;
    if (!(inverse_.contraction < 1)) return std::move(balls_);
    use_parts(parts_);
    int stalled = 0;  // so many steps have not halved the error of any side
    while (balls_.iterations < most_iterations) {
      ++balls_.iterations;
      add_correction(true);
      if (done_) break;
      stalled = improved_ ? 0 : stalled + 1;
      if (stalled == patience) {
        if (parts_ == most_) break;
        use_parts(parts_ + 1);
        stalled = 0;
      }
    }
    return std::move(balls_);
  }

 private:
  struct Progress {
    double error = HUGE_VAL;  ///< of the last step
    bool done = false;
  };

  void use_parts(Index parts) {
    parts_ = parts;
    copies_ = {};  // its memory may do for the next
    if constexpr (wide) {
      copies_ = copies_beside(s_, parts);
    } else {
      copies_ = Placed(calls_.place(), parts * n_ * n_);
      for (Index p = 0; p < parts; ++p) calls_.copy(n_ * n_, s_.a.data(), copies_.data() + p * n_ * n_);
    }
    for (Progress& side : progress_) side.error = HUGE_VAL;
  }

  /// Computes R = B - A Y and Z = R_1 R + R_2 R + ..., each element rounded once, the bounds of Y, and Y + Z for the
  /// next step.
  void add_correction(bool judged) {
    const Index ld_r = inverse_.parts * n_, ld_y = most_ * n_;
    if constexpr (wide) {
      correct_wide(judged);
    } else {
      for (Index c = 0; c < sides_; ++c) std::copy_n(b_.data() + c * n_, n_, r_.data() + c * ld_r);
      r_.send();
      if (judged) {
        y_.send();
        calls_.product(n_, sides_, parts_ * n_, -1, {copies_.data(), 1, n_}, {y_.there(), 1, ld_y}, 1,
                       {r_.there(), 1, ld_r});
      }
      for (Index p = 1; p < inverse_.parts; ++p)
        calls_.copy(n_, sides_, {r_.there(), 1, ld_r}, {r_.there() + p * n_, 1, ld_r});
      calls_.product(n_, sides_, ld_r, 1, inverse_.r, {r_.there(), 1, ld_r}, 0, {z_.there(), 1, n_});
      r_.fetch();
      z_.fetch();
    }
    done_ = true;
    improved_ = false;
    for (Index c = 0; c < sides_; ++c) {
      if (judged) judge(c);
      double* const y = y_.data() + c * ld_y;
      for (Index i = 0; i < n_; ++i) {
        if constexpr (wide)
          add_wide(c * ld_y + i, wide_z_[static_cast<std::size_t>(i + c * n_)]);
        else
          add(y + i, z_[i + c * n_]);
      }
    }
  }

  /// Computes R and Z for Binary128, and `r_` and `z_`.
  void correct_wide(bool judged) {
    const Index ld_r = inverse_.parts * n_, ld_y = most_ * n_;
    for (Index c = 0; c < sides_; ++c) std::copy_n(b_.data() + c * n_, n_, wide_r_.data() + c * ld_r);
    if (judged)
      multiply(*s_.wide, n_, sides_, parts_ * n_, -1, view(copies_.data(), n_), view(wide_y_.data(), ld_y), 1,
               view(wide_r_.data(), ld_r));
    for (Index c = 0; c < sides_; ++c) {
      const Binary128* const r = wide_r_.data() + c * ld_r;
      for (Index i = 0; i < n_; ++i) r_[c * ld_r + i] = away_from_zero(r[i], -60);
      for (Index p = 1; p < inverse_.parts; ++p) std::copy_n(r, n_, wide_r_.data() + c * ld_r + p * n_);
    }
    multiply(*s_.wide, n_, sides_, ld_r, 1, view(inverse_.r), view(wide_r_.data(), ld_r), 0, view(wide_z_.data(), n_));
    for (Index i = 0; i < n_ * sides_; ++i) z_[i] = away_from_zero(wide_z_[static_cast<std::size_t>(i)]);
  }

  /// Adds a correction to the Binary128 parts at `at`, at + n ...
  void add_wide(Index at, const Binary128& carry) {
    sum_->add(wide_y_.data() + at, parts_, n_, carry);
    for (Index p = 0; p < parts_; ++p) y_[at + p * n_] = away_from_zero(wide_y_[static_cast<std::size_t>(at + p * n_)]);
  }

  /// Adds a correction to the parts of an unknown, which are n_ apart. The next residual shows what this addition
  /// loses.
  void add(double* y, double carry) const {
    const auto part = [&](Index p) -> double& { return y[p * n_]; };
    for (Index p = 0; p < parts_; ++p) {
      const DoublePair sum = two_sum(part(p), carry);
      part(p) = sum.high;
      carry = sum.low;
    }
    for (int sweep = 0; sweep < 2; ++sweep)
      for (Index p = parts_ - 2; p >= 0; --p) {
        const DoublePair sum = two_sum(part(p), part(p + 1));
        part(p) = sum.high;
        part(p + 1) = sum.low;
      }
  }

  void judge(Index c) {
    const double* const y = y_.data() + c * most_ * n_;
    const double *const r = r_.data() + c * inverse_.parts * n_, *const z = z_.data() + c * n_;
    constexpr double u = 0x1p-53;
    double largest_r = 0, largest_y = 0, sum_y = 0;
    for (Index i = 0; i < n_; ++i) {
      largest_r = std::max(largest_r, std::fabs(r[i]));
      largest_y = std::max(largest_y, std::fabs(y[i]));
      for (Index p = 0; p < parts_; ++p) sum_y = add_up(sum_y, std::fabs(y[i + p * n_]));
    }
    // A bound of how far r may lie from the exact residual: it covers the rounding of r, that of b and that of A.
    double lost = add_up(mul_up(u, largest_r), 2 * least_subnormal<double>());
    if (s_.inexact) lost = add_up(lost, mul_up(least_subnormal<double>(), sum_y));
    if (largest_r == 0 && sum_y == 0) lost = 0;  // b is zero, and so is x
    // Computes abs(R (b - A y)) in the memory of z, and its size in terms of v.
    double size = 0;
    const auto rest = [&](Index i) {
      if (lost == 0) return 0.0;
      return add_up(add_up(mul_up(std::fabs(z[i]), 1 + 2 * u), least_subnormal<double>()),
                    mul_up(inverse_.row_sums[i], lost));
    };
    for (Index i = 0; i < n_; ++i) {
      const double ratio = lost == 0 ? 0 : div_up(rest(i), inverse_.weights[i]);
      size = ratio < HUGE_VAL ? std::max(size, ratio) : HUGE_VAL;
    }
    const double all = lost == 0 ? 0 : div_up(size, below(1 - inverse_.contraction));
    Progress& progress = progress_[static_cast<std::size_t>(c)];
    progress.done = true;
    for (Index i = 0; i < n_; ++i) {
      double radius = lost == 0 ? 0 : add_up(rest(i), mul_up(inverse_.product[i], all));
      for (Index p = parts_ - 1; p > 0; --p) radius = add_up(radius, std::fabs(y[i + p * n_]));
      double &best = balls_.radius[i + c * n_], &center = balls_.center[i + c * n_];
      if (radius < best) {
        best = radius;
        center = y[i];
      }
      double unit = unit_in_last_place(center);
      if constexpr (wide) {
        Binary128& wide_center = balls_.wide_center[static_cast<std::size_t>(i + c * n_)];
        if (radius == best) wide_center = wide_y_[static_cast<std::size_t>(i + c * most_ * n_)];
        unit = unit_of(wide_center);
      }
      progress.done &= best <= half_and_a_little * unit || best <= negligible * largest_y;
    }
    done_ &= progress.done;
    improved_ |= !progress.done && size <= 0.5 * progress.error;
    progress.error = size;
  }

  const System& s_;
  const Inverse& inverse_;
  const Calls& calls_;
  const Index n_, sides_, most_;
  Index parts_;
  std::conditional_t<wide, std::vector<N>, Array> b_;
  Mirrored y_, r_, z_;
  std::vector<N> wide_y_{}, wide_r_{}, wide_z_{};
  std::unique_ptr<PartsOf> sum_;
  std::conditional_t<wide, std::vector<N>, Placed> copies_{};  ///< copies of A side by side
  std::vector<Progress> progress_;
  bool done_ = false, improved_ = false;
  Balls balls_{};
};

}  // namespace

Balls refine(const System& system, const Inverse& inverse, Index first, Index end, const Calls& calls) {
  if (system.wide) return Refinement<Binary128>(system, inverse, first, end, calls).run();
  return Refinement<double>(system, inverse, first, end, calls).run();
}

}  // namespace accublas::certified
