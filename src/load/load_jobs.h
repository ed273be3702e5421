#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/string_pool.h"
#include "base/thread_pool.h"
#include "trace/losses.h"

namespace npuprof::load {

// Files are read side by side, and what was read is put together in a fixed order: the result does
// not depend on the number of threads.
struct LoadJob {
  // On any thread, beside the other jobs. Texts go into a pool of its own.
  std::function<void(StringPool& strings, trace::Losses& losses)> read;
  // When all jobs have been read, on any thread: ids[to_index(id)] is what an id of that pool is in
  // the pool of the trace. Nothing for jobs without texts.
  std::function<void(std::span<const StringId> ids)> translate;
  // Last, one job after the other.
  std::function<void(trace::Losses& losses)> finish;
};

class LoadJobs {
 public:
  // The longest are best added first, so that they do not start when all others are done.
  void add(LoadJob job) { jobs_.push_back(std::move(job)); }

  // String ids and losses are in the order of the jobs. Without a pool everything runs on the
  // calling thread.
  void run(StringPool& strings, trace::Losses& losses, ThreadPool* pool) &&;

 private:
  std::vector<LoadJob> jobs_;
};

}  // namespace npuprof::load
