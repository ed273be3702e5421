#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/found_profiles.h"
#include "cli/loaded_profile.h"
#include "cli/run_options.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
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

struct McpArguments : RunOptions {
  std::string path;
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
  arguments.take_effect();
  trace::Losses losses;
  auto profiles = find_profiles(arguments.path, {}, losses);
  if (!profiles.ok()) {
    log::error("{}", profiles.error().message);
    return kUnreadable;
  }
  warn_of(losses);
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
  add_run_options(*command, *arguments);
  command->footer(kMcpExamples);
  command->callback([arguments, &status] { status = run_mcp(*arguments); });
}

}  // namespace npuprof::cli
