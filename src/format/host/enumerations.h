#pragma once

// Numbers inside host records and the words users know them by. A *_name() function returns an
// empty name for a number it does not know; a report then shows the number itself.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace npuprof::format::host {

// Where the graph engine placed an operator (node_basic_info).
enum class GeTaskType : std::uint32_t {
  kAiCore = 0,
  kAiCpu = 1,
  kAiVectorCore = 2,
  kWriteBack = 3,
  kMixAic = 4,
  kMixAiv = 5,
  kFftsPlus = 6,
  kDsaSqe = 7,
  kDvpp = 8,
  kCommunication = 9,
  kFusion = 10,
  kInvalid = 11,
  kHcclAiCpu = 256,  // Never in a raw file: an AI CPU kernel found inside a collective.
};
std::string_view ge_task_type_name(std::uint32_t task_type);  // "AI_CORE"

inline constexpr std::uint32_t kUndefined = 0xFFFFFFFF;  // Tensor data type and format.

std::string_view tensor_data_type_name(std::uint32_t data_type);  // "FLOAT", "DT_BF16"

// A format number holds the format in bits 0..7 and a sub-format in bits 8..23.
constexpr std::uint32_t tensor_format_base(std::uint32_t format) { return format & 0xFF; }
constexpr std::uint32_t tensor_sub_format(std::uint32_t format) { return format >> 8 & 0xFFFF; }
// The name without the sub-format.
std::string_view tensor_format_base_name(std::uint32_t format);
// Appends "ND", "FRACTAL_Z:16" (with a sub-format), or the number if the format is unknown.
void append_tensor_format(std::string& out, std::uint32_t format);

// HCCL. In all of these 255 is RESERVED and 0xFFFFFFFF (unset) is INVALID_TYPE.
inline constexpr std::uint32_t kHcclUnset = 0xFFFFFFFF;
std::string_view hccl_data_type_name(std::uint32_t data_type);  // "FP16", "BFP16"
std::optional<std::uint32_t> hccl_data_type_from_name(std::string_view name);
std::string_view hccl_reduce_op_name(std::uint32_t op);              // "SUM"
std::string_view hccl_link_type_name(std::uint32_t link);            // "HCCS"
std::string_view hccl_transport_type_name(std::uint32_t transport);  // "SDMA"
std::string_view hccl_rdma_type_name(std::uint32_t rdma);            // "RDMA_SEND_PAYLOAD"

enum class HcclLink : std::uint32_t {
  kOnChip = 0,
  kHccs = 1,
  kPcie = 2,
  kRoce = 3,
  kSio = 4,
  kHccsSwitch = 5,
  kStandardRoce = 6,
  kUb = 7,
  kUboe = 8,
};
enum class HcclTransport : std::uint32_t { kSdma = 0, kRdma = 1, kLocal = 2, kUb = 3, kRoce = 4 };
enum class HcclRdma : std::uint32_t { kSendNotify = 0, kSendPayload = 1 };

// Copies (memcpy_info). Numbers above 7 mean "other".
enum class MemcpyDirection : std::uint16_t {
  kHostToHost = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 3,
  kManaged = 4,
  kAddressDeviceToDevice = 5,
  kHostToDeviceEx = 6,
  kDeviceToHostEx = 7,
};
inline constexpr std::uint16_t kMemcpyOther = 0xFFFF;
std::string_view memcpy_direction_name(std::uint32_t direction);  // "host to device", "other"

}  // namespace npuprof::format::host
