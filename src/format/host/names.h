#pragma once

// Names of files and directories in a profile. Everything a reader knows about a raw file before it
// opens it stands in its name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/host/record_kind.h"

namespace npuprof::format::host {

inline constexpr std::uint64_t kSliceBytes =
    2048 * 1024;  // A slice is closed at this size or more.

// False for the by-products that lie beside raw files: `.done` (written by the collector when a
// file is complete), `.complete` and `.zip` (left by the vendor's analysis).
bool is_raw_file(std::string_view name);

// `<age>.<module>.<tag>.slice_<k>` in `host/data`. The views point into the parsed name.
struct HostFileName {
  Age age;
  Module module;
  std::string_view tag;
  std::uint32_t slice;

  // The order in which slices of one kind are read: what was reported once comes first, then slices
  // by number (not by text: slice_10 follows slice_9).
  friend bool operator<(const HostFileName& a, const HostFileName& b) {
    return a.age != b.age ? a.age < b.age : a.slice < b.slice;
  }
};
std::optional<HostFileName> parse_host_file_name(std::string_view name);
std::string make_host_file_name(Age age, Module module, std::string_view tag, std::uint32_t slice);
// The same up to and including "slice_".
std::string make_host_file_prefix(Age age, Module module, std::string_view tag);

// `<base>.slice_<k>`: text files of the host sampler, such as host_cpu.data.slice_0.
struct PlainFileName {
  std::string_view base;
  std::uint32_t slice;
};
std::optional<PlainFileName> parse_plain_file_name(std::string_view name);
std::string make_plain_file_name(std::string_view base, std::uint32_t slice);

// Files in `device_<N>/data`, in any of these spellings:
//   <base>.<N>.slice_<k>
//   <base>.<x>.dev.profiler_default_tag.<N>.slice_<k>   older
//   <base>.<x>.<N>.<k>                                  older still
//   <base>.<N>.<job>.slice_<k>                          Framework.* of 2020, in a container
// The older spellings write hwts.log.data where the current one has hwts.data.
struct DeviceFileName {
  std::string_view base;
  std::uint32_t device;
  std::uint32_t slice;
};
std::optional<DeviceFileName> parse_device_file_name(std::string_view name);
// The base as it is spelt today.
std::string current_base(std::string_view base);
std::string make_device_file_name(std::string_view base, std::uint32_t device, std::uint32_t slice);

// `PROF_<task>_<time>_<pid><letters>`: the top directory of one collection.
struct ProfDirectoryName {
  std::uint32_t task = 1;  // Counts the collections of a process from 1; written with 6 digits.
  std::string time;        // Local time YYYYMMDDhhmmssmmm.
  std::uint32_t pid = 0;   // Written with 8 digits.
  std::string letters;     // 8 random letters A..R; or the remote pid.
};
// Accepts what the vendor's tools accept, PROF_<1..10 digits>_<1..20 digits>_<5..20 letters or
// digits>; pid stays 0 if the last part is not 8 digits and 8 more characters.
std::optional<ProfDirectoryName> parse_prof_directory_name(std::string_view name);
std::string make_prof_directory_name(const ProfDirectoryName& name);

}  // namespace npuprof::format::host
