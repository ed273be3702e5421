#pragma once

#include <string_view>

namespace npuprof {

// Tells how long a stage of the work took, as a debug line (-v) when it ends: seconds on the wall,
// seconds of CPU of the whole process in that time, and the memory in use at the end. Costs nothing
// when debug lines are off.
class StageTimer {
 public:
  // `stage` must outlive the timer.
  explicit StageTimer(std::string_view stage);
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer();

 private:
  std::string_view stage_;
  bool enabled_;
  double wall_begin_s_ = 0;
  double cpu_begin_s_ = 0;
};

}  // namespace npuprof
