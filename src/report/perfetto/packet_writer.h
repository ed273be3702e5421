#pragma once

// Event packets of a Perfetto trace, compressed. A writer makes one chunk of a file that stands for
// itself: it begins with an empty table of strings, so chunks can be made side by side.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/string_pool.h"
#include "base/text.h"
#include "report/perfetto/proto_buffer.h"
#include "report/perfetto/trace_fields.h"
#include "report/text/text_buffer.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

// Texts that stand once in a chunk; events refer to them by number.
class InternedTexts {
 public:
  explicit InternedTexts(perfetto::Field field) : field_(field) {}

  // The number of `text`. A new one is also appended to `interned`, the InternedData of the packet.
  std::uint64_t number(std::string_view text, ProtoBuffer& interned);

 private:
  perfetto::Field field_;
  StringPool pool_;
  bool has_empty_ = false;
  ProtoBuffer entry_;
};

// Compresses blocks of bytes, each for itself, in the form of zlib.
class Deflater {
 public:
  Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater();

  // The result is valid until the next call.
  std::string_view deflate(std::string_view input);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string output_;
};

class PacketWriter {
 public:
  // `flow_salt` tells arrows of this file from those of others.
  PacketWriter(TextBuffer& out, std::uint64_t flow_salt) : out_(out), flow_salt_(flow_salt) {}

  // An event: begin, then name() and so on if it is the begin of a slice, then end.
  void begin(perfetto::EventType type, std::int64_t time_ns, std::uint64_t track_uuid);
  void end();
  void counter(std::int64_t time_ns, std::uint64_t track_uuid, double value);
  // Writes what is left. Must be the last call.
  void finish() { flush(); }

  PacketWriter& name(std::string_view name) {
    event_.varint(perfetto::EventField::kNameId, names_.number(name, interned_));
    needs_state_ = true;
    return *this;
  }
  // A name of two parts.
  PacketWriter& name(std::string_view first, std::string_view second) {
    scratch_.assign(first).append(second);
    return name(scratch_);
  }
  PacketWriter& category(std::string_view category) {
    event_.varint(perfetto::EventField::kCategoryIds, categories_.number(category, interned_));
    return *this;
  }
  template <Integer T>
  PacketWriter& argument(std::string_view key, T value) {
    begin_argument(key);
    constexpr auto kField = std::signed_integral<T> ? perfetto::AnnotationField::kSigned
                                                    : perfetto::AnnotationField::kUnsigned;
    // Signed values are sign-extended to 64 bits.
    argument_.varint(kField, static_cast<std::uint64_t>(value));
    return end_argument();
  }
  PacketWriter& argument(std::string_view key, std::string_view value) {
    begin_argument(key);
    argument_.varint(perfetto::AnnotationField::kStringId, values_.number(value, interned_));
    return end_argument();
  }
  PacketWriter& argument(std::string_view key, double value) {
    begin_argument(key);
    argument_.real(perfetto::AnnotationField::kDouble, value);
    return end_argument();
  }
  // A text whose parts, joined by ';', each have a line.
  PacketWriter& lines(std::string_view key, std::string_view joined) {
    scratch_.clear();
    for (const char c : joined) {
      scratch_ += c;
      if (c == ';') scratch_ += "\r\n";
    }
    return argument(key, std::string_view(scratch_));
  }
  // Both ends are written alike: the earlier slice is where readers let the arrow begin. So an
  // arrow is not lost where the clock of the device is a little ahead.
  void arrow_out(ArrowKind kind, std::uint64_t id) { arrow(kind, id); }
  void arrow_in(ArrowKind kind, std::uint64_t id) { arrow(kind, id); }

 private:
  void begin_argument(std::string_view key) {
    argument_.clear();
    argument_.varint(perfetto::AnnotationField::kNameId, keys_.number(key, interned_));
  }
  PacketWriter& end_argument() {
    event_.bytes(perfetto::EventField::kDebugAnnotations, argument_.view());
    return *this;
  }
  void arrow(ArrowKind kind, std::uint64_t id);
  void flush();

  TextBuffer& out_;
  const std::uint64_t flow_salt_;
  InternedTexts names_{perfetto::InternedField::kEventNames};
  InternedTexts categories_{perfetto::InternedField::kCategories};
  InternedTexts keys_{perfetto::InternedField::kAnnotationNames};
  InternedTexts values_{perfetto::InternedField::kAnnotationStrings};
  std::int64_t time_ns_ = 0;
  bool needs_state_ = false;
  bool is_first_ = true;
  ProtoBuffer argument_;
  ProtoBuffer event_;
  ProtoBuffer interned_;
  ProtoBuffer packet_;
  ProtoBuffer packets_{1 << 18};  // Waiting to be compressed.
  Deflater deflater_;
  std::string scratch_;
};

}  // namespace npuprof::report
