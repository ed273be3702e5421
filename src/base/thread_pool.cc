#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

namespace npuprof {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Carries an Error through parallel_for.
struct Failure {
  Error error;
};

unsigned g_shared_workers = 0;

}  // namespace

// One parallel_for under way. Workers that help share it: one that starts late finds no index
// left and touches nothing of the caller, who may be gone by then.
class ThreadPool::Loop {
 public:
  Loop(std::size_t count, const std::function<void(std::size_t)>& body)
      : count_(count), body_(body) {}

  // Takes indices until none is left.
  void run() {
    for (;;) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= count_) return;
      call(index);
      if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
        const std::lock_guard lock(mutex_);
        all_finished_.notify_one();
      }
    }
  }

  // Waits for the indices taken by other threads and throws what went wrong, if anything did.
  void wait() {
    std::exception_ptr error;
    {
      std::unique_lock lock(mutex_);
      all_finished_.wait(lock,
                         [this] { return finished_.load(std::memory_order_acquire) == count_; });
      error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  void call(std::size_t index) {
    // Indices are handed out in order, and only ones above a failed one are skipped: the lowest
    // failing index is always called.
    if (index > first_failed_.load(std::memory_order_relaxed)) return;
    try {
      body_(index);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (index < first_failed_.load(std::memory_order_relaxed)) {
        first_failed_.store(index, std::memory_order_relaxed);
        error_ = std::current_exception();
      }
    }
  }

  const std::size_t count_;
  const std::function<void(std::size_t)>& body_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> finished_{0};
  std::atomic<std::size_t> first_failed_{kNone};
  std::mutex mutex_;
  std::condition_variable all_finished_;
  std::exception_ptr error_;
};

ThreadPool::ThreadPool(unsigned workers) {
  const unsigned wanted = workers > 0 ? workers : std::max(1u, std::thread::hardware_concurrency());
  workers_.reserve(wanted);
  try {
    for (unsigned i = 0; i < wanted; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system allows no more threads: those that exist (even none) do the work.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::work() {
  for (;;) {
    std::shared_ptr<Loop> loop;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !offers_.empty(); });
      if (offers_.empty()) return;
      loop = std::move(offers_.front());
      offers_.pop_front();
    }
    loop->run();
  }
}

void ThreadPool::parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count == 0) return;
  const auto loop = std::make_shared<Loop>(count, body);
  // The caller works too, so one worker fewer keeps the number of busy threads right.
  const std::size_t threads = std::min(count, std::max<std::size_t>(1, workers_.size()));
  try {
    for (std::size_t i = 1; i < threads; ++i) {
      {
        const std::lock_guard lock(mutex_);
        offers_.push_back(loop);
      }
      wake_.notify_one();
    }
  } catch (const std::bad_alloc&) {
    // Fewer helpers. Leaving here would take `body` from those already offered.
  }
  loop->run();
  if (threads > 1) {
    // Offers that no worker took: while all are busy with loops of their own, thousands of them
    // would pile up.
    const std::lock_guard lock(mutex_);
    std::erase(offers_, loop);
  }
  loop->wait();
}

void ThreadPool::parallel_for_ranges(std::size_t count, std::size_t range_size,
                                     const std::function<void(IndexRange)>& body) {
  const std::size_t size = std::max<std::size_t>(1, range_size);
  const std::size_t ranges = count / size + (count % size != 0 ? 1 : 0);
  parallel_for(ranges, [&](std::size_t number) {
    const std::size_t begin = number * size;
    body({begin, begin + std::min(size, count - begin), number});
  });
}

Status ThreadPool::try_parallel_for(std::size_t count,
                                    const std::function<Status(std::size_t)>& body) {
  try {
    parallel_for(count, [&body](std::size_t index) {
      Status status = body(index);
      if (!status.ok()) throw Failure{std::move(status.error())};
    });
  } catch (Failure& failure) {
    return std::move(failure.error);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kInternal, "out of memory"};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kInternal, std::string("unexpected failure: ") + exception.what()};
  } catch (...) {
    return Error{ErrorCode::kInternal, "unexpected failure"};
  }
  return ok_status();
}

ThreadPool& shared_thread_pool() {
  static auto* const pool = new ThreadPool(g_shared_workers);
  return *pool;
}

void set_shared_worker_count(unsigned workers) { g_shared_workers = workers; }

}  // namespace npuprof
