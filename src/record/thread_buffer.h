#pragma once

// The events of one thread on their way to the writer: a ring with one producer and one consumer,
// the stack of open ranges, and the names in use. Functions of the thread's side take no lock, make
// no system call and allocate nothing. They are all here, in the header, and touch no global state
// but the clock, so that any library of the process may use a buffer that another one gave it.
//
// A signal handler may call them while its thread is in the middle of one. All that it records then
// is refused, and counted: the two would write to the same place of the ring.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/python_tracer.h"
#include "record/event.h"
#include "record/name_cache.h"
#include "record/op_inputs.h"
#include "record/ticks.h"

namespace npuprof::record {

using format::framework::OpMarkCategory;
using format::framework::OpRangeField;
using format::framework::OpScope;
using format::framework::PythonTag;

// Longer names, stacks, messages are cut.
inline constexpr std::size_t kLongestText = 64 * 1024;

// An operator whose begin the caller keeps: it may end on another thread, or in another order than
// it began.
struct DetachedOp {
  std::uint64_t begin_ticks = 0;
  std::uint64_t start_thread_id = 0;
  std::int64_t sequence = -1;
  std::uint64_t forward_thread = 0;
  OpScope scope = OpScope::kFunction;
  bool is_async = true;
};

class ThreadBuffer {
 public:
  static constexpr std::uint32_t kMaxDepth = 512;
  static constexpr std::size_t kScratchBytes = 256 * 1024;

  // `ring` has room for `capacity_units` events, a power of two or 0 (then everything is dropped).
  ThreadBuffer(Event* ring, std::uint64_t capacity_units, std::byte* scratch, std::uint32_t index)
      : ring_(ring), capacity_(capacity_units), scratch_(scratch), index_(index) {}
  ThreadBuffer(const ThreadBuffer&) = delete;
  ThreadBuffer& operator=(const ThreadBuffer&) = delete;

  // ---- The thread's side. ----

  // The recording that this thread knows of; see Registry.
  std::uint32_t epoch() const { return epoch_; }
  // A new recording, or a new thread, begins: nothing is open and no name is known.
  void begin_epoch(std::uint32_t epoch, std::uint32_t thread_id) {
    in_turn([&] {
      epoch_ = epoch;
      tag_ = epoch_tag(epoch);
      (void)try_put(
          {0, 0, thread_id, make_name(NamePlace::kAtDepth, tag_), EventKind::kThread, 0, 0}, {});
      depth_ = 0;
      marker_depth_ = 0;
      markers_beyond_ = 0;
      names_.clear();
    });
  }

  // Ranges and operators nest; end() ends the innermost one.
  void begin_range(std::uint32_t registered_name, OpScope scope = OpScope::kUserScope) {
    in_turn([&] {
      if (OpenOp* op = open(scope, -1, 0)) {
        op->name = make_name(NamePlace::kRegistered, registered_name);
        op->begin = now_ticks();
      }
    });
  }
  void begin_range(std::string_view name, OpScope scope = OpScope::kUserScope) {
    begin_op(name, -1, 0, scope);
  }
  // `forward_thread`: 0, or the thread that ran the forward operator.
  void begin_op(std::string_view name, std::int64_t sequence, std::uint64_t forward_thread,
                OpScope scope) {
    in_turn([&] {
      if (OpenOp* op = open(scope, sequence, forward_thread)) {
        if (!put_name(name, depth_, *op)) op->is_dropped = true;
        op->begin = now_ticks();
      }
    });
  }
  // What is missing is counted here: the handler whose begin was refused comes here out of turn
  // too.
  void end() {
    const std::uint64_t end = now_ticks();
    in_turn_or_refused([&] {
      if (depth_ == 0) return;  // It began before recording did.
      if (depth_ > kMaxDepth) {
        count(too_deep_);
      } else {
        close(stack_[depth_ - 1], end, depth_);
      }
      --depth_;
    });
  }

