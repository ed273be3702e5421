// The module npuprof._native: the recorder for Python. npuprof/_backend.py describes its interface
// and is its only user.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "cann/aicore_metrics.h"
#include "cann/client.h"
#include "cann/profiling_options.h"
#include "device_side.h"
#include "graph_collection.h"
#include "npuprof/record.h"
#include "profiler_session.h"

namespace py = pybind11;

namespace npuprof::python {
namespace {

// Ticks per microsecond that readers are told of; record times are nanoseconds, so nobody uses it.
constexpr int kCounterMhz = 100;

template <typename Value>
Value take(const py::dict& config, const char* key, Value otherwise) {
  if (!config.contains(key) || config[key].is_none()) return otherwise;
  return py::cast<Value>(config[key]);
}

using Texts = std::vector<std::string>;

cann::CollectionOptions read_device_options(const py::dict& config) {
  const auto is_on = [&](const char* key) { return take(config, key, false); };
  cann::CollectionOptions options;
  options.profiler_level = take(config, "profiler_level", options.profiler_level);
  options.aic_metrics = take(config, "aic_metrics", options.aic_metrics);
  options.l2_cache = is_on("l2_cache");
  options.mstx = is_on("mstx") || is_on("msprof_tx");
  options.op_attr = is_on("op_attr");
  options.record_shapes = is_on("record_shapes");
  options.profile_memory = is_on("profile_memory");
  options.sys_io = is_on("sys_io");
  options.sys_interconnection = is_on("sys_interconnection");
  options.host_sys = take<Texts>(config, "host_sys", {});
  return options;
}

SessionConfig read_config(const py::dict& config) {
  SessionConfig result;
  const auto activities = take<Texts>(config, "activities", {"CPU", "NPU"});
  const auto has = [&](const char* name) {
    return std::find(activities.begin(), activities.end(), name) != activities.end();
  };
  result.cpu = has("CPU");
  result.npu = has("NPU");
  result.recorder = take(config, "recorder", true);
  result.device = read_device_options(config);
  result.mstx_domain_include = take<Texts>(config, "mstx_domain_include", {});
  result.mstx_domain_exclude = take<Texts>(config, "mstx_domain_exclude", {});
  result.rank = take<std::int64_t>(config, "rank", -1);
  result.info_json = take<std::string>(config, "info_json", "");
  return result;
}

py::dict start(ProfilerSession& session) {
  std::int64_t start_ns = 0;
  {
    const py::gil_scoped_release other_threads_run;
    start_ns = session.start();
  }
  py::dict clock;
  clock["syscnt_enable"] = false;
  clock["freq"] = kCounterMhz;
  clock["start_cnt"] = 0;
  clock["start_monotonic"] = start_ns;
  return clock;
}

// Domains have numbers; those in use are remembered. Only used with the interpreter's lock.
npuprof_domain domain_number(const std::string& name) {
  static auto& known = *new std::unordered_map<std::string, npuprof_domain>{
      {"default", npuprof_domain{NPUPROF_DEFAULT_DOMAIN}}};
  const auto [entry, is_new] = known.try_emplace(name, 0);
  if (is_new) entry->second = npuprof_domain_create(name.c_str());
  return entry->second;
}

// Ids of ranges that CANN knows have this bit, those of the recorder never have it.
constexpr std::uint64_t kIdOfCann = std::uint64_t{1} << 63;

void mark(const std::string& message, const std::string& domain, std::uintptr_t stream) {
  if (cann::Markers* const markers = DeviceSide::markers()) {
    const py::gil_scoped_release other_threads_run;
    markers->mark(message, domain, stream);
  } else {
    npuprof_mark_a(domain_number(domain), message.c_str());
  }
}

std::uint64_t range_start(const std::string& message, const std::string& domain,
                          std::uintptr_t stream) {
  if (cann::Markers* const markers = DeviceSide::markers()) {
    const py::gil_scoped_release other_threads_run;
    const std::uint64_t id = markers->range_start(message, domain, stream);
    return id != 0 ? id | kIdOfCann : 0;
  }
  return npuprof_range_start_a(domain_number(domain), message.c_str());
}

void range_end(std::uint64_t id, const std::string& domain) {
  if ((id & kIdOfCann) == 0) {
    npuprof_range_end_a(domain_number(domain), id);
  } else if (cann::Markers* const markers = DeviceSide::markers()) {
    const py::gil_scoped_release other_threads_run;
    markers->range_end(id & ~kIdOfCann, domain);
  }
}

cann::ProfilingOptions checked_options(const std::string& text) {
  auto options = cann::parse_profiling_options(text, options_target());
  if (!options.ok()) throw py::value_error(options.error().message);
  return std::move(options).value();
}

py::dict described(const cann::ProfilingOptions& options) {
  py::dict result;
  result["output"] = options.output;
  result["training_trace"] = options.training_trace;
  result["fp_point"] = options.fp_point;
  result["bp_point"] = options.bp_point;
  result["notes"] = options.notes;
  return result;
}

std::vector<std::string> supported_features() {
  const Result<cann::Client>& client = cann::Client::shared();
  return client.ok() ? client->features() : std::vector<std::string>();
}

void range_push(const std::string& name) {
  if (ProfilerSession::records_ranges()) npuprof_range_push(name.c_str());
}

void range_pop() {
  if (ProfilerSession::records_ranges()) npuprof_range_pop();
}

}  // namespace
}  // namespace npuprof::python

