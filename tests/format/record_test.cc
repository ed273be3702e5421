#include "format/record.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::format {
namespace {

struct Pair {
  U16 first;
  U32 second;
};
static_assert(sizeof(Pair) == 6);

std::vector<std::byte> numbered(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

std::vector<std::uint16_t> firsts(const std::vector<Bytes>& slices, Leftover leftover,
                                  std::size_t* lost) {
  std::vector<std::uint16_t> seen;
  *lost = for_each_record<Pair>(slices, leftover,
                                [&](const Pair& pair) { seen.push_back(pair.first); });
  return seen;
}

TEST(ForEachRecord, ReadsAcrossEverySliceBoundary) {
  const auto bytes = numbered(18);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::vector<Bytes> slices{Bytes(bytes).first(cut), {}, Bytes(bytes).subspan(cut)};
    std::size_t lost = 99;
    EXPECT_EQ(firsts(slices, Leftover::kAtBegin, &lost),
              (std::vector<std::uint16_t>{0x0100, 0x0706, 0x0d0c}));
    EXPECT_EQ(lost, 0u);
  }
}

TEST(ForEachRecord, SkipsALeftoverWhereTheCallerSays) {
  const auto bytes = numbered(14);
  const std::vector<Bytes> slices{Bytes(bytes).first(1), Bytes(bytes).subspan(1)};
  std::size_t lost = 0;
  EXPECT_EQ(firsts(slices, Leftover::kAtBegin, &lost),
            (std::vector<std::uint16_t>{0x0302, 0x0908}));
  EXPECT_EQ(lost, 2u);
  EXPECT_EQ(firsts(slices, Leftover::kAtEnd, &lost), (std::vector<std::uint16_t>{0x0100, 0x0706}));
  EXPECT_EQ(lost, 2u);
}

TEST(ForEachRecord, FindsNothingInShortOrMissingInput) {
  std::size_t lost = 0;
  const auto bytes = numbered(5);
  EXPECT_TRUE(firsts({Bytes(bytes)}, Leftover::kAtEnd, &lost).empty());
  EXPECT_EQ(lost, 5u);
  EXPECT_TRUE(firsts({}, Leftover::kAtBegin, &lost).empty());
  EXPECT_EQ(lost, 0u);
}

}  // namespace
}  // namespace npuprof::format
