#include "load/chrome_trace/trace_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <zlib.h>

namespace npuprof::load {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
// Of one event; what is longer is damage, such as a missing quotation mark.
constexpr std::size_t kMaxEventBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxUnpackedBytes = std::size_t{16} << 30;

bool is_gzip(std::string_view text) { return text.starts_with("\x1F\x8B"); }

// Unpacks all of `packed`, or as much as is whole.
Result<std::string> unpack(std::string_view packed, const std::string& path,
                           trace::Losses& losses) {
  constexpr int kGzipOrZlib = 32 + MAX_WBITS;
  constexpr std::size_t kStep = std::size_t{4} << 20;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOrZlib) != Z_OK) {
    return Error{ErrorCode::kInternal, "cannot unpack '" + path + "': out of memory"};
  }
  std::string text;
  std::size_t used = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + used));
      stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size() - used, kStep));
      used += stream.avail_in;
    }
    const std::size_t old_size = text.size();
    text.resize(old_size + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + old_size);
    stream.avail_out = kStep;
    status = inflate(&stream, Z_NO_FLUSH);
    text.resize(old_size + kStep - stream.avail_out);
    // Files may be several archives in a row.
    const bool has_more = stream.avail_in > 0 || used < packed.size();
    if (status == Z_STREAM_END && has_more) status = inflateReset(&stream);
    if (text.size() > kMaxUnpackedBytes) break;
  }
  inflateEnd(&stream);
  if (text.size() > kMaxUnpackedBytes) {
    return Error{ErrorCode::kUnsupported,
                 "'" + path + "' is larger than 16 GiB when unpacked: unpack it with gunzip first"};
  }
  if (status != Z_STREAM_END) {
    losses.add(path, used - stream.avail_in, 0,
               "the compressed file is cut short or damaged; what came before is read");
  }
  return text;
}

}  // namespace

// Walks over JSON without building anything: strings are skipped, brackets counted.
class EventScanner {
 public:
  EventScanner(TraceText& out, std::string path, trace::Losses& losses)
      : out_(out), text_(out.text()), path_(std::move(path)), losses_(losses) {}

  Status scan() {
    skip_blanks();
    if (at_end()) return not_a_timeline("it is empty");
    if (text_[place_] == '[') {
      scan_events();
      return ok_status();
    }
    if (text_[place_] != '{') return not_a_timeline("it does not begin with [ or {");
    return scan_object();
  }

 private:
  bool at_end() const { return place_ >= text_.size(); }

  Error not_a_timeline(const std::string& why) const {
    return Error{ErrorCode::kUnsupported, "'" + path_ + "' is not a timeline: " + why};
  }

  void skip_blanks() {
    while (!at_end() && std::strchr(" \t\r\n", text_[place_]) != nullptr && text_[place_] != 0) {
      ++place_;
    }
  }

  // The place after the string whose opening quotation mark is at `begin`.
  std::size_t end_of_string(std::size_t begin) const {
    std::size_t place = begin + 1;
    for (;;) {
      place = text_.find('"', place);
      if (place == kNowhere) return kNowhere;
      std::size_t escapes = 0;
      while (text_[place - 1 - escapes] == '\\') ++escapes;
      ++place;
      if (escapes % 2 == 0) return place;
    }
  }

  // The place after the object or array that begins at `begin`.
  std::size_t end_of_nested(std::size_t begin) const {
    const std::size_t limit = std::min(text_.size(), begin + kMaxEventBytes);
    std::size_t depth = 0;
    std::size_t place = begin;
    while (place < limit) {
      switch (text_[place]) {
        case '"':
          place = end_of_string(place);
          if (place == kNowhere) return kNowhere;
          continue;
        case '{':
        case '[':
          ++depth;
          break;
        case '}':
        case ']':
          if (--depth == 0) return place + 1;
          break;
        default:
          break;
      }
      ++place;
    }
    return kNowhere;
  }

