#pragma once

// Layers of single units: the collective communication unit, blocks of kernels, parts of fused
// tasks, pipes of cores (all of a device), and data processing units (of the host).

#include "report/timeline/context.h"

namespace npuprof::report {

// All of a device that were recorded.
template <typename Sink>
void write_unit_layers(const TimelineContext& context, const trace::DeviceInfo& device, Sink& sink);

// Loops and waits of the communication unit.
template <typename Sink>
void write_ccu_layer(const TimelineContext& context, const trace::DeviceInfo& device, Sink& sink);

// Of each kernel the first and the last block to start, on cube and on vector cores.
template <typename Sink>
void write_block_layer(const TimelineContext& context, const trace::DeviceInfo& device, Sink& sink);

// What the parts of fused tasks ran on.
template <typename Sink>
void write_fusion_layer(const TimelineContext& context, const trace::DeviceInfo& device,
                        Sink& sink);

// Instruction profiling of chips 15 and 16: when the pipes of a core were busy.
template <typename Sink>
void write_pipe_layer(const TimelineContext& context, const trace::DeviceInfo& device, Sink& sink);

// Instruction profiling of other chips: samples of how busy the pipes of a core were and of the
// traffic of its bus interface, a layer for each core and each group of cores.
template <typename Sink>
void write_instruction_layers(const TimelineContext& context, const trace::DeviceInfo& device,
                              Sink& sink);

// Tasks of data processing units, a layer for each of them.
template <typename Sink>
void write_dpu_layers(const TimelineContext& context, Sink& sink);

}  // namespace npuprof::report
