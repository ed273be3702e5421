#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/log.h"
#include "base/printable.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/loaded_profile.h"
#include "cli/losses.h"
#include "cli/standard_output.h"
#include "cli/validators.h"
#include "query/mcp_lines.h"
#include "query/mcp_server.h"

namespace npuprof::cli {
namespace {

constexpr const char* kMcpExamples =
    "Speaks the Model Context Protocol on standard input and output: programs with language\n"
    "models start it and ask about the profile. It reads, and changes nothing. For example:\n"
    "\n"
    "  {\"mcpServers\": {\"npuprof\": {\"command\": \"npuprof\", \"args\": [\"mcp\", "
    "\"/data/worker_ascend_pt\"]}}}\n"
    "\n"
    "Exit status: 0 at the end of input, 2 wrong arguments, 3 there is no profile, or answers\n"
    "could not be written.";

struct McpArguments {
  std::string path;
  unsigned jobs = 0;
  bool quiet = false;
  int verbosity = 0;
};

// Profiles at and below a path, read when somebody asks about them.
class FoundProfiles : public query::ProfileSource {
 public:
  explicit FoundProfiles(std::vector<load::Profile> profiles) : profiles_(std::move(profiles)) {
    for (const load::Profile& profile : profiles_) {
      facts_.push_back({profile.rank, printable(profile.path.native())});
    }
  }

  const std::vector<query::ProfileFacts>& profiles() const override { return facts_; }

  Result<query::OpenedProfile> open(std::size_t number, std::optional<std::int64_t> step) override {
    std::vector<analyze::StepRange> steps;
    if (step) steps.push_back({*step, *step});
    trace::Losses losses;
    NPUPROF_ASSIGN_OR_RETURN(auto loaded, load_linked(profiles_[number], steps, losses));
    const std::shared_ptr<const LoadedProfile> owner = std::move(loaded);
    query::OpenedProfile opened{.owner = owner, .request = owner->request()};
    for (const trace::Loss& loss : losses.items()) {
      opened.losses.push_back(loss.what + " ('" + printable(loss.file) + "')");
    }
    return opened;
  }

 private:
  std::vector<load::Profile> profiles_;
  std::vector<query::ProfileFacts> facts_;
};

// Answers line by line, until one of both sides has gone.
void serve(query::McpServer& server) {
  query::LineBuffer lines(query::kLongestMcpLine);
  const auto answer = [&](const query::LineBuffer::Line& line) {
    const auto text =
        line.is_too_long ? std::optional(server.refuse_long_line()) : server.answer(line.text);
    if (text) print(*text + "\n");
  };
  std::array<char, 65536> bytes;
  while (printed().ok()) {
    const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    lines.add({bytes.data(), static_cast<std::size_t>(size)});
    while (const auto line = lines.next()) answer(*line);
  }
  if (const auto line = lines.last()) answer(*line);
}

int run_mcp(const McpArguments& arguments) {
  log::configure(arguments.quiet, arguments.verbosity);
  trace::Losses losses;
  auto profiles = find_profiles(arguments.path, {}, losses);
  if (!profiles.ok()) {
    log::error("{}", profiles.error().message);
    return kUnreadable;
  }
  warn_of(losses);
  set_shared_worker_count(arguments.jobs);
  FoundProfiles source(std::move(*profiles));
  query::McpServer server(source, NPUPROF_VERSION);
  serve(server);
  return kOk;
}

}  // namespace

void add_mcp_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<McpArguments>();
  CLI::App* command =
      app.add_subcommand("mcp", "Lets language models ask about a profile (on standard input)");
  command
      ->add_option("path", arguments->path,
                   "A profile, raw or results (directory, .db, .json), or a folder above some")
      ->required();
  command->add_option("-j,--jobs", arguments->jobs, "Threads (default: one for each core)")
      ->check(thread_count());
  command->add_flag("-q,--quiet", arguments->quiet, "Only warnings and errors");
  command->add_flag("-v,--verbose", arguments->verbosity, "Tell how long each stage takes");
  command->footer(kMcpExamples);
  command->callback([arguments, &status] { status = run_mcp(*arguments); });
}

}  // namespace npuprof::cli
