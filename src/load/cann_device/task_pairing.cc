#include "load/cann_device/task_pairing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trace/task_id.h"

namespace npuprof::load {
namespace {

constexpr std::size_t kStreams = 0x10000;

}  // namespace

// The batch is not known yet; the thread of a context has its place. Task ids of 32 bits (chips 15,
// 16) come without threads.
std::uint64_t TaskPairing::key_of(const TaskEvent& event) {
  return trace::TaskId{event.stream, event.thread, event.task, event.context}.key();
}

void TaskPairing::append(const TaskEvent& event) {
  tasks_.start_ns.push_back(clock_.from_syscnt(event.syscnt));
  tasks_.end_ns.push_back(0);
  tasks_.device.push_back(device_);
  tasks_.stream.push_back(event.stream);
  tasks_.task.push_back(event.task);
  tasks_.batch.push_back(0);
  tasks_.context.push_back(event.context);
  tasks_.type.push_back(event.type);
  tasks_.thread.push_back(event.thread);
}

void TaskPairing::add(const TaskEvent& event) {
  if (last_start_.empty()) last_start_.assign(kStreams, trace::kNone);
  if (!event.is_end) {
    const auto row = static_cast<std::uint32_t>(tasks_.size());
    append(event);
    last_start_[event.stream] = row;
    const auto [start, is_new] = pending_.try_emplace(key_of(event), row);
    if (!is_new) {
      dropped_.push_back(std::exchange(start->second, row));
      ++lost_partners_;
    }
    return;
  }
  if (const auto start = pending_.find(key_of(event)); start != pending_.end()) {
    tasks_.end_ns[start->second] = clock_.from_syscnt(event.syscnt);
    pending_.erase(start);
  } else if (last_start_[event.stream] != trace::kNone) {
    ++lost_partners_;
  }
}

void TaskPairing::finish() {
  for (const auto& [key, row] : pending_) {
    dropped_.push_back(row);
    // The last task of a stream may well have outlived the collection. Without streams there is no
    // telling which was the last.
    const std::uint16_t stream = tasks_.stream[row];
    if (stream != trace::kUnknownStream && last_start_[stream] != row) ++lost_partners_;
  }
  if (dropped_.empty()) return;
  std::sort(dropped_.begin(), dropped_.end());
  std::vector<std::uint32_t> kept(tasks_.size());
  std::iota(kept.begin(), kept.end(), 0u);
  auto next_dropped = dropped_.begin();
  std::erase_if(kept, [&](std::uint32_t row) {
    if (next_dropped == dropped_.end() || *next_dropped != row) return false;
    ++next_dropped;
    return true;
  });
  trace::reorder_rows(tasks_, kept);
  dropped_.clear();
}

}  // namespace npuprof::load
