#include "record/registry.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace npuprof::record {

std::atomic<std::uint32_t> recording_epoch{0};
constinit thread_local ThreadBuffer* thread_buffer = nullptr;

namespace {

// Calls retire_thread() at the end of threads that have a buffer.
pthread_key_t thread_end_key;

// Whether this thread is in the registry, and may hold a mutex of it.
constinit thread_local std::atomic<bool> is_in_registry
    __attribute__((tls_model("initial-exec"))){false};

// A stay in the registry. It is false in a signal handler that has interrupted one: to wait for a
// mutex there would be to wait for ever. What the handler interrupted keeps its errno.
class RegistryStay {
 public:
  RegistryStay() : is_first_(!is_in_registry.load(std::memory_order_relaxed)) {
    is_in_registry.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  RegistryStay(const RegistryStay&) = delete;
  RegistryStay& operator=(const RegistryStay&) = delete;
  ~RegistryStay() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (is_first_) is_in_registry.store(false, std::memory_order_relaxed);
    errno = errno_before_;
  }
  explicit operator bool() const { return is_first_; }

 private:
  bool is_first_;
  int errno_before_ = errno;
};

std::uint32_t current_thread_id() { return static_cast<std::uint32_t>(::syscall(SYS_gettid)); }

// Zeroed pages that take no memory until they are used; null if there are none.
void* map_pages(std::size_t bytes) {
  void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// Memory of a fresh ring that is made ready at once.
constexpr std::uint64_t kPopulatedBytes = 256 * 1024;

std::uint64_t ring_units(std::uint64_t bytes) {
  constexpr std::uint64_t kFewest = 1024;
  return std::bit_floor(std::max(bytes / kEventBytes, kFewest));
}

}  // namespace

void populate_pages(void* pages, std::size_t bytes) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE; older headers do not have it.
  (void)::madvise(pages, bytes, kPopulateWrite);
}

// Leaked on purpose: threads may record while the process exits.
Registry& Registry::instance() {
  static Registry& registry = *new Registry();
  return registry;
}

// Made when the library is loaded: a program that forks while one of its threads makes it would
// have a child that waits for that thread for ever.
[[maybe_unused]] static const Registry& registry_made_early = Registry::instance();

