#pragma once

// Rows of a table straight from the pages of an SQLite file (https://sqlite.org/fileformat2.html).
// A profile has millions of rows of small numbers, and stepping through them with SQLite takes ten
// times as long as looking at them. What is not plain is left to SQLite: long rows that go on in
// other pages, and everything that looks damaged, so that nobody else has to judge it.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace npuprof::load {

// A value of a row as it is stored. Valid until the next row.
class StoredValue {
 public:
  StoredValue() = default;
  StoredValue(std::uint64_t serial_type, const std::uint8_t* bytes)
      : serial_type_(serial_type), bytes_(bytes) {}

  bool is_null() const { return serial_type_ == 0; }
  bool is_integer() const { return serial_type_ - 1 < 6 || (serial_type_ | 1) == 9; }
  bool is_real() const { return serial_type_ == 7; }
  bool is_text() const { return serial_type_ >= 13 && serial_type_ % 2 == 1; }
  bool is_blob() const { return serial_type_ >= 12 && serial_type_ % 2 == 0; }

  // In a page there are always eight bytes up to the end of a value.
  std::int64_t integer() const {
    // Four bits for each type: 0, 1, 2, 3, 4, 6, 8 bytes. An array would be put on the stack.
    constexpr std::uint32_t kBytes = 0x8643210;
    if (serial_type_ >= 8) return static_cast<std::int64_t>(serial_type_ - 8);
    const std::size_t count = kBytes >> (4 * serial_type_) & 15;
    const unsigned unused_bits = 64 - 8 * static_cast<unsigned>(count);
    return static_cast<std::int64_t>(big_endian(bytes_ + count - 8) << unused_bits) >> unused_bits;
  }
  double real() const { return std::bit_cast<double>(big_endian(bytes_)); }
  // Of a text or a blob.
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_), static_cast<std::size_t>(serial_type_ - 12) / 2};
  }

 private:
  static std::uint64_t big_endian(const std::uint8_t* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
  }

  std::uint64_t serial_type_ = 0;
  const std::uint8_t* bytes_ = nullptr;
};

class TablePages {
 public:
  // `root` is the first page of the table, `columns` how many of a row are wanted, `key` the one
  // that is the number of the row: it is stored as NULL. Nothing if the file is of a kind that only
  // SQLite can read.
  static std::unique_ptr<TablePages> open(const std::filesystem::path& path, std::uint32_t root,
                                          std::size_t columns, std::optional<std::size_t> key);
  TablePages(const TablePages&) = delete;
  TablePages& operator=(const TablePages&) = delete;
  ~TablePages();

  enum class Step : std::uint8_t {
    kRow,
    kEnd,
    kUnclear,  // SQLite has to go on, behind the rows that were read.
  };
  Step next();

  // Column as stored, not as selected.
  StoredValue value(std::size_t column) const { return values_[column]; }

 private:
  struct Shape {
    std::size_t page_bytes;
    std::size_t usable_bytes;  // Of a page.
    std::uint32_t page_count;
  };
  // A row within the page.
  struct Cell {
    std::uint64_t row_number;
    const std::uint8_t* begin;
    std::size_t bytes;
  };
  // An inner page: what is still to be visited below it.
  struct Level {
    std::vector<std::uint32_t> pages;
    std::size_t next = 0;
  };

  TablePages(int descriptor, const Shape& shape, std::uint32_t root);
  const std::uint8_t* page(std::uint32_t number);
  Step enter_next_leaf();
  bool enter_page(std::uint32_t number);
  bool read_inner(const std::uint8_t* page);
  bool read_leaf(const std::uint8_t* page);
  bool decode(const Cell& cell);
  StoredValue number_of(const Cell& cell);

  int descriptor_;
  Shape shape_;
  std::vector<Level> levels_;
  std::vector<Cell> cells_;  // Of the current leaf.
  std::size_t next_cell_ = 0;
  std::vector<StoredValue> values_;
  std::optional<std::size_t> key_;
  std::array<std::uint8_t, 8> row_number_{};  // As it would be stored.
  std::uint32_t visited_ = 0;                 // Pages: more than there are lead in circles.
  // Pages that were read together: a table's usually lie side by side.
  std::unique_ptr<std::uint8_t[]> window_;
  std::uint32_t window_first_ = 0;
  std::uint32_t window_pages_ = 0;
  std::uint32_t window_size_ = 1;
};

}  // namespace npuprof::load
