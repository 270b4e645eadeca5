// Messages of JSON-RPC 2.0 as the Model Context Protocol uses them, and its two handshakes.
//
//   ParsedMessage parsed = parse_message(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
//   if (!parsed.message) send(parsed.problem);     // an error response
//   send(result_of(*parsed.message, json::object(), "0.1.0"));
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace burin::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kUnsupportedVersion = -32022;

// The first is that of 2026, which has no handshake; the others have one.
inline constexpr std::string_view kVersions[] = {"2026-07-28", "2025-11-25", "2025-06-18",
                                                 "2025-03-26", "2024-11-05"};
inline constexpr std::string_view kNewestWithHandshake = kVersions[1];

struct Message {
  std::optional<nlohmann::json> id;  // none: a notification, which is not answered
  std::string method;
  nlohmann::json params = nlohmann::json::object();
  std::string version;  // that _meta names; "": none, a client with a handshake
};

struct ParsedMessage {
  std::optional<Message> message;
  nlohmann::json problem{};  // the error response, if there is no message; null: nothing to send
};
ParsedMessage parse_message(const std::string& line);

nlohmann::json error_of(const std::optional<nlohmann::json>& id, int code,
                        const std::string& sentence);
// `result` as the response, with what the message's version asks for beside it.
nlohmann::json result_of(const Message& message, nlohmann::json result,
                         const std::string& burin_version);

// Returns the error response for a version that burin does not speak; none: it does.
std::optional<nlohmann::json> check_version(const Message& message);

// The responses to `initialize` and `server/discover`.
nlohmann::json initialized(const Message& message, const std::string& burin_version);
nlohmann::json discovered(const Message& message, const std::string& burin_version);

}  // namespace burin::mcp
