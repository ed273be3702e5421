#include "record/host_reporter.h"

#include <atomic>

#include "base/first_error.h"
#include "format/host/dictionary.h"
#include "format/host/levels.h"

namespace npuprof::record {

using format::host::Age;
using format::host::Module;

namespace {

std::string base_name(Age age, Module module, std::string_view tag) {
  std::string name(format::host::age_name(age));
  return name.append(".").append(format::host::module_name(module)).append(".").append(tag);
}

}  // namespace

HostReporter::HostReporter(std::filesystem::path data_directory)
    : directory_(std::move(data_directory)),
      hash_dictionary_(directory_, base_name(Age::kUnaging, Module::kAdditional, "hash_dic")),
      type_dictionary_(directory_, base_name(Age::kUnaging, Module::kAdditional, "type_info_dic")) {
}

HostReporter::~HostReporter() { (void)close(); }

std::size_t HostReporter::next_slot() {
  static std::atomic<std::size_t> used{0};
  return used.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t HostReporter::hash(std::string_view text) {
  if (text.empty()) return 0;
  const std::uint64_t id = format::host::string_hash(text);
  const std::lock_guard lock(mutex_);
  if (hashes_.insert(id).second) {
    line_.clear();
    format::host::append_hash_entry(line_, id, text);
    hash_dictionary_.write(line_);
  }
  return id;
}

void HostReporter::name_type(std::uint16_t level, std::uint32_t type, std::string_view name) {
  const std::uint64_t key = format::host::type_key(level, type);
  const std::lock_guard lock(mutex_);
  type_names_[key] = name;
  if (types_.erase(key) > 0) enter_type(level, type);
}

void HostReporter::declare_type(std::uint16_t level, std::uint32_t type) {
  const std::lock_guard lock(mutex_);
  use_type(level, type);
}

void HostReporter::enter_type(std::uint16_t level, std::uint32_t type) {
  const std::uint64_t key = format::host::type_key(level, type);
  if (!types_.insert(key).second) return;
  const auto given = type_names_.find(key);
  const std::string_view name =
      given != type_names_.end() ? given->second : format::host::type_name(level, type);
  if (name.empty()) return;  // Readers then show the number.
  line_.clear();
  format::host::append_type_entry(line_, level, type, name);
  type_dictionary_.write(line_);
}

void HostReporter::api(Age age, const format::host::ApiEvent& event) {
  const std::lock_guard lock(mutex_);
  use_type(event.level, event.type);
  SliceWriter*& writer = api_writers_[age == Age::kAging ? 1 : 0];
  if (writer == nullptr) writer = &writer_named(age, Module::kApiEvent, "data");
  writer->append(event);
}

void HostReporter::raw_record(Age age, Module module, std::string_view tag, Bytes record) {
  const std::lock_guard lock(mutex_);
  const bool has_header = module == Module::kCompact || module == Module::kAdditional;
  if (has_header && record.size() >= sizeof(format::host::RecordHeader)) {
    const auto header = format::load<format::host::RecordHeader>(record.data());
    use_type(header.level, header.type);
  }
  writer_named(age, module, tag).write(record);
}

void HostReporter::mark(Age age, format::host::Msproftx mark, std::string_view message) {
  mark.header = format::host::header_of<format::host::Msproftx>(0, 0);
  format::host::write_segments(
      mark, message, [&](const format::host::Msproftx& segment) { record(age, segment); });
}

Status HostReporter::flush() {
  const std::lock_guard lock(mutex_);
  FirstError first;
  const auto flush_one = [&](SliceWriter& writer) {
    writer.flush();
    first.keep(writer.status());
  };
  for (const auto& kind : kinds_) flush_one(kind->writer);
  flush_one(hash_dictionary_);
  flush_one(type_dictionary_);
  return first.status();
}

Status HostReporter::close() {
  const std::lock_guard lock(mutex_);
  FirstError first;
  for (const auto& kind : kinds_) first.keep(kind->writer.close());
  first.keep(hash_dictionary_.close());
  first.keep(type_dictionary_.close());
  return first.status();
}

SliceWriter& HostReporter::writer_named(Age age, Module module, std::string_view tag) {
  for (const auto& kind : kinds_) {
    if (kind->age == age && kind->module == module && kind->tag == tag) return kind->writer;
  }
  // Variable records have no fixed length, so readers expect them in one piece.
  const std::uint64_t slice_bytes =
      module == Module::kVariable ? SliceWriter::kNeverSplit : format::host::kSliceBytes;
  kinds_.push_back(std::make_unique<Kind>(
      Kind{age, module, std::string(tag),
           SliceWriter(directory_, base_name(age, module, tag), slice_bytes)}));
  return kinds_.back()->writer;
}

SliceWriter& HostReporter::remember(std::size_t slot, SliceWriter& writer) {
  if (slots_.size() <= slot) slots_.resize(slot + 1, nullptr);
  slots_[slot] = &writer;
  return writer;
}

}  // namespace npuprof::record
