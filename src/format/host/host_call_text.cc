// Calls into the operating system, as `perf trace` and `ltrace` print them.

#include "base/text.h"
#include "format/host/host_text.h"
#include "format/text_scan.h"

namespace npuprof::format::host {
namespace {

// "command/tid name(...", where the command may contain blanks and slashes.
bool parse_caller(std::string_view text, HostCall& call) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return false;
  std::string_view before = text.substr(0, open);
  const std::size_t blank = before.rfind(' ');
  if (blank == std::string_view::npos) return false;
  call.name = before.substr(blank + 1);
  before = trim(before.substr(0, blank));
  const std::size_t slash = before.rfind('/');
  if (slash == std::string_view::npos) return false;
  const auto thread_id = parse_number<std::uint32_t>(before.substr(slash + 1));
  if (!thread_id) return false;
  call.thread_id = *thread_id;
  call.program = before.substr(0, slash);
  return !call.name.empty();
}

std::optional<HostCall> parse_syscall(std::string_view line) {
  constexpr std::string_view kAfterDuration = " ms): ";
  const std::size_t open = line.find('(');
  const std::size_t close = line.find(kAfterDuration);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const auto begin_ms = parse_number<double>(trim(line.substr(0, open)));
  const auto duration_ms = parse_number<double>(trim(line.substr(open + 1, close - open - 1)));
  if (!begin_ms || !duration_ms) return std::nullopt;
  HostCall call{.begin_s = *begin_ms / 1000, .duration_s = *duration_ms / 1000};
  if (!parse_caller(line.substr(close + kAfterDuration.size()), call)) return std::nullopt;
  return call;
}

std::optional<HostCall> parse_pthread_call(std::string_view line) {
  constexpr std::string_view kPid = "[pid ";
  const std::size_t bracket = line.find(']');
  if (!line.starts_with(kPid) || bracket == std::string_view::npos) return std::nullopt;
  HostCall call;
  const auto thread_id =
      parse_number<std::uint32_t>(trim(line.substr(kPid.size(), bracket - kPid.size())));
  std::string_view rest = line.substr(bracket + 1);
  const auto begin_s = parse_number<double>(take_word(rest));
  const std::size_t arrow = rest.find("->");
  const std::size_t open = rest.find('(');
  const std::size_t less = rest.rfind('<');
  const std::size_t greater = rest.rfind('>');
  if (!thread_id || !begin_s || arrow == std::string_view::npos || open == std::string_view::npos ||
      open < arrow || less == std::string_view::npos || less < open || greater < less ||
      greater == std::string_view::npos) {
    return std::nullopt;
  }
  const auto duration_s = parse_number<double>(rest.substr(less + 1, greater - less - 1));
  if (!duration_s) return std::nullopt;
  call.thread_id = *thread_id;
  call.begin_s = *begin_s;
  call.duration_s = *duration_s;
  call.program = trim(rest.substr(0, arrow));
  call.name = rest.substr(arrow + 2, open - arrow - 2);
  return call;
}

template <typename Parse>
TextCounts read_calls(std::string_view text, Parse parse,
                      const std::function<void(const HostCall&)>& call) {
  TextCounts counts;
  std::string_view line;
  while (take_line(text, line)) {
    if (trim(line).empty()) continue;
    if (const auto parsed = parse(line)) {
      call(*parsed);
      ++counts.samples;
    } else {
      ++counts.bad_lines;
    }
  }
  return counts;
}

}  // namespace

TextCounts read_host_syscalls(std::string_view text,
                              const std::function<void(const HostCall&)>& call) {
  return read_calls(text, parse_syscall, call);
}

TextCounts read_host_pthread_calls(std::string_view text,
                                   const std::function<void(const HostCall&)>& call) {
  return read_calls(text, parse_pthread_call, call);
}

void append_host_syscall(std::string& out, const HostCall& call) {
  append_fixed(out, call.begin_s * 1000, 3);
  out += " (";
  append_fixed(out, call.duration_s * 1000, 3);
  out.append(" ms): ").append(call.program).append("/");
  append_integer(out, call.thread_id);
  out.append(" ").append(call.name).append("() = 0\n");
}

void append_host_pthread_call(std::string& out, const HostCall& call) {
  out += "[pid ";
  append_integer(out, call.thread_id);
  out += "] ";
  append_fixed(out, call.begin_s, 6);
  out.append(" ").append(call.program).append("->").append(call.name).append("() = 0 <");
  append_fixed(out, call.duration_s, 6);
  out += ">\n";
}

}  // namespace npuprof::format::host
