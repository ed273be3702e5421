#include "sim/workload/worker.h"

#include <algorithm>
#include <utility>

#include "format/framework/param_tensor_info.h"
#include "format/host/dictionary.h"

namespace npuprof::sim {

using format::framework::append_module_parameter;
using format::framework::append_optimizer_parameter;

namespace {

// Host time of the parts of an operator, ns.
constexpr std::int64_t kAllocateNs = 300;
constexpr std::int64_t kModuleNs = 1500;
constexpr std::int64_t kRangeNs = 400;
constexpr std::int64_t kAutogradNodeNs = 900;
constexpr std::int64_t kSwitchNs = 15'000;    // Until another thread goes on.
constexpr std::int64_t kGraphCallNs = 2'000;  // Around what GE does.
constexpr std::int64_t kStepGapNs = 30'000;
// Results that nothing keeps live for so many operators.
constexpr std::size_t kDiscardAfter = 4;

constexpr const char* kStack =
    "torch/nn/modules/module.py(1553): _call_impl;model.py(41): forward;train.py(88): train_step;"
    "train.py(132): main";

std::vector<TemplateInput> inputs_of(const Operator& op) {
  std::vector<TemplateInput> inputs(op.parameter_lists, TemplateInput::tensor_list());
  for (const TensorDesc& tensor : op.inputs)
    inputs.push_back(TemplateInput::tensor(tensor.type, tensor.shape));
  if (op.parameter_lists > 0)
    inputs.push_back(TemplateInput::scalar_of(format::framework::ScalarKind::kDouble));
  return inputs;
}

}  // namespace

Worker::Worker(const WorkerOptions& options, Npu& npu, FrameworkWriter& writer)
    : options_(options),
      npu_(npu),
      writer_(writer),
      queue_(writer, {.thread_id = options.process_id + kThreads}),
      memory_(static_cast<std::int64_t>(npu.chip().hbm_bytes)),
      allocator_(memory_, writer, static_cast<std::int8_t>(npu.options().device)),
      workspace_(memory_, writer, static_cast<std::int8_t>(npu.options().device)),
      tracer_(writer, {.start_ns = options.begin_ns}),
      tensors_(static_cast<std::int8_t>(npu.options().device)) {
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads_[i] = {.tid = options.process_id + static_cast<std::uint32_t>(i),
                   .now_ns = options.begin_ns};
  }
}

Status Worker::set_up() {
  const PythonSide::Function frames[] = {tracer_.function("train.py", 140, "<module>"),
                                         tracer_.function("train.py", 132, "main")};
  tracer_.open_at_start(current().tid, frames);
  std::int64_t end_ns = 0;
  NPUPROF_ASSIGN_OR_RETURN(compute_, npu_.streams().create(current().tid, now_ns(), &end_ns));
  current().now_ns = std::max(now_ns(), end_ns);
  return ok_status();
}

const PreparedOperator* Worker::prepare(Operator op) {
  auto prepared = std::make_unique<PreparedOperator>();
  prepared->call = npu_.calls().named(op.call);
  for (const KernelDesc& kernel : op.kernels)
    prepared->kernels.push_back(&npu_.kernels().add(kernel));
  const std::vector<TemplateInput> inputs = inputs_of(op);
  for (const std::string& name : op.names) {
    prepared->names.emplace_back(OpDescription{.name = name, .inputs = inputs, .stack = kStack},
                                 writer_.options());
  }
  if (!op.backward.empty()) prepared->backward.emplace_back(op.backward, inputs, writer_.options());
  prepared->desc = std::move(op);
  operators_.push_back(std::move(prepared));
  return operators_.back().get();
}

const OpTemplate& Worker::op_without_inputs(std::string_view name,
                                            format::framework::OpScope scope) {
  auto& op = ops_without_inputs_[std::string(name)];
  if (op == nullptr) {
    op = std::make_unique<OpTemplate>(OpDescription{.name = std::string(name), .scope = scope},
                                      writer_.options());
  }
  return *op;
}

void Worker::put_op(const OpTemplate& op, std::int64_t begin_ns) {
  writer_.op(op, {.start_ns = begin_ns, .end_ns = now_ns(), .thread_id = current().tid});
}

