// Text in host/data: the dictionaries, and what the host sampler copies from /proc and from tools.

#include "format/host/host_text.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "format/host/dictionary.h"
#include "format/host/graph_text.h"
#include "format/host/proc_blocks.h"
#include "format/text_scan.h"
#include "fuzz/input.h"

namespace npuprof::fuzz {
namespace {

using namespace format::host;

void use_counts(const TextCounts& counts) {
  use(counts.samples);
  use(counts.bad_lines);
}

void hash_dictionary(Bytes data) {
  std::string text;
  const auto counts =
      read_hash_dictionary(in_slices(data), [&](std::uint64_t hash, std::string_view value) {
        use(string_hash(value));
        append_hash_entry(text, hash, value);
      });
  const Bytes again[] = {as_bytes(text)};
  const auto nothing = [](std::uint64_t, std::string_view) {};
  require(read_hash_dictionary(again, nothing).entries == counts.entries);
}

void type_dictionary(Bytes data) {
  std::string text;
  const auto counts = read_type_dictionary(
      in_slices(data), [&](std::uint16_t level, std::uint32_t type, std::string_view name) {
        append_type_entry(text, level, type, name);
      });
  const Bytes again[] = {as_bytes(text)};
  const auto nothing = [](std::uint16_t, std::uint32_t, std::string_view) {};
  require(read_type_dictionary(again, nothing).entries == counts.entries);
}

void cpu(Bytes data) {
  use_counts(read_host_cpu(as_text(data), [](const HostCpuSample& sample) {
    use(sample.uptime_s);
    for (const ThreadStat& thread : sample.threads) use(thread.user_jiffies);
  }));
}

void memory(Bytes data) {
  use_counts(read_host_memory(as_text(data),
                              [](const HostMemorySample& sample) { use(sample.resident_pages); }));
}

void disk(Bytes data) {
  const auto counts = read_host_disk(as_text(data), [](const HostDiskSample& sample) {
    use(sample.read_kb_s);
    std::string line;
    append_host_disk(line, "12:00:00", sample, "root", "python");
    use(line);
  });
  use_counts(counts);
  use(counts.start_time_ns.value_or(0));
}

void network(Bytes data) {
  use_counts(read_host_network(as_text(data), [](const HostNetworkSample& sample) {
    for (const NetworkCounter& counter : sample.interfaces) use(counter.name);
  }));
}

void use_call(const HostCall& call) {
  use(call.program);
  use(call.name);
  std::string line;
  append_host_syscall(line, call);
  append_host_pthread_call(line, call);
  use(line);
}

void system_calls(Bytes data) { use_counts(read_host_syscalls(as_text(data), use_call)); }
void pthread_calls(Bytes data) { use_counts(read_host_pthread_calls(as_text(data), use_call)); }

void proc_blocks(Bytes data) {
  use_counts(read_proc_blocks(as_text(data), [](const ProcBlock& block) {
    std::string_view body = block.body;
    std::string_view line;
    while (format::take_line(body, line)) {
      if (const auto times = parse_cpu_times(line)) use(times->name);
      if (const auto memory_line = parse_memory_line(line)) use(memory_line->name);
    }
    if (const auto times = parse_process_times(block.body)) use(times->name);
    if (const auto pages = parse_process_pages(block.body)) use(pages->name);
    if (const auto info = parse_memory_info(block.body)) use(info->huge_pages_free);
  }));
}

void lines(Bytes data) {
  const std::string_view line = as_text(data);
  if (const auto stat = parse_thread_stat(line)) use(stat->thread_id);
  if (const auto times = parse_cpu_times(line)) use(times->cpu().value_or(0));
  if (const auto memory_line = parse_memory_line(line)) use(memory_line->name);
}

void graph(Bytes data) {
  std::string_view rest = as_text(data);
  std::string_view line;
  GraphNode node;
  while (format::take_line(rest, line)) {
    std::string text;
    if (const auto task = parse_graph_task(line)) {
      append_graph_task(text, *task);
      require(parse_graph_task(text).has_value());
    }
    if (!parse_graph_node(line, node)) continue;
    append_graph_node(text, node);
    for (const GraphTensor& tensor : node.inputs) {
      use(graph_data_type_name(tensor.data_type, GraphTypeNumbers::kSince1_0));
    }
  }
}

constexpr Decoder kDecoders[] = {
    hash_dictionary, type_dictionary, cpu,           memory,      disk,  //
    network,         system_calls,    pthread_calls, proc_blocks, lines, graph};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
