#include "record/writer.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "record/signal_block.h"

namespace npuprof::record {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

constexpr microseconds kShortestPause{1000};
constexpr microseconds kLongestPause{10'000};
// From this share of a buffer on the writer hurries.
constexpr double kBusyShare = 0.125;
// Pages are made ready this far ahead of the thread.
constexpr std::uint64_t kPopulatedUnits = (std::uint64_t{1} << 20) / kEventBytes;

Writer::Dropped dropped_by(const ThreadBuffer& buffer) {
  return {buffer.dropped(), buffer.dropped_details(), buffer.too_deep()};
}

}  // namespace

Writer::Writer(EventOutput& output, Options options)
    : output_(output), options_(std::move(options)) {
  for (ThreadBuffer* buffer = Registry::instance().buffers(); buffer != nullptr;
       buffer = buffer->next) {
    if (buffer->index() >= dropped_before_.size()) dropped_before_.resize(buffer->index() + 1);
    dropped_before_[buffer->index()] = dropped_by(*buffer);
  }
}

Writer::~Writer() {
  if (thread_.joinable()) stop(now_ticks());
}

Status Writer::start(std::uint32_t epoch) {
  epoch_ = epoch;
  const SignalBlock block;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kInternal,
                 std::string("cannot start the thread that writes events: ") + error.what()};
  }
  return ok_status();
}

void Writer::stop(std::uint64_t end_ticks) {
  {
    const std::lock_guard lock(mutex_);
    end_ticks_ = end_ticks;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Writer::set_paused(bool paused) {
  const std::lock_guard lock(mutex_);
  paused_ = paused;
}

void Writer::run() {
  flush();  // The small files, so that a process that dies early leaves a directory that parses.
  auto next_flush = steady_clock::now() + options_.flush_interval;
  microseconds pause = kShortestPause;
  std::unique_lock lock(mutex_);
  while (!end_ticks_) {
    if (!paused_) {
      lock.unlock();
      const double fullest = drain();
      pause = fullest > kBusyShare ? kShortestPause : std::min(pause * 2, kLongestPause);
      output_.sample_host();
      if (steady_clock::now() >= next_flush) {
        flush();
        next_flush = steady_clock::now() + options_.flush_interval;
      }
      lock.lock();
    }
    wake_.wait_for(lock, pause, [this] { return end_ticks_.has_value(); });
  }
  output_.end(*end_ticks_);
  lock.unlock();
  drain();
  flush();
}

double Writer::drain() {
  try {
    return read_portions();
  } catch (const std::exception& exception) {
    discards_ = true;
    output_.fail({ErrorCode::kInternal, std::string("recording failed: ") + exception.what()});
    return 0;
  }
}

double Writer::read_portions() {
  portions_.clear();
  for (ThreadBuffer* buffer = Registry::instance().buffers(); buffer != nullptr;
       buffer = buffer->next) {
    const std::uint64_t end = buffer->published();
    if (end != buffer->consumed()) portions_.push_back({buffer, end});
  }
  if (portions_.empty()) return 0;
  // After the positions: no event up to there is younger than this.
  output_.ticks().add(read_tick_pair());
  double fullest = 0;
  for (const Portion& portion : portions_) {
    ThreadBuffer& buffer = *portion.buffer;
    fullest = std::max(fullest, static_cast<double>(portion.end - buffer.consumed()) /
                                    static_cast<double>(buffer.capacity()));
    if (discards_) {
      output_.count_event(BufferReader::discard(buffer, portion.end));
    } else {
      Source& from = source(buffer);
      populate(buffer, from, portion.end);
      from.reader.read(buffer, portion.end, output_);
    }
  }
  return fullest;
}

void Writer::flush() {
  try {
    const Status flushed = output_.flush();
    if (options_.on_flush) options_.on_flush(flushed);
  } catch (const std::exception& exception) {
    output_.fail({ErrorCode::kInternal, std::string("recording failed: ") + exception.what()});
  }
}

Writer::Source& Writer::source(const ThreadBuffer& buffer) {
  if (buffer.index() >= sources_.size()) sources_.resize(buffer.index() + 1);
  auto& source = sources_[buffer.index()];
  if (source == nullptr) source = std::make_unique<Source>(Source{BufferReader(epoch_)});
  return *source;
}

// Only in the first round through the ring.
void Writer::populate(const ThreadBuffer& buffer, Source& source, std::uint64_t position) {
  constexpr std::uint64_t kPageUnits = 4096 / kEventBytes;
  const std::uint64_t ahead = position / kPageUnits * kPageUnits + kPopulatedUnits;
  const std::uint64_t wanted = std::min(ahead, buffer.capacity());
  if (position >= buffer.capacity() || source.populated_units >= wanted) return;
  auto* const first = const_cast<Event*>(buffer.ring()) + source.populated_units;
  populate_pages(first, (wanted - source.populated_units) * kEventBytes);
  source.populated_units = wanted;
}

Writer::Dropped Writer::dropped() const {
  Dropped sum;
  for (ThreadBuffer* buffer = Registry::instance().buffers(); buffer != nullptr;
       buffer = buffer->next) {
    Dropped before;
    if (buffer->index() < dropped_before_.size()) before = dropped_before_[buffer->index()];
    const Dropped now = dropped_by(*buffer);
    sum.events += now.events - before.events;
    sum.details += now.details - before.details;
    sum.too_deep += now.too_deep - before.too_deep;
  }
  return sum;
}

std::uint64_t Writer::thread_count() const {
  std::uint64_t count = 0;
  for (const auto& source : sources_)
    count += source != nullptr ? source->reader.thread_count() : 0;
  return count;
}

}  // namespace npuprof::record
