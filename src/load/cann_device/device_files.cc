#include "load/cann_device/device_files.h"

#include <system_error>

#include <fmt/format.h>

#include "format/host/names.h"
#include "load/done_marks.h"
#include "load/slice_names.h"

namespace npuprof::load {

std::size_t DeviceFile::size_bytes() const {
  std::size_t total = 0;
  for (const Slice& slice : slices_) total += slice.file.bytes().size();
  return total;
}

char DeviceFile::first_byte() const {
  for (const Slice& slice : slices_) {
    if (!slice.file.text().empty()) return slice.file.text().front();
  }
  return 0;
}

std::string DeviceFile::text() const {
  std::string joined;
  joined.reserve(size_bytes());
  for (const Slice& slice : slices_) joined += slice.file.text();
  return joined;
}

std::vector<DeviceFile::Run> DeviceFile::runs() const {
  std::vector<Run> runs;
  std::uint64_t position = 0;
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const bool follows = i > 0 && slices_[i].number <= slices_[i - 1].number + 1;
    if (!follows) position = 0;
    if (follows && slices_[i - 1].lost_bytes == 0) {
      runs.back().last = i;
    } else {
      runs.push_back({i, i, position});
    }
    position += slices_[i].file.bytes().size() + slices_[i].lost_bytes;
  }
  return runs;
}

std::vector<Bytes> DeviceFile::bytes_of(const Run& run) const {
  std::vector<Bytes> bytes;
  for (std::size_t i = run.first; i <= run.last; ++i) bytes.push_back(slices_[i].file.bytes());
  return bytes;
}

std::size_t DeviceFile::size_of(const std::vector<Bytes>& slices) {
  std::size_t total = 0;
  for (const Bytes slice : slices) total += slice.size();
  return total;
}

std::vector<Bytes> DeviceFile::part_of(const std::vector<Bytes>& slices, std::size_t skipped,
                                       std::size_t count) {
  std::vector<Bytes> part;
  for (const Bytes slice : slices) {
    const std::size_t begin = std::min(skipped, slice.size());
    const std::size_t taken = std::min(slice.size() - begin, count);
    part.push_back(slice.subspan(begin, taken));
    skipped -= begin;
    count -= taken;
  }
  return part;
}

void DeviceFile::report_missing_slices(trace::Losses& losses) const {
  if (slices_.empty()) return;
  std::uint32_t expected = 0;
  for (const Slice& slice : slices_) {
    if (slice.number > expected) {
      losses.add(slice.path.string(), 0, 0,
                 fmt::format("{} slice(s) before this one are missing.", slice.number - expected));
    }
    expected = slice.number + 1;
  }
}

void DeviceFile::report_leftover(const Run& run, std::size_t at_begin, std::size_t at_end,
                                 std::size_t record_bytes, trace::Losses& losses) const {
  const auto report = [&](std::size_t bytes, std::size_t offset, std::string_view end) {
    if (bytes == 0) return;
    auto [path, place] = locate(run, offset);
    losses.add(std::move(path), place, 1,
               fmt::format("{} bytes at the {} are no whole record of {} bytes.", bytes, end,
                           record_bytes));
  };
  report(at_begin, 0, "beginning");
  report(at_end, size_of(bytes_of(run)) - at_end, "end");
}

void DeviceFile::report_bad(const Run& run, const BadRecords& bad, std::string_view what,
                            trace::Losses& losses) const {
  if (bad.count == 0) return;
  auto [path, place] = locate(run, bad.first_offset);
  losses.add(std::move(path), place, bad.count, fmt::format("{} record(s) {}.", bad.count, what));
}

std::pair<std::string, std::uint64_t> DeviceFile::locate(const Run& run, std::size_t offset) const {
  for (std::size_t i = run.first; i < run.last; ++i) {
    const std::size_t size = slices_[i].file.bytes().size();
    if (offset < size) return {slices_[i].path.string(), offset};
    offset -= size;
  }
  return {slices_[run.last].path.string(), offset};
}

DeviceFiles::DeviceFiles(const std::filesystem::path& device_directory, std::uint16_t device,
                         trace::Losses& losses) {
  list(device_directory / "data", device, losses);
  sort_slices();
}

DeviceFiles DeviceFiles::of_job(const std::filesystem::path& directory, std::uint16_t device,
                                trace::Losses& losses) {
  DeviceFiles files;
  files.is_job_ = true;
  files.list(directory, device, losses);
  std::error_code ignored;
  if (std::filesystem::exists(directory / "data", ignored)) {
    files.list(directory / "data", device, losses);
  }
  files.sort_slices();
  return files;
}

void DeviceFiles::list(const std::filesystem::path& directory, std::uint16_t device,
                       trace::Losses& losses) {
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  if (error) {
    losses.add(directory.string(), 0, 0,
               fmt::format("The device's data cannot be listed: {}.", error.message()));
    return;
  }
  for (; entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (error) break;
    const std::string name = entry->path().filename().string();
    if (!format::host::is_raw_file(name)) continue;
    const auto parsed = format::host::parse_device_file_name(name);
    if (!parsed && is_slice_name(name)) {
      losses.add(entry->path().string(), 0, 0, std::string(kNameNotUnderstood));
    }
    if (!parsed || parsed->device != device) continue;
    files_[format::host::current_base(parsed->base)].push_back({parsed->slice, entry->path()});
  }
}

void DeviceFiles::sort_slices() {
  for (auto& [base, slices] : files_) {
    std::sort(slices.begin(), slices.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.number, a.path) < std::pair(b.number, b.path);
    });
  }
}

const std::vector<DeviceFiles::Entry>* DeviceFiles::find(std::string_view base) const {
  const auto found = files_.find(base);
  return found == files_.end() ? nullptr : &found->second;
}

DeviceFile DeviceFiles::open(std::string_view base, trace::Losses& losses) const {
  const std::vector<Entry>* entries = find(base);
  if (entries == nullptr) return {};
  std::vector<DeviceFile::Slice> slices;
  for (const Entry& entry : *entries) {
    Result<MappedFile> file = MappedFile::open(entry.path);
    if (!file.ok()) {
      losses.add(entry.path.string(), 0, 0, file.error().message);
      continue;
    }
    const std::uint64_t lost_bytes = bytes_lost_at_end(entry.path, file->bytes().size());
    slices.push_back({entry.path, entry.number, std::move(*file), lost_bytes});
  }
  DeviceFile file(std::move(slices));
  // Marks that would tell of it came later.
  if (is_job_ && file.empty() && !file.name().empty()) {
    losses.add(file.name(), 0, 0, "The file is empty: what it was made for is lost.");
  }
  return file;
}

std::vector<std::string> DeviceFiles::names_with_prefix(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const auto& [base, slices] : files_) {
    if (base.starts_with(prefix)) names.push_back(base);
  }
  return names;
}

std::vector<std::string> DeviceFiles::names_with_suffix(std::string_view suffix) const {
  std::vector<std::string> names;
  for (const auto& [base, slices] : files_) {
    if (base.ends_with(suffix)) names.push_back(base);
  }
  return names;
}

}  // namespace npuprof::load
