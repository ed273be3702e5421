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

std::vector<Shape> shapes_of(std::string_view text) {
  std::vector<Shape> shapes;
  for_each_item(text, ';', [&](std::string_view item) {
    Shape& shape = shapes.emplace_back();
    EXPECT_TRUE(for_each_dimension(item, [&](std::int64_t size) { shape.push_back(size); }));
  });
  return shapes;
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

TEST(TextList, ShapesRoundTrip) {
  const std::vector<std::vector<Shape>> cases{
      {{}}, {{}, {}}, {{2, 3}, {}}, {{}, {5}}, {{1}, {}, {2, 3, 4}}, {{0}, {-1, 9000000000}}};
  for (const auto& shapes : cases) EXPECT_EQ(shapes_of(shapes_text(shapes)), shapes);
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

TEST(TextList, DimensionsThatAreNoNumbersStopTheWalk) {
  std::vector<std::int64_t> seen;
  const auto collect = [&](std::int64_t size) { seen.push_back(size); };
  EXPECT_FALSE(for_each_dimension("2,x,4", collect));
  EXPECT_EQ(seen, std::vector<std::int64_t>{2});
  EXPECT_FALSE(for_each_dimension(",", collect));
  EXPECT_FALSE(for_each_dimension("99999999999999999999", collect));
  EXPECT_TRUE(for_each_dimension("", collect));
}

}  // namespace
}  // namespace npuprof::format::framework