  // A range whose begin the caller kept.
  void range(std::uint32_t registered_name, std::uint64_t begin, std::uint64_t end,
             OpScope scope = OpScope::kUserScope) {
    put_in_turn({begin, end, -1, make_name(NamePlace::kRegistered, registered_name),
                 EventKind::kRange, static_cast<std::uint8_t>(scope), 0});
  }

  // Attach to the innermost open operator. Texts are those of the field, put together already.
  void attach_text(OpRangeField field, std::string_view text) {
    attach(static_cast<std::uint8_t>(field), text);
  }
  // A text that many operators share, such as a call stack, travels once: it is defined under a
  // number of the caller's choice (below kMostTexts), which is good for this thread until the next
  // recording. False if there was no room.
  static constexpr std::uint32_t kMostTexts = 1 << 16;
  bool define_text(std::uint32_t number, std::string_view text) {
    text = text.substr(0, kLongestText);
    bool done = false;
    in_turn([&] {
      done = try_put({0, text.size(), number, make_name(NamePlace::kAtDepth, tag_),
                      EventKind::kTextDefinition, 0, 0},
                     text);
      if (!done) count(dropped_details_);
    });
    return done;
  }
  void attach_defined_text(OpRangeField field, std::uint32_t number) {
    attach(static_cast<std::uint8_t>(field) | kDefinedAttachment, {}, number);
  }
  // Room to describe inputs in; the next call takes it back. With details and values: see
  // OpInputs.
  OpInputs inputs(bool with_details, bool with_values = false) {
    return OpInputs(scratch_, is_busy() ? 0 : kScratchBytes, with_details, with_values);
  }
  void attach_inputs(const OpInputs& inputs) {
    if (inputs.overflowed()) {
      in_turn([&] { count(dropped_details_); });
    } else {
      attach(kInputsAttachment, inputs.bytes());
    }
  }

  // An operator that ends now. `inputs` and `stack` may be empty.
  void detached_op(const DetachedOp& op, std::string_view name, std::string_view inputs,
                   std::string_view stack) {
    const std::uint64_t end = now_ticks();
    in_turn_or_refused([&] { put_detached_op(op, end, name, inputs, stack); });
  }

  void mark(std::uint32_t registered_name) {
    put_in_turn({now_ticks(), 0, 0, make_name(NamePlace::kRegistered, registered_name),
                 EventKind::kMark, 0, 0});
  }
  void mark(std::string_view name) {
    put_named({now_ticks(), 0, 0, 0, EventKind::kMark, 0, 0}, name);
  }
  void counter(std::uint32_t registered_name, double value) {
    put_in_turn({now_ticks(), 0, std::bit_cast<std::int64_t>(value),
                 make_name(NamePlace::kRegistered, registered_name), EventKind::kCounter, 0, 0});
  }

  // One end of putting a task on the launch queue, or of taking it off.
  void queue_mark(OpMarkCategory category, std::uint64_t correlation, std::string_view name) {
    put_named({now_ticks(), 0, static_cast<std::int64_t>(correlation), 0, EventKind::kQueueMark,
               static_cast<std::uint8_t>(category), 0},
              name);
  }

  // Of an allocator of the host.
  void host_memory(const void* address, std::int64_t size, std::int64_t total_allocated,
                   std::int64_t total_reserved) {
    memory({.address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(address)),
            .size = size,
            .total_allocated = total_allocated,
            .total_reserved = total_reserved,
            .total_active = 0,
            .stream = 0,
            .device_type = 0,
            .device_index = -1,
            .component = 0,
            .event = 0,
            .allocator = 0});
  }
  void memory(const MemoryPayload& event) {
    const Event head{now_ticks(), 0, 0, 0, EventKind::kMemory, 0, 0};
    in_turn_or_refused([&] {
      put_with_payload(head, {reinterpret_cast<const char*>(&event), sizeof(event)});
    });
  }

