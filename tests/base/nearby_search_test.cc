#include "base/nearby_search.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(NearbySearch, TheAnswerDoesNotDependOnThePlaceItStartsFrom) {
  for (std::size_t size = 0; size < 12; ++size) {
    for (std::size_t started = 0; started <= size; ++started) {
      for (std::size_t place = 0; place <= size; ++place) {
        const auto has_started = [&](std::size_t i) {
          EXPECT_LT(i, size);
          return i < started;
        };
        EXPECT_EQ(count_started(size, place, has_started), started);
      }
    }
  }
}

TEST(NearbySearch, NeighboursAreFoundWithFewQuestions) {
  constexpr std::size_t kSize = 1'000'000;
  for (const std::size_t started :
       {std::size_t{499'990}, std::size_t{500'000}, std::size_t{500'007}}) {
    int questions = 0;
    const auto has_started = [&](std::size_t i) {
      ++questions;
      return i < started;
    };
    EXPECT_EQ(count_started(kSize, 500'000, has_started), started);
    EXPECT_LT(questions, 10);
  }
}

}  // namespace
}  // namespace npuprof
