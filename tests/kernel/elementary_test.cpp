// SPDX-License-Identifier: BSD-3-Clause
// Elementary functions against the C library's of long double: over their whole range, on every
// instruction set; and that their bits are the same on all that have fused multiply-add.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <prism/kernel/angles.hpp>
#include <prism/kernel/elementary.hpp>
#include <prism/kernel/pack_emulated_warp.hpp>
#include <string>
#include <vector>

#include "support/nan_max.hpp"
#include "variants.hpp"

using namespace prism;
using namespace test;

namespace {

/// The result's error in units in the last place of the exact value.
template <class T>
double error_in_ulps(T found, long double exact) {
  int exponent = 0;
  static_cast<void>(std::frexp(exact, &exponent));
  const long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(found) - exact) / ulp);
}

/// `function` of packs, applied to numbers.
template <class T, class Isa, class Function>
std::vector<T> applied(const std::vector<T>& x, const Function& function) {
  using P = Pack<T, Isa>;
  std::vector<T> padded(x), result;
  while (padded.size() % P::width != 0) padded.push_back(T{1});
  result.resize(padded.size());
  for (std::size_t i = 0; i < padded.size(); i += P::width) {
    function(P::load(padded.data() + i)).store(result.data() + i);
  }
  result.resize(x.size());
  return result;
}

/// n numbers from `low` to `high`, evenly spaced but for a perturbation of all their bits.
template <class T>
std::vector<T> spread(double low, double high, std::size_t n) {
  const Random random(7, Stream::synthetic);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(low + (high - low) * (static_cast<double>(i) + random.uniform(i)) /
                                    static_cast<double>(n));
  }
  return x;
}

/// n positive numbers of all exponents from `low` to `high`.
template <class T>
std::vector<T> of_all_magnitudes(int low, int high, std::size_t n) {
  const Random random(8, Stream::synthetic);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int exponent = low + static_cast<int>(i % static_cast<std::size_t>(high - low));
    x[i] = static_cast<T>(std::ldexp(1 + random.uniform(i), exponent));
  }
  return x;
}

template <class Isa>
inline constexpr bool is_fused = !std::is_same_v<Isa, isa::sse2> &&
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
                                 true;
#else
                                 false;
#endif

/// Checks the largest error; its bound is one ulp more where multiply-adds are not fused.
template <class T, class Isa, class Function, class Exact>
void check_error(const char* name, const std::vector<T>& x, double ulps, const Function& function,
                 const Exact& exact) {
  const std::vector<T> found = applied<T, Isa>(x, function);
  double largest = 0;
  T at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = error_in_ulps(found[i], exact(static_cast<long double>(x[i])));
    if (!(error <= largest)) largest = error, at = x[i];
  }
  const std::string function_name = name;
  CAPTURE(function_name);
  CAPTURE(at);
  CHECK(largest <= ulps + (is_fused<Isa> ? 0 : 1));
}

// On 64-bit ARM a long double has 128 bits, emulated in software.
template <class T>
inline constexpr std::size_t many = std::numeric_limits<long double>::digits > 64 ? 4000 : 200'000;

constexpr auto exp_of = []<class P>(P x) { return exp(x); };
constexpr auto log_of = []<class P>(P x) { return log(x); };
constexpr auto sigmoid_of = []<class P>(P x) { return sigmoid(x); };
constexpr auto sigmoid_derivative_of = []<class P>(P x) { return sigmoid_derivative(x); };
constexpr auto softplus_of = []<class P>(P x) { return softplus(x); };
constexpr auto atan_of = []<class P>(P x) { return atan(x); };
constexpr auto acos_of = []<class P>(P x) { return acos(x); };
constexpr auto sin_of = []<class P>(P x) { return SineAndCosine(x).sine; };
constexpr auto cos_of = []<class P>(P x) { return SineAndCosine(x).cosine; };

}  // namespace

