#include "sim/prof/time_ordered.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

using Written = std::vector<std::pair<std::uint64_t, int>>;

struct Collect {
  Written& written;
  void operator()(std::uint64_t ticks, int value) const { written.emplace_back(ticks, value); }
};

bool in_order(const Written& written) {
  for (std::size_t i = 1; i < written.size(); ++i) {
    if (written[i].first < written[i - 1].first) return false;
  }
  return true;
}

TEST(TimeOrdered, SortsByTimeAndThenByArrival) {
  Written written;
  TimeOrdered<int> buffer(100);
  for (const auto& [ticks, value] : Written{{5, 0}, {3, 1}, {5, 2}, {1, 3}, {3, 4}}) {
    buffer.add(ticks, value, Collect{written});
  }
  EXPECT_TRUE(written.empty());
  buffer.release_all(Collect{written});
  EXPECT_EQ(written, (Written{{1, 3}, {3, 1}, {3, 4}, {5, 0}, {5, 2}}));
  EXPECT_EQ(buffer.size(), 0u);
}

TEST(TimeOrdered, KeepsWhatIsNotBeforeTheTime) {
  Written written;
  TimeOrdered<int> buffer(100);
  for (const int value : {30, 10, 20, 40}) {
    buffer.add(static_cast<std::uint64_t>(value), value, Collect{written});
  }
  buffer.release_before(30, Collect{written});
  EXPECT_EQ(written, (Written{{10, 10}, {20, 20}}));
  EXPECT_EQ(buffer.size(), 2u);
  buffer.add(35, 35, Collect{written});
  buffer.add(30, 31, Collect{written});
  buffer.release_all(Collect{written});
  EXPECT_EQ(written, (Written{{10, 10}, {20, 20}, {30, 30}, {30, 31}, {35, 35}, {40, 40}}));
  EXPECT_EQ(buffer.late_count(), 0u);
}

TEST(TimeOrdered, OrdersManyInterleavedStreams) {
  constexpr int kStreams = 7;
  constexpr int kRecords = 40000;
  std::mt19937 random(3);
  Written written;
  TimeOrdered<int> buffer(1 << 20);
  std::uint64_t clocks[kStreams] = {};
  for (int i = 0; i < kRecords; ++i) {
    std::uint64_t& clock = clocks[random() % kStreams];
    clock += random() % 50;
    buffer.add(clock, i, Collect{written});
    buffer.settle(*std::min_element(clocks, clocks + kStreams), Collect{written});
  }
  const std::size_t early = written.size();
  EXPECT_GT(early, 0u) << "settle() never wrote anything";
  buffer.release_all(Collect{written});
  EXPECT_EQ(written.size(), static_cast<std::size_t>(kRecords));
  EXPECT_TRUE(in_order(written));
  EXPECT_EQ(buffer.late_count(), 0u);
}

TEST(TimeOrdered, NeverHoldsMoreThanItsLimit) {
  Written written;
  TimeOrdered<int> buffer(1000);
  for (int i = 0; i < 10000; ++i) {
    // Every second record is 100 ticks early.
    const int ticks = i % 2 == 0 ? i + 100 : i;
    buffer.add(static_cast<std::uint64_t>(ticks), i, Collect{written});
    EXPECT_LT(buffer.size(), 1000u);
  }
  buffer.release_all(Collect{written});
  EXPECT_EQ(written.size(), 10000u);
  EXPECT_TRUE(in_order(written));
}

TEST(TimeOrdered, CountsRecordsThatComeTooLate) {
  Written written;
  TimeOrdered<int> buffer(100);
  buffer.add(50, 1, Collect{written});
  buffer.release_before(60, Collect{written});
  buffer.add(50, 2, Collect{written});  // The same tick is still in order.
  buffer.add(49, 3, Collect{written});
  EXPECT_EQ(buffer.late_count(), 1u);
  buffer.release_all(Collect{written});
  EXPECT_EQ(written.size(), 3u);
}

}  // namespace
}  // namespace npuprof::sim
