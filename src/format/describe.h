#pragma once

// Hands the members of any layout to a FieldSink, by the names in its `visit` function.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "format/catalog.h"
#include "format/record.h"

namespace npuprof::format {

// The name of a layout's type, without namespaces and arguments.
template <typename T>
constexpr std::string_view type_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  constexpr std::string_view kBefore = "T = ";
  name.remove_prefix(name.find(kBefore) + kBefore.size());
  name = name.substr(0, name.find_first_of(";]<"));
  return name.substr(name.rfind(':') + 1);
}

inline bool are_zeros(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte == std::byte{}; });
}

template <Record T>
void describe_members(const T& record, FieldSink& sink);

template <typename T>
struct ArrayTraits : std::false_type {};
template <typename T, std::size_t kSize>
struct ArrayTraits<std::array<T, kSize>> : std::true_type {
  using Element = T;
};

template <Record T>
void describe_member(std::string_view name, const T& member, FieldSink& sink);

template <typename Array>
void describe_array(std::string_view name, const Array& array, FieldSink& sink) {
  using Element = typename ArrayTraits<Array>::Element;
  const Bytes bytes = bytes_of(array);
  if constexpr (std::is_same_v<Element, char>) {
    const std::string_view text = as_text(bytes);
    sink.text(name, text.substr(0, text.find('\0')));
  } else if constexpr (std::is_same_v<Element, U8>) {
    if (!are_zeros(bytes)) sink.bytes(name, bytes);
  } else {
    std::size_t shown = array.size();
    if constexpr (requires(Element element) { Element::visit(element, [](auto&&...) {}); }) {
      const std::size_t used = without_zeros_at_end(bytes).size();
      shown = (used + sizeof(Element) - 1) / sizeof(Element);
    }
    sink.begin_list(name);
    for (std::size_t i = 0; i < shown; ++i) describe_member("", array[i], sink);
    sink.end_list();
  }
}

template <Record T>
void describe_member(std::string_view name, const T& member, FieldSink& sink) {
  if constexpr (requires { member.get(); }) {
    using Value = decltype(member.get());
    if constexpr (std::is_floating_point_v<Value>) {
      sink.number(name, static_cast<double>(member.get()));
    } else if constexpr (std::is_signed_v<Value>) {
      sink.number(name, static_cast<std::int64_t>(member.get()));
    } else {
      sink.number(name, static_cast<std::uint64_t>(member.get()));
    }
  } else if constexpr (requires { member.view(); }) {
    sink.text(name, member.view());
  } else if constexpr (ArrayTraits<T>::value) {
    describe_array(name, member, sink);
  } else {
    sink.begin_group(name);
    describe_members(member, sink);
    sink.end_group();
  }
}

template <Record T>
void describe_members(const T& record, FieldSink& sink) {
  T::visit(record,
           [&](const char* name, const auto& member) { describe_member(name, member, sink); });
}

// Bytes that are at least one record; what is behind it is shown as bytes.
template <Record T>
void describe_record(Bytes bytes, FieldSink& sink) {
  describe_members(load<T>(bytes.data()), sink);
  if (bytes.size() > sizeof(T)) sink.bytes("more", bytes.subspan(sizeof(T)));
}

template <Record T>
constexpr View view_as() {
  return {type_name<T>(), describe_record<T>};
}

}  // namespace npuprof::format
