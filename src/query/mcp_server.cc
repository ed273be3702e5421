#include "query/mcp_server.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "query/mcp_tools.h"

namespace npuprof::query {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kProtocolVersions = {"2024-11-05", "2025-03-26",
                                                               "2025-06-18", "2025-11-25"};
constexpr std::size_t kLargestBatch = 100;

constexpr const char* kInstructions =
    "Answers questions about profiles of Ascend NPUs. Start with step_time or another tool that "
    "fits the question; each says what it needs. sql reads every table of a profile: "
    "describe_tables lists views, tables and columns. Times are ns.";

// What JSON-RPC calls errors.
enum class RpcError : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoMethod = -32601,
  kInvalidParameters = -32602,
  kInternal = -32603,
};

json rpc_error(const json& id, RpcError code, std::string_view message) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
}

json rpc_result(const json& id, json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

std::string line_of(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_id(const json& id) { return id.is_string() || id.is_number_integer(); }

// A member that is a text, or nothing.
std::optional<std::string> text_member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

}  // namespace

class McpServer::Protocol {
 public:
  Protocol(ProfileSource& source, std::string version)
      : tools_(source), version_(std::move(version)) {}

  std::optional<json> answer(const json& message) {
    if (!message.is_array()) return answer_one(message);
    if (message.empty() || message.size() > kLargestBatch) {
      return rpc_error(nullptr, RpcError::kInvalidRequest, "a batch has 1 to 100 messages");
    }
    json answers = json::array();
    for (const json& one : message) {
      if (std::optional<json> answered = answer_one(one)) answers.push_back(std::move(*answered));
    }
    return answers.empty() ? std::nullopt : std::optional<json>(std::move(answers));
  }

 private:
  std::optional<json> answer_one(const json& message) {
    const auto refused = [](const char* why) {
      return rpc_error(nullptr, RpcError::kInvalidRequest, why);
    };
    if (!message.is_object()) return refused("a message is an object");
    const auto id = message.find("id");
    const bool has_id = id != message.end();
    if (text_member(message, "jsonrpc") != "2.0") return refused("jsonrpc has to be \"2.0\"");
    const std::optional<std::string> method = text_member(message, "method");
    if (!method) {
      // Nobody was asked, so an answer is of no use.
      if (message.contains("result") || message.contains("error")) return std::nullopt;
      return refused("method has to be a text");
    }
    if (!has_id) return std::nullopt;  // A notification; none of them changes anything here.
    if (!is_id(*id)) return refused("id has to be a text or a whole number");
    const auto parameters = message.find("params");
    if (parameters == message.end()) return answer_request(*id, *method, json::object());
    if (!parameters->is_object()) {
      return rpc_error(*id, RpcError::kInvalidParameters, "params has to be an object");
    }
    return answer_request(*id, *method, *parameters);
  }

  json answer_request(const json& id, const std::string& method, const json& parameters) {
    try {
      if (method == "initialize") return initialize(id, parameters);
      if (method == "ping") return rpc_result(id, json::object());
      if (method == "tools/list") return rpc_result(id, {{"tools", tools_.list()}});
      if (method == "tools/call") return call_tool(id, parameters);
    } catch (const std::exception& error) {
      return rpc_error(id, RpcError::kInternal, error.what());
    }
    return rpc_error(id, RpcError::kNoMethod, "there is no method " + method);
  }

  json initialize(const json& id, const json& parameters) const {
    const auto asked = text_member(parameters, "protocolVersion");
    if (!asked) {
      return rpc_error(id, RpcError::kInvalidParameters, "protocolVersion has to be a text");
    }
    const bool is_known = std::find(kProtocolVersions.begin(), kProtocolVersions.end(), *asked) !=
                          kProtocolVersions.end();
    return rpc_result(
        id, {{"protocolVersion", is_known ? std::string_view(*asked) : kProtocolVersions.back()},
             {"capabilities", {{"tools", {{"listChanged", false}}}}},
             {"serverInfo", {{"name", "npuprof"}, {"version", version_}}},
             {"instructions", kInstructions}});
  }

  json call_tool(const json& id, const json& parameters) {
    const auto name = text_member(parameters, "name");
    if (!name) return rpc_error(id, RpcError::kInvalidParameters, "name has to be a text");
    const auto arguments = parameters.find("arguments");
    const bool has_arguments = arguments != parameters.end() && !arguments->is_null();
    if (has_arguments && !arguments->is_object()) {
      return rpc_error(id, RpcError::kInvalidParameters, "arguments has to be an object");
    }
    const auto called = tools_.call(*name, has_arguments ? *arguments : json::object());
    if (!called) {
      return rpc_error(id, RpcError::kInvalidParameters, "there is no tool " + *name);
    }
    const json text = {{"type", "text"}, {"text", called->text}};
    return rpc_result(id, {{"content", json::array({text})}, {"isError", called->is_error}});
  }

  McpTools tools_;
  std::string version_;
};

McpServer::McpServer(ProfileSource& source, std::string version)
    : protocol_(std::make_unique<Protocol>(source, std::move(version))) {}
McpServer::~McpServer() = default;

std::optional<std::string> McpServer::answer(std::string_view line) {
  if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) return std::nullopt;
  try {
    const json message = json::parse(line, nullptr, false);
    if (message.is_discarded()) {
      return line_of(rpc_error(nullptr, RpcError::kParse, "the line is not JSON"));
    }
    const std::optional<json> answered = protocol_->answer(message);
    return answered ? std::optional(line_of(*answered)) : std::nullopt;
  } catch (const std::exception& error) {
    return line_of(rpc_error(nullptr, RpcError::kInternal, error.what()));
  }
}

std::string McpServer::refuse_long_line() const {
  return line_of(rpc_error(nullptr, RpcError::kInvalidRequest, "the line is too long"));
}

}  // namespace npuprof::query
