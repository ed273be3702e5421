#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"

namespace npuprof {

// The part [begin, end) of an index space; `number` counts the parts from 0.
struct IndexRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t number = 0;
};

// A fixed set of worker threads. How work is divided never depends on their number: one call per
// index or per range, so results stored by index are the same for any number of threads.
class ThreadPool {
 public:
  // 0 workers means one for each hardware thread.
  explicit ThreadPool(unsigned workers = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  std::size_t worker_count() const { return workers_.size(); }

  // Calls body(i) for each i below `count`, in any order and at once on several threads, the
  // calling one included: that may be a worker, so loops nest without deadlock. If bodies throw,
  // the exception of the lowest index is thrown here, and bodies of higher indices may not have
  // run.
  void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

  // The same for ranges of `range_size` indices (the last may be shorter), for bodies too small to
  // be called one by one.
  void parallel_for_ranges(std::size_t count, std::size_t range_size,
                           const std::function<void(IndexRange)>& body);

  // The same for bodies that can fail: gives the error of the lowest index. Does not throw, an
  // exception of a body becomes an error as well.
  Status try_parallel_for(std::size_t count, const std::function<Status(std::size_t)>& body);

 private:
  class Loop;
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Loop>> offers_;  // One for each worker that may help.
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

// The pool for everything in this process. It is never destroyed, so it can be used at any time
// and a forked child can exit without waiting for threads it does not have.
ThreadPool& shared_thread_pool();

// Sets the number of workers of the shared pool; no effect after its first use.
void set_shared_worker_count(unsigned workers);

}  // namespace npuprof
