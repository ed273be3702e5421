#include "serve/lane_pyramid.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace npuprof::serve {
namespace {

constexpr std::int64_t kZero = 1'700'000'000'000'000'000;

// A row of slices one after the other: some alone, some in bursts, a few of them long.
report::Lane bursty_lane(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  report::Lane lane;
  std::int64_t now = kZero + 12'345;
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_burst = (i / 1000) % 3 == 1;
    now += static_cast<std::int64_t>(random() % (in_burst ? 20 : 50'000));
    const std::int64_t duration =
        random() % 500 == 0 ? 5'000'000'000
                            : static_cast<std::int64_t>(random() % (in_burst ? 30 : 9000));
    lane.start_ns.push_back(now);
    if (duration < report::Lane::kLongDuration) {
      lane.duration_ns.push_back(static_cast<std::uint32_t>(duration));
    } else {
      lane.duration_ns.push_back(report::Lane::kLongDuration);
      lane.long_durations.emplace(static_cast<std::uint32_t>(i), duration);
    }
    now += duration;
  }
  lane.row_begin = {0, static_cast<std::uint32_t>(count)};
  lane.name_number.resize(count);
  lane.source.resize(count);
  return lane;
}

// The same by looking at every slice.
std::vector<SliceBucket> plain_buckets(const report::Lane& lane, std::int64_t begin_ns,
                                       std::int64_t end_ns, unsigned log2) {
  std::vector<SliceBucket> buckets;
  const auto number = [&](std::int64_t wall_ns) { return (wall_ns - kZero) >> log2; };
  for (std::uint32_t i = 0; i < lane.size(); ++i) {
    const std::int64_t own = number(lane.start_ns[i]);
    if (own < number(begin_ns) || own > number(end_ns - 1)) continue;
    const std::int64_t bucket_end = kZero + ((own + 1) << log2);
    if (buckets.empty() || buckets.back().end_ns != bucket_end) {
      buckets.push_back({.first = i, .last = i, .longest = i, .end_ns = bucket_end});
    }
    SliceBucket& bucket = buckets.back();
    bucket.last = i;
    if (lane.duration(i) > lane.duration(bucket.longest)) bucket.longest = i;
    bucket.busy_ns += std::min(lane.end_ns(i), bucket_end) - lane.start_ns[i];
  }
  return buckets;
}

class LanePyramidTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LanePyramidTest, SumsSlicesAsIfEachWereLookedAt) {
  const report::Lane lane = bursty_lane(GetParam(), static_cast<unsigned>(GetParam()));
  const LanePyramid pyramid(lane, kZero);
  std::mt19937_64 random(3);
  const std::int64_t first = lane.start_ns.front() - 1000;
  const auto length = static_cast<std::uint64_t>(lane.start_ns.back() - first + 2000);
  for (unsigned log2 = 0; log2 < 44; ++log2) {
    const std::int64_t begin = first + static_cast<std::int64_t>(random() % length);
    const std::int64_t end = begin + 1 + static_cast<std::int64_t>(random() % length);
    std::vector<SliceBucket> seen;
    pyramid.for_each_bucket(0, begin, end, log2,
                            [&](const SliceBucket& bucket) { seen.push_back(bucket); });
    const std::vector<SliceBucket> wanted = plain_buckets(lane, begin, end, log2);
    // Below the finest level buckets are those whose slices begin before the end.
    ASSERT_LE(seen.size(), wanted.size());
    ASSERT_GE(seen.size() + 1, wanted.size()) << log2;
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
      ASSERT_EQ(seen[i].first, wanted[i].first) << log2 << " " << i;
      ASSERT_EQ(seen[i].last, wanted[i].last) << log2 << " " << i;
      EXPECT_EQ(lane.duration(seen[i].longest), lane.duration(wanted[i].longest));
      EXPECT_EQ(seen[i].end_ns, wanted[i].end_ns);
      // Sums are kept to about a millionth of the bucket.
      const double bucket_ns = static_cast<double>(std::int64_t{1} << log2);
      EXPECT_NEAR(static_cast<double>(seen[i].busy_ns), static_cast<double>(wanted[i].busy_ns),
                  bucket_ns / 1e5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LanePyramidTest, ::testing::Values(1, 100, 300, 5000, 40'000));

TEST(LanePyramidMemory, TakesAtMost16BytesASlice) {
  const report::Lane lane = bursty_lane(40'000, 5);
  EXPECT_LE(LanePyramid(lane, kZero).memory_bytes(), lane.size() * 17);
}

}  // namespace
}  // namespace npuprof::serve
