#include "format/device/task_types.h"

#include <algorithm>
#include <array>

namespace npuprof::format::device {
namespace {

constexpr std::int8_t kNone = -1;

struct SqeRow {
  SqeKind kind;
  std::string_view name;
  std::int8_t stars;
  std::int8_t stars_v6;
  std::int8_t hwts;
};

constexpr std::array kSqeRows = {
    SqeRow{SqeKind::kAiCore, "AI_CORE", 0, 0, 0},
    SqeRow{SqeKind::kAiCpu, "AI_CPU", 1, kNone, 1},
    SqeRow{SqeKind::kAiVector, "AIV_SQE", 2, 1, 2},
    SqeRow{SqeKind::kPlaceHolder, "PLACE_HOLDER_SQE", 3, 3, 3},
    SqeRow{SqeKind::kEventRecord, "EVENT_RECORD_SQE", 4, kNone, 4},
    SqeRow{SqeKind::kEventWait, "EVENT_WAIT_SQE", 5, kNone, 5},
    SqeRow{SqeKind::kNotifyRecord, "NOTIFY_RECORD_SQE", 6, 6, 6},
    SqeRow{SqeKind::kNotifyWait, "NOTIFY_WAIT_SQE", 7, 7, 7},
    SqeRow{SqeKind::kWriteValue, "WRITE_VALUE_SQE", 8, 8, 8},
    SqeRow{SqeKind::kVq6, "VQ6_SQE", 9, kNone, kNone},
    SqeRow{SqeKind::kTof, "TOF_SQE", 10, kNone, kNone},
    SqeRow{SqeKind::kSdma, "SDMA_SQE", 11, 11, 9},
    SqeRow{SqeKind::kVpc, "VPC_SQE", 12, 12, kNone},
    SqeRow{SqeKind::kJpege, "JPEGE_SQE", 13, 13, kNone},
    SqeRow{SqeKind::kJpegd, "JPEGD_SQE", 14, 14, kNone},
    SqeRow{SqeKind::kDsa, "DSA_SQE", 15, kNone, kNone},
    SqeRow{SqeKind::kRocce, "ROCCE_SQE", 16, kNone, kNone},
    SqeRow{SqeKind::kPcieDma, "PCIE_DMA_SQE", 17, kNone, kNone},
    SqeRow{SqeKind::kHostCpu, "HOST_CPU_SQE", 18, kNone, kNone},
    SqeRow{SqeKind::kCdqm, "CDQM_SQE", 19, kNone, kNone},
    SqeRow{SqeKind::kCCore, "C_CORE_SQE", 20, kNone, kNone},
    SqeRow{SqeKind::kMax, "MAX_SQE", kNone, kNone, 10},
    SqeRow{SqeKind::kFusion, "FUSION", kNone, 2, kNone},
    SqeRow{SqeKind::kAiCpuHost, "AICPU_H", kNone, 4, kNone},
    SqeRow{SqeKind::kAiCpuDevice, "AICPU_D", kNone, 5, kNone},
    SqeRow{SqeKind::kUbDma, "UBDMA", kNone, 9, kNone},
    SqeRow{SqeKind::kAsyncDma, "ASYNCDMA", kNone, 10, kNone},
    SqeRow{SqeKind::kCmo, "CMO_SQE", kNone, 15, kNone},
    SqeRow{SqeKind::kCcu, "CCU_SQE", kNone, 16, kNone},
    SqeRow{SqeKind::kCondition, "CONDITION_SQE", kNone, 20, kNone},
    SqeRow{SqeKind::kEnd, "END_SQE", kNone, 21, kNone},
};

// The table is indexed by kind.
constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kSqeRows.size(); ++i) {
    if (static_cast<std::size_t>(kSqeRows[i].kind) != i) return false;
  }
  return true;
}
static_assert(rows_are_in_order());

std::int8_t number_in(const SqeRow& row, ChipFamily family) {
  switch (family) {
    case ChipFamily::kStars:
      return row.stars;
    case ChipFamily::kStarsV6:
      return row.stars_v6;
    case ChipFamily::kHwts:
      return row.hwts;
    case ChipFamily::kTs:
    case ChipFamily::kNano:
      return kNone;
  }
  return kNone;
}

struct CodeName {
  std::uint8_t code;
  std::string_view name;
};

constexpr std::array kSubTaskNames = {
    CodeName{0, "AIC"},
    CodeName{1, "AIV"},
    CodeName{3, "Notify Wait"},
    CodeName{4, "Notify Record"},
    CodeName{5, "Write Value"},
    CodeName{6, "MIX_AIC"},
    CodeName{7, "MIX_AIV"},
    CodeName{8, "SDMA"},
    CodeName{9, "Data Context"},
    CodeName{10, "Invalidate Data Context"},
    CodeName{11, "Writeback Data Context"},
    CodeName{12, "AI_CPU"},
    CodeName{13, "Load Context"},
    CodeName{15, "DSA"},
};

}  // namespace

std::string_view sqe_kind_name(SqeKind kind) {
  return kSqeRows[static_cast<std::size_t>(kind)].name;
}

std::optional<SqeKind> sqe_kind_of(ChipFamily family, std::uint8_t sqe_type) {
  for (const SqeRow& row : kSqeRows) {
    if (number_in(row, family) == static_cast<int>(sqe_type)) return row.kind;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> sqe_type_of(ChipFamily family, SqeKind kind) {
  const std::int8_t number = number_in(kSqeRows[static_cast<std::size_t>(kind)], family);
  if (number == kNone) return std::nullopt;
  return static_cast<std::uint8_t>(number);
}

std::string_view sub_task_type_name(std::uint8_t type) {
  const auto found = std::find_if(kSubTaskNames.begin(), kSubTaskNames.end(),
                                  [&](const CodeName& entry) { return entry.code == type; });
  return found == kSubTaskNames.end() ? std::string_view{} : found->name;
}

}  // namespace npuprof::format::device
