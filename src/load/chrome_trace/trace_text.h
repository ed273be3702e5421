#pragma once

// The text of a timeline: a JSON array of events, or an object that has one under `traceEvents`.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "trace/losses.h"

namespace npuprof::load {

// The place of an event, braces included.
struct EventSpan {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};

class TraceText {
 public:
  // Maps the file, or unpacks it if it is compressed (gzip), and finds the events in it. Fails if
  // it cannot be read or does not look like a timeline; what is damaged goes to `losses`.
  static Result<TraceText> open(const std::filesystem::path& path, trace::Losses& losses);

  std::string_view text() const { return unpacked_.empty() ? file_.text() : unpacked_; }
  const std::vector<EventSpan>& events() const { return events_; }
  std::string_view event(std::size_t i) const {
    return text().substr(events_[i].offset, events_[i].length);
  }
  // JSON text of a value beside `traceEvents`; empty if there is none.
  std::string_view value(std::string_view key) const;

 private:
  friend class EventScanner;

  MappedFile file_;
  std::string unpacked_;
  std::vector<EventSpan> events_;
  struct Value {
    std::string key;
    std::uint64_t offset;
    std::uint64_t length;
  };
  std::vector<Value> values_;
};

}  // namespace npuprof::load
