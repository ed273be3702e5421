// Marks and ranges of the user.

#include <atomic>
#include <cstring>

#include <unistd.h>

#include "format/host/api_event.h"
#include "format/host/msproftx.h"
#include "sim/cann/running_collection.h"
#include "sim/cann/state.h"

struct mstxDomainRegistration {
  std::string name;
};

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)
using npuprof::format::host::Age;
using npuprof::format::host::Msproftx;

constexpr const char* kDefaultDomain = "default";
constexpr std::size_t kMostDomainBytes = 1023;

// Spreadsheets would take other texts for formulas.
bool is_text(const char* text) {
  return text != nullptr && std::strchr("=+-@", *text) == nullptr;  // Finds the ending zero too.
}

struct Domains {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<mstxDomainRegistration>, std::less<>> by_name;
};
Domains& domains() {
  static Domains* const instance = new Domains;
  return *instance;
}

// The name of a domain; empty if the handle is not one.
std::string domain_name(mstxDomainHandle_t domain) {
  const std::lock_guard lock(domains().mutex);
  for (const auto& [name, registration] : domains().by_name) {
    if (registration.get() == domain) return name;
  }
  return {};
}

// The collection marks go to, if there is one.
RunningCollection* mark_target(State& state) {
  RunningCollection* const collection = state.collection.get();
  return collection != nullptr && collection->has_marks() ? collection : nullptr;
}

void put_on_stream(const StreamObject& stream, std::uint64_t id, std::int64_t time_ns) {
  if (stream.device->npu.collecting()) {
    stream.device->npu.marks().mark_stream(this_thread_id(), stream.id, id, time_ns);
  }
}

struct MarkKind {
  std::uint16_t info_type = Msproftx::kMstx;
  std::uint32_t event_type = Msproftx::kMark;
};

void write_mark(State& state, RunningCollection& collection, MarkKind kind, std::uint64_t id,
                std::string_view message, std::string_view domain, std::int64_t begin_ns,
                std::int64_t end_ns) {
  Msproftx mark{};
  mark.info_type = kind.info_type;
  if (kind.info_type == Msproftx::kStamp) {
    mark.stamp_magic = npuprof::format::host::kMagic;
    mark.stamp_tag = Msproftx::kStampTag;
  }
  mark.process_id = static_cast<std::uint32_t>(::getpid());
  mark.thread_id = this_thread_id();
  mark.event_type = kind.event_type;
  mark.start = state.host_clock().host_ticks(begin_ns);
  mark.end = state.host_clock().host_ticks(end_ns);
  mark.mark_id = id;
  mark.domain = collection.host->hash(domain);
  collection.host->mark(Age::kAging, mark, message);
}

// Marks a moment, or begins a range. The id, or 0 if nothing was marked.
std::uint64_t set_mark(std::string message, const std::string& domain, aclrtStream handle,
                       bool is_range, MarkKind kind = {}) {
  State& state = State::get();
  std::int64_t end_ns = 0;
  std::uint64_t id = 0;
  {
    Lock lock(state.mutex);
    std::optional<StreamObject> stream;
    if (handle != nullptr) {
      stream = state.stream(handle);
      if (!stream) return 0;
      state.wait_ready(lock, *stream->device);
    }
    RunningCollection* const collection = mark_target(state);
    if (collection == nullptr) return 0;
    id = ++state.last_mark_id;
    const std::int64_t begin_ns = state.begin_call();
    end_ns = begin_ns + NpuMarks::kMarkNs;
    State::end_call(end_ns);
    if (stream) put_on_stream(*stream, id, begin_ns);
    if (is_range) {
      state.open_ranges[id] = {std::move(message), domain, begin_ns, stream};
    } else {
      write_mark(state, *collection, kind, id, message, domain, begin_ns, begin_ns);
    }
  }
  state.wait_until(end_ns);
  return id;
}