CallTensors Worker::tensors_of(const Operator& op) {
  if (!writer_.options().tensor_details()) return {};
  std::vector<const std::vector<Parameter>*> modules;
  for (auto open = modules_.rbegin(); open != modules_.rend(); ++open) {
    if (open->parameters != nullptr) modules.push_back(open->parameters);
  }
  CallTensors tensors = tensors_.inputs(op.inputs, modules);
  for (std::uint32_t list = 0; list < op.parameter_lists; ++list) {
    std::vector<format::framework::TensorText> items;
    for (const std::string& path : parameter_paths_) {
      for (const Parameter& parameter : parameters_.at(path)) {
        items.push_back(list == 0 ? parameter.tensor.text() : tensors_.gradient(parameter).text());
      }
    }
    tensors.add_list(std::move(items));
  }
  return tensors;
}

std::uint64_t Worker::take_memory(std::uint64_t bytes) {
  if (bytes == 0) return 0;
  const auto address =
      allocator_.allocate(static_cast<std::int64_t>(bytes), compute_, {now_ns(), current().tid});
  current().now_ns += scaled(kAllocateNs);
  if (!address) missing_bytes_ = std::max(missing_bytes_, bytes);
  return address.value_or(0);
}

void Worker::give_memory(std::uint64_t address) {
  if (address == 0) return;
  allocator_.release(address, {now_ns(), current().tid});
  tensors_.remove(address);
}

std::uint64_t Worker::allocate(std::uint64_t bytes) {
  std::uint64_t address = 0;
  in_op("aten::empty", format::framework::OpScope::kFunction,
        [&] { address = take_memory(bytes); });
  return address;
}

std::uint64_t Worker::run_call(const PreparedOperator& op, std::int64_t sequence, bool backward) {
  std::array<std::int64_t, 8> begins{};
  const std::size_t nested = std::min(op.names.size(), begins.size());
  const CallTensors inputs = tensors_of(op.desc);
  for (std::size_t i = 0; i < nested; ++i) {
    begins[i] = now_ns();
    current().now_ns += scaled(kOperatorHeadNs);
  }
  const std::uint64_t result = take_memory(op.desc.output_bytes);
  tensors_.add_result(result, op.desc.output_bytes);
  enqueue(op.desc.call, [&](std::uint32_t thread, std::int64_t begin_ns) {
    if (op.desc.workspace_bytes > 0) {
      workspace_.allocate(static_cast<std::int64_t>(op.desc.workspace_bytes), compute_,
                          {begin_ns, thread});
      workspace_.release(compute_, {begin_ns + kAllocateNs, thread});
    }
    return npu_.kernels()
        .launch_operator(thread, compute_, op.call, op.kernels, begin_ns)
        .host_end_ns;
  });
  for (std::size_t i = nested; i-- > 0;) {
    current().now_ns += scaled(kOperatorTailNs);
    // Autograd numbers the outermost range.
    writer_.op(op.names[i],
               {.start_ns = begins[i],
                .end_ns = now_ns(),
                .thread_id = current().tid,
                .sequence_number = i == 0 ? sequence : -1,
                .forward_thread = backward ? 1u : 0u},
               inputs.view());
  }
  current().now_ns += scaled(kBetweenOperatorsNs);
  return result;
}

TapeEntry Worker::run(const PreparedOperator* op) {
  TapeEntry entry{.op = op};
  if (!op->backward.empty()) entry.sequence = next_sequence_++;
  entry.output = run_call(*op, entry.sequence, false);
  return entry;
}

void Worker::run_once(const PreparedOperator* op) {
  const std::uint64_t result = run_call(*op, -1, false);
  if (result == 0) return;
  discarded_.push_back(result);
  if (discarded_.size() <= kDiscardAfter) return;
  give_memory(discarded_.front());
  discarded_.pop_front();
}

void Worker::run_backward(const TapeEntry& entry, std::span<const PreparedOperator* const> ops) {
  std::vector<std::uint64_t> results;
  const std::int64_t outer_begin_ns = now_ns();
  current().now_ns += scaled(kAutogradNodeNs);
  const std::int64_t inner_begin_ns = now_ns();
  const CallTensors inputs = tensors_of(entry.op->desc);
  for (const PreparedOperator* op : ops) {
    if (const std::uint64_t result = run_call(*op, -1, true); result != 0)
      results.push_back(result);
  }
  const std::int64_t inner_end_ns = now_ns();
  current().now_ns += scaled(kAutogradNodeNs);
  if (!entry.op->backward.empty()) {
    const AutogradTape tape;
    tape.write(writer_, entry.op->backward.front(), entry.sequence, current().tid,
               {outer_begin_ns, now_ns()}, {inner_begin_ns, inner_end_ns}, inputs.view());
  }
  for (const std::uint64_t gradient : gradients_) give_memory(gradient);
  gradients_ = std::move(results);
  give_memory(entry.output);
  current().now_ns += scaled(kBetweenOperatorsNs);
}

