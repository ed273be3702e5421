#pragma once

// What the vendor's readers need of the host half of a profile, checked on a written directory. The
// expect_* functions hold for any writer; a test of a simulated run can use them as well.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "format/host/additional.h"
#include "format/host/api_event.h"
#include "format/host/compact.h"
#include "format/host/control.h"
#include "format/host/dictionary.h"
#include "format/host/names.h"

namespace npuprof::sim::testing {

namespace fs = std::filesystem;
using namespace format::host;  // NOLINT(*-using-namespace): every name below is one of its records.

// All records of one kind, unaging slices first, then by number.
template <format::Record T>
std::vector<T> records_of(const fs::path& data, Module module, std::string_view tag) {
  std::vector<std::pair<std::string, HostFileName>> names;
  for (const auto& entry : fs::directory_iterator(data)) {
    names.emplace_back(entry.path().filename(), HostFileName{});
  }
  std::erase_if(names, [&](auto& entry) {
    const auto parsed = parse_host_file_name(entry.first);
    if (parsed) entry.second = *parsed;
    return !parsed || parsed->module != module || parsed->tag != tag;
  });
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<T> records;
  for (const auto& [name, parsed] : names) {
    const auto file = MappedFile::open(data / name);
    EXPECT_TRUE(file.ok());
    const Bytes bytes = file->bytes();
    EXPECT_EQ(bytes.size() % sizeof(T), 0u) << name;
    format::for_each_record<T>(std::span(&bytes, 1), format::Leftover::kAtEnd,
                               [&](const T& record) { records.push_back(record); });
  }
  return records;
}
template <format::Record T>
std::vector<T> records_of(const fs::path& data) {
  return records_of<T>(data, T::kKind.module, T::kKind.tag);
}
inline std::vector<ApiEvent> calls_of(const fs::path& data) {
  return records_of<ApiEvent>(data, Module::kApiEvent, "data");
}

struct Dictionaries {
  std::map<std::uint64_t, std::string> strings;
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::string> types;
};

inline Dictionaries dictionaries_of(const fs::path& data) {
  Dictionaries result;
  for (std::uint32_t slice = 0;; ++slice) {
    const auto text = read_file(
        data / make_host_file_name(Age::kUnaging, Module::kAdditional, "hash_dic", slice));
    if (!text.ok()) break;
    const Bytes bytes = as_bytes(*text);
    const auto counts = read_hash_dictionary(
        std::span(&bytes, 1),
        [&](std::uint64_t hash, std::string_view name) { result.strings[hash] = name; });
    EXPECT_EQ(counts.bad_lines, 0u);
  }
  const auto text = read_file(data / "unaging.additional.type_info_dic.slice_0");
  EXPECT_TRUE(text.ok());
  const Bytes bytes = as_bytes(*text);
  read_type_dictionary(std::span(&bytes, 1),
                       [&](std::uint16_t level, std::uint32_t type, std::string_view name) {
                         result.types[{level, type}] = name;
                       });
  return result;
}

inline nlohmann::json json_of(const fs::path& path) {
  const auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  EXPECT_EQ(text->find('\n'), std::string::npos) << path << " must be one line";
  return nlohmann::json::parse(*text);
}

// The file, its `.done` with the right size, and nobody else's business in the mode of both.
inline void expect_done(const fs::path& path, int lines) {
  const auto done = read_file(path.native() + ".done");
  ASSERT_TRUE(done.ok()) << path;
  EXPECT_EQ(parse_done(*done), fs::file_size(path)) << path;
  EXPECT_EQ(std::count(done->begin(), done->end(), '\n'), lines) << path;
  for (const std::string& name : {path.native(), path.native() + ".done"}) {
    struct stat info {};
    ASSERT_EQ(::stat(name.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777 & ~0640u, 0u) << name;
  }
}

// 1. The tree, and the keys readers look at. `devices` are those with a directory.
inline void expect_tree(const fs::path& prof, const std::vector<std::uint32_t>& devices,
                        const std::string& platform_version) {
  EXPECT_TRUE(parse_prof_directory_name(prof.filename().native())) << prof;
  const auto expect_common = [&](const nlohmann::json& info, const nlohmann::json& sample) {
    EXPECT_EQ(info.at("platform_version"), platform_version);
    EXPECT_GE(info.at("drvVersion").get<std::int64_t>(), 467473);
    for (const char* key : {"pid", "hostname", "version", "devices", "jobInfo"}) {
      EXPECT_TRUE(info.at(key).is_string()) << key;
    }
    for (const char* key : {"memoryTotal", "cpuNums", "sysClockFreq", "rank_id"}) {
      EXPECT_TRUE(info.at(key).is_number()) << key;
    }
    EXPECT_TRUE(info.at("netCard").is_array());
    EXPECT_TRUE(info.at("CPU").at(0).at("Frequency").is_string());
    EXPECT_EQ(info.at("simulated"), true);
    EXPECT_TRUE(sample.at("llc_profiling").is_string());
    EXPECT_TRUE(sample.at("ai_core_profiling_mode").is_string());
    EXPECT_EQ(sample.at("prof_level"), sample.at("profLevel"));
  };
  const fs::path host = prof / "host";
  const auto info = json_of(host / "info.json");
  const auto sample = json_of(host / "sample.json");
  expect_common(info, sample);
  EXPECT_EQ(info.at("devices"), "");
  EXPECT_TRUE(info.at("DeviceInfo").is_array());
  EXPECT_TRUE(info.at("DeviceInfo").empty());
  EXPECT_EQ(sample.at("devices"), "64");
  for (const char* name :
       {"info.json", "sample.json", "start_info", "end_info", "host_start.log"}) {
    expect_done(host / name, 1);
  }
  EXPECT_EQ(parse_clock_log(read_file(host / "host_start.log").value()).section, "Host");

  for (const std::uint32_t device : devices) {
    const std::string number = std::to_string(device);
    const fs::path directory = prof / ("device_" + number);
    const auto device_info = json_of(directory / ("info.json." + number));
    const auto device_sample = json_of(directory / "sample.json");
    expect_common(device_info, device_sample);
    EXPECT_EQ(device_info.at("devices"), number);
    EXPECT_EQ(device_sample.at("devices"), number);
    ASSERT_EQ(device_info.at("DeviceInfo").size(), 1u);
    const auto& chip = device_info.at("DeviceInfo").at(0);
    for (const char* key : {"ai_core_num", "aiv_num"}) EXPECT_GT(chip.at(key), 0) << key;
    for (const char* key : {"aic_frequency", "aiv_frequency", "hwts_frequency"}) {
      EXPECT_GT(std::stod(chip.at(key).get<std::string>()), 0) << key;
    }
    for (const char* key :
         {"ai_core_profiling", "ai_core_metrics", "ai_core_profiling_events", "aiv_profiling",
          "aiv_metrics", "aiv_profiling_events", "aiv_profiling_mode"}) {
      EXPECT_TRUE(device_sample.at(key).is_string()) << key;
    }
    for (const char* key : {"aicore_sampling_interval", "aiv_sampling_interval"}) {
      EXPECT_TRUE(device_sample.at(key).is_number_integer()) << key;
    }
    for (const char* name :
         {"info.json.", "start_info.", "end_info.", "host_start.log.", "dev_start.log."}) {
      expect_done(directory / (name + number), 1);
    }
    expect_done(directory / "sample.json", 1);
    const auto host_log =
        parse_clock_log(read_file(directory / ("host_start.log." + number)).value());
    EXPECT_EQ(host_log.section, "Device" + number);
    EXPECT_TRUE(host_log.counter_diff.has_value());
    const auto log = parse_clock_log(read_file(directory / ("dev_start.log." + number)).value());
    EXPECT_TRUE(log.section.empty());
    EXPECT_TRUE(log.monotonic_raw_ns && log.counter);
  }
}

// 2. No call before the collection began.
inline void expect_clocks(const fs::path& prof) {
  const auto start = parse_collection_time(read_file(prof / "host/start_info").value()).value();
  const auto info = parse_info_json(read_file(prof / "host/info.json").value()).value();
  const auto log = parse_clock_log(read_file(prof / "host/host_start.log").value());
  ASSERT_TRUE(start.begin_us && start.monotonic_raw_ns && log.counter && log.monotonic_raw_ns);
  EXPECT_GE(*start.begin_us * 1000, *start.monotonic_raw_ns);
  EXPECT_LE(static_cast<std::uint64_t>(*start.monotonic_raw_ns), *log.monotonic_raw_ns);
  const TickClock clock{
      .ticks_at_anchor = *log.counter,
      .ns_at_anchor = static_cast<std::int64_t>(*log.monotonic_raw_ns),
      .frequency_hz = static_cast<std::uint64_t>(info.cpus.at(0).frequency_mhz.value() * 1e6)};
  for (const ApiEvent& call : calls_of(prof / "host/data")) {
    ASSERT_GE(clock.to_ns(call.begin), *start.monotonic_raw_ns);
  }
}

// 3. Every number that stands for a name is in its dictionary.
inline void expect_dictionaries(const fs::path& data) {
  const Dictionaries known = dictionaries_of(data);
  const auto expect_type = [&](std::uint16_t level, std::uint32_t type) {
    EXPECT_TRUE(known.types.contains({level, type})) << level << "_" << type;
  };
  const auto expect_string = [&](std::uint64_t hash) {
    EXPECT_TRUE(hash == 0 || known.strings.contains(hash)) << hash;
  };
  for (const auto& [hash, text] : known.strings) EXPECT_EQ(string_hash(text), hash) << text;
  for (const ApiEvent& call : calls_of(data)) {
    expect_type(call.level, call.type);
    const bool item_is_number =
        call.level == kLevelModel || (call.level == kLevelNode && call.type == kTypeNodeStepInfo);
    if (!item_is_number) expect_string(call.item_id);
  }
  const auto expect_header = [&](const RecordHeader& header) {
    EXPECT_EQ(header.magic, kMagic);
    expect_type(header.level, header.type);
  };
  for (const TaskTrack& track : records_of<TaskTrack>(data)) {
    expect_header(track.header);
    expect_type(kLevelRuntime, static_cast<std::uint32_t>(track.task_type));
    expect_string(track.kernel_name);
  }
  for (const NodeBasicInfo& node : records_of<NodeBasicInfo>(data)) {
    expect_header(node.header);
    expect_string(node.op_name);
    expect_string(node.op_type);
  }
  for (const TensorInfo& info : records_of<TensorInfo>(data)) {
    expect_header(info.header);
    expect_string(info.op_name);
  }
  for (const ContextIdInfo& info : records_of<ContextIdInfo>(data)) {
    expect_header(info.header);
    expect_string(info.op_name);
  }
  for (const MemcpyInfo& copy : records_of<MemcpyInfo>(data)) expect_header(copy.header);
  for (const HcclOpInfo& op : records_of<HcclOpInfo>(data)) {
    expect_header(op.header);
    expect_string(op.algorithm);
    expect_string(op.group_name);
  }
  for (const HcclInfo& task : records_of<HcclInfo>(data)) {
    expect_header(task.header);
    for (const std::uint64_t hash : {task.item, task.ccl_tag, task.group_name}) expect_string(hash);
  }
  for (const Msproftx& mark : records_of<Msproftx>(data)) {
    expect_header(mark.header);
    expect_string(mark.domain);
  }
}

// Finds the calls of one level that contain a time: begin < time <= end, on the same thread.
class CallFinder {
 public:
  CallFinder(const std::vector<ApiEvent>& calls, std::uint16_t level) {
    for (const ApiEvent& call : calls) {
      if (call.level == level && !call.is_event()) by_thread_[call.thread_id].push_back(call);
    }
    for (auto& [thread, list] : by_thread_) {
      std::stable_sort(list.begin(), list.end(), [](const ApiEvent& a, const ApiEvent& b) {
        return a.begin.get() < b.begin.get();
      });
    }
  }
  // The call that began last among those that contain `time`; null if there is none. Calls of a
  // level nest at most a few deep, so looking back a little is enough.
  const ApiEvent* find(std::uint32_t thread, std::uint64_t time) const {
    const auto found = by_thread_.find(thread);
    if (found == by_thread_.end()) return nullptr;
    const auto& list = found->second;
    auto it = std::lower_bound(
        list.begin(), list.end(), time,
        [](const ApiEvent& call, std::uint64_t wanted) { return call.begin < wanted; });
    for (int back = 0; back < 8 && it != list.begin(); ++back) {
      --it;
      if (time <= it->end) return &*it;
    }
    return nullptr;
  }

 private:
  std::map<std::uint32_t, std::vector<ApiEvent>> by_thread_;
};

inline bool is_kernel(std::uint64_t task_type) {
  return task_type_name(task_type).starts_with("KERNEL");
}

// 4. ACL call > launch > runtime call (if collected) around each kernel's track record, and the
// operator's records inside its launch.
inline void expect_kernels(const fs::path& data) {
  const auto calls = calls_of(data);
  const CallFinder acl(calls, kLevelAcl);
  const CallFinder node(calls, kLevelNode);
  const CallFinder runtime(calls, kLevelRuntime);
  const bool has_runtime_calls = std::any_of(
      calls.begin(), calls.end(), [](const ApiEvent& call) { return call.level == kLevelRuntime; });
  for (const TaskTrack& track : records_of<TaskTrack>(data)) {
    if (!is_kernel(track.task_type)) continue;
    const ApiEvent* launch = node.find(track.header.thread_id, track.header.timestamp);
    ASSERT_NE(launch, nullptr) << "no launch around task " << track.task_id;
    const ApiEvent* outer = acl.find(track.header.thread_id, track.header.timestamp);
    ASSERT_NE(outer, nullptr);
    EXPECT_LE(outer->begin, launch->begin);
    EXPECT_GE(outer->end, launch->end);
    if (!has_runtime_calls) continue;
    const ApiEvent* call = runtime.find(track.header.thread_id, track.header.timestamp);
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(track.header.timestamp, call->begin + 1);
  }
  const auto expect_in_launch = [&](const RecordHeader& header, std::uint64_t op_name) {
    const ApiEvent* launch = node.find(header.thread_id, header.timestamp);
    ASSERT_NE(launch, nullptr);
    EXPECT_EQ(launch->item_id, op_name);
  };
  for (const NodeBasicInfo& info : records_of<NodeBasicInfo>(data)) {
    expect_in_launch(info.header, info.op_name);
  }
  for (const TensorInfo& info : records_of<TensorInfo>(data)) {
    expect_in_launch(info.header, info.op_name);
  }
}

// 5. A collective's records are inside its launch, its tasks inside intervals of the HCCL level.
inline void expect_collectives(const fs::path& data) {
  const auto calls = calls_of(data);
  const CallFinder node(calls, kLevelNode);
  const CallFinder hccl(calls, kLevelHccl);
  for (const HcclOpInfo& op : records_of<HcclOpInfo>(data)) {
    EXPECT_NE(node.find(op.header.thread_id, op.header.timestamp), nullptr);
  }
  for (const HcclInfo& task : records_of<HcclInfo>(data)) {
    const ApiEvent* call = hccl.find(task.header.thread_id, task.header.timestamp);
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->item_id, task.item);
    EXPECT_NE(node.find(task.header.thread_id, task.header.timestamp), nullptr);
  }
  for (const NodeBasicInfo& info : records_of<NodeBasicInfo>(data)) {
    if (info.task_type != 9) continue;
    const ApiEvent* launch = node.find(info.header.thread_id, info.header.timestamp);
    ASSERT_NE(launch, nullptr);
    EXPECT_EQ(info.header.timestamp, launch->end);
  }
}

// 6. Each copy has a track record of its thread and time.
inline void expect_copies(const fs::path& data) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> tasks;
  for (const TaskTrack& track : records_of<TaskTrack>(data)) {
    if (track.task_type == static_cast<std::uint64_t>(TaskType::kMemcpyAsync)) {
      tasks.insert({track.header.thread_id, track.header.timestamp});
    }
  }
  for (const MemcpyInfo& copy : records_of<MemcpyInfo>(data)) {
    EXPECT_TRUE(tasks.contains({copy.header.thread_id, copy.header.timestamp}));
  }
}

