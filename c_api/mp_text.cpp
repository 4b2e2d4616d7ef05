// Multiple-precision elements from and to strings and mpfr_t, all through MPFR.
#ifdef ACCUBLAS_HAVE_MPFR
#include <mpfr.h>
#endif

#include <algorithm>
#include <cstring>
#include <string>

#include "c_api/boundary.hpp"
#include "lib/base/integers.hpp"
#include "lib/mp/numbers.hpp"
#include "lib/numerics/limbs.hpp"

using namespace accublas;
using namespace accublas::mp;

#ifdef ACCUBLAS_HAVE_MPFR

namespace {

/// Sets MPFR's range of exponents for a scope, to the library's own or another one, because MPFR takes only operands
/// within the present range and rounds into it. The program's range and flags come back at the end.
class ExponentRange {
 public:
  ExponentRange(mpfr_exp_t least, mpfr_exp_t greatest)
      : least_(mpfr_get_emin()), greatest_(mpfr_get_emax()), flags_(mpfr_flags_save()) {
    set(least, greatest);
  }
  ExponentRange() : ExponentRange(least_exponent, greatest_exponent) {}
  ~ExponentRange() {
    programs();
    mpfr_flags_restore(flags_, MPFR_FLAGS_ALL);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

  /// Returns to the program's range before the end of the scope.
  void programs() { set(least_, greatest_); }

 private:
  static void set(mpfr_exp_t least, mpfr_exp_t greatest) {
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
  }
  mpfr_exp_t least_, greatest_;
  mpfr_flags_t flags_;
};

/// An mpfr_t of any precision and exponent, rounded once.
NumberBuffer number_of(mpfr_srcptr value, const Format& format) {
  NumberBuffer number(format, 1);
  const bool negative = mpfr_signbit(value) != 0;
  if (!mpfr_regular_p(value)) {
    set_special(number, 0,
                mpfr_zero_p(value)  ? exponent_zero
                : mpfr_inf_p(value) ? exponent_infinity
                                    : exponent_nan,
                negative);
    return number;
  }
  // If there are more limbs than the rounding looks at, the last bit of those that are taken stands for the others.
  const mpfr_prec_t all = ceil_div(mpfr_get_prec(value), 64);
  const int taken = static_cast<int>(std::min<mpfr_prec_t>(all, format.limbs + 2));
  const auto* const limb = static_cast<const std::uint64_t*>(mpfr_custom_get_significand(value));
  const auto* const first = limb + (all - taken);
  Buffer<std::uint64_t> top(taken);
  std::copy(first, first + taken, top.data());
  top.data()[0] |= std::any_of(limb, first, [](std::uint64_t rest) { return rest != 0; });
  Rounder(format, taken)
      .round(top.data(), taken, static_cast<std::int64_t>(mpfr_get_exp(value)) - 64 * taken, negative, number, 0);
  return number;
}

/// An mpfr_t of `precision` bits in memory that this object owns.
class Real {
 public:
  explicit Real(int precision) : precision_(precision), limbs_(ceil_div(precision, 64)), significand_(limbs_) {
    static_assert(sizeof(mp_limb_t) == 8 && GMP_NAIL_BITS == 0);
    mpfr_custom_init(significand_.data(), precision);
    mpfr_custom_init_set(value_, MPFR_ZERO_KIND, 0, precision, significand_.data());
  }
  Real(const Format& format, const NumberBuffer& number) : Real(format.precision) {
    const std::int32_t e = number.exponent[0];
    const int sign = number.sign[0] ? -1 : 1;
    if (e == exponent_zero) {
      mpfr_set_zero(value_, sign);
    } else if (e == exponent_infinity) {
      mpfr_set_inf(value_, sign);
    } else if (e == exponent_nan) {
      mpfr_set_nan(value_);
    } else {  // MPFR keeps significands left-aligned
      limbs_extract(significand_.data(), limbs_, number.x(0), limbs_, precision_ - 64 * limbs_);
      mpfr_custom_init_set(value_, sign * MPFR_REGULAR_KIND, e, precision_, significand_.data());
    }
  }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;

  mpfr_ptr get() { return value_; }

 private:
  int precision_, limbs_;
  Buffer<std::uint64_t> significand_;
  mpfr_t value_;
};

/// The string of mpfr_get_str, freed at the end.
class Digits {
 public:
  Digits(Real& value, int base, int digits)
      : text_(mpfr_get_str(nullptr, &exponent_, base, static_cast<std::size_t>(digits), value.get(), MPFR_RNDN)) {
    if (!text_) throw std::bad_alloc();
  }
  ~Digits() { mpfr_free_str(text_); }
  Digits(const Digits&) = delete;
  Digits& operator=(const Digits&) = delete;
  const char* text() const { return text_; }
  mpfr_exp_t exponent() const { return exponent_; }

