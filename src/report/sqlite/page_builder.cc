#include "report/sqlite/page_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace npuprof::report::sqlite {
namespace {

constexpr std::size_t kPageHeaderBytes = 8;
constexpr std::size_t kMaxVarintBytes = 9;
// Payloads up to this stay in the leaf; of longer ones between kMinLocalBytes and this do.
constexpr std::size_t kMaxLocalBytes = kPageBytes - 35;
constexpr std::size_t kMinLocalBytes = (kPageBytes - 12) * 32 / 255 - 23;
constexpr std::size_t kOverflowBytes = kPageBytes - 4;

constexpr std::uint64_t kTypeDouble = 7;

void put_be64(std::byte* out, std::uint64_t value) {
  const std::uint64_t swapped = __builtin_bswap64(value);
  std::memcpy(out, &swapped, sizeof(swapped));
}

}  // namespace

std::size_t varint_size(std::uint64_t value) {
  const auto groups = static_cast<std::size_t>((std::bit_width(value | 1) + 6) / 7);
  return std::min(groups, kMaxVarintBytes);
}

std::byte* put_varint(std::byte* out, std::uint64_t value) {
  if (value < 0x80) {
    *out = static_cast<std::byte>(value);
    return out + 1;
  }
  if (value < 0x4000) {
    out[0] = static_cast<std::byte>(value >> 7 | 0x80);
    out[1] = static_cast<std::byte>(value & 0x7F);
    return out + 2;
  }
  const std::size_t size = varint_size(value);
  std::size_t i = size;
  if (size == kMaxVarintBytes) {  // The ninth byte holds eight bits.
    out[--i] = static_cast<std::byte>(value);
    value >>= 8;
  } else {
    out[--i] = static_cast<std::byte>(value & 0x7F);
    value >>= 7;
  }
  while (i > 0) {
    out[--i] = static_cast<std::byte>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  return out + size;
}

void put_be16(std::byte* out, std::uint32_t value) {
  out[0] = static_cast<std::byte>(value >> 8);
  out[1] = static_cast<std::byte>(value);
}

void put_be32(std::byte* out, std::uint32_t value) {
  const std::uint32_t swapped = __builtin_bswap32(value);
  std::memcpy(out, &swapped, sizeof(swapped));
}

PageBuilder::PageBuilder(std::size_t column_count)
    : types_(column_count * kMaxVarintBytes), values_(column_count * 8 + 64) {}

void PageBuilder::add_long_type(std::uint64_t type) {
  auto* begin = reinterpret_cast<std::byte*>(types_.data());
  types_used_ = static_cast<std::size_t>(put_varint(begin + types_used_, type) - begin);
}

void PageBuilder::grow_values(std::size_t size) { values_.resize((values_used_ + size + 8) * 2); }

void PageBuilder::real(double value) {
  if (std::isnan(value)) {  // SQLite has no NaN: it stores NULL.
    null();
    return;
  }
  add_type(kTypeDouble);
  put_be64(room_for_value(8), std::bit_cast<std::uint64_t>(value));
}

void PageBuilder::text(std::string_view value) {
  add_type(13 + 2 * static_cast<std::uint64_t>(value.size()));
  if (!value.empty()) std::memcpy(room_for_value(value.size()), value.data(), value.size());
}

void PageBuilder::open_page() {
  pages_.push_back(std::make_unique_for_overwrite<std::byte[]>(kPageBytes));
  last_row_ids_.push_back(0);
  current_ = pages_.back().get();
  cell_count_ = 0;
  content_begin_ = kPageBytes;
}

void PageBuilder::close_page() {
  if (current_ == nullptr) return;
  current_[0] = std::byte{0x0D};
  put_be16(current_ + 1, 0);
  put_be16(current_ + 3, static_cast<std::uint32_t>(cell_count_));
  put_be16(current_ + 5, static_cast<std::uint32_t>(content_begin_ & 0xFFFF));
  current_[7] = std::byte{0};
  const std::size_t pointers_end = kPageHeaderBytes + 2 * cell_count_;
  std::memset(current_ + pointers_end, 0, content_begin_ - pointers_end);
  current_ = nullptr;
}

// Makes room for a cell at the lower end of the contents and notes its offset.
void PageBuilder::place_cell(std::size_t cell_bytes) {
  const std::size_t pointers_end = kPageHeaderBytes + 2 * (cell_count_ + 1);
  if (current_ == nullptr || content_begin_ < pointers_end + cell_bytes) {
    close_page();
    open_page();
  }
  content_begin_ -= cell_bytes;
  put_be16(current_ + kPageHeaderBytes + 2 * cell_count_,
           static_cast<std::uint32_t>(content_begin_));
  ++cell_count_;
  last_row_ids_.back() = row_id_;
}

void PageBuilder::end_row() {
  // The header's size counts itself; with fewer than 127 bytes of types it is one byte.
  std::size_t header_bytes = types_used_ + 1;
  if (header_bytes >= 0x80) header_bytes = types_used_ + varint_size(types_used_ + 2);
  const std::uint64_t payload_bytes = header_bytes + values_used_;
  if (payload_bytes > kMaxLocalBytes) {
    put_overflow(payload_bytes, header_bytes);
    return;
  }
  const auto row_id = static_cast<std::uint64_t>(row_id_);
  place_cell(varint_size(payload_bytes) + varint_size(row_id) + payload_bytes);
  std::byte* out = current_ + content_begin_;
  out = put_varint(out, payload_bytes);
  out = put_varint(out, row_id);
  out = put_varint(out, header_bytes);
  std::memcpy(out, types_.data(), types_used_);
  if (values_used_ > 0) std::memcpy(out + types_used_, values_.data(), values_used_);
}

// A payload too large for a page: its begin stays in the cell, the rest goes to a chain of pages,
// each of which begins with the number of the next.
void PageBuilder::put_overflow(std::uint64_t payload_bytes, std::size_t header_bytes) {
  std::vector<std::byte> payload(payload_bytes);
  std::byte* end = put_varint(payload.data(), header_bytes);
  std::memcpy(end, types_.data(), types_used_);
  std::memcpy(end + types_used_, values_.data(), values_used_);

  std::size_t local = kMinLocalBytes + (payload_bytes - kMinLocalBytes) % kOverflowBytes;
  if (local > kMaxLocalBytes) local = kMinLocalBytes;
  const auto row_id = static_cast<std::uint64_t>(row_id_);
  place_cell(varint_size(payload_bytes) + varint_size(row_id) + local + 4);
  std::byte* out = put_varint(put_varint(current_ + content_begin_, payload_bytes), row_id);
  std::memcpy(out, payload.data(), local);
  fixups_.push_back({static_cast<std::uint32_t>(pages_.size() - 1),
                     static_cast<std::uint32_t>(out + local - current_),
                     static_cast<std::uint32_t>(overflow_pages_.size())});
  for (std::size_t offset = local; offset < payload_bytes; offset += kOverflowBytes) {
    auto page = std::make_unique<std::byte[]>(kPageBytes);
    const std::size_t rest = payload_bytes - offset;
    const std::size_t part = rest < kOverflowBytes ? rest : kOverflowBytes;
    std::memcpy(page.get() + 4, payload.data() + offset, part);
    overflow_pages_.push_back(std::move(page));
    chain_ends_.push_back(part == rest);
  }
}

void PageBuilder::finish() { close_page(); }

}  // namespace npuprof::report::sqlite
