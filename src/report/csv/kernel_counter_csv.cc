#include "report/csv/kernel_counter_csv.h"

#include <array>
#include <map>
#include <span>
#include <vector>

#include "base/sort_order.h"
#include "base/units.h"
#include "format/device/chips.h"
#include "format/device/l2_cache.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/cache_counters.h"
#include "trace/device/data_queue_events.h"
#include "trace/linked/kernels.h"

namespace npuprof::report {
namespace {

using format::device::SignedEvent;
using trace::CacheCounterKind;
using trace::kNone;
using trace::Trace;

constexpr int kRateDecimals = 6;

std::vector<std::uint32_t> rows_of_kind(const trace::CacheCounters& counters,
                                        CacheCounterKind kind) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < counters.size(); ++i) {
    if (counters.kind[i] == static_cast<std::uint8_t>(kind)) rows.push_back(i);
  }
  return rows;
}

std::string_view kernel_name(const Trace& trace, std::uint32_t kernel) {
  return kernel == kNone ? kNotAvailable : trace.strings.view(trace.kernels().name[kernel]);
}

// How two rates follow from the counters of a device.
struct RateEvents {
  std::vector<std::uint16_t> collected;
  std::span<const SignedEvent> requests;
  std::span<const SignedEvent> first;
  std::span<const SignedEvent> second;
  bool has_first = true;
};

RateEvents l2_rates(const trace::DeviceInfo& device) {
  const format::device::Chip* chip = format::device::find_chip(device.chip);
  if (chip == nullptr) return {};
  const format::device::L2Events events = format::device::l2_events(chip->id);
  RateEvents rates{.requests = events.requests, .first = events.hits, .second = events.victims};
  rates.collected.assign(device.l2_events.begin(), device.l2_events.end());
  if (rates.collected.empty()) {
    rates.collected.assign(events.collected.begin(), events.collected.end());
  }
  // Hits are not counted in a way that goes with the requests of these chips.
  rates.has_first = chip->family != format::device::ChipFamily::kStars &&
                    chip->family != format::device::ChipFamily::kStarsV6;
  return rates;
}

RateEvents translation_rates(const trace::DeviceInfo& device) {
  using namespace format::device;  // NOLINT(google-build-using-namespace): event names.
  static constexpr SignedEvent kRequests[] = {{kSmmuRequest, 1}};
  static constexpr SignedEvent kHits[] = {{kSmmuHits[0], 1}, {kSmmuHits[1], 1}};
  static constexpr SignedEvent kMisses[] = {{kSmmuMiss, 1}};
  RateEvents rates{.requests = kRequests, .first = kHits, .second = kMisses};
  rates.collected.assign(device.smmu_events.begin(), device.smmu_events.end());
  if (rates.collected.empty()) rates.collected.assign(kSmmuEvents.begin(), kSmmuEvents.end());
  return rates;
}

void put_rate(TextBuffer& out, const RateEvents& events, std::span<const SignedEvent> part,
              const trace::CacheCounts& counts) {
  const auto requests = format::device::sum_events(events.requests, events.collected, counts);
  const auto wanted = format::device::sum_events(part, events.collected, counts);
  out.rounded(requests == 0 ? 0 : static_cast<double>(wanted) / static_cast<double>(requests),
              kRateDecimals, true);
}

// Stream, task, two rates and the kernel's name.
Status write_rates(const Trace& trace, CacheCounterKind kind, std::string_view stem,
                   std::string_view header, RateEvents (*rates_of)(const trace::DeviceInfo&),
                   const CsvTarget& target, ThreadPool& pool) {
  const auto& counters = trace.cache_counters();
  const std::vector<std::uint32_t> rows = rows_of_kind(counters, kind);
  std::map<std::uint16_t, RateEvents> devices;
  for (const std::uint32_t row : rows) devices.try_emplace(counters.device[row]);
  for (const trace::DeviceInfo& device : trace.devices) {
    if (const auto place = devices.find(device.id); place != devices.end()) {
      place->second = rates_of(device);
    }
  }
  return write_csv(
      target, stem, header, rows.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t row = rows[i];
          const RateEvents& events = devices.at(counters.device[row]);
          out.integer(counters.device[row]).character(',').integer(counters.stream[row]);
          out.character(',').integer(counters.task[row]).character(',');
          if (events.has_first) {
            put_rate(out, events, events.first, counters.counts[row]);
          } else {
            out.text(kNotAvailable);
          }
          out.character(',');
          put_rate(out, events, events.second, counters.counts[row]);
          out.character(',').csv(kernel_name(trace, counters.kernel[row])).text(target.line_end);
        }
      },
      pool);
}

}  // namespace

