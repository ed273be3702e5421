#pragma once

#include <gtest/gtest.h>

#include "trace/trace.h"

namespace npuprof::testing {

// Loaders of results fill tables row by row: no column may be left behind.
inline void expect_whole_tables(const trace::Trace& trace) {
  const auto expect_whole = [](const char* what, const auto& table) {
    std::remove_cvref_t<decltype(table)>::columns(table, [&](const char* name, const auto& column) {
      EXPECT_EQ(column.size(), table.size()) << what << "." << name;
    });
  };
  expect_whole("framework_ops", trace.framework_ops);
  expect_whole("enqueues", trace.enqueues);
  expect_whole("dequeues", trace.dequeues);
  expect_whole("memory_events", trace.memory_events);
  expect_whole("allocations", trace.allocations);
  expect_whole("python_calls", trace.python_calls);
  expect_whole("garbage_collections", trace.garbage_collections);
  expect_whole("steps", trace.steps);
  expect_whole("api_calls", trace.api_calls);
  expect_whole("marks", trace.marks);
  expect_whole("operator_memory", trace.operator_memory);
  expect_whole("host_usage", trace.host_usage);
  expect_whole("os_calls", trace.os_calls);
  expect_whole("frequencies", trace.frequencies);
  expect_whole("device_memory", trace.device_memory);
  expect_whole("module_memory", trace.module_memory);
  expect_whole("link_samples", trace.link_samples);
  expect_whole("rate_samples", trace.rate_samples);
  expect_whole("tasks", trace.tasks);
  expect_whole("kernels", trace.kernels);
  expect_whole("collective_ops", trace.collective_ops);
  expect_whole("collective_tasks", trace.collective_tasks);
  expect_whole("device_marks", trace.device_marks);
  expect_whole("kernel_ops", trace.kernel_ops);
  expect_whole("forward_backward", trace.forward_backward);
  expect_whole("overlap_intervals", trace.overlap_intervals);
}

}  // namespace npuprof::testing
