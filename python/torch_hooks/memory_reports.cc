#include "memory_reports.h"

#include <atomic>
#include <memory>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "thread_state.h"

namespace npuprof::torch_hooks {
namespace {

constexpr auto kSlot = c10::DebugInfoKind::PROFILER_STATE;

std::atomic<bool> active{false};
std::atomic<bool> slot_was_taken{false};

// The type of totals changed between versions of PyTorch.
template <typename Method>
struct TotalOf;
template <typename Class, typename Total>
struct TotalOf<void (Class::*)(void*, std::int64_t, Total, Total, c10::Device)> {
  using Type = Total;
};
using Total = TotalOf<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>::Type;

class Reporter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* address, std::int64_t size, Total allocated, Total reserved,
                         c10::Device device) override {
    // A device that is played here records its memory itself: it knows more about it.
    if (!active.load(std::memory_order_relaxed) || !device.is_cpu()) return;
    if (this_thread().device_work > 0) return;
    if (record::ThreadBuffer* const buffer = this_thread_buffer()) {
      buffer->host_memory(address, size, static_cast<std::int64_t>(allocated),
                          static_cast<std::int64_t>(reserved));
    }
  }
  bool memoryProfilingEnabled() const override { return active.load(std::memory_order_relaxed); }
};

// Never destroyed: threads may hold on to it for as long as they like.
const std::shared_ptr<Reporter>& reporter() {
  static auto& object = *new std::shared_ptr<Reporter>(std::make_shared<Reporter>());
  return object;
}

}  // namespace

void start_memory_reports() {
  slot_was_taken = false;
  active = true;
  take_memory_slot();
}

void stop_memory_reports() {
  active = false;
  leave_memory_slot();
}

bool memory_is_recorded() { return active.load(std::memory_order_relaxed); }

void take_memory_slot() {
  const c10::DebugInfoBase* const holder = c10::ThreadLocalDebugInfo::get(kSlot);
  if (holder == reporter().get()) [[likely]]
    return;
  if (holder != nullptr) {
    slot_was_taken.store(true, std::memory_order_relaxed);
    return;
  }
  c10::ThreadLocalDebugInfo::_push(kSlot, reporter());
}

// Only what was put there last can be taken away; then ours stays, and keeps silent.
void leave_memory_slot() {
  if (c10::ThreadLocalDebugInfo::get(kSlot) != reporter().get()) return;
  try {
    c10::ThreadLocalDebugInfo::_pop(kSlot);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
  }
}

bool memory_slot_was_taken() { return slot_was_taken.exchange(false); }

}  // namespace npuprof::torch_hooks
