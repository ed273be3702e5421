#include "analyze/module_folding.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::size_t kMostPlainLeaves = 8;

bool is_digit_of_name(char letter) { return letter >= '0' && letter <= '9'; }
bool is_separator_of_name(char letter) {
  return std::string_view("._-#[]() :/").find(letter) != std::string_view::npos;
}

// Calls text(part) for what is between numbers and number(digits) for these.
template <typename Text, typename Number>
void split_numbers(std::string_view name, const Text& text, const Number& number) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size();) {
    if (!is_digit_of_name(name[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < name.size() && is_digit_of_name(name[end])) ++end;
    const bool stands_alone = (i == 0 || is_separator_of_name(name[i - 1])) &&
                              (end == name.size() || is_separator_of_name(name[end]));
    if (stands_alone) {
      text(name.substr(begin, i - begin));
      number(name.substr(i, end - i));
      begin = end;
    }
    i = end;
  }
  text(name.substr(begin));
}

class TreeFolder {
 public:
  explicit TreeFolder(const std::vector<NamedModule>& modules)
      : modules_(modules), children_(modules.size()), structure_(modules.size()) {
    out_.of.assign(modules.size(), kNone);
    for (std::uint32_t i = 0; i < modules.size(); ++i) {
      if (modules[i].parent != kNone) children_[modules[i].parent].push_back(i);
    }
    // Children come after their parents.
    for (std::size_t i = modules.size(); i-- > 0;) structure_[i] = structure_number(i);
  }

  FoldedTree run() {
    std::vector<Group> top;
    for (std::uint32_t i = 0; i < modules_.size(); ++i) {
      if (modules_[i].parent == kNone) top.push_back({i});
    }
    std::vector<Task> tasks;
    push_groups(folded(top), kNone, tasks);
    while (!tasks.empty()) {
      const Task task = std::move(tasks.back());
      tasks.pop_back();
      const std::uint32_t made = make(task);
      push_groups(folded(children_of(task.group)), made, tasks);
    }
    return std::move(out_);
  }

 private:
  using Group = std::vector<std::uint32_t>;  // Modules that become one.
  struct Task {
    Group group;
    std::uint32_t parent;
  };

  // Equal for modules whose inner modules are the same, in order, but for numbers.
  std::uint32_t structure_number(std::size_t module) {
    std::vector<std::uint32_t> key;
    for (const std::uint32_t child : children_[module]) {
      key.push_back(pattern_of(child));
      key.push_back(structure_[child]);
    }
    return structures_.try_emplace(std::move(key), static_cast<std::uint32_t>(structures_.size()))
        .first->second;
  }

  std::uint32_t pattern_of(std::uint32_t module) {
    return patterns_
        .try_emplace(numberless_name(modules_[module].name),
                     static_cast<std::uint32_t>(patterns_.size()))
        .first->second;
  }

  // The i-th inner modules of all members belong together.
  std::vector<Group> children_of(const Group& group) const {
    std::vector<Group> groups(children_[group.front()].size());
    for (const std::uint32_t member : group) {
      for (std::size_t i = 0; i < groups.size() && i < children_[member].size(); ++i) {
        groups[i].push_back(children_[member][i]);
      }
    }
    return groups;
  }

  // Siblings that are alike become one, at the place of the first.
  std::vector<Group> folded(const std::vector<Group>& siblings) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      const std::uint32_t first = siblings[i].front();
      alike[{pattern_of(first), structure_[first]}].push_back(i);
    }
    std::vector<Group> groups = siblings;
    for (const auto& [key, places] : alike) {
      const bool is_leaf = children_[siblings[places.front()].front()].empty();
      if (places.size() < 2 || (is_leaf && places.size() <= kMostPlainLeaves)) continue;
      Group& joint = groups[places.front()];
      for (std::size_t i = 1; i < places.size(); ++i) {
        Group& other = groups[places[i]];
        joint.insert(joint.end(), other.begin(), other.end());
        other.clear();
      }
    }
    std::erase_if(groups, [](const Group& group) { return group.empty(); });
    return groups;
  }

  // The first one is to be on top of the stack.
  static void push_groups(std::vector<Group> groups, std::uint32_t parent,
                          std::vector<Task>& tasks) {
    for (std::size_t i = groups.size(); i-- > 0;) tasks.push_back({std::move(groups[i]), parent});
  }

  std::uint32_t make(const Task& task) {
    const auto made = static_cast<std::uint32_t>(out_.modules.size());
    std::vector<std::string_view> names;
    for (const std::uint32_t member : task.group) {
      out_.of[member] = made;
      names.push_back(modules_[member].name);
    }
    const std::uint32_t depth = task.parent == kNone ? 0 : out_.modules[task.parent].depth + 1;
    out_.modules.push_back({joint_name(names), task.parent, depth});
    return made;
  }

  const std::vector<NamedModule>& modules_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::uint32_t> structure_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> structures_;
  std::unordered_map<std::string, std::uint32_t> patterns_;
  FoldedTree out_;
};

}  // namespace

std::string numberless_name(std::string_view name) {
  std::string pattern;
  split_numbers(
      name, [&](std::string_view text) { pattern += text; },
      [&](std::string_view) { pattern += '*'; });
  return pattern;
}

std::string joint_name(const std::vector<std::string_view>& names) {
  if (names.empty()) return {};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bounds;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t place = 0;
    split_numbers(
        names[i], [](std::string_view) {},
        [&](std::string_view digits) {
          const auto value = parse_number<std::uint64_t>(digits).value_or(UINT64_MAX);
          if (i == 0) bounds.emplace_back(value, value);
          if (place < bounds.size()) {
            bounds[place].first = std::min(bounds[place].first, value);
            bounds[place].second = std::max(bounds[place].second, value);
          }
          ++place;
        });
  }
  std::string joint;
  std::size_t place = 0;
  split_numbers(
      names.front(), [&](std::string_view text) { joint += text; },
      [&](std::string_view digits) {
        const auto [least, greatest] = bounds[place++];
        if (least == greatest) {
          joint += digits;
          return;
        }
        joint += '[' + std::to_string(least) + '-' + std::to_string(greatest) + ']';
      });
  return joint;
}

FoldedTree fold_modules(const std::vector<NamedModule>& modules) {
  return TreeFolder(modules).run();
}

}  // namespace npuprof::analyze
