#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/device/instruction_words.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "report/timeline/unit_layers.h"
#include "trace/device/instruction_samples.h"
#include "trace/device/pipe_intervals.h"
#include "trace/device/pmu_counters.h"

namespace npuprof::report {
namespace {

using trace::PmuCore;

constexpr std::uint32_t kSortIndex = 32;
constexpr Layer kPipeLayer{"Biu Perf", kSortIndex, false};
constexpr std::array<std::string_view, 3> kCoreNames = {"aic", "aiv0", "aiv1"};

// In the order of PipeCycles.
constexpr std::array<std::string_view, 6> kSampledPipes = {"Vector", "Scalar", "Cube",
                                                           "Mte1",   "Mte2",   "Mte3"};
// Counters of a bus interface, and where they are in BusTraffic.
constexpr std::pair<std::string_view, std::size_t> kFlows[] = {
    {"Latency Read", 2}, {"Latency Write", 3}, {"Bandwidth Read", 4}, {"Bandwidth Write", 5}};

// Layers of single cores are many: their pids lie above those of the other layers.
constexpr std::uint64_t core_pid(std::uint16_t device, std::uint32_t number) {
  return std::uint64_t{1} << 31 | std::uint64_t{device} << 12 | number;
}

// Rows of InstructionSamples, in order of time.
using SampleRows = std::vector<std::uint32_t>;

// When the pipes of one core were busy, as far as samples tell: from the begin of the time that a
// sample covers, for as long as the pipe's cycles take.
class CoreLayer {
 public:
  CoreLayer(const trace::InstructionSamples& samples, const trace::DeviceInfo& device)
      : samples_(samples), device_(device) {}

  template <typename Sink>
  void write(const SampleRows& rows, std::uint64_t pid, Sink& sink) const {
    const std::uint32_t first = rows.front();
    const bool is_cube = samples_.core[first] == static_cast<std::uint8_t>(PmuCore::kAic);
    const std::string name = std::string(is_cube ? "aic" : "aiv") + "_core" +
                             std::to_string(samples_.core_id[first]) + "_group" +
                             std::to_string(samples_.group[first]);
    sink.layer({name, kSortIndex, false}, pid, device_.id);
    for (std::size_t pipe = 0; pipe < kSampledPipes.size(); ++pipe) {
      sink.lane(pid, pipe, kSampledPipes[pipe], pipe);
    }
    const auto busy = std::make_shared<const std::vector<Busy>>(busy_times(rows));
    sink.slices(
        busy->size(),
        [busy, pid](std::size_t i) {
          const Busy& time = (*busy)[i];
          return SlicePlace{pid, time.pipe, time.start_ns, time.end_ns};
        },
        [busy, &samples = samples_, &device = device_](auto& event, std::size_t i) {
          const Busy& time = (*busy)[i];
          const std::uint16_t cycles = samples.cycles[time.row][time.pipe];
          event.name(kSampledPipes[time.pipe]).argument("cycle_num", cycles);
          if (device.instruction_sample_cycles == 0) return;
          event.argument("ratio", static_cast<double>(cycles) / device.instruction_sample_cycles);
        });
  }

 private:
  struct Busy {
    std::uint32_t row;
    std::uint32_t pipe;
    std::int64_t start_ns;
    std::int64_t end_ns;
  };

  std::int64_t to_ns(std::uint32_t cycles) const {
    if (device_.aic_mhz <= 0) return 0;
    return std::llround(static_cast<double>(cycles) * 1000 / device_.aic_mhz);
  }

  std::vector<Busy> busy_times(const SampleRows& rows) const {
    std::vector<Busy> busy;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i];
      const std::int64_t end_ns = samples_.time_ns[row];
      const std::int64_t start_ns =
          i > 0 ? samples_.time_ns[rows[i - 1]] : end_ns - to_ns(device_.instruction_sample_cycles);
      if (start_ns > end_ns) continue;  // Damaged.
      for (std::uint32_t pipe = 0; pipe < kSampledPipes.size(); ++pipe) {
        const std::uint16_t cycles = samples_.cycles[row][pipe];
        if (cycles == 0) continue;
        const std::int64_t busy_ns = std::min(to_ns(cycles), end_ns - start_ns);
        busy.push_back({row, pipe, start_ns, start_ns + busy_ns});
      }
    }
    return busy;
  }

