// Which requests are answered at all. A page on the internet can make a browser send requests to
// this computer, under any name that its owner lets point here: so only requests that name this
// server, and that none but its own pages made, are answered.
//
//   refusal_of({.method = "GET", .host = "evil.example:8000"}, {"127.0.0.1", 8000})
//   // "this server answers requests for 127.0.0.1:8000 only"
#pragma once

#include <optional>
#include <string>

#include "serve/http/http_server.h"

namespace burin::serve {

// Returns the sentence with which the request is refused; empty if it is to be answered.
std::optional<std::string> refusal_of(const Request& request, const Listening& listening);

}  // namespace burin::serve
