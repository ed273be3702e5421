#include "load/result_db/table_pages.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace npuprof::load {
namespace {

constexpr std::size_t kFileHeaderBytes = 100;
constexpr std::uint8_t kInnerPage = 5;
constexpr std::uint8_t kLeafPage = 13;
constexpr std::size_t kInnerHeaderBytes = 12;
constexpr std::size_t kLeafHeaderBytes = 8;
// Little enough to stay in the processor's cache until its rows are decoded.
constexpr std::size_t kMostWindowBytes = std::size_t{256} << 10;
// No table of a file that fits a disk is deeper.
constexpr std::size_t kMostLevels = 20;
constexpr std::uint32_t kUtf8 = 1;

std::uint32_t big_16(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(at[0]) << 8 | at[1];
}
std::uint32_t big_32(const std::uint8_t* at) { return big_16(at) << 16 | big_16(at + 2); }

// Reads a number of one to nine bytes and goes behind it; false if that is behind `end`.
bool read_long_varint(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t& value) {
  value = 0;
  for (int i = 0; i < 8 && at < end; ++i) {
    const std::uint8_t byte = *at++;
    value = value << 7 | (byte & 0x7F);
    if (byte < 0x80) return true;
  }
  if (at >= end) return false;
  value = value << 8 | *at++;
  return true;
}

// Most have one byte.
inline bool read_varint(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t& value) {
  if (at >= end || *at >= 0x80) return read_long_varint(at, end, value);
  value = *at++;
  return true;
}

// Goes behind a number of one to nine bytes; false if that is behind `end`.
inline bool skip_varint(const std::uint8_t*& at, const std::uint8_t* end) {
  for (int i = 0; i < 8 && at < end; ++i) {
    if (*at++ < 0x80) return true;
  }
  return at++ < end;
}

// Of types that are not in use.
constexpr std::uint64_t kNoBytes = ~std::uint64_t{0};

// Bytes of a value in a row.
constexpr std::uint64_t stored_bytes(std::uint64_t serial_type) {
  constexpr std::array<std::uint8_t, 10> kNumbers = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};
  if (serial_type < kNumbers.size()) return kNumbers[serial_type];
  return serial_type < 12 ? kNoBytes : (serial_type - 12) / 2;
}

StoredKind stored_kind(std::uint64_t serial_type) {
  if (serial_type == 0) return StoredKind::kNull;
  if (serial_type <= 6) return StoredKind::kInteger;
  if (serial_type == 7) return StoredKind::kReal;
  if (serial_type <= 9) return StoredKind::kZeroOrOne;
  return serial_type % 2 == 1 ? StoredKind::kText : StoredKind::kBlob;
}

// Of a value whose bytes begin at `offset`.
StoredPlace stored_place(std::uint64_t serial_type, std::uint64_t offset) {
  const std::uint64_t bytes = stored_bytes(serial_type);
  StoredPlace place{.kind = stored_kind(serial_type),
                    .end = static_cast<std::uint32_t>(offset + bytes),
                    .bytes = static_cast<std::uint32_t>(bytes)};
  if (place.kind == StoredKind::kInteger) {
    place.unused_bits = static_cast<std::uint8_t>(64 - 8 * bytes);
  } else if (place.kind == StoredKind::kZeroOrOne) {
    place.bytes = static_cast<std::uint32_t>(serial_type - 8);
  }
  return place;
}

bool read_at(int descriptor, std::uint8_t* to, std::size_t bytes, std::uint64_t offset) {
  while (bytes > 0) {
    const ssize_t got = pread(descriptor, to, bytes, static_cast<off_t>(offset));
    if (got <= 0) return false;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)
             ? static_cast<std::uint64_t>(status.st_size)
             : 0;
}

}  // namespace