  const trace::InstructionSamples& samples_;
  const trace::DeviceInfo& device_;
};

// Traffic of the bus interface that the cores of a group share.
template <typename Sink>
void write_flows(const trace::InstructionSamples& samples, const trace::DeviceInfo& device,
                 const SampleRows& rows, std::uint64_t pid, Sink& sink) {
  const std::string name = "biu_group" + std::to_string(samples.group[rows.front()]);
  sink.layer({name, kSortIndex, false}, pid, device.id);
  const auto shown = std::make_shared<const SampleRows>(rows);
  for (const auto& [flow, place] : kFlows) {
    const std::uint32_t counter = sink.counter(pid, flow, {"flow"});
    sink.samples(rows.size(), [shown, &samples, counter, at = place](std::size_t i) {
      CounterSample sample{.counter = counter, .time_ns = samples.time_ns[(*shown)[i]]};
      sample.values[0] = samples.traffic[(*shown)[i]][at];
      return sample;
    });
  }
}

}  // namespace

template <typename Sink>
void write_pipe_layer(const TimelineContext& context, const trace::DeviceInfo& device, Sink& sink) {
  if (!context.options.shows(kPipeLayer.name)) return;
  const auto& pipes = context.trace.pipe_intervals();
  const auto rows = std::make_shared<std::vector<std::uint32_t>>();
  LaneSlices slices;
  std::map<std::uint64_t, std::string> lanes;
  for (std::uint32_t row = 0; row < pipes.size(); ++row) {
    const bool is_shown =
        pipes.device[row] == device.id && pipes.start_ns[row] >= context.trace.session.begin_ns;
    if (!is_shown) continue;
    const std::uint64_t lane = std::uint64_t{pipes.group[row]} << 2 | pipes.core[row];
    auto [place, is_new] = lanes.try_emplace(lane);
    if (is_new) {
      place->second = "Group" + std::to_string(pipes.group[row]) + "-" +
                      std::string(kCoreNames[pipes.core[row]]);
    }
    rows->push_back(row);
    slices.add(lane, pipes.start_ns[row], pipes.end_ns[row]);
  }
  if (rows->empty()) return;
  const std::uint64_t pid = context.pid(kPipeLayer, device.id);
  sink.layer(kPipeLayer, pid, device.id);
  write_lanes(sink, pid, std::move(slices), lanes, [&pipes, rows](auto& event, std::size_t i) {
    const std::uint32_t row = (*rows)[i];
    event.name(format::device::kPipeNames[pipes.pipe[row]]);
    event.argument("Core Type", kCoreNames[pipes.core[row]]);
    event.argument("Block Id", pipes.block[row]);
    if (pipes.checkpoint[row] == trace::kNoCheckpoint) return;
    event.argument("Checkpoint Info", pipes.checkpoint[row]);
  });
}

template <typename Sink>
void write_instruction_layers(const TimelineContext& context, const trace::DeviceInfo& device,
                              Sink& sink) {
  if (!context.options.shows(kPipeLayer.name)) return;
  const auto& samples = context.trace.instruction_samples();
  std::map<std::pair<std::uint8_t, std::uint8_t>, SampleRows> cores;  // By (group, core).
  for (std::uint32_t row = 0; row < samples.size(); ++row) {
    const bool is_shown =
        samples.device[row] == device.id && samples.time_ns[row] >= context.trace.session.begin_ns;
    if (is_shown) cores[{samples.group[row], samples.core_id[row]}].push_back(row);
  }
  const CoreLayer layer(samples, device);
  std::uint32_t number = 0;
  for (const auto& [core, rows] : cores) {
    if (samples.core[rows.front()] == static_cast<std::uint8_t>(PmuCore::kAic)) {
      write_flows(samples, device, rows, core_pid(device.id, number++), sink);
    }
    layer.write(rows, core_pid(device.id, number++), sink);
  }
}

#define NPUPROF_INSTANTIATE(Sink)                                                          \
  template void write_pipe_layer(const TimelineContext&, const trace::DeviceInfo&, Sink&); \
  template void write_instruction_layers(const TimelineContext&, const trace::DeviceInfo&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
