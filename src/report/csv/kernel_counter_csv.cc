#include "report/csv/kernel_counter_csv.h"

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/sort_order.h"
#include "base/units.h"
#include "format/device/chips.h"
#include "format/device/l2_cache.h"
#include "report/tables/text_table.h"
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
  rates.has_first = !format::device::has_stars(chip->family);
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

double rate_of(const RateEvents& events, std::span<const SignedEvent> part,
               const trace::CacheCounts& counts) {
  const auto requests = format::device::sum_events(events.requests, events.collected, counts);
  const auto wanted = format::device::sum_events(part, events.collected, counts);
  return requests == 0 ? 0 : static_cast<double>(wanted) / static_cast<double>(requests);
}

// Counters of one kind with what they mean on each device.
class CounterRows {
 public:
  CounterRows(const Trace& trace, CacheCounterKind kind,
              RateEvents (*rates_of)(const trace::DeviceInfo&))
      : trace_(trace), rows_(rows_of_kind(trace.cache_counters(), kind)) {
    for (const std::uint32_t row : rows_) devices_.try_emplace(trace.cache_counters().device[row]);
    for (const trace::DeviceInfo& device : trace.devices) {
      const auto place = devices_.find(device.id);
      if (place != devices_.end() && rates_of != nullptr) place->second = rates_of(device);
    }
  }

  struct Row {
    const Trace& trace;
    const RateEvents& events;
    std::uint32_t row;

    const trace::CacheCounters& counters() const { return trace.cache_counters(); }
    std::uint16_t device() const { return counters().device[row]; }
    std::uint16_t stream() const { return counters().stream[row]; }
    std::uint32_t task() const { return counters().task[row]; }
    std::optional<double> first_rate() const {
      if (!events.has_first) return std::nullopt;
      return rate_of(events, events.first, counters().counts[row]);
    }
    double second_rate() const { return rate_of(events, events.second, counters().counts[row]); }
    auto first_count() const { return counters().counts[row][0]; }
    std::string_view name() const { return kernel_name(trace, counters().kernel[row]); }
  };
  std::size_t size() const { return rows_.size(); }
  Row operator[](std::size_t i) const {
    const std::uint32_t row = rows_[i];
    return {trace_, devices_.at(trace_.cache_counters().device[row]), row};
  }

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> rows_;
  std::map<std::uint16_t, RateEvents> devices_;
};

constexpr auto kCounterDevice = column(TextColumn{"Device_id"}, &CounterRows::Row::device);
constexpr auto kCounterStream = column(TextColumn{"Stream Id"}, &CounterRows::Row::stream);
constexpr auto kCounterTask = column(TextColumn{"Task Id"}, &CounterRows::Row::task);
constexpr auto kCounterName = column(TextColumn{"Op Name"}, &CounterRows::Row::name);

constexpr auto rate_table(std::string_view file, std::string_view first, std::string_view second) {
  return text_table(
      file, kCounterDevice, kCounterStream, kCounterTask,
      column(or_not_available(first, Print::kRoundedPoint6), &CounterRows::Row::first_rate),
      column(TextColumn{second, Print::kRoundedPoint6}, &CounterRows::Row::second_rate),
      kCounterName);
}
constexpr auto kL2Cache = rate_table("l2_cache", "Hit Rate", "Victim Rate");
constexpr auto kSocPmu = rate_table("soc_pmu", "TLB Hit Rate", "TLB Miss Rate");

constexpr auto kPageFault =
    text_table("page_fault", column(TextColumn{"Device Id"}, &CounterRows::Row::device),
               kCounterStream, kCounterTask,
               column(TextColumn{"Page Fault Num"}, &CounterRows::Row::first_count), kCounterName);

// Nodes of AI CPUs of the run, in order of time.
class AicpuRows {
 public:
  explicit AicpuRows(const Trace& trace) : trace_(trace) {
    for (const std::uint32_t row : stable_order(trace.aicpu_nodes().start_ns)) {
      if (trace.aicpu_nodes().start_ns[row] >= trace.session.begin_ns) rows_.push_back(row);
    }
  }

  struct Row {
    const Trace& trace;
    std::uint32_t row;

