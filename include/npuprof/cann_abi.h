#ifndef NPUPROF_CANN_ABI_H_
#define NPUPROF_CANN_ABI_H_

/* The C functions of the CANN libraries that a collector or a small program calls, under the names
 * and with the signatures those libraries have. Handles are opaque pointers and enumerations are
 * plain ints, so that this header needs none of the vendor's. The simulated NPU implements all of
 * it; a client that opens the libraries at run time takes the types from here. */

#include <stddef.h>
#include <stdint.h>

#define NPUPROF_CANN_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names as C has them. */

/* --- Result codes (libascendcl.so). */
typedef int aclError;
enum {
  NPUPROF_ACL_SUCCESS = 0,
  NPUPROF_ACL_INVALID_PARAM = 100000,
  NPUPROF_ACL_UNINITIALIZE = 100001,
  NPUPROF_ACL_REPEAT_INITIALIZE = 100002,
  NPUPROF_ACL_PROF_ALREADY_RUN = 100042,
  NPUPROF_ACL_PROF_NOT_RUN = 100043,
  NPUPROF_ACL_RT_PARAM_INVALID = 107000,
  NPUPROF_ACL_RT_INVALID_DEVICE = 107001,
  NPUPROF_ACL_RT_CONTEXT_NULL = 107002,
  NPUPROF_ACL_RT_STREAM_INVALID = 107003,
  NPUPROF_ACL_PROF_API_CONFLICT = 148047,
  NPUPROF_ACL_FEATURE_UNSUPPORTED = 200006,
  NPUPROF_ACL_PROF_MODULES_UNSUPPORTED = 200007,
  NPUPROF_ACL_RT_MEMORY_ALLOCATION = 207001,
  NPUPROF_ACL_RT_NO_STREAM_RESOURCE = 207003,
  NPUPROF_ACL_INTERNAL_ERROR = 500000,
  NPUPROF_ACL_FAILURE = 500001,
  NPUPROF_ACL_PROFILING_FAILURE = 500005,
  NPUPROF_ACL_RT_STREAM_SYNC_TIMEOUT = 507046
};

/* --- Runtime (libascendcl.so). */
typedef void* aclrtStream;
typedef void* aclrtEvent;
enum { NPUPROF_ACL_RUN_MODE_DEVICE = 0, NPUPROF_ACL_RUN_MODE_HOST = 1 };
enum { NPUPROF_ACL_STREAM_COMPLETE = 0, NPUPROF_ACL_STREAM_NOT_READY = 1 };
enum { NPUPROF_ACL_EVENT_NOT_READY = 0, NPUPROF_ACL_EVENT_COMPLETE = 1 };
enum {
  NPUPROF_ACL_MEMCPY_HOST_TO_HOST = 0,
  NPUPROF_ACL_MEMCPY_HOST_TO_DEVICE = 1,
  NPUPROF_ACL_MEMCPY_DEVICE_TO_HOST = 2,
  NPUPROF_ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
  NPUPROF_ACL_MEMCPY_DEFAULT = 4
};

NPUPROF_CANN_API aclError aclInit(const char* config_path);
NPUPROF_CANN_API aclError aclFinalize(void);
NPUPROF_CANN_API aclError aclrtSetDevice(int32_t device);
NPUPROF_CANN_API aclError aclrtGetDevice(int32_t* device);
NPUPROF_CANN_API aclError aclrtResetDevice(int32_t device);
NPUPROF_CANN_API aclError aclrtGetDeviceCount(uint32_t* count);
NPUPROF_CANN_API const char* aclrtGetSocName(void);
NPUPROF_CANN_API aclError aclrtGetRunMode(int* mode);

