#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/framework/tlv.h"
#include "format/round_trip.h"

namespace npuprof::format::framework::testing {

using format::testing::expect_round_trip;
using format::testing::hex;
using format::testing::offset_of;

// Decodes bytes that hold exactly one record.
template <TlvRecord T>
T decode_one(Bytes bytes) {
  T decoded{};
  const TlvReport report =
      for_each_tlv_record<T>(bytes, [&](const T& record) { decoded = record; });
  EXPECT_EQ(report.records, 1u);
  EXPECT_TRUE(report.whole());
  return decoded;
}

template <TlvRecord T>
std::vector<std::byte> encode_one(const T& record) {
  std::vector<std::byte> bytes;
  append(record, bytes);
  EXPECT_EQ(bytes.size(), encoded_size(record));
  return bytes;
}

// Checks that `bytes` decode to a record that encodes to the same bytes; returns the record.
template <TlvRecord T>
T expect_same_bytes(const std::vector<std::byte>& bytes) {
  const T decoded = decode_one<T>(bytes);
  EXPECT_EQ(encode_one(decoded), bytes);
  return decoded;
}

inline std::string random_text(std::mt19937_64& random) {
  static constexpr std::string_view kPieces[] = {
      "aten::mm", ";", "\xC3\xA9", "0x10", ")", "}", "", "#", "\xE4\xBD\xA0", ",", "(3): f"};
  std::string text;
  for (std::uint64_t pieces = random() % 6; pieces > 0; --pieces) {
    text += kPieces[random() % std::size(kPieces)];
  }
  return text;
}

// Fills fixed part and fields at random (optional fields are sometimes left out), encodes, decodes
// and compares.
template <TlvRecord T>
void expect_record_round_trip(std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    T record{};
    std::byte image[sizeof(typename T::Fixed)];
    for (std::byte& byte : image) byte = static_cast<std::byte>(random());
    record.fixed = load<typename T::Fixed>(image);
    std::vector<std::string> texts(16);
    std::size_t used = 0;
    T::visit_fields(record, [&](const char*, auto, auto& member) {
      texts[used] = random_text(random);
      if (std::is_same_v<std::decay_t<decltype(member)>, std::string_view> || random() % 4 != 0) {
        member = std::string_view(texts[used++]);
      }
    });

    const auto bytes = encode_one(record);
    const T decoded = decode_one<T>(bytes);
    EXPECT_TRUE(std::ranges::equal(bytes_of(decoded.fixed).first(kFixedBytes<T>),
                                   bytes_of(record.fixed).first(kFixedBytes<T>)));
    std::vector<std::pair<std::uint16_t, std::string>> expected;
    std::vector<std::pair<std::uint16_t, std::string>> found;
    for_each_written_field(record, [&](std::uint16_t type, std::string_view text) {
      expected.emplace_back(type, text);
    });
    for_each_written_field(decoded, [&](std::uint16_t type, std::string_view text) {
      found.emplace_back(type, text);
    });
    EXPECT_EQ(found, expected);
  }
}

}  // namespace npuprof::format::framework::testing
