#pragma once

#include <cstdint>
#include <vector>

#include "base/string_pool.h"

namespace npuprof::link {

// What the joins ask about a host task type. The names come from the profile's own type dictionary,
// so that types of newer releases are known by their name.
struct TaskKind {
  bool is_known = false;         // False: not looked up yet.
  bool is_kernel = false;        // KERNEL_*
  bool is_stars_common = false;  // Accelerators beside the cores.
  bool is_ffts_plus = false;     // A graph of sub-tasks.
  bool is_aicore = false;        // KERNEL_AICORE
  bool is_aicpu = false;         // KERNEL_AICPU
  bool is_mix = false;           // Cube and vector cores in one kernel.
  bool is_plain_kernel = false;  // An operator even if no node-level call launched it.
  bool may_have_contexts = false;
  std::uint32_t ge_task_type = 0xFFFFFFFF;  // Of a plain kernel, if nothing better is known.
};

// Looks each task type up once.
class TaskKinds {
 public:
  explicit TaskKinds(const StringPool& strings) : strings_(strings), kinds_(kTypes) {}

  const TaskKind& of(std::uint16_t type, StringId type_name) {
    TaskKind& kind = kinds_[type];
    if (!kind.is_known) kind = classify(type, strings_.view(type_name));
    return kind;
  }

 private:
  static constexpr std::size_t kTypes = 65536;
  static TaskKind classify(std::uint16_t type, std::string_view name);

  const StringPool& strings_;
  std::vector<TaskKind> kinds_;
};

}  // namespace npuprof::link