  // Python calls and returns. `key` stands for the function; python_name() says what it means, once
  // in a recording. Returns take the key of the exit marker. Frames that were open when recording
  // began are told with the time of that begin.
  void python(PythonTag tag, std::uint64_t key) { python(tag, key, now_ticks()); }
  void python(PythonTag tag, std::uint64_t key, std::uint64_t ticks) {
    put_in_turn({ticks, 0, static_cast<std::int64_t>(key), 0, EventKind::kPythonCall,
                 static_cast<std::uint8_t>(tag), 0});
  }
  // False if there was no room.
  bool python_name(std::uint64_t key, std::string_view text) {
    return put_text(
        {now_ticks(), 0, static_cast<std::int64_t>(key), 0, EventKind::kPythonName, 0, 0}, text);
  }
  // Parameters of a module, or of an optimizer, as text (format/framework/param_tensor_info.h).
  void parameters(std::uint64_t key, bool is_optimizer, std::string_view text) {
    put_text({now_ticks(), 0, static_cast<std::int64_t>(key), 0, EventKind::kParameters,
              static_cast<std::uint8_t>(is_optimizer ? 1 : 0), 0},
             text);
  }
  void garbage_collection(std::uint64_t begin, std::uint64_t end) {
    put_in_turn({begin, end, 0, 0, EventKind::kGarbage, 0, 0});
  }

  // Markers of a domain; ids are unique in the process.
  void marker(std::uint32_t domain, std::string_view message) {
    in_turn_or_refused([&] { put_marker(EventKind::kMarker, domain, message); });
  }
  // 0 if there was no room.
  std::uint64_t marker_start(std::uint32_t domain, std::string_view message) {
    std::uint64_t id = 0;
    in_turn_or_refused([&] { id = put_marker(EventKind::kMarkerStart, domain, message); });
    return id;
  }
  void marker_end(std::uint32_t domain, std::uint64_t id) {
    in_turn_or_refused([&] { put_marker_end(domain, id); });
  }
  // Return the depth in the domain before and after; -1 if nothing was recorded.
  int marker_push(std::uint32_t domain, std::string_view message) {
    int depth = -1;
    in_turn_or_refused([&] { depth = push_marker(domain, message); });
    return depth;
  }
  int marker_pop(std::uint32_t domain) {
    int depth = -1;
    in_turn([&] { depth = pop_marker(domain); });  // The push has been counted.
    return depth;
  }

  std::uint32_t depth() const { return depth_; }

  // ---- The writer's side. ----

  std::uint64_t published() const { return head_.load(std::memory_order_acquire); }
  std::uint64_t consumed() const { return tail_.load(std::memory_order_acquire); }
  // Everything before `position` has been read.
  void consume(std::uint64_t position) { tail_.store(position, std::memory_order_release); }
  const Event& at(std::uint64_t position) const { return ring_[position & (capacity_ - 1)]; }
  std::uint64_t capacity() const { return capacity_; }
  const Event* ring() const { return ring_; }
  // Positions up to the end of the ring, from `position` on.
  std::uint64_t units_to_wrap(std::uint64_t position) const {
    return capacity_ - (position & (capacity_ - 1));
  }

  // Events that found no room, or were refused.
  std::uint64_t dropped() const {
    return dropped_.load(std::memory_order_relaxed) + refused_.load(std::memory_order_relaxed);
  }
  std::uint64_t dropped_details() const { return dropped_details_.load(std::memory_order_relaxed); }
  // Ranges nested deeper than kMaxDepth.
  std::uint64_t too_deep() const { return too_deep_.load(std::memory_order_relaxed); }
  std::uint32_t index() const { return index_; }

  // ---- The registry's side. ----

  // Only for a buffer that is empty and has no owner.
  void set_ring(Event* ring, std::uint64_t capacity_units) {
    ring_ = ring;
    capacity_ = capacity_units;
  }

  // Whether the thread is in the middle of recording something (and asks from a signal handler).
  bool is_busy() const { return is_busy_.load(std::memory_order_relaxed); }
  // Busy from now on for ever: everything is refused. Then any number of threads may use it.
  void refuse_all() { is_busy_.store(true, std::memory_order_relaxed); }
  // For the next thread. The last one may have ended in a signal handler.
  void take_over() {
    is_busy_.store(false, std::memory_order_relaxed);
    state.store(State::kOwned, std::memory_order_relaxed);
  }