/* A null stream stands for the default stream of the thread's device. */
NPUPROF_CANN_API aclError aclrtCreateStream(aclrtStream* stream);
NPUPROF_CANN_API aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                                      uint32_t flags);
NPUPROF_CANN_API aclError aclrtDestroyStream(aclrtStream stream);
NPUPROF_CANN_API aclError aclrtSynchronizeStream(aclrtStream stream);
NPUPROF_CANN_API aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms);
NPUPROF_CANN_API aclError aclrtSynchronizeDevice(void);
NPUPROF_CANN_API aclError aclrtStreamQuery(aclrtStream stream, int* status);

NPUPROF_CANN_API aclError aclrtCreateEvent(aclrtEvent* event);
NPUPROF_CANN_API aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flags);
NPUPROF_CANN_API aclError aclrtDestroyEvent(aclrtEvent event);
NPUPROF_CANN_API aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
NPUPROF_CANN_API aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
NPUPROF_CANN_API aclError aclrtQueryEventStatus(aclrtEvent event, int* status);
NPUPROF_CANN_API aclError aclrtSynchronizeEvent(aclrtEvent event);
NPUPROF_CANN_API aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent begin,
                                                aclrtEvent end);

NPUPROF_CANN_API aclError aclrtMalloc(void** address, size_t bytes, int policy);
NPUPROF_CANN_API aclError aclrtFree(void* address);
NPUPROF_CANN_API aclError aclrtMallocHost(void** address, size_t bytes);
NPUPROF_CANN_API aclError aclrtFreeHost(void* address);
NPUPROF_CANN_API aclError aclrtMemcpy(void* to, size_t most, const void* from, size_t bytes,
                                      int kind);
NPUPROF_CANN_API aclError aclrtMemcpyAsync(void* to, size_t most, const void* from, size_t bytes,
                                           int kind, aclrtStream stream);
NPUPROF_CANN_API aclError aclrtMemset(void* address, size_t most, int32_t value, size_t bytes);
NPUPROF_CANN_API aclError aclrtMemsetAsync(void* address, size_t most, int32_t value, size_t bytes,
                                           aclrtStream stream);
NPUPROF_CANN_API aclError aclrtGetMemInfo(int attribute, size_t* free_bytes, size_t* total_bytes);

/* --- Collection (libascendcl.so, libmsprofiler.so). */
typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

#define NPUPROF_PROF_ACL_API 0x1ull
#define NPUPROF_PROF_TASK_TIME 0x2ull
#define NPUPROF_PROF_AICORE_METRICS 0x4ull
#define NPUPROF_PROF_AICPU 0x8ull
#define NPUPROF_PROF_L2CACHE 0x10ull
#define NPUPROF_PROF_HCCL_TRACE 0x20ull
#define NPUPROF_PROF_TRAINING_TRACE 0x40ull
#define NPUPROF_PROF_MSPROFTX 0x80ull
#define NPUPROF_PROF_RUNTIME_API 0x100ull
#define NPUPROF_PROF_GE_API_L0 0x200ull
#define NPUPROF_PROF_TASK_TIME_L0 0x800ull
#define NPUPROF_PROF_TASK_MEMORY 0x1000ull
#define NPUPROF_PROF_TASK_TIME_L2 0x2000ull
#define NPUPROF_PROF_OP_ATTR 0x4000ull
#define NPUPROF_PROF_TASK_TIME_L3 0x8000ull
#define NPUPROF_PROF_GE_API_L1 0x1000000ull
#define NPUPROF_PROF_API_STATS 0x400000000ull
#define NPUPROF_PROF_AICORE_SHAPE 0x800000000ull

enum { NPUPROF_AICORE_PIPE_UTILIZATION = 1, NPUPROF_AICORE_NONE = 0xFF };

