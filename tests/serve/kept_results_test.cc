#include "serve/kept_results.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::serve {
namespace {

using Texts = KeptValues<std::string>;

class KeptResultsTest : public ::testing::Test {
 protected:
  std::string ask(const std::string& key, std::size_t bytes = 1, bool is_final = true) {
    const auto got = texts_.get(key, [&]() -> Result<Texts::Made> {
      return Texts::Made{
          .value = std::make_shared<const std::string>(key + std::to_string(++made_)),
          .bytes = bytes,
          .is_final = is_final};
    });
    return got.ok() ? **got : "failed";
  }

  Texts texts_{100};
  std::atomic<int> made_{0};
};

TEST_F(KeptResultsTest, AreMadeOnce) {
  EXPECT_EQ(ask("a"), "a1");
  EXPECT_EQ(ask("b"), "b2");
  EXPECT_EQ(ask("a"), "a1");
}

TEST_F(KeptResultsTest, GoWhenThereIsNoRoomThoseAskedForLongestAgoFirst) {
  ask("a", 40);
  ask("b", 40);
  ask("a", 40);
  ask("c", 40);
  EXPECT_EQ(made_, 3);
  EXPECT_EQ(ask("a"), "a1");
  EXPECT_EQ(ask("b"), "b4");
}

TEST_F(KeptResultsTest, KeepTheLastHoweverLarge) {
  ask("a", 40);
  ask("large", 1000);
  EXPECT_EQ(ask("large"), "large2");
  EXPECT_EQ(ask("a"), "a3");
}

TEST_F(KeptResultsTest, AreMadeAgainIfTheyWereNotFinalOrFailed) {
  EXPECT_EQ(ask("a", 1, false), "a1");
  EXPECT_EQ(ask("a"), "a2");
  const auto failed = texts_.get("b", []() -> Result<Texts::Made> {
    return Error{ErrorCode::kNotFound, "nothing"};
  });
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(ask("b"), "b3");
}

TEST_F(KeptResultsTest, AreBoundedInNumber) {
  for (int i = 0; i < 200; ++i) ask(std::to_string(i), 0);
  EXPECT_EQ(ask("199"), "199200");
  EXPECT_EQ(ask("0"), "0201");
}

TEST_F(KeptResultsTest, AreMadeOnceForAllThreadsThatAskAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int k = 0; k < 20; ++k) ask("key" + std::to_string(k), 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made_, 20);
}

}  // namespace
}  // namespace npuprof::serve
