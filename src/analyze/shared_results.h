#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "analyze/communication.h"
#include "analyze/samples.h"
#include "analyze/step_time.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Analyses that several results of one parse need: each is made when it is first asked for, by
// whichever thread that is, and kept. The trace must live as long and stay as it is.
class SharedResults {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): whoever writes one result has just a trace.
  SharedResults(const trace::Trace& trace) : SharedResults(trace, trace) {}

  // Of steps that were cut out of `whole`, which must live as long too.
  SharedResults(const trace::Trace& trace, const trace::Trace& whole)
      : trace_(trace), whole_(whole) {}

  const trace::Trace& trace() const { return trace_; }
  // With the steps before and after, where these are known.
  const trace::Trace& whole() const { return whole_; }

  const std::vector<CommunicationOp>& communication() const {
    return communication_.get([&] { return communication_ops(trace_); });
  }
  // They refer to communication().
  const std::vector<CommunicationStep>& communication_steps() const {
    return communication_steps_.get(
        [&] { return analyze::communication_steps(trace_, communication()); });
  }
  const std::vector<StepTime>& steps() const {
    return steps_.get([&] { return step_times(trace_); });
  }
  const std::vector<Samples>& samples() const {
    return samples_.get([&] { return analyze::samples(trace_); });
  }

 private:
  template <typename Value>
  class Once {
   public:
    template <typename Make>
    const Value& get(Make make) const {
      std::call_once(flag_, [&] { value_ = make(); });
      return *value_;
    }

   private:
    mutable std::once_flag flag_;
    mutable std::optional<Value> value_;
  };

  const trace::Trace& trace_;
  const trace::Trace& whole_;
  Once<std::vector<CommunicationOp>> communication_;
  Once<std::vector<CommunicationStep>> communication_steps_;
  Once<std::vector<StepTime>> steps_;
  Once<std::vector<Samples>> samples_;
};

}  // namespace npuprof::analyze
