#pragma once

// Tasks on streams: what the runtime reports about them.

#include "load/cann_host/decode.h"
#include "trace/host/captured_ops.h"
#include "trace/host/captured_streams.h"
#include "trace/host/copy_infos.h"
#include "trace/host/logical_streams.h"
#include "trace/host/task_tracks.h"
#include "trace/trace.h"

namespace npuprof::load {

void decode_task_tracks(DecodeContext& context, trace::TaskTracks& tracks);
void decode_copy_infos(DecodeContext& context, trace::CopyInfos& copies);
void decode_captured_streams(DecodeContext& context, trace::CapturedStreams& streams);
void decode_captured_ops(DecodeContext& context, trace::CapturedOps& ops);
void decode_logical_streams(DecodeContext& context, trace::LogicalStreams& streams);

// Whether device logs use 15-bit stream ids.
bool has_expanded_stream_ids(const HostFiles& files, trace::Losses& losses);

}  // namespace npuprof::load
