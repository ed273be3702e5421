#include "load/cann_host/host_files.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <tuple>

#include "format/host/names.h"
#include "load/done_marks.h"
#include "load/slice_names.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using format::host::Age;

bool has_mark(Bytes bytes, std::size_t at) {
  return bytes.size() >= at + sizeof(format::U16) &&
         format::load<format::U16>(bytes.data() + at) == format::host::kMagic;
}

// Joins the slices of one age.
class RunCutter {
 public:
  RunCutter(std::size_t record_bytes, RecordMark mark, trace::Losses& losses,
            const std::function<void(const RecordRun&)>& run)
      : record_bytes_(record_bytes), mark_(mark), losses_(losses), run_(run) {}

  void add(const HostSlice& slice);
  void finish();

 private:
  bool continues(Bytes next) const;
  std::size_t first_record(Bytes bytes) const;

  std::size_t record_bytes_;
  RecordMark mark_;
  trace::Losses& losses_;
  const std::function<void(const RecordRun&)>& run_;

  std::vector<std::byte> held_;  // The begin of a record whose end is in the next slice.
  const HostSlice* held_from_ = nullptr;
  std::uint64_t held_offset_ = 0;
  // Behind lost bytes: how many of the next slice belong to a record that began in them.
  std::optional<std::size_t> rest_;
};

// Whether `next` goes on with the record that is held: then a record begins right after its end. A
// slice that begins with a record of its own shows that the held one was never finished.
bool RunCutter::continues(Bytes next) const {
  if (mark_ == RecordMark::kIgnored) return true;
  const std::size_t missing = record_bytes_ - held_.size();
  if (has_mark(next, missing)) return true;
  return !has_mark(next, 0) && next.size() <= missing + 1;
}

// Where the first record of a slice begins. The oldest slices may have been deleted, the first one
// left then begins inside a record and ends with a whole one.
std::size_t RunCutter::first_record(Bytes bytes) const {
  const std::size_t rest = bytes.size() % record_bytes_;
  const bool shifted =
      mark_ == RecordMark::kChecked && !has_mark(bytes, 0) && has_mark(bytes, rest);
  return shifted ? rest : 0;
}

void RunCutter::add(const HostSlice& slice) {
  Bytes bytes = slice.file.bytes();
  std::size_t offset = 0;
  const bool rest_known = rest_.has_value();
  if (rest_known) {
    offset = std::min(*rest_, bytes.size());
    rest_.reset();
  } else if (!held_.empty() && !bytes.empty()) {
    if (continues(bytes)) {
      const std::size_t taken = std::min(record_bytes_ - held_.size(), bytes.size());
      held_.insert(held_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      offset = taken;
      if (held_.size() < record_bytes_) return;
      run_({held_, held_from_, held_offset_});
      held_.clear();
    } else {
      finish();
    }
  }
  if (offset == 0 && !rest_known) {
    offset = first_record(bytes);
    if (offset > 0) {
      losses_.add(slice.path.native(), 0, 1, "The file begins inside a record, which was skipped.");
    }
  }
  bytes = bytes.subspan(offset);
  const std::size_t whole = bytes.size() / record_bytes_ * record_bytes_;
  if (whole > 0) run_({bytes.first(whole), &slice, offset});
  if (whole < bytes.size()) {
    held_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end());
    held_from_ = &slice;
    held_offset_ = offset + whole;
  }
  if (slice.lost_bytes > 0) {
    const std::size_t begun = (bytes.size() - whole + slice.lost_bytes) % record_bytes_;
    finish();
    rest_ = begun == 0 ? 0 : record_bytes_ - begun;
  }
}

void RunCutter::finish() {
  rest_.reset();
  if (held_.empty()) return;
  losses_.add(held_from_->path.native(), held_offset_, 1,
              "The last " + std::to_string(held_.size()) +
                  " bytes are the begin of a record that was never finished.");
  held_.clear();
}

}  // namespace

namespace {

// A file of records is made when there is a first one. A mark would tell that it had none.
void report_if_empty(const std::vector<HostSlice>& slices, std::string_view tag,
                     trace::Losses& losses) {
  const auto is_empty = [](const HostSlice& slice) { return slice.file.bytes().empty(); };
  if (slices.empty() || tag.ends_with("_dic")) return;
  if (!std::all_of(slices.begin(), slices.end(), is_empty)) return;
  if (has_done_mark(slices.front().path)) return;
  losses.add(slices.front().path.native(), 0, 0,
             "The file is empty: what it was made for is lost.");
}

}  // namespace

