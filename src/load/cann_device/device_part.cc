#include "load/cann_device/device_part.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "load/impossible_times.h"
#include "trace/append.h"
#include "trace/device/device_tasks.h"
#include "trace/table_list.h"

namespace npuprof::load {

void DevicePart::append_to(trace::Trace& trace) {
  // Without a clock, times of different sources must at least fit each other.
  std::int64_t begin_ns = info.counter_begin_ns;
  const auto& tasks = tables.device_tasks();
  if (begin_ns == 0 && tasks.size() > 0) {
    begin_ns = middle_of(tasks.start_ns);
    if (begin_ns == 0) begin_ns = 1;  // 0 is for none.
    is_clock_sure = true;
  }
  std::uint64_t dropped = 0;
  for (const trace::AnyTable& table : trace::tables_of(tables)) {
    dropped +=
        drop_impossible_times(table, 0, {.begin_ns = begin_ns, .is_clock_sure = is_clock_sure});
  }
  trace::append(trace, std::move(tables));

  const auto is_same = [&](const trace::DeviceInfo& other) { return other.id == info.id; };
  if (std::none_of(trace.devices.begin(), trace.devices.end(), is_same)) {
    trace.devices.push_back(std::move(info));
  }
  report_impossible_times(dropped, directory, losses);
}

}  // namespace npuprof::load
