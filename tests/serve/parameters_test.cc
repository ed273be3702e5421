#include "serve/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

HttpRequest with(const std::string& name, const std::string& value) {
  HttpRequest request;
  request.parameters.emplace(name, value);
  return request;
}

TEST(Parameters, TakesWholeNumbersWithinBounds) {
  const auto number = [](const std::string& text) {
    const HttpRequest request = with("px", text);
    return Parameters(request).number_or("px", {1, 16384}, 7);
  };
  EXPECT_EQ(*number("1"), 1);
  EXPECT_EQ(*number("16384"), 16384);
  EXPECT_EQ(*number(""), 7);
  for (const char* text :
       {"0", "16385", "-1", "1.5", "1e3", "0x10", " 1", "1 ", "99999999999999999999", "a"}) {
    ASSERT_FALSE(number(text).ok()) << text;
    EXPECT_THAT(number(text).error().message, HasSubstr("from 1 to 16384"));
  }
}

TEST(Parameters, SaysThatOneIsMissing) {
  const HttpRequest request;
  EXPECT_THAT(Parameters(request).needed_number("lane", {0, 5}).error().message,
              HasSubstr("'lane' is missing"));
}

TEST(Parameters, TakesAtMost2000Lanes) {
  std::string ids = "0";
  for (int i = 1; i < 2000; ++i) ids += "," + std::to_string(i);
  const HttpRequest most = with("lanes", ids);
  EXPECT_EQ(Parameters(most).ids("lanes")->size(), 2000U);
  const HttpRequest more = with("lanes", ids + ",1");
  EXPECT_FALSE(Parameters(more).ids("lanes").ok());
}

TEST(Parameters, TakesListsOfNumbersAlone) {
  const HttpRequest good = with("lanes", "3,1,2");
  EXPECT_THAT(*Parameters(good).ids("lanes"), ElementsAre(3, 1, 2));
  const HttpRequest none;
  EXPECT_THAT(*Parameters(none).ids("lanes"), IsEmpty());
  for (const char* text : {",", "1,", "1,,2", "1;2", "-1", "4294967296", "../etc"}) {
    const HttpRequest bad = with("lanes", text);
    EXPECT_FALSE(Parameters(bad).ids("lanes").ok()) << text;
  }
}

TEST(Parameters, TakesTextsOfSomeLengthAlone) {
  const HttpRequest longest = with("q", std::string(kLongestText, 'x'));
  EXPECT_EQ(Parameters(longest).text("q")->size(), kLongestText);
  const HttpRequest longer = with("q", std::string(kLongestText + 1, 'x'));
  EXPECT_FALSE(Parameters(longer).text("q").ok());
}

}  // namespace
}  // namespace npuprof::serve
