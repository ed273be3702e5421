#include "format/device/cpu_events.h"

#include <algorithm>
#include <iterator>

namespace npuprof::format::device {
namespace {

struct CpuEvent {
  std::uint32_t number;
  std::string_view name;
};

// By number: those common to Arm's 64-bit CPUs, then from 0xc1 on those of the Cortex-A55.
constexpr CpuEvent kCpuEvents[] = {
    {0x00, "SW_INCR"},
    {0x01, "L1I_CACHE_REFILL"},
    {0x02, "L1I_TLB_REFILL"},
    {0x03, "L1D_CACHE_REFILL"},
    {0x04, "L1D_CACHE"},
    {0x05, "L1D_TLB_REFILL"},
    {0x06, "LD_RETIRED"},
    {0x07, "ST_RETIRED"},
    {0x08, "INST_RETIRED"},
    {0x09, "EXC_TAKEN"},
    {0x0a, "EXC_RETURN"},
    {0x0b, "CID_WRITE_RETIRED"},
    {0x0c, "PC_WRITE_RETIRED"},
    {0x0d, "BR_IMMED_RETIRED"},
    {0x0e, "BR_RETURN_RETIRED"},
    {0x0f, "UNALIGNED_LDST_RETIRED"},
    {0x10, "BR_MIS_PRED"},
    {0x11, "CPU_CYCLES"},
    {0x12, "BR_PRED"},
    {0x13, "MEM_ACCESS"},
    {0x14, "L1I_CACHE"},
    {0x15, "L1D_CACHE_WB"},
    {0x16, "L2D_CACHE"},
    {0x17, "L2D_CACHE_REFILL"},
    {0x18, "L2D_CACHE_WB"},
    {0x19, "BUS_ACCESS"},
    {0x1a, "MEMORY_ERROR"},
    {0x1b, "INST_SPEC"},
    {0x1c, "TTBR_WRITE_RETIRED"},
    {0x1d, "BUS_CYCLES"},
    {0x1e, "CHAIN"},
    {0x20, "L2D_CACHE_ALLOCATE"},
    {0x21, "BR_RETIRED"},
    {0x22, "BR_MIS_PRED_RETIRED"},
    {0x23, "STALL_FRONTEND"},
    {0x24, "STALL_BACKEND"},
    {0x25, "L1D_TLB"},
    {0x26, "L1I_TLB"},
    {0x2d, "L2D_TLB_REFILL"},
    {0x2f, "L2D_TLB"},
    {0x34, "DTLB_WALK"},
    {0x35, "ITLB_WALK"},
    {0x36, "LL_CACHE_RD"},
    {0x37, "LL_CACHE_MISS_RD"},
    {0x38, "REMOTE_ACCESS_RD"},
    {0x40, "L1D_CACHE_LD"},
    {0x41, "L1D_CACHE_ST"},
    {0x42, "L1D_CACHE_REFILL_LD"},
    {0x43, "L1D_CACHE_REFILL_ST"},
    {0x44, "L1D_CACHE_REFILL_INNER"},
    {0x45, "L1D_CACHE_REFILL_OUTER"},
    {0x50, "L2D_CACHE_LD"},
    {0x51, "L2D_CACHE_ST"},
    {0x52, "L2D_CACHE_REFILL_LD"},
    {0x53, "L2D_CACHE_REFILL_ST"},
    {0x60, "BUS_ACCESS_LD"},
    {0x61, "BUS_ACCESS_ST"},
    {0x66, "MEM_ACCESS_LD"},
    {0x67, "MEM_ACCESS_ST"},
    {0x70, "LD_SPEC"},
    {0x71, "ST_SPEC"},
    {0x72, "LDST_SPEC"},
    {0x73, "DP_SPEC"},
    {0x74, "ASE_SPEC"},
    {0x75, "VFP_SPEC"},
    {0x76, "PC_WRITE_SPEC"},
    {0x77, "CRYPTO_SPEC"},
    {0x78, "BR_IMMED_SPEC"},
    {0x79, "BR_RETURN_SPEC"},
    {0x7a, "BR_INDIRECT_SPEC"},
    {0x86, "EXC_IRQ"},
    {0x87, "EXC_FIQ"},
    {0xc1, "L2D_CACHE_REFILL_PREFETCH"},
    {0xc2, "L1D_CACHE_REFILL_PREFETCH"},
    {0xc3, "L2D_WS_MODE"},
    {0xc4, "L1D_WS_MODE_ENTRY"},
    {0xc5, "L1D_WS_MODE"},
    {0xc6, "PREDECODE_ERROR"},
    {0xc9, "BR_COND_PRED"},
    {0xca, "BR_INDIRECT_MIS_PRED"},
    {0xcb, "BR_INDIRECT_ADDR_MIS_PRED"},
    {0xcc, "BR_COND_MIS_PRED"},
    {0xcd, "BR_INDIRECT_ADDR_PRED"},
    {0xce, "BR_RETURN_ADDR_PRED"},
    {0xcf, "BR_RETURN_ADDR_MIS_PRED"},
    {0xd0, "L2D_LLWALK_TLB"},
    {0xd1, "L2D_LLWALK_TLB_REFILL"},
    {0xd2, "L2D_L2WALK_TLB"},
    {0xd3, "L2D_L2WALK_TLB_REFILL"},
    {0xd4, "L2D_S2_TLB"},
    {0xd5, "L2D_S2_TLB_REFILL"},
    {0xd6, "L2D_CACHE_STASH_DROPPED"},
    {0xe1, "STALL_FRONTEND_CACHE"},
    {0xe2, "STALL_FRONTEND_TLB"},
    {0xe3, "STALL_FRONTEND_PDERR"},
    {0xe4, "STALL_BACKEND_ILOCK"},
    {0xe5, "STALL_BACKEND_ILOCK_AGU"},
    {0xe6, "STALL_BACKEND_ILOCK_FPU"},
    {0xe7, "STALL_BACKEND_LD"},
    {0xe8, "STALL_BACKEND_ST"},
    {0xe9, "STALL_BACKEND_LD_CACHE"},
    {0xea, "STALL_BACKEND_LD_TLB"},
    {0xeb, "STALL_BACKEND_ST_STB"},
    {0xec, "STALL_BACKEND_ST_TLB"},
};

}  // namespace

std::string_view cpu_event_name(std::uint32_t event) {
  const auto* const found = std::lower_bound(
      std::begin(kCpuEvents), std::end(kCpuEvents), event,
      [](const CpuEvent& entry, std::uint32_t number) { return entry.number < number; });
  return found != std::end(kCpuEvents) && found->number == event ? found->name : "";
}

}  // namespace npuprof::format::device
