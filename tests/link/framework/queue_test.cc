#include "link/framework/queue.h"

#include <gmock/gmock.h>

#include "link/framework_trace.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using ::testing::IsEmpty;
using trace::kNone;

TEST(Queue, PairsStartsAndEnds) {
  FrameworkTrace trace;
  trace.add_enqueue(5, 1, 100, 110);
  trace.add_dequeue(5, 2, 120, 150);
  link_queue(*trace);
  EXPECT_THAT(trace->enqueues().start_ns, ElementsAre(100));
  EXPECT_THAT(trace->enqueues().end_ns, ElementsAre(110));
  EXPECT_THAT(trace->enqueues().correlation, ElementsAre(5));
  EXPECT_THAT(trace->enqueues().tid, ElementsAre(1));
  EXPECT_THAT(trace->enqueues().partner, ElementsAre(0));
  EXPECT_THAT(trace->dequeues().start_ns, ElementsAre(120));
  EXPECT_THAT(trace->dequeues().end_ns, ElementsAre(150));
  EXPECT_THAT(trace->dequeues().tid, ElementsAre(2));
  EXPECT_THAT(trace->dequeues().partner, ElementsAre(0));
}

TEST(Queue, ThreadsDoNotDisturbEachOther) {
  FrameworkTrace trace;
  // Two threads enqueue operators of the same name at the same time, two others dequeue them in
  // the other order.
  trace.add_mark(0, 100, 0, 1);
  trace.add_mark(0, 101, 0, 2);
  trace.add_mark(1, 110, 6, 1);
  trace.add_mark(1, 111, 7, 2);
  trace.add_mark(2, 120, 7, 4);
  trace.add_mark(2, 121, 6, 3);
  trace.add_mark(3, 140, 6, 3);
  trace.add_mark(3, 150, 7, 4);
  link_queue(*trace);
  EXPECT_THAT(trace->enqueues().correlation, ElementsAre(6, 7));
  EXPECT_THAT(trace->enqueues().start_ns, ElementsAre(100, 101));
  EXPECT_THAT(trace->enqueues().partner, ElementsAre(0, 1));
  EXPECT_THAT(trace->dequeues().correlation, ElementsAre(6, 7));
  EXPECT_THAT(trace->dequeues().start_ns, ElementsAre(121, 120));
  EXPECT_THAT(trace->dequeues().tid, ElementsAre(3, 4));
}

TEST(Queue, ListsRangesInOrderOfTheirEndWhateverTheFileOrder) {
  FrameworkTrace trace;
  trace.add_mark(3, 400, 2, 2);
  trace.add_mark(2, 300, 2, 2);
  trace.add_mark(3, 200, 1, 2);
  trace.add_mark(2, 100, 1, 2);
  link_queue(*trace);
  EXPECT_THAT(trace->dequeues().start_ns, ElementsAre(100, 300));
  EXPECT_THAT(trace->dequeues().end_ns, ElementsAre(200, 400));
}

TEST(Queue, AnEndTakesTheLastStartOfItsName) {
  FrameworkTrace trace;
  trace.add_mark(0, 100, 0, 1, "a");  // Its end is lost.
  trace.add_mark(0, 200, 0, 1, "a");
  trace.add_mark(0, 205, 0, 1, "b");
  trace.add_mark(1, 210, 3, 1, "a");
  trace.add_mark(1, 215, 4, 1, "b");
  trace.add_mark(1, 300, 5, 1, "a");  // Its start is lost.
  link_queue(*trace);
  EXPECT_THAT(trace->enqueues().start_ns, ElementsAre(200, 205));
  EXPECT_THAT(trace->enqueues().end_ns, ElementsAre(210, 215));
}

TEST(Queue, ADequeueEndNeedsTheStartOfTheSameTask) {
  FrameworkTrace trace;
  trace.add_mark(2, 100, 1, 2);  // End of 1 and start of 2 are lost.
  trace.add_mark(3, 200, 2, 2);
  trace.add_dequeue(3, 2, 300, 310);
  link_queue(*trace);
  EXPECT_THAT(trace->dequeues().correlation, ElementsAre(3));
}

TEST(Queue, AnEndWithoutPartnerHasNone) {
  FrameworkTrace trace;
  trace.add_enqueue(1, 1, 100, 110);
  trace.add_dequeue(2, 2, 120, 150);
  link_queue(*trace);
  EXPECT_THAT(trace->enqueues().partner, ElementsAre(kNone));
  EXPECT_THAT(trace->dequeues().partner, ElementsAre(kNone));
}

TEST(Queue, WithoutMarksThereIsNothing) {
  FrameworkTrace trace;
  link_queue(*trace);
  EXPECT_THAT(trace->enqueues().start_ns, IsEmpty());
  EXPECT_THAT(trace->dequeues().start_ns, IsEmpty());
}

}  // namespace
}  // namespace npuprof::link
