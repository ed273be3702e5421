#pragma once

// A pipeline over time: for each of its ranks the passes of one step, and what its stages sent each
// other, on one clock.
//
// A message ends on both sides at about one moment. So the difference of two clocks is the median
// of the differences of those ends, from stage to stage.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/pipeline_messages.h"
#include "analyze/pipeline_passes.h"
#include "trace/trace.h"

namespace npuprof::serve {

struct PipelineOfRank {
  analyze::PipelinePasses passes;
  std::vector<analyze::PipelineMessage> messages;
};
PipelineOfRank pipeline_of_rank(const trace::Trace& trace);

// What a chart is made of: a profile and what was found in it.
struct PipelineSource {
  const trace::Trace* trace = nullptr;
  const PipelineOfRank* found = nullptr;
};

// Ranks that work at the same micro-batches one after the other; a rank alone is a pipeline too.
struct Pipeline {
  std::string key;                    // Of their group.
  std::vector<std::size_t> profiles;  // Places in the list of sources, by stage.
};
std::vector<Pipeline> find_pipelines(const std::vector<PipelineSource>& sources);

struct ChartRow {
  std::size_t profile = 0;
  std::uint32_t stage = 0;
  std::uint16_t device = 0;
  std::int64_t offset_ns = 0;  // To be added to its times: on the clock of the first row.
  std::size_t compared = 0;    // Messages that this follows from; 0 = clocks are as recorded.
  std::vector<analyze::PipelinePass> passes;  // Of the step, with times of its own clock.
  std::vector<std::uint32_t> transfers;       // Rows of CollectiveOps likewise.
  // What the time of the chart is made of: passes of each kind, sends and receives beside all of
  // them, and the rest.
  std::int64_t pass_ns[analyze::kPassKinds] = {};
  std::int64_t transfer_ns = 0;
  std::int64_t rest_ns = 0;
};

struct ChartMessage {
  std::size_t from = 0;  // Rows.
  std::size_t to = 0;
  std::int64_t sent_ns = 0;  // On the clock of the first row.
  std::int64_t received_ns = 0;
  std::uint64_t bytes = 0;
};

struct PipelineChart {
  std::optional<std::int64_t> step;
  std::vector<std::int64_t> steps;  // That have passes.
  bool are_marked = false;
  std::int64_t begin_ns = 0;  // From the first pass of all rows to the last.
  std::int64_t end_ns = 0;
  std::vector<ChartRow> rows;  // By stage.
  std::vector<ChartMessage> messages;
  std::size_t unmatched = 0;  // Messages with one side only.
  // What part of the time no row is in a pass: of all rows together, and what even stages would
  // leave that run as many passes without waiting for what is sent.
  double bubble_share = 0;
  double least_share = 0;
};

// Of `step`, or of the first that has passes.
PipelineChart pipeline_chart(const std::vector<PipelineSource>& sources, const Pipeline& pipeline,
                             std::optional<std::int64_t> step);

}  // namespace npuprof::serve
