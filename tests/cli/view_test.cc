// `npuprof view` as a user runs it: a server that ends with Control-C, and a file to pass on.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/program.h"
#include "command.h"
#include "serve/raw_client.h"
#include "sim/workload/job.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::Command;
using npuprof::testing::ProgramResult;
using npuprof::testing::TemporaryDirectory;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ViewProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory();
    const sim::JobOptions job{.workload = sim::Workload::kToy,
                              .output = *directory_ / "job",
                              .chip = *sim::find_chip("Ascend910B3"),
                              .ranks = 1,
                              .steps = 2};
    ASSERT_TRUE(sim::run_job(job).ok());
    const fs::path page = *directory_ / "page";
    fs::create_directories(page / "assets");
    write(page / "index.html",
          "<html><script type=\"module\" src=\"./assets/app.js\"></script>"
          "<link rel=\"stylesheet\" href=\"./assets/app.css\"></html>");
    write(page / "assets/app.js", "const end = '</script>';");
    write(page / "assets/app.css", "p { margin: 0 }");
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string in(const std::string& name) { return (*directory_ / name).native(); }

  // Waits for the address that the program prints.
  static std::string address_of(Command& view) {
    while (view.is_running()) {
      const std::string output = view.output();
      const std::size_t begin = output.find("http://");
      const std::size_t end = output.find('\n', begin);
      if (begin != std::string::npos && end != std::string::npos) {
        return output.substr(begin, end - begin);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return "";
  }

  // A server, as a shell command starts it.
  static Command serve(
      std::vector<std::string> more, const std::function<void()>& in_child = [] {}) {
    std::vector<std::string> words = {NPUPROF_PROGRAM, "view",   in("job"),
                                      "--no-open",     "--page", in("page")};
    words.insert(words.end(), more.begin(), more.end());
    return Command(std::move(words), in_child);
  }

  static TemporaryDirectory* directory_;
};
TemporaryDirectory* ViewProgram::directory_ = nullptr;

TEST_F(ViewProgram, ServesThePageOnLoopbackUntilItIsInterrupted) {
  Command view({NPUPROF_PROGRAM, "view", in("job"), "--no-open", "--page", in("page")});
  const std::string address = address_of(view);
  ASSERT_THAT(address, StartsWith("http://127.0.0.1:")) << view.output();
  const std::size_t token_at = address.find("/#t=");
  ASSERT_NE(token_at, std::string::npos);
  const int port = std::stoi(address.substr(17));
  const std::string token = "X-Npuprof-Token: " + address.substr(token_at + 4) + "\r\n";
  const auto ask = [&](const std::string& target, const std::string& headers) {
    return testing::exchange(port, testing::request_text(port, "GET", target, headers));
  };
  EXPECT_THAT(ask("/", ""), HasSubstr("<html>"));
  EXPECT_THAT(ask("/assets/app.js", ""), HasSubstr("text/javascript"));
  EXPECT_THAT(ask("/api/session", ""), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("/api/session", token), HasSubstr("\"profiles\""));
  EXPECT_THAT(ask("/api/session", token + "Origin: http://evil.example\r\n"),
              StartsWith("HTTP/1.1 403"));
  view.interrupt();
  EXPECT_EQ(view.wait(), 0) << view.output();
}

// "http://127.0.0.1:8000/#t=..."
struct PrintedAddress {
  explicit PrintedAddress(const std::string& text)
      : port(std::stoi(text.substr(text.rfind(':') + 1))),
        token(text.substr(text.find("/#t=") + 4)) {}

  std::string ask(const std::string& target, bool has_token = true) const {
    const std::string header = "X-Npuprof-Token: " + token + "\r\n";
    return testing::exchange(port,
                             testing::request_text(port, "GET", target, has_token ? header : ""));
  }

  int port;
  std::string token;
};

// Local addresses of IPv4 or IPv6 at which anybody on this machine listens at a port, as the kernel
// writes them.
std::set<std::string> listening_addresses(const char* table, int port) {
  std::set<std::string> addresses;
  std::ifstream lines(table);
  std::string line;
  std::getline(lines, line);  // The header.
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    words >> number >> local >> remote >> state;
    const std::size_t colon = local.find(':');
    const bool is_listening = state == "0A";
    if (is_listening && std::stoi(local.substr(colon + 1), nullptr, 16) == port) {
      addresses.insert(local.substr(0, colon));
    }
  }
  return addresses;
}