HostFiles::HostFiles(const fs::path& data_directory, trace::Losses& losses)
    : directory_(data_directory) {
  std::error_code error;
  fs::directory_iterator entries(data_directory, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().native();
    if (!format::host::is_raw_file(name)) continue;
    if (const auto parsed = format::host::parse_host_file_name(name)) {
      records_[{parsed->module, std::string(parsed->tag)}].push_back(
          {parsed->age, parsed->slice, name});
    } else if (const auto text = format::host::parse_plain_file_name(name)) {
      texts_[std::string(text->base)].push_back({Age::kAging, text->slice, name});
    } else if (is_slice_name(name)) {
      losses.add(entries->path().native(), 0, 0, std::string(kNameNotUnderstood));
    }
  }
  if (error) {
    losses.add(data_directory.native(), 0, 0,
               "The host data cannot be read (" + error.message() +
                   "): tasks have no names and no launching calls.");
  }
  const auto sort = [](std::vector<Entry>& list) {
    std::sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.age, a.slice, a.name) < std::tie(b.age, b.slice, b.name);
    });
  };
  for (auto& [kind, list] : records_) sort(list);
  for (auto& [base, list] : texts_) sort(list);
}

bool HostFiles::has_older_records(format::host::Module module) const {
  return std::any_of(records_.begin(), records_.end(), [module](const auto& kind_and_entries) {
    const auto& [kind, entries] = kind_and_entries;
    return kind.first == module && !kind.second.ends_with("_dic") &&
           std::any_of(entries.begin(), entries.end(),
                       [](const Entry& entry) { return entry.age == Age::kUnaging; });
  });
}

std::vector<HostSlice> HostFiles::open(format::host::Module module, std::string_view tag,
                                       trace::Losses& losses) const {
  std::vector<HostSlice> slices;
  const auto found = records_.find({module, std::string(tag)});
  if (found == records_.end()) return slices;
  for (const Entry& entry : found->second) {
    fs::path path = directory_ / entry.name;
    auto file = MappedFile::open(path);
    if (!file.ok()) {
      losses.add(path.native(), 0, 0, "The file was left out: " + file.error().message + ".");
      continue;
    }
    const std::uint64_t lost_bytes = bytes_lost_at_end(path, file->bytes().size());
    slices.push_back({std::move(path), entry.age, std::move(file).value(), lost_bytes});
  }
  report_if_empty(slices, tag, losses);
  return slices;
}

std::string HostFiles::read_text(std::string_view base, trace::Losses& losses) const {
  std::string text;
  const auto found = texts_.find(base);
  if (found == texts_.end()) return text;
  for (const Entry& entry : found->second) {
    const fs::path path = directory_ / entry.name;
    auto part = read_file(path);
    if (part.ok()) {
      text += *part;
    } else {
      losses.add(path.native(), 0, 0, "The file was left out: " + part.error().message + ".");
    }
  }
  return text;
}

std::vector<std::string> HostFiles::text_names_with_suffix(std::string_view suffix) const {
  std::vector<std::string> names;
  for (const auto& [base, slices] : texts_) {
    if (base.ends_with(suffix)) names.push_back(base);
  }
  return names;
}

std::string HostFiles::text_path(std::string_view base) const {
  const auto found = texts_.find(base);
  return (directory_ / (found == texts_.end() ? base : found->second.front().name)).native();
}

void for_each_run(std::span<const HostSlice> slices, std::size_t record_bytes, RecordMark mark,
                  trace::Losses& losses, const std::function<void(const RecordRun&)>& run) {
  RunCutter cutter(record_bytes, mark, losses, run);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (i > 0 && slices[i].age != slices[i - 1].age) cutter.finish();
    cutter.add(slices[i]);
    slices[i].file.forget(0, slices[i].file.bytes().size());
  }
  cutter.finish();
}

void BadRecordsBySlice::add(const HostSlice& slice, std::uint64_t offset) {
  if (entries_.empty() || entries_.back().file != slice.path.native()) {
    entries_.push_back({slice.path.native(), {}});
  }
  entries_.back().records.add(offset);
}

void BadRecordsBySlice::report(std::string_view what, trace::Losses& losses) const {
  for (const Entry& entry : entries_) {
    losses.add(entry.file, entry.records.first_offset, entry.records.count,
               std::to_string(entry.records.count) + " records " + std::string(what) + ".");
  }
}

std::size_t count_records(std::span<const HostSlice> slices, std::size_t record_bytes) {
  std::size_t bytes = 0;
  for (const HostSlice& slice : slices) bytes += slice.file.bytes().size();
  return bytes / record_bytes;
}

}  // namespace npuprof::load
