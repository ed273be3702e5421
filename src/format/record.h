#pragma once

// Fixed-layout records. A layout is a struct whose members are exactly the bytes on disk, reserved
// bytes included. Its members are little-endian integers without alignment (U8 to U64, ...), so the
// struct has no padding, offsets are sums of widths, encoding and decoding are one copy, and any
// byte sequence survives a round trip. Bit fields inside a member have accessor functions. Each
// layout names its members once more in a `visit` function, which tests (random round trips,
// offsets) and dumps use.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/file.h"

namespace npuprof::format {

static_assert(std::endian::native == std::endian::little, "fields are copied, not byte-swapped");

// A number stored little-endian at any address. Reads and writes compile to one move.
template <typename T>
class Field {
 public:
  Field() = default;
  constexpr Field(T value) : raw_(std::bit_cast<Raw>(value)) {}    // NOLINT(*-explicit-*)
  constexpr operator T() const { return std::bit_cast<T>(raw_); }  // NOLINT(*-explicit-*)
  constexpr T get() const { return std::bit_cast<T>(raw_); }

 private:
  using Raw = std::array<std::byte, sizeof(T)>;
  Raw raw_;
};

using U8 = Field<std::uint8_t>;
using U16 = Field<std::uint16_t>;
using U32 = Field<std::uint32_t>;
using U64 = Field<std::uint64_t>;
using I8 = Field<std::int8_t>;
using I32 = Field<std::int32_t>;
using I64 = Field<std::int64_t>;
using F64 = Field<double>;

// Bytes without a known meaning: written as zeros, kept when copied.
template <std::size_t kWidth>
using Reserved = std::array<U8, kWidth>;

template <typename T>
concept Record = std::is_trivially_copyable_v<T> && alignof(T) == 1;

// Decodes the record at `data`, which must hold sizeof(T) bytes; no alignment is needed.
template <Record T>
T load(const std::byte* data) {
  T record;
  std::memcpy(&record, data, sizeof(T));
  return record;
}

// Encodes `record` to `data`, which must have room for sizeof(T) bytes.
template <Record T>
void store(std::byte* data, const T& record) {
  std::memcpy(data, &record, sizeof(T));
}

template <Record T>
Bytes bytes_of(const T& record) {
  return {reinterpret_cast<const std::byte*>(&record), sizeof(T)};
}

// Whether all bytes are zero. That is no record of any kind: it is what a file system shows for a
// part of a file that was never written.
template <Record T>
bool is_zero(const T& record) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&record);
  if constexpr (sizeof(T) >= sizeof(std::uint64_t)) {
    std::uint64_t first;
    std::memcpy(&first, bytes, sizeof(first));
    if (first != 0) return false;  // Nearly always.
  }
  return std::all_of(bytes, bytes + sizeof(T), [](std::byte byte) { return byte == std::byte{0}; });
}

// `bytes` up to the last one that is not zero.
inline Bytes without_zeros_at_end(Bytes bytes) {
  std::size_t size = bytes.size();
  for (std::uint64_t word = 0; size >= sizeof(word); size -= sizeof(word)) {
    std::memcpy(&word, bytes.data() + size - sizeof(word), sizeof(word));
    if (word != 0) break;
  }
  while (size > 0 && bytes[size - 1] == std::byte{0}) --size;
  return bytes.first(size);
}

// Where records begin in a file whose size is no multiple of the record size. Device slices may be
// cut inside a record and the oldest slices deleted, so the *last* record is the one known to be
// whole.
enum class Leftover : std::uint8_t {
  kAtBegin,  // Skip the first (total % size) bytes.
  kAtEnd,    // Ignore the last (total % size) bytes: a file cut short while it was written.
};

// Calls `visit(const T&)` for each record of the concatenated slices, across slice boundaries.
// Returns the number of bytes that belong to no whole record.
template <Record T, std::invocable<const T&> Visit>
std::size_t for_each_record(std::span<const Bytes> slices, Leftover leftover, Visit&& visit) {
  std::size_t total = 0;
  for (const Bytes slice : slices) total += slice.size();
  const std::size_t lost = total % sizeof(T);
  std::size_t skip = leftover == Leftover::kAtBegin ? lost : 0;

  std::byte straddling[sizeof(T)];
  std::size_t held = 0;  // Bytes of a record begun in an earlier slice.
  for (Bytes slice : slices) {
    const std::size_t skipped = skip < slice.size() ? skip : slice.size();
    skip -= skipped;
    slice = slice.subspan(skipped);
    if (slice.empty()) continue;
    if (held > 0) {
      const std::size_t missing = sizeof(T) - held;
      const std::size_t taken = missing < slice.size() ? missing : slice.size();
      std::memcpy(straddling + held, slice.data(), taken);
      held += taken;
      slice = slice.subspan(taken);
      if (held < sizeof(T)) continue;
      visit(load<T>(straddling));
      held = 0;
    }
    while (slice.size() >= sizeof(T)) {
      visit(load<T>(slice.data()));
      slice = slice.subspan(sizeof(T));
    }
    if (!slice.empty()) std::memcpy(straddling, slice.data(), slice.size());
    held = slice.size();
  }
  return lost;
}

}  // namespace npuprof::format
