#include "query/profile_part.h"

#include <array>

namespace npuprof::query {

Status keep_part(trace::Trace& trace, const ProfilePart& part) {
  if (part.step) {
    const std::array steps = {analyze::StepRange{*part.step, *part.step}};
    NPUPROF_RETURN_IF_ERROR(analyze::keep_steps(trace, steps));
  }
  return part.range ? analyze::keep_range(trace, *part.range) : ok_status();
}

}  // namespace npuprof::query
