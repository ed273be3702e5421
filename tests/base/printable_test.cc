#include "base/printable.h"

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(Printable, TextOfAllLanguagesStays) {
  EXPECT_EQ(printable("/data/训练 r\u00e9sum\u00e9 'x'\\"), "/data/训练 r\u00e9sum\u00e9 'x'\\");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ATerminalIsGivenNoOrders) {
  EXPECT_EQ(printable("a\x1b[31mb\x7f\r\t\n"), "a\\x1b[31mb\\x7f\\x0d\\x09\\n");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "the one-byte form of ESC [";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, BytesThatAreNoTextAreShown) {
  EXPECT_EQ(printable("\x9b"
                      "1m\xff\xe4\xb8"),
            "\\x9b1m\\xff\\xe4\\xb8");
}

TEST(Printable, SomeMayBeKept) { EXPECT_EQ(printable("a\nb\x1b\n", "\n"), "a\nb\\x1b\n"); }

}  // namespace
}  // namespace npuprof
