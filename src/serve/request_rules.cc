#include "serve/request_rules.h"

#include <algorithm>
#include <vector>

namespace burin::serve {
namespace {

// As a browser writes the address of this server.
std::vector<std::string> own_names(const Listening& listening) {
  const std::string port = ":" + std::to_string(listening.port);
  std::vector<std::string> names;
  for (const std::string& host :
       {listening.host, std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]")}) {
    names.push_back(host + port);
    if (listening.port == 80) names.push_back(host);
  }
  return names;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

std::optional<std::string> refusal_of(const Request& request, const Listening& listening) {
  if (request.method != "GET" && request.method != "HEAD") {
    return "this server is read-only: it answers GET and HEAD";
  }
  const std::vector<std::string> names = own_names(listening);
  if (std::ranges::find(names, lower(request.host)) == names.end()) {
    return "this server answers requests for " + names.front() + " only";
  }
  if (!request.origin.empty()) {
    const bool own = std::ranges::any_of(
        names, [&](const std::string& name) { return lower(request.origin) == "http://" + name; });
    if (!own) return "this server answers its own pages only";
  }
  // "none": the user typed the address.
  const std::string& site = request.fetch_site;
  if (!site.empty() && site != "same-origin" && site != "none") {
    return "this server answers its own pages only";
  }
  return std::nullopt;
}

}  // namespace burin::serve