void Worker::begin_backward() {
  before_backward_ = current_;
  switch_thread(kAutograd);
}

void Worker::end_backward() {
  for (const std::uint64_t gradient : gradients_) give_memory(gradient);
  gradients_.clear();
  switch_thread(before_backward_);
}

void Worker::switch_thread(std::size_t index) {
  if (index == current_) return;
  const std::int64_t earliest_ns = now_ns() + scaled(kSwitchNs);
  current_ = index;
  current().now_ns = std::max(current().now_ns, earliest_ns);
}

void Worker::begin_step(std::uint64_t step) {
  step_ = step;
  tracer_.call(tracer_.function("train.py", 88, "train_step"), {now_ns(), current().tid});
  step_begin_ns_ = now_ns();
  if (step_begin_ns_ <= npu_.stop_ns()) {
    npu_.truth().begin_step(step, npu_.clock().wall_ns_of_host_time(step_begin_ns_));
  }
  const std::string name = "ProfilerStep#" + std::to_string(step);
  step_range_ = range_start(name, "default", true);
}

Status Worker::end_step() {
  synchronize();
  while (!discarded_.empty()) {
    give_memory(discarded_.front());
    discarded_.pop_front();
  }
  range_end(step_range_);
  tracer_.leave({now_ns(), current().tid});
  put_op(user_scope("ProfilerStep#" + std::to_string(step_)), step_begin_ns_);
  if (now_ns() <= npu_.stop_ns()) {
    npu_.truth().end_step(npu_.clock().wall_ns_of_host_time(now_ns()));
  } else {
    npu_.truth().abandon_step();
  }
  spend(kStepGapNs);
  if (missing_bytes_ == 0) return ok_status();
  return Error{
      ErrorCode::kInvalidArgument,
      "the program does not fit into the memory of the device: " + std::to_string(missing_bytes_) +
          " more bytes were asked for; make the model or the batch smaller, or use more ranks"};
}

void Worker::enter_module(std::string_view class_name, std::string_view path) {
  // The object's address stands for the place of the module in the tree.
  const std::uint64_t address =
      0x7F00'0000'0000 + format::host::string_hash(path) % (1u << 30) * 16;
  OpenModule open{.function = tracer_.module(class_name, address, "model.py", 41),
                  .truth_module = npu_.truth().module(path)};
  const auto parameters = parameters_.find(std::string(path));
  if (parameters != parameters_.end()) open.parameters = &parameters->second;
  if (parameters != parameters_.end() && told_parameters_.insert(parameters->first).second) {
    std::string text;
    for (const Parameter& parameter : parameters->second) {
      append_module_parameter(text, {.name = parameter.name, .tensor = parameter.tensor.text()});
    }
    tracer_.set_module_parameters(open.function, std::move(text));
  }
  current().now_ns = tracer_.call(open.function, {now_ns(), current().tid});
  spend(kModuleNs);
  if (options_.module_ranges) open.range = range_start(class_name, "Module", true);
  npu_.truth().set_module(open.truth_module);
  modules_.push_back(open);
}

void Worker::leave_module() {
  const OpenModule open = modules_.back();
  modules_.pop_back();
  if (options_.module_ranges) range_end(open.range);
  spend(kModuleNs);
  current().now_ns = tracer_.leave(open.function, {now_ns(), current().tid});
  npu_.truth().set_module(modules_.empty() ? TruthCounter::kNoModule
                                           : modules_.back().truth_module);
}

void Worker::add_parameter(std::string_view path, std::string_view name, ElementType type,
                           const Shape& shape) {
  const std::uint64_t address = allocate(element_count(shape) * bytes_per_element(type));
  auto& parameters = parameters_[std::string(path)];
  if (parameters.empty()) parameter_paths_.emplace_back(path);
  parameters.push_back({std::string(name), type, shape, tensors_.make(address, type, shape)});
}

void Worker::enter_optimizer(std::string_view class_name) {
  const std::string name = "Optimizer.step#" + std::string(class_name) + ".step";
  const PythonSide::Function step = tracer_.function("torch/optim/optimizer.py", 391, "wrapper");
  if (told_parameters_.insert(name).second) {
    std::string text;
    for (const std::string& path : parameter_paths_) {
      for (const Parameter& parameter : parameters_.at(path)) {
        append_optimizer_parameter(text, {.tensor = parameter.tensor.text(),
                                          .gradient = tensors_.gradient(parameter).text()});
      }
    }
    tracer_.set_optimizer_parameters(step, std::move(text));
  }
  tracer_.call(step, {now_ns(), current().tid});
  enter_range(name);
}

