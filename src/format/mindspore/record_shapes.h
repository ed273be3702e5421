#pragma once

#include <cstdint>
#include <string_view>

#include "format/framework/tlv.h"

namespace npuprof::format::mindspore {

enum class RecordShapesField : std::uint16_t { kName = 0, kShapes = 1, kTypes = 2 };

// A record of `mindspore.record_shapes`: the inputs of one launch. It has no time.
//
// | field  | text                                                                    |
// |--------|-------------------------------------------------------------------------|
// | name   | brief name of the operator (op_range.h)                                 |
// | shapes | dimensions joined with ',', inputs with ';'; a scalar is an empty text  |
// | types  | joined with ';': "Tensor[Float32]"                                      |
struct RecordShapes {
  using Fixed = framework::NoFixedPart;
  static constexpr std::uint16_t kType = 3;

  framework::NoFixedPart fixed;
  std::string_view name;
  std::string_view shapes;
  std::string_view types;

  static constexpr void visit_fields(auto& self, auto&& field) {
    field("name", RecordShapesField::kName, self.name);
    field("shapes", RecordShapesField::kShapes, self.shapes);
    field("types", RecordShapesField::kTypes, self.types);
  }
};

}  // namespace npuprof::format::mindspore
