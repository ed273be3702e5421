#include "report/tables/step_trace_time.h"

#include "report/tables/stored_table.h"
#include "report/tables/text_table.h"

namespace npuprof::report {
namespace {

using analyze::StepTime;
using format::results::kI;
using format::results::kN;
using format::results::kT;
using format::results::Unit;

constexpr SharedColumn part_of_step(std::string_view header, std::string_view name) {
  return {{header, Print::kTrimmedUsOrZero}, {name, kN, Unit::kUs}};
}

constexpr auto kStepTraceTime = shared_table(
    "step_trace_time", "StepTraceTime",
    column(SharedColumn{{"Device_id"}, {"deviceId", kI}}, &StepTime::device),
    column(SharedColumn{{"Step"}, {"step", kT}}, &StepTime::step),
    column(part_of_step("Computing", "computing"), &StepTime::computing_ns),
    column(part_of_step("Communication(Not Overlapped)", "communication_not_overlapped"),
           &StepTime::not_overlapped_ns),
    column(part_of_step("Overlapped", "overlapped"), &StepTime::overlapped_ns),
    column(part_of_step("Communication", "communication"), &StepTime::communication_ns),
    column(part_of_step("Free", "free"), &StepTime::free_ns),
    column(part_of_step("Stage", "stage"), &StepTime::stage_ns),
    column(part_of_step("Bubble", "bubble"), &StepTime::bubble_ns),
    column(part_of_step("Communication(Not Overlapped and Exclude Receive)",
                        "communication_not_overlapped_and_exclude_receive"),
           &StepTime::exclude_receive_ns),
    column(part_of_step("Preparing", "preparing"), &StepTime::preparing_ns));

// MindSpore does not tell the device, and always writes three decimals.
constexpr TextColumn us_of_step(std::string_view header) { return {header, Print::kUs}; }
constexpr auto kMindSporeStepTraceTime =
    text_table("step_trace_time",  //
               column(TextColumn{"Step"}, &StepTime::step),
               column(us_of_step("Computing"), &StepTime::computing_ns),
               column(us_of_step("Communication(Not Overlapped)"), &StepTime::not_overlapped_ns),
               column(us_of_step("Overlapped"), &StepTime::overlapped_ns),
               column(us_of_step("Communication"), &StepTime::communication_ns),
               column(us_of_step("Free"), &StepTime::free_ns),
               column(us_of_step("Stage"), &StepTime::stage_ns),
               column(us_of_step("Bubble"), &StepTime::bubble_ns),
               column(us_of_step("Communication(Not Overlapped and Exclude Receive)"),
                      &StepTime::exclude_receive_ns),
               column(us_of_step("Preparing"), &StepTime::preparing_ns));

}  // namespace

Status write_mindspore_step_trace_time(std::span<const StepTime> steps, const CsvTarget& target,
                                       ThreadPool& pool) {
  return write_text_table<kMindSporeStepTraceTime>(steps, target, pool);
}

Status write_step_trace_time(std::span<const StepTime> steps, const CsvTarget& target,
                             ThreadPool& pool) {
  return write_text_table<kStepTraceTime>(steps, target, pool);
}

void write_step_trace_time(std::span<const StepTime> steps, sqlite::BulkDatabase& database) {
  if (!steps.empty()) sqlite::write_stored_table<kStepTraceTime>(steps, database);
}

}  // namespace npuprof::report
