#include "analyze/memory_categories.h"

#include <algorithm>
#include <span>

namespace npuprof::analyze {
namespace {

using Category = MemoryCategory;

// A set of blocks or of versions, by number.
class Marks {
 public:
  explicit Marks(std::size_t size) : marks_(size) {}

  bool has(std::size_t i) const { return marks_[i] != 0; }
  // Whether it is new.
  bool add(std::size_t i) {
    const bool is_new = marks_[i] == 0;
    marks_[i] = 1;
    return is_new;
  }
  void remove(std::size_t i) { marks_[i] = 0; }
  std::size_t size() const { return marks_.size(); }

 private:
  std::vector<std::uint8_t> marks_;
};

}  // namespace

// A value is a version of a block. Values have numbers: those of one block follow each other.
class MemoryCategories::Finder {
 public:
  Finder(const TensorFlow& flow, MemoryCategories& result)
      : flow_(flow), touches_(flow.touches), result_(result) {}

  void find() {
    name_blocks(flow_.gradients, Category::kGradient);
    find_temporaries();
    name_blocks(flow_.parameters, Category::kParameter);
    find_inputs();
    // What the program tells is complete, and buffers of optimizers look like parameters.
    if (flow_.parameters.empty()) find_parameters();
    find_activations();
    name_blocks(flow_.optimizer_states, Category::kOptimizerState);
    find_autograd_details();
  }

 private:
  // Calls visit(row) for what a node finds, and for what it leaves.
  template <typename Visit>
  void for_inputs(std::uint32_t node, const Visit& visit) const {
    for_touches(node, [&](std::uint32_t row) {
      if (!touches_.allocates(row)) visit(row);
    });
  }
  template <typename Visit>
  void for_outputs(std::uint32_t node, const Visit& visit) const {
    for_touches(node, [&](std::uint32_t row) {
      if (touches_.is_output(row)) visit(row);
    });
  }
  template <typename Visit>
  void for_touches(std::uint32_t node, const Visit& visit) const {
    for (std::uint32_t row = flow_.nodes.first_touch[node]; row < flow_.nodes.first_touch[node + 1];
         ++row) {
      visit(row);
    }
  }
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(flow_.nodes.size()); }
  bool is_backward(std::uint32_t node) const { return flow_.nodes.is_backward[node] != 0; }

  std::size_t input_value(std::uint32_t row) const {
    return result_.first_value_[touches_.block[row]] + touches_.version[row];
  }
  std::size_t output_value(std::uint32_t row) const {
    return result_.first_value_[touches_.block[row]] + touches_.output_version(row);
  }
  Category input_category(std::uint32_t row) const {
    return result_.of(touches_.block[row], touches_.version[row]);
  }
  Category output_category(std::uint32_t row) const {
    return result_.of(touches_.block[row], touches_.output_version(row));
  }
  static bool belongs_to_model(Category category) {
    return category == Category::kGradient || category == Category::kParameter;
  }
  void set_if_unknown(std::size_t value, Category category) {
    Category& known = result_.by_value_[value];
    if (known == Category::kUnknown) known = category;
  }

  void name_blocks(std::span<const std::uint32_t> blocks, Category category) {
    for (const std::uint32_t block : blocks) result_.by_block_[block] = category;
  }

  // What a node both allocates and frees. Gradients stay what they are.
  void find_temporaries() {
    for (std::uint32_t row = 0; row < touches_.size(); ++row) {
      Category& category = result_.by_block_[touches_.block[row]];
      if (touches_.allocates(row) && touches_.frees[row] != 0 && category == Category::kUnknown) {
        category = Category::kTemporary;
      }
    }
  }

  // Blocks that depend on parameters or gradients, in any of their versions. A few rounds are
  // enough: the first finds the loop of updates, the second what the first step did before it.
  Marks blocks_after_gradients() const {
    Marks found(flow_.blocks.size());
    bool grows = true;
    const auto add = [&](std::uint32_t row) { grows = found.add(touches_.block[row]) || grows; };
    while (grows) {
      grows = false;
      for (std::uint32_t node = 0; node < node_count(); ++node) {
        bool depends = false;
        for_inputs(node, [&](std::uint32_t row) {
          if (!belongs_to_model(input_category(row)) && !found.has(touches_.block[row])) return;
          depends = true;
          add(row);
        });
        if (depends) for_outputs(node, add);
      }
    }
    return found;
  }

  // Everything that takes part in computing gradients, seen from the end of the program.
  Marks values_before_gradients() const {
    Marks found(result_.by_value_.size());
    for (std::uint32_t node = node_count(); node-- > 0;) {
      bool contributes = false;
      for_inputs(node, [&](std::uint32_t row) {
        contributes =
            contributes || belongs_to_model(input_category(row)) || found.has(input_value(row));
      });
      for_outputs(node, [&](std::uint32_t row) {
        contributes =
            contributes || belongs_to_model(output_category(row)) || found.has(output_value(row));
      });
      if (!contributes) continue;
      for_inputs(node, [&](std::uint32_t row) { found.add(input_value(row)); });
      for_outputs(node, [&](std::uint32_t row) { found.add(output_value(row)); });
    }
    return found;
  }