  enum class State : std::uint32_t {
    kFree,  // Its thread has ended; what it holds may have to be read yet.
    kOwned,
  };
  std::atomic<State> state{State::kOwned};
  ThreadBuffer* next = nullptr;  // Of all buffers; set once.

 private:
  struct OpenOp {
    std::uint64_t begin = 0;
    std::int64_t sequence = -1;
    std::uint64_t forward_thread = 0;
    std::uint32_t name = 0;
    OpScope scope = OpScope::kUserScope;
    bool is_op = false;
    bool is_attached = false;
    bool is_dropped = false;
  };
  static_assert(sizeof(OpenOp) == 32);
  static_assert(kMaxDepth <= kUntaggedMask && NameCache::kSlots <= kUntaggedMask);

  // Runs `action` unless this thread is in the middle of another one.
  template <typename Action>
  bool in_turn(Action&& action) {
    if (is_busy()) [[unlikely]]
      return false;
    is_busy_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    action();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    is_busy_.store(false, std::memory_order_relaxed);
    return true;
  }
  // The same for what is an event by itself.
  template <typename Action>
  void in_turn_or_refused(Action&& action) {
    if (!in_turn(action)) refused_.fetch_add(1, std::memory_order_relaxed);
  }

  OpenOp* open(OpScope scope, std::int64_t sequence, std::uint64_t forward_thread) {
    if (++depth_ > kMaxDepth) [[unlikely]]
      return nullptr;
    OpenOp& op = stack_[depth_ - 1];
    op.sequence = sequence;
    op.forward_thread = forward_thread;
    op.scope = scope;
    op.is_op = sequence >= 0 || forward_thread != 0;
    op.is_attached = false;
    op.is_dropped = false;
    return &op;
  }

  void close(const OpenOp& op, std::uint64_t end, std::uint32_t depth) {
    if (op.is_dropped) [[unlikely]]
      return count(dropped_);
    if (op.is_attached && op.forward_thread == 0) {
      put({op.begin, end, op.sequence, op.name, EventKind::kAttachedOp,
           static_cast<std::uint8_t>(op.scope), static_cast<std::uint16_t>(depth)});
      return;
    }
    if (op.forward_thread != 0) {
      put_extended_op(op, end, {op.forward_thread, 0, op.is_attached ? depth : kNoDepth, 0});
      return;
    }
    put({op.begin, end, op.sequence, op.name, op.is_op ? EventKind::kOp : EventKind::kRange,
         static_cast<std::uint8_t>(op.scope), 0});
  }

  void put_detached_op(const DetachedOp& op, std::uint64_t end, std::string_view name,
                       std::string_view inputs, std::string_view stack) {
    OpenOp open{.begin = op.begin_ticks, .sequence = op.sequence, .scope = op.scope, .is_op = true};
    open.forward_thread = op.forward_thread;
    if (!put_name(name, kImmediateDepth, open)) return count(dropped_);
    if (!inputs.empty()) put_attachment(kInputsAttachment, inputs, kImmediateDepth, open);
    if (!stack.empty()) {
      put_attachment(static_cast<std::uint8_t>(OpRangeField::kStack), stack, kImmediateDepth, open);
    }
    const bool is_attached = open.is_attached;
    put_extended_op(open, end,
                    {op.forward_thread, op.start_thread_id,
                     is_attached ? kImmediateDepth : kNoDepth, op.is_async ? 1u : 0u});
  }

  void put_extended_op(const OpenOp& op, std::uint64_t end, const OpExtension& extension) {
    put_with_payload({op.begin, end, op.sequence, op.name, EventKind::kOp,
                      static_cast<std::uint8_t>(op.scope), 0},
                     {reinterpret_cast<const char*>(&extension), sizeof(extension)});
  }

