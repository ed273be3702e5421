#include "report/chrome_trace/json_timeline.h"

#include <cmath>
#include <utility>

namespace npuprof::report {

JsonEvent& JsonEvent::name(std::string_view name) {
  out_.text(",{\"name\":").json(name).text(",\"pid\":").integer(place_.pid);
  out_.text(",\"tid\":").integer(place_.tid);
  out_.text(",\"ts\":\"").microseconds(place_.start_ns).text("\",\"dur\":");
  // Durations are numbers: three decimals at most, so nothing is lost.
  out_.microseconds(place_.end_ns - place_.start_ns).text(",\"ph\":\"X\"");
  state_ = State::kOpen;
  return *this;
}

// Readers bind an end to the slice of its lane around its time.
void JsonEvent::arrow(char phase, ArrowKind kind, std::uint64_t id) {
  close();
  const ArrowStyle style = arrow_style(kind);
  out_.text(",{\"name\":\"").text(style.name);
  if (style.name_has_id) out_.integer(id);
  out_.text("\",\"pid\":").integer(place_.pid).text(",\"tid\":").integer(place_.tid);
  out_.text(",\"ph\":\"").character(phase).text("\",\"cat\":\"").text(style.category);
  out_.text("\",\"ts\":\"").microseconds(place_.start_ns).character('"');
  if (phase == 'f' || style.start_binds) out_.text(",\"bp\":\"e\"");
  const std::string_view quote = style.id_is_text ? "\"" : "";
  out_.text(",\"id\":").text(quote).integer(id).text(quote).character('}');
}

Result<JsonTimeline> JsonTimeline::create(const std::filesystem::path& path, ThreadPool& pool,
                                          std::optional<std::int64_t> origin_ns) {
  NPUPROF_ASSIGN_OR_RETURN(auto file, ParallelFile::create(path, pool));
  if (origin_ns) {
    file.text("{\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":" + std::to_string(*origin_ns) +
              ",\"traceEvents\":");
  }
  file.text("[");
  return JsonTimeline(std::move(file), origin_ns);
}

void JsonTimeline::metadata(std::string_view name, std::uint64_t pid, std::uint64_t tid,
                            std::string_view key, std::string_view json_value) {
  TextBuffer out(512);
  if (!std::exchange(empty_, false)) out.character(',');
  out.text("{\"name\":\"").text(name).text("\",\"pid\":").integer(pid).text(",\"tid\":");
  out.integer(tid).text(",\"ph\":\"M\",\"args\":{\"").text(key).text("\":").text(json_value);
  out.text("}}");
  file_.text(out.view());
}

void JsonTimeline::layer(const Layer& layer, std::uint64_t pid, std::uint32_t device) {
  TextBuffer name(64);
  metadata("process_name", pid, 0, "name", name.json(layer.name).view());
  TextBuffer label(64);
  metadata("process_labels", pid, 0, "labels", label.json(layer_label(layer, device)).view());
  metadata("process_sort_index", pid, 0, "sort_index", std::to_string(layer.sort_index));
}

void JsonTimeline::lane(std::uint64_t pid, std::uint64_t tid, std::string_view name,
                        std::uint64_t sort_index) {
  TextBuffer quoted(64);
  metadata("thread_name", pid, tid, "name", quoted.json(name).view());
  metadata("thread_sort_index", pid, tid, "sort_index", std::to_string(sort_index));
}

std::uint32_t JsonTimeline::counter(std::uint64_t pid, std::string_view name,
                                    const std::vector<std::string>& series) {
  counters_.push_back({pid, std::string(name), series});
  return static_cast<std::uint32_t>(counters_.size() - 1);
}

void JsonTimeline::put_sample(TextBuffer& out, const CounterSample& sample) const {
  const Counter& counter = counters_[sample.counter];
  out.text(",{\"name\":").json(counter.name).text(",\"pid\":").integer(counter.pid);
  out.text(",\"tid\":0,\"ts\":\"")
      .microseconds(sample.time_ns - origin_ns_)
      .text("\",\"ph\":\"C\",\"args\":{");
  bool is_first = true;
  for (std::size_t i = 0; i < counter.series.size(); ++i) {
    if (!std::isfinite(sample.values[i])) continue;
    if (!std::exchange(is_first, false)) out.character(',');
    out.json(counter.series[i]).character(':').real(sample.values[i]);
  }
  out.text("}}");
}

Status JsonTimeline::close() {
  file_.text(in_object_ ? "]}" : "]");
  return file_.close();
}

}  // namespace npuprof::report
