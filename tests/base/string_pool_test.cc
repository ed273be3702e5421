#include "base/string_pool.h"

#include <random>
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(StringPool, StartsWithTheEmptyString) {
  StringPool pool;
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.intern(""), kEmptyString);
  EXPECT_EQ(pool.find(""), kEmptyString);
  EXPECT_EQ(pool.view(kEmptyString), "");
  EXPECT_EQ(pool.view(StringId{}), "");
  EXPECT_EQ(pool.size(), 1u);
}

TEST(StringPool, GivesDenseIdsInOrderOfAppearance) {
  StringPool pool;
  const StringId a = pool.intern("aten::add");
  const StringId b = pool.intern("aten::mul");
  EXPECT_EQ(to_index(a), 1u);
  EXPECT_EQ(to_index(b), 2u);
  EXPECT_EQ(pool.intern("aten::add"), a);
  EXPECT_EQ(pool.view(b), "aten::mul");
  EXPECT_EQ(pool.find("aten::mul"), b);
  EXPECT_EQ(pool.find("aten::div"), std::nullopt);
  EXPECT_EQ(pool.size(), 3u);
}

TEST(StringPool, TellsApartEqualPrefixesAndZeroBytes) {
  StringPool pool;
  // Lengths around each step of the hash function.
  for (std::size_t length = 1; length < 70; ++length) {
    const std::string text(length, 'x');
    const StringId id = pool.intern(text);
    EXPECT_EQ(to_index(id), length);
    EXPECT_EQ(pool.view(id), text);
  }
  const StringId zero = pool.intern(std::string_view("\0", 1));
  EXPECT_NE(zero, pool.intern(std::string_view("\0\0", 2)));
  EXPECT_EQ(zero, pool.intern(std::string_view("\0", 1)));
}

TEST(StringPool, KeepsViewsWhileItGrowsAndMoves) {
  StringPool pool;
  const std::string_view early = pool.view(pool.intern("an early string"));
  const std::string_view huge = pool.view(pool.intern(std::string(1'000'000, 'h')));
  const char* const early_data = early.data();
  for (int i = 0; i < 100'000; ++i) pool.intern("kernel_" + std::to_string(i));
  const StringPool moved = std::move(pool);
  EXPECT_EQ(moved.view(*moved.find("an early string")).data(), early_data);
  EXPECT_EQ(early, "an early string");
  EXPECT_EQ(huge, std::string(1'000'000, 'h'));
  EXPECT_EQ(moved.size(), 100'003u);
}

TEST(StringPool, AgreesWithAMapOnRandomText) {
  std::mt19937 random(3);
  StringPool pool;
  std::unordered_map<std::string, StringId> expected;
  for (int i = 0; i < 200'000; ++i) {
    std::string text(random() % 40, 'a');
    // Few different characters make many equal strings.
    for (char& c : text) c = static_cast<char>('a' + random() % (text.size() < 8 ? 4 : 2));
    const bool known = text.empty() || expected.contains(text);
    EXPECT_EQ(pool.find(text).has_value(), known);
    const StringId id = pool.intern(text);
    const auto [entry, added] = expected.emplace(text, id);
    ASSERT_EQ(entry->second, id);
    ASSERT_EQ(pool.view(id), text);
  }
  expected.emplace("", kEmptyString);
  EXPECT_EQ(pool.size(), expected.size());
}

TEST(StringPool, KeepsWhatIsNoTextInAFormThatIs) {
  using namespace std::string_view_literals;
  StringPool pool;
  const StringId zero = pool.intern("Mat\0Mul"sv);
  const StringId bad = pool.intern("name \xFF");
  EXPECT_EQ(pool.view(zero), "Mat\xEF\xBF\xBDMul");
  EXPECT_EQ(pool.view(bad), "name \xEF\xBF\xBD");
  EXPECT_EQ(pool.intern("name \xFF"), bad);
  EXPECT_EQ(pool.find("name \xFF"), bad);
  EXPECT_EQ(pool.find("name \xFE"), std::nullopt);
  EXPECT_EQ(pool.intern("name \xFE"), bad) << "both are shown alike";
  EXPECT_EQ(pool.take_cleaned(), 3u) << "each is counted once";
  EXPECT_EQ(pool.take_cleaned(), 0u);
  EXPECT_EQ(pool.size(), 3u);

  StringPool all;
  all.intern("Mat\0Mul"sv);
  all.merge(pool);
  EXPECT_EQ(all.take_cleaned(), 3u);
}

TEST(StringPool, MergesWithAMapOfIds) {
  StringPool first;
  first.intern("shared");
  first.intern("only first");
  StringPool second;
  const StringId other = second.intern("only second");
  const StringId shared = second.intern("shared");
  const auto ids = first.merge(second);
  ASSERT_EQ(ids.size(), second.size());
  EXPECT_EQ(ids[0], kEmptyString);
  EXPECT_EQ(first.view(ids[to_index(other)]), "only second");
  EXPECT_EQ(ids[to_index(shared)], first.find("shared"));
  EXPECT_EQ(first.size(), 4u);
}

}  // namespace
}  // namespace npuprof
