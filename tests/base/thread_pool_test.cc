#include "base/thread_pool.h"

#include <atomic>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(ThreadPool, HasAtLeastOneWorkerByDefault) {
  EXPECT_EQ(ThreadPool(2).worker_count(), 2u);
  EXPECT_GE(ThreadPool().worker_count(), 1u);
  EXPECT_EQ(&shared_thread_pool(), &shared_thread_pool());
}

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const unsigned workers : {1u, 2u, 8u}) {
    ThreadPool pool(workers);
    for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<int> calls(count, 0);  // Unsynchronised on purpose: an index has one thread.
      pool.parallel_for(count, [&](std::size_t i) { ++calls[i]; });
      EXPECT_EQ(std::accumulate(calls.begin(), calls.end(), 0), static_cast<int>(count));
      EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), static_cast<std::ptrdiff_t>(count));
    }
  }
}

TEST(ParallelFor, NestsWithoutDeadlock) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  pool.parallel_for(8, [&](std::size_t) {
    pool.parallel_for(8, [&](std::size_t) { pool.parallel_for(4, [&](std::size_t) { ++calls; }); });
  });
  EXPECT_EQ(calls, 8 * 8 * 4);
}

TEST(ParallelFor, RunsLoopsOfSeveralThreadsAtOnce) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) pool.parallel_for(10, [&](std::size_t) { ++calls; });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 50 * 10);
}

TEST(ParallelFor, ThrowsTheExceptionOfTheLowestIndex) {
  ThreadPool pool(4);
  for (int round = 0; round < 50; ++round) {
    try {
      pool.parallel_for(200, [](std::size_t i) {
        if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
  }
  // The pool is still fit for work.
  std::atomic<int> calls = 0;
  pool.parallel_for(10, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

TEST(ParallelForRanges, DividesByRangeSizeAlone) {
  for (const unsigned workers : {1u, 3u}) {
    ThreadPool pool(workers);
    std::vector<IndexRange> ranges(4);
    pool.parallel_for_ranges(10, 3, [&](IndexRange range) { ranges[range.number] = range; });
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(ranges[i].begin, i * 3);
      EXPECT_EQ(ranges[i].end, std::min<std::size_t>(i * 3 + 3, 10));
    }
    int calls = 0;
    pool.parallel_for_ranges(0, 3, [&](IndexRange) { ++calls; });
    EXPECT_EQ(calls, 0);
    pool.parallel_for_ranges(2, 5, [&](IndexRange range) { calls += static_cast<int>(range.end); });
    EXPECT_EQ(calls, 2);
  }
}

TEST(TryParallelFor, GivesTheErrorOfTheLowestIndex) {
  ThreadPool pool(4);
  EXPECT_TRUE(pool.try_parallel_for(5, [](std::size_t) { return ok_status(); }).ok());
  const auto status = pool.try_parallel_for(100, [](std::size_t i) -> Status {
    if (i >= 5) return Error{ErrorCode::kCorrupt, "index " + std::to_string(i)};
    return ok_status();
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(status.error().message, "index 5");
}

TEST(TryParallelFor, TurnsExceptionsIntoErrors) {
  ThreadPool pool(2);
  const auto thrown = pool.try_parallel_for(
      3, [](std::size_t) -> Status { throw std::runtime_error("a surprise"); });
  ASSERT_FALSE(thrown.ok());
  EXPECT_EQ(thrown.error().code, ErrorCode::kInternal);
  EXPECT_NE(thrown.error().message.find("a surprise"), std::string::npos);
  const auto memory =
      pool.try_parallel_for(3, [](std::size_t) -> Status { throw std::bad_alloc(); });
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().message, "out of memory");
  const auto odd = pool.try_parallel_for(3, [](std::size_t) -> Status { throw 5; });
  EXPECT_FALSE(odd.ok());
}

}  // namespace
}  // namespace npuprof
