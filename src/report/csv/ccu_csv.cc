#include "report/csv/ccu_csv.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "report/tables/text_table.h"
#include "trace/device/ccu_missions.h"

namespace npuprof::report {
namespace {

// Missions of the run, a line for each rank that they waited for, from the greatest index down, as
// the unit lists them.
class MissionLines {
 public:
  explicit MissionLines(const trace::Trace& trace) : missions_(trace.ccu_missions()) {
    for (std::uint32_t row = 0; row < missions_.size(); ++row) {
      if (missions_.start_ns[row] < trace.session.begin_ns) continue;
      const trace::CcuWaits& waits = missions_.wait_ns[row];
      const std::size_t before = lines_.size();
      for (auto rank = static_cast<std::uint32_t>(waits.size()); rank-- > 0;) {
        if (missions_.has_wait[row] != 0 && waits[rank] != 0) lines_.push_back({row, rank});
      }
      if (lines_.size() == before) lines_.push_back({row, std::nullopt});
    }
  }

  struct Row {
    const trace::CcuMissions& missions;
    std::uint32_t mission;
    std::optional<std::uint32_t> rank;

    std::uint16_t device() const { return missions.device[mission]; }
    std::uint16_t stream() const { return missions.stream[mission]; }
    std::uint32_t task() const { return missions.task[mission]; }

    std::optional<std::uint16_t> loop_instruction() const {
      return of_loop(missions.loop_instruction[mission]);
    }
    std::optional<std::int64_t> loop_start_ns() const {
      return of_loop(missions.loop_start_ns[mission]);
    }
    std::optional<std::int64_t> loop_duration_ns() const {
      return of_loop(missions.loop_end_ns[mission] - missions.loop_start_ns[mission]);
    }
    std::optional<std::uint16_t> wait_instruction() const {
      if (missions.has_wait[mission] == 0) return std::nullopt;
      return missions.wait_instruction[mission];
    }
    std::optional<std::int64_t> wait_duration_ns() const {
      if (!rank) return std::nullopt;
      return missions.wait_ns[mission][*rank];
    }

   private:
    template <typename Value>
    std::optional<Value> of_loop(Value value) const {
      return missions.has_loop[mission] == 0 ? std::nullopt : std::optional(value);
    }
  };
  std::size_t size() const { return lines_.size(); }
  Row operator[](std::size_t i) const { return {missions_, lines_[i].mission, lines_[i].rank}; }

 private:
  struct Line {
    std::uint32_t mission;
    std::optional<std::uint32_t> rank;
  };
  const trace::CcuMissions& missions_;
  std::vector<Line> lines_;
};

constexpr auto kCcuMission = text_table(
    "ccu_mission",  //
    column(TextColumn{"Device_id"}, &MissionLines::Row::device),
    column(TextColumn{"Stream ID"}, &MissionLines::Row::stream),
    column(TextColumn{"Task Id"}, &MissionLines::Row::task),
    column(or_not_available("Instruction ID"), &MissionLines::Row::loop_instruction),
    column(or_not_available("Instruction Start Time(us)", Print::kTimeUs),
           &MissionLines::Row::loop_start_ns),
    column(or_not_available("Instruction Duration(us)", Print::kUs),
           &MissionLines::Row::loop_duration_ns),
    column(or_not_available("Notify Instruction ID"), &MissionLines::Row::wait_instruction),
    column(or_not_available("Notify Rank ID"), &MissionLines::Row::rank),
    column(or_not_available("Notify Duration(us)", Print::kUs),
           &MissionLines::Row::wait_duration_ns));

}  // namespace

Status write_ccu_missions(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kCcuMission>(MissionLines(trace), target, pool);
}

}  // namespace npuprof::report
