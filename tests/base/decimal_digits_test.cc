#include "base/decimal_digits.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/text.h"

namespace npuprof {
namespace {

TEST(DecimalDigits, AreTheNumberThatTheySpell) {
  EXPECT_EQ(parse_digits("0"), 0);
  EXPECT_EQ(parse_digits("1736408883003027106"), 1736408883003027106);
  EXPECT_EQ(parse_digits("00000000000000000012"), std::nullopt);
  EXPECT_EQ(parse_digits("0000000000000000012"), 12);
  EXPECT_EQ(parse_digits("9223372036854775807"), 9223372036854775807);
}

TEST(DecimalDigits, MayHaveAnyLength) {
  std::mt19937_64 random(1);
  for (int length = 1; length <= 18; ++length) {
    for (int i = 0; i < 100; ++i) {
      std::string text;
      while (std::ssize(text) < length) text += static_cast<char>('0' + random() % 10);
      EXPECT_EQ(parse_digits(text), parse_number<std::int64_t>(text)) << text;
    }
  }
}

TEST(DecimalDigits, AreNothingElse) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "0x10", "9223372036854775808",
                           "9999999999999999999", "99999999999999999999"}) {
    EXPECT_EQ(parse_digits(text), std::nullopt) << text;
  }
}

TEST(DecimalDigits, AreNotTheBytesAroundThem) {
  for (int byte = 0; byte < 256; ++byte) {
    if (byte >= '0' && byte <= '9') continue;
    for (const std::string_view digits :
         {"123456789", "12345678901234567", "123456789012345678", "1234567890123456789"}) {
      for (std::size_t place = 0; place < digits.size(); ++place) {
        std::string text(digits);
        text[place] = static_cast<char>(byte);
        EXPECT_EQ(parse_digits(text), std::nullopt) << byte << " at " << place;
      }
    }
  }
}

}  // namespace
}  // namespace npuprof
