#include "record/name_cache.h"

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace npuprof::record {
namespace {

using Answer = NameCache::Answer;

TEST(NameCache, GivesASlotToATextThatComesAgain) {
  const auto cache = std::make_unique<NameCache>();
  EXPECT_EQ(cache->find("aten::mm").answer, Answer::kNone);
  const auto second = cache->find("aten::mm");
  EXPECT_EQ(second.answer, Answer::kNew);
  const auto third = cache->find(std::string("aten::mm"));  // At another address.
  EXPECT_EQ(third.answer, Answer::kKnown);
  EXPECT_EQ(third.slot, second.slot);
}

TEST(NameCache, ComparesTextsNotAddresses) {
  const auto cache = std::make_unique<NameCache>();
  std::string text = "step 1";
  cache->find(text);
  cache->find(text);
  EXPECT_EQ(cache->find(text).answer, Answer::kKnown);
  text[5] = '2';
  EXPECT_NE(cache->find(text).answer, Answer::kKnown);
}

TEST(NameCache, NeverMixesUpTexts) {
  const auto cache = std::make_unique<NameCache>();
  std::map<std::uint32_t, std::string> text_of_slot;
  std::size_t known = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 1000; ++i) {
      // Alike at both ends, of all lengths.
      const std::string text = "autograd::engine" +
                               std::string(static_cast<std::size_t>(i % 90), 'x') +
                               std::to_string(i) + "Backward0";
      const auto found = cache->find(text);
      if (found.answer == Answer::kNone) continue;
      ASSERT_LT(found.slot, NameCache::kSlots);
      const auto [entry, is_new] = text_of_slot.emplace(found.slot, text);
      EXPECT_EQ(entry->second, text);
      EXPECT_EQ(is_new, found.answer == Answer::kNew);
      known += found.answer == Answer::kKnown ? 1 : 0;
    }
  }
  EXPECT_GT(known, 200u);
  EXPECT_LE(text_of_slot.size(), NameCache::kSlots);
}

TEST(NameCache, EmptyAndLongTexts) {
  const auto cache = std::make_unique<NameCache>();
  cache->find("");
  EXPECT_EQ(cache->find("").answer, Answer::kNew);
  EXPECT_EQ(cache->find("").answer, Answer::kKnown);
  const std::string longest(NameCache::kLongestText, 'a');
  cache->find(longest);
  EXPECT_EQ(cache->find(longest).answer, Answer::kNew);
  const std::string too_long = longest + "a";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cache->find(too_long).answer, Answer::kNone);
}

TEST(NameCache, ForgetsAndClears) {
  const auto cache = std::make_unique<NameCache>();
  cache->find("a");
  cache->forget(cache->find("a").slot);
  EXPECT_EQ(cache->find("a").answer, Answer::kNew);
  EXPECT_EQ(cache->find("a").answer, Answer::kKnown);
  cache->clear();
  EXPECT_EQ(cache->find("a").answer, Answer::kNone);
}

}  // namespace
}  // namespace npuprof::record
