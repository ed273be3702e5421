#include "report/chrome_trace/timeline.h"

#include <string>
#include <utility>

namespace npuprof::report {

EventText& EventText::slice(std::string_view name, std::uint64_t pid, std::uint64_t tid,
                            std::int64_t start_ns, std::int64_t end_ns) {
  out_.text(",{\"name\":").json(name).text(",\"pid\":").integer(pid).text(",\"tid\":").integer(tid);
  out_.text(",\"ts\":\"").microseconds(start_ns).text("\",\"dur\":");
  // Durations are numbers: three decimals at most, so nothing is lost.
  out_.microseconds(end_ns - start_ns).text(",\"ph\":\"X\"");
  return *this;
}

EventText& EventText::flow(char phase, std::string_view name, std::string_view category,
                           std::uint64_t pid, std::uint64_t tid, std::int64_t time_ns) {
  out_.text(",{\"name\":\"")
      .text(name)
      .text("\",\"pid\":")
      .integer(pid)
      .text(",\"tid\":")
      .integer(tid);
  out_.text(",\"ph\":\"")
      .character(phase)
      .text("\",\"cat\":\"")
      .text(category)
      .text("\",\"ts\":\"");
  out_.microseconds(time_ns).character('"');
  if (phase == 'f') out_.text(",\"bp\":\"e\"");
  return *this;
}

EventText& EventText::counter(std::string_view name, std::uint64_t pid, std::int64_t time_ns,
                              std::string_view series, double value) {
  out_.text(",{\"name\":").json(name).text(",\"pid\":").integer(pid).text(",\"tid\":0,\"ts\":\"");
  out_.microseconds(time_ns).text("\",\"ph\":\"C\"");
  begin_args().argument(series, value).end_args();
  return *this;
}

Result<Timeline> Timeline::create(const std::filesystem::path& path, ThreadPool& pool) {
  NPUPROF_ASSIGN_OR_RETURN(auto file, ParallelFile::create(path, pool));
  file.text("[");
  return Timeline(std::move(file));
}

void Timeline::metadata(std::string_view name, std::uint64_t pid, std::uint64_t tid,
                        std::string_view key, std::string_view json_value) {
  TextBuffer out(512);
  if (!std::exchange(empty_, false)) out.character(',');
  out.text("{\"name\":\"")
      .text(name)
      .text("\",\"pid\":")
      .integer(pid)
      .text(",\"tid\":")
      .integer(tid);
  out.text(",\"ph\":\"M\",\"args\":{\"").text(key).text("\":").text(json_value).text("}}");
  file_.text(out.view());
}

void Timeline::layer(const Layer& layer, std::uint64_t pid, std::uint32_t device) {
  TextBuffer name(64);
  metadata("process_name", pid, 0, "name", name.json(layer.name).view());
  const std::string label = layer.is_host ? "\"CPU\"" : "\"NPU " + std::to_string(device) + "\"";
  metadata("process_labels", pid, 0, "labels", label);
  metadata("process_sort_index", pid, 0, "sort_index", std::to_string(layer.sort_index));
}

void Timeline::lane(std::uint64_t pid, std::uint64_t tid, std::string_view name,
                    std::uint64_t sort_index) {
  TextBuffer quoted(64);
  metadata("thread_name", pid, tid, "name", quoted.json(name).view());
  metadata("thread_sort_index", pid, tid, "sort_index", std::to_string(sort_index));
}

Status Timeline::close() {
  file_.text("]");
  return file_.close();
}

}  // namespace npuprof::report
