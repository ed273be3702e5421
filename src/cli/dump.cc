#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/dump_output.h"
#include "cli/standard_output.h"
#include "cli/validators.h"
#include "format/catalog.h"
#include "format/host/control.h"
#include "format/host/file_names.h"
#include "format/host/names.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDumpExamples =
    "A line is a record: where it begins, its kind, its members. Bytes that belong to no whole\n"
    "record, records without their mark and zeros where a record should be are lines too; what is\n"
    "damaged has a '!' and a sentence at the end (in JSON \"damage\").\n"
    "\n"
    "Examples:\n"
    "  npuprof dump PROF_*/device_0/data/stars_soc.data.0.slice_0 --first 20\n"
    "  npuprof dump worker_ascend_pt/FRAMEWORK/torch.op_range --offset 4096 --raw\n"
    "  npuprof dump PROF_*/host/data/*.compact.* --json | jq 'select(.damage)'\n"
    "  npuprof dump saved.bin --kind compact.task_track\n"
    "\n"
    "Exit status: 0 all well, 1 something that was shown is damaged, 2 wrong arguments, 3 a file\n"
    "cannot be read.";

struct DumpArguments {
  std::vector<std::string> files;
  std::string kind;
  bool list_kinds = false;
  bool json = false;
  bool raw = false;
  std::uint64_t skip = 0;
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> offset;
};

void print_kinds() {
  std::string text = fmt::format("{:<38} {:>6}  {}\n", "kind", "bytes", "files");
  for (const format::FileKind& kind : format::file_kinds()) {
    const std::string bytes = kind.record_bytes > 0 ? std::to_string(kind.record_bytes) : "any";
    text += fmt::format("{:<38} {:>6}  {}\n", kind.name, bytes, kind.patterns);
  }
  print(text);
}

// The first of these that is there and says which chip it is.
std::optional<format::host::InfoJson> read_first_info(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    const auto text = read_file(path);
    if (!text.ok()) continue;
    auto info = format::host::parse_info_json(*text);
    if (info.ok() && info->platform_version) return std::move(*info);
  }
  return std::nullopt;
}

// What the control files of the directory above `data` say.
format::Surroundings surroundings_of(const fs::path& file, Bytes bytes) {
  format::Surroundings around;
  around.size = bytes.size();
  if (!bytes.empty()) around.first_byte = static_cast<char>(bytes.front());
  const std::string file_name = file.filename().native();
  const auto name = format::host::parse_device_file_name(file_name);
  if (!name) return around;
  std::error_code ignored;
  const fs::path directory = fs::absolute(file, ignored).parent_path().parent_path();
  const auto info =
      read_first_info({directory / fmt::format("{}.{}", format::host::kInfoFile, name->device),
                       directory.parent_path() / "host" / format::host::kInfoFile});
  if (info) {
    const auto* const chip = format::device::find_chip(*info->platform_version);
    if (chip != nullptr) around.chip = chip->id;
    around.version_2 = info->version == "2.0";
  }
  const auto text = read_file(directory / format::host::kSampleFile);
  const auto sample = text.ok() ? format::host::parse_sample_json(*text)
                                : Result<format::host::SampleJson>(text.error());
  around.is_sampled = sample.ok() && (sample->ai_core_profiling_mode == "sample-based" ||
                                      sample->aiv_profiling_mode == "sample-based");
  return around;
}

// The file that holds another slice of the same.
fs::path slice_beside(const fs::path& file, std::uint64_t number) {
  const std::string name = file.filename().native();
  const std::size_t last = name.find_last_not_of("0123456789");
  return file.parent_path() / (name.substr(0, last + 1) + std::to_string(number));
}

std::optional<std::uint32_t> slice_number(const std::string& name) {
  if (const auto device = format::host::parse_device_file_name(name)) return device->slice;
  if (const auto plain = format::host::parse_plain_file_name(name)) return plain->slice;
  return std::nullopt;
}

// Records may go on from slice to slice, so their sizes tell where the first one of a slice begins.
// If older slices were deleted, the last record is the one that is whole.
std::size_t begun_before(const fs::path& file, std::uint32_t slice, std::size_t size,
                         std::size_t record_bytes) {
  std::uint64_t before = 0;
  for (std::uint32_t i = 0; i < slice; ++i) {
    std::error_code error;
    const auto bytes = fs::file_size(slice_beside(file, i), error);
    if (error) return size % record_bytes;
    before += bytes;
  }
  return std::min<std::size_t>(size, (record_bytes - before % record_bytes) % record_bytes);
}

