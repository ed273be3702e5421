#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>

namespace npuprof {

// Where and how progress is shown.
struct ProgressOutput {
  enum class Style {
    kBar,    // One line, redrawn.
    kLines,  // A line at the start, at each quarter, and when ten seconds passed.
    kNone,
  };

  Style style = Style::kNone;
  std::ostream* stream = nullptr;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;

  // Standard error: a bar on a terminal, lines elsewhere, nothing if the log level hides messages
  // (--quiet).
  static ProgressOutput standard_error();
};

// Shows how far a piece of work has come. Any thread may call advance(); between two updates of
// the display it costs one atomic addition.
class Progress {
 public:
  // `total` is in any unit; 0 counts as done from the start.
  Progress(std::string label, std::uint64_t total,
           ProgressOutput output = ProgressOutput::standard_error());
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // Ends the display where it stands: work that failed shows no 100 %.

  void advance(std::uint64_t amount = 1) {
    const std::uint64_t done = done_.fetch_add(amount, std::memory_order_relaxed) + amount;
    if (done >= next_look_.load(std::memory_order_relaxed)) look(done);
  }

  // Shows 100 %, whatever was counted. Called once, when the work is done.
  void finish();

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  unsigned percent(std::uint64_t done) const;
  void look(std::uint64_t done);
  void show(unsigned percent, TimePoint time);
  void draw_bar(unsigned percent);
  void end_line();

  const std::string label_;
  const std::uint64_t total_;
  const ProgressOutput output_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> next_look_;  // The display may be due when done_ gets here.

  std::mutex mutex_;  // For what follows.
  TimePoint shown_at_;
  unsigned shown_percent_ = 0;
  bool open_ = true;  // Not finished; a bar has no line end yet.
};

}  // namespace npuprof
