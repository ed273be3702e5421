#pragma once

// Results that were asked for lately, so that a page that is looked at again, or a table that is
// scrolled, does not have them computed anew. They are of profiles, which do not change.

#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.h"
#include "serve/http_message.h"

namespace npuprof::serve {

template <typename Value>
class KeptValues {
 public:
  using Shared = std::shared_ptr<const Value>;
  struct Made {
    Shared value;
    std::size_t bytes = 0;
    bool is_final = true;  // Else it is another one when it is asked for again.
  };
  using Make = std::function<Result<Made>()>;

  // At most so many bytes, but always the last one.
  explicit KeptValues(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Who asks for what is being made waits for it.
  Result<Shared> get(const std::string& key, const Make& make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    const std::lock_guard making(entry->mutex);
    if (entry->value != nullptr) return entry->value;
    auto made = make();
    if (!made.ok()) return made.error();
    if (made->is_final) keep(*entry, *made);
    return made->value;
  }

 private:
  static constexpr std::size_t kMostEntries = 64;

  struct Entry {
    std::mutex mutex;  // Held while it is made.
    Shared value;
    std::size_t bytes = 0;  // This is guarded by that of all.
  };
  using Place = std::pair<std::string, std::shared_ptr<Entry>>;

  // It becomes the first of all.
  std::shared_ptr<Entry> entry_of(const std::string& key) {
    const std::lock_guard lock(mutex_);
    for (auto place = places_.begin(); place != places_.end(); ++place) {
      if (place->first != key) continue;
      places_.splice(places_.begin(), places_, place);
      return places_.front().second;
    }
    places_.emplace_front(key, std::make_shared<Entry>());
    if (places_.size() > kMostEntries) places_.pop_back();
    return places_.front().second;
  }

  void keep(Entry& entry, const Made& made) {
    entry.value = made.value;
    const std::lock_guard lock(mutex_);
    entry.bytes = made.bytes;
    std::size_t bytes = 0;
    for (auto place = places_.begin(); place != places_.end();) {
      bytes += place->second->bytes;
      const bool stays = bytes <= most_bytes_ || place == places_.begin();
      place = stays ? std::next(place) : places_.erase(place);
    }
  }

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::list<Place> places_;
};

struct AskedAnswer;

struct KeptResults {
  KeptValues<AskedAnswer> answers{std::size_t{256} << 20};
  KeptValues<HttpReply> replies{std::size_t{64} << 20};
};

}  // namespace npuprof::serve
