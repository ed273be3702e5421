#pragma once

#include <map>
#include <string>
#include <vector>

#include "load/discover.h"
#include "query/profile_source.h"

namespace npuprof::cli {

// Profiles that were found, read when somebody asks about them.
class FoundProfiles : public query::ProfileSource {
 public:
  // `options` hold for every question that knows them.
  explicit FoundProfiles(std::vector<load::Profile> profiles,
                         std::map<std::string, std::string, std::less<>> options = {});

  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }
  Result<query::OpenedProfile> open(std::size_t number, const query::ProfilePart& part) override;

 private:
  std::vector<load::Profile> profiles_;
  std::vector<query::ProfileFacts> facts_;
  std::map<std::string, std::string, std::less<>> options_;
};

}  // namespace npuprof::cli
