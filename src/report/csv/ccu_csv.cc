#include "report/csv/ccu_csv.h"

#include <cstdint>
#include <vector>

#include "base/sort_order.h"
#include "trace/device/ccu_missions.h"

namespace npuprof::report {
namespace {

constexpr std::uint32_t kNoRank = trace::kNone;

struct MissionLine {
  std::uint32_t mission;
  std::uint32_t rank;  // kNoRank: it waited for none.
};

// Ranks from the greatest index down, as the unit lists them.
std::vector<MissionLine> mission_lines(const trace::Trace& trace) {
  const auto& missions = trace.ccu_missions();
  std::vector<MissionLine> lines;
  for (std::uint32_t row = 0; row < missions.size(); ++row) {
    if (missions.start_ns[row] < trace.session.begin_ns) continue;
    const trace::CcuWaits& waits = missions.wait_ns[row];
    const std::size_t before = lines.size();
    for (auto rank = static_cast<std::uint32_t>(waits.size()); rank-- > 0;) {
      if (missions.has_wait[row] != 0 && waits[rank] != 0) lines.push_back({row, rank});
    }
    if (lines.size() == before) lines.push_back({row, kNoRank});
  }
  return lines;
}

void put_loop(TextBuffer& out, const trace::CcuMissions& missions, std::uint32_t row) {
  if (missions.has_loop[row] == 0) {
    out.text("N/A,N/A,N/A,");
    return;
  }
  out.integer(missions.loop_instruction[row]).character(',');
  out.microseconds(missions.loop_start_ns[row]).text("\t,");
  out.microseconds(missions.loop_end_ns[row] - missions.loop_start_ns[row]).character(',');
}

void put_wait(TextBuffer& out, const trace::CcuMissions& missions, const MissionLine& line) {
  if (missions.has_wait[line.mission] == 0) {
    out.text("N/A,N/A,N/A");
    return;
  }
  out.integer(missions.wait_instruction[line.mission]).character(',');
  if (line.rank == kNoRank) {
    out.text("N/A,N/A");
    return;
  }
  out.integer(line.rank).character(',');
  out.microseconds(missions.wait_ns[line.mission][line.rank]);
}

}  // namespace

Status write_ccu_missions(const trace::Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& missions = trace.ccu_missions();
  const std::vector<MissionLine> lines = mission_lines(trace);
  return write_csv(
      target, "ccu_mission",
      "Device_id,Stream ID,Task Id,Instruction ID,Instruction Start Time(us),"
      "Instruction Duration(us),Notify Instruction ID,Notify Rank ID,Notify Duration(us)",
      lines.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t row = lines[i].mission;
          out.integer(missions.device[row]).character(',').integer(missions.stream[row]);
          out.character(',').integer(missions.task[row]).character(',');
          put_loop(out, missions, row);
          put_wait(out, missions, lines[i]);
          out.text(target.line_end);
        }
      },
      pool);
}

}  // namespace npuprof::report
