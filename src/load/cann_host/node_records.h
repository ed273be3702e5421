#pragma once

// Operators and models: what the graph engine reports about launches.

#include "load/cann_host/decode.h"
#include "trace/host/context_ids.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/graph_names.h"
#include "trace/host/node_attributes.h"
#include "trace/host/node_infos.h"
#include "trace/host/node_tensors.h"
#include "trace/host/operator_memory.h"
#include "trace/host/static_memory.h"

namespace npuprof::load {

void decode_node_infos(DecodeContext& context, trace::NodeInfos& infos);
// Rows come in time order; an operator with many tensors is one row.
void decode_node_tensors(DecodeContext& context, trace::NodeTensors& tensors);
void decode_node_attributes(DecodeContext& context, trace::NodeAttributes& attributes);
void decode_context_ids(DecodeContext& context, trace::ContextIds& contexts);
// Rows come in time order; an operator fused from many is one row.
void decode_fusion_ops(DecodeContext& context, trace::FusionOps& ops);
void decode_graph_names(DecodeContext& context, trace::GraphNames& names);
void decode_operator_memory(DecodeContext& context, trace::OperatorMemory& memory);
void decode_static_memory(DecodeContext& context, trace::StaticMemory& memory);

}  // namespace npuprof::load