    const trace::AicpuNodes& nodes() const { return trace.aicpu_nodes(); }
    std::string_view name() const { return kernel_name(trace, nodes().kernel[row]); }
  };
  std::size_t size() const { return rows_.size(); }
  Row operator[](std::size_t i) const { return {trace_, rows_[i]}; }

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> rows_;
};

template <typename Column>
constexpr auto aicpu_column(TextColumn schema, Column trace::AicpuNodes::*of_nodes) {
  return column(schema,
                [of_nodes](const AicpuRows::Row& row) { return (row.nodes().*of_nodes)[row.row]; });
}

constexpr auto kAicpu = text_table(
    "aicpu",  //
    aicpu_column({"Device_id"}, &trace::AicpuNodes::device),
    aicpu_column({"Timestamp(us)", Print::kTimeUs}, &trace::AicpuNodes::start_ns),
    column(TextColumn{"Node"}, &AicpuRows::Row::name),
    aicpu_column({"Compute_time(us)", Print::kRoundedPoint}, &trace::AicpuNodes::compute_us),
    aicpu_column({"Memcpy_time(us)", Print::kRoundedPoint}, &trace::AicpuNodes::copy_us),
    aicpu_column({"Task_time(us)", Print::kRoundedPoint}, &trace::AicpuNodes::task_us),
    aicpu_column({"Dispatch_time(us)", Print::kRoundedPoint}, &trace::AicpuNodes::dispatch_us),
    aicpu_column({"Total_time(us)", Print::kRoundedPoint}, &trace::AicpuNodes::total_us),
    aicpu_column({"Stream ID"}, &trace::AicpuNodes::stream),
    aicpu_column({"Task ID"}, &trace::AicpuNodes::task));
constexpr auto kDataPreprocess = kAicpu.in_file("data_preprocess");

using trace::DataQueueEvents;
constexpr auto kDp = text_table(
    "dp",  //
    column(TextColumn{"Device_id"}, cell(&DataQueueEvents::device)),
    column(TextColumn{"Timestamp(us)", Print::kTimeUs}, cell(&DataQueueEvents::start_ns)),
    column(TextColumn{"Action"}, text_cell(&DataQueueEvents::name)),
    column(TextColumn{"Source"}, text_cell(&DataQueueEvents::source)),
    column(TextColumn{"Cached Buffer Size"}, cell(&DataQueueEvents::queue_size)));

constexpr auto kAicpuMi = text_table(
    "aicpu_mi",  //
    column(TextColumn{"Device_id"}, cell(&DataQueueEvents::device)),
    column(or_not_available("Node Name"), text_cell(&DataQueueEvents::name)),
    column(TextColumn{"Start Time(us)", Print::kTimeUs}, cell(&DataQueueEvents::start_ns)),
    column(TextColumn{"End Time(us)", Print::kTimeUs}, cell(&DataQueueEvents::end_ns)),
    column(TextColumn{"Queue Size"}, cell(&DataQueueEvents::queue_size)));

}  // namespace

Status write_cache_counters(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  NPUPROF_RETURN_IF_ERROR(write_text_table<kL2Cache>(
      CounterRows(trace, CacheCounterKind::kL2, l2_rates), target, pool));
  return write_text_table<kSocPmu>(CounterRows(trace, CacheCounterKind::kSmmu, translation_rates),
                                   target, pool);
}

Status write_page_faults(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kPageFault>(CounterRows(trace, CacheCounterKind::kPageFault, nullptr),
                                      target, pool);
}

Status write_aicpu(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kAicpu>(AicpuRows(trace), target, pool);
}

Status write_data_preprocess(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  return write_text_table<kDataPreprocess>(AicpuRows(trace), target, pool);
}

Status write_data_queues(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& events = trace.data_queue_events();
  std::vector<std::uint32_t> steps;
  std::vector<std::uint32_t> waits;
  for (const std::uint32_t row : stable_order(events.start_ns)) {
    (events.is_wait[row] != 0 ? waits : steps).push_back(row);
  }
  NPUPROF_RETURN_IF_ERROR(write_text_table<kDp>(
      ListedRows<DataQueueEvents>{events, steps, &trace.strings}, target, pool));
  return write_text_table<kAicpuMi>(ListedRows<DataQueueEvents>{events, waits, &trace.strings},
                                    target, pool);
}

}  // namespace npuprof::report
