#include "base/stage_timer.h"

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>

#include <unistd.h>

#include "base/log.h"

namespace npuprof {
namespace {

double now_s(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Pages of mapped files that were touched count as well.
std::uint64_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             &std::fclose);
  unsigned long long all = 0;
  unsigned long long resident = 0;
  if (!file || std::fscanf(file.get(), "%llu %llu", &all, &resident) != 2) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

StageTimer::StageTimer(std::string_view stage)
    : stage_(stage), enabled_(log::enabled(log::Level::kDebug)) {
  if (!enabled_) return;
  wall_begin_s_ = now_s(CLOCK_MONOTONIC);
  cpu_begin_s_ = now_s(CLOCK_PROCESS_CPUTIME_ID);
}

StageTimer::~StageTimer() {
  if (!enabled_) return;
  try {
    log::debug("{:<24} {:8.3f} s {:8.3f} s CPU {:8.1f} MB", stage_,
               now_s(CLOCK_MONOTONIC) - wall_begin_s_,
               now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_s_,
               static_cast<double>(resident_bytes()) / 1e6);
  } catch (...) {
    // A line less: timing must not stop the work.
  }
}

}  // namespace npuprof
