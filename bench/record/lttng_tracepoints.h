// A tracepoint provider: LTTng includes this file several times.

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER npuprof_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/record/lttng_tracepoints.h"

#if !defined(NPUPROF_BENCH_LTTNG_TRACEPOINTS_H_) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define NPUPROF_BENCH_LTTNG_TRACEPOINTS_H_

#include <cstdint>

#include <lttng/tracepoint.h>

// 16 bytes of payload: what a range's begin carries here.
LTTNG_UST_TRACEPOINT_EVENT(npuprof_bench, range,
                           LTTNG_UST_TP_ARGS(uint64_t, name, uint64_t, number),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, name, name)
                                                   lttng_ust_field_integer(uint64_t, number,
                                                                           number)))

#endif

#include <lttng/tracepoint-event.h>