  // The next place where an object follows another one in a list.
  std::size_t next_event(std::size_t from) const {
    for (std::size_t place = text_.find('}', from); place != kNowhere;
         place = text_.find('}', place + 1)) {
      const std::size_t comma = text_.find_first_not_of(" \t\r\n", place + 1);
      if (comma == kNowhere || text_[comma] != ',') continue;
      const std::size_t brace = text_.find_first_not_of(" \t\r\n", comma + 1);
      if (brace == kNowhere || text_[brace] != '{') continue;
      const std::size_t quote = text_.find_first_not_of(" \t\r\n", brace + 1);
      if (quote != kNowhere && text_[quote] == '"') return brace;
    }
    return kNowhere;
  }

  // `place_` is at the opening bracket; afterwards behind the closing one.
  void scan_events() {
    ++place_;
    for (;;) {
      skip_separators();
      if (at_end()) {
        losses_.add(path_, place_, 0,
                    "the list of events has no end: what came after was not written");
        return;
      }
      if (text_[place_] == ']') {
        ++place_;
        return;
      }
      const std::size_t end = text_[place_] == '{' ? end_of_nested(place_) : kNowhere;
      if (end != kNowhere) {
        out_.events_.push_back({place_, static_cast<std::uint32_t>(end - place_)});
        place_ = end;
        continue;
      }
      if (!skip_damage()) return;
    }
  }

  // Goes to the next whole event; false if there is none.
  bool skip_damage() {
    constexpr int kMaxDamaged = 100;
    const std::size_t next = ++damaged_ < kMaxDamaged ? next_event(place_) : kNowhere;
    if (damaged_ == kMaxDamaged) {
      losses_.add(path_, place_, 0, "too many events are damaged; the rest is not read");
    } else {
      losses_.add(path_, place_, 1,
                  next == kNowhere ? "the file ends inside an event"
                                   : "an event is damaged; reading goes on with a later one");
    }
    place_ = next == kNowhere ? text_.size() : next;
    return next != kNowhere;
  }

  void skip_separators() {
    while (!at_end() && (text_[place_] == ',' || text_[place_] == ' ' || text_[place_] == '\n' ||
                         text_[place_] == '\r' || text_[place_] == '\t')) {
      ++place_;
    }
  }

  std::size_t end_of_value(std::size_t begin) const {
    if (text_[begin] == '"') return end_of_string(begin);
    if (text_[begin] == '{' || text_[begin] == '[') return end_of_nested(begin);
    const std::size_t end = text_.find_first_of(",}] \t\r\n", begin);
    return end == kNowhere ? text_.size() : end;
  }

  Status scan_object() {
    ++place_;
    bool has_events = false;
    for (;;) {
      skip_separators();
      if (at_end() || text_[place_] != '"') break;
      const std::size_t key_end = end_of_string(place_);
      if (key_end == kNowhere) break;
      const std::string_view key = text_.substr(place_ + 1, key_end - place_ - 2);
      place_ = key_end;
      skip_blanks();
      if (at_end() || text_[place_] != ':') break;
      ++place_;
      skip_blanks();
      if (at_end()) break;
      if (key == "traceEvents" && text_[place_] == '[') {
        has_events = true;
        scan_events();
        continue;
      }
      const std::size_t end = end_of_value(place_);
      if (end == kNowhere) break;
      out_.values_.push_back({std::string(key), place_, end - place_});
      place_ = end;
    }
    if (has_events) return ok_status();
    return not_a_timeline("it has no list under \"traceEvents\"");
  }

  TraceText& out_;
  std::string_view text_;
  std::string path_;
  trace::Losses& losses_;
  std::size_t place_ = 0;
  int damaged_ = 0;
};

Result<TraceText> TraceText::open(const std::filesystem::path& path, trace::Losses& losses) {
  TraceText trace;
  NPUPROF_ASSIGN_OR_RETURN(trace.file_, MappedFile::open(path));
  if (is_gzip(trace.file_.text())) {
    NPUPROF_ASSIGN_OR_RETURN(trace.unpacked_, unpack(trace.file_.text(), path.native(), losses));
    trace.file_ = MappedFile();
  }
  NPUPROF_RETURN_IF_ERROR(EventScanner(trace, path.native(), losses).scan());
  return trace;
}

std::string_view TraceText::value(std::string_view key) const {
  for (const Value& value : values_) {
    if (value.key == key) return text().substr(value.offset, value.length);
  }
  return {};
}

}  // namespace npuprof::load
