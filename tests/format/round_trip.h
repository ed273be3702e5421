#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/record.h"

namespace npuprof::format::testing {

// Bytes from text such as "01 00 ff", the form in which byte vectors are written down.
inline std::vector<std::byte> hex(std::string_view text) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoi(digits, nullptr, 16)));
    digits.clear();
  }
  EXPECT_TRUE(digits.empty()) << "odd number of hex digits";
  return bytes;
}

// Where a layout's visit() says each field is: the address it hands over, relative to the record.
struct FieldPlace {
  std::string name;
  std::size_t offset;
  std::size_t width;
};

template <Record T>
std::vector<FieldPlace> places_of(const T& record) {
  std::vector<FieldPlace> places;
  const auto* base = reinterpret_cast<const std::byte*>(&record);
  T::visit(record, [&](const char* name, const auto& field) {
    const auto* address = reinterpret_cast<const std::byte*>(&field);
    places.push_back({name, static_cast<std::size_t>(address - base), sizeof(field)});
  });
  return places;
}

// Checks a layout: visit() covers every byte once and in order; any byte sequence survives load and
// store; values set field by field come back, each at its own place.
template <Record T>
void expect_round_trip(std::uint64_t seed = 1) {
  std::size_t expected_offset = 0;
  const T zero{};
  for (const FieldPlace& place : places_of(zero)) {
    EXPECT_EQ(place.offset, expected_offset) << place.name;
    expected_offset = place.offset + place.width;
  }
  EXPECT_EQ(expected_offset, sizeof(T)) << "visit() leaves out a field";

  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::byte image[sizeof(T)];
    for (std::byte& byte : image) byte = static_cast<std::byte>(random());
    const T decoded = load<T>(image);
    std::byte again[sizeof(T)] = {};
    store(again, decoded);
    EXPECT_TRUE(std::equal(image, image + sizeof(T), again));

    T built{};
    std::byte expected[sizeof(T)] = {};
    std::size_t at = 0;
    T::visit(built, [&](const char*, auto& field) {
      ASSERT_LE(at + sizeof(field), sizeof(T));
      for (std::size_t i = 0; i < sizeof(field); ++i) {
        expected[at + i] = static_cast<std::byte>(random());
      }
      std::memcpy(static_cast<void*>(&field), expected + at, sizeof(field));
      at += sizeof(field);
    });
    const Bytes encoded = bytes_of(built);
    EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), expected, expected + sizeof(T)));
  }
}

// The offset of a named field, to compare with the layout's table.
template <Record T>
std::size_t offset_of(std::string_view name) {
  const T zero{};
  for (const FieldPlace& place : places_of(zero)) {
    if (place.name == name) return place.offset;
  }
  ADD_FAILURE() << "no field " << name;
  return ~std::size_t{0};
}

}  // namespace npuprof::format::testing
