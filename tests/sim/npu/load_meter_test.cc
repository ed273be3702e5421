#include "sim/npu/load_meter.h"

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

TEST(LoadMeter, SpreadsAmountsOverTime) {
  LoadMeter meter;
  // 3000 bytes from 1.5 ms to 4.5 ms: 1000 bytes per ms.
  meter.add(LoadMeter::kHbmRead, {1'500'000, 4'500'000}, 3000);
  meter.add(LoadMeter::kHbmWrite, {2'000'000, 2'000'100}, 50);
  const auto in_window = [&](std::int64_t end_ms, std::int64_t window_ms) {
    const std::int64_t window_ns = window_ms * kMillisecond;
    return meter.rate(LoadMeter::kHbmRead, end_ms * kMillisecond, window_ns) *
           static_cast<double>(window_ns);
  };
  EXPECT_NEAR(in_window(2, 2), 500, 1e-6);
  EXPECT_NEAR(in_window(3, 1), 1000, 1e-6);
  EXPECT_NEAR(in_window(5, 5), 3000, 1e-6);
  EXPECT_NEAR(in_window(100, 10), 0, 1e-6);
  EXPECT_GT(meter.rate(LoadMeter::kHbmWrite, 3 * kMillisecond, kMillisecond), 0);
}

TEST(LoadMeter, ForgetsThePast) {
  LoadMeter meter;
  for (std::int64_t i = 0; i < 10; ++i) {
    meter.add(LoadMeter::kHbmRead, {i * kMillisecond, i * kMillisecond + 10}, 100);
  }
  meter.forget_before(5 * kMillisecond);
  EXPECT_NEAR(meter.rate(LoadMeter::kHbmRead, 10 * kMillisecond, kMillisecond) * 1e6, 100, 1e-6);
  meter.forget_before(1000 * kMillisecond);
  EXPECT_EQ(meter.rate(LoadMeter::kHbmRead, 10 * kMillisecond, kMillisecond), 0);
  meter.add(LoadMeter::kHbmRead, {1000 * kMillisecond, 1000 * kMillisecond + 10}, 100);
  EXPECT_NEAR(meter.rate(LoadMeter::kHbmRead, 1001 * kMillisecond, kMillisecond) * 1e6, 100, 1e-6);
}

}  // namespace
}  // namespace npuprof::sim
