#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "answers/option_values.h"
#include "answers/peak_options.h"
#include "base/file.h"
#include "base/log.h"
#include "base/printable.h"
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/found_profiles.h"
#include "cli/loaded_profile.h"
#include "cli/run_options.h"
#include "cli/shown_losses.h"
#include "cli/standard_output.h"
#include "cli/validators.h"
#include "report/output_file.h"
#include "serve/http_server.h"
#include "serve/page_server.h"
#include "serve/report_page.h"

namespace npuprof::cli {
namespace {

constexpr const char* kViewExamples =
    "Examples:\n"
    "  npuprof view worker_ascend_pt\n"
    "  npuprof view runs/                        all ranks, each read when it is looked at\n"
    "  npuprof view runs/ --port 8000 --no-open  on another machine: ssh -L 8000:localhost:8000\n"
    "  npuprof view worker_ascend_pt --export report.html --steps 5-6\n"
    "\n"
    "Control-C ends it. Exit status: 0 all well, 2 wrong arguments, 3 there is no profile, or the\n"
    "port cannot be used.";

struct ViewArguments : RunOptions {
  std::string path;
  std::string page;
  std::string report;
  std::string steps;
  std::string host = "127.0.0.1";
  int port = 0;
  bool no_open = false;
  std::string peak_tflops;
  std::string peak_gb_s;
};

// nohup: whoever started the program wants it to outlive the terminal.
bool ignores_closed_terminal() {
  struct sigaction now {};
  ::sigaction(SIGHUP, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

// What holds for every question the page asks.
std::map<std::string, std::string, std::less<>> view_options(const ViewArguments& arguments) {
  std::map<std::string, std::string, std::less<>> options;
  const auto add = [&](const answers::ModeOption& option, const std::string& value) {
    if (!value.empty()) options.emplace(option.name, value);
  };
  add(answers::kPeakTflopsOption, arguments.peak_tflops);
  add(answers::kPeakBandwidthOption, arguments.peak_gb_s);
  return options;
}

// Signals that end the program arrive at one thread, which is waited for there.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM}) sigaddset(&signals, number);
  if (!ignores_closed_terminal()) sigaddset(&signals, SIGHUP);
  return signals;
}

bool is_loopback(const std::string& host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

// What browsers may call the server by.
serve::KnownHosts known_hosts(const std::string& host, int port) {
  serve::KnownHosts hosts{.port = port, .any_address = !is_loopback(host)};
  hosts.names = {"127.0.0.1", "[::1]", "localhost"};
  if (is_loopback(host)) return hosts;
  hosts.names.push_back(host);
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0) hosts.names.emplace_back(name);
  return hosts;
}

// The host as it stands in an address.
std::string shown_host(const std::string& host) {
  if (host == "0.0.0.0" || host == "::") return "localhost";
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// Answers until a signal comes.
void serve_until_signal(serve::HttpServer& server, serve::ProfileStore& store) {
  const sigset_t signals = ending_signals();
  std::thread waiting([&] {
    int number = 0;
    sigwait(&signals, &number);
    store.stop();
    server.stop();
  });
  server.run();
  waiting.join();
}

Status serve_page(const ViewArguments& arguments, std::vector<load::Profile> profiles) {
  NPUPROF_ASSIGN_OR_RETURN(auto files, arguments.page.empty()
                                           ? serve::PageFiles::built_in()
                                           : serve::PageFiles::of_folder(arguments.page));
  FoundProfiles source(std::move(profiles), view_options(arguments));
  serve::ProfileStore store(source);
  const std::string token = serve::make_token();
  std::unique_ptr<serve::PageServer> page;
  const std::string host = arguments.host == "localhost" ? "127.0.0.1" : arguments.host;
  NPUPROF_ASSIGN_OR_RETURN(
      auto server, serve::HttpServer::listen(
                       host, arguments.port, serve::guard_headers(),
                       [&](const serve::HttpRequest& request) { return page->answer(request); }));
  page = std::make_unique<serve::PageServer>(
      serve::Guard(token, known_hosts(host, server->port())), std::move(files),
      serve::SessionFacts{NPUPROF_VERSION, printable(arguments.path)}, store);
  const std::string address =
      fmt::format("http://{}:{}/#t={}", shown_host(host), server->port(), token);
  print(address + "\n");
  if (!is_loopback(host)) {
    log::warning(
        "what is shown travels unencrypted, and whoever learns the address above can read the "
        "profiles: better leave --host out and use `ssh -L {}:localhost:{}`",
        server->port(), server->port());
  }
  std::optional<OpenedBrowser> browser;
  if (!arguments.no_open) browser.emplace(address);
  const bool is_open = browser && browser->is_open();
  log::info("{}Control-C ends it", is_open ? "" : "open this address in a browser; ");
  serve_until_signal(*server, store);
  browser.reset();
  // A profile that is still read is of no use to anybody now.
  if (store.is_reading()) std::_Exit(kOk);
  return ok_status();
}

Status write_text(const std::filesystem::path& file, std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(FileWriter writer, FileWriter::create(file));
  writer.write(text);
  return writer.close();
}

// One file in place of a server.
Status export_report(const ViewArguments& arguments, std::vector<load::Profile> profiles) {
  NPUPROF_ASSIGN_OR_RETURN(const auto output, report::OutputFile::find(arguments.report));
  NPUPROF_ASSIGN_OR_RETURN(auto files, arguments.page.empty()
                                           ? serve::PageFiles::built_in()
                                           : serve::PageFiles::of_folder(arguments.page));
  serve::ReportChoice choice;
  if (!arguments.steps.empty()) {
    choice.steps = answers::read_range(arguments.steps);
    if (!choice.steps) fail("--steps", "give a step or a range: 5, 5-8");
  }
  const std::string title = std::filesystem::path(arguments.path).lexically_normal().filename();
  FoundProfiles source(std::move(profiles), view_options(arguments));
  serve::ProfileStore store(source);
  const serve::SessionFacts session{NPUPROF_VERSION, printable(title)};
  NPUPROF_ASSIGN_OR_RETURN(const serve::ReportPage page,
                           serve::report_page(files, {session, store}, choice));
  NPUPROF_RETURN_IF_ERROR(
      output.write([&](const std::filesystem::path& file) { return write_text(file, page.html); }));
  if (page.is_summed) {
    log::warning(
        "there are too many slices for one file, so it shows sums of them where they are "
        "dense: choose --steps");
  }
  log::info("'{}': {:.1f} MB", arguments.report, static_cast<double>(page.html.size()) / 1e6);
  return ok_status();
}

int run_view(const ViewArguments& arguments) {
  arguments.take_effect();
  trace::Losses losses;
  auto profiles = find_profiles(arguments.path, {}, losses);
  if (!profiles.ok()) {
    log::error("{}", profiles.error().message);
    return kUnreadable;
  }
  warn_of(losses);
  if (!arguments.report.empty()) {
    const Status written = export_report(arguments, std::move(*profiles));
    if (written.ok()) return losses.empty() ? kOk : kLosses;
    log::error("{}", written.error().message);
    return kUnreadable;
  }
  // Before there are other threads, which do as this one.
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const Status served = serve_page(arguments, std::move(*profiles));
  if (served.ok()) return kOk;
  log::error("{}", served.error().message);
  return kUnreadable;
}

}  // namespace

void add_view_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ViewArguments>();
  CLI::App* command = app.add_subcommand("view", "Shows a profile in the browser");
  command
      ->add_option("path", arguments->path,
                   "A profile, raw or results (directory, .db, .json), or a folder above some")
      ->required();
  command->add_option("--port", arguments->port, "Port to listen at (default: any free one)")
      ->check(CLI::Range(1, 65535));
  command->add_option("--host", arguments->host,
                      "Address to listen at; others than this machine's own (127.0.0.1) let other "
                      "machines in, without encryption");
  command->add_flag("--no-open", arguments->no_open, "Do not open the browser");
  command
      ->add_option("--export", arguments->report,
                   "Write one HTML file that shows the same without a server, to pass on")
      ->check(not_empty());
  command->add_option("--steps", arguments->steps,
                      "With --export: steps whose timeline is in it (5 or 5-8; default: all)");
  for (const auto& [option, value] :
       {std::pair(answers::kPeakTflopsOption, &arguments->peak_tflops),
        std::pair(answers::kPeakBandwidthOption, &arguments->peak_gb_s)}) {
    command->add_option("--" + std::string(option.name), *value, std::string(option.help))
        ->check(CLI::PositiveNumber);
  }
  command->add_option("--page", arguments->page)->group("");  // For work on the page itself.
  add_run_options(*command, *arguments);
  command->footer(kViewExamples);
  command->callback([arguments, &status] { status = run_view(*arguments); });
}

}  // namespace npuprof::cli