Status write_cache_counters(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  NPUPROF_RETURN_IF_ERROR(write_rates(trace, CacheCounterKind::kL2, "l2_cache",
                                      "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name",
                                      l2_rates, target, pool));
  return write_rates(trace, CacheCounterKind::kSmmu, "soc_pmu",
                     "Device_id,Stream Id,Task Id,TLB Hit Rate,TLB Miss Rate,Op Name",
                     translation_rates, target, pool);
}

Status write_page_faults(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& counters = trace.cache_counters();
  const std::vector<std::uint32_t> rows = rows_of_kind(counters, CacheCounterKind::kPageFault);
  return write_csv(
      target, "page_fault", "Device Id,Stream Id,Task Id,Page Fault Num,Op Name", rows.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t row = rows[i];
          out.integer(counters.device[row]).character(',').integer(counters.stream[row]);
          out.character(',').integer(counters.task[row]).character(',');
          out.integer(counters.counts[row][0]).character(',');
          out.csv(kernel_name(trace, counters.kernel[row])).text(target.line_end);
        }
      },
      pool);
}

Status write_aicpu(const Trace& trace, std::string_view stem, const CsvTarget& target,
                   ThreadPool& pool) {
  const auto& nodes = trace.aicpu_nodes();
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t row : stable_order(nodes.start_ns)) {
    if (nodes.start_ns[row] >= trace.session.begin_ns) rows.push_back(row);
  }
  return write_csv(
      target, stem,
      "Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),"
      "Dispatch_time(us),Total_time(us),Stream ID,Task ID",
      rows.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t row = rows[i];
          out.integer(nodes.device[row]).character(',');
          out.microseconds(nodes.start_ns[row]).text("\t,");
          out.csv(kernel_name(trace, nodes.kernel[row])).character(',');
          for (const double us : {nodes.compute_us[row], nodes.copy_us[row], nodes.task_us[row],
                                  nodes.dispatch_us[row], nodes.total_us[row]}) {
            out.rounded(us, 3, true).character(',');
          }
          out.integer(nodes.stream[row]).character(',').integer(nodes.task[row]);
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_data_queues(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& events = trace.data_queue_events();
  std::vector<std::uint32_t> steps;
  std::vector<std::uint32_t> waits;
  for (const std::uint32_t row : stable_order(events.start_ns)) {
    (events.is_wait[row] != 0 ? waits : steps).push_back(row);
  }
  NPUPROF_RETURN_IF_ERROR(write_csv(
      target, "dp", "Device_id,Timestamp(us),Action,Source,Cached Buffer Size", steps.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t row = steps[i];
          out.integer(events.device[row]).character(',');
          out.microseconds(events.start_ns[row]).text("\t,");
          out.csv(trace.strings.view(events.name[row])).character(',');
          out.csv(trace.strings.view(events.source[row])).character(',');
          out.integer(events.queue_size[row]).text(target.line_end);
        }
      },
      pool));
  return write_csv(
      target, "aicpu_mi", "Device_id,Node Name,Start Time(us),End Time(us),Queue Size",
      waits.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t row = waits[i];
          out.integer(events.device[row]).character(',');
          out.csv(trace.strings.view(events.name[row])).character(',');
          out.microseconds(events.start_ns[row]).text("\t,");
          out.microseconds(events.end_ns[row]).text("\t,");
          out.integer(events.queue_size[row]).text(target.line_end);
        }
      },
      pool);
}

}  // namespace npuprof::report
