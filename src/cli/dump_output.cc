#include "cli/dump_output.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/printable.h"
#include "base/utf8.h"
#include "cli/standard_output.h"

namespace npuprof::cli {
namespace {

using format::FieldSink;
using format::Piece;

// Zeros are said to be zeros: their bytes would tell no more.
bool has_bytes_to_show(const Piece& piece) { return piece.view.kind != format::kZerosKind; }

std::string hex_text(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

// "a=1 b=[2,3] c={d=4 e="text"}"
class TextSink final : public FieldSink {
 public:
  explicit TextSink(std::string& out) : out_(out) {}

  void number(std::string_view name, std::uint64_t value) override { put(name, value); }
  void number(std::string_view name, std::int64_t value) override { put(name, value); }
  void number(std::string_view name, double value) override { put(name, value); }
  void text(std::string_view name, std::string_view value) override {
    begin_value(name);
    out_.append("\"").append(printable(value)).append("\"");
  }
  void bytes(std::string_view name, Bytes value) override { put(name, hex_text(value)); }
  void begin_group(std::string_view name) override { open(name, '{'); }
  void end_group() override { close('}'); }
  void begin_list(std::string_view name) override { open(name, '['); }
  void end_list() override { close(']'); }

 private:
  template <typename T>
  void put(std::string_view name, const T& value) {
    begin_value(name);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void begin_value(std::string_view name) {
    if (!is_first_) out_ += name.empty() ? ',' : ' ';
    is_first_ = false;
    if (!name.empty()) out_.append(name).append("=");
  }
  void open(std::string_view name, char bracket) {
    begin_value(name);
    out_ += bracket;
    is_first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    is_first_ = false;
  }

  std::string& out_;
  bool is_first_ = true;
};

class TextDump final : public DumpOutput {
 public:
  explicit TextDump(bool raw) : raw_(raw) {}

  void begin_file(const std::string& path, const format::FileKind& kind, std::size_t size_bytes,
                  bool is_alone) override {
    is_plain_text_ = kind.is_plain_text && !raw_;
    if (is_inside_line_) buffer() += '\n';
    is_inside_line_ = false;
    // A text alone can go to a file or into another program as it is.
    if (is_plain_text_ && is_alone) return;
    buffer() += fmt::format("# {}: {}, {} bytes\n", printable(path), kind.name, size_bytes);
  }

 private:
  void append(const Piece& piece, std::string& out) override {
    if (is_plain_text_ && piece.flaw.empty()) {
      out += printable(as_text(piece.bytes), "\n\t\r");
      is_inside_line_ = !out.ends_with('\n');
      return;
    }
    fmt::format_to(std::back_inserter(out), "{} {}", piece.offset, piece.view.kind);
    if (piece.view.describe != nullptr) {
      out += ' ';
      TextSink sink(out);
      piece.view.describe(piece.bytes, sink);
    } else {
      fmt::format_to(std::back_inserter(out), " {} bytes", piece.bytes.size());
    }
    if (raw_ && has_bytes_to_show(piece)) out.append(" | ").append(hex_text(piece.bytes));
    if (!piece.flaw.empty()) out.append(piece.is_damaged ? " ! " : " # ").append(piece.flaw);
    out += '\n';
  }

  bool raw_;
  bool is_plain_text_ = false;
  bool is_inside_line_ = false;  // After a text without a line end.
};

class JsonSink final : public FieldSink {
 public:
  explicit JsonSink(JsonWriter& out) : out_(out) {}

  void number(std::string_view name, std::uint64_t value) override { named(name).value(value); }
  void number(std::string_view name, std::int64_t value) override { named(name).value(value); }
  void number(std::string_view name, double value) override { named(name).value(value); }
  void text(std::string_view name, std::string_view value) override {
    named(name).value(is_valid_utf8(value) ? std::string(value) : printable(value));
  }
  void bytes(std::string_view name, Bytes value) override { named(name).value(hex_text(value)); }
  void begin_group(std::string_view name) override { named(name).begin_object(); }
  void end_group() override { out_.end_object(); }
  void begin_list(std::string_view name) override { named(name).begin_array(); }
  void end_list() override { out_.end_array(); }

 private:
  JsonWriter& named(std::string_view name) { return name.empty() ? out_ : out_.key(name); }

  JsonWriter& out_;
};

class JsonDump final : public DumpOutput {
 public:
  explicit JsonDump(bool raw) : raw_(raw) {}

  void begin_file(const std::string& path, const format::FileKind&, std::size_t, bool) override {
    path_ = printable(path);
  }

 private:
  void append(const Piece& piece, std::string& out) override {
    JsonWriter json(out);
    json.begin_object();
    json.member("file", path_).member("offset", piece.offset).member("size", piece.bytes.size());
    json.member("kind", piece.view.kind);
    json.key("fields").begin_object();
    if (piece.view.describe != nullptr) {
      JsonSink sink(json);
      piece.view.describe(piece.bytes, sink);
    }
    json.end_object();
    if (raw_ && has_bytes_to_show(piece)) json.member("raw", hex_text(piece.bytes));
    if (!piece.flaw.empty()) json.member(piece.is_damaged ? "damage" : "note", piece.flaw);
    json.end_object();
    out += '\n';
  }

  bool raw_;
  std::string path_;
};

}  // namespace

bool DumpOutput::add(const format::Piece& piece) {
  constexpr std::size_t kFlushedBytes = std::size_t{256} << 10;
  append(piece, buffer_);
  if (buffer_.size() >= kFlushedBytes) flush();
  return printed().ok();
}

void DumpOutput::flush() {
  print(buffer_);
  buffer_.clear();
}

std::unique_ptr<DumpOutput> make_text_dump(bool raw) { return std::make_unique<TextDump>(raw); }

std::unique_ptr<DumpOutput> make_json_dump(bool raw) { return std::make_unique<JsonDump>(raw); }

}  // namespace npuprof::cli
