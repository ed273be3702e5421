#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace npuprof::format::device {

// The CANN components that reserve device memory, as numbered in npu_module_mem.data.
struct ModuleName {
  std::uint32_t id;
  std::string_view name;
};

// Ids in use by samples people look at.
inline constexpr std::uint32_t kModuleHccl = 3;
inline constexpr std::uint32_t kModuleRuntime = 7;
inline constexpr std::uint32_t kModuleApp = 33;

// All known components by id.
std::span<const ModuleName> module_names();

// The component's name of today, else that of the releases which used the id; empty if the id is
// unknown.
std::string_view module_name(std::uint32_t id);

// The id of a component, also by the names that older releases used.
std::optional<std::uint32_t> module_from_name(std::string_view name);

}  // namespace npuprof::format::device