 private:
  mpfr_exp_t exponent_ = 0;
  char* text_;
};

std::string to_text(Real& value, int base, int digits) {
  const std::string sign = mpfr_signbit(value.get()) && !mpfr_nan_p(value.get()) ? "-" : "";
  if (mpfr_nan_p(value.get())) return "nan";
  if (mpfr_inf_p(value.get())) return sign + "inf";
  if (mpfr_zero_p(value.get())) return sign + "0";
  const Digits d(value, base, digits);
  const char* first = d.text() + (d.text()[0] == '-');
  std::string text = sign + (base == 16 ? "0x" : "") + first[0];
  if (first[1] != '\0') text += std::string(".") + (first + 1);
  const long exponent = (static_cast<long>(d.exponent()) - 1) * (base == 16 ? 4 : 1);
  return text + (base == 16 ? "p" : "e") + (exponent < 0 ? "" : "+") + std::to_string(exponent);
}

void require_base(std::int32_t base) {
  if (base != 10 && base != 16) bad_argument("base", "10 or 16");
}

std::string element_text(Context& context, const Array& array, std::int64_t index, std::int32_t base,
                         std::int32_t digits) {
  const FpEnvironment environment;
  const ExponentRange range;
  Real value(array.elements.format, read_element(context, array, index));
  return to_text(value, base, digits);
}

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

accublas_status accublas_mp_set_string(accublas_context* ctx, accublas_mp_array* array, int64_t index, const char* text,
                                       int32_t base) {
  return guarded(ctx, [&](Context& context) {
    element_region("array", array, index);
    if (!text) bad_argument("text", "a string, not NULL");
    if (base != 0) require_base(base);
    const FpEnvironment environment;
    const char* start = text;
    while (blank(*start)) ++start;
    const char* digits = start + (*start == '-' || *start == '+');
    const bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const Format& format = array->elements.format;
    Real value(format.precision);
    const ExponentRange range;
    char* end = nullptr;
    mpfr_strtofr(value.get(), start, &end, base != 0 ? base : hexadecimal ? 16 : 10, MPFR_RNDN);
    const bool any = end != start;
    while (blank(*end)) ++end;
    if (!any || *end != '\0')
      throw Error(ACCUBLAS_ERROR_FORMAT, "argument text is not a number: \"" + std::string(text) + "\"");
    write_element(context, *array, index, number_of(value.get(), format));
  });
}

accublas_status accublas_mp_get_string(accublas_context* ctx, const accublas_mp_array* array, int64_t index,
                                       int32_t base, int32_t digits, char* text, size_t size, size_t* needed) {
  return guarded(ctx, [&](Context& context) {
    element_region("array", array, index);
    require_base(base);
    if (digits < 0 || digits > 1 << 20) bad_argument("digits", "0 .. 2^20");
    const std::string written = element_text(context, *array, index, base, digits);
    if (needed) *needed = written.size() + 1;
    if (!text) return;
    if (size < written.size() + 1) bad_argument("size", "at least " + std::to_string(written.size() + 1));
    std::memcpy(text, written.c_str(), written.size() + 1);
  });
}

accublas_status accublas_mp_print(accublas_context* ctx, FILE* stream, const accublas_mp_array* array, int64_t offset,
                                  int64_t ld, int64_t m, int64_t n, int32_t base, int32_t digits) {
  return guarded(ctx, [&](Context& context) {
    const Region region = matrix_region("array", array, offset, ld, m, n);
    if (!stream) bad_argument("stream", "a stream, not NULL");
    require_base(base);
    if (digits < 0 || digits > 1 << 20) bad_argument("digits", "0 .. 2^20");
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        const std::string text = element_text(context, *array, region.block().at(i, j), base, digits) + "\n";
        if (std::fputs(text.c_str(), stream) < 0) bad_argument("stream", "a stream that can be written");
      }
  });
}

extern "C" {

ACCUBLAS_API accublas_status accublas_mp_set_mpfr(accublas_context* ctx, accublas_mp_array* array, int64_t index,
                                                  mpfr_srcptr value) {
  return guarded(ctx, [&](Context& context) {
    element_region("array", array, index);
    if (!value) bad_argument("value", "an mpfr_t, not NULL");
    const FpEnvironment environment;
    write_element(context, *array, index, number_of(value, array->elements.format));
  });
}

ACCUBLAS_API accublas_status accublas_mp_get_mpfr(accublas_context* ctx, const accublas_mp_array* array, int64_t index,
                                                  mpfr_ptr value) {
  return guarded(ctx, [&](Context& context) {
    element_region("array", array, index);
    if (!value) bad_argument("value", "an mpfr_t, not NULL");
    const FpEnvironment environment;
    // The number is rounded once: to the precision, and then into the program's range, for which MPFR gets the
    // direction of the first rounding.
    ExponentRange range(mpfr_get_emin_min(), mpfr_get_emax_max());
    Real element(array->elements.format, read_element(context, *array, index));
    const int direction = mpfr_set(value, element.get(), MPFR_RNDN);
    range.programs();
    mpfr_check_range(value, direction, MPFR_RNDN);
  });
}
}

#else

namespace {

accublas_status without_mpfr(accublas_context* ctx) {
  return guarded(ctx, [](Context&) {
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "this build of accublas has no MPFR: strings and mpfr_t need it");
  });
}

}  // namespace

accublas_status accublas_mp_set_string(accublas_context* ctx, accublas_mp_array*, int64_t, const char*, int32_t) {
  return without_mpfr(ctx);
}
accublas_status accublas_mp_get_string(accublas_context* ctx, const accublas_mp_array*, int64_t, int32_t, int32_t,
                                       char*, size_t, size_t*) {
  return without_mpfr(ctx);
}
accublas_status accublas_mp_print(accublas_context* ctx, FILE*, const accublas_mp_array*, int64_t, int64_t, int64_t,
                                  int64_t, int32_t, int32_t) {
  return without_mpfr(ctx);
}
extern "C" {
ACCUBLAS_API accublas_status accublas_mp_set_mpfr(accublas_context* ctx, accublas_mp_array*, int64_t, const void*) {
  return without_mpfr(ctx);
}
ACCUBLAS_API accublas_status accublas_mp_get_mpfr(accublas_context* ctx, const accublas_mp_array*, int64_t, void*) {
  return without_mpfr(ctx);
}
}

#endif
