// The module npuprof._native: the recorder for Python. npuprof/_backend.py describes its interface
// and is its only user.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "npuprof/record.h"
#include "session.h"

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

SessionConfig read_config(const py::dict& config) {
  SessionConfig result;
  const auto activities = take<Texts>(config, "activities", {"CPU", "NPU"});
  const auto has = [&](const char* name) {
    return std::find(activities.begin(), activities.end(), name) != activities.end();
  };
  result.cpu = has("CPU");
  result.npu = has("NPU");
  result.mstx = take(config, "mstx", false) || take(config, "msprof_tx", false);
  result.mstx_domain_include = take<Texts>(config, "mstx_domain_include", {});
  result.mstx_domain_exclude = take<Texts>(config, "mstx_domain_exclude", {});
  result.host_sys = take<Texts>(config, "host_sys", {});
  result.rank = take<std::int64_t>(config, "rank", -1);
  result.info_json = take<std::string>(config, "info_json", "");
  return result;
}

py::dict start(Session& session) {
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

void mark(const std::string& message, const std::string& domain, std::uintptr_t) {
  npuprof_mark_a(domain_number(domain), message.c_str());
}

std::uint64_t range_start(const std::string& message, const std::string& domain, std::uintptr_t) {
  return npuprof_range_start_a(domain_number(domain), message.c_str());
}

void range_end(std::uint64_t id, const std::string& domain) {
  npuprof_range_end_a(domain_number(domain), id);
}

void range_push(const std::string& name) {
  if (Session::records_ranges()) npuprof_range_push(name.c_str());
}

void range_pop() {
  if (Session::records_ranges()) npuprof_range_pop();
}

}  // namespace
}  // namespace npuprof::python

PYBIND11_MODULE(_native, module) {
  using namespace npuprof::python;  // NOLINT(*-using-namespace): this is their Python face.
  using WithoutLock = py::call_guard<py::gil_scoped_release>;

  py::class_<Session>(module, "Session")
      .def(py::init([](const std::string& result_directory, const py::dict& config) {
        return std::make_unique<Session>(result_directory, read_config(config));
      }))
      .def("warmup", &Session::warmup, WithoutLock())
      .def("start", &start)
      .def("stop", &Session::stop, WithoutLock())
      .def("finalize", &Session::finalize, WithoutLock());
  module.def("mark", &mark);
  module.def("range_start", &range_start);
  module.def("range_end", &range_end);
  module.def("range_push", &range_push);
  module.def("range_pop", &range_pop);
  module.def("timestamp", &npuprof_timestamp_ns);
  module.def("supported_features", [] { return std::vector<std::string>(); });
}
