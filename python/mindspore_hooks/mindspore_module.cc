// The module npuprof._mindspore: makes the framework's part of a result directory from what
// MindSpore recorded by itself. npuprof/_backend.py describes its interface and is its only user.

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include <pybind11/pybind11.h>

#include "device_launches.h"
#include "format/framework/file_names.h"
#include "format/mindspore/file_names.h"
#include "framework_output.h"
#include "recorded_files.h"
#include "recorded_times.h"
#include "shape_question.h"

namespace py = pybind11;
namespace fs = std::filesystem;

namespace npuprof::mindspore_hooks {
namespace {

struct Settings {
  fs::path result_directory;
  fs::path recorded_directory;
  RecordedTimes times;
  std::int64_t rank = 0;
  bool launches = false;
  bool memory = false;
  bool shapes = false;
};

Settings read_settings(const py::dict& given) {
  Settings settings;
  settings.result_directory = py::cast<std::string>(given["result_directory"]);
  settings.recorded_directory = py::cast<std::string>(given["recorded_directory"]);
  settings.times = {
      py::cast<std::uint64_t>(given["begin_ticks"]), py::cast<std::int64_t>(given["begin_ns"]),
      py::cast<std::uint64_t>(given["end_ticks"]), py::cast<std::int64_t>(given["end_ns"]),
      py::cast<std::int64_t>(given["wall_offset_ns"])};
  settings.rank = py::cast<std::int64_t>(given["rank"]);
  settings.launches = py::cast<bool>(given["launches"]);
  settings.memory = py::cast<bool>(given["memory"]);
  settings.shapes = py::cast<bool>(given["shapes"]);
  return settings;
}

void check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().message);
}

// The other files go where they belong, that of the memory pool without earlier recordings.
void move_the_rest(const RecordedFiles& files, const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("mindspore.") || name.starts_with("npuprof")) continue;
    if (name.starts_with(format::mindspore::kCpuMemoryStem)) {
      std::string text(format::mindspore::CpuMemory::kHeader);
      for (const auto& row : files.memory()) format::mindspore::append_cpu_memory(text, row);
      check(write_file(entry.path(), text));
    }
    fs::rename(entry.path(), to / name, error);
  }
  fs::remove_all(from, error);
}

std::uint64_t complete(const Settings& settings) {
  const fs::path framework = settings.result_directory / format::framework::kDirectoryName;
  RecordedFiles files(settings.recorded_directory, settings.times);
  DeviceLaunches launches;
  if (settings.launches) launches = launch_on_simulated_npu(files);
  check(write_ranges(framework, files.ranges(), launches.added,
                     written_clock(settings.result_directory, settings.times)));
  if (settings.shapes) check(write_shapes(framework, files.runs()));
  if (settings.memory) check(write_memory(framework, files, settings.rank, settings.times));
  move_the_rest(files, settings.recorded_directory, framework);
  return launches.kernels;
}

}  // namespace
}  // namespace npuprof::mindspore_hooks

PYBIND11_MODULE(_mindspore, module) {
  module.def("complete", [](const py::dict& given) {
    const npuprof::mindspore_hooks::Settings settings =
        npuprof::mindspore_hooks::read_settings(given);
    const py::gil_scoped_release other_threads_run;
    return npuprof::mindspore_hooks::complete(settings);
  });
  module.def("answer_shape_question", &npuprof::mindspore_hooks::answer_shape_question);
}
