#pragma once

// A timeline in the JSON form that Chrome tracing, Perfetto and MindStudio Insight read: one array
// of events. Layers (processes) and lanes (threads) are named by metadata events.
//
// Browsers keep times as doubles, which at the size of wall-clock times go in steps of 0.25 us, and
// Chrome tracing nests what is less than 1 us apart unless told that nanoseconds matter. A timeline
// with an origin is exact there: times count from it, and the array is inside of an object that
// says so.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "report/text/json_number.h"
#include "report/text/parallel_file.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

// One slice and the arrows at it, see timeline.h for the order of calls.
class JsonEvent {
 public:
  explicit JsonEvent(TextBuffer& out) : out_(out) {}

  void begin(const SlicePlace& place) { place_ = place; }
  JsonEvent& name(std::string_view name);
  // A name of two parts.
  JsonEvent& name(std::string_view first, std::string_view second) {
    scratch_.assign(first).append(second);
    return name(scratch_);
  }
  JsonEvent& category(std::string_view category) {
    out_.text(",\"cat\":\"").text(category).character('"');
    return *this;
  }
  template <Integer T>
  JsonEvent& argument(std::string_view key, T value) {
    put_key(key);
    out_.integer(value);
    return *this;
  }
  JsonEvent& argument(std::string_view key, std::string_view value) {
    put_key(key);
    out_.json(value);
    return *this;
  }
  JsonEvent& argument(std::string_view key, double value) {
    put_key(key);
    put_json_number(out_, value);
    return *this;
  }
  // A text whose parts, joined by ';', each have a line.
  JsonEvent& lines(std::string_view key, std::string_view joined) {
    put_key(key);
    out_.json_lines(joined);
    return *this;
  }
  void arrow_out(ArrowKind kind, std::uint64_t id) { arrow('s', kind, id); }
  void arrow_in(ArrowKind kind, std::uint64_t id) { arrow('f', kind, id); }
  void end() { close(); }

 private:
  enum class State : std::uint8_t { kClosed, kOpen, kArguments };

  void put_key(std::string_view key) {
    out_.text(state_ == State::kArguments ? ",\"" : ",\"args\":{\"").text(key).text("\":");
    state_ = State::kArguments;
  }
  void close() {
    if (state_ == State::kClosed) return;
    out_.text(state_ == State::kArguments ? "}}" : ",\"args\":{}}");
    state_ = State::kClosed;
  }
  void arrow(char phase, ArrowKind kind, std::uint64_t id);

  TextBuffer& out_;
  SlicePlace place_;
  State state_ = State::kClosed;
  std::string scratch_;
};

// The file. Metadata comes first of each layer, so events always have one before them and begin
// with a comma.
class JsonTimeline {
 public:
  static Result<JsonTimeline> create(const std::filesystem::path& path, ThreadPool& pool,
                                     std::optional<std::int64_t> origin_ns = std::nullopt);

  void layer(const Layer& layer, std::uint64_t pid, std::uint32_t device);
  void lane(std::uint64_t pid, std::uint64_t tid, std::string_view name, std::uint64_t sort_index);

  template <typename Place, typename Describe>
  void slices(std::size_t count, const Place& place, const Describe& describe) {
    file_.rows(count, [&](TextBuffer& out, std::size_t first, std::size_t last) {
      JsonEvent event(out);
      for (std::size_t row = first; row < last; ++row) {
        SlicePlace where = place(row);
        if (!where.is_shown) continue;
        where.start_ns -= origin_ns_;
        where.end_ns -= origin_ns_;
        event.begin(where);
        describe(event, row);
        event.end();
      }
    });
  }

  std::uint32_t counter(std::uint64_t pid, std::string_view name,
                        const std::vector<std::string>& series);

  template <typename Sample>
  void samples(std::size_t count, const Sample& sample) {
    file_.rows(count, [&](TextBuffer& out, std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) {
        const CounterSample value = sample(row);
        if (value.counter != trace::kNone) put_sample(out, value);
      }
    });
  }

  std::uint64_t size() const { return file_.size(); }
  Status close();

 private:
  struct Counter {
    std::uint64_t pid;
    std::string name;
    std::vector<std::string> series;
  };

  JsonTimeline(ParallelFile file, std::optional<std::int64_t> origin_ns)
      : file_(std::move(file)), origin_ns_(origin_ns.value_or(0)), in_object_(origin_ns) {}
  void metadata(std::string_view name, std::uint64_t pid, std::uint64_t tid, std::string_view key,
                std::string_view json_value);
  void put_sample(TextBuffer& out, const CounterSample& sample) const;

  ParallelFile file_;
  std::vector<Counter> counters_;
  std::int64_t origin_ns_;
  bool in_object_;
  bool empty_ = true;
};

}  // namespace npuprof::report
