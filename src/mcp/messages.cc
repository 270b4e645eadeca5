#include "mcp/messages.h"

#include <algorithm>

#include "base/concat.h"

namespace burin::mcp {
namespace {

using nlohmann::json;

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr int kListValidMilliseconds = 3'600'000;  // the tools do not change while the server runs

constexpr const char* kInstructions =
    "burin analyses CUDA kernels without a GPU. Start with inspect to see the kernels of a file, "
    "then "
    "predict or advise one launch of them: file, kernel, grid, block and args (the kernel's "
    "arguments "
    "in order, such as \"i32:1024\" or \"buf:4M:f32\"). advise names lines, causes and estimated "
    "speedups; explain says which resource limits the kernel; after a change, diff compares the "
    "two "
    "versions, and run checks a small launch for races and out-of-bounds accesses. Predicted times "
    "come with an interval that holds 80 % of such launches: smaller differences mean nothing.";

bool is_id(const json& id) {
  return id.is_string() || id.is_number_integer() || id.is_number_unsigned();
}

json server_info(const std::string& version) {
  return {{"name", "burin"}, {"title", "burin: CUDA kernels without a GPU"}, {"version", version}};
}

bool is_known(std::string_view version) {
  return std::ranges::find(kVersions, version) != std::end(kVersions);
}

ParsedMessage refuse(const std::optional<json>& id, int code, const char* sentence) {
  return {.message = std::nullopt, .problem = error_of(id, code, sentence)};
}

}  // namespace

json error_of(const std::optional<json>& id, int code, const std::string& sentence) {
  return {{"jsonrpc", "2.0"},
          {"id", id ? *id : json(nullptr)},
          {"error", {{"code", code}, {"message", sentence}}}};
}

ParsedMessage parse_message(const std::string& line) {
  json parsed = json::parse(line, nullptr, false);
  if (parsed.is_discarded()) {
    return refuse({}, kParseError, "the line is not JSON in UTF-8");
  }
  if (parsed.is_array()) {
    return refuse({}, kInvalidRequest, "batches are not supported; send one message a line");
  }
  if (!parsed.is_object()) return refuse({}, kInvalidRequest, "a message is a JSON object");
  Message message;
  if (const auto id = parsed.find("id"); id != parsed.end()) {
    if (!is_id(*id)) return refuse({}, kInvalidRequest, "id: must be a string or an integer");
    message.id = *id;
  }
  if (parsed.value("jsonrpc", json()) != "2.0") {
    return refuse(message.id, kInvalidRequest, "jsonrpc: must be \"2.0\"");
  }
  const auto method = parsed.find("method");
  if (method == parsed.end() && message.id &&
      (parsed.contains("result") || parsed.contains("error"))) {
    return {};  // an answer to a question that burin never asks
  }
  if (method == parsed.end() || !method->is_string()) {
    return refuse(message.id, kInvalidRequest, "method: must be a string");
  }
  message.method = method->get<std::string>();
  if (const auto params = parsed.find("params"); params != parsed.end()) {
    if (!params->is_object())
      return refuse(message.id, kInvalidParams, "params: must be an object");
    message.params = std::move(*params);
  }
  if (const auto meta = message.params.find("_meta"); meta != message.params.end()) {
    if (!meta->is_object()) return refuse(message.id, kInvalidParams, "_meta: must be an object");
    if (const auto version = meta->find(kVersionKey); version != meta->end()) {
      if (!version->is_string()) {
        return refuse(message.id, kInvalidParams, "_meta: the protocol version must be a string");
      }
      message.version = version->get<std::string>();
    }
  }
  return {.message = std::move(message)};
}

json result_of(const Message& message, json result, const std::string& burin_version) {
  if (!message.version.empty()) {
    result["resultType"] = "complete";
    result["_meta"][kServerKey] = server_info(burin_version);
    if (message.method == "tools/list" || message.method == "server/discover") {
      result["ttlMs"] = kListValidMilliseconds;
      result["cacheScope"] = "public";
    }
  }
  return {{"jsonrpc", "2.0"}, {"id", *message.id}, {"result", std::move(result)}};
}

std::optional<json> check_version(const Message& message) {
  if (message.version.empty() || is_known(message.version)) return std::nullopt;
  json problem = error_of(
      message.id, kUnsupportedVersion,
      concat("burin does not speak version ", message.version.substr(0, 40), " of the protocol"));
  problem["error"]["data"] = {{"supported", kVersions}, {"requested", message.version}};
  return problem;
}

// A client that asks for a version that burin does not know is told the newest with a handshake,
// and decides itself whether to go on.
json initialized(const Message& message, const std::string& burin_version) {
  const auto wanted = message.params.find("protocolVersion");
  if (wanted == message.params.end() || !wanted->is_string()) {
    return error_of(message.id, kInvalidParams, "initialize needs protocolVersion, a string");
  }
  const std::string asked = wanted->get<std::string>();
  const bool speaks = is_known(asked) && asked != kVersions[0];
  return result_of(message,
                   {{"protocolVersion", speaks ? asked : std::string(kNewestWithHandshake)},
                    {"capabilities", {{"tools", json::object()}}},
                    {"serverInfo", server_info(burin_version)},
                    {"instructions", kInstructions}},
                   burin_version);
}

json discovered(const Message& message, const std::string& burin_version) {
  Message modern = message;  // a client that asks this knows no handshake
  if (modern.version.empty()) modern.version = kVersions[0];
  return result_of(modern,
                   {{"supportedVersions", kVersions},
                    {"capabilities", {{"tools", json::object()}}},
                    {"instructions", kInstructions}},
                   burin_version);
}

}  // namespace burin::mcp
