#include "report/json/key_averages_json.h"

#include <string_view>

#include "base/json_writer.h"
#include "base/text.h"
#include "format/framework/text_list.h"

namespace npuprof::report {
namespace {

// "64,512;" is [[64,512],[]].
void put_shapes(JsonWriter& json, const analyze::KeyAverage& average) {
  json.key("input_shapes").begin_array();
  if (average.has_shapes) {
    format::framework::for_each_item(average.shapes, ';', [&](std::string_view shape) {
      json.begin_array();
      format::framework::for_each_item(shape, ',', [&](std::string_view size) {
        if (const auto number = parse_number<std::int64_t>(size)) json.value(*number);
      });
      json.end_array();
    });
  }
  json.end_array();
}

void put_stack(JsonWriter& json, std::string_view stack) {
  json.key("stack").begin_array();
  if (!stack.empty()) {
    for (const std::string_view frame : split(stack, ';')) json.value(frame);
  }
  json.end_array();
}

void put_numbers(JsonWriter& json, const analyze::KeyAverage& average) {
  json.member("key", average.name).member("count", average.count);
  json.member("cpu_time_total", average.cpu_ns).member("self_cpu_time_total", average.self_cpu_ns);
  json.member("npu_time_total", average.npu_ns).member("self_npu_time_total", average.self_npu_ns);
  json.member("cpu_memory_usage", average.cpu_bytes);
  json.member("self_cpu_memory_usage", average.self_cpu_bytes);
  json.member("npu_memory_usage", average.npu_bytes);
  json.member("self_npu_memory_usage", average.self_npu_bytes);
  json.member("flops", average.flops).member("scope", average.scope);
  json.member("is_async", average.is_async);
  put_shapes(json, average);
  put_stack(json, average.stack);
}

}  // namespace

std::string key_averages_json(const std::vector<analyze::KeyAverage>& averages, bool simulated) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("simulated", simulated).key("operators").begin_array();
  for (const analyze::KeyAverage& average : averages) {
    json.begin_object();
    put_numbers(json, average);
    json.end_object();
  }
  json.end_array().end_object();
  text += '\n';
  return text;
}

std::string operator_events_json(const std::vector<analyze::OperatorEvent>& events,
                                 bool simulated) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("simulated", simulated).key("operators").begin_array();
  for (const analyze::OperatorEvent& event : events) {
    json.begin_object();
    put_numbers(json, event.numbers);
    json.member("start", event.start_ns).member("end", event.end_ns);
    json.member("thread", event.tid).member("sequence", event.sequence);
    json.member("forward_thread", event.forward_thread);
    if (event.parent != trace::kNone) json.member("parent", event.parent);
    json.end_object();
  }
  json.end_array().end_object();
  text += '\n';
  return text;
}

}  // namespace npuprof::report
