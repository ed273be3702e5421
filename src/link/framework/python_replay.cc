#include "link/framework/python_replay.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "format/framework/python_tracer.h"
#include "link/row_map.h"
#include "link/time_order.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"

namespace npuprof::link {
namespace {

using format::framework::PythonTag;
using trace::kNone;
using trace::PythonCalls;
using trace::PythonEvents;

constexpr std::string_view kModulePrefix = "nn.Module: ";

bool is_call(std::uint8_t tag) {
  return static_cast<PythonTag>(tag) == PythonTag::kCall ||
         static_cast<PythonTag>(tag) == PythonTag::kCCall;
}

struct FrameName {
  StringId name{};
  std::uint32_t module_id = kNone;
};

// What frames are called. Functions have one name; modules are numbered anew on each thread.
class FrameNames {
 public:
  explicit FrameNames(trace::Trace& trace)
      : strings_(trace.strings),
        row_of_key_(trace.python_names().size()),
        names_(trace.python_names()) {
    for (std::uint32_t row = 0; row < names_.size(); ++row) row_of_key_[{names_.key[row]}] = row;
    named_.resize(names_.size());
  }

  void begin_thread() {
    ++thread_;
    instances_.clear();
    class_sizes_.clear();
  }

  FrameName find(std::uint64_t key) {
    const std::uint32_t row = row_of_key_.find({key});
    if (row == kNone) return name_of_unknown(key);
    Named& named = named_[row];
    if (named.thread != thread_) named = {thread_, name_of(names_.text[row])};
    return named.frame;
  }

  // How many times a name was asked for that there is none of.
  std::uint64_t unknown() const { return unknown_; }

 private:
  struct Named {
    std::uint32_t thread = 0;  // The thread for which `frame` holds; they count from 1.
    FrameName frame;
  };

  FrameName name_of(StringId text) {
    const auto module = format::framework::parse_python_module(strings_.view(text));
    if (!module) return {text, kNone};
    // Two keys may stand for one object; the text tells.
    const auto [known, is_new] = instances_.try_emplace(to_index(text));
    if (is_new) known->second = name_of_new_module(module->class_name);
    return known->second;
  }

  FrameName name_of_new_module(std::string_view class_name) {
    const std::uint32_t number = class_sizes_[to_index(strings_.intern(class_name))]++;
    scratch_.assign(kModulePrefix).append(class_name) += '_';
    append_integer(scratch_, number);
    return {strings_.intern(scratch_), number};
  }

  FrameName name_of_unknown(std::uint64_t key) {
    ++unknown_;
    scratch_.clear();
    append_integer(scratch_, key);
    return {strings_.intern(scratch_), kNone};
  }

  StringPool& strings_;
  RowMap row_of_key_;
  const trace::PythonNames& names_;
  std::vector<Named> named_;
  std::string scratch_;
  std::uint64_t unknown_ = 0;
  std::uint32_t thread_ = 0;
  // Of the thread at hand, by string id.
  std::unordered_map<std::uint32_t, FrameName> instances_;
  std::unordered_map<std::uint32_t, std::uint32_t> class_sizes_;
};

struct OpenFrame {
  std::uint32_t event = 0;  // Row in PythonEvents.
  std::uint32_t id = 0;
  FrameName name;
};

void append_call(PythonCalls& calls, const PythonEvents& events, const OpenFrame& frame,
                 std::uint32_t parent_id, std::int64_t end_ns) {
  calls.start_ns.push_back(events.time_ns[frame.event]);
  calls.end_ns.push_back(end_ns);
  calls.tid.push_back(events.tid[frame.event]);
  calls.pid.push_back(events.pid[frame.event]);
  calls.name.push_back(frame.name.name);
  calls.id.push_back(frame.id);
  calls.parent_id.push_back(parent_id);
  calls.module_id.push_back(frame.name.module_id);
  calls.key.push_back(events.key[frame.event]);
}

}  // namespace

std::uint64_t link_python_calls(trace::Trace& trace) {
  const PythonEvents& events = trace.python_events();
  PythonCalls& calls = trace.python_calls();
  calls = {};
  reserve_rows(calls, events.size() / 2);
  FrameNames names(trace);
  std::vector<OpenFrame> open;
  const auto close_innermost = [&](std::int64_t end_ns) {
    const OpenFrame frame = open.back();
    open.pop_back();
    append_call(calls, events, frame, open.empty() ? 0 : open.back().id, end_ns);
  };

  const auto threads = ThreadOrder::of_events(events.tid, events.time_ns);
  for (std::size_t thread = 0; thread < threads.thread_count(); ++thread) {
    const auto rows = threads.rows(thread);
    names.begin_thread();
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t row = rows[i];
      if (is_call(events.tag[row])) {
        open.push_back({row, i, names.find(events.key[row])});
      } else if (!open.empty()) {
        close_innermost(events.time_ns[row]);
      }
    }
    while (!open.empty()) close_innermost(events.time_ns[rows.back()]);
  }
  return names.unknown();
}

void number_python_calls(trace::Trace& trace) {
  PythonCalls& calls = trace.python_calls();
  // Frames of equal interval are listed in the order in which they closed.
  const auto contains = [&](std::uint32_t outer, std::uint32_t row) {
    return calls.end_ns[outer] > calls.end_ns[row] ||
           (calls.end_ns[outer] == calls.end_ns[row] && outer > row);
  };
  const auto threads = ThreadOrder::of_ranges(calls.tid, calls.start_ns, calls.end_ns);
  std::vector<std::uint32_t> open;
  for (std::size_t thread = 0; thread < threads.thread_count(); ++thread) {
    open.clear();
    std::uint32_t events = 0;  // Calls and returns so far.
    for (const std::uint32_t row : threads.rows(thread)) {
      for (; !open.empty() && !contains(open.back(), row); open.pop_back()) ++events;
      calls.id[row] = events++;
      calls.parent_id[row] = open.empty() ? 0 : calls.id[open.back()];
      open.push_back(row);
    }
  }
  for (std::uint32_t row = 0; row < calls.size(); ++row) {
    const std::string_view name = trace.strings.view(calls.name[row]);
    calls.module_id[row] = kNone;
    if (!name.starts_with(kModulePrefix)) continue;
    const auto number = parse_number<std::uint32_t>(name.substr(name.rfind('_') + 1));
    if (number) calls.module_id[row] = *number;
  }
}

}  // namespace npuprof::link
