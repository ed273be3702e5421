#pragma once

// Protocol buffer messages under construction: a growing block of bytes. Only what a trace needs;
// nested messages are made in a buffer of their own and then appended with their length.

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace npuprof::report {

class ProtoBuffer {
 public:
  explicit ProtoBuffer(std::size_t capacity = 4096)
      : data_(std::make_unique_for_overwrite<char[]>(capacity)), capacity_(capacity) {}

  std::string_view view() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }

  // Unsigned integers, enumerations and booleans. Negative numbers of signed fields are given as
  // their 64 bits.
  void varint(std::uint32_t field, std::uint64_t value) {
    char* out = room(2 * kMaxVarintBytes);
    out = put_varint(out, std::uint64_t{field} << 3 | kVarint);
    wrote(put_varint(out, value));
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    static_assert(std::endian::native == std::endian::little);
    char* out = put_varint(room(kMaxVarintBytes + 8), std::uint64_t{field} << 3 | kFixed64);
    std::memcpy(out, &value, 8);
    wrote(out + 8);
  }
  void real(std::uint32_t field, double value) {
    fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  // Text, or a whole message.
  void bytes(std::uint32_t field, std::string_view value) {
    char* out = room(2 * kMaxVarintBytes + value.size());
    out = put_varint(out, std::uint64_t{field} << 3 | kLengthDelimited);
    out = put_varint(out, value.size());
    if (!value.empty()) std::memcpy(out, value.data(), value.size());
    wrote(out + value.size());
  }

 private:
  static constexpr std::size_t kMaxVarintBytes = 10;
  static constexpr std::uint64_t kVarint = 0;
  static constexpr std::uint64_t kFixed64 = 1;
  static constexpr std::uint64_t kLengthDelimited = 2;

  static char* put_varint(char* out, std::uint64_t value) {
    while (value >= 0x80) {
      *out++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *out++ = static_cast<char>(value);
    return out;
  }
  char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return data_.get() + size_;
  }
  void wrote(const char* end) { size_ = static_cast<std::size_t>(end - data_.get()); }
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> data_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace npuprof::report