PYBIND11_MODULE(_native, module) {
  using namespace npuprof::python;  // NOLINT(*-using-namespace): this is their Python face.
  namespace cann = npuprof::cann;
  using WithoutLock = py::call_guard<py::gil_scoped_release>;

  py::class_<ProfilerSession>(module, "Session")
      .def(py::init([](const std::string& result_directory, const py::dict& config) {
        SessionConfig options = read_config(config);
        if (take(config, "record_op_args", false)) {
          options.device.op_args_directory = result_directory + "_op_args";
        }
        const py::gil_scoped_release other_threads_run;
        return std::make_unique<ProfilerSession>(result_directory, std::move(options));
      }))
      .def("warmup", &ProfilerSession::warmup, WithoutLock())
      .def("start", &start)
      .def("is_simulated", &ProfilerSession::is_simulated)
      .def("stop", &ProfilerSession::stop, WithoutLock())
      .def("finalize", &ProfilerSession::finalize, WithoutLock());
  py::class_<GraphCollection>(module, "GraphCollection")
      .def(py::init([](const std::string& options) {
        const cann::ProfilingOptions checked = checked_options(options);
        const py::gil_scoped_release other_threads_run;
        return std::make_unique<GraphCollection>(checked);
      }))
      .def(py::init<const std::string&, const std::string&, const std::string&>(), WithoutLock())
      .def_property_readonly("is_simulated", &GraphCollection::is_simulated)
      .def("stop", &GraphCollection::stop, WithoutLock());
  module.def("check_profiling_options",
             [](const std::string& text) { return described(checked_options(text)); });
  module.def("metrics_names", [] {
    std::vector<std::string> names;
    for (const std::string_view name : cann::metrics_names()) names.emplace_back(name);
    return names;
  });
  module.attr("ADAPTER_DEFAULT_OPTIONS") = cann::kAdapterDefaultOptions;
  module.attr("ENVIRONMENT_DEFAULT_OPTIONS") = cann::kEnvironmentDefaultOptions;
  module.def("mark", &mark);
  module.def("range_start", &range_start);
  module.def("range_end", &range_end);
  module.def("range_push", &range_push);
  module.def("range_pop", &range_pop);
  module.def("timestamp", &npuprof_timestamp_ns);
  module.def("supported_features", &supported_features, WithoutLock());
}
