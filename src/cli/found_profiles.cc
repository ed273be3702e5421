#include "cli/found_profiles.h"

#include <memory>
#include <utility>

#include "base/printable.h"
#include "cli/loaded_profile.h"

namespace npuprof::cli {

FoundProfiles::FoundProfiles(std::vector<load::Profile> profiles,
                             std::map<std::string, std::string, std::less<>> options)
    : profiles_(std::move(profiles)), options_(std::move(options)) {
  for (const load::Profile& profile : profiles_) {
    facts_.push_back({profile.rank, printable(profile.path.native())});
  }
}

Result<query::OpenedProfile> FoundProfiles::open(std::size_t number,
                                                 const query::ProfilePart& part) {
  ChosenSteps chosen{.range = part.range};
  if (part.step) chosen.ranges.push_back({*part.step, *part.step});
  trace::Losses losses;
  NPUPROF_ASSIGN_OR_RETURN(auto loaded, load_linked(profiles_[number], chosen, losses));
  const std::shared_ptr<const LoadedProfile> owner = std::move(loaded);
  query::OpenedProfile opened{.owner = owner, .request = owner->request()};
  opened.request.options = options_;
  for (const trace::Loss& loss : losses.items()) {
    opened.losses.push_back(loss.what + " ('" + printable(loss.file) + "')");
  }
  return opened;
}

}  // namespace npuprof::cli