void end_range(std::uint64_t id, const std::string* domain) {
  State& state = State::get();
  Lock lock(state.mutex);
  const auto found = state.open_ranges.find(id);
  if (found == state.open_ranges.end()) return;
  if (domain != nullptr && found->second.domain != *domain) return;
  const OpenRange range = std::move(found->second);
  state.open_ranges.erase(found);
  if (range.stream) state.wait_ready(lock, *range.stream->device);
  RunningCollection* const collection = mark_target(state);
  // A range that began before this collection has no place in it.
  if (collection == nullptr || range.begin_ns < collection->begin_ns) return;
  const std::int64_t end_ns = state.begin_call();
  State::end_call(end_ns + NpuMarks::kMarkNs);
  write_mark(state, *collection, {.event_type = Msproftx::kStartEnd}, id, range.message,
             range.domain, range.begin_ns, end_ns);
  if (range.stream) put_on_stream(*range.stream, id, end_ns);
}

// Handles of heaps and regions are numbers: nothing is kept of them.
void* next_memory_handle() {
  static std::atomic<std::uintptr_t> last{0};
  return reinterpret_cast<void*>(++last);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

extern "C" {

void mstxMarkA(const char* message, aclrtStream stream) {
  guarded(0, [&] {
    if (is_text(message)) set_mark(message, kDefaultDomain, stream, false);
    return 0;
  });
}

mstxRangeId mstxRangeStartA(const char* message, aclrtStream stream) {
  return guarded<mstxRangeId>(0, [&]() -> mstxRangeId {
    return is_text(message) ? set_mark(message, kDefaultDomain, stream, true) : 0;
  });
}

void mstxRangeEnd(mstxRangeId id) {
  guarded(0, [&] {
    end_range(id, nullptr);
    return 0;
  });
}

mstxDomainHandle_t mstxDomainCreateA(const char* name) {
  return guarded<mstxDomainHandle_t>(nullptr, [&]() -> mstxDomainHandle_t {
    if (!is_text(name) || ::strnlen(name, kMostDomainBytes + 1) > kMostDomainBytes) return nullptr;
    if (std::strcmp(name, kDefaultDomain) == 0) return nullptr;
    const std::lock_guard lock(domains().mutex);
    auto& registration = domains().by_name[name];
    if (registration == nullptr) {
      registration = std::make_unique<mstxDomainRegistration>(mstxDomainRegistration{name});
    }
    return registration.get();
  });
}

void mstxDomainDestroy(mstxDomainHandle_t domain) {
  guarded(0, [&] {
    const std::string name = domain_name(domain);
    const std::lock_guard lock(domains().mutex);
    domains().by_name.erase(name);
    return 0;
  });
}

void mstxDomainMarkA(mstxDomainHandle_t domain, const char* message, aclrtStream stream) {
  guarded(0, [&] {
    const std::string name = domain_name(domain);
    if (!name.empty() && is_text(message)) set_mark(message, name, stream, false);
    return 0;
  });
}

mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char* message,
                                  aclrtStream stream) {
  return guarded<mstxRangeId>(0, [&]() -> mstxRangeId {
    const std::string name = domain_name(domain);
    if (name.empty() || !is_text(message)) return 0;
    return set_mark(message, name, stream, true);
  });
}

void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id) {
  guarded(0, [&] {
    const std::string name = domain_name(domain);
    if (!name.empty()) end_range(id, &name);
    return 0;
  });
}

mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t, const void* description) {
  return description == nullptr ? nullptr : next_memory_handle();
}
void mstxMemHeapUnregister(mstxDomainHandle_t, mstxMemHeapHandle_t) {}
void mstxMemRegionsRegister(mstxDomainHandle_t, const mstxMemRegionsRegisterBatch* batch) {
  if (batch == nullptr || batch->region_handles == nullptr) return;
  for (std::size_t i = 0; i < batch->region_count; ++i) {
    batch->region_handles[i] = next_memory_handle();
  }
}
void mstxMemRegionsUnregister(mstxDomainHandle_t, const void*) {}

aclError aclprofMarkEx(const char* message, size_t length, aclrtStream stream) {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    if (message == nullptr || length == 0 || length > Msproftx::kMessageBytes) {
      return NPUPROF_ACL_INVALID_PARAM;
    }
    if (::strnlen(message, length) != length) return NPUPROF_ACL_INVALID_PARAM;
    set_mark(std::string(message, length), kDefaultDomain, stream, false,
             {.info_type = Msproftx::kStamp, .event_type = Msproftx::kMarkEx});
    return NPUPROF_ACL_SUCCESS;
  });
}

}  // extern "C"
