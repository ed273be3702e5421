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

enum class StoredKind : std::uint8_t { kNull, kInteger, kZeroOrOne, kReal, kText, kBlob };

// What the header of a row says of one of its values.
struct StoredPlace {
  StoredKind kind = StoredKind::kNull;
  std::uint8_t base = 0;         // Of TablePages::bases_.
  std::uint8_t unused_bits = 0;  // Of an integer: 64 less what is stored.
  std::uint32_t end = 0;         // Behind its last byte, from the base.
  std::uint32_t bytes = 0;       // Of kZeroOrOne: which of them it is.
};

// A value of a row as it is stored. Valid until the next row.
class StoredValue {
 public:
  // `end` is the address behind its last byte.
  StoredValue(StoredPlace place, const std::uint8_t* end) : place_(place), end_(end) {}

  StoredKind kind() const { return place_.kind; }
  // Of kInteger. In a page there are always eight bytes up to the end of a value.
  std::int64_t integer() const {
    return static_cast<std::int64_t>(last_eight() << place_.unused_bits) >> place_.unused_bits;
  }
  std::int64_t zero_or_one() const { return place_.bytes; }
  double real() const { return std::bit_cast<double>(last_eight()); }
  // Of a text or a blob.
  std::string_view text() const {
    return {reinterpret_cast<const char*>(end_ - place_.bytes), place_.bytes};
  }

 private:
  std::uint64_t last_eight() const {
    std::uint64_t value = 0;
    std::memcpy(&value, end_ - sizeof(value), sizeof(value));
    return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
  }

  StoredPlace place_;
  const std::uint8_t* end_;
};

class TablePages {
 public:
  // `root` is the first page of the table; `columns` are the places in a row of those that are
  // wanted (kNoPlace: read as NULL); `key` is the place of the one that is the number of the row:
  // it is stored as NULL. Nothing if the file is of a kind that only SQLite can read.
  static constexpr std::size_t kNoPlace = ~std::size_t{0};
  static std::unique_ptr<TablePages> open(const std::filesystem::path& path, std::uint32_t root,
                                          std::vector<std::size_t> columns,
                                          std::optional<std::size_t> key);
  TablePages(const TablePages&) = delete;
  TablePages& operator=(const TablePages&) = delete;
  ~TablePages();

  enum class Step : std::uint8_t {
    kRow,
    kEnd,
    kUnclear,  // SQLite has to go on, behind the rows that were read.
  };
  Step next() {
    while (next_cell_ == cells_.size()) {
      const Step step = enter_next_leaf();
      if (step != Step::kRow) return step;
    }
    if (!decode(cells_[next_cell_])) return Step::kUnclear;
    ++next_cell_;
    return Step::kRow;
  }

  // `column`: of the wanted ones.
  StoredValue value(std::size_t column) const {
    const StoredPlace place = places_[column];
    return {place, bases_[place.base] + place.end};
  }

 private:
  struct FileShape {
    std::size_t page_bytes;
    std::size_t usable_bytes;  // Of a page.
    std::uint32_t page_count;
  };
  // A row within the page.
  struct Cell {
    const std::uint8_t* begin;
    std::uint32_t bytes;
    std::uint64_t row_number;  // Of tables with a key.
  };
  // The header of a row says the type, and so the length, of each value. The same few come again
  // and again, so what follows from a header is kept. Longer ones than this are not.
  static constexpr std::size_t kMostHeaderBytes = 24;
  struct HeaderBytes {
    std::uint64_t first = 0;  // Eight bytes each, which overlap in headers of less than 24.
    std::uint64_t last = 0;
    std::uint64_t middle = 0;
    std::uint64_t bytes = 0;  // 0: none.

