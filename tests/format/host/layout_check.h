#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "format/host/record_header.h"
#include "format/round_trip.h"

namespace npuprof::format::host::testing {

using format::testing::expect_round_trip;
using format::testing::hex;
using format::testing::offset_of;

struct FieldOffset {
  std::string_view name;
  std::size_t offset;
};

// A random round trip, and each field where the format has it.
template <Record T>
void expect_layout(std::initializer_list<FieldOffset> offsets) {
  expect_round_trip<T>();
  for (const auto& [name, offset] : offsets) EXPECT_EQ(offset_of<T>(name), offset) << name;
}

}  // namespace npuprof::format::host::testing