std::unique_ptr<TablePages> TablePages::open(const std::filesystem::path& path, std::uint32_t root,
                                             std::vector<std::size_t> columns,
                                             std::optional<std::size_t> key) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  std::array<std::uint8_t, kFileHeaderBytes> header{};
  const bool is_read = read_at(descriptor, header.data(), header.size(), 0);
  const std::uint32_t stored = big_16(&header[16]);
  FileShape file{.page_bytes = stored == 1 ? 65536 : stored, .usable_bytes = 0, .page_count = 0};
  const bool is_plain = is_read && std::has_single_bit(file.page_bytes) && file.page_bytes >= 512 &&
                        header[20] <= 32 && big_32(&header[56]) == kUtf8;
  if (!is_plain) {
    close(descriptor);
    return nullptr;
  }
  file.usable_bytes = file.page_bytes - header[20];
  file.page_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      size_of(descriptor) / file.page_bytes, std::numeric_limits<std::uint32_t>::max()));
  return std::unique_ptr<TablePages>(
      new TablePages(descriptor, file, root, std::move(columns), key));
}

TablePages::TablePages(int descriptor, const FileShape& file, std::uint32_t root,
                       std::vector<std::size_t> columns, std::optional<std::size_t> key)
    : descriptor_(descriptor), file_(file), columns_(std::move(columns)), key_(key) {
  for (const std::size_t column : columns_) {
    if (column != kNoPlace) stored_columns_ = std::max(stored_columns_, column + 1);
  }
  known_places_.resize(kShapes * columns_.size());
  rare_places_.resize(columns_.size());
  levels_.push_back({{root}});
}

TablePages::~TablePages() { close(descriptor_); }

// Nothing if the file does not have it. Valid until the next call.
const std::uint8_t* TablePages::page(std::uint32_t number) {
  // The first page has the file's header in front, and no table of a profile.
  if (number < 2 || number > file_.page_count) return nullptr;
  if (number - window_first_ >= window_pages_) {
    const bool goes_on = number == window_first_ + window_pages_;
    const std::uint32_t most_pages =
        std::max<std::uint32_t>(1, static_cast<std::uint32_t>(kMostWindowBytes / file_.page_bytes));
    window_size_ = goes_on ? std::min(window_size_ * 2, most_pages) : 1;
    window_pages_ = std::min(window_size_, file_.page_count - number + 1);
    window_first_ = number;
    // Room for the largest; what is never written to takes no memory. Headers are looked at by
    // eight bytes, which may lie behind a page.
    if (window_ == nullptr) {
      window_ = std::make_unique_for_overwrite<std::uint8_t[]>(most_pages * file_.page_bytes + 8);
    }
    const std::uint64_t offset = std::uint64_t{number - 1} * file_.page_bytes;
    if (!read_at(descriptor_, window_.get(), window_pages_ * file_.page_bytes, offset)) {
      window_pages_ = 0;
      return nullptr;
    }
  }
  return window_.get() + (number - window_first_) * file_.page_bytes;
}

TablePages::Step TablePages::enter_next_leaf() {
  cells_.clear();
  next_cell_ = 0;
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.next == level.pages.size()) {
      levels_.pop_back();
      continue;
    }
    const std::size_t depth = levels_.size();
    const bool is_root = depth == 1;
    if (!enter_page(level.pages[level.next++])) return Step::kUnclear;
    if (levels_.size() > depth) continue;
    if (!cells_.empty()) return Step::kRow;
    // Only a table without rows has an empty leaf.
    if (!is_root) return Step::kUnclear;
  }
  return Step::kEnd;
}

bool TablePages::enter_page(std::uint32_t number) {
  if (++visited_ > file_.page_count) return false;
  const std::uint8_t* bytes = page(number);
  if (bytes == nullptr) return false;
  if (bytes[0] == kLeafPage) return read_leaf(bytes);
  return bytes[0] == kInnerPage && levels_.size() < kMostLevels && read_inner(bytes);
}

