#pragma once

// A timeline in the JSON form that Chrome tracing, Perfetto and MindStudio Insight read: one array
// of events. Layers (processes) and lanes (threads) are named by metadata events.

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "base/thread_pool.h"
#include "report/text/parallel_file.h"

namespace npuprof::report {

// A process of the timeline. Readers find layers by name; the index is where they are shown.
struct Layer {
  std::string_view name;
  std::uint32_t sort_index;
  bool is_host;  // Shown under the label CPU, otherwise under "NPU <device>".
};

// The device number in the pid of host layers.
inline constexpr std::uint32_t kHostDevice = 31;

// The vendor's number for a layer of a process: Perfetto keeps 32 bits of it, enough for OS pids
// below 2^22. Indexes above 31 run into the bits of the pid.
constexpr std::uint64_t layer_pid(std::uint32_t os_pid, std::uint32_t sort_index,
                                  std::uint32_t device) {
  return (std::uint64_t{os_pid} << 10) | (std::uint64_t{sort_index} << 5) | device;
}

// Appends the parts of one event. Use: begin with slice(), flow(), counter() or metadata(), add
// arguments where the function leaves "args" open, then end().
class EventText {
 public:
  explicit EventText(TextBuffer& out) : out_(out) {}

  // {"name":..,"pid":..,"tid":..,"ts":"..","dur":..,"ph":"X"
  EventText& slice(std::string_view name, std::uint64_t pid, std::uint64_t tid,
                   std::int64_t start_ns, std::int64_t end_ns);
  // One end of an arrow; the two ends share name, category and id. `id` may be text or a number.
  EventText& flow(char phase, std::string_view name, std::string_view category, std::uint64_t pid,
                  std::uint64_t tid, std::int64_t time_ns);
  EventText& counter(std::string_view name, std::uint64_t pid, std::int64_t time_ns,
                     std::string_view series, double value);

  EventText& category(std::string_view category) {
    out_.text(",\"cat\":\"").text(category).character('"');
    return *this;
  }
  EventText& begin_args() {
    out_.text(",\"args\":{");
    first_argument_ = true;
    return *this;
  }
  EventText& end_args() {
    out_.character('}');
    return *this;
  }
  template <Integer T>
  EventText& argument(std::string_view key, T value) {
    put_key(key);
    out_.integer(value);
    return *this;
  }
  EventText& argument(std::string_view key, std::string_view value) {
    put_key(key);
    out_.json(value);
    return *this;
  }
  EventText& argument(std::string_view key, double value) {
    put_key(key);
    out_.real(value);
    return *this;
  }
  void end() { out_.character('}'); }

 private:
  void put_key(std::string_view key) {
    if (!first_argument_) out_.character(',');
    first_argument_ = false;
    out_.character('"').text(key).text("\":");
  }

  TextBuffer& out_;
  bool first_argument_ = true;
};

// The file. Metadata comes first of each layer, so events always have one before them and begin
// with a comma.
class Timeline {
 public:
  static Result<Timeline> create(const std::filesystem::path& path, ThreadPool& pool);

  // Names a process: name, labels, sort index.
  void layer(const Layer& layer, std::uint64_t pid, std::uint32_t device);
  void lane(std::uint64_t pid, std::uint64_t tid, std::string_view name, std::uint64_t sort_index);

  // Appends the events of `count` rows; each event formatted begins with a comma.
  void events(std::size_t count, const ParallelFile::Format& format) { file_.rows(count, format); }

  std::uint64_t size() const { return file_.size(); }
  Status close();

 private:
  explicit Timeline(ParallelFile file) : file_(std::move(file)) {}
  void metadata(std::string_view name, std::uint64_t pid, std::uint64_t tid, std::string_view key,
                std::string_view json_value);

  ParallelFile file_;
  bool empty_ = true;
};

}  // namespace npuprof::report
