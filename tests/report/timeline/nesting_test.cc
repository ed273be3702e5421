#include "report/timeline/nesting.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace npuprof::report {
namespace {

TEST(NestingTracks, KeepsNestedAndTouchingSlicesOnTheLane) {
  NestingTracks tracks;
  EXPECT_EQ(tracks.place(0, 100), 0u);
  EXPECT_EQ(tracks.place(0, 50), 0u);
  EXPECT_EQ(tracks.place(10, 50), 0u);
  EXPECT_EQ(tracks.place(50, 50), 0u);
  EXPECT_EQ(tracks.place(50, 100), 0u);
  EXPECT_EQ(tracks.place(100, 100), 0u);
  EXPECT_EQ(tracks.place(100, 120), 0u);
}

TEST(NestingTracks, MovesWhatOverlapsInPart) {
  NestingTracks tracks;
  EXPECT_EQ(tracks.place(0, 10), 0u);
  EXPECT_EQ(tracks.place(5, 15), 1u);
  EXPECT_EQ(tracks.place(6, 16), 2u);
  EXPECT_EQ(tracks.place(7, 9), 0u);
  EXPECT_EQ(tracks.place(10, 20), 0u);
  EXPECT_EQ(tracks.place(15, 25), 1u) << "a track is used again";
}

TEST(NestingTracks, LimitsTheDepth) {
  NestingTracks tracks;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(NestingTracks::kMaxDepth); ++i) {
    ASSERT_EQ(tracks.place(i, 10000 - i), 0u);
  }
  EXPECT_EQ(tracks.place(5000, 5001), 1u);
}

TEST(OverlapTracks, NoTwoSlicesOfATrackOverlapInPart) {
  std::mt19937 random(7);
  LaneSlices slices;
  for (int i = 0; i < 2000; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 5000);
    slices.add(random() % 3, start, start + static_cast<std::int64_t>(random() % 40));
  }
  const std::vector<std::uint32_t> tracks = overlap_tracks(slices);
  std::size_t compared = 0;
  for (std::size_t a = 0; a < tracks.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (slices.lane[a] != slices.lane[b] || tracks[a] != tracks[b]) continue;
      ++compared;
      const bool apart =
          slices.end_ns[a] <= slices.start_ns[b] || slices.end_ns[b] <= slices.start_ns[a];
      const bool a_in_b =
          slices.start_ns[a] >= slices.start_ns[b] && slices.end_ns[a] <= slices.end_ns[b];
      const bool b_in_a =
          slices.start_ns[b] >= slices.start_ns[a] && slices.end_ns[b] <= slices.end_ns[a];
      ASSERT_TRUE(apart || a_in_b || b_in_a);
    }
  }
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(*std::max_element(tracks.begin(), tracks.end()), 2u);
}

TEST(OverlapTracks, LanesDoNotDisturbEachOther) {
  LaneSlices slices;
  slices.add(1, 5, 15);
  slices.add(1, 0, 10);
  slices.add(2, 3, 12);
  EXPECT_EQ(overlap_tracks(slices), (std::vector<std::uint32_t>{1, 0, 0}));
}

}  // namespace
}  // namespace npuprof::report
