// Files of host/ of a profile, loaded with all the rest.

#include "fuzz/loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static npuprof::fuzz::ChangedProfile profile(
      npuprof::fuzz::simulated_profiles(), [](const std::filesystem::path& path) {
        return path.native().find("/host/") != std::string::npos;
      });
  profile.run(data, size);
  return 0;
}
