#pragma once

// The table of kernels and collectives: kernel_details.csv of frameworks, op_summary_*.csv of CANN.

#include "format/results/column.h"

namespace npuprof::format::results {

namespace kernel_table {

// What the two call differently.
struct Headers {
  std::string_view file;
  std::string_view name;
  std::string_view type;
  std::string_view core;
  std::string_view start;
  std::string_view duration;
  std::string_view wait;
};
inline constexpr Headers kKernelDetails{.file = "kernel_details",
                                        .name = "Name",
                                        .type = "Type",
                                        .core = "Accelerator Core",
                                        .start = "Start Time(us)",
                                        .duration = "Duration(us)",
                                        .wait = "Wait Time(us)"};
inline constexpr Headers kOpSummary{.file = "op_summary",
                                    .name = "Op Name",
                                    .type = "OP Type",
                                    .core = "Task Type",
                                    .start = "Task Start Time(us)",
                                    .duration = "Task Duration(us)",
                                    .wait = "Task Wait Time(us)"};

inline constexpr TextColumn kStep{"Step Id"};
inline constexpr std::string_view kOldStep = "Step ID";
inline constexpr TextColumn kMindSporeStep{kOldStep};
inline constexpr TextColumn kDevice{"Device_id"};
// Of exports of single iterations of a graph.
inline constexpr TextColumn kModelName = or_not_available("Model Name");
inline constexpr TextColumn kIteration = or_not_available("Infer ID");
inline constexpr TextColumn kModel{"Model ID"};
inline constexpr TextColumn kTask = or_not_available("Task ID");
inline constexpr TextColumn kStream = or_not_available("Stream ID");
inline constexpr TextColumn kState = or_not_available("OP State");
inline constexpr TextColumn kBlocks{"Block Num"};
inline constexpr std::string_view kOldBlocks = "Block Dim";
inline constexpr TextColumn kMixBlocks = or_not_available("Mix Block Num");
inline constexpr std::string_view kOldMixBlocks = "Mix Block Dim";
inline constexpr TextColumn kHf32 = or_not_available("HF32 Eligible");
inline constexpr TextColumn kInputShapes = or_not_available("Input Shapes");
inline constexpr TextColumn kInputDataTypes = or_not_available("Input Data Types");
inline constexpr TextColumn kInputFormats = or_not_available("Input Formats");
inline constexpr TextColumn kOutputShapes = or_not_available("Output Shapes");
inline constexpr TextColumn kOutputDataTypes = or_not_available("Output Data Types");
inline constexpr TextColumn kOutputFormats = or_not_available("Output Formats");
inline constexpr TextColumn kContext = or_not_available("Context ID");
// The first metric; all columns after it are metrics.
inline constexpr std::string_view kFirstMetric = "aicore_time(us)";

// What stands under `core` at a collective.
inline constexpr std::string_view kCommunication = "COMMUNICATION";
}  // namespace kernel_table

}  // namespace npuprof::format::results
