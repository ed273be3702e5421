#include "load/result_text/group_ids.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "format/framework/profiler_metadata.h"
#include "format/host/dictionary.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::load {
namespace {

using trace::Trace;

bool is_whole_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// 586 of `hcom_allReduce__586_0_1`; empty if the name is of another form.
std::string_view id_ending(std::string_view name) {
  for (int i = 0; i < 2; ++i) {
    const std::size_t cut = name.rfind('_');
    if (cut == std::string_view::npos) return {};
    name = name.substr(0, cut);
  }
  const std::size_t cut = name.rfind('_');
  const std::string_view ending = cut == std::string_view::npos ? "" : name.substr(cut + 1);
  return is_whole_number(ending) ? ending : "";
}

// Ids of groups by the names of their collectives. A name may be that of several groups.
class IdsOfCollectives {
 public:
  void read(const std::filesystem::path& path, trace::Losses& losses) {
    const auto text = read_file(path);
    if (!text.ok()) return losses.add(path.native(), 0, 0, text.error().message);
    // Of all numbers in the files only the few above the traffic of links are kept.
    constexpr int kTrafficDepth = 5;
    using Event = nlohmann::json::parse_event_t;
    const auto keep = [](int depth, Event event, const nlohmann::json&) {
      return depth < kTrafficDepth || (event != Event::object_start && event != Event::array_start);
    };
    const auto json = nlohmann::json::parse(*text, keep, false);
    if (json.is_discarded()) {
      return losses.add(path.native(), 0, 0,
                        "the file is no JSON: ids of groups of ranks are not known");
    }
    visit(json, 0);
  }

  const std::set<std::string>* find(std::string_view name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? nullptr : &found->second;
  }

 private:
  // Keys `name@id` lie below the step and the kind of collective, or on top.
  void visit(const nlohmann::json& object, int depth) {
    constexpr int kDeepest = 2;
    if (!object.is_object()) return;
    for (const auto& [key, value] : object.items()) {
      const std::size_t at = key.rfind('@');
      if (at != std::string::npos && is_whole_number(std::string_view(key).substr(at + 1))) {
        add(key.substr(0, at), key.substr(at + 1), value);
      } else if (depth < kDeepest) {
        visit(value, depth + 1);
      }
    }
  }

  // The matrix names the collective at each link.
  void add(const std::string& name, const std::string& id, const nlohmann::json& links) {
    ids_[name].insert(id);
    if (!links.is_object()) return;
    for (const auto& link : links) {
      if (!link.is_object()) continue;
      const auto op = link.find("Op Name");
      if (op != link.end() && op->is_string()) ids_[op->get<std::string>()].insert(id);
    }
  }

  std::map<std::string, std::set<std::string>, std::less<>> ids_;
};

// Rows of CollectiveOps by device and group, of groups that are only numbered.
std::vector<std::vector<std::uint32_t>> numbered_groups(const Trace& trace) {
  const trace::CollectiveOps& ops = trace.collective_ops();
  struct Group {
    std::vector<std::uint32_t> rows;
    bool is_numbered = false;
  };
  std::map<std::pair<std::uint16_t, StringId>, Group> groups;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    const std::string_view group = trace.strings.view(ops.group[row]);
    const std::string_view ending = id_ending(trace.strings.view(ops.name[row]));
    Group& known = groups[{ops.device[row], ops.group[row]}];
    known.rows.push_back(row);
    if (is_whole_number(group) && !ending.empty() && !group.ends_with(ending)) {
      known.is_numbered = true;
    }
  }
  std::vector<std::vector<std::uint32_t>> numbered;
  for (auto& [key, group] : groups) {
    if (group.is_numbered) numbered.push_back(std::move(group.rows));
  }
  return numbered;
}

// What most collectives of the group say.
std::string id_of_group(const Trace& trace, const std::vector<std::uint32_t>& rows,
                        const IdsOfCollectives& ids) {
  std::map<std::string_view, std::size_t> votes;
  std::string_view digits;
  for (const std::uint32_t row : rows) {
    const std::string_view name = trace.strings.view(trace.collective_ops().name[row]);
    const std::string_view ending = id_ending(name);
    if (digits.empty()) digits = ending;
    const std::set<std::string>* found = ids.find(name);
    if (found == nullptr) continue;
    for (const std::string& id : *found) {
      if (id.ends_with(ending)) ++votes[id];
    }
  }
  const auto best = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return std::string(best == votes.end() ? digits : best->first);
}

// The name of a communicator by the id that the collector makes of it.
std::map<std::string, std::string> communicator_names(const trace::Session& session) {
  std::map<std::string, std::string> names;
  const auto metadata = format::framework::parse_profiler_metadata(session.profiler_metadata);
  if (!metadata.ok() || !metadata->parallel_groups) return names;
  for (const auto& group : *metadata->parallel_groups) {
    const std::string& name = group.communication_domain;
    names.emplace(std::to_string(format::host::string_hash(name)), name);
  }
  return names;
}

}  // namespace

void replace_group_numbers(std::span<const std::filesystem::path> files, Trace& trace,
                           trace::Losses& losses) {
  const std::vector<std::vector<std::uint32_t>> groups = numbered_groups(trace);
  if (groups.empty()) return;
  IdsOfCollectives ids;
  for (const std::filesystem::path& path : files) ids.read(path, losses);
  const std::map<std::string, std::string> names = communicator_names(trace.session);
  trace::CollectiveOps& ops = trace.collective_ops();
  for (const std::vector<std::uint32_t>& rows : groups) {
    const std::string id = id_of_group(trace, rows, ids);
    const auto name = names.find(id);
    const StringId id_text = trace.strings.intern(id);
    const StringId name_text =
        name == names.end() ? kEmptyString : trace.strings.intern(name->second);
    for (const std::uint32_t row : rows) {
      ops.group[row] = id_text;
      ops.group_name[row] = name_text;
    }
  }
  trace::CollectiveTasks& parts = trace.collective_tasks();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.op[i] < ops.size()) parts.group[i] = ops.group[parts.op[i]];
  }
}

}  // namespace npuprof::load