/* Settings of aclprofSetConfig. */
enum {
  NPUPROF_CONFIG_STORAGE_LIMIT = 1,
  NPUPROF_CONFIG_MEMORY_FREQUENCY = 3,
  NPUPROF_CONFIG_LLC_MODE = 4,
  NPUPROF_CONFIG_IO_FREQUENCY = 5,
  NPUPROF_CONFIG_INTERCONNECTION_FREQUENCY = 6,
  NPUPROF_CONFIG_DVPP_FREQUENCY = 7,
  NPUPROF_CONFIG_HOST_SYS = 8,
  NPUPROF_CONFIG_HOST_SYS_USAGE = 9,
  NPUPROF_CONFIG_HOST_SYS_USAGE_FREQUENCY = 10,
  NPUPROF_CONFIG_LOW_POWER_FREQUENCY = 11,
  NPUPROF_CONFIG_MEMORY_SERVICE_FLOW = 12,
  NPUPROF_CONFIG_CPU_FREQUENCY = 13,
  NPUPROF_CONFIG_OP_TYPE = 14,
  NPUPROF_CONFIG_NTS_METRICS = 15,
  NPUPROF_CONFIG_PATH = 16
};

NPUPROF_CANN_API aclError aclprofInit(const char* path, size_t length);
NPUPROF_CANN_API aclError aclprofSetConfig(int type, const char* value, size_t length);
NPUPROF_CANN_API aclprofConfig* aclprofCreateConfig(uint32_t* devices, uint32_t device_count,
                                                    int metrics, const void* events, uint64_t bits);
NPUPROF_CANN_API aclError aclprofWarmup(const aclprofConfig* config);
NPUPROF_CANN_API aclError aclprofStart(const aclprofConfig* config);
NPUPROF_CANN_API aclError aclprofStop(const aclprofConfig* config);
NPUPROF_CANN_API aclError aclprofDestroyConfig(const aclprofConfig* config);
NPUPROF_CANN_API aclError aclprofFinalize(void);
NPUPROF_CANN_API aclError aclprofRegisterDeviceCallback(void);
/* Arrays of 272-byte records: 8 bytes, name[64], 8 bytes, compatibility[16], version[16],
 * component[16], component version[16], log[128]. */
NPUPROF_CANN_API aclError aclprofGetSupportedFeatures(size_t* count, void** features);
NPUPROF_CANN_API aclError aclprofGetSupportedFeaturesV2(size_t* count, void** features);
NPUPROF_CANN_API aclprofStepInfo* aclprofCreateStepInfo(void);
/* Tags: 0 or 60000 begins a step, 1 or 60001 ends it. */
NPUPROF_CANN_API aclError aclprofGetStepTimestamp(aclprofStepInfo* step, int tag,
                                                  aclrtStream stream);
NPUPROF_CANN_API void aclprofDestroyStepInfo(aclprofStepInfo* step);
NPUPROF_CANN_API aclError aclprofMarkEx(const char* message, size_t length, aclrtStream stream);

/* --- Markers (libms_tools_ext.so). A null stream means: on the host only. */
typedef uint64_t mstxRangeId;
typedef struct mstxDomainRegistration* mstxDomainHandle_t;
typedef void* mstxMemHeapHandle_t;
typedef void* mstxMemRegionHandle_t;
typedef struct mstxMemRegionsRegisterBatch {
  mstxMemHeapHandle_t heap;
  int region_type;
  size_t region_count;
  const void* region_descriptions;
  mstxMemRegionHandle_t* region_handles; /* Filled in by the call. */
} mstxMemRegionsRegisterBatch;

NPUPROF_CANN_API void mstxMarkA(const char* message, aclrtStream stream);
NPUPROF_CANN_API mstxRangeId mstxRangeStartA(const char* message, aclrtStream stream);
NPUPROF_CANN_API void mstxRangeEnd(mstxRangeId id);
NPUPROF_CANN_API mstxDomainHandle_t mstxDomainCreateA(const char* name);
NPUPROF_CANN_API void mstxDomainDestroy(mstxDomainHandle_t domain);
NPUPROF_CANN_API void mstxDomainMarkA(mstxDomainHandle_t domain, const char* message,
                                      aclrtStream stream);
NPUPROF_CANN_API mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char* message,
                                                   aclrtStream stream);
NPUPROF_CANN_API void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id);
NPUPROF_CANN_API mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain,
                                                         const void* description);
