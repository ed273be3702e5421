#include "serve/parallel_place.h"

#include <gtest/gtest.h>

namespace npuprof::serve {
namespace {

std::optional<ParallelPlace> place_told_by(const char* groups) {
  trace::Trace trace;
  trace.session.profiler_metadata = std::string(R"({"parallel_group_info": )") + groups + "}";
  return parallel_place(trace);
}

TEST(ParallelPlace, IsTheRankInEachNamedGroup) {
  EXPECT_EQ(place_told_by(R"({"a": {"group_name": "dp", "group_rank": 1, "global_ranks": [2, 3]},
                              "b": {"group_name": "pp", "group_rank": 2, "global_ranks": [1]},
                              "c": {"group_name": "embd", "group_rank": 5, "global_ranks": []}})"),
            (ParallelPlace{.data = 1, .pipeline = 2}));
}

TEST(ParallelPlace, IsUnknownWithoutNamesOfGroups) {
  EXPECT_EQ(place_told_by(R"({"a": {"group_name": "default_group", "group_rank": 1}})"),
            std::nullopt);
  EXPECT_EQ(place_told_by(R"([1])"), std::nullopt);
  EXPECT_EQ(parallel_place(trace::Trace()), std::nullopt);
}

}  // namespace
}  // namespace npuprof::serve