void Worker::leave_optimizer() {
  leave_range();
  tracer_.leave({now_ns(), current().tid});
}

void Worker::finish() {
  current().now_ns =
      npu_.streams().destroy_all(current().tid, std::max(now_ns(), queue_.idle_at_ns()));
  tracer_.stop();
}

void Worker::enter_range(std::string_view name) {
  ranges_.push_back({&user_scope(name), now_ns()});
  spend(kRangeNs);
}

void Worker::leave_range() {
  spend(kRangeNs);
  put_op(*ranges_.back().op, ranges_.back().begin_ns);
  ranges_.pop_back();
  spend(kRangeNs);  // The next one begins later, or readers would put it into this one.
}

std::uint64_t Worker::range_start(std::string_view message, std::string_view domain,
                                  bool on_stream) {
  std::uint64_t id = 0;
  if (!on_stream) {
    id = npu_.marks().range_start(current().tid, message, domain, now_ns());
    spend(NpuMarks::kMarkNs);
    return id;
  }
  enqueue("mstx_range_start_op", [&](std::uint32_t thread, std::int64_t begin_ns) {
    id = npu_.marks().range_start(thread, message, domain, begin_ns, compute_);
    return begin_ns + NpuMarks::kMarkNs;
  });
  return id;
}

void Worker::range_end(std::uint64_t id) {
  if (id == 0) return;
  enqueue("mstx_range_end_op", [&](std::uint32_t thread, std::int64_t begin_ns) {
    npu_.marks().range_end(thread, id, begin_ns);
    return begin_ns + NpuMarks::kMarkNs;
  });
}

void Worker::mark(std::string_view message, std::string_view domain) {
  npu_.marks().mark(current().tid, message, domain, now_ns());
  spend(NpuMarks::kMarkNs);
}

void Worker::collect_garbage(std::int64_t ns) {
  const std::int64_t begin_ns = now_ns();
  spend(ns);
  writer_.garbage_collection(begin_ns, now_ns());
}

void Worker::load_data(std::int64_t ns) {
  const std::uint64_t loading = range_start("dataloader", "default", false);
  spend(ns);
  if (options_.loading_stall_ns > 0) {
    enter_range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
    spend(options_.loading_stall_ns);
    leave_range();
  }
  range_end(loading);
}

void Worker::copy_to_device(std::uint64_t bytes) {
  in_op("aten::copy_", format::framework::OpScope::kFunction, [&] {
    enqueue("acl_memcpy_host_to_device", [&](std::uint32_t thread, std::int64_t begin_ns) {
      return npu_.copies()
          .copy(thread, compute_, format::host::MemcpyDirection::kHostToDevice, bytes, begin_ns)
          .host_end_ns;
    });
  });
}

void Worker::copy_to_host(std::uint64_t bytes) {
  in_op("aten::_local_scalar_dense", format::framework::OpScope::kFunction, [&] {
    enqueue("acl_memcpy_device_to_host", [&](std::uint32_t thread, std::int64_t begin_ns) {
      return npu_.copies()
          .copy(thread, compute_, format::host::MemcpyDirection::kDeviceToHost, bytes, begin_ns)
          .host_end_ns;
    });
    current().now_ns = std::max(now_ns(), queue_.idle_at_ns());
    current().now_ns = npu_.streams().synchronize_stream(current().tid, compute_, now_ns());
  });
}

void Worker::synchronize() {
  current().now_ns = std::max(now_ns(), queue_.idle_at_ns());
  current().now_ns = npu_.streams().synchronize_device(current().tid, now_ns());
}

Result<GraphId> Worker::load_graph(const GraphDesc& desc) {
  const std::int64_t begin_ns = now_ns();
  std::int64_t end_ns = begin_ns;
  auto graph = npu_.graphs().load(current().tid, desc, begin_ns + kGraphCallNs, &end_ns);
  end_ns += kGraphCallNs;
  npu_.calls().report(current().tid, npu_.calls().named("BuildGraph"), begin_ns, end_ns);
  current().now_ns = end_ns;
  return graph;
}

// GE is called from the program's own thread, once the queue has run dry.
Status Worker::execute_graph(GraphId graph) {
  current().now_ns = std::max(now_ns(), queue_.idle_at_ns());
  NPUPROF_ASSIGN_OR_RETURN(const TaskRun run,
                           npu_.graphs().execute(current().tid, graph, compute_, now_ns()));
  current().now_ns = run.host_end_ns;
  return ok_status();
}

}  // namespace npuprof::sim
