#include "answers/name_expression.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::answers {
namespace {

using ::testing::HasSubstr;

bool finds(const std::string& expression, const std::string& text) {
  NameExpression compiled;
  const Status status = compiled.compile(expression);
  EXPECT_TRUE(status.ok()) << expression;
  return status.ok() && compiled.is_in(text);
}

TEST(NameExpression, IgnoresCaseIfAskedTo) {
  EXPECT_FALSE(finds("matmul", "MatMulV3"));
  EXPECT_TRUE(finds("(?i)matmul", "MatMulV3"));
  EXPECT_TRUE(finds("(?i)^M", "matmul"));
  EXPECT_TRUE(finds("(?i)", "anything"));
}

std::string refusal_of(const std::string& expression) {
  NameExpression compiled;
  const Status status = compiled.compile(expression);
  EXPECT_FALSE(status.ok()) << expression.substr(0, 50);
  return status.ok() ? "" : status.error().message;
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(NameExpression, IsFoundAnywhereInAName) {
  EXPECT_TRUE(finds("Mul$", "MatMul"));
  EXPECT_FALSE(finds("^Mul", "MatMul"));
  EXPECT_TRUE(finds("^(Mat|Batch)Mul(V[23])?$", "MatMulV3"));
  EXPECT_TRUE(finds("layers[.][0-9]{1,3}[.]", "model.layers.31.mlp"));
  EXPECT_TRUE(finds("[[:digit:]]{2}", "a12"));
  EXPECT_TRUE(finds("^([a-z]+[.])+[0-9]{1,}$", "model.layers.31"));
  EXPECT_TRUE(finds("[]{3}]", "}"));
  EXPECT_TRUE(finds("aten::mm\\(", "aten::mm(float)"));
  EXPECT_TRUE(finds("", "anything"));
}

TEST(NameExpression, WhatIsNoneIsRefusedWithAReason) {
  EXPECT_THAT(refusal_of("(a"), HasSubstr("regular expression"));
  EXPECT_THAT(refusal_of("[a"), HasSubstr("regular expression"));
  EXPECT_THAT(refusal_of("a{5,2}"), HasSubstr("regular expression"));
}

// Each of these takes the C library minutes, all memory, or the end of its stack.
TEST(NameExpression, WhatWouldNotEndIsRefused) {
  EXPECT_THAT(refusal_of(repeated("(", 100'000) + repeated(")", 100'000)), HasSubstr("nested"));
  EXPECT_THAT(refusal_of(repeated("a*", 100'000)), HasSubstr("too long"));
  EXPECT_THAT(refusal_of("a{30000}{30000}"), HasSubstr("too long"));
  EXPECT_THAT(refusal_of("((((a{1,100}){1,100}){1,100}){1,100}){1,100}"), HasSubstr("too long"));
  EXPECT_THAT(refusal_of("a" + repeated("+", 30)), HasSubstr("follows another"));
  EXPECT_THAT(refusal_of("a" + repeated("{1,}", 30)), HasSubstr("follows another"));
  EXPECT_THAT(refusal_of(")" + repeated("?", 16)), HasSubstr("follows another"));
  EXPECT_THAT(refusal_of(repeated("(", 20) + "a" + repeated("+)", 20)), HasSubstr("too long"));
  EXPECT_THAT(refusal_of("(a*)*\\1b"), HasSubstr("refers back"));
  EXPECT_THAT(refusal_of("a{99999999999999999999999}"), HasSubstr("too long"));
}

TEST(NameExpression, RefusalsOfLongTextsAreShort) {
  EXPECT_LT(refusal_of(std::string(100'000, 'a')).size(), 400U);
}

TEST(NameExpression, LongNamesAreSearched) {
  EXPECT_TRUE(finds("(a|b)*c$", std::string(1'000'000, 'a') + "c"));
  EXPECT_FALSE(finds("(a?){100}c", std::string(10'000, 'a')));
}

}  // namespace
}  // namespace npuprof::answers
