#include "sim/npu/acl_calls.h"

#include "format/host/enumerations.h"

namespace npuprof::sim {

namespace host = format::host;

namespace {

host::AclCategory category_of(std::string_view call) {
  if (call.starts_with("aclrt")) return host::AclCategory::kRuntime;
  if (call.starts_with("aclmdl")) return host::AclCategory::kModel;
  if (call.starts_with("aclnn")) return host::AclCategory::kNn;
  if (call.starts_with("aclop")) return host::AclCategory::kOp;
  return host::AclCategory::kOthers;
}

}  // namespace

AclCall AclCalls::named(std::string_view name) {
  const auto known = calls_.find(name);
  if (known != calls_.end()) return known->second;
  AclCall call;
  if (const auto command = host::hccl_command_from_name(name)) {
    call.type = host::kAclHcclBase + *command;
  } else {
    const host::AclCategory category = category_of(name);
    call.type = host::acl_type(category, ++last_numbers_[static_cast<std::size_t>(category)]);
  }
  host_log_.name_type(host::kLevelAcl, call.type, name);
  return calls_.emplace(std::string(name), call).first->second;
}

void AclCalls::tell_names() {
  for (const auto& [name, call] : calls_) host_log_.name_type(host::kLevelAcl, call.type, name);
}

}  // namespace npuprof::sim
