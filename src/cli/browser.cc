#include "cli/browser.h"

#include <csignal>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

bool has_screen() {
  return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

// A new folder that nobody else can look into; empty if there is none.
fs::path private_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code failure;
  const fs::path parent = runtime != nullptr && fs::is_directory(runtime, failure)
                              ? fs::path(runtime)
                              : fs::temp_directory_path(failure);
  std::string pattern = (parent / "npuprof-view-XXXXXX").native();
  return ::mkdtemp(pattern.data()) == nullptr ? fs::path() : fs::path(pattern);
}

bool write_redirection(const fs::path& file, const std::string& address) {
  const std::string text =
      "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url=" +
      address + "\"><title>npuprof</title><a href=\"" + address + "\">npuprof</a>\n";
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  const bool is_written =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(descriptor) == 0 && is_written;
}

// What it prints, and that it ends, is of no interest here.
bool start_opener(const fs::path& file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {0, 1, 2}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t no_signals;
  sigemptyset(&no_signals);
  posix_spawnattr_setsigmask(&attributes, &no_signals);
  // Control-C is meant for us.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string program = "xdg-open";
  std::string argument = file.native();
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int failure =
      ::posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure == 0;
}

}  // namespace

OpenedBrowser::OpenedBrowser(const std::string& address) {
  if (!has_screen()) return;
  folder_ = private_folder();
  if (folder_.empty()) return;
  const fs::path file = folder_ / "open.html";
  is_open_ = write_redirection(file, address) && start_opener(file);
}

OpenedBrowser::~OpenedBrowser() {
  std::error_code failure;
  if (!folder_.empty()) fs::remove_all(folder_, failure);
}

}  // namespace npuprof::cli
