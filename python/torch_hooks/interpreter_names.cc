#include "interpreter_names.h"

#include <utility>

#include "format/framework/python_tracer.h"

namespace npuprof::torch_hooks {
namespace {

constexpr std::size_t kFirstSites = 4096;

std::size_t hash_of(CodePlace place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place.code);
  const std::uint64_t mixed =
      (address ^ static_cast<std::uint64_t>(static_cast<unsigned>(place.offset)) << 40) *
      0x9E3779B97F4A7C15;
  return mixed >> 20;
}

// Functions of one kind share a definition; whatever else can be called is known by its address.
const void* identity_of(PyObject* function) {
  if (PyCFunction_Check(function)) {
    return reinterpret_cast<const PyCFunctionObject*>(function)->m_ml;
  }
  return function;
}

std::string c_function_text(PyObject* function) {
  // Other callables might run code of the program to describe themselves.
  if (PyCFunction_Check(function) || Py_IS_TYPE(function, &PyMethodDescr_Type)) {
    if (PyObject* const repr = PyObject_Repr(function)) {
      prepare_utf8(repr);
      std::string text(utf8_of(repr));
      Py_DECREF(repr);
      return text;
    }
    PyErr_Clear();
  }
  return std::string("<") + Py_TYPE(function)->tp_name + ">";
}

}  // namespace

InterpreterNames::InterpreterNames(std::vector<std::string> path_prefixes)
    : path_prefixes_(std::move(path_prefixes)), sites_(kFirstSites) {}

InterpreterNames::~InterpreterNames() {
  for (PyObject* const object : kept_) Py_DECREF(object);
}

std::uint64_t InterpreterNames::function(CodePlace place, record::ThreadBuffer& buffer) {
  Site& site = find(place);
  if (!site.is_told) [[unlikely]]
    site.is_told = buffer.python_name(site.key, text_of(place));
  return site.key;
}

std::uint64_t InterpreterNames::c_function(PyObject* function, record::ThreadBuffer& buffer) {
  const void* const identity = identity_of(function);
  Entry& entry = c_functions_[identity];
  if (entry.key == 0) {
    entry.key = ++last_key_;
    if (identity == function) {
      kept_.push_back(function);
      Py_INCREF(function);
    }
  }
  if (!entry.is_told) entry.is_told = buffer.python_name(entry.key, c_function_text(function));
  return entry.key;
}

std::uint64_t InterpreterNames::module(PyObject* module, record::ThreadBuffer& buffer,
                                       bool& is_new) {
  Entry& entry = modules_[module];
  is_new = entry.kind != Py_TYPE(module);
  if (is_new) entry = {.key = ++last_key_, .kind = Py_TYPE(module)};
  if (!entry.is_told) [[unlikely]] {
    const std::string_view type = Py_TYPE(module)->tp_name;
    std::string text;
    format::framework::append_python_module(
        text, {type.substr(type.rfind('.') + 1), reinterpret_cast<std::uintptr_t>(module)});
    entry.is_told = buffer.python_name(entry.key, text);
  }
  return entry.key;
}

void InterpreterNames::tell_exit(record::ThreadBuffer& buffer) {
  if (!exit_is_told_) {
    exit_is_told_ = buffer.python_name(kExitKey, format::framework::kPythonExitMarker);
  }
}

InterpreterNames::Site& InterpreterNames::find(CodePlace place) {
  const std::size_t mask = sites_.size() - 1;
  for (std::size_t i = hash_of(place) & mask;; i = (i + 1) & mask) {
    Site& site = sites_[i];
    if (site.place.code == place.code && site.place.offset == place.offset) return site;
    if (site.key != 0) continue;
    if (2 * (site_count_ + 1) > sites_.size()) {
      grow();
      return find(place);
    }
    ++site_count_;
    kept_.push_back(reinterpret_cast<PyObject*>(place.code));
    Py_INCREF(place.code);
    prepare_utf8(place.code->co_filename);
    prepare_utf8(place.code->co_name);
    site = {.place = place, .key = ++last_key_};
    return site;
  }
}

void InterpreterNames::grow() {
  std::vector<Site> old(sites_.size() * 2);
  old.swap(sites_);
  const std::size_t mask = sites_.size() - 1;
  for (const Site& site : old) {
    if (site.key == 0) continue;
    std::size_t i = hash_of(site.place) & mask;
    while (sites_[i].key != 0) i = (i + 1) & mask;
    sites_[i] = site;
  }
}

std::string_view InterpreterNames::without_prefix(std::string_view path) const {
  for (const std::string& prefix : path_prefixes_) {
    if (path.starts_with(prefix)) return path.substr(prefix.size());
  }
  return path;
}

std::string InterpreterNames::text_of(CodePlace place) const {
  std::string text;
  format::framework::append_python_frame(text, {without_prefix(utf8_of(place.code->co_filename)),
                                                line_of(place), utf8_of(place.code->co_name)});
  return text;
}

}  // namespace npuprof::torch_hooks
