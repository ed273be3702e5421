#pragma once

// Profiles as questions are asked about them: found, loaded and linked.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/keep_steps.h"
#include "analyze/shared_results.h"
#include "answers/mode.h"
#include "base/result.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/parts.h"
#include "trace/trace.h"

namespace npuprof::cli {

class LoadedProfile {
 public:
  LoadedProfile(load::Profile profile, trace::Trace trace)
      : profile_(std::move(profile)), trace_(std::move(trace)), results_(trace_) {}
  LoadedProfile(const LoadedProfile&) = delete;
  LoadedProfile& operator=(const LoadedProfile&) = delete;
  ~LoadedProfile() = default;

  const load::Profile& profile() const { return profile_; }
  const trace::Trace& trace() const { return trace_; }
  answers::Request request() const { return {.trace = trace_, .results = results_}; }
  // Of the data, or else of the directory; -1 = not known.
  std::int32_t rank() const {
    return trace_.session.rank >= 0 ? trace_.session.rank : profile_.rank;
  }
  // What moments are counted from on a terminal: the first thing that is known of what was chosen.
  std::int64_t zero_ns(const analyze::ChosenTimes& chosen = {}) const;

 private:
  load::Profile profile_;
  trace::Trace trace_;
  analyze::SharedResults results_;
};

// The profiles at and below a path; raw data rather than results. Of all ranks, or those listed.
// What is left out is a loss.
Result<std::vector<load::Profile>> find_profiles(const std::string& path,
                                                 const std::vector<std::int32_t>& ranks,
                                                 trace::Losses& losses);

// What of a profile is asked about: all of it, or some steps, or a range of time.
struct ChosenSteps {
  std::vector<analyze::StepRange> ranges = {};  // None = all.
  bool are_iterations = false;                  // The numbers are those of a serving engine's.
  std::optional<analyze::TimeRange> range = {};
};

// Steps that are not there are an error. Parts that are not wanted may be empty.
Result<std::unique_ptr<LoadedProfile>> load_linked(const load::Profile& profile,
                                                   const ChosenSteps& steps, trace::Losses& losses,
                                                   trace::Parts wanted = trace::Parts::all());

}  // namespace npuprof::cli