  void attach(std::uint8_t kind, std::string_view bytes, std::uint32_t number = 0) {
    in_turn([&] {
      if (depth_ == 0 || depth_ > kMaxDepth) return;
      OpenOp& op = stack_[depth_ - 1];
      if (!op.is_dropped) put_attachment(kind, bytes, depth_, op, number);
    });
  }
  bool put_attachment(std::uint8_t kind, std::string_view bytes, std::uint32_t depth, OpenOp& op,
                      std::uint32_t number = 0) {
    const auto detail = static_cast<std::uint8_t>(op.is_attached ? kind : kind | kFirstAttachment);
    const bool done =
        try_put({0, bytes.size(), number, make_name(NamePlace::kAtDepth, depth | tag_),
                 EventKind::kAttachment, detail, 0},
                bytes);
    if (done) {
      op.is_attached = true;
    } else {
      count(dropped_details_);
    }
    return done;
  }

  // Sets op.name. False if the text found no room.
  bool put_name(std::string_view text, std::uint32_t depth, OpenOp& op) {
    const NameCache::Lookup found = names_.find(text);
    if (found.answer == NameCache::Answer::kKnown) [[likely]] {
      op.name = make_name(NamePlace::kSlot, found.slot | tag_);
      return true;
    }
    return put_new_name(text, depth, op, found);
  }
  bool put_new_name(std::string_view text, std::uint32_t depth, OpenOp& op,
                    NameCache::Lookup found);

  // An event without an open operator whose name is a text.
  void put_named(Event event, std::string_view name) {
    in_turn_or_refused([&] {
      OpenOp unused;
      if (!put_name(name, kImmediateDepth, unused)) return count(dropped_);
      event.name = unused.name;
      put(event);
    });
  }
  // An event whose `end` is the size of its payload.
  bool put_text(Event event, std::string_view text) {
    text = text.substr(0, kLongestText);
    event.end = text.size();
    bool done = false;
    in_turn_or_refused([&] { done = put_with_payload(event, text); });
    return done;
  }

  // The id, 0 if there was no room.
  std::uint64_t put_marker(EventKind kind, std::uint32_t domain, std::string_view message) {
    message = message.substr(0, kLongestText);
    const std::uint64_t id = next_marker_id();
    const bool done = put_with_payload(
        {now_ticks(), message.size(), static_cast<std::int64_t>(id), domain, kind, 0, 0}, message);
    return done ? id : 0;
  }
  void put_marker_end(std::uint32_t domain, std::uint64_t id) {
    put({now_ticks(), 0, static_cast<std::int64_t>(id), domain, EventKind::kMarkerEnd, 0, 0});
  }
  int push_marker(std::uint32_t domain, std::string_view message);
  int pop_marker(std::uint32_t domain);
  int marker_depth_in(std::uint32_t domain) const {
    int depth = 0;
    for (std::uint32_t i = 0; i < marker_depth_; ++i) depth += markers_[i].domain == domain ? 1 : 0;
    return depth;
  }

  void put_in_turn(const Event& event) {
    in_turn_or_refused([&] { put(event); });
  }
  bool put(const Event& event) {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - cached_tail_ >= capacity_) [[unlikely]] {
      cached_tail_ = tail_.load(std::memory_order_acquire);
      if (head - cached_tail_ >= capacity_) {
        count(dropped_);
        return false;
      }
    }
    ring_[head & (capacity_ - 1)] = event;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }
  bool put_with_payload(const Event& event, std::string_view payload) {
    const bool done = try_put(event, payload);
    if (!done) count(dropped_);
    return done;
  }
  // The payload lies in one piece behind its event; what is left of the ring is skipped if need be.
  bool try_put(Event event, std::string_view payload);

  // Only this thread adds to it, in turn.
  static void count(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // Counts on when the buffer goes to another thread.
  std::uint64_t next_marker_id() {
    return static_cast<std::uint64_t>(index_ + 1) << 40 | ++marker_count_;
  }

  // What each event touches lies together; what the writer changes has a cache line of its own.
  alignas(64) Event* ring_;
  std::uint64_t capacity_;
  std::uint64_t cached_tail_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint32_t depth_ = 0;
  std::atomic<std::uint64_t> head_{0};
  std::atomic<bool> is_busy_{false};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> dropped_details_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};

  struct OpenMarker {
    std::uint64_t id;
    std::uint32_t domain;
  };

  alignas(64) std::byte* scratch_;
  std::atomic<std::uint64_t> too_deep_{0};
  std::atomic<std::uint64_t> refused_{0};  // Not by count(): a handler may interrupt another one.
  std::uint32_t index_;
  std::uint32_t tag_ = 0;
  std::uint32_t marker_depth_ = 0;
  std::uint32_t markers_beyond_ = 0;  // Open ones deeper than that.
  std::uint64_t marker_count_ = 0;
  // Aligned: entries of the stack and slots of names that lie across cache lines cost more.
  alignas(64) OpenOp stack_[kMaxDepth];
  OpenMarker markers_[kMaxDepth] = {};
  alignas(64) NameCache names_;
};