format::Contents contents_of(const fs::path& file, Bytes bytes, const format::FileKind& kind,
                             const DumpArguments& arguments) {
  format::Contents contents{.bytes = bytes};
  const auto slice = slice_number(file.filename().native());
  if (slice && kind.record_bytes > 0) {
    std::error_code ignored;
    contents.has_before = *slice > 0 && fs::exists(slice_beside(file, *slice - 1), ignored);
    contents.has_after = fs::exists(slice_beside(file, std::uint64_t{*slice} + 1), ignored);
    contents.begun_before = begun_before(file, *slice, bytes.size(), kind.record_bytes);
  }
  if (arguments.offset) {
    contents.begin = *arguments.offset;
    contents.begun_before = 0;
  }
  return contents;
}

// The kind that was asked for, or that of the file's name; null, with an error said, if none is.
const format::FileKind* choose_kind(const fs::path& file, Bytes bytes, const std::string& asked) {
  if (!asked.empty()) return format::find_file_kind(asked);
  const std::string name = file.filename().native();
  const format::Surroundings around = surroundings_of(file, bytes);
  const format::FileKind* kind = format::file_kind_of(name, around);
  if (kind == nullptr) {
    log::error("'{}' is no raw file by its name: say what it is with --kind (see --list-kinds)",
               file.native());
  } else if (format::host::parse_device_file_name(name) && !around.chip &&
             format::depends_on_surroundings(name)) {
    log::warning(
        "'{}': there is no info.json of the device that tells the chip, so it is taken "
        "for {}; --kind says otherwise",
        file.native(), kind->name);
  }
  return kind;
}

int dump_file(const std::string& path, const DumpArguments& arguments, DumpOutput& output) {
  const auto file = MappedFile::open(path);
  if (!file.ok()) {
    log::error("{}", file.error().message);
    return kUnreadable;
  }
  const Bytes bytes = file->bytes();
  const format::FileKind* kind = choose_kind(path, bytes, arguments.kind);
  if (kind == nullptr) return kUsage;
  if (arguments.offset.value_or(0) > bytes.size()) {
    log::error("'{}' has {} bytes only: --offset {} is behind its end", path, bytes.size(),
               *arguments.offset);
    return kUsage;
  }
  output.begin_file(path, *kind, bytes.size(), arguments.files.size() == 1);
  std::uint64_t passed = 0;
  std::uint64_t damaged = 0;
  const std::uint64_t shown_most = arguments.first.value_or(UINT64_MAX);
  kind->for_each_piece(contents_of(path, bytes, *kind, arguments), [&](const format::Piece& piece) {
    if (passed++ < arguments.skip) return true;
    if (passed - arguments.skip > shown_most) return false;
    damaged += piece.is_damaged ? 1 : 0;
    return output.add(piece);
  });
  output.flush();
  if (damaged > 0) log::warning("'{}': {} place(s) are damaged", path, damaged);
  return damaged > 0 ? kLosses : kOk;
}

int run_dump(const DumpArguments& arguments) {
  if (arguments.list_kinds) {
    print_kinds();
    return kOk;
  }
  if (arguments.files.empty()) fail("FILE", "name the files to show");
  if (!arguments.kind.empty() && format::find_file_kind(arguments.kind) == nullptr) {
    fail("--kind", "'" + arguments.kind + "' is no kind of file: see --list-kinds");
  }
  const auto output =
      arguments.json ? make_json_dump(arguments.raw) : make_text_dump(arguments.raw);
  int status = kOk;
  for (const std::string& path : arguments.files) {
    status = std::max(status, dump_file(path, arguments, *output));
    if (!printed().ok()) break;
  }
  return status;
}

}  // namespace

void add_dump_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* command = app.add_subcommand("dump", "The records of raw files, as they are");
  command->add_option("FILE", arguments->files, "Raw files of a profile")->check(not_empty());
  command->add_flag("--json", arguments->json, "One JSON object on a line for each record");
  command->add_flag("--raw", arguments->raw, "The bytes of each record in hexadecimal, too");
  command->add_option("--first", arguments->first, "Show so many records of each file at most")
      ->check(at_least(0))
      ->type_name("N");
  command->add_option("--skip", arguments->skip, "Leave out so many records at the begin")
      ->check(at_least(0))
      ->type_name("N");
  command->add_option("--offset", arguments->offset, "Begin at this byte, as if a record did")
      ->check(at_least(0))
      ->type_name("BYTES");
  command->add_option("--kind", arguments->kind, "What the files are, if their names do not tell")
      ->type_name("NAME");
  command->add_flag("--list-kinds", arguments->list_kinds, "Show the names for --kind and exit");
  command->footer(kDumpExamples);
  command->callback([arguments, &status] { status = run_dump(*arguments); });
}

}  // namespace npuprof::cli