// 7. Task ids count up from 0 to 65534 on each stream; a flip marks each wrap, and the end.
inline void expect_task_ids(const fs::path& data) {
  struct Stream {
    std::uint32_t next = 0;
    std::uint32_t flips = 0;
    bool destroyed = false;
  };
  std::map<std::pair<std::uint16_t, std::uint16_t>, Stream> streams;
  for (const TaskTrack& track : records_of<TaskTrack>(data)) {
    Stream& stream = streams[{track.device, track.stream}];
    EXPECT_FALSE(stream.destroyed);
    if (track.task_type == static_cast<std::uint64_t>(TaskType::kFlip)) {
      if (track.task_id == TaskTrack::kStreamDestroyed) {
        stream.destroyed = true;
        continue;
      }
      EXPECT_EQ(stream.next, 65535u);
      EXPECT_EQ(track.flip_count(), ++stream.flips);
      EXPECT_EQ(track.short_task_id(), 0);
      stream.next = 1;  // The flip itself took id 0.
      continue;
    }
    EXPECT_EQ(track.short_task_id(), stream.next++);
    EXPECT_LT(track.short_task_id(), 65535);
  }
  for (const auto& [key, stream] : streams) {
    EXPECT_TRUE(stream.destroyed) << "stream " << key.second;
  }
}