inline bool ThreadBuffer::try_put(Event event, std::string_view payload) {
  const std::uint64_t units = payload_units(payload.size());
  const std::uint64_t head = head_.load(std::memory_order_relaxed);
  if (1 + units > capacity_ / 4 || units > 0xFFFF) return false;
  const std::uint64_t to_wrap = units_to_wrap(head);
  const std::uint64_t skipped = to_wrap < 1 + units ? to_wrap : 0;
  const std::uint64_t needed = skipped + 1 + units;
  if (head + needed - cached_tail_ > capacity_) {
    cached_tail_ = tail_.load(std::memory_order_acquire);
    if (head + needed - cached_tail_ > capacity_) return false;
  }
  if (skipped > 0) ring_[head & (capacity_ - 1)] = {0, 0, 0, 0, EventKind::kSkip, 0, 0};
  Event* const place = ring_ + ((head + skipped) & (capacity_ - 1));
  event.payload_units = static_cast<std::uint16_t>(units);
  *place = event;
  if (!payload.empty()) std::memcpy(place + 1, payload.data(), payload.size());
  head_.store(head + needed, std::memory_order_release);
  return true;
}

inline bool ThreadBuffer::put_new_name(std::string_view text, std::uint32_t depth, OpenOp& op,
                                       NameCache::Lookup found) {
  text = text.substr(0, kLongestText);
  if (found.answer == NameCache::Answer::kNew) {
    op.name = make_name(NamePlace::kSlot, found.slot | tag_);
    if (try_put({0, 0, static_cast<std::int64_t>(text.size()), op.name, EventKind::kNameDefinition,
                 0, 0},
                text)) {
      return true;
    }
    names_.forget(found.slot);
    return false;
  }
  const auto detail = static_cast<std::uint8_t>(OpRangeField::kName);
  op.name = make_name(NamePlace::kAtDepth, depth | tag_);
  const auto first = static_cast<std::uint8_t>(detail | kFirstAttachment);
  op.is_attached = try_put({0, text.size(), 0, op.name, EventKind::kAttachment, first, 0}, text);
  return op.is_attached;
}

// A range that was dropped stays on the stack, without id: its pop must not end another one.
inline int ThreadBuffer::push_marker(std::uint32_t domain, std::string_view message) {
  if (marker_depth_ == kMaxDepth) {
    ++markers_beyond_;
    count(too_deep_);
    return -1;
  }
  const std::uint64_t id = put_marker(EventKind::kMarkerStart, domain, message);
  const int depth = marker_depth_in(domain);
  markers_[marker_depth_++] = {id, domain};
  return id != 0 ? depth : -1;
}

inline int ThreadBuffer::pop_marker(std::uint32_t domain) {
  if (markers_beyond_ > 0) {
    --markers_beyond_;
    return -1;
  }
  std::uint32_t found = marker_depth_;
  while (found > 0 && markers_[found - 1].domain != domain) --found;
  if (found == 0) return -1;
  const std::uint64_t id = markers_[found - 1].id;
  if (id != 0) put_marker_end(domain, id);
  std::memmove(markers_ + found - 1, markers_ + found,
               (marker_depth_ - found) * sizeof(OpenMarker));
  --marker_depth_;
  return id != 0 ? marker_depth_in(domain) : -1;
}

}  // namespace npuprof::record
