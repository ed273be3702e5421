#pragma once

// A mode of `npuprof analyze` is a question about one profile. modes.cc lists all of them; command
// line, SQL, language models and the page take them from there.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/chosen_times.h"
#include "analyze/shared_results.h"
#include "answers/answer.h"
#include "base/result.h"
#include "trace/parts.h"
#include "trace/trace.h"

namespace npuprof::answers {

// Of one profile, loaded, linked, and cut to the steps that were asked for; modes that look around
// them (Mode::looks_around) get all of it, and the steps.
struct Request {
  const trace::Trace& trace;
  const analyze::SharedResults& results;
  std::map<std::string, std::string, std::less<>> options = {};  // By name, without dashes.
  std::vector<analyze::StepRange> steps = {};  // Of a trace that is not cut; none = all.

  // The option's value, or nothing.
  std::optional<std::string_view> option(std::string_view name) const {
    const auto found = options.find(name);
    return found == options.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }
  // Fails if the profile has none of the steps.
  Result<analyze::ChosenTimes> chosen_times() const {
    return analyze::ChosenTimes::of_steps(trace.steps(), steps);
  }
};

// An option of one mode alone: `--peak-tflops VALUE`.
struct ModeOption {
  std::string_view name;
  std::string_view help;
};

struct Mode {
  std::string_view name;
  std::string_view question;  // What it answers, one line.
  std::string_view explains;  // A few lines more for --help.
  std::string_view needs;     // What data it is made of.
  std::string_view collect;   // How to collect that data.
  trace::Parts reads;         // The parts of a trace that it looks at; others may be empty.
  std::span<const ModeOption> options;
  // Why something is as it is may be seen in the steps before and after: it wants all of the trace
  // (Request::steps).
  bool looks_around = false;
  // An Error with ErrorCode::kNoData says what is missing; whoever calls adds `needs` and
  // `collect`.
  Result<Answer> (*answer)(const Request& request);
};

// In the order of help texts.
std::span<const Mode* const> all_modes();
const Mode* find_mode(std::string_view name);

}  // namespace npuprof::answers