PRISM_FOR_EACH_VARIANT("elementary functions are accurate over their whole range") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr bool single = std::is_same_v<T, float>;
    constexpr int lowest = std::numeric_limits<T>::min_exponent - 1;
    constexpr int highest = std::numeric_limits<T>::max_exponent;
    // From 1.42 times the smallest normal number to the largest.
    const std::vector<T> exponents =
        spread<T>((lowest + 0.51) * 0.6931471805599453, highest * 0.6931471, many<T>);
    check_error<T, Isa>("exp", exponents, 1.1, exp_of, [](long double x) { return std::exp(x); });
    check_error<T, Isa>("exp", spread<T>(-1, 1, many<T>), 1.1, exp_of,
                        [](long double x) { return std::exp(x); });
    check_error<T, Isa>("log", of_all_magnitudes<T>(lowest, highest, many<T>), 1.5, log_of,
                        [](long double x) { return std::log(x); });
    check_error<T, Isa>("log", spread<T>(0.5, 2, many<T>), 1.5, log_of,
                        [](long double x) { return std::log(x); });
    const std::vector<T> denormal =
        of_all_magnitudes<T>(lowest - std::numeric_limits<T>::digits + 1, lowest, 1000);
    check_error<T, Isa>("log", denormal, 1.5, log_of, [](long double x) { return std::log(x); });
    const std::vector<T> logits = spread<T>(single ? -86 : -700, single ? 86 : 700, many<T>);
    const std::vector<T> small = spread<T>(-3, 3, many<T>);
    const auto derivative = [](long double a) {
      return 1 / ((1 + std::exp(-a)) * (1 + std::exp(a)));
    };
    // Where the error in float is largest of all.
    check_error<T, Isa>("sigmoid's derivative", {T(4.83994961), T(-4.83994961)}, 4.5,
                        sigmoid_derivative_of, derivative);
    for (const std::vector<T>& x : {logits, small}) {
      check_error<T, Isa>("sigmoid", x, 2.5, sigmoid_of,
                          [](long double a) { return 1 / (1 + std::exp(-a)); });
      check_error<T, Isa>("sigmoid's derivative", x, 4.5, sigmoid_derivative_of, derivative);
      check_error<T, Isa>("softplus", x, 2, softplus_of, [](long double a) {
        return std::max(a, 0.0L) + std::log1p(std::exp(-std::abs(a)));
      });
    }
    std::vector<T> tangents = of_all_magnitudes<T>(-30, 30, many<T>);
    for (std::size_t i = 0; i < tangents.size(); i += 2) tangents[i] = -tangents[i];
    check_error<T, Isa>("atan", tangents, 2, atan_of, [](long double x) { return std::atan(x); });
    check_error<T, Isa>("atan", spread<T>(-3, 3, many<T>), 2, atan_of,
                        [](long double x) { return std::atan(x); });
    check_error<T, Isa>("acos", spread<T>(-1, 1, many<T>), 2, acos_of,
                        [](long double x) { return std::acos(x); });
  }
}

PRISM_FOR_EACH_VARIANT("sine and cosine are accurate, near their zeros by the argument") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    const double bound = std::is_same_v<T, float> ? 8192 : 1e6;
    for (const double range : {1.0, 7.0, bound}) {
      const std::vector<T> x = spread<T>(-range, range, many<T>);
      const std::vector<T> sine = applied<T, Isa>(x, sin_of), cosine = applied<T, Isa>(x, cos_of);
      const double absolute = std::is_same_v<T, float> ? 0x1p-32 : 0x1p-64;
      double largest = 0;
      const auto add = [&](T found, long double exact) {
        if (std::abs(static_cast<double>(static_cast<long double>(found) - exact)) <= absolute) {
          return;
        }
        largest = test::nan_max(largest, error_in_ulps(found, exact));
      };
      for (std::size_t i = 0; i < x.size(); ++i) {
        add(sine[i], std::sin(static_cast<long double>(x[i])));
        add(cosine[i], std::cos(static_cast<long double>(x[i])));
      }
      CAPTURE(range);
      CHECK(largest <= (is_fused<Isa> ? 2.5 : 3.5));
    }
  }
}

