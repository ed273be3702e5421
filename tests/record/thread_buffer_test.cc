#include "record/thread_buffer.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "record/buffer_reader.h"

namespace npuprof::record {
namespace {

// A buffer without registry, with room for `units` events.
class LooseBuffer {
 public:
  explicit LooseBuffer(std::uint64_t units)
      : ring_(units),
        scratch_(ThreadBuffer::kScratchBytes),
        buffer_(std::make_unique<ThreadBuffer>(ring_.data(), units, scratch_.data(), 0)) {
    choose_clock();
  }
  ThreadBuffer& operator*() { return *buffer_; }
  ThreadBuffer* operator->() { return buffer_.get(); }

  // Kinds of the events from the last consumed on.
  std::vector<EventKind> kinds() {
    std::vector<EventKind> found;
    std::uint64_t position = buffer_->consumed();
    while (position < buffer_->published()) {
      const Event& event = buffer_->at(position);
      found.push_back(event.kind());
      position +=
          event.kind() == EventKind::kSkip ? buffer_->units_to_wrap(position) : units_of(event);
    }
    return found;
  }

 private:
  std::vector<Event> ring_;
  std::vector<std::byte> scratch_;
  std::unique_ptr<ThreadBuffer> buffer_;
};

TEST(ThreadBuffer, ARangeIsOneEvent) {
  LooseBuffer buffer(1024);
  buffer->begin_range(7u);
  buffer->begin_range(8u);
  EXPECT_EQ(buffer->depth(), 2u);
  buffer->end();
  buffer->end();
  ASSERT_EQ(buffer->published(), 2u);
  EXPECT_EQ(buffer.kinds(), (std::vector{EventKind::kRange, EventKind::kRange}));
  const RangeEvent& inner = buffer->at(0).range;
  const RangeEvent& outer = buffer->at(1).range;
  EXPECT_EQ(inner.name.number(), 8u);
  EXPECT_EQ(outer.name.number(), 7u);
  EXPECT_LE(outer.begin_ticks, inner.begin_ticks);
  EXPECT_LE(inner.begin_ticks, inner.end_ticks);
  EXPECT_LE(inner.end_ticks, outer.end_ticks);
}

TEST(ThreadBuffer, EndWithoutBeginIsIgnored) {
  LooseBuffer buffer(1024);
  buffer->end();
  EXPECT_EQ(buffer->published(), 0u);
  EXPECT_EQ(buffer->dropped(), 0u);
}

TEST(ThreadBuffer, CountsWhatFindsNoRoom) {
  LooseBuffer buffer(1024);
  for (int i = 0; i < 1500; ++i) buffer->mark(1u);
  EXPECT_EQ(buffer->published(), 1024u);
  EXPECT_EQ(buffer->dropped(), 476u);
  buffer->consume(buffer->published());
  buffer->mark(1u);
  EXPECT_EQ(buffer->published(), 1025u);
  EXPECT_EQ(buffer->dropped(), 476u);
}

TEST(ThreadBuffer, CountsRangesThatAreTooDeepAndGoesOn) {
  LooseBuffer buffer(4096);
  const std::uint32_t depth = ThreadBuffer::kMaxDepth + 10;
  for (std::uint32_t i = 0; i < depth; ++i) buffer->begin_range(1u);
  for (std::uint32_t i = 0; i < depth; ++i) buffer->end();
  EXPECT_EQ(buffer->published(), ThreadBuffer::kMaxDepth);
  EXPECT_EQ(buffer->too_deep(), 10u);
  EXPECT_EQ(buffer->dropped(), 0u);
  EXPECT_EQ(buffer->depth(), 0u);
}

TEST(ThreadBuffer, CountsMarkersThatAreTooDeepAndKeepsPairs) {
  LooseBuffer buffer(4096);
  const std::uint32_t depth = ThreadBuffer::kMaxDepth + 10;
  for (std::uint32_t i = 0; i < depth; ++i) buffer->marker_push(0, "m");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(buffer->marker_pop(0), -1);
  EXPECT_EQ(buffer->marker_pop(0), static_cast<int>(ThreadBuffer::kMaxDepth) - 1);
  EXPECT_EQ(buffer->too_deep(), 10u);
  EXPECT_EQ(buffer->dropped(), 0u);
}

TEST(ThreadBuffer, ThePopOfADroppedMarkerEndsNoOther) {
  LooseBuffer buffer(1024);
  EXPECT_EQ(buffer->marker_push(0, "outer"), 0);
  while (buffer->dropped() == 0) buffer->mark(1u);
  EXPECT_EQ(buffer->marker_push(0, "dropped"), -1);
  buffer->consume(buffer->published());
  EXPECT_EQ(buffer->marker_pop(0), -1);
  EXPECT_TRUE(buffer.kinds().empty());
  EXPECT_EQ(buffer->marker_pop(0), 0);
  EXPECT_EQ(buffer.kinds(), (std::vector{EventKind::kMarkerEnd}));
  EXPECT_EQ(buffer->dropped(), 2u);
}

// As a signal handler finds it that interrupts its thread in the middle of an event.
TEST(ThreadBuffer, ABusyBufferRefusesAndCountsEachEventOnce) {
  LooseBuffer buffer(1024);
  buffer->begin_range(1u);
  buffer->refuse_all();
  buffer->begin_range("range");
  OpInputs inputs = buffer->inputs(true);
  inputs.none();
  EXPECT_TRUE(inputs.overflowed());
  buffer->attach_inputs(inputs);
  buffer->attach_text(OpRangeField::kStack, "stack");
  buffer->end();
  buffer->range(1u, 1, 2);
  buffer->mark("mark");
  buffer->counter(1u, 2);
  buffer->host_memory(nullptr, 1, 1, 1);
  buffer->detached_op({}, "op", {}, {});
  buffer->marker(0, "marker");
  EXPECT_EQ(buffer->marker_push(0, "marker"), -1);
  EXPECT_EQ(buffer->marker_pop(0), -1);
  EXPECT_FALSE(buffer->define_text(1, "text"));
  EXPECT_EQ(buffer->dropped(), 8u);
  EXPECT_EQ(buffer->dropped_details(), 0u);
  EXPECT_EQ(buffer->published(), 0u);
  EXPECT_EQ(buffer->depth(), 1u);
}

TEST(ThreadBuffer, WithoutMemoryEverythingIsCounted) {
  LooseBuffer buffer(0);
  buffer->begin_range(1u);
  buffer->end();
  buffer->begin_range("text");
  buffer->end();
  buffer->mark("text");
  EXPECT_EQ(buffer->marker_start(0, "message"), 0u);
  EXPECT_EQ(buffer->dropped(), 4u);
}

TEST(ThreadBuffer, PayloadsStayInOnePiece) {
  LooseBuffer buffer(1024);
  const std::string message(100, 'm');  // 4 units, so 5 with the event.
  for (int i = 0; i < 204; ++i) buffer->marker(0, message);
  EXPECT_EQ(buffer->published(), 1020u);
  EXPECT_EQ(buffer->dropped(), 0u);
  buffer->consume(1020);
  buffer->marker(0, message);  // Does not fit the 4 units up to the end.
  EXPECT_EQ(buffer->published(), 1029u);
  EXPECT_EQ(buffer.kinds(), (std::vector{EventKind::kSkip, EventKind::kMarker}));
  EXPECT_EQ(payload_of(buffer->at(1024).marker), message);
}

TEST(ThreadBuffer, RefusesPayloadsThatFillTheRing) {
  LooseBuffer buffer(1024);
  buffer->marker(0, std::string(32 * 300, 'm'));
  EXPECT_EQ(buffer->published(), 0u);
  EXPECT_EQ(buffer->dropped(), 1u);
}

TEST(ThreadBuffer, KnownNamesTravelOnce) {
  LooseBuffer buffer(1024);
  for (int i = 0; i < 4; ++i) {
    buffer->begin_range("forward");
    buffer->end();
  }
  // The first time the text is attached, the second time it gets a slot.
  EXPECT_EQ(buffer.kinds(), (std::vector{EventKind::kTextAttachment, EventKind::kAttachedOp,
                                         EventKind::kNameDefinition, EventKind::kRange,
                                         EventKind::kRange, EventKind::kRange}));
}

TEST(ThreadBuffer, ANameThatFindsNoRoomDropsItsRange) {
  LooseBuffer buffer(1024);
  for (int i = 0; i < 1023; ++i) buffer->mark(1u);
  buffer->begin_range("needs two units");
  buffer->consume(buffer->published());
  buffer->end();
  EXPECT_EQ(buffer->dropped(), 1u);
  EXPECT_TRUE(buffer.kinds().empty());
}

TEST(ThreadBuffer, DetailsThatFindNoRoomAreCountedApart) {
  LooseBuffer buffer(1024);
  buffer->begin_op("aten::mm", 5, 0, OpScope::kFunction);
  for (int i = 0; i < 1020; ++i) buffer->mark(1u);
  buffer->attach_text(OpRangeField::kStack, std::string(200, 's'));
  EXPECT_EQ(buffer->dropped_details(), 1u);
  EXPECT_EQ(buffer->dropped(), 0u);
}

TEST(ThreadBuffer, MarkerDepthsArePerDomain) {
  LooseBuffer buffer(1024);
  EXPECT_EQ(buffer->marker_pop(1), -1);
  EXPECT_EQ(buffer->marker_push(1, "a"), 0);
  EXPECT_EQ(buffer->marker_push(2, "b"), 0);
  EXPECT_EQ(buffer->marker_push(1, "c"), 1);
  EXPECT_EQ(buffer->marker_pop(2), 0);
  EXPECT_EQ(buffer->marker_pop(2), -1);
  EXPECT_EQ(buffer->marker_pop(1), 1);
  EXPECT_EQ(buffer->marker_pop(1), 0);
}

TEST(ThreadBuffer, ANewRecordingStartsEmpty) {
  LooseBuffer buffer(1024);
  buffer->begin_epoch(1, 100);
  buffer->begin_range(1u);
  EXPECT_EQ(buffer->marker_push(0, "a"), 0);
  buffer->begin_epoch(2, 100);
  buffer->end();
  EXPECT_EQ(buffer->marker_pop(0), -1);
  EXPECT_EQ(buffer.kinds(),
            (std::vector{EventKind::kThread, EventKind::kMarkerStart, EventKind::kThread}));
}

TEST(NameReference, WhatBelongsToAThreadIsOfOneRecording) {
  const auto registered = NameReference::registered(1'000'000);
  EXPECT_EQ(registered.place(), NameReference::Place::kRegistered);
  EXPECT_EQ(registered.number(), 1'000'000u);
  EXPECT_TRUE(registered.is_of(1) && registered.is_of(2));
  const auto slot = NameReference::in_slot(255, 7);
  EXPECT_EQ(slot.place(), NameReference::Place::kSlot);
  EXPECT_EQ(slot.number(), 255u);
  EXPECT_TRUE(slot.is_of(7));
  EXPECT_FALSE(slot.is_of(8));
  const auto depth = NameReference::at_depth(ThreadBuffer::kMaxDepth, 0xFFFFFFFF);
  EXPECT_EQ(depth.place(), NameReference::Place::kDepth);
  EXPECT_EQ(depth.number(), ThreadBuffer::kMaxDepth);
  EXPECT_TRUE(depth.is_of(0xFFFFFFFF));
  EXPECT_FALSE(depth.is_of(1));
}

// One thread writes, another one reads, through a ring that is much too small for all.
TEST(ThreadBuffer, ParallelReaderSeesEveryEventOnceInOrder) {
  LooseBuffer buffer(1024);
  constexpr std::int64_t kEvents = 200'000;
  std::thread producer([&] {
    for (std::int64_t i = 0; i < kEvents; ++i) {
      if (i % 3 == 0) {
        buffer->python_name(static_cast<std::uint64_t>(i),
                            std::string(static_cast<std::size_t>(i % 90), 'n'));
      } else {
        buffer->python(PythonTag::kCall, static_cast<std::uint64_t>(i));
      }
    }
  });
  std::int64_t seen = 0;
  std::int64_t last = -1;
  bool in_order = true;
  while (seen + static_cast<std::int64_t>(buffer->dropped()) < kEvents) {
    std::uint64_t position = buffer->consumed();
    const std::uint64_t end = buffer->published();
    while (position < end) {
      const Event& event = buffer->at(position);
      if (event.kind() == EventKind::kSkip) {
        position += buffer->units_to_wrap(position);
        continue;
      }
      const bool is_name = event.kind() == EventKind::kPythonName;
      const auto key =
          static_cast<std::int64_t>(is_name ? event.python_name.key : event.python_call.key);
      in_order = in_order && key > last;
      last = key;
      if (is_name) {
        in_order = in_order && payload_of(event.python_name) ==
                                   std::string(static_cast<std::size_t>(key % 90), 'n');
      }
      ++seen;
      position += units_of(event);
    }
    buffer->consume(position);
  }
  producer.join();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(seen + static_cast<std::int64_t>(buffer->dropped()), kEvents);
}

}  // namespace
}  // namespace npuprof::record
