#ifndef NPUPROF_NPUSIM_H_
#define NPUPROF_NPUSIM_H_

/* What the simulated NPU has beyond the functions of CANN: it runs no code, so a program tells it
 * what a kernel does instead of giving it a binary. */

#include <stdint.h>

#include "npuprof/cann_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names as C has them. */

enum {
  NPUSIM_CORE_AIC = 0,     /* Cube cores. */
  NPUSIM_CORE_AIV = 1,     /* Vector cores. */
  NPUSIM_CORE_MIX_AIC = 2, /* Both, the cube cores leading. */
  NPUSIM_CORE_MIX_AIV = 3, /* Both, the vector cores leading. */
  NPUSIM_CORE_AICPU = 4,
  NPUSIM_CORE_DSA = 5,
  NPUSIM_CORE_DVPP = 6
};

/* One input or output. */
typedef struct NpusimTensor {
  int32_t is_output;
  int32_t data_type;        /* As aclDataType counts: 0 float, 1 float16, 27 bfloat16, ... */
  int32_t format;           /* As aclFormat counts: 0 NCHW, 2 ND, 29 FRACTAL_NZ, ... */
  uint32_t dimension_count; /* At most 8. */
  uint32_t shape[8];
} NpusimTensor;

typedef struct NpusimKernel {
  const char* call;       /* The operator call, such as "aclnnMm"; it names the host interval. */
  const char* name;       /* The kernel, such as "aclnnMm_MatMulV3Common_MatMulV3". */
  const char* type;       /* The operator's type, such as "MatMulV3". */
  const char* attributes; /* Text of its attributes; may be null. */
  int32_t core;           /* NPUSIM_CORE_... */
  uint32_t block_count;   /* At least 1. */
  uint32_t mix_ratio;     /* Both kinds of core: blocks on the other kind per block. */
  int32_t math_type;      /* The type it computes in, like NpusimTensor.data_type. */
  double cube_flops;      /* A multiply-add counts two. */
  double vector_operations;
  double bytes_read;
  double bytes_written;
  const NpusimTensor* tensors; /* Inputs first. */
  uint32_t tensor_count;       /* At most 64. */
} NpusimKernel;

/* Puts the kernel on the stream and returns when the launch is done, as a launch on a device does.
 * How long the kernel runs follows from the description. Nothing of it is kept after the call. */
NPUPROF_CANN_API aclError npusimLaunchKernel(const NpusimKernel* kernel, aclrtStream stream);

/* What an operator of MindSpore would launch that ran before, known by its primitive ("MatMul") and
 * its inputs: for programs that learn of their operators afterwards. The kernels are put on the
 * default stream of the calling thread's device one after the other, by `thread`, from `begin_ns`
 * on (CLOCK_MONOTONIC_RAW). Returns at once. `end_ns` gets when the last launch was done, no
 * earlier than the one before by that thread, and `kernels` how many there are; operators that only
 * look at tensors differently have none, and leave `end_ns` as it is. To be called in order of
 * time, before the collection is stopped. */
NPUPROF_CANN_API aclError npusimRunPrimitiveAt(const char* primitive, const NpusimTensor* inputs,
                                               uint32_t input_count, uint32_t thread,
                                               int64_t begin_ns, int64_t* end_ns,
                                               uint32_t* kernels);
/* A node of a graph, in the order of execution. */
typedef struct NpusimNode {
  const char* name;          /* "dense/MatMul" */
  const char* type;          /* "MatMulV2"; "Data", "NetOutput" and others have no kernel. */
  const char* original_type; /* Before the compiler changed it; may be null. */
  const char* const* original_names; /* Of operators that were fused into it. */
  uint32_t original_name_count;
  const uint32_t* input_nodes;  /* Places of nodes before this one. */
  const int32_t* input_outputs; /* Which of their outputs, -1: it only comes after them. */
  uint32_t input_count;
  uint32_t stream; /* Counts the graph's own streams from 0. */
  int32_t is_global_step;
  const NpusimKernel* kernel; /* Null: it has no task on the device. */
} NpusimNode;

typedef struct NpusimGraph {
  const char* name;
  const NpusimNode* nodes;
  uint32_t node_count;  /* 1 to 100000. */
  uint32_t loops;       /* Iterations of one execution, at least 1. */
  const char* fp_point; /* The user's names of operators; null or empty: they are searched for. */
  const char* bp_point;
  const char* queue; /* Where GetNext takes batches from; may be null. */
} NpusimGraph;

/* Loads a graph on the device of the calling thread. Marks for the parts of an iteration are put
 * into it if a collection runs. Nothing of the description is kept after the call. */
NPUPROF_CANN_API aclError npusimLoadGraph(const NpusimGraph* graph, uint32_t* model);
/* Puts one execution of a loaded graph on the stream and returns when that is done. */
NPUPROF_CANN_API aclError npusimExecuteGraph(uint32_t model, aclrtStream stream);

/* 1. A library of real devices does not have this function. */
NPUPROF_CANN_API int npusimIsSimulated(void);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* NPUPROF_NPUSIM_H_ */
