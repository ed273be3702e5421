#pragma once

// Builds leaf pages of an SQLite table from rows in ascending row-id order. Leaf pages hold no page
// numbers (except where a value is larger than a page), so many builders can work side by side and
// their pages be put into the file afterwards.
//
// A leaf page, as SQLite's file format describes it:
//
// | offset | width | content                                                        |
// |--------|-------|----------------------------------------------------------------|
// |      0 |     1 | 0x0D, leaf of a table                                          |
// |      1 |     2 | first free block, 0                                            |
// |      3 |     2 | number of cells                                                |
// |      5 |     2 | begin of the cell contents, 0 means 65536                      |
// |      7 |     1 | fragmented bytes, 0                                            |
// |      8 |   2 n | offsets of the cells, big-endian, in row-id order              |
//
// A cell is: payload size (varint), row id (varint), record header (its size, then one type per
// column, all varints), values. Cells are put at the end of the page, growing towards its begin.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace npuprof::report::sqlite {

inline constexpr std::size_t kPageBytes = 65536;

// A place in a page that must receive the number of an overflow page once pages are numbered.
struct OverflowFixup {
  std::uint32_t page;            // Among the leaf pages of this builder.
  std::uint32_t offset;          // Where the 4-byte page number goes.
  std::uint32_t first_overflow;  // Among the overflow pages of this builder.
};

class PageBuilder {
 public:
  explicit PageBuilder(std::size_t column_count);

  // One row: begin_row, then one call per column, then end_row. Row ids must ascend.
  void begin_row(std::int64_t row_id) {
    row_id_ = row_id;
    types_used_ = 0;
    values_used_ = 0;
  }
  void null() { add_type(0); }
  // Most cells are integers: the call would cost more than the work.
  [[gnu::always_inline]] void integer(std::int64_t value) {
    // Zero and one have types of their own, and no bytes.
    if (value == 0 || value == 1) {
      add_type(static_cast<std::uint64_t>(kTypeZero + value));
      return;
    }
    // Bits needed with the sign, then the narrowest of the widths 1, 2, 3, 4, 6 and 8 bytes.
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? ~value : value);
    const int bits = 65 - std::countl_zero(magnitude);
    static constexpr std::uint8_t kWidths[9] = {1, 1, 2, 3, 4, 6, 6, 8, 8};
    static constexpr std::uint8_t kTypes[9] = {1, 1, 2, 3, 4, 5, 5, 6, 6};
    const auto bytes_needed = static_cast<std::size_t>((bits + 7) / 8);
    const std::size_t width = kWidths[bytes_needed];
    add_type(kTypes[bytes_needed]);
    // Eight bytes are written always: the next value begins where this one's width ends.
    const auto shifted = static_cast<std::uint64_t>(value) << (64 - 8 * width);
    const std::uint64_t big_endian = __builtin_bswap64(shifted);
    std::memcpy(room_for_value(width), &big_endian, sizeof(big_endian));
  }
  void real(double value);
  // A number in a column of numeric affinity: SQLite stores whole numbers there as integers.
  void numeric(double value) {
    constexpr double kExactLimit = 9007199254740992.0;  // 2^53
    if (value > -kExactLimit && value < kExactLimit) {
      const auto whole = static_cast<std::int64_t>(value);
      if (static_cast<double>(whole) == value) {
        integer(whole);
        return;
      }
    }
    real(value);
  }
  void text(std::string_view value);
  void end_row();

  // The pages built so far; each of kPageBytes. Ends the page under construction.
  void finish();
  std::size_t page_count() const { return pages_.size(); }
  const std::byte* page(std::size_t index) const { return pages_[index].get(); }
  std::byte* page(std::size_t index) { return pages_[index].get(); }
  std::int64_t last_row_id(std::size_t page_index) const { return last_row_ids_[page_index]; }
  const std::vector<OverflowFixup>& fixups() const { return fixups_; }
  std::size_t overflow_page_count() const { return overflow_pages_.size(); }
  std::byte* overflow_page(std::size_t index) { return overflow_pages_[index].get(); }
  // Whether an overflow page is the last of its chain (its next pointer stays 0).
  bool ends_chain(std::size_t index) const { return chain_ends_[index]; }

 private:
  using Page = std::unique_ptr<std::byte[]>;

  static constexpr std::int64_t kTypeZero = 8;

  void add_type(std::uint64_t type) {
    if (type < 0x80) {
      types_[types_used_++] = static_cast<std::uint8_t>(type);
    } else {
      add_long_type(type);
    }
  }
  void add_long_type(std::uint64_t type);
  // There is room for eight bytes at least.
  std::byte* room_for_value(std::size_t size) {
    if (values_used_ + size + 8 > values_.size()) grow_values(size);
    std::byte* room = values_.data() + values_used_;
    values_used_ += size;
    return room;
  }
  void grow_values(std::size_t size);
  void place_cell(std::size_t cell_bytes);
  void put_overflow(std::uint64_t payload_bytes, std::size_t header_bytes);
  void open_page();
  void close_page();

  std::int64_t row_id_ = 0;
  std::vector<std::uint8_t> types_;  // Encoded serial types of the row under construction.
  std::size_t types_used_ = 0;
  std::vector<std::byte> values_;  // Its values.
  std::size_t values_used_ = 0;

  std::byte* current_ = nullptr;
  std::size_t cell_count_ = 0;
  std::size_t content_begin_ = 0;
  std::vector<Page> pages_;
  std::vector<std::int64_t> last_row_ids_;
  std::vector<OverflowFixup> fixups_;
  std::vector<Page> overflow_pages_;
  std::vector<bool> chain_ends_;
};

// SQLite's variable-length integer: 1 to 9 bytes, big-endian groups of 7 bits.
std::size_t varint_size(std::uint64_t value);
std::byte* put_varint(std::byte* out, std::uint64_t value);
void put_be16(std::byte* out, std::uint32_t value);
void put_be32(std::byte* out, std::uint32_t value);

}  // namespace npuprof::report::sqlite