  // Inputs take part in the computation, but do not depend on anything the training changes.
  void find_inputs() {
    const Marks after = blocks_after_gradients();
    Marks candidates = values_before_gradients();
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      if (!is_backward(node)) continue;
      for_outputs(node, [&](std::uint32_t row) { candidates.remove(output_value(row)); });
    }
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      if (after.has(block)) continue;
      const std::size_t first = result_.first_value_[block];
      for (std::size_t value = first; value < first + flow_.blocks.versions[block]; ++value) {
        if (candidates.has(value)) set_if_unknown(value, Category::kInput);
      }
    }
  }

  // A node of the forward pass: it neither reads nor makes a gradient.
  bool is_forward(std::uint32_t node) const {
    bool has_gradient = is_backward(node);
    for_inputs(node, [&](std::uint32_t row) {
      has_gradient = has_gradient || input_category(row) == Category::kGradient;
    });
    for_outputs(node, [&](std::uint32_t row) {
      has_gradient = has_gradient || output_category(row) == Category::kGradient;
    });
    return !has_gradient;
  }

  // What the forward pass combines with data that comes from inputs, but does not come from them.
  Marks parameter_candidates() const {
    Marks forward(result_.by_value_.size());
    Marks candidates(result_.by_value_.size());
    for (std::uint32_t row = 0; row < touches_.size(); ++row) {
      if (!touches_.allocates(row) && input_category(row) == Category::kInput) {
        forward.add(input_value(row));
      }
      if (touches_.is_output(row) && output_category(row) == Category::kInput) {
        forward.add(output_value(row));
      }
    }
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      bool depends = false;
      for_inputs(node,
                 [&](std::uint32_t row) { depends = depends || forward.has(input_value(row)); });
      if (!depends || !is_forward(node)) continue;
      for_outputs(node, [&](std::uint32_t row) { forward.add(output_value(row)); });
      for_inputs(node, [&](std::uint32_t row) {
        if (!forward.has(input_value(row))) candidates.add(input_value(row));
      });
    }
    return candidates;
  }

  // Values from which gradients are computed.
  Marks values_in_gradients() const {
    Marks found(result_.by_value_.size());
    for (std::uint32_t node = node_count(); node-- > 0;) {
      bool contributes = false;
      for_outputs(node, [&](std::uint32_t row) {
        contributes = contributes || output_category(row) == Category::kGradient ||
                      found.has(output_value(row));
      });
      if (!contributes) continue;
      for_inputs(node, [&](std::uint32_t row) { found.add(input_value(row)); });
    }
    return found;
  }

  // Parameters that no module named: they take part in the forward pass, gradients are computed
  // from them, and they change with gradients.
  void find_parameters() {
    const Marks candidates = parameter_candidates();
    const Marks used = values_in_gradients();
    const Marks after = blocks_after_gradients();
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      if (!after.has(block)) continue;
      const std::size_t first = result_.first_value_[block];
      for (std::size_t value = first; value < first + flow_.blocks.versions[block]; ++value) {
        if (candidates.has(value) && used.has(value)) {
          result_.by_block_[block] = Category::kParameter;
        }
      }
    }
  }

  // What the forward pass makes of inputs.
  void find_activations() {
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      if (is_backward(node)) continue;
      bool from_input = false;
      bool from_other = false;
      for_inputs(node, [&](std::uint32_t row) {
        const Category category = input_category(row);
        const bool is_data = category == Category::kInput || category == Category::kActivation;
        from_input = from_input || is_data;
        from_other = from_other || (!is_data && category != Category::kParameter &&
                                    category != Category::kTemporary);
      });
      if (!from_input || from_other) continue;
      for_outputs(node, [&](std::uint32_t row) {
        set_if_unknown(output_value(row), Category::kActivation);
      });
    }
  }

  // What else the backward pass makes.
  void find_autograd_details() {
    for (std::uint32_t node = 0; node < node_count(); ++node) {
      if (!is_backward(node)) continue;
      for_outputs(node, [&](std::uint32_t row) {
        if (!touches_.allocates(row)) {
          const Category before = input_category(row);
          if (before != Category::kUnknown && before != Category::kAutogradDetail) return;
        }
        set_if_unknown(output_value(row), Category::kAutogradDetail);
      });
    }
  }

  const TensorFlow& flow_;
  const Touches& touches_;
  MemoryCategories& result_;
};

MemoryCategories::MemoryCategories(const TensorFlow& flow)
    : by_block_(flow.blocks.size(), Category::kUnknown) {
  std::size_t values = 0;
  for (const std::uint32_t versions : flow.blocks.versions) {
    first_value_.push_back(values);
    values += versions;
  }
  by_value_.assign(values, Category::kUnknown);
  Finder(flow, *this).find();
}

}  // namespace npuprof::analyze
