#include "link/row_map.h"

#include <map>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace npuprof::link {
namespace {

using trace::kNone;

void expect_answers_like_an_ordered_map(RowMap rows) {
  std::mt19937_64 random(5);
  constexpr std::size_t kKeys = 2000;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> expected;
  while (expected.size() < kKeys) {
    // Counters, addresses with zeros at the end, and numbers all over the range.
    const std::uint64_t draw = random();
    const std::uint64_t number = draw % 3 == 0   ? draw % 1000
                                 : draw % 3 == 1 ? (draw % 1000) << 21
                                                 : draw;
    const std::uint64_t scope = random() % 2;
    const auto row = static_cast<std::uint32_t>(random() % 100000);
    rows[{number, scope}] = row;
    expected[{number, scope}] = row;
  }
  for (const auto& [key, row] : expected) EXPECT_EQ(rows.find({key.first, key.second}), row);
  EXPECT_EQ(rows.find({12345678901, 7}), kNone);
}

TEST(RowMap, AnswersLikeAnOrderedMap) { expect_answers_like_an_ordered_map(RowMap(2000)); }

TEST(RowMap, GrowsWithItsKeys) { expect_answers_like_an_ordered_map(RowMap()); }

TEST(RowMap, OfNothingFindsNothing) { EXPECT_EQ(RowMap().find({1}), kNone); }

}  // namespace
}  // namespace npuprof::link
