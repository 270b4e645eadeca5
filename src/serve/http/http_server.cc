#include "serve/http/http_server.h"

#include <httplib.h>

#include <chrono>
#include <thread>

namespace burin::serve {
namespace {

constexpr int kMaxSeconds = 5;  // to send a request, or to take an answer
constexpr std::size_t kThreads = 8;

Request request_of(const httplib::Request& from) {
  Request request{.method = from.method,
                  .path = from.path,
                  .name = from.get_param_value("name"),
                  .host = from.get_header_value("Host"),
                  .origin = from.get_header_value("Origin"),
                  .fetch_site = from.get_header_value("Sec-Fetch-Site")};
  // A second Host may be meant for somebody else.
  if (from.get_header_value_count("Host") > 1) request.host.clear();
  return request;
}

void send(const Answer& answer, httplib::Response& to) {
  to.status = answer.status;
  to.set_header("X-Content-Type-Options", "nosniff");
  to.set_header("X-Frame-Options", "DENY");
  to.set_header("Referrer-Policy", "no-referrer");
  to.set_header("Cross-Origin-Resource-Policy", "same-origin");
  to.set_header("Cache-Control", "no-store");
  if (!answer.policy.empty()) to.set_header("Content-Security-Policy", answer.policy);
  to.set_content(answer.body, answer.type);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) std::string burin_http_listen(
    const Listening& listening, const std::function<Answer(const Request&)>& answer,
    const std::function<void(int port)>& ready, const std::atomic<bool>& stop) {
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_payload_max_length(0);  // nothing is taken
  server.set_read_timeout(kMaxSeconds, 0);
  server.set_write_timeout(kMaxSeconds, 0);
  server.set_keep_alive_max_count(50);
  // Every request comes here first, whatever its method and path.
  server.set_pre_routing_handler([&](const httplib::Request& from, httplib::Response& to) {
    send(answer(request_of(from)), to);
    return httplib::Server::HandlerResponse::Handled;
  });
  const int port = listening.port == 0 ? server.bind_to_any_port(listening.host)
                   : server.bind_to_port(listening.host, listening.port) ? listening.port
                                                                         : -1;
  if (port < 0) {
    return "cannot listen on " + listening.host + ":" + std::to_string(listening.port) +
           ": the port is in use, or not allowed; choose another with --port";
  }
  std::jthread waits([&](const std::stop_token& ended) {
    while (!stop && !ended.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    server.stop();
  });
  ready(port);
  server.listen_after_bind();
  return {};
}

}  // namespace burin::serve