// 7 for chips 15 and 16: task ids have 32 bits and never wrap, so there are no flips.
inline void expect_long_task_ids(const fs::path& data) {
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> next;
  for (const TaskTrack& track : records_of<TaskTrack>(data)) {
    EXPECT_NE(track.task_type, static_cast<std::uint64_t>(TaskType::kFlip));
    std::uint32_t& expected = next[{track.device, track.stream}];
    EXPECT_GE(track.task_id, expected);
    expected = track.task_id + 1;
  }
}

// 8. Slices are cut at 2 MiB between two records, numbered without gaps, and marked as done.
inline void expect_slices(const fs::path& data) {
  const std::map<Module, std::size_t> record_bytes = {{Module::kApiEvent, sizeof(ApiEvent)},
                                                      {Module::kCompact, kCompactBytes},
                                                      {Module::kAdditional, kAdditionalBytes}};
  std::map<std::string, std::map<std::uint32_t, std::uint64_t>> sizes;
  for (const auto& entry : fs::directory_iterator(data)) {
    const std::string name = entry.path().filename();
    if (!is_raw_file(name)) continue;
    expect_done(entry.path(), 3);
    const auto plain = parse_plain_file_name(name);
    ASSERT_TRUE(plain) << name;
    sizes[std::string(plain->base)][plain->slice] = entry.file_size();
    const auto parsed = parse_host_file_name(name);
    if (!parsed || parsed->tag.ends_with("_dic") || parsed->module == Module::kVariable) continue;
    EXPECT_EQ(entry.file_size() % record_bytes.at(parsed->module), 0u) << name;
    EXPECT_GT(entry.file_size(), 0u) << name;
  }
  for (const auto& [base, slices] : sizes) {
    EXPECT_EQ(slices.rbegin()->first + 1, slices.size()) << base;
    if (base.find("variable") != std::string::npos) continue;
    for (const auto& [slice, size] : slices) {
      if (slice + 1 == slices.size()) continue;
      EXPECT_GE(size, kSliceBytes) << base;
      EXPECT_LT(size, kSliceBytes + 64 * 1024) << base;
    }
  }
}

// 9. Messages end with a zero byte and ids are not used twice.
inline void expect_marks(const fs::path& data) {
  std::set<std::pair<std::uint64_t, std::uint16_t>> seen;
  for (const Msproftx& mark : records_of<Msproftx>(data)) {
    EXPECT_EQ(mark.message.back(), '\0');
    EXPECT_GE(mark.mark_id, 1u);
    EXPECT_LE(mark.start, mark.end);
    if (mark.info_type == Msproftx::kMstx) {
      EXPECT_TRUE(seen.insert({mark.mark_id, mark.segment}).second);
    }
  }
}

inline void expect_host_checklist(const fs::path& prof, const std::vector<std::uint32_t>& devices,
                                  const std::string& platform_version) {
  const fs::path data = prof / "host" / "data";
  expect_tree(prof, devices, platform_version);
  expect_clocks(prof);
  expect_dictionaries(data);
  expect_kernels(data);
  expect_collectives(data);
  expect_copies(data);
  if (platform_version == "15" || platform_version == "16") {
    expect_long_task_ids(data);
  } else {
    expect_task_ids(data);
  }
  expect_slices(data);
  expect_marks(data);
}

}  // namespace npuprof::sim::testing
