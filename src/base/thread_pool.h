#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
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
  ~ThreadPool();  // Finishes all submitted work first.

  std::size_t worker_count() const { return workers_.size(); }

  // Runs `task` on a worker; the future has its result or exception. A task must not wait for the
  // future of another one, as all workers could come to wait: inside tasks use parallel_for.
  template <typename Task>
  auto submit(Task task) -> std::future<std::invoke_result_t<Task&>> {
    using Value = std::invoke_result_t<Task&>;
    auto packaged = std::make_shared<std::packaged_task<Value()>>(std::move(task));
    auto future = packaged->get_future();
    if (workers_.empty()) {
      (*packaged)();
    } else {
      enqueue([packaged] { (*packaged)(); });
    }
    return future;
  }

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
  void enqueue(std::function<void()> task);
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

// The pool for everything in this process. It is never destroyed, so it can be used at any time
// and a forked child can exit without waiting for threads it does not have.
ThreadPool& shared_thread_pool();

// Sets the number of workers of the shared pool; no effect after its first use.
void set_shared_worker_count(unsigned workers);

}  // namespace npuprof
