#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "format/host/api_event.h"
#include "format/host/record_kind.h"
#include "record/host_reporter.h"
#include "sim/model/sim_clock.h"
#include "sim/prof/collection_settings.h"

namespace npuprof::sim {

using record::HostReporter;

// The host side of a collection in virtual time: what each level of collection leaves out is left
// out here. Does nothing while no collection runs.
class HostLog {
 public:
  HostLog(const CollectionSettings& options, const SimClock& clock)
      : options_(&options), clock_(&clock) {}

  void attach(HostReporter* reporter) { reporter_ = reporter; }
  // Records of what ends later are left out.
  void stop_at(std::int64_t time_ns) {
    stop_ns_ = time_ns;
    stop_ticks_ = ticks(time_ns);
  }
  bool running_at(std::int64_t time_ns) const { return time_ns <= stop_ns_; }
  bool on() const { return reporter_ != nullptr; }
  // Calls of the program are collected.
  bool calls() const { return tasks() || (on() && options_->with_acl_api); }
  // So are tasks and what the layers below do.
  bool tasks() const { return on() && options_->level != CollectionLevel::kNone; }
  bool operator_details() const { return on() && options_->operator_details(); }
  bool operator_memory() const { return on() && options_->operator_memory; }
  bool runtime_calls() const { return on() && options_->runtime_api(); }
  bool marks() const {
    return on() && (options_->mstx || options_->level == CollectionLevel::kNone);
  }

  std::uint64_t ticks(std::int64_t time_ns) const { return clock_->host_ticks(time_ns); }
  std::uint64_t hash(std::string_view text) { return reporter_ ? reporter_->hash(text) : 0; }
  void name_type(std::uint16_t level, std::uint32_t type, std::string_view name) {
    if (reporter_) reporter_->name_type(level, type, name);
  }

  void api(std::uint16_t level, std::uint32_t type, std::uint32_t thread, std::int64_t begin_ns,
           std::int64_t end_ns, std::uint64_t item,
           format::host::Age age = format::host::Age::kAging) {
    const bool is_wanted = level == format::host::kLevelAcl ? calls() : tasks();
    if (!is_wanted || !running_at(end_ns)) return;
    reporter_->api(age, {.level = level,
                         .type = type,
                         .thread_id = thread,
                         .request_id = 0,
                         .begin = ticks(begin_ns),
                         .end = ticks(end_ns),
                         .item_id = item});
  }
  // Only with runtime calls collected.
  void runtime_api(std::uint32_t number, std::uint32_t thread, std::int64_t begin_ns,
                   std::int64_t end_ns) {
    if (!runtime_calls()) return;
    api(format::host::kLevelRuntime, format::host::kRuntimeApiBase + number, thread, begin_ns,
        end_ns, 0);
  }

  // A record; the caller has asked whether it is wanted.
  template <typename Layout>
  void record(format::host::Age age, const Layout& layout) {
    if (layout.header.timestamp <= stop_ticks_) reporter_->record(age, layout);
  }
  HostReporter* reporter() { return reporter_; }

 private:
  const CollectionSettings* options_;
  const SimClock* clock_;
  HostReporter* reporter_ = nullptr;
  std::int64_t stop_ns_ = std::numeric_limits<std::int64_t>::max();
  std::uint64_t stop_ticks_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace npuprof::sim
