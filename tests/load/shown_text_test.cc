#include "load/shown_text.h"

#include <gtest/gtest.h>

namespace npuprof::load {
namespace {

TEST(ShownText, LinesBecomePartsAgain) {
  EXPECT_EQ(without_line_breaks("2,3;\r\n;\r\n4"), "2,3;;4");
  EXPECT_EQ(without_line_breaks("float;"), "float;");
  EXPECT_EQ(without_line_breaks("a\r\nb"), "a\r\nb") << "a break of the text itself";
}

TEST(ShownText, GroupsHaveTheIdThatTheCollectorMakesOfTheirNames) {
  StringPool strings;
  // A collective of a real run in this group is called hcom_allReduce__576_0_1.
  const RankGroup named = rank_group("90.91.105.46%enp189s0f0_60000_0_1736407029972691", strings);
  EXPECT_EQ(strings.view(named.id), "2566989682403400576");
  EXPECT_EQ(strings.view(named.name), "90.91.105.46%enp189s0f0_60000_0_1736407029972691");
  const RankGroup unnamed = rank_group("2566989682403400576", strings);
  EXPECT_EQ(unnamed.id, named.id);
  EXPECT_EQ(unnamed.name, kEmptyString);
  EXPECT_EQ(rank_group("", strings).id, kEmptyString);
}

}  // namespace
}  // namespace npuprof::load
