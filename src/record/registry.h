#pragma once

// What all threads of the process share: whether something is recorded, the buffers of the threads,
// registered names and marker domains. There is one registry, and it is never destroyed, so that
// threads may record at any time.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "record/thread_buffer.h"

namespace npuprof::record {

// Number of the current recording, 0 if there is none. Only a Registry changes it.
extern std::atomic<std::uint32_t> recording_epoch;

// The buffer of this thread, null before its first event. One pointer, and of a model that
// libraries opened at run time can use without a function call.
extern constinit thread_local ThreadBuffer* thread_buffer
    __attribute__((tls_model("initial-exec")));

// Gives the calling thread a buffer and brings it up to date; null if nothing is recorded.
ThreadBuffer* prepare_thread_buffer() noexcept;

// The buffer to put events of the calling thread into; null if nothing is recorded. One that
// refuses everything, and counts it, if there is no memory for another, or if a signal handler asks
// while its thread is in the registry.
inline ThreadBuffer* active_buffer() noexcept {
  const std::uint32_t epoch = recording_epoch.load(std::memory_order_relaxed);
  if (epoch == 0) return nullptr;
  ThreadBuffer* const buffer = thread_buffer;
  if (buffer != nullptr && buffer->epoch() == epoch) [[likely]]
    return buffer;
  return prepare_thread_buffer();
}

// Makes pages ready, so that writing to them later does not enter the kernel. A hint only.
void populate_pages(void* pages, std::size_t bytes);

class Registry {
 public:
  static Registry& instance();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // ---- Recordings. Callers see to it that only one runs. ----

  struct Limits {
    std::uint64_t buffer_bytes = std::uint64_t{8} << 20;  // Of one thread.
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // Of all threads.
  };
  // Forgets what earlier recordings left in the buffers and begins a new one; returns its number.
  std::uint32_t begin_recording(const Limits& limits);
  void end_recording();

  // All buffers there are, newest first; more may be added at the front meanwhile.
  ThreadBuffer* buffers() const { return buffers_.load(std::memory_order_acquire); }

  // ---- Names and domains. A signal handler that asks while its thread is in here gets none. ----

  // 0, the empty name, if there is no room.
  std::uint32_t register_name(std::string_view text);
  // Empty for an id that was never given away.
  std::string_view name(std::uint32_t id) const;

  static constexpr std::uint32_t kDefaultDomain = 0;
  static constexpr std::uint32_t kMaxDomains = 4096;
  static constexpr std::uint32_t kNoDomain = 0xFFFFFFFF;
  // kNoDomain if the name is no good or there are too many.
  std::uint32_t register_domain(std::string_view name);
  std::string domain_name(std::uint32_t domain);
  // Which domains are recorded; domains registered later follow the same rule.
  struct DomainFilter {
    bool any = true;  // False: no markers at all.
    std::vector<std::string> include;
    std::vector<std::string> exclude;

    bool admits(std::string_view name) const;
  };
  void set_domain_filter(DomainFilter filter);
  bool is_domain_recorded(std::uint32_t domain) const {
    return domain < kMaxDomains && domain_recorded_[domain].load(std::memory_order_relaxed);
  }

 private:
  friend ThreadBuffer* prepare_thread_buffer() noexcept;

  Registry();
  ThreadBuffer* attach_thread(std::uint32_t epoch) noexcept;
  void find_memory(ThreadBuffer& buffer) noexcept;
  ThreadBuffer* reuse_buffer() noexcept;
  ThreadBuffer* make_buffer() noexcept;
  void fit_ring(ThreadBuffer& buffer) noexcept;
  void enter_child();

  void lock_all();
  void unlock_all();

  static void retire_thread(void* buffer);
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  // Of the buffers. Nothing is allocated while it is held, but for pages: a signal handler that has
  // interrupted its thread in the allocator may wait for it.
  std::mutex buffers_mutex_;
  Limits limits_;
  std::uint64_t ring_bytes_ = 0;
  std::uint32_t buffer_count_ = 0;
  std::uint32_t last_epoch_ = 0;
  ThreadBuffer refusing_;  // Of threads that get no other one; the last of the list.
  std::atomic<ThreadBuffer*> buffers_{&refusing_};
  std::atomic<std::uint32_t> exhausted_epoch_{0};  // In which memory ran out.

  std::mutex names_mutex_;  // Of all below but the atomics.

  // Names are looked up by the writer while threads add more, so they stay where they are: blocks
  // of texts, each twice as large as the one before.
  static constexpr std::uint32_t kFirstBlock = 1024;
  static constexpr std::size_t kBlocks = 12;  // 4 million names.
  std::array<std::atomic<std::string*>, kBlocks> name_blocks_{};
  std::atomic<std::uint32_t> name_count_{0};
  std::unordered_map<std::string_view, std::uint32_t> name_ids_;

  DomainFilter filter_;
  std::vector<std::string> domains_;
  std::array<std::atomic<bool>, kMaxDomains> domain_recorded_{};
};

// Whether mstx takes a text as message or as name of a domain: it is there and begins well.
bool is_marker_text(std::string_view text);

}  // namespace npuprof::record
