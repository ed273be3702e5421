#include "format/framework/text_list.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::format::framework {
namespace {

using Shape = std::vector<std::int64_t>;

std::string shapes_text(const std::vector<Shape>& shapes) {
  const std::vector<Dimensions> spans(shapes.begin(), shapes.end());
  std::string text;
  append_joined(text, spans, ';', append_dimensions);
  return text;
}

std::vector<std::string> list_items_of(std::optional<std::string_view> text, char separator) {
  std::vector<std::string> items;
  for_each_item(text, separator, [&](std::string_view item) { items.emplace_back(item); });
  return items;
}

TEST(TextList, ShapesJoinWithOneEmptyTextPerShapelessInput) {
  EXPECT_EQ(shapes_text({{2, 3}, {}}), "2,3;");
  EXPECT_EQ(shapes_text({{}}), "");
  EXPECT_EQ(shapes_text({{}, {}}), ";");
  EXPECT_EQ(shapes_text({{}, {7}}), ";7");
  EXPECT_EQ(shapes_text({{1024, 4096}, {4096, -1}}), "1024,4096;4096,-1");
}

TEST(TextList, AbsentTextHasNoItemsAndEmptyTextHasOne) {
  EXPECT_TRUE(list_items_of(std::nullopt, ';').empty());
  EXPECT_EQ(list_items_of("", ';'), std::vector<std::string>{""});
  EXPECT_EQ(list_items_of(";a;", ';'), (std::vector<std::string>{"", "a", ""}));
}

TEST(TextList, JoinsTexts) {
  std::string text = "kept ";
  append_joined(text, std::vector<std::string_view>{"float", "None", "Scalar"}, ';');
  EXPECT_EQ(text, "kept float;None;Scalar");
}

}  // namespace
}  // namespace npuprof::format::framework
