#include "serve/collective_alignment.h"

#include <list>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::serve {
namespace {

// Ranks whose clocks are ahead of that of the first by a known time.
class Job {
 public:
  explicit Job(std::vector<std::int64_t> ahead_ns) : ahead_ns_(std::move(ahead_ns)) {
    for (std::size_t i = 0; i < ahead_ns_.size(); ++i) {
      traces_.emplace_back().devices.push_back({.id = static_cast<std::uint16_t>(i)});
    }
  }

  void collective(std::size_t rank, std::string_view group, std::int64_t start_ns,
                  std::int64_t end_ns) {
    add(rank, "hcom_allReduce_", group, start_ns, end_ns);
  }
  // Within the group ranks have the numbers that they have in the job.
  void send(std::size_t from, std::size_t to, std::int64_t start_ns, std::int64_t end_ns) {
    part(from, add(from, "hcom_send_", "pp", start_ns, end_ns), to, start_ns, end_ns, 64);
  }
  void receive(std::size_t to, std::size_t from, std::int64_t start_ns, std::int64_t end_ns) {
    part(to, add(to, "hcom_receive_", "pp", start_ns, end_ns), from, start_ns, end_ns, 0);
  }
  // A message as both sides see it.
  void message(std::size_t from, std::size_t to, std::int64_t start_ns, std::int64_t end_ns) {
    send(from, to, start_ns, end_ns);
    receive(to, from, start_ns - 50, end_ns);
  }

  CollectiveAlignment align() const {
    std::vector<const trace::Trace*> traces;
    for (const trace::Trace& trace : traces_) traces.push_back(&trace);
    return align_collectives(traces);
  }

 private:
  trace::Trace& trace(std::size_t rank) {
    return *std::next(traces_.begin(), static_cast<long>(rank));
  }

  std::uint32_t add(std::size_t rank, std::string_view type, std::string_view group,
                    std::int64_t start_ns, std::int64_t end_ns) {
    auto& ops = trace(rank).collective_ops();
    resize_rows(ops, ops.size() + 1);
    ops.type.back() = trace(rank).strings.intern(type);
    ops.group.back() = trace(rank).strings.intern(group);
    ops.start_ns.back() = start_ns + ahead_ns_[rank];
    ops.end_ns.back() = end_ns + ahead_ns_[rank];
    ops.rank_size.back() = static_cast<std::uint32_t>(ahead_ns_.size());
    return static_cast<std::uint32_t>(ops.size() - 1);
  }
  void part(std::size_t rank, std::uint32_t op, std::size_t peer, std::int64_t start_ns,
            std::int64_t end_ns, std::uint64_t bytes) {
    auto& parts = trace(rank).collective_tasks();
    resize_rows(parts, parts.size() + 1);
    parts.op.back() = op;
    parts.name.back() = trace(rank).strings.intern(bytes > 0 ? "Memcpy" : "Notify_Wait");
    parts.source_rank.back() = static_cast<std::uint32_t>(rank);
    parts.destination_rank.back() = static_cast<std::uint32_t>(peer);
    parts.start_ns.back() = start_ns + ahead_ns_[rank];
    parts.end_ns.back() = end_ns + ahead_ns_[rank];
    parts.size_bytes.back() = bytes;
  }

  std::vector<std::int64_t> ahead_ns_;
  std::list<trace::Trace> traces_;
};

TEST(CollectiveAlignment, ComparesClocksByWhatEndsTogether) {
  Job job({0, 5000});
  for (const std::int64_t time : {100, 900, 2000}) {
    job.collective(0, "dp", time, time + 100);
    job.collective(1, "dp", time + 60, time + 100);
  }
  const CollectiveAlignment aligned = job.align();
  EXPECT_EQ(aligned.clocks[1].offset_ns, -5000);
  EXPECT_EQ(aligned.clocks[1].collectives, 3U);
  EXPECT_EQ(aligned.collectives.size(), 3U);
}

// The middle stage takes part in twice as many transfers as the others: numbers alone say nothing.
TEST(CollectiveAlignment, MatchesSendsWithTheirReceives) {
  Job job({0, 3000, -7000});
  for (const std::int64_t time : {100, 1000, 2100}) {
    job.message(0, 1, time, time + 20);
    job.message(1, 2, time + 300, time + 320);
  }
  for (const std::int64_t time : {3000, 4100, 5000}) {
    job.message(2, 1, time, time + 20);
    job.message(1, 0, time + 300, time + 320);
  }
  const CollectiveAlignment aligned = job.align();
  EXPECT_EQ(aligned.clocks[1].offset_ns, -3000);
  EXPECT_EQ(aligned.clocks[2].offset_ns, 7000);
  EXPECT_EQ(aligned.clocks[2].error_ns, 0);
  ASSERT_EQ(aligned.collectives.size(), 12U);
  for (const AlignedCollective& one : aligned.collectives) {
    ASSERT_EQ(one.ranks.size(), 2U) << one.group;
    EXPECT_EQ(arrivals_of(one, aligned.clocks).spread_ns, 50) << one.group;
  }
  EXPECT_EQ(aligned.collectives.front().group, "pp, 0 to 1");
}

TEST(CollectiveAlignment, GoesByWayOfOtherRanks) {
  Job job({0, 40, 700});
  for (const std::int64_t time : {100, 900, 2000}) {
    job.collective(0, "a", time, time + 100);
    job.collective(1, "a", time, time + 100);
    job.collective(1, "b", time + 200, time + 300);
    job.collective(2, "b", time + 200, time + 300);
  }
  EXPECT_EQ(job.align().clocks[2].offset_ns, -700);
  EXPECT_EQ(Job({0, 9}).align().clocks[1].offset_ns, std::nullopt);
}

TEST(CollectiveAlignment, LeavesTransfersAloneThatDoNotTellTheirRanks) {
  Job job({0, 0, 0});
  for (std::size_t rank = 0; rank < 2; ++rank) {
    job.send(rank, rank, 100, 200);  // With itself: of no use.
  }
  const CollectiveAlignment aligned = job.align();
  EXPECT_EQ(aligned.collectives.size(), 2U);
  EXPECT_EQ(aligned.clocks[1].offset_ns, std::nullopt);
}

}  // namespace
}  // namespace npuprof::serve
