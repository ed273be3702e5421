#pragma once

// The events of one thread on their way to the writer: a ring with one producer and one consumer,
// the stack of open ranges, and the names in use. Functions of the thread's side take no lock, make
// no system call and allocate nothing. They are all here, in the header, and touch no global state
// but the clock, so that any library of the process may use a buffer that another one gave it.
//
// A signal handler may call them while its thread is in the middle of one. All that it records then
// is refused, and counted: the two would write to the same place of the ring.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "record/event.h"
#include "record/name_cache.h"
#include "record/op_inputs.h"
#include "record/ticks.h"

namespace npuprof::record {

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
      (void)try_put(ThreadEvent{.epoch = epoch, .thread_id = thread_id}, {});
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
        op->name = NameReference::registered(registered_name);
        op->begin_ticks = now_ticks();
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
        op->begin_ticks = now_ticks();
      }
    });
  }
  // What is missing is counted here: the handler whose begin was refused comes here out of turn
  // too.
  void end() {
    const std::uint64_t end_ticks = now_ticks();
    in_turn_or_refused([&] {
      if (depth_ == 0) return;  // It began before recording did.
      if (depth_ > kMaxDepth) {
        count(too_deep_);
      } else {
        close(stack_[depth_ - 1], end_ticks, depth_);
      }
      --depth_;
    });
  }

  // A range whose begin the caller kept.
  void range(std::uint32_t registered_name, std::uint64_t begin_ticks, std::uint64_t end_ticks,
             OpScope scope = OpScope::kUserScope) {
    put_in_turn(RangeEvent{.scope = scope,
                           .name = NameReference::registered(registered_name),
                           .begin_ticks = begin_ticks,
                           .end_ticks = end_ticks});
  }

  // Attach to the innermost open operator. Texts are those of the field, put together already.
  void attach_text(OpRangeField field, std::string_view text) {
    attach([&](OpenOp& op) { put_text_attachment(field, text, depth_, op); });
  }
  // A text that many operators share, such as a call stack, travels once: it is defined under a
  // number of the caller's choice (below kMostTexts), which is good for this thread until the next
  // recording. False if there was no room.
  static constexpr std::uint32_t kMostTexts = 1 << 16;
  bool define_text(std::uint32_t number, std::string_view text) {
    text = text.substr(0, kLongestText);
    bool done = false;
    in_turn([&] {
      done = try_put(
          TextDefinitionEvent{.epoch = epoch_, .text_number = number, .text_bytes = size_of(text)},
          text);
      if (!done) count(dropped_details_);
    });
    return done;
  }
  void attach_defined_text(OpRangeField field, std::uint32_t number) {
    attach([&](OpenOp& op) {
      put_attachment(DefinedTextAttachmentEvent{.is_first = !op.is_attached,
                                                .field = field,
                                                .epoch = epoch_,
                                                .depth = depth_,
                                                .text_number = number},
                     {}, op);
    });
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
      attach([&](OpenOp& op) { put_inputs_attachment(inputs.bytes(), depth_, op); });
    }
  }

  // An operator that ends now. `inputs` and `stack` may be empty.
  void detached_op(const DetachedOp& op, std::string_view name, std::string_view inputs,
                   std::string_view stack) {
    const std::uint64_t end_ticks = now_ticks();
    in_turn_or_refused([&] { put_detached_op(op, end_ticks, name, inputs, stack); });
  }

  void mark(std::uint32_t registered_name) {
    put_in_turn(
        MarkEvent{.name = NameReference::registered(registered_name), .ticks = now_ticks()});
  }
  void mark(std::string_view name) { put_named(MarkEvent{.name = {}, .ticks = now_ticks()}, name); }
  void counter(std::uint32_t registered_name, double value) {
    put_in_turn(CounterEvent{
        .name = NameReference::registered(registered_name), .ticks = now_ticks(), .value = value});
  }

  // One end of putting a task on the launch queue, or of taking it off.
  void queue_mark(OpMarkCategory category, std::uint64_t correlation, std::string_view name) {
    put_named(
        QueueMarkEvent{
            .name = {}, .ticks = now_ticks(), .correlation = correlation, .category = category},
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
    const MemoryEvent head{.ticks = now_ticks()};
    in_turn_or_refused([&] { put_with_payload(head, bytes_of(event)); });
  }

  // Python calls and returns. `key` stands for the function; python_name() says what it means, once
  // in a recording. Returns take the key of the exit marker. Frames that were open when recording
  // began are told with the time of that begin.
  void python(PythonTag tag, std::uint64_t key) { python(tag, key, now_ticks()); }
  void python(PythonTag tag, std::uint64_t key, std::uint64_t ticks) {
    put_in_turn(PythonCallEvent{.tag = tag, .ticks = ticks, .key = key});
  }
  // False if there was no room.
  bool python_name(std::uint64_t key, std::string_view text) {
    return put_text(PythonNameEvent{.ticks = now_ticks(), .key = key}, text);
  }
  // Parameters of a module, or of an optimizer, as text (format/framework/param_tensor_info.h).
  void parameters(std::uint64_t key, bool is_optimizer, std::string_view text) {
    put_text(ParametersEvent{.is_optimizer = is_optimizer, .ticks = now_ticks(), .key = key}, text);
  }
  void garbage_collection(std::uint64_t begin_ticks, std::uint64_t end_ticks) {
    put_in_turn(GarbageEvent{.begin_ticks = begin_ticks, .end_ticks = end_ticks});
  }

  // Markers of a domain; ids are unique in the process.
  void marker(std::uint32_t domain, std::string_view message) {
    in_turn_or_refused([&] { put_marker<MarkerEvent>(domain, message); });
  }
  // 0 if there was no room.
  std::uint64_t marker_start(std::uint32_t domain, std::string_view message) {
    std::uint64_t id = 0;
    in_turn_or_refused([&] { id = put_marker<MarkerStartEvent>(domain, message); });
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
    std::uint64_t begin_ticks = 0;
    std::int64_t sequence = -1;
    std::uint64_t forward_thread = 0;
    NameReference name;
    OpScope scope = OpScope::kUserScope;
    bool is_attached = false;
    bool is_dropped = false;
  };
  static_assert(sizeof(OpenOp) == 32);
  static_assert(kMaxDepth < NameReference::kMostThreadNumbers &&
                NameCache::kSlots <= NameReference::kMostThreadNumbers);

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
    op.is_attached = false;
    op.is_dropped = false;
    return &op;
  }

  void close(const OpenOp& op, std::uint64_t end_ticks, std::uint32_t depth) {
    if (op.is_dropped) [[unlikely]]
      return count(dropped_);
    if (op.forward_thread != 0) {
      put_extended_op(op, end_ticks,
                      {.forward_thread = op.forward_thread,
                       .start_thread_id = 0,
                       .depth = op.is_attached ? depth : kNoDepth,
                       .is_async = false});
    } else if (op.is_attached) {
      put(AttachedOpEvent{.scope = op.scope,
                          .depth = static_cast<std::uint16_t>(depth),
                          .name = op.name,
                          .begin_ticks = op.begin_ticks,
                          .end_ticks = end_ticks,
                          .sequence = op.sequence});
    } else if (op.sequence >= 0) {
      put(OpEvent{.scope = op.scope,
                  .name = op.name,
                  .begin_ticks = op.begin_ticks,
                  .end_ticks = end_ticks,
                  .sequence = op.sequence});
    } else {
      put(RangeEvent{.scope = op.scope,
                     .name = op.name,
                     .begin_ticks = op.begin_ticks,
                     .end_ticks = end_ticks});
    }
  }

  void put_detached_op(const DetachedOp& op, std::uint64_t end_ticks, std::string_view name,
                       std::string_view inputs, std::string_view stack) {
    OpenOp open{.begin_ticks = op.begin_ticks, .sequence = op.sequence, .scope = op.scope};
    if (!put_name(name, kImmediateDepth, open)) return count(dropped_);
    if (!inputs.empty()) put_inputs_attachment(inputs, kImmediateDepth, open);
    if (!stack.empty()) put_text_attachment(OpRangeField::kStack, stack, kImmediateDepth, open);
    put_extended_op(open, end_ticks,
                    {.forward_thread = op.forward_thread,
                     .start_thread_id = op.start_thread_id,
                     .depth = open.is_attached ? kImmediateDepth : kNoDepth,
                     .is_async = op.is_async});
  }

  void put_extended_op(const OpenOp& op, std::uint64_t end_ticks, const OpExtension& extension) {
    put_with_payload(ExtendedOpEvent{.scope = op.scope,
                                     .name = op.name,
                                     .begin_ticks = op.begin_ticks,
                                     .end_ticks = end_ticks,
                                     .sequence = op.sequence},
                     bytes_of(extension));
  }

  // Calls `put_it` with the innermost open operator.
  template <typename Put>
  void attach(Put&& put_it) {
    in_turn([&] {
      if (depth_ == 0 || depth_ > kMaxDepth) return;
      OpenOp& op = stack_[depth_ - 1];
      if (!op.is_dropped) put_it(op);
    });
  }
  void put_text_attachment(OpRangeField field, std::string_view text, std::uint32_t depth,
                           OpenOp& op) {
    put_attachment(TextAttachmentEvent{.is_first = !op.is_attached,
                                       .field = field,
                                       .epoch = epoch_,
                                       .depth = depth,
                                       .text_bytes = size_of(text)},
                   text, op);
  }
  void put_inputs_attachment(std::string_view inputs, std::uint32_t depth, OpenOp& op) {
    put_attachment(InputsAttachmentEvent{.is_first = !op.is_attached,
                                         .epoch = epoch_,
                                         .depth = depth,
                                         .inputs_bytes = size_of(inputs)},
                   inputs, op);
  }
  template <typename KnownEvent>
  void put_attachment(const KnownEvent& event, std::string_view payload, OpenOp& op) {
    if (try_put(event, payload)) {
      op.is_attached = true;
    } else {
      count(dropped_details_);
    }
  }

  // Sets op.name. False if the text found no room.
  bool put_name(std::string_view text, std::uint32_t depth, OpenOp& op) {
    const NameCache::Lookup found = names_.find(text);
    if (found.answer == NameCache::Answer::kKnown) [[likely]] {
      op.name = NameReference::in_slot(found.slot, epoch_);
      return true;
    }
    return put_new_name(text, depth, op, found);
  }
  bool put_new_name(std::string_view text, std::uint32_t depth, OpenOp& op,
                    NameCache::Lookup found);

  // An event without an open operator whose name is a text.
  template <typename KnownEvent>
  void put_named(KnownEvent event, std::string_view name) {
    in_turn_or_refused([&] {
      OpenOp unused;
      if (!put_name(name, kImmediateDepth, unused)) return count(dropped_);
      event.name = unused.name;
      put(event);
    });
  }
  // An event whose payload is a text.
  template <typename KnownEvent>
  bool put_text(KnownEvent event, std::string_view text) {
    text = text.substr(0, kLongestText);
    event.text_bytes = size_of(text);
    bool done = false;
    in_turn_or_refused([&] { done = put_with_payload(event, text); });
    return done;
  }

  // The id, 0 if there was no room.
  template <typename KnownEvent>
  std::uint64_t put_marker(std::uint32_t domain, std::string_view message) {
    message = message.substr(0, kLongestText);
    const std::uint64_t id = next_marker_id();
    const bool done = put_with_payload(
        KnownEvent{
            .domain = domain, .ticks = now_ticks(), .id = id, .message_bytes = size_of(message)},
        message);
    return done ? id : 0;
  }
  void put_marker_end(std::uint32_t domain, std::uint64_t id) {
    put(MarkerEndEvent{.domain = domain, .ticks = now_ticks(), .id = id});
  }
  int push_marker(std::uint32_t domain, std::string_view message);
  int pop_marker(std::uint32_t domain);
  int marker_depth_in(std::uint32_t domain) const {
    int depth = 0;
    for (std::uint32_t i = 0; i < marker_depth_; ++i) depth += markers_[i].domain == domain ? 1 : 0;
    return depth;
  }

  template <typename KnownEvent>
  void put_in_turn(const KnownEvent& event) {
    in_turn_or_refused([&] { put(event); });
  }
  template <typename KnownEvent>
  bool put(const KnownEvent& event) {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - cached_tail_ >= capacity_) [[unlikely]] {
      cached_tail_ = tail_.load(std::memory_order_acquire);
      if (head - cached_tail_ >= capacity_) {
        count(dropped_);
        return false;
      }
    }
    store(ring_ + (head & (capacity_ - 1)), event);
    head_.store(head + 1, std::memory_order_release);
    return true;
  }
  template <typename KnownEvent>
  bool put_with_payload(const KnownEvent& event, std::string_view payload) {
    const bool done = try_put(event, payload);
    if (!done) count(dropped_);
    return done;
  }
  template <typename KnownEvent>
  bool try_put(const KnownEvent& event, std::string_view payload) {
    const std::uint64_t units = 1 + payload_units(payload.size());
    Event* const place = place_for(units);
    if (place == nullptr) return false;
    store(place, event);
    if (!payload.empty()) std::memcpy(place + 1, payload.data(), payload.size());
    head_.store(head_.load(std::memory_order_relaxed) + units, std::memory_order_release);
    return true;
  }
  // Room for an event and its payload in one piece, or null; what is left of the ring is skipped if
  // need be.
  Event* place_for(std::uint64_t units);
  template <typename KnownEvent>
  static void store(Event* place, const KnownEvent& event) {
    ::new (static_cast<void*>(place)) KnownEvent(event);
  }
  static std::uint32_t size_of(std::string_view text) {
    return static_cast<std::uint32_t>(text.size());
  }
  template <typename Payload>
  static std::string_view bytes_of(const Payload& payload) {
    return {reinterpret_cast<const char*>(&payload), sizeof(payload)};
  }

  // Only this thread adds to it, in turn.
  static void count(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // Counts on when the buffer goes to another thread.
  std::uint64_t next_marker_id() {
    return static_cast<std::uint64_t>(index_ + 1) << 40 | ++marker_count_;
  }

  static constexpr std::uint64_t kMostUnits = 1 << 16;  // Of an event: 2 MiB.

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
  std::uint32_t marker_depth_ = 0;
  std::uint32_t markers_beyond_ = 0;  // Open ones deeper than that.
  std::uint64_t marker_count_ = 0;
  // Aligned: entries of the stack and slots of names that lie across cache lines cost more.
  alignas(64) OpenOp stack_[kMaxDepth];
  OpenMarker markers_[kMaxDepth] = {};
  alignas(64) NameCache names_;
};

