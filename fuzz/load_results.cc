// Results as input: the tables and the timeline of a profile, the timeline alone, the database.

#include "fuzz/input.h"
#include "fuzz/loader.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "report/sqlite/database.h"

namespace npuprof::fuzz {
namespace {

namespace fs = std::filesystem;

load::Profile profile_at(const fs::path& path) {
  const auto found = load::discover(path);
  require(found.ok() && found->profiles.size() == 1);
  return found->profiles.front();
}

std::vector<load::Profile> simulated_results() {
  const load::Profile raw = simulated_profiles().front();
  const fs::path directory = scratch_directory();
  ThreadPool pool(1);
  trace::Losses losses;
  auto trace = load::load_profile(raw, pool, losses);
  require(trace.ok());
  link::link_all(*trace, &pool);
  const fs::path text = directory / "text/run_ascend_pt/ASCEND_PROFILER_OUTPUT";
  fs::create_directories(text.parent_path());
  require(report::export_framework(*trace, {.text = true, .output = text}, pool).ok());
  const fs::path timeline = directory / "trace_view.json";
  fs::copy_file(text / "trace_view.json", timeline);
  const fs::path database = directory / "ascend_pytorch_profiler_0.db";
  require(report::sqlite::write_database(*trace, database, pool).ok());
  return {profile_at(text.parent_path()), profile_at(timeline), profile_at(database)};
}

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static npuprof::fuzz::ChangedProfile profiles(npuprof::fuzz::simulated_results(),
                                                [](const std::filesystem::path&) { return true; });
  profiles.run(data, size);
  return 0;
}
