#include "record/event_output.h"

#include <limits>
#include <utility>

#include "format/framework/file_names.h"
#include "record/registry.h"

namespace npuprof::record {

EventOutput::EventOutput(const Options& options)
    : options_(options), files_(options.directory / format::framework::kDirectoryName) {
  options_.host.parent = options_.directory;
  options_.host.pid = options_.pid;
}

void EventOutput::begin(TickPair start, const ClockStart& clock) {
  ticks_.add(start);
  begin_ticks_ = start.ticks;
  end_ticks_ = std::numeric_limits<std::uint64_t>::max();
  if (host_ != nullptr) return;
  options_.host.clock = clock;
  if (options_.host.host_sys.any()) host_directory();
}

// Made when it is needed first; null after a failure.
HostDirectory* EventOutput::host_directory() {
  if (host_ == nullptr && !error_.failed()) {
    auto created = HostDirectory::create(options_.host);
    if (created.ok()) {
      host_ = std::move(created).value();
    } else {
      error_.keep(std::move(created.error()));
    }
  }
  return error_.failed() ? nullptr : host_.get();
}

std::string_view EventOutput::domain_name(std::uint32_t domain) {
  if (domain_names_.size() <= domain) domain_names_.resize(domain + 1);
  std::string& name = domain_names_[domain];
  if (name.empty()) name = Registry::instance().domain_name(domain);
  return name;
}

void EventOutput::marker(const MarkerEnd& mark, std::string_view message) {
  const std::int64_t time_ns = to_ns(mark.ticks);
  put({time_ns, time_ns, false, mark.thread_id, domain_name(mark.domain), message});
}

void EventOutput::marker_start(const MarkerEnd& start, std::string_view message) {
  OpenMarker range{start, std::string(message)};
  if (const auto end = ends_.find(start.id); end != ends_.end()) {
    put_range(range, end->second);
    ends_.erase(end);
  } else if (starts_.size() < kMostOpenMarkers) {
    starts_.emplace(start.id, std::move(range));
  } else {
    count_event();
  }
}

void EventOutput::marker_end(const MarkerEnd& end) {
  if (const auto range = starts_.find(end.id); range != starts_.end()) {
    put_range(range->second, end);
    starts_.erase(range);
  } else if (ends_.size() < kMostOpenMarkers) {
    ends_.emplace(end.id, end);  // Ends of ranges from before the recording stay here.
  }
}

void EventOutput::put_range(const OpenMarker& range, const MarkerEnd& end) {
  if (end.domain != range.start.domain) return;  // As mstx does.
  put({to_ns(range.start.ticks), to_ns(end.ticks), true, range.start.thread_id,
       domain_name(range.start.domain), range.message});
}

void EventOutput::put(const HostDirectory::Marker& marker) {
  if (HostDirectory* const directory = host_directory()) directory->put(marker);
  count_event();
}

void EventOutput::sample_host() {
  if (host_ != nullptr) host_->sample(clock_ns(CLOCK_MONOTONIC_RAW));
}

void EventOutput::fail(const Error& error) {
  error_.keep(error);
  files_.fail(error);
}

std::uint64_t EventOutput::events_written() const {
  return files_.written_records() + (host_ != nullptr ? host_->written_markers() : 0);
}

Status EventOutput::flush() {
  error_.keep(files_.flush());
  if (host_ != nullptr) error_.keep(host_->flush());
  return error_.status();
}

Status EventOutput::close(const ClockStart& end) {
  error_.keep(files_.close());
  if (host_ != nullptr) error_.keep(host_->finish(end));
  return error_.status();
}

}  // namespace npuprof::record
