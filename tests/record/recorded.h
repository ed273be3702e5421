#pragma once

// Reads recorded directories back, and runs pieces of tests in processes of their own.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread_pool.h"
#include "link/link.h"
#include "load/discover.h"
#include "load/load_profile.h"
#include "trace/framework/framework_ops.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::record::testing {

// A profile that was loaded and linked.
struct Recorded {
  trace::Trace trace;
  trace::Losses losses;

  std::string_view text(StringId id) const { return trace.strings.view(id); }
  std::string_view name(std::size_t op) const { return text(trace.framework_ops().name[op]); }
  std::size_t op_count() const { return trace.framework_ops().size(); }
  std::vector<std::size_t> ops_named(std::string_view wanted) const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < op_count(); ++i) {
      if (name(i) == wanted) rows.push_back(i);
    }
    return rows;
  }
  // Fails unless there is exactly one.
  std::size_t op_named(std::string_view wanted) const {
    const auto rows = ops_named(wanted);
    EXPECT_EQ(rows.size(), 1u) << wanted;
    return rows.empty() ? 0 : rows[0];
  }
  std::string losses_text() const {
    std::string all;
    for (const auto& loss : losses.items()) all += loss.file + ": " + loss.what + "\n";
    return all;
  }
};

inline Recorded load_recorded(const std::filesystem::path& directory) {
  Recorded recorded;
  const auto found = load::discover(directory);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message);
  if (!found.ok()) return recorded;
  EXPECT_EQ(found->profiles.size(), 1u);
  ThreadPool pool(1);
  auto trace = load::load_profile(found->profiles.at(0), pool, recorded.losses);
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().message);
  if (trace.ok()) recorded.trace = std::move(trace).value();
  link::link_all(recorded.trace, &pool);
  return recorded;
}

// A value that a child of this process can hand back. Its recordings are loaded by the parent: the
// loader keeps threads, which a child would not have.
template <typename T>
class Shared {
 public:
  Shared()
      : value_(::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                      0)) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { ::munmap(value_, sizeof(T)); }
  T& operator*() const { return *static_cast<T*>(value_); }
  T* operator->() const { return static_cast<T*>(value_); }

 private:
  void* value_;
};

// The value of `action` in a process of its own (0 to 255), and what it wrote to standard error.
// 256 and more: it died by that signal. No test framework code runs in the child after `action`.
struct ChildResult {
  int code = -1;
  std::string errors;

  int lines() const { return static_cast<int>(std::count(errors.begin(), errors.end(), '\n')); }
};

inline ChildResult run_in_child(const std::function<int()>& action) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe_ends[0]);
    ::dup2(pipe_ends[1], STDERR_FILENO);
    ::_exit(action());
  }
  ::close(pipe_ends[1]);
  ChildResult result;
  char text[4096];
  for (ssize_t got = 0; (got = ::read(pipe_ends[0], text, sizeof(text))) > 0;) {
    result.errors.append(text, static_cast<std::size_t>(got));
  }
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
  return result;
}

}  // namespace npuprof::record::testing
