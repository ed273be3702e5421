#pragma once

// Inference: iterations of a serving engine, told apart into prefill (prompts are processed) and
// decode (a token for each sequence).

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

enum class ServingPhase : std::uint8_t { kPrefill, kDecode, kMixed, kUnknown };

// What says where iterations begin and end and of which phase they are.
enum class ServingSource : std::uint8_t {
  kNothing,
  kRanges,   // Ranges of the framework whose names say so.
  kMarks,    // Ranges of mstx.
  kSteps,    // Steps of the profiler, their phase by the shapes of kernels.
  kReplays,  // Iterations of graphs.
};

enum class TokenSource : std::uint8_t {
  kNothing,
  kName,         // The name of the range has them.
  kFirstMatmul,  // Rows of the first matrix product of the iteration.
  kAttention,    // Rows of its first attention.
};

struct ServingIteration {
  std::uint32_t number = 0;  // From 1 on, in order of time.
  ServingPhase phase = ServingPhase::kUnknown;
  StringId name{};  // Of the range; empty for steps and replays.
  std::uint32_t tid = 0;
  std::optional<std::int64_t> step;
  std::int64_t start_ns = 0;  // On the host; of replays on the device.
  std::int64_t end_ns = 0;
  std::uint64_t kernels = 0;
  std::optional<std::int64_t> device_start_ns;
  std::optional<std::int64_t> device_end_ns;
  std::int64_t device_busy_ns = 0;  // Time in which at least one of its tasks ran.
  std::optional<std::uint64_t> tokens;
  TokenSource token_source = TokenSource::kNothing;

  std::int64_t host_ns() const;
  std::optional<std::int64_t> device_ns() const;
};

struct Serving {
  ServingSource source = ServingSource::kNothing;
  std::vector<ServingIteration> iterations;
};

// Only the iterations with numbers from `chosen`, both ends included.
Serving serving(const trace::Trace& trace,
                std::optional<std::pair<std::uint32_t, std::uint32_t>> chosen = std::nullopt);

struct ServingSummary {
  ServingPhase phase = ServingPhase::kUnknown;
  std::uint64_t count = 0;
  double host_mean_ns = 0;
  std::int64_t host_p50_ns = 0;
  std::int64_t host_p95_ns = 0;
  // Of those that ran something on the device; nothing if none did.
  std::optional<double> device_mean_ns;
  std::optional<std::int64_t> device_p50_ns;
  std::optional<std::int64_t> device_p95_ns;
  std::optional<double> busy_share;  // Of the time from the first to the last task.
  std::optional<std::uint64_t> tokens;
  // Tokens over the time in which an iteration of the phase was in progress on host or device.
  std::optional<double> tokens_per_second;
};

// In the order of ServingPhase; phases without iterations are left out.
std::vector<ServingSummary> summarize_serving(const Serving& serving);

// From the start of the first prefill to its end on the device.
std::optional<std::int64_t> time_to_first_token_ns(const Serving& serving);

// What the name of a range says.
struct ServingName {
  ServingPhase phase = ServingPhase::kUnknown;
  std::optional<std::uint64_t> tokens;
};
ServingName read_serving_name(std::string_view name);

}  // namespace npuprof::analyze
