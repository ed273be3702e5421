#pragma once

// Collectives: what the communication library reports about them.

#include "load/cann_host/decode.h"
#include "trace/host/captured_streams.h"
#include "trace/host/collective_infos.h"
#include "trace/host/collective_task_infos.h"
#include "trace/host/communicator_streams.h"

namespace npuprof::load {

void decode_collective_infos(DecodeContext& context, trace::CollectiveInfos& infos);
void decode_collective_task_infos(DecodeContext& context, trace::CollectiveTaskInfos& infos);
void decode_communicator_streams(DecodeContext& context, trace::CommunicatorStreams& streams);

// A communicator whose AI CPU stream was captured into a graph also runs on the captured stream;
// adds rows for these.
void add_captured_communicators(const trace::CapturedStreams& captured,
                                trace::CommunicatorStreams& streams);

}  // namespace npuprof::load
