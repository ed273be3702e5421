#include "format/json_layout.h"

#include <string>

#include <gtest/gtest.h>

namespace npuprof::format {
namespace {

constexpr std::string_view kNoDefaults = "{}";

TEST(JsonLayout, WithoutOneTextStaysAsItIs) {
  EXPECT_EQ(JsonLayout().apply(R"({"a":1})", kNoDefaults), R"({"a":1})");
  EXPECT_EQ(JsonLayout::of("[1]").apply(R"({"a":1})", kNoDefaults), R"({"a":1})");
  EXPECT_EQ(JsonLayout::of("{").apply(R"({"a":1})", kNoDefaults), R"({"a":1})");
}

TEST(JsonLayout, KeepsBlanksAndTheOrderOfKeys) {
  const std::string content = R"({"a":1,"list":[{"x":1,"y":"A,:"}],"none":[],"z":true})";
  for (const std::string text : {
           R"({"z":true,"list":[{"y":"A,:","x":1}],"a":1,"none":[]})",
           R"({"z": true, "list": [{"y": "A,:", "x": 1}], "a": 1, "none": []})",
           "{\n  \"none\": [],\n  \"list\": [\n    {\n      \"y\": \"A,:\",\n      \"x\": 1\n    "
           "}\n"
           "  ],\n  \"z\": true,\n  \"a\": 1\n}\n",
       }) {
    EXPECT_EQ(JsonLayout::of(text).apply(content, kNoDefaults), text);
  }
}

TEST(JsonLayout, TakesValuesFromTheContentAlone) {
  const JsonLayout layout = JsonLayout::of(R"({"b": 1, "gone": 2, "a": {"x": 3}})");
  EXPECT_EQ(layout.apply(R"({"a":{"x":5},"b":4})", kNoDefaults), R"({"b": 4, "a": {"x": 5}})");
}

TEST(JsonLayout, NumbersStayTextAndTextStaysNumbers) {
  const JsonLayout layout = JsonLayout::of(R"({"text":"5","number":192,"real":100.0,"name":7})");
  EXPECT_EQ(layout.apply(R"({"text":5,"number":"192","real":100,"name":"x"})", kNoDefaults),
            R"({"text":"5","number":192,"real":100.0,"name":"x"})");
  EXPECT_EQ(layout.apply(R"({"text":6,"number":"193","real":101,"name":"7"})", kNoDefaults),
            R"({"text":"6","number":193,"real":101,"name":7})");
}

TEST(JsonLayout, KeysThatWereNotThereComeOnlyWithContent) {
  const JsonLayout layout = JsonLayout::of(R"({"b": 1, "list": [{}]})");
  const std::string_view defaults = R"({"b":0,"c":0,"d":"","list":[{"n":-1,"m":0}]})";
  EXPECT_EQ(layout.apply(R"({"b":0,"c":0,"d":"x","list":[{"n":-1,"m":2}]})", defaults),
            R"({"b": 0, "list": [{"m": 2}], "d": "x"})");
}

TEST(JsonLayout, EscapesTextAsTheFileDid) {
  EXPECT_EQ(JsonLayout::of(R"({"a": "\u00e9"})").apply("{\"a\":\"\xC3\xA8\"}", kNoDefaults),
            R"({"a": "\u00e8"})");
  EXPECT_EQ(JsonLayout::of("{\"a\": \"\xC3\xA9\"}").apply("{\"a\":\"\xC3\xA8\"}", kNoDefaults),
            "{\"a\": \"\xC3\xA8\"}");
}

}  // namespace
}  // namespace npuprof::format
