// Timelines that MindSpore made for display: the part of EventRows that reads their operators.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "load/chrome_trace/event_rows.h"
#include "load/shown_text.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

// Texts of the tensors of one direction, as kernels have them.
struct DisplayTensors {
  std::string shapes;
  std::string types;
  std::string formats;

  void add(std::string_view json) {
    const auto tensor = nlohmann::json::parse(json, nullptr, false);
    if (!tensor.is_object()) return;
    const auto text = [&](const char* key) {
      const auto found = tensor.find(key);
      return found != tensor.end() && found->is_string() ? found->get<std::string>() : "";
    };
    constexpr std::string_view kTypePrefix = "NUMBER_TYPE_";
    std::string type = text("data_type");
    if (type.starts_with(kTypePrefix)) type.erase(0, kTypePrefix.size());
    const char* separator = count_++ == 0 ? "" : ";";
    shapes += separator + text("shape");
    types += separator + type;
    formats += separator + text("format");
  }
  std::string joined() const {
    if (count_ == 0) return std::string(2, kTextSeparator);
    return '"' + shapes + '"' + kTextSeparator + types + kTextSeparator + formats;
  }

 private:
  int count_ = 0;
};

}  // namespace

void EventRows::add_display_task(const Event& event, const EventPlace& place,
                                 const Process& process) {
  if (event.thread.text == "Ops") return add_operator(event, place);  // Of a GPU's host.
  if (place.tid >= kFirstDisplaySummary) return pass_over("steps and scopes");
  trace::Tasks& tasks = rows_.tables.tasks();
  append_task(tasks, place, process.device, static_cast<std::uint32_t>(place.tid));
  tasks.shown_type.back() = intern(process.task_type);
  std::string_view name = event.name;
  std::string_view type = event.text("type");
  DisplayTensors inputs;
  DisplayTensors outputs;
  for (const Event::Argument& argument : event.arguments) {
    if (argument.key == "fullname") name = argument.value.text;
    if (argument.key == "op_full_name") type = type_of_node(argument.value.text);  // Of a GPU.
    if (argument.key.starts_with("input_")) inputs.add(argument.value.text);
    if (argument.key.starts_with("output_")) outputs.add(argument.value.text);
  }
  TaskIds& ids = rows_.task_ids;
  ids.connection.push_back(kNoConnection);
  ids.name.push_back(intern(name));
  ids.op_type.push_back(intern(type));
  ids.blocks.push_back(0);
  ids.is_foreign.push_back(0);
  ids.tensors.push_back(intern(inputs.joined() + kTextSeparator + outputs.joined()));
}

}  // namespace npuprof::load
