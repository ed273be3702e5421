#include "base/utf8.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace npuprof {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, AcceptsWhatTheStandardAllows) {
  for (const char* text :
       {"", "a", "plain ascii of some length", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
        "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
        "1234567\xE4\xBD\xA0\xE5\xA5\xBD and more"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
}

TEST(Utf8, RejectsOverlongSurrogateAndCutSequences) {
  for (const char* text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xE4\xBD", "\xE4\xBD\x41", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "\xF0\x90\x80", "eight ok\xE4\xBD", "1234567\xFF"}) {
    EXPECT_FALSE(is_valid_utf8(text)) << text;
  }
}

TEST(CleanText, IsUtf8WithoutZeroBytes) {
  for (const std::string_view text :
       {""sv, "a"sv, "plain text of some length"sv, "\x01\x01\x01\x01\x01\x01\x01\x01"sv,
        "1234567\xE4\xBD\xA0"sv}) {
    EXPECT_TRUE(is_clean_text(text)) << text;
    EXPECT_EQ(clean_text(text), text);
  }
}

TEST(CleanText, GetsAMarkForEachWrongByte) {
  EXPECT_EQ(clean_text("\0"sv), "\xEF\xBF\xBD");
  EXPECT_EQ(clean_text("Mat\0Mul"sv), "Mat\xEF\xBF\xBDMul");
  EXPECT_EQ(clean_text("a long name \xFF\xE4\xBD and more"sv),
            "a long name \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD and more");
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'x');
    text[at] = '\0';
    EXPECT_FALSE(is_clean_text(text)) << at;
    EXPECT_TRUE(is_clean_text(clean_text(text))) << at;
    EXPECT_TRUE(is_valid_utf8(text)) << "a zero byte is a character of Unicode";
    text[at] = '\xFF';
    EXPECT_FALSE(is_clean_text(text)) << at;
  }
}

}  // namespace
}  // namespace npuprof
