#ifndef NPUPROF_RECORD_HPP_
#define NPUPROF_RECORD_HPP_

// The C++ side of record.h: objects that end what they began.
//
//     npuprof::Session session("results");
//     session.start();
//     {
//       NPUPROF_RANGE("forward");
//       ...
//     }

#include <atomic>
#include <string>
#include <utility>

#include "npuprof/record.h"

namespace npuprof {

// One recording. The directory is made by the constructor; the destructor completes it.
class Session {
 public:
  explicit Session(const std::string& parent, const npuprof_options* options = nullptr,
                   const char* worker = nullptr)
      : session_(npuprof_session_open(parent.c_str(), worker, options)) {}
  Session(Session&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  Session& operator=(Session&& other) noexcept {
    std::swap(session_, other.session_);
    return *this;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { finalize(); }

  // False if the directory cannot be made; all else then does nothing.
  bool is_open() const { return session_ != nullptr; }
  std::string directory() const { return npuprof_session_directory(session_); }

  int start() { return npuprof_session_start(session_); }
  int stop(npuprof_stats* stats = nullptr) { return npuprof_session_stop(session_, stats); }
  int finalize(npuprof_stats* stats = nullptr) {
    return npuprof_session_finalize(std::exchange(session_, nullptr), stats);
  }
  int metadata(const std::string& key, const std::string& text) {
    return npuprof_session_metadata(session_, key.c_str(), text.c_str());
  }
  int metadata_json(const std::string& key, const std::string& json) {
    return npuprof_session_metadata_json(session_, key.c_str(), json.c_str());
  }

  npuprof_session* handle() const { return session_; }

 private:
  npuprof_session* session_;
};

// A registered name, see npuprof_name_id().
class Name {
 public:
  explicit Name(const char* text) : id_(npuprof_name_id(text)) {}
  explicit Name(const std::string& text) : Name(text.c_str()) {}
  npuprof_name id() const { return id_; }

 private:
  friend class StaticName;
  explicit Name(npuprof_name id) : id_(id) {}

  npuprof_name id_;
};

// A name that is registered when it is used first, for variables that are static: nothing waits for
// a thread that makes it, which a child forked at that moment would not have.
class StaticName {
 public:
  // `text` must stay.
  explicit constexpr StaticName(const char* text) : text_(text) {}
  Name get() {
    npuprof_name id = id_.load(std::memory_order_relaxed);
    if (id == 0) {
      id = npuprof_name_id(text_);
      id_.store(id, std::memory_order_relaxed);
    }
    return Name(id);
  }

 private:
  const char* text_;
  std::atomic<npuprof_name> id_{0};
};

// A range that lasts as long as the object.
class [[nodiscard]] Range {
 public:
  explicit Range(Name name) : name_(name), begin_(npuprof_range_begin()) {}
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range() { npuprof_range_end(name_.id(), begin_); }

 private:
  Name name_;
  npuprof_begin_time begin_;
};

// The same for a name that is made up at run time.
class [[nodiscard]] TextRange {
 public:
  explicit TextRange(const std::string& name) { npuprof_range_push(name.c_str()); }
  TextRange(const TextRange&) = delete;
  TextRange& operator=(const TextRange&) = delete;
  ~TextRange() { npuprof_range_pop(); }
};

class Counter {
 public:
  explicit Counter(const char* name) : name_(name) {}
  void set(double value) const { npuprof_counter(name_.id(), value); }

 private:
  Name name_;
};

// Markers of one domain.
class Domain {
 public:
  // The default domain.
  Domain() = default;
  explicit Domain(const char* name) : handle_(npuprof_domain_create(name)) {}

  void mark(const char* message) const { npuprof_mark_a(handle_, message); }
  std::uint64_t range_start(const char* message) const {
    return npuprof_range_start_a(handle_, message);
  }
  void range_end(std::uint64_t id) const { npuprof_range_end_a(handle_, id); }
  int range_push(const char* message) const { return npuprof_range_push_a(handle_, message); }
  int range_pop() const { return npuprof_range_pop_a(handle_); }

 private:
  npuprof_domain handle_ = NPUPROF_DEFAULT_DOMAIN;
};

}  // namespace npuprof

#define NPUPROF_JOIN_INNER(a, b) a##b
#define NPUPROF_JOIN(a, b) NPUPROF_JOIN_INNER(a, b)

// A range up to the end of the enclosing block. `text` is registered when it is reached first.
#define NPUPROF_RANGE(text)                                                 \
  static ::npuprof::StaticName NPUPROF_JOIN(npuprof_name_, __LINE__){text}; \
  const ::npuprof::Range NPUPROF_JOIN(npuprof_range_, __LINE__) {           \
    NPUPROF_JOIN(npuprof_name_, __LINE__).get()                             \
  }

#endif  // NPUPROF_RECORD_HPP_
