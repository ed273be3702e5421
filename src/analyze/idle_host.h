#pragma once

// What threads of the host did at a moment, as far as somebody recorded it.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/idle_causes.h"
#include "analyze/idle_layers.h"
#include "analyze/idle_names.h"
#include "link/time_order.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// One answer, and until when it holds.
struct IdleMoment {
  IdleCause cause = IdleCause::kNotRecorded;
  IdleEvidence evidence = IdleEvidence::kNothing;
  std::uint32_t evidence_row = trace::kNone;
  StringId detail = kEmptyString;
  std::uint32_t thread = trace::kNone;
  std::uint32_t op = trace::kNone;
  std::uint32_t python_call = trace::kNone;
  StringId module = kEmptyString;
  std::int64_t until_ns = INT64_MAX;
};

class IdleHost {
 public:
  explicit IdleHost(const trace::Trace& trace);

  // What kept the thread that asks for work; `launcher` is the thread that hands it to the device.
  IdleMoment producer_at(std::uint32_t tid, std::uint32_t launcher, std::int64_t time_ns);

  // What kept the thread that launches: a call, or nothing (kNotRecorded).
  IdleMoment launcher_at(std::uint32_t tid, std::int64_t time_ns);

  // The innermost Python frame that has a line (row), and the innermost module of a thread.
  std::uint32_t python_call_at(std::uint32_t tid, std::int64_t time_ns);
  StringId module_at(std::uint32_t tid, std::uint32_t launcher, std::int64_t time_ns);

 private:
  struct Thread {
    std::uint32_t tid = trace::kNone;
    TimeLayer calls;
    TimeLayer ops;
    TimeLayer frames;
    TimeLayer lines;  // Frames that have a line: functions of C have none.
    TimeLayer marks;
    TimeLayer whole;          // Data loaders and checkpoints, with all that is inside of them.
    TimeLayer module_frames;  // Labels are string ids, here and in the next one.
    TimeLayer module_marks;
    std::vector<Thread*> linked;  // Threads that wait for this one, or that it waits for.
    bool is_linked = false;       // `linked` is filled.
  };

  Thread& thread(std::uint32_t tid);
  void add_calls(Thread& thread);
  void add_ops(Thread& thread);
  void add_frames(Thread& thread);
  void add_marks(Thread& thread);
  void add_whole(Thread& thread);
  void add_collections();
  const std::vector<Thread*>& linked(Thread& thread);

  static LayerHit find_with_launcher(TimeLayer Thread::*layer, Thread& thread, Thread* launcher,
                                     std::int64_t time_ns);
  // A call, an operator, or something that takes all that is inside of it; else false.
  bool find_strong(Thread& thread, Thread* launcher, std::int64_t time_ns, IdleMoment& moment);
  // A frame or a mark; else false.
  bool find_weak(Thread& thread, Thread* launcher, std::int64_t time_ns, IdleMoment& moment);
  void find_step(Thread& thread, std::int64_t time_ns, std::int64_t until_ns, IdleMoment& moment);
  void set_whole(std::uint32_t label, IdleMoment& moment);
  void set_call(std::uint32_t call, IdleMoment& moment);
  void set_innermost(std::uint32_t op, std::uint32_t frame, std::uint32_t mark, IdleMoment& moment);

  const trace::Trace& trace_;
  IdleNames names_;
  link::ThreadOrder call_rows_;
  link::ThreadOrder op_rows_;
  link::ThreadOrder frame_rows_;
  link::ThreadOrder mark_rows_;
  StringId module_domain_ = kEmptyString;
  TimeLayer collections_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> links_;  // By thread.
  std::unordered_map<std::uint32_t, std::unique_ptr<Thread>> threads_;
  Thread* last_thread_ = nullptr;
  Thread* other_thread_ = nullptr;  // The one before it.
};

}  // namespace npuprof::analyze
