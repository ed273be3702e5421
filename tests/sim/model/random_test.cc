#include "sim/model/random.h"

#include <set>

#include <gtest/gtest.h>

namespace npuprof::sim {
namespace {

// The generator is part of what makes runs comparable: its values must never change.
TEST(Random, GivesTheSameValuesForever) {
  Random random(1);
  EXPECT_EQ(mix_bits(0), 0xE220A8397B1DCDAFull);  // First output of splitmix64 seeded with 0.
  const std::uint64_t first = random.next();
  EXPECT_EQ(Random(1).next(), first);
  EXPECT_NE(Random(2).next(), first);
}

TEST(Random, StaysInsideItsBounds) {
  Random random(7);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(random.below(5));
    const double unit = random.unit();
    EXPECT_GE(unit, 0.0);
    EXPECT_LT(unit, 1.0);
    const std::int64_t value = random.between(-3, 3);
    EXPECT_GE(value, -3);
    EXPECT_LE(value, 3);
  }
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(random.below(0), 0u);
}

TEST(Random, PartsOfASeedDiffer) {
  EXPECT_NE(derive_seed(1, 2), derive_seed(2, 1));
  EXPECT_NE(derive_seed(1, 0), derive_seed(1, 1));
}

}  // namespace
}  // namespace npuprof::sim
