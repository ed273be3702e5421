#include "format/host/dictionary.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::format::host {
namespace {

using Hashes = std::vector<std::pair<std::uint64_t, std::string>>;

Hashes read_hashes(const std::vector<std::string_view>& slices, DictionaryCounts* counts) {
  std::vector<Bytes> bytes;
  for (const std::string_view slice : slices) bytes.push_back(as_bytes(slice));
  Hashes entries;
  *counts = read_hash_dictionary(
      bytes, [&](std::uint64_t hash, std::string_view text) { entries.emplace_back(hash, text); });
  return entries;
}

TEST(StringHash, MatchesKnownPairs) {
  EXPECT_EQ(string_hash("AssignAdd"), 836640106292564866u);
  EXPECT_EQ(string_hash("Notify_Wait"), 0xab44b101f36f4b07u);
  EXPECT_EQ(string_hash(""), ~std::uint64_t{0});
  EXPECT_EQ(string_hash("a"), 0x0000006100000061u);
  // Bytes are signed: 0xff counts as -1.
  EXPECT_EQ(string_hash("\xff"), ~std::uint64_t{0});
}

TEST(HashDictionary, SplitsAtTheFirstColon) {
  DictionaryCounts counts;
  const auto entries = read_hashes({"1:a\n18446744073709551615:x:y:z\r\n3:\n"}, &counts);
  EXPECT_EQ(entries, (Hashes{{1, "a"}, {~std::uint64_t{0}, "x:y:z"}, {3, ""}}));
  EXPECT_EQ(counts.entries, 3u);
  EXPECT_EQ(counts.bad_lines, 0u);
  EXPECT_FALSE(counts.cut_short);
}

TEST(HashDictionary, ContinuesAcrossSlicesAtEveryPlace) {
  const std::string text = "12:first\n34:second one\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string_view view = text;
    DictionaryCounts counts;
    const auto entries = read_hashes({view.substr(0, cut), {}, view.substr(cut)}, &counts);
    EXPECT_EQ(entries, (Hashes{{12, "first"}, {34, "second one"}})) << cut;
    EXPECT_FALSE(counts.cut_short);
  }
}

TEST(HashDictionary, CountsBadLinesAndKeepsTheRest) {
  DictionaryCounts counts;
  const auto entries = read_hashes(
      {"junk\n:no key\n-5:negative\n18446744073709551616:too big\n\n7:good\n8:cut"}, &counts);
  EXPECT_EQ(entries, (Hashes{{7, "good"}, {8, "cut"}}));
  EXPECT_EQ(counts.bad_lines, 4u);
  EXPECT_TRUE(counts.cut_short);
}

TEST(TypeDictionary, NeedsTwoNumbers) {
  const std::string_view text = "10000_5:launch\n5000_802:task_track\n70000_1:x\n5000:y\n1_2_3:z\n";
  const Bytes slice = as_bytes(text);
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::string> names;
  const auto counts = read_type_dictionary(
      std::span(&slice, 1), [&](std::uint16_t level, std::uint32_t type, std::string_view name) {
        names[{level, type}] = name;
      });
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ((names[{10000, 5}]), "launch");
  EXPECT_EQ(counts.bad_lines, 3u);
}

TEST(Dictionary, WritesWhatItReads) {
  std::string out;
  append_hash_entry(out, string_hash("MatMul:1"), "MatMul:1");
  append_hash_entry(out, 5, "two\nlines\r");
  append_type_entry(out, 5000, 98, "FLIP_TASK");
  EXPECT_EQ(out, std::to_string(string_hash("MatMul:1")) +
                     ":MatMul:1\n5:two lines \n5000_98:FLIP_TASK\n");
}

}  // namespace
}  // namespace npuprof::format::host
