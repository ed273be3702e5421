#include "cli/program_arguments.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace npuprof::cli {
namespace {

void translate_option_names(std::vector<std::string>& arguments) {
  for (std::string& argument : arguments) {
    if (argument == "--") return;
    if (argument == "-bp") argument = "--baseline";
    if (argument == "--top_num") argument = "--top";
    if (!argument.starts_with("--")) continue;
    const auto name_end = std::find(argument.begin(), argument.end(), '=');
    std::replace(argument.begin(), name_end, '_', '-');
  }
}

// Options of msprof-analyze that choose what there is no choice of here: all tables are made, a
// comparison goes by shapes and types, and advice is in one language. Scripts give them.
struct IdleOption {
  std::string_view name;
  bool has_value = false;
};
constexpr IdleOption kIdleOptions[] = {{"--agent"},
                                       {"--debug"},
                                       {"--use-input-shape"},
                                       {"--use-kernel-type"},
                                       {"--disable-details"},
                                       {"--disable-module"},
                                       {"--enable-profiling-compare"},
                                       {"--enable-operator-compare"},
                                       {"--enable-memory-compare"},
                                       {"--enable-communication-compare"},
                                       {"--enable-api-compare"},
                                       {"--enable-kernel-compare"},
                                       {"--max-kernel-num", true},
                                       {"--op-name-map", true},
                                       {"--gpu-flow-cat", true},
                                       {"-cv", true},
                                       {"--cann-version", true},
                                       {"-tv", true},
                                       {"--torch-version", true},
                                       {"-pt", true},
                                       {"--profiling-type", true},
                                       {"-l", true},
                                       {"--language", true}};

void leave_out_idle_options(std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments[0] != "analyze" && arguments[0] != "compare")) return;
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    const auto idle = std::find_if(std::begin(kIdleOptions), std::end(kIdleOptions),
                                   [&](const IdleOption& option) { return option.name == name; });
    if (idle == std::end(kIdleOptions)) {
      kept.push_back(arguments[i]);
      continue;
    }
    log::warning("{} changes nothing here: npuprof has no such choice", name);
    if (idle->has_value && name == arguments[i]) ++i;
  }
  arguments = std::move(kept);
}

// The commands of msprof-analyze, which come after `analyze`.
void translate_commands(std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[0] != "analyze") return;
  const std::string command = arguments[1];
  if (arguments.size() == 2 && (command == "-V" || command == "--version")) {
    arguments = {"--version"};
    return;
  }
  if (command == "-H") arguments[1] = "--help";
  if (command == "cluster") {
    arguments.erase(arguments.begin() + 1);
  } else if (command == "compare") {
    arguments.erase(arguments.begin());
  } else if (command == "advisor") {
    const bool has_kind =
        arguments.size() > 2 &&
        (arguments[2] == "all" || arguments[2] == "computation" || arguments[2] == "schedule");
    arguments.erase(arguments.begin() + 1, arguments.begin() + (has_kind ? 3 : 2));
    arguments.insert(arguments.begin() + 1, {"-m", "advisor"});
  }
}

// Help on one mode of analyze is what the mode says about itself.
void translate_help(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] != "analyze") return;
  const bool has_mode =
      std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
        return argument.starts_with("-m") || argument.starts_with("--mode");
      });
  if (!has_mode) return;
  for (std::string& argument : arguments) {
    if (argument == "-h" || argument == "-H" || argument == "--help") argument = "--explain";
  }
}

// The commands of msprof.py, which come first, in the words of msprof itself.
void translate_msprof(std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  std::size_t next = 1;
  const auto is_next = [&](std::string_view word) {
    return next < arguments.size() && arguments[next] == word;
  };
  if (is_next("import")) {
    words.emplace_back("--parse=on");
  } else if (is_next("export")) {
    words.emplace_back("--export=on");
    ++next;
    if (is_next("db")) words.emplace_back("--type=db");
  } else if (is_next("query")) {
    words.emplace_back("--query=on");
  } else if (is_next("analyze")) {
    words.emplace_back("--analyze=on");
  } else {
    return;
  }
  for (std::size_t i = next + 1; i < arguments.size(); ++i) {
    std::string word = arguments[i];
    if (word == "-dir" || word == "--collection-dir") word = "--output";
    if (word == "-r") word = "--rule";
    if (word == "-reports") word = "--reports";
    if (word.starts_with("--format")) word.insert(2, "summary-");
    words.push_back(std::move(word));
  }
  arguments.resize(1);
  arguments.insert(arguments.end(), words.begin(), words.end());
}

}  // namespace

bool is_called_msprof(int argc, const char* const* argv) {
  return argc > 0 && std::filesystem::path(argv[0]).filename() == "msprof";
}

std::vector<std::string> program_arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  if (argc > 0) {
    const std::filesystem::path name = std::filesystem::path(argv[0]).filename();
    if (is_called_msprof(argc, argv)) arguments.emplace_back("msprof");
    if (name == "msprof-analyze") arguments.emplace_back("analyze");
  }
  for (int i = 1; i < argc; ++i) arguments.emplace_back(argv[i]);
  translate_option_names(arguments);
  translate_commands(arguments);
  leave_out_idle_options(arguments);
  translate_help(arguments);
  if (!arguments.empty() && arguments[0] == "msprof") translate_msprof(arguments);
  return arguments;
}

}  // namespace npuprof::cli