PRISM_FOR_EACH_VARIANT("elementary functions of infinities, NaN, zeros and bounds") {
  using Isa = typename V::isa;
  using T = typename V::scalar;
  if constexpr (isa_supported<Isa>) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    const auto one = [](const auto& function, T x) {
      return applied<T, Isa>(std::vector<T>{x}, function)[0];
    };
    CHECK(one(exp_of, T{0}) == T{1});
    CHECK(one(exp_of, infinity) == infinity);
    CHECK(one(exp_of, most) == infinity);
    CHECK(one(exp_of, -infinity) == T{0});
    CHECK(one(exp_of, -most) == T{0});
    CHECK(one(exp_of, least / 2) == T{1});
    CHECK(std::isnan(one(exp_of, nan)));
    const T top = std::is_same_v<T, float> ? T(88.722839) : T(709.782712893384);
    const T over = std::nextafter(top, infinity);
    CHECK(std::isfinite(one(exp_of, std::nextafter(top, T{0}))));
    CHECK(one(exp_of, over + 2 * (over - top)) == infinity);
    const T bottom = std::is_same_v<T, float> ? T(-86.9) : T(-708.0);
    CHECK(one(exp_of, bottom) >= least);
    CHECK(one(exp_of, std::is_same_v<T, float> ? T(-87.4) : T(-708.4)) == T{0});

    CHECK(one(log_of, T{1}) == T{0});
    CHECK(one(log_of, T{0}) == -infinity);
    CHECK(one(log_of, T(-0.0)) == -infinity);
    CHECK(one(log_of, infinity) == infinity);
    CHECK(std::isfinite(one(log_of, most)));
    CHECK(std::isnan(one(log_of, -least)));
    CHECK(std::isnan(one(log_of, -infinity)));
    CHECK(std::isnan(one(log_of, nan)));

    CHECK(one(sigmoid_of, infinity) == T{1});
    CHECK(one(sigmoid_of, -infinity) == T{0});
    CHECK(one(sigmoid_of, T{0}) == T{0.5});
    CHECK(std::isnan(one(sigmoid_of, nan)));
    CHECK(one(sigmoid_derivative_of, infinity) == T{0});
    CHECK(one(sigmoid_derivative_of, -infinity) == T{0});
    CHECK(one(sigmoid_derivative_of, T{0}) == T{0.25});
    CHECK(std::isnan(one(sigmoid_derivative_of, nan)));
    CHECK(one(softplus_of, infinity) == infinity);
    CHECK(one(softplus_of, -infinity) == T{0});
    CHECK(std::isnan(one(softplus_of, nan)));

    CHECK(one(atan_of, T{0}) == T{0});
    CHECK(one(atan_of, infinity) == static_cast<T>(std::atan(1.0L) * 2));
    CHECK(one(atan_of, -infinity) == static_cast<T>(std::atan(1.0L) * -2));
    CHECK(std::isnan(one(atan_of, nan)));
    CHECK(one(acos_of, T{1}) == T{0});
    CHECK(one(acos_of, T{-1}) == static_cast<T>(std::atan(1.0L) * 4));
    CHECK(std::isnan(one(acos_of, std::nextafter(T{1}, T{2}))));
    CHECK(std::isnan(one(acos_of, nan)));
    CHECK(one(sin_of, T{0}) == T{0});
    CHECK(one(cos_of, T{0}) == T{1});
    CHECK(std::isnan(one(sin_of, infinity)));
    CHECK(std::isnan(one(cos_of, nan)));
  }
}

TEST_CASE_TEMPLATE("elementary functions have the same bits on every fused instruction set", T,
                   float, double) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  const double range = std::is_same_v<T, float> ? 90 : 720;
  std::vector<T> any = spread<T>(-range, range, 20'001),
                 positive = of_all_magnitudes<T>(-120, 120, 20'001);
  const std::vector<T> cosines = spread<T>(-1, 1, 20'001);
  const auto check = [](const std::vector<T>& x, const auto& function) {
    const auto bits_of = [](const std::vector<T>& values) {
      using Bits = typename detail::NumberLayout<T>::Bits;
      std::vector<Bits> bits;
      for (const T value : values) bits.push_back(std::bit_cast<Bits>(value));
      return bits;
    };
    const auto expected = bits_of(applied<T, isa::scalar>(x, function));
    CHECK((bits_of(applied<T, isa::native>(x, function)) == expected));
    CHECK((bits_of(applied<T, isa::reproducible>(x, function)) == expected));
    CHECK((bits_of(applied<T, isa::emulated_warp>(x, function)) == expected));
    if constexpr (isa_supported<isa::avx2>) {
      CHECK((bits_of(applied<T, isa::avx2>(x, function)) == expected));
    }
  };
  check(any, exp_of);
  check(any, sigmoid_of);
  check(any, sigmoid_derivative_of);
  check(any, softplus_of);
  check(any, sin_of);
  check(any, cos_of);
  check(any, atan_of);
  check(positive, log_of);
  check(cosines, acos_of);
#endif
}
