#pragma once

#include <vector>

#include "load/discover.h"
#include "query/profile_source.h"

namespace npuprof::cli {

// Profiles that were found, read when somebody asks about them.
class FoundProfiles : public query::ProfileSource {
 public:
  explicit FoundProfiles(std::vector<load::Profile> profiles);

  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }
  Result<query::OpenedProfile> open(std::size_t number, std::optional<std::int64_t> step) override;

 private:
  std::vector<load::Profile> profiles_;
  std::vector<query::ProfileFacts> facts_;
};

}  // namespace npuprof::cli
