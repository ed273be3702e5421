#include "sim/cann/op_args.h"

#include <filesystem>

#include <unistd.h>

#include "base/json_writer.h"
#include "format/host/enumerations.h"

namespace npuprof::sim::cann {
namespace {

namespace host = format::host;

void put_tensors(JsonWriter& json, const KernelDesc& kernel, bool outputs) {
  json.key(outputs ? "outputs" : "inputs").begin_array();
  for (const TensorDesc& tensor : kernel.tensors) {
    if (tensor.is_output != outputs) continue;
    std::string layout;
    host::append_tensor_format(layout, static_cast<std::uint32_t>(tensor.format));
    const auto type = host::tensor_data_type_name(static_cast<std::uint32_t>(tensor.type));
    json.begin_object().member("dtype", type).member("format", layout);
    json.key("shape").begin_array();
    for (const auto size : tensor.shape) json.value(size);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

Status OpArgsDump::start(const std::string& directory) {
  stop();
  NPUPROF_RETURN_IF_ERROR(make_directories(directory));
  const std::string name = "op_args_" + std::to_string(::getpid()) + ".json";
  auto file = FileWriter::create(std::filesystem::path(directory) / name);
  if (!file.ok()) return file.error();
  file_.emplace(std::move(file).value());
  return ok_status();
}

void OpArgsDump::stop() {
  file_.reset();
  known_.clear();
}

void OpArgsDump::put(std::string_view key, const KernelDesc& kernel) {
  if (!file_ || !known_.emplace(key).second) return;
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.member("op_type", kernel.type).member("name", kernel.name);
  json.member("attributes", kernel.attributes);
  put_tensors(json, kernel, false);
  put_tensors(json, kernel, true);
  json.end_object();
  line += '\n';
  file_->write(line);
  (void)file_->flush();  // New kinds are rare, and the program may be killed.
}

}  // namespace npuprof::sim::cann