NPUPROF_CANN_API void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);
NPUPROF_CANN_API void mstxMemRegionsRegister(mstxDomainHandle_t domain,
                                             const mstxMemRegionsRegisterBatch* batch);
NPUPROF_CANN_API void mstxMemRegionsUnregister(mstxDomainHandle_t domain, const void* batch);

/* --- Communication (libhccl.so).
 *
 * The simulation joins devices of one process only: each rank is a thread, or all ranks are calls
 * of one thread in turn. HcclCommInitRootInfo with the root info of another process returns
 * NPUPROF_HCCL_NOT_SUPPORT. Who waits for a partner that does not come gives up after a minute. */
typedef int HcclResult;
typedef void* HcclComm;
enum {
  NPUPROF_HCCL_SUCCESS = 0,
  NPUPROF_HCCL_PARA = 1,
  NPUPROF_HCCL_PTR = 2,
  NPUPROF_HCCL_MEMORY = 3,
  NPUPROF_HCCL_INTERNAL = 4,
  NPUPROF_HCCL_NOT_SUPPORT = 5,
  NPUPROF_HCCL_NOT_FOUND = 6,
  NPUPROF_HCCL_TIMEOUT = 9
};
enum {
  NPUPROF_HCCL_INT8 = 0,
  NPUPROF_HCCL_INT16 = 1,
  NPUPROF_HCCL_INT32 = 2,
  NPUPROF_HCCL_FP16 = 3,
  NPUPROF_HCCL_FP32 = 4,
  NPUPROF_HCCL_INT64 = 5,
  NPUPROF_HCCL_UINT64 = 6,
  NPUPROF_HCCL_UINT8 = 7,
  NPUPROF_HCCL_UINT16 = 8,
  NPUPROF_HCCL_UINT32 = 9,
  NPUPROF_HCCL_FP64 = 10,
  NPUPROF_HCCL_BFP16 = 11
};
enum { NPUPROF_HCCL_SUM = 0, NPUPROF_HCCL_PROD = 1, NPUPROF_HCCL_MAX = 2, NPUPROF_HCCL_MIN = 3 };
#define NPUPROF_HCCL_ROOT_INFO_BYTES 4108
#define NPUPROF_HCCL_COMM_NAME_BYTES 128
typedef struct HcclRootInfo {
  char internal[NPUPROF_HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;
typedef struct HcclSendRecvItem {
  int type; /* 0 send, 1 receive */
  void* buffer;
  uint64_t count;
  int data_type;
  uint32_t remote_rank;
} HcclSendRecvItem;

NPUPROF_CANN_API HcclResult HcclGetRootInfo(HcclRootInfo* root_info);
NPUPROF_CANN_API HcclResult HcclCommInitRootInfo(uint32_t rank_count, const HcclRootInfo* root_info,
                                                 uint32_t rank, HcclComm* comm);
NPUPROF_CANN_API HcclResult HcclCommInitAll(uint32_t device_count, int32_t* devices,
                                            HcclComm* comms);
NPUPROF_CANN_API HcclResult HcclCommDestroy(HcclComm comm);
NPUPROF_CANN_API HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rank_count);
NPUPROF_CANN_API HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);
NPUPROF_CANN_API HcclResult HcclGetCommName(HcclComm comm, char* name);
NPUPROF_CANN_API HcclResult HcclAllReduce(void* send, void* receive, uint64_t count, int type,
                                          int operation, HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclBroadcast(void* buffer, uint64_t count, int type, uint32_t root,
                                          HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclReduce(void* send, void* receive, uint64_t count, int type,
                                       int operation, uint32_t root, HcclComm comm,
                                       aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclAllGather(void* send, void* receive, uint64_t send_count, int type,
                                          HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclReduceScatter(void* send, void* receive, uint64_t receive_count,
                                              int type, int operation, HcclComm comm,
                                              aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclScatter(void* send, void* receive, uint64_t receive_count, int type,
                                        uint32_t root, HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclAlltoAll(const void* send, uint64_t send_count, int send_type,
                                         const void* receive, uint64_t receive_count,
                                         int receive_type, HcclComm comm, aclrtStream stream);
/* Counts and displacements are arrays of uint64_t, in elements. */
NPUPROF_CANN_API HcclResult HcclAlltoAllV(const void* send, const void* send_counts,
                                          const void* send_displacements, int send_type,
                                          const void* receive, const void* receive_counts,
                                          const void* receive_displacements, int receive_type,
                                          HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclSend(void* buffer, uint64_t count, int type, uint32_t to,
                                     HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclRecv(void* buffer, uint64_t count, int type, uint32_t from,
                                     HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);
NPUPROF_CANN_API HcclResult HcclBatchSendRecv(HcclSendRecvItem* items, uint32_t count,
                                              HcclComm comm, aclrtStream stream);

/* --- Reporting (libprofapi.so). `aging` is 1 for records of every iteration, 0 for those reported
 * once. Records have the layout of the raw files: 40, 64 and 256 bytes. */
typedef int32_t (*NpuprofCommandHandler)(uint32_t control, void* data, uint32_t length);
/* What a handler gets with control 1 (a switch of the collection). */
typedef struct NpuprofSwitchCommand {
  uint64_t switches;
  uint64_t switches_high;
  uint32_t device_count;
  uint32_t devices[64];
  uint32_t model_id;
  uint32_t command; /* 0 init, 1 start, 2 stop, 3 finalize */
  uint32_t cache;
  uint32_t path_length;
  uint32_t storage_limit;
  uint32_t data_length;
  char path[1024];
  char data[4096];
} NpuprofSwitchCommand;

NPUPROF_CANN_API int32_t MsprofInit(uint32_t type, void* data, uint32_t length);
NPUPROF_CANN_API int32_t MsprofFinalize(void);
NPUPROF_CANN_API int32_t MsprofRegisterCallback(uint32_t module, NpuprofCommandHandler handler);
NPUPROF_CANN_API int32_t MsprofReportApi(uint32_t aging, const void* api);
NPUPROF_CANN_API int32_t MsprofReportEvent(uint32_t aging, const void* event);
NPUPROF_CANN_API int32_t MsprofReportCompactInfo(uint32_t aging, const void* data, uint32_t length);
NPUPROF_CANN_API int32_t MsprofReportAdditionalInfo(uint32_t aging, const void* data,
                                                    uint32_t length);
NPUPROF_CANN_API int32_t MsprofReportBatchAdditionalInfo(uint32_t aging, const void* data,
                                                         uint32_t length);
NPUPROF_CANN_API int32_t MsprofRegTypeInfo(uint16_t level, uint32_t type, const char* name);
NPUPROF_CANN_API uint64_t MsprofGetHashId(const char* text, size_t length);
NPUPROF_CANN_API uint64_t MsprofStr2Id(const char* text, size_t length);
NPUPROF_CANN_API const char* MsprofId2Str(uint64_t id);
NPUPROF_CANN_API uint64_t MsprofSysCycleTime(void);
NPUPROF_CANN_API int32_t MsprofNotifySetDevice(uint32_t chip, uint32_t device, uint8_t is_open);
NPUPROF_CANN_API int32_t ProfRegisterMstxFunc(void* init, int module);
NPUPROF_CANN_API int32_t ProfEnableMstxFunc(int module);

/* --- Driver and dump (libascend_hal.so, libascend_dump.so). */
NPUPROF_CANN_API int halGetDeviceInfo(uint32_t device, int32_t module, int32_t info,
                                      int64_t* value);
NPUPROF_CANN_API int halGetAPIVersion(int* version);
NPUPROF_CANN_API aclError aclopStartDumpArgs(uint32_t type, const char* path);
NPUPROF_CANN_API aclError aclopStopDumpArgs(uint32_t type);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* NPUPROF_CANN_ABI_H_ */
