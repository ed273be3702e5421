#include "serve/profile_store.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "analyze/shared_results.h"
#include "base/available_memory.h"
#include "query/profile_part.h"
#include "trace/copy_trace.h"
#include "trace/table_list.h"

namespace npuprof::serve {
namespace {

// Profiles go until the system has so much memory again.
constexpr std::uint64_t kKeptFreeBytes = std::uint64_t{1} << 30;
constexpr std::size_t kKeptParts = 4;

}  // namespace

std::string_view profile_state_name(ProfileState state) {
  static constexpr std::string_view kNames[] = {"unread", "loading", "ready", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

ProfileStore::ProfileStore(query::ProfileSource& source)
    : source_(source), entries_(source.profiles().size()), worker_([this] { work(); }) {}

ProfileStore::~ProfileStore() {
  stop();
  worker_.join();
}

void ProfileStore::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
}

ProfileStore::Status ProfileStore::status(std::size_t number) const {
  const std::lock_guard lock(mutex_);
  const Entry& entry = entries_[number];
  return {entry.state, entry.error, entry.stage};
}

Result<std::shared_ptr<const ShownProfile>> ProfileStore::get(std::size_t number) {
  if (number >= entries_.size()) {
    return Error{ErrorCode::kNotFound, "there is no such profile: /api/session lists them"};
  }
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[number];
  entry.last_used = ++uses_;
  if (entry.state == ProfileState::kFailed) return Error{ErrorCode::kCorrupt, entry.error};
  if (entry.state == ProfileState::kUnread) {
    entry.state = ProfileState::kLoading;
    entry.stage = "waiting for another one";
    wanted_.push_back(number);
    changed_.notify_all();
  }
  return entry.profile;
}

std::shared_ptr<const ShownProfile> ProfileStore::if_ready(std::size_t number) const {
  const std::lock_guard lock(mutex_);
  return number < entries_.size() ? entries_[number].profile : nullptr;
}

Result<std::shared_ptr<const ShownProfile>> ProfileStore::wait_for(std::size_t number) {
  NPUPROF_ASSIGN_OR_RETURN(auto profile, get(number));
  if (profile != nullptr) return profile;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return is_stopping_ || entries_[number].state != ProfileState::kLoading; });
  }
  return get(number);
}

Result<std::shared_ptr<const ShownPart>> ProfileStore::part_of(std::size_t number,
                                                               const query::ProfilePart& part) {
  const std::lock_guard lock(parts_.mutex);
  for (const PartCache::Entry& entry : parts_.entries) {
    if (entry.profile == number && entry.part == part) return entry.shown;
  }
  if (parts_.entries.size() >= kKeptParts) parts_.entries.pop_back();
  NPUPROF_ASSIGN_OR_RETURN(query::OpenedProfile opened, cut_out(number, part));
  auto shared = std::make_shared<const ShownPart>(std::move(opened));
  parts_.entries.push_front({number, part, shared});
  return shared;
}

// Of a copy of the whole, which is quicker than to read it again, if there is room for one.
Result<query::OpenedProfile> ProfileStore::cut_out(std::size_t number,
                                                   const query::ProfilePart& part) {
  const auto whole = if_ready(number);
  if (whole == nullptr) return source_.open(number, part);
  const std::uint64_t free_bytes = available_memory_bytes();
  const std::uint64_t needed_bytes = trace::memory_bytes(whole->trace()) + kKeptFreeBytes;
  if (free_bytes != 0 && free_bytes < needed_bytes) return source_.open(number, part);
  struct Owner {
    explicit Owner(trace::Trace copy) : trace(std::move(copy)) {}

    trace::Trace trace;
    analyze::SharedResults results{trace};
  };
  const auto owner = std::make_shared<Owner>(trace::copy_of(whole->trace()));
  NPUPROF_RETURN_IF_ERROR(query::keep_part(owner->trace, part));
  return query::OpenedProfile{.owner = owner,
                              .request = {.trace = owner->trace,
                                          .results = owner->results,
                                          .options = whole->request().options},
                              .losses = whole->opened.losses};
}

void ProfileStore::work() {
  while (true) {
    std::size_t number = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_stopping_ || !wanted_.empty(); });
      if (is_stopping_) return;
      number = wanted_.front();
      wanted_.pop_front();
    }
    is_reading_ = true;
    make_room(number);
    read(number);
    is_reading_ = false;
    changed_.notify_all();
  }
}

void ProfileStore::set_stage(std::size_t number, std::string_view stage) {
  const std::lock_guard lock(mutex_);
  entries_[number].stage = stage;
}

void ProfileStore::read(std::size_t number) {
  std::shared_ptr<const ShownProfile> profile;
  std::string error;
  try {
    set_stage(number, "reading and linking");
    auto opened = source_.open(number, {});
    if (opened.ok()) {
      set_stage(number, "laying out lanes");
      profile = std::make_shared<const ShownProfile>(number, std::move(*opened));
    } else {
      error = opened.error().message;
    }
  } catch (const std::bad_alloc&) {
    error = "there is not enough memory to read it";
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[number];
  entry.state = profile != nullptr ? ProfileState::kReady : ProfileState::kFailed;
  entry.error = std::move(error);
  entry.profile = std::move(profile);
}

// Lets go of what was not used for longest, while memory is short.
void ProfileStore::make_room(std::size_t kept) {
  while (true) {
    const std::uint64_t free_bytes = available_memory_bytes();
    if (free_bytes == 0 || free_bytes > kKeptFreeBytes) return;
    std::shared_ptr<const ShownProfile> gone;
    const std::lock_guard lock(mutex_);
    Entry* oldest = nullptr;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      if (i == kept || entry.state != ProfileState::kReady) continue;
      if (oldest == nullptr || entry.last_used < oldest->last_used) oldest = &entry;
    }
    if (oldest == nullptr) return;
    oldest->state = ProfileState::kUnread;
    gone = std::exchange(oldest->profile, nullptr);
  }
}

}  // namespace npuprof::serve
