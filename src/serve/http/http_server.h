// An HTTP server behind one function, in a library of its own (libburin_http.so): burin opens it at
// run time, so that only `burin serve` needs the libraries that it brings.
//
//   ListenFunction* listen = …;                       // burin_http_listen of the library
//   std::string problem = listen({.host = "127.0.0.1"}, answer, ready, stop);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace burin::serve {

struct Request {
  std::string method{};  // "GET"
  std::string path{};    // decoded: "/view"
  std::string name{};    // the parameter "name", decoded; "": none
  std::string host{};    // header fields; "": absent
  std::string origin{};
  std::string fetch_site{};  // Sec-Fetch-Site
};

struct Answer {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body{};
  std::string policy{};  // Content-Security-Policy; "": that of the page itself
};

struct Listening {
  std::string host;
  int port = 0;  // 0: any that is free
};

// Serves until `stop`. Calls `ready` with the port once requests are accepted. Returns "" or, in a
// sentence, why it could not listen. `answer` is called from several threads.
using ListenFunction = std::string(const Listening& listening,
                                   const std::function<Answer(const Request&)>& answer,
                                   const std::function<void(int port)>& ready,
                                   const std::atomic<bool>& stop);

}  // namespace burin::serve
