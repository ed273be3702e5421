#pragma once

// Where profiles come from, for those who answer questions for as long as they are asked: nothing
// is read before somebody wants to know.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "answers/mode.h"
#include "base/result.h"
#include "query/profile_part.h"

namespace npuprof::query {

struct ProfileFacts {
  std::int32_t rank = -1;  // -1 = not known before it is read.
  std::string path;
};

struct OpenedProfile {
  std::shared_ptr<const void> owner;  // Of what the request refers to.
  answers::Request request;
  std::vector<std::string> losses;  // A sentence for each part that could not be read.
};

class ProfileSource {
 public:
  virtual ~ProfileSource() = default;

  // In the order of their numbers.
  virtual const std::vector<ProfileFacts>& profiles() const = 0;
  // Loads and links a profile, all of it or a part.
  virtual Result<OpenedProfile> open(std::size_t number, const ProfilePart& part) = 0;
};

}  // namespace npuprof::query
