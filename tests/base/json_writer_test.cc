#include "base/json_writer.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace npuprof {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  append_json_escaped(out, text);
  return out;
}

// One document with every kind of value.
void write_sample(JsonWriter& writer) {
  writer.begin_object()
      .member("name", "rank 0")
      .member("view", std::string_view("v"))
      .member("string", std::string("s"))
      .member("count", 3)
      .member("large", ~std::uint64_t{0})
      .member("negative", std::int64_t{-5})
      .member("ratio", 0.25)
      .member("not_a_number", std::nan(""))
      .member("yes", true)
      .member("maybe", std::optional<int>(1))
      .member("nothing", std::optional<int>());
  writer.key("list")
      .begin_array()
      .value(1)
      .null()
      .raw("1.500")
      .begin_array()
      .end_array()
      .end_array();
  writer.key("empty").begin_object().end_object();
  writer.key("inner").begin_object().member("a", false).end_object();
  writer.end_object();
}

TEST(JsonWriter, WritesCompactText) {
  std::string out;
  JsonWriter writer(out);
  write_sample(writer);
  EXPECT_EQ(out,
            R"({"name":"rank 0","view":"v","string":"s","count":3,"large":18446744073709551615,)"
            R"("negative":-5,"ratio":0.25,"not_a_number":null,"yes":true,"maybe":1,"nothing":null,)"
            R"("list":[1,null,1.500,[]],"empty":{},"inner":{"a":false}})");
}

TEST(JsonWriter, Indents) {
  std::string out = "kept\n";
  JsonWriter writer(out, 2);
  writer.begin_object().member("a", 1);
  writer.key("b").begin_array().value("x").value("y").end_array();
  writer.key("c").begin_array().end_array();
  writer.end_object();
  EXPECT_EQ(out, "kept\n{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    \"y\"\n  ],\n  \"c\": []\n}");
}

TEST(JsonWriter, MeansTheSameInBothForms) {
  std::string compact;
  JsonWriter compact_writer(compact);
  write_sample(compact_writer);
  std::string indented;
  JsonWriter indented_writer(indented, 4);
  write_sample(indented_writer);
  EXPECT_EQ(nlohmann::json::parse(compact), nlohmann::json::parse(indented));
}

TEST(JsonWriter, WritesBareValues) {
  std::string out;
  JsonWriter(out).value("text");
  EXPECT_EQ(out, "\"text\"");
}

TEST(AppendJsonEscaped, EscapesOnlyWhatMustBe) {
  EXPECT_EQ(escaped("plain/text"), "plain/text");
  EXPECT_EQ(escaped("a\"b\\c\n\r\t"), "a\\\"b\\\\c\\n\\r\\t");
  EXPECT_EQ(escaped(std::string_view("\0\x1f\x7f", 3)), "\\u0000\\u001f\x7f");
}

TEST(AppendJsonEscaped, KeepsUtf8AndReplacesOtherBytes) {
  const std::string valid = "\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80";
  EXPECT_EQ(escaped(valid), valid);
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("a\xFFz"), "a" + mark + "z");
  EXPECT_EQ(escaped("\xC3"), mark);                                   // Cut short.
  EXPECT_EQ(escaped("\xC0\x80"), mark + mark);                        // Overlong.
  EXPECT_EQ(escaped("\xED\xA0\x80"), mark + mark + mark);             // Surrogate.
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), mark + mark + mark + mark);  // Above U+10FFFF.
  EXPECT_EQ(escaped("\xE4\xB8\""), mark + mark + "\\\"");
}

TEST(AppendJsonEscaped, GivesValidJsonForAnyBytes) {
  std::mt19937 random(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 12, '\0');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() % 128 : random());
    std::string out;
    JsonWriter(out).value(text);
    const auto parsed = nlohmann::json::parse(out, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << out;
  }
}

}  // namespace
}  // namespace npuprof
