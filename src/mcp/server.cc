#include "mcp/server.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/concat.h"
#include "mcp/budget.h"
#include "mcp/call.h"
#include "mcp/lines.h"
#include "mcp/messages.h"
#include "mcp/tools.h"

namespace burin::mcp {
namespace {

using nlohmann::json;

// What a call came to, for the model: its output, and what went to standard error as notes.
std::string answer_text(const Call::Ending& ending, double limit_seconds) {
  std::string text = ending.out;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += ending.err;
  if (ending.timed_out) {
    text +=
        concat("burin: the call took longer than ", static_cast<long long>(limit_seconds),
               " s and was ended; use a smaller launch, or start `burin mcp --limit SECONDS`\n");
  } else if (ending.cut) {
    text += "burin: the output is longer than 8 MiB and was ended here; name a kernel\n";
  } else if (ending.status < 0) {
    text += concat("burin: the call ended by signal ", -ending.status,
                   ", a defect of burin: please report it; the server goes on\n");
  }
  if (text.empty()) text = "(no output)\n";
  return text;
}

bool is_failure(const Call::Ending& ending) {
  return ending.status < 0 || ending.status > static_cast<int>(Exit::kGate);
}

class Server {
 public:
  Server(const ServerOptions& options, int input, int output)
      : options_(options), lines_(input), output_(output) {}

  Result<void> serve();

 private:
  struct ToolCall {
    Message message;
    ToolRequest request;
  };

  void take_lines();
  void take(const std::string& line);
  void answer(const Message& message);
  void call_tool(Message message);
  void cancel(const Message& message);
  void start_next();
  void finish_running();
  void wait();
  void send(const json& message);
  void send_text(const Message& message, const Part& part, bool is_error);

  const ServerOptions& options_;
  LineReader lines_;
  int output_;
  bool reader_gone_ = false;
  Answers answers_;
  std::deque<ToolCall> queue_;
  std::optional<ToolCall> current_;
  std::unique_ptr<Call> running_;
};

void Server::send(const json& message) {
  std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::string_view left = line; !left.empty() && !reader_gone_;) {
    const ssize_t written = ::write(output_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      reader_gone_ = true;
    } else {
      left.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

void Server::send_text(const Message& message, const Part& part, bool is_error) {
  std::string text = part.text;
  if (!part.more.empty()) {
    text += concat("[", part.left_bytes, " more characters: call the tool with {\"more\": \"",
                   part.more, "\"}]\n");
  }
  send(result_of(message,
                 {{"content", {{{"type", "text"}, {"text", text}}}}, {"isError", is_error}},
                 options_.version));
}

void Server::call_tool(Message message) {
  const json& params = message.params;
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) {
    return send(error_of(message.id, kInvalidParams, "tools/call needs the name of a tool"));
  }
  const Tool* tool = find_tool(name->get_ref<const std::string&>());
  if (tool == nullptr) {
    return send(error_of(message.id, kInvalidParams,
                         concat("unknown tool '", name->get<std::string>().substr(0, 80),
                                "'; tools are inspect, predict, explain, advise, run and diff")));
  }
  const auto arguments = params.find("arguments");
  Result<ToolRequest> request =
      parse_arguments(*tool, arguments == params.end() ? json::object() : *arguments);
  if (!request) return send_text(message, {.text = request.error().message + "\n"}, true);
  if (!request->more.empty()) {
    const Result<Part> part = answers_.rest(request->more, request->tokens);
    if (!part) return send_text(message, {.text = part.error().message + "\n"}, true);
    return send_text(message, *part, false);
  }
  queue_.push_back({std::move(message), std::move(*request)});
}

// The request may be waiting or running; no answer is sent for it.
void Server::cancel(const Message& message) {
  const auto id = message.params.find("requestId");
  if (id == message.params.end()) return;
  std::erase_if(queue_, [&](const ToolCall& call) { return call.message.id == *id; });
  if (current_ && current_->message.id == *id) {
    running_.reset();
    current_.reset();
  }
}

void Server::answer(const Message& message) {
  if (!message.id) {
    if (message.method == "notifications/cancelled") cancel(message);
    return;
  }
  if (const std::optional<json> problem = check_version(message)) return send(*problem);
  if (message.method == "tools/call") return call_tool(message);
  if (message.method == "tools/list") {
    json list = json::array();
    for (const Tool& tool : tools()) list.push_back(description_of(tool));
    return send(result_of(message, {{"tools", list}}, options_.version));
  }
  if (message.method == "initialize") return send(initialized(message, options_.version));
  if (message.method == "server/discover") return send(discovered(message, options_.version));
  if (message.method == "ping") return send(result_of(message, json::object(), options_.version));
  send(error_of(message.id, kMethodNotFound,
                concat("burin has no method '", message.method.substr(0, 80), "'")));
}

void Server::take(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  const ParsedMessage parsed = parse_message(line);
  if (parsed.message) {
    answer(*parsed.message);
  } else if (!parsed.problem.is_null()) {
    send(parsed.problem);
  }
}

void Server::take_lines() {
  while (std::optional<LineReader::Line> line = lines_.next()) {
    if (line->too_long) {
      send(error_of(std::nullopt, kInvalidRequest, "a message is longer than 4 MiB"));
    } else {
      take(line->text);
    }
  }
}

void Server::start_next() {
  if (running_ || queue_.empty()) return;
  current_ = std::move(queue_.front());
  queue_.pop_front();
  Result<std::unique_ptr<Call>> call =
      Call::start([&] { return options_.run(current_->request.words); }, options_.limit_seconds);
  if (!call) {
    send_text(current_->message, {.text = call.error().message + "\n"}, true);
    current_.reset();
    return;
  }
  running_ = std::move(*call);
}

void Server::finish_running() {
  if (!running_ || !running_->has_ended()) return;
  const Call::Ending& ending = running_->ending();
  const Part part =
      answers_.first(answer_text(ending, options_.limit_seconds), current_->request.tokens);
  send_text(current_->message, part, is_failure(ending));
  running_.reset();
  current_.reset();
}

void Server::wait() {
  std::vector<pollfd> all;
  if (running_) all = running_->descriptors();
  if (!lines_.ended()) all.push_back({lines_.descriptor(), POLLIN, 0});
  ::poll(all.data(), all.size(), running_ ? running_->wait_milliseconds() : -1);
  for (const pollfd& each : all) {
    if (each.fd == lines_.descriptor() && each.revents != 0 && !lines_.ended()) lines_.receive();
  }
  if (running_) running_->receive();
}

Result<void> Server::serve() {
  while (!reader_gone_) {
    take_lines();
    finish_running();
    start_next();
    if (lines_.ended() && !running_ && queue_.empty()) break;
    if (!reader_gone_) wait();
  }
  return {};
}

}  // namespace

Result<void> serve_mcp(const ServerOptions& options, int input, int output) {
  return Server(options, input, output).serve();
}

}  // namespace burin::mcp