inline Event* ThreadBuffer::place_for(std::uint64_t units) {
  if (units > capacity_ / 4 || units > kMostUnits) return nullptr;
  const std::uint64_t head = head_.load(std::memory_order_relaxed);
  const std::uint64_t to_wrap = units_to_wrap(head);
  const std::uint64_t skipped = to_wrap < units ? to_wrap : 0;
  const std::uint64_t new_head = head + skipped + units;
  if (new_head - cached_tail_ > capacity_) {
    cached_tail_ = tail_.load(std::memory_order_acquire);
    if (new_head - cached_tail_ > capacity_) return nullptr;
  }
  if (skipped > 0) {
    store(ring_ + (head & (capacity_ - 1)), SkipEvent{});
    head_.store(head + skipped, std::memory_order_release);
  }
  return ring_ + ((head + skipped) & (capacity_ - 1));
}

inline bool ThreadBuffer::put_new_name(std::string_view text, std::uint32_t depth, OpenOp& op,
                                       NameCache::Lookup found) {
  text = text.substr(0, kLongestText);
  if (found.answer == NameCache::Answer::kNew) {
    op.name = NameReference::in_slot(found.slot, epoch_);
    const NameDefinitionEvent definition{
        .epoch = epoch_, .slot = found.slot, .text_bytes = size_of(text)};
    if (try_put(definition, text)) return true;
    names_.forget(found.slot);
    return false;
  }
  op.name = NameReference::at_depth(depth, epoch_);
  op.is_attached = try_put(TextAttachmentEvent{.is_first = true,
                                               .field = OpRangeField::kName,
                                               .epoch = epoch_,
                                               .depth = depth,
                                               .text_bytes = size_of(text)},
                           text);
  return op.is_attached;
}

// A range that was dropped stays on the stack, without id: its pop must not end another one.
inline int ThreadBuffer::push_marker(std::uint32_t domain, std::string_view message) {
  if (marker_depth_ == kMaxDepth) {
    ++markers_beyond_;
    count(too_deep_);
    return -1;
  }
  const std::uint64_t id = put_marker<MarkerStartEvent>(domain, message);
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
