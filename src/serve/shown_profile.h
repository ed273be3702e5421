#pragma once

// A profile that was read, with all that is made of it for the page: when it is read, or when it is
// first asked for.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "analyze/memory_holders.h"
#include "query/profile_source.h"
#include "serve/device_words.h"
#include "serve/event_table.h"
#include "serve/lane_index.h"
#include "serve/lane_search.h"
#include "serve/memory_curves.h"
#include "serve/pipeline_chart.h"
#include "serve/sql_access.h"
#include "serve/work_facts.h"

namespace npuprof::serve {

// A step or a range of a profile, read as a profile of its own.
class ShownPart {
 public:
  explicit ShownPart(query::OpenedProfile profile) : opened(std::move(profile)) {}

  const query::OpenedProfile opened;
  SqlAccess sql;

  const answers::Request& request() const { return opened.request; }
};

class ShownProfile {
 public:
  ShownProfile(std::size_t number_of_profile, query::OpenedProfile profile)
      : number(number_of_profile),
        opened(std::move(profile)),
        lanes(opened.request),
        words(opened.request.trace) {}

  const std::size_t number;
  const query::OpenedProfile opened;
  const LaneIndex lanes;
  const DeviceWords words;
  mutable SearchCache searches;
  mutable EventTables events;
  SqlAccess sql;

  const answers::Request& request() const { return opened.request; }
  const trace::Trace& trace() const { return opened.request.trace; }

  const WorkFacts& work() const {
    std::call_once(work_once_, [&] { work_ = std::make_unique<WorkFacts>(request()); });
    return *work_;
  }
  const std::vector<analyze::HeldBlock>& blocks() const {
    std::call_once(blocks_once_, [&] { blocks_ = analyze::held_blocks(trace()); });
    return blocks_;
  }
  const std::vector<MemoryCurve>& memory() const {
    std::call_once(memory_once_, [&] { memory_ = memory_curves(trace()); });
    return memory_;
  }
  const PipelineOfRank& pipeline() const {
    std::call_once(pipeline_once_, [&] { pipeline_ = pipeline_of_rank(trace()); });
    return pipeline_;
  }

 private:
  mutable std::once_flag work_once_;
  mutable std::unique_ptr<const WorkFacts> work_;
  mutable std::once_flag blocks_once_;
  mutable std::vector<analyze::HeldBlock> blocks_;
  mutable std::once_flag memory_once_;
  mutable std::vector<MemoryCurve> memory_;
  mutable std::once_flag pipeline_once_;
  mutable PipelineOfRank pipeline_;
};

}  // namespace npuprof::serve
