#pragma once

// What the fuzz targets share: the first byte of an input chooses a decoder, the rest is its data.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "base/file.h"
#include "format/record.h"

namespace npuprof::fuzz {

// Everything a decoder hands out is fed to this, so that it is really computed and really read.
inline volatile std::uint64_t sink = 0;

inline void use(std::string_view text) {
  std::uint64_t sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  sink = sink + sum;
}
template <typename T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void use(T value) {
  sink = sink + (value != T{} ? 1 : 0);
}
// Every byte of a record, and every field that its visit() names.
template <format::Record T>
void use_record(const T& record) {
  use(as_text(format::bytes_of(record)));
  T::visit(record, [](const char* name, const auto& field) {
    use(std::string_view(name));
    use(std::string_view(reinterpret_cast<const char*>(&field), sizeof(field)));
  });
}

// What must hold for any input.
inline void require(bool condition) {
  if (!condition) std::abort();
}

using Decoder = void (*)(Bytes);

// Runs the decoder that the first byte chooses on the bytes behind it.
template <std::size_t kCount>
int run_one(const Decoder (&decoders)[kCount], const std::uint8_t* data, std::size_t size) {
  static_assert(kCount <= 256);
  if (size == 0) return 0;
  const Bytes bytes{reinterpret_cast<const std::byte*>(data), size};
  decoders[data[0] % kCount](bytes.subspan(1));
  return 0;
}

// The data as the three slices of a file; its first two bytes say where it is cut.
inline std::array<Bytes, 3> in_slices(Bytes data) {
  if (data.size() < 2) return {data, {}, {}};
  const std::size_t first = std::to_integer<std::size_t>(data[0]);
  const std::size_t second = std::to_integer<std::size_t>(data[1]);
  data = data.subspan(2);
  const std::size_t cut = first < data.size() ? first : data.size();
  const Bytes rest = data.subspan(cut);
  const std::size_t next_cut = second < rest.size() ? second : rest.size();
  return {data.first(cut), rest.first(next_cut), rest.subspan(next_cut)};
}

// Reads the data as records of one layout, from both ends; `visit` calls the accessors it has.
template <format::Record T, typename Visit>
void decode_records(Bytes data, Visit&& visit) {
  const auto slices = in_slices(data);
  for (const auto leftover : {format::Leftover::kAtBegin, format::Leftover::kAtEnd}) {
    use(format::for_each_record<T>(slices, leftover, [&](const T& record) {
      use_record(record);
      visit(record);
    }));
  }
}
template <format::Record T>
void decode_plain_records(Bytes data) {
  decode_records<T>(data, [](const T&) {});
}

}  // namespace npuprof::fuzz