TEST_F(ViewProgram, ListensAtLoopbackAloneAtAPortThatIsAnotherOneEachTime) {
  Command first = serve({});
  Command second = serve({});
  const PrintedAddress one(address_of(first));
  const PrintedAddress other(address_of(second));
  EXPECT_NE(one.port, other.port);
  EXPECT_NE(one.token, other.token);
  EXPECT_THAT(listening_addresses("/proc/net/tcp", one.port), ElementsAre("0100007F"));
  EXPECT_THAT(listening_addresses("/proc/net/tcp6", one.port),
              AnyOf(IsEmpty(), ElementsAre("00000000000000000000000001000000")));
}

TEST_F(ViewProgram, AsksOtherMachinesForTheTokenTooAndSaysThatNothingIsEncrypted) {
  Command view = serve({"--host", "0.0.0.0"});
  const PrintedAddress address(address_of(view));
  EXPECT_EQ(address.token.size(), 32U);
  EXPECT_THAT(listening_addresses("/proc/net/tcp", address.port), ElementsAre("00000000"));
  EXPECT_THAT(address.ask("/api/session", false), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(address.ask("/api/session"), StartsWith("HTTP/1.1 200"));
  view.interrupt();
  EXPECT_EQ(view.wait(), 0);
  EXPECT_THAT(view.output(), HasSubstr("unencrypted"));
}

TEST_F(ViewProgram, EndsWellWhenItsTerminalIsClosed) {
  Command view = serve({});
  ASSERT_FALSE(address_of(view).empty());
  view.signal(SIGHUP);
  EXPECT_EQ(view.wait(), 0) << view.output();
}

TEST_F(ViewProgram, OutlivesItsTerminalIfItWasToldTo) {
  Command view = serve({}, [] { std::signal(SIGHUP, SIG_IGN); });  // As nohup does.
  const PrintedAddress address(address_of(view));
  view.signal(SIGHUP);
  for (int i = 0; i < 20; ++i) EXPECT_THAT(address.ask("/"), HasSubstr("<html>"));
  view.interrupt();
  EXPECT_EQ(view.wait(), 0) << view.output();
}

TEST_F(ViewProgram, EndsAtOnceWhenItIsInterruptedWhileItReads) {
  Command view({NPUPROF_PROGRAM, "view", in("job"), "--no-open", "--page", in("page")});
  ASSERT_FALSE(address_of(view).empty());
  view.interrupt();
  EXPECT_EQ(view.wait(), 0) << view.output();
}

TEST_F(ViewProgram, WritesNothingBesideTheProfile) {
  std::size_t before = 0;
  for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(in("job"))) ++before;
  Command view({NPUPROF_PROGRAM, "view", in("job"), "--no-open", "--page", in("page")});
  const std::string address = address_of(view);
  const int port = std::stoi(address.substr(17));
  const std::string token = "X-Npuprof-Token: " + address.substr(address.find("/#t=") + 4) + "\r\n";
  std::string reply;
  while (reply.find("\"ready\"") == std::string::npos && view.is_running()) {
    reply = testing::exchange(port, testing::request_text(port, "GET", "/api/profile?p=0", token));
  }
  view.interrupt();
  view.wait();
  std::size_t after = 0;
  for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(in("job"))) ++after;
  EXPECT_EQ(before, after);
}

TEST_F(ViewProgram, ExportsOneFileThatTellsNoFolderAndEndsInNoScriptOfItsData) {
  const ProgramResult result = npuprof::testing::run_program(
      NPUPROF_PROGRAM,
      {"view", in("job"), "--page", in("page"), "--export", in("report.html"), "--steps", "1"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("MB"));
  const std::string html = *read_file(in("report.html"));
  EXPECT_THAT(html, HasSubstr("window.npuprofReport = {\"replies\":{\"/api/session\""));
  EXPECT_THAT(html, HasSubstr("slices:0"));
  EXPECT_THAT(html, Not(HasSubstr(directory_->path().native())));
  EXPECT_THAT(html, HasSubstr("const end = '<\\/script>'"));
  EXPECT_THAT(html, Not(HasSubstr("./assets")));
}

TEST_F(ViewProgram, RefusesWhatCannotBe) {
  const auto status = [](const std::vector<std::string>& arguments) {
    return npuprof::testing::run_program(NPUPROF_PROGRAM, arguments).status;
  };
  EXPECT_EQ(status({"view", in("nothing")}), 3);
  EXPECT_EQ(status({"view", in("job"), "--port", "70000"}), 2);
  EXPECT_EQ(status({"view", in("job"), "--host", "203.0.113.7", "--no-open"}), 3);
  EXPECT_EQ(status({"view", in("job"), "--page", in("page"), "--export", in("page")}), 3);
}

}  // namespace
}  // namespace npuprof
