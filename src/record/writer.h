#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "record/buffer_reader.h"
#include "record/event_output.h"
#include "record/registry.h"

namespace npuprof::record {

// The thread that empties the buffers of all threads, for one recording. It looks at them more
// often the faster they fill.
class Writer {
 public:
  struct Options {
    std::chrono::milliseconds flush_interval{100};
    // Called by the writer after each flush, and once at the end.
    std::function<void(const Status& flushed)> on_flush;
  };
  // Before the recording begins: what has been dropped until now is not of it.
  Writer(EventOutput& output, Options options);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  // Fails if the system has no thread left. `epoch` is the number of the recording.
  Status start(std::uint32_t epoch);
  // Reads what is left, up to `end_ticks`, and ends the thread. The recording must have ended.
  void stop(std::uint64_t end_ticks);

  // Keeps the writer from reading, as a slow disk would.
  void set_paused(bool paused);

  // By the writer itself (in on_flush), or after stop(): what found its buffer full since start(),
  // and how many threads recorded something.
  struct Dropped {
    std::uint64_t events = 0;
    std::uint64_t details = 0;   // Of events that found room.
    std::uint64_t too_deep = 0;  // Ranges in more than ThreadBuffer::kMaxDepth others.
  };
  Dropped dropped() const;
  std::uint64_t thread_count() const;

 private:
  struct Source {
    BufferReader reader;
    std::uint64_t populated_units = 0;
  };
  struct Portion {
    ThreadBuffer* buffer;
    std::uint64_t end;
  };

  void run();
  // Returns how full the fullest buffer was, from 0 to 1.
  double drain();
  double read_portions();
  void flush();
  Source& source(const ThreadBuffer& buffer);
  void populate(const ThreadBuffer& buffer, Source& source, std::uint64_t position);

  EventOutput& output_;
  Options options_;
  std::uint32_t epoch_ = 0;
  std::vector<std::unique_ptr<Source>> sources_;  // By index of the buffer.
  std::vector<Dropped> dropped_before_;           // Likewise.
  std::vector<Portion> portions_;
  bool discards_ = false;  // After a failure that left the readers in the middle of something.

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<std::uint64_t> end_ticks_;
  bool paused_ = false;
};

}  // namespace npuprof::record