bool TablePages::read_inner(const std::uint8_t* page) {
  const std::size_t count = big_16(page + 3);
  const std::size_t first_free = kInnerHeaderBytes + 2 * count;
  if (first_free > file_.usable_bytes) return false;
  Level level;
  level.pages.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = big_16(page + kInnerHeaderBytes + 2 * i);
    const std::uint8_t* at = page + offset + 4;
    std::uint64_t greatest = 0;
    if (offset < first_free || offset + 5 > file_.usable_bytes) return false;
    if (!read_varint(at, page + file_.usable_bytes, greatest)) return false;
    level.pages.push_back(big_32(page + offset));
  }
  level.pages.push_back(big_32(page + 8));
  levels_.push_back(std::move(level));
  return true;
}

// All cells before the first is handed out, as SQLite does: either it finds the page good or not.
bool TablePages::read_leaf(const std::uint8_t* page) {
  const std::size_t count = big_16(page + 3);
  const std::size_t first_free = kLeafHeaderBytes + 2 * count;
  const std::uint8_t* const end = page + file_.usable_bytes;
  if (first_free > file_.usable_bytes) return false;
  cells_.resize(count);
  const std::uint8_t* pointer = page + kLeafHeaderBytes;
  for (Cell& cell : cells_) {
    const std::size_t offset = big_16(pointer);
    pointer += 2;
    if (offset < first_free || offset + 4 > file_.usable_bytes) return false;
    const std::uint8_t* at = page + offset;
    std::uint64_t bytes = 0;
    if (!read_varint(at, end, bytes)) return false;
    if (key_ ? !read_varint(at, end, cell.row_number) : !skip_varint(at, end)) return false;
    // Longer ones go on in other pages.
    if (bytes > file_.usable_bytes - 35 || bytes > static_cast<std::size_t>(end - at)) {
      return false;
    }
    cell.begin = at;
    cell.bytes = static_cast<std::uint32_t>(bytes);
  }
  return true;
}

bool TablePages::decode_new(const Cell& cell, const HeaderBytes& header, std::size_t shape) {
  StoredPlace* const places = &known_places_[shape * columns_.size()];
  const std::optional<std::uint32_t> body_bytes = find_places(cell, places);
  shapes_[shape] = body_bytes ? RowShape{header, *body_bytes} : RowShape{};
  places_ = places;
  return body_bytes.has_value();
}

bool TablePages::decode_rare(const Cell& cell) {
  places_ = rare_places_.data();
  return find_places(cell, rare_places_.data()).has_value();
}

// Returns how many bytes values have up to the last wanted one; nothing if the row lacks some of
// them.
std::optional<std::uint32_t> TablePages::find_places(const Cell& cell, StoredPlace* places) {
  const std::uint8_t* type = cell.begin;
  const std::uint8_t* const end = cell.begin + cell.bytes;
  std::uint64_t header_bytes = 0;
  if (!read_varint(type, end, header_bytes) || header_bytes > cell.bytes) return std::nullopt;
  const std::uint8_t* const types_end = cell.begin + header_bytes;
  const std::uint64_t most_bytes = cell.bytes - header_bytes;
  bases_[kBody] = types_end;
  std::fill_n(places, columns_.size(), StoredPlace{});
  std::uint64_t offset = 0;
  for (std::size_t column = 0; column < stored_columns_; ++column) {
    // A row that is shorter was written before a column was added, which may have a default.
    std::uint64_t serial_type = 0;
    if (type >= types_end || !read_varint(type, types_end, serial_type)) return std::nullopt;
    const std::uint64_t bytes = stored_bytes(serial_type);
    if (bytes > most_bytes - offset) return std::nullopt;
    StoredPlace place = stored_place(serial_type, offset);
    if (column == key_ && place.kind == StoredKind::kNull) {
      place = {.kind = StoredKind::kInteger, .base = kRowNumber, .end = 8, .bytes = 8};
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == column) places[i] = place;
    }
    offset += bytes;
  }
  return static_cast<std::uint32_t>(offset);
}

}  // namespace npuprof::load
