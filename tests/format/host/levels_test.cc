#include "format/host/levels.h"

#include <gtest/gtest.h>

#include "format/host/additional.h"
#include "format/host/compact.h"
#include "format/host/variable.h"

namespace npuprof::format::host {
namespace {

TEST(Levels, HaveTheNamesOfResultDatabases) {
  EXPECT_EQ(level_name(20000), "acl");
  EXPECT_EQ(level_name(5500), "communication");
  EXPECT_EQ(level_name(1), "");
  EXPECT_EQ(level_from_name("node"), kLevelNode);
  EXPECT_FALSE(level_from_name("nobody"));
}

TEST(AclTypes, SplitIntoCategoryAndNumber) {
  EXPECT_EQ(acl_category(0x50005), 5);
  EXPECT_EQ(acl_type(AclCategory::kHccl, 1), 0x70001u);
  EXPECT_EQ(acl_category_name(7), "HOST_HCCL");
  EXPECT_EQ(acl_category_name(8), "");
  EXPECT_EQ(acl_category_name(12), "");
}

TEST(TaskTypes, AreNamedBothWays) {
  EXPECT_EQ(task_type_name(0), "KERNEL_AICORE");
  EXPECT_EQ(task_type_name(111), "DAVID_EVENT_WAIT");
  EXPECT_EQ(task_type_name(601), "MODEL_WAIT_COMPLETE");
  EXPECT_EQ(task_type_name(8), "");
  EXPECT_EQ(task_type_name(std::uint64_t{1} << 32), "");
  EXPECT_EQ(task_type_from_name("FLIP_TASK"), static_cast<std::uint16_t>(TaskType::kFlip));
}

TEST(RuntimeApis, AreNamed) {
  EXPECT_EQ(runtime_api_name(103), "MemcpyAsync");
  EXPECT_EQ(runtime_api_name(142), "LaunchKernel_Large");
  EXPECT_EQ(runtime_api_name(9999), "");
}

TEST(HcclCommands, AreNamedBothWays) {
  EXPECT_EQ(hccl_command_name(*hccl_command_from_name("hcom_allReduce_")), "hcom_allReduce_");
  EXPECT_FALSE(hccl_command_from_name("hcom_dance_"));
}

TEST(TypeName, KnowsEveryLevel) {
  EXPECT_EQ(type_name(kLevelAcl, 0xA0003), "AddGraph");
  EXPECT_EQ(type_name(kLevelAcl, kAclHcclBase + 1), "hcom_allReduce_");
  EXPECT_EQ(type_name(kLevelModel, kTypeModelLoad), "ModelLoad");
  EXPECT_EQ(type_name(kLevelNode, kTypeNodeLaunch), "launch");
  EXPECT_EQ(type_name(kLevelNode, kTypeNodeStepInfo), "step_info");
  EXPECT_EQ(type_name(kLevelHccl, kTypeHcclMaster), "master");
  EXPECT_EQ(type_name(kLevelRuntime, 98), "FLIP_TASK");
  EXPECT_EQ(type_name(kLevelRuntime, 1003), "KernelLaunch");
  EXPECT_EQ(type_name(kLevelMsproftx, 0), "msproftx");
  EXPECT_EQ(type_name(kLevelPta, 0), "");
}

// The tag of a file is the registered name of its records' (level, type).
TEST(RecordKinds, AreCalledAsTheirTypeIsRegistered) {
  for (const RecordKind& kind :
       {TaskTrack::kKind,         TaskTrackV2::kKind,         DpuTrack::kKind,
        CaptureStreamInfo::kKind, CaptureStreamInfoV2::kKind, ExpandStreamSpec::kKind,
        StreamSqInfo::kKind,      NodeBasicInfo::kKind,       NodeAttrInfo::kKind,
        HcclOpInfo::kKind,        MemcpyInfo::kKind,          MemcpyExtInfo::kKind,
        MemsetInfo::kKind,        MemmngInfo::kKind,          TensorInfo::kKind,
        ContextIdInfo::kKind,     ContextIdInfo::kHcclKind,   FusionOpInfo::kKind,
        GraphIdMap::kKind,        LogicStreamInfo::kKind,     ModelExeom::kKind,
        HcclInfo::kKind,          MultiThread::kKind,         Mc2CommInfo::kKind,
        DpuHcclInfo::kKind,       CcuTaskInfo::kKind,         CcuWaitSignalInfo::kKind,
        CcuGroupInfo::kKind,      TaskMemoryInfo::kKind,      StaticOpMem::kKind,
        Msproftx::kKind,          CaptureOpInfo::kKind,       CaptureOpInfo::kVariableKind}) {
    EXPECT_EQ(type_name(kind.level, kind.type), kind.tag);
  }
}

}  // namespace
}  // namespace npuprof::format::host
