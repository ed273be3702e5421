#include "base/progress.h"

#include <algorithm>
#include <iostream>
#include <limits>

#include <unistd.h>

#include "base/log.h"

namespace npuprof {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
// How many times during the whole work the clock is looked at.
constexpr std::uint64_t kLooks = 1000;
constexpr std::size_t kBarWidth = 40;
constexpr auto kRedrawInterval = 100ms;
constexpr auto kLineInterval = 10s;

}  // namespace

ProgressOutput ProgressOutput::standard_error() {
  if (!log::enabled(log::Level::kInfo)) return {};
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  return {.style = is_terminal ? Style::kBar : Style::kLines, .stream = &std::cerr};
}

Progress::Progress(std::string label, std::uint64_t total, ProgressOutput output)
    : label_(std::move(label)), total_(total), output_(std::move(output)), next_look_(kNever) {
  if (output_.style == ProgressOutput::Style::kNone) return;
  next_look_ = std::max<std::uint64_t>(1, total_ / kLooks);
  const std::lock_guard lock(mutex_);
  show(percent(0), output_.now());
}

Progress::~Progress() {
  const std::lock_guard lock(mutex_);
  if (open_) end_line();
}

unsigned Progress::percent(std::uint64_t done) const {
  if (done >= total_) return 100;
  return static_cast<unsigned>(static_cast<long double>(done) * 100 /
                               static_cast<long double>(total_));
}

void Progress::look(std::uint64_t done) {
  // Another thread at the display shows nearly the same: do not wait for it.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const std::uint64_t step = std::max<std::uint64_t>(1, total_ / kLooks);
  next_look_.store(done < kNever - step ? done + step : kNever, std::memory_order_relaxed);
  if (!open_) return;
  // 100 % is for finish(): the last unit can be counted before the work is all done.
  const unsigned now_percent = std::min(percent(done), 99u);
  if (now_percent <= shown_percent_) return;
  const TimePoint time = output_.now();
  const bool is_bar = output_.style == ProgressOutput::Style::kBar;
  const bool new_quarter = now_percent / 25 > shown_percent_ / 25;
  const bool due = is_bar ? time - shown_at_ >= kRedrawInterval
                          : new_quarter || time - shown_at_ >= kLineInterval;
  if (due) show(now_percent, time);
}

void Progress::finish() {
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  if (output_.style != ProgressOutput::Style::kNone && shown_percent_ < 100) {
    show(100, output_.now());
  }
  end_line();
}

void Progress::show(unsigned now_percent, TimePoint time) {
  shown_percent_ = now_percent;
  shown_at_ = time;
  if (output_.style == ProgressOutput::Style::kBar) {
    draw_bar(now_percent);
  } else {
    // One write for the line: other threads and processes write to standard error too.
    *output_.stream << label_ + ": " + std::to_string(now_percent) + "%\n" << std::flush;
  }
}

// The cursor goes back to the start of the line, so that a log message can replace the bar.
void Progress::draw_bar(unsigned now_percent) {
  const std::size_t filled = now_percent * kBarWidth / 100;
  const std::string number = std::to_string(now_percent);
  std::string line = "\r\x1b[K" + label_ + " [";
  line.append(filled, '#').append(kBarWidth - filled, '.').append("] ");
  line.append(3 - number.size(), ' ').append(number).append("%\r");
  *output_.stream << line << std::flush;
}

void Progress::end_line() {
  open_ = false;
  if (output_.style == ProgressOutput::Style::kBar) *output_.stream << '\n' << std::flush;
}

}  // namespace npuprof