    bool operator==(const HeaderBytes&) const = default;
    std::uint64_t hash() const {
      constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
      return (first ^ last * kSpread) * kSpread;
    }
  };
  struct RowShape {
    HeaderBytes header;
    std::uint64_t body_bytes = 0;  // Up to the last wanted value.
  };
  static constexpr std::size_t kShapeBits = 6;
  static constexpr std::size_t kShapes = std::size_t{1} << kShapeBits;
  // An inner page: what is still to be visited below it.
  struct Level {
    std::vector<std::uint32_t> pages;
    std::size_t next = 0;
  };

  TablePages(int descriptor, const FileShape& file, std::uint32_t root,
             std::vector<std::size_t> columns, std::optional<std::size_t> key);
  const std::uint8_t* page(std::uint32_t number);
  Step enter_next_leaf();
  bool enter_page(std::uint32_t number);
  bool read_inner(const std::uint8_t* page);
  bool read_leaf(const std::uint8_t* page);
  // Finds the values of a row.
  bool decode(const Cell& cell) {
    if (key_) keep_row_number(cell.row_number);
    const std::size_t header_bytes = cell.begin[0];
    const bool is_short = header_bytes - 1 < kMostHeaderBytes && header_bytes <= cell.bytes;
    if (!is_short) [[unlikely]]
      return decode_rare(cell);
    const HeaderBytes header = header_of(cell.begin, header_bytes);
    const std::size_t number = header.hash() >> (64 - kShapeBits);
    const RowShape& shape = shapes_[number];
    if (shape.header != header) [[unlikely]]
      return decode_new(cell, header, number);
    if (cell.bytes - header_bytes < shape.body_bytes) return false;
    places_ = &known_places_[number * columns_.size()];
    bases_[kBody] = cell.begin + header_bytes;
    return true;
  }
  static HeaderBytes header_of(const std::uint8_t* begin, std::size_t bytes) {
    const auto eight = [](const std::uint8_t* at) {
      std::uint64_t value = 0;
      std::memcpy(&value, at, sizeof(value));
      return value;
    };
    if (bytes >= 8) {
      return {eight(begin), eight(begin + bytes - 8), bytes > 16 ? eight(begin + 8) : 0, bytes};
    }
    // What follows is no part of the header.
    constexpr bool kIsLittle = std::endian::native == std::endian::little;
    const std::size_t unused_bits = 64 - 8 * bytes;
    return {kIsLittle ? eight(begin) << unused_bits : eight(begin) >> unused_bits, 0, 0, bytes};
  }
  void keep_row_number(std::uint64_t number) {
    if constexpr (std::endian::native == std::endian::little) number = __builtin_bswap64(number);
    std::memcpy(row_number_.data(), &number, sizeof(number));
  }
  bool decode_new(const Cell& cell, const HeaderBytes& header, std::size_t shape);
  bool decode_rare(const Cell& cell);
  std::optional<std::uint32_t> find_places(const Cell& cell, StoredPlace* places);

  int descriptor_;
  FileShape file_;
  std::vector<std::size_t> columns_;
  std::optional<std::size_t> key_;
  std::size_t stored_columns_ = 0;  // Of a row: as many as have to be looked at.
  std::vector<Level> levels_;
  std::vector<Cell> cells_;  // Of the current leaf.
  std::size_t next_cell_ = 0;
  // Of the current row:
  const StoredPlace* places_ = nullptr;
  std::array<std::uint8_t, 8> row_number_{};  // As it would be stored.
  static constexpr std::uint8_t kBody = 0;
  static constexpr std::uint8_t kRowNumber = 1;
  std::array<const std::uint8_t*, 2> bases_{nullptr, row_number_.data()};
  std::array<RowShape, kShapes> shapes_{};
  std::vector<StoredPlace> known_places_;  // Of each shape those of all columns.
  std::vector<StoredPlace> rare_places_;
  std::uint32_t visited_ = 0;  // Pages: more than there are lead in circles.
  // Pages that were read together: a table's usually lie side by side.
  std::unique_ptr<std::uint8_t[]> window_;
  std::uint32_t window_first_ = 0;
  std::uint32_t window_pages_ = 0;
  std::uint32_t window_size_ = 1;
};

}  // namespace npuprof::load
