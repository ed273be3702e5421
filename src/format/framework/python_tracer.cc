#include "format/framework/python_tracer.h"

#include "base/text.h"

namespace npuprof::format::framework {
namespace {

constexpr std::string_view kModuleDelimiter = "######";
constexpr std::string_view kLineEnd = "): ";

}  // namespace

std::optional<PythonFrame> parse_python_frame(std::string_view text) {
  // From the back: a path may contain parentheses, a function name has none.
  const std::size_t line_end = text.rfind(kLineEnd);
  if (line_end == std::string_view::npos) return std::nullopt;
  const std::size_t line_begin = text.rfind('(', line_end);
  if (line_begin == std::string_view::npos) return std::nullopt;
  const auto line =
      parse_number<std::int64_t>(text.substr(line_begin + 1, line_end - line_begin - 1));
  if (!line) return std::nullopt;
  return PythonFrame{text.substr(0, line_begin), *line, text.substr(line_end + kLineEnd.size())};
}

void append_python_frame(std::string& out, const PythonFrame& frame) {
  out += frame.file;
  out += '(';
  append_integer(out, frame.line);
  out += kLineEnd;
  out += frame.function;
}

std::optional<PythonModule> parse_python_module(std::string_view text) {
  const std::size_t delimiter = text.rfind(kModuleDelimiter);
  if (delimiter == std::string_view::npos) return std::nullopt;
  const auto address =
      parse_number<std::uint64_t>(text.substr(delimiter + kModuleDelimiter.size()));
  if (!address) return std::nullopt;
  return PythonModule{text.substr(0, delimiter), *address};
}

void append_python_module(std::string& out, const PythonModule& module) {
  out += module.class_name;
  out += kModuleDelimiter;
  append_integer(out, module.address);
}

std::string_view frame_without_address(std::string_view name) {
  const std::size_t address = name.rfind(" at 0x");
  if (!name.starts_with('<') || address == std::string_view::npos) return name;
  return name.substr(1, address - 1);
}

}  // namespace npuprof::format::framework
