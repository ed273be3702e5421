#pragma once

// The profiles that can be looked at. Each is read when somebody looks at it first, in the
// background; what was not looked at for longest goes when memory runs short.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "query/profile_source.h"
#include "serve/kept_results.h"
#include "serve/shown_profile.h"

namespace npuprof::serve {

// The parts of profiles that were asked about last.
struct PartCache {
  struct Entry {
    std::size_t profile = 0;
    query::ProfilePart part;
    std::shared_ptr<const ShownPart> shown;
  };
  std::mutex mutex;  // Held while a part is read.
  std::deque<Entry> entries;
};

enum class ProfileState : std::uint8_t { kUnread, kLoading, kReady, kFailed };
std::string_view profile_state_name(ProfileState state);

class ProfileStore {
 public:
  // The source must live as long.
  explicit ProfileStore(query::ProfileSource& source);
  ProfileStore(const ProfileStore&) = delete;
  ProfileStore& operator=(const ProfileStore&) = delete;
  ~ProfileStore();

  const std::vector<query::ProfileFacts>& profiles() const { return source_.profiles(); }

  struct Status {
    ProfileState state = ProfileState::kUnread;
    std::string error;       // Of those that failed.
    std::string_view stage;  // What is done with one that is loading.
  };
  Status status(std::size_t number) const;

  // The profile; null while it is read, which begins with this call if need be.
  Result<std::shared_ptr<const ShownProfile>> get(std::size_t number);
  // The same, and waits until it is read.
  Result<std::shared_ptr<const ShownProfile>> wait_for(std::size_t number);

  // The profile if it has been read; does not count as a look at it.
  std::shared_ptr<const ShownProfile> if_ready(std::size_t number) const;

  // A part of a profile as a profile of its own, cut out now if it was not lately.
  Result<std::shared_ptr<const ShownPart>> part_of(std::size_t number,
                                                   const query::ProfilePart& part);

  KeptResults& kept() { return kept_; }

  // True from the moment on when the program is about to end.
  const std::atomic<bool>& is_stopping() const { return is_stopping_; }
  void stop();
  bool is_reading() const { return is_reading_; }

 private:
  struct Entry {
    ProfileState state = ProfileState::kUnread;
    std::string error;
    std::string_view stage;
    std::shared_ptr<const ShownProfile> profile;
    std::uint64_t last_used = 0;
  };

  void work();
  void read(std::size_t number);
  void set_stage(std::size_t number, std::string_view stage);
  void make_room(std::size_t kept);
  Result<query::OpenedProfile> cut_out(std::size_t number, const query::ProfilePart& part);

  query::ProfileSource& source_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  std::deque<std::size_t> wanted_;
  std::uint64_t uses_ = 0;
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_reading_{false};
  PartCache parts_;
  KeptResults kept_;
  std::thread worker_;
};

}  // namespace npuprof::serve
