#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/first_error.h"
#include "base/result.h"
#include "record/framework_files.h"
#include "record/host_directory.h"
#include "record/ticks.h"

namespace npuprof::record {

// Where the events of all threads end up: the files of the framework, and markers beside them. Used
// by one thread at a time.
class EventOutput {
 public:
  struct Options {
    std::filesystem::path directory;  // *_ascend_pt
    std::uint32_t pid = 0;
    HostDirectory::Options host;  // All but `parent` and `pid`.
  };
  explicit EventOutput(const Options& options);

  FrameworkFiles& files() { return files_; }
  std::uint32_t pid() const { return options_.pid; }

  // The period that is recorded; other events are left out.
  void begin(TickPair start, const ClockStart& clock);
  void end(std::uint64_t ticks) { end_ticks_ = ticks; }
  bool covers(std::uint64_t first, std::uint64_t last) const {
    return first >= begin_ticks_ && last <= end_ticks_;
  }
  TickMap& ticks() { return ticks_; }
  std::int64_t to_ns(std::uint64_t ticks) const { return ticks_.to_ns(ticks); }

  // Markers. The two ends of a range may come in any order, from any buffer.
  struct MarkerEnd {
    std::uint64_t id;
    std::uint64_t ticks;
    std::uint32_t thread_id;
    std::uint32_t domain;
  };
  void marker(const MarkerEnd& mark, std::string_view message);
  void marker_start(const MarkerEnd& start, std::string_view message);
  void marker_end(const MarkerEnd& end);

  // The machine is sampled from begin() on; this is the time to take a sample.
  void sample_host();

  void count_event(std::uint64_t events = 1) { events_ += events; }
  // After flush() or close(): events that are in the files, as a reader finds them, and those that
  // came here and are not.
  std::uint64_t events_written() const;
  std::uint64_t events_lost() const { return events_ - events_written(); }
  std::uint64_t bytes() const { return files_.written_bytes(); }

  // Nothing is written any more.
  void fail(const Error& error);
  const std::optional<Error>& failure() const { return error_.error(); }
  // Hands everything to the operating system; the first failure of all so far.
  Status flush();
  Status close(const ClockStart& end);

 private:
  struct OpenMarker {
    MarkerEnd start;
    std::string message;
  };
  // A program that never ends its ranges must not fill the memory.
  static constexpr std::size_t kMostOpenMarkers = 100'000;

  HostDirectory* host_directory();
  void put_range(const OpenMarker& range, const MarkerEnd& end);
  void put(const HostDirectory::Marker& marker);
  std::string_view domain_name(std::uint32_t domain);

  Options options_;
  FrameworkFiles files_;
  TickMap ticks_;
  std::uint64_t begin_ticks_ = 0;
  std::uint64_t end_ticks_ = 0;
  std::unique_ptr<HostDirectory> host_;
  std::unordered_map<std::uint64_t, OpenMarker> starts_;
  std::unordered_map<std::uint64_t, MarkerEnd> ends_;  // Whose start has not been seen yet.
  std::vector<std::string> domain_names_;
  FirstError error_;
  std::uint64_t events_ = 0;
};

}  // namespace npuprof::record