Registry::Registry() : refusing_(nullptr, 0, nullptr, buffer_count_++) {
  refusing_.refuse_all();
  choose_clock();
  domains_.emplace_back("default");
  register_name("");
  ::pthread_key_create(&thread_end_key, retire_thread);
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

std::uint32_t Registry::begin_recording(const Limits& limits) {
  const RegistryStay stay;
  const std::lock_guard lock(buffers_mutex_);
  limits_ = limits;
  for (ThreadBuffer* buffer = buffers(); buffer != nullptr; buffer = buffer->next) {
    buffer->consume(buffer->published());
  }
  if (++last_epoch_ == 0) ++last_epoch_;
  recording_epoch.store(last_epoch_, std::memory_order_release);
  return last_epoch_;
}

void Registry::end_recording() { recording_epoch.store(0, std::memory_order_release); }

ThreadBuffer* prepare_thread_buffer() noexcept {
  const std::uint32_t epoch = recording_epoch.load(std::memory_order_acquire);
  if (epoch == 0) return nullptr;
  Registry& registry = Registry::instance();
  const RegistryStay stay;
  if (!stay) return &registry.refusing_;
  ThreadBuffer* buffer = thread_buffer;
  if (buffer == nullptr) {
    buffer = registry.attach_thread(epoch);
    if (buffer == nullptr) return &registry.refusing_;
    thread_buffer = buffer;
  } else if (buffer->epoch() == epoch) {
    return buffer;  // A signal handler was faster.
  } else if (buffer->capacity() == 0 && !buffer->is_busy()) {
    registry.find_memory(*buffer);
  }
  buffer->begin_epoch(epoch, current_thread_id());
  return buffer;
}

ThreadBuffer* Registry::attach_thread(std::uint32_t epoch) noexcept {
  if (exhausted_epoch_.load(std::memory_order_relaxed) == epoch) return nullptr;
  ThreadBuffer* buffer = nullptr;
  {
    const std::lock_guard lock(buffers_mutex_);
    buffer = reuse_buffer();
    if (buffer == nullptr) buffer = make_buffer();
  }
  if (buffer == nullptr) {
    exhausted_epoch_.store(epoch, std::memory_order_relaxed);
    return nullptr;
  }
  // Allocates nothing for the first keys of a process, which a library loaded early gets.
  ::pthread_setspecific(thread_end_key, buffer);
  return buffer;
}

// Of a thread that has ended; with the mutex held. What it left may still be unread: the new
// thread's events simply follow. So there are never more buffers than threads at a time, but for
// full ones.
ThreadBuffer* Registry::reuse_buffer() noexcept {
  for (ThreadBuffer* buffer = buffers(); buffer != nullptr; buffer = buffer->next) {
    if (buffer->state.load(std::memory_order_acquire) != ThreadBuffer::State::kFree) continue;
    const std::uint64_t unread = buffer->published() - buffer->consumed();
    if (unread > buffer->capacity() / 2) continue;
    if (unread == 0) fit_ring(*buffer);
    buffer->take_over();
    return buffer;
  }
  return nullptr;
}

void Registry::find_memory(ThreadBuffer& buffer) noexcept {
  const std::lock_guard lock(buffers_mutex_);
  fit_ring(buffer);
}

// Gives an empty buffer a ring of the wanted size. Without memory for it the thread's events are
// dropped, and counted. With the mutex held.
void Registry::fit_ring(ThreadBuffer& buffer) noexcept {
  const std::uint64_t units = ring_units(limits_.buffer_bytes);
  if (buffer.capacity() == units) return;
  const std::uint64_t old_bytes = buffer.capacity() * kEventBytes;
  if (old_bytes > 0) ::munmap(const_cast<Event*>(buffer.ring()), old_bytes);
  ring_bytes_ -= old_bytes;
  buffer.set_ring(nullptr, 0);
  if (ring_bytes_ + units * kEventBytes > limits_.memory_bytes) return;
  void* const pages = map_pages(units * kEventBytes);
  if (pages == nullptr) return;
  populate_pages(pages, std::min(units * kEventBytes, kPopulatedBytes));
  ring_bytes_ += units * kEventBytes;
  buffer.set_ring(static_cast<Event*>(pages), units);
}

// With the mutex held.
ThreadBuffer* Registry::make_buffer() noexcept {
  static_assert(alignof(ThreadBuffer) <= 4096 && alignof(Event) <= 4096);
  void* const memory = map_pages(sizeof(ThreadBuffer) + ThreadBuffer::kScratchBytes);
  if (memory == nullptr) return nullptr;
  auto* const scratch = static_cast<std::byte*>(memory) + sizeof(ThreadBuffer);
  auto* const buffer = new (memory) ThreadBuffer(nullptr, 0, scratch, buffer_count_++);
  fit_ring(*buffer);
  buffer->next = buffers_.load(std::memory_order_relaxed);
  buffers_.store(buffer, std::memory_order_release);
  return buffer;
}

void Registry::retire_thread(void* buffer) {
  thread_buffer = nullptr;  // Later destructors of this thread may record, with a buffer anew.
  static_cast<ThreadBuffer*>(buffer)->state.store(ThreadBuffer::State::kFree,
                                                  std::memory_order_release);
}

void Registry::lock_all() {
  is_in_registry.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  names_mutex_.lock();
  buffers_mutex_.lock();
}

void Registry::unlock_all() {
  buffers_mutex_.unlock();
  names_mutex_.unlock();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  is_in_registry.store(false, std::memory_order_relaxed);
}

void Registry::before_fork() { instance().lock_all(); }
void Registry::after_fork_in_parent() { instance().unlock_all(); }
void Registry::after_fork_in_child() {
  instance().enter_child();
  instance().unlock_all();
}

// The other threads, the writer among them, do not exist here.
void Registry::enter_child() {
  recording_epoch.store(0, std::memory_order_relaxed);
  for (ThreadBuffer* buffer = buffers(); buffer != nullptr; buffer = buffer->next) {
    buffer->consume(buffer->published());
    const bool is_owned = buffer == thread_buffer || buffer == &refusing_;
    buffer->state.store(is_owned ? ThreadBuffer::State::kOwned : ThreadBuffer::State::kFree,
                        std::memory_order_relaxed);
  }
}

namespace {

struct NamePosition {
  std::size_t block;
  std::uint32_t offset;
};

// Blocks have first, 2 * first, 4 * first, ... names.
NamePosition position_of(std::uint32_t id, std::uint32_t first_block) {
  const auto block = static_cast<std::size_t>(std::bit_width(id / first_block + 1) - 1);
  return {block, id - first_block * ((1u << block) - 1)};
}

}  // namespace

std::uint32_t Registry::register_name(std::string_view text) {
  constexpr std::uint32_t kMostNames = kFirstBlock * ((1u << kBlocks) - 1);
  text = text.substr(0, record::kLongestText);
  const RegistryStay stay;
  if (!stay) return 0;
  const std::lock_guard lock(names_mutex_);
  if (const auto known = name_ids_.find(text); known != name_ids_.end()) return known->second;
  const std::uint32_t id = name_count_.load(std::memory_order_relaxed);
  if (id == kMostNames) return 0;
  const auto [block, offset] = position_of(id, kFirstBlock);
  std::string* names = name_blocks_[block].load(std::memory_order_relaxed);
  if (names == nullptr) {
    names = new std::string[std::size_t{kFirstBlock} << block];
    name_blocks_[block].store(names, std::memory_order_release);
  }
  names[offset] = text;
  name_ids_.emplace(names[offset], id);
  name_count_.store(id + 1, std::memory_order_release);
  return id;
}

std::string_view Registry::name(std::uint32_t id) const {
  if (id >= name_count_.load(std::memory_order_acquire)) return {};
  const auto [block, offset] = position_of(id, kFirstBlock);
  return name_blocks_[block].load(std::memory_order_acquire)[offset];
}

bool is_marker_text(std::string_view text) {
  constexpr std::string_view kBadBegins = "=+-@";
  return !text.empty() && kBadBegins.find(text.front()) == std::string_view::npos;
}

std::uint32_t Registry::register_domain(std::string_view name) {
  constexpr std::size_t kLongestName = 1023;
  if (!is_marker_text(name) || name.size() > kLongestName || name == "default") return kNoDomain;
  const RegistryStay stay;
  if (!stay) return kNoDomain;
  const std::lock_guard lock(names_mutex_);
  const auto known = std::find(domains_.begin(), domains_.end(), name);
  const auto domain = static_cast<std::uint32_t>(known - domains_.begin());
  if (known != domains_.end()) return domain;
  if (domain == kMaxDomains) return kNoDomain;
  domains_.emplace_back(name);
  domain_recorded_[domain].store(filter_.admits(name), std::memory_order_relaxed);
  return domain;
}

std::string Registry::domain_name(std::uint32_t domain) {
  const RegistryStay stay;
  const std::lock_guard lock(names_mutex_);
  return domain < domains_.size() ? domains_[domain] : std::string();
}

bool Registry::DomainFilter::admits(std::string_view name) const {
  if (!any) return false;
  if (!include.empty()) return std::find(include.begin(), include.end(), name) != include.end();
  return std::find(exclude.begin(), exclude.end(), name) == exclude.end();
}

void Registry::set_domain_filter(DomainFilter filter) {
  const RegistryStay stay;
  const std::lock_guard lock(names_mutex_);
  filter_ = std::move(filter);
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domain_recorded_[i].store(filter_.admits(domains_[i]), std::memory_order_relaxed);
  }
}

}  // namespace npuprof::record
