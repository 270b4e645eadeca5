// Which requests does the server answer?
#include "serve/request_rules.h"

#include <gtest/gtest.h>

namespace burin::serve {
namespace {

const Listening kHere{.host = "127.0.0.1", .port = 8000};

bool is_answered(const Request& request) {
  return !refusal_of(request, kHere).has_value();
}

TEST(RequestRules, OwnPagesAreAnswered) {
  for (const char* host : {"127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"}) {
    EXPECT_TRUE(is_answered({.method = "GET", .path = "/", .host = host})) << host;
  }
  EXPECT_TRUE(is_answered({.method = "HEAD", .host = "localhost:8000"}));
  EXPECT_TRUE(is_answered({.method = "GET",
                           .host = "localhost:8000",
                           .origin = "http://localhost:8000",
                           .fetch_site = "same-origin"}));
  EXPECT_TRUE(is_answered({.method = "GET", .host = "127.0.0.1:8000", .fetch_site = "none"}));
}

TEST(RequestRules, AnotherNameForThisComputerIsRefused) {
  for (const char* host : {"", "evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001",
                           "127.0.0.1:8000.evil.example", "localhost", "localhost:80000"}) {
    EXPECT_FALSE(is_answered({.method = "GET", .host = host})) << host;
  }
}

TEST(RequestRules, OtherSitesAreRefused) {
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8000",
                             "http://127.0.0.1:9000", "http://127.0.0.1:8000.evil.example"}) {
    EXPECT_FALSE(is_answered({.method = "GET", .host = "127.0.0.1:8000", .origin = origin}))
        << origin;
  }
  for (const char* site : {"cross-site", "same-site", "unheard-of"}) {
    EXPECT_FALSE(is_answered({.method = "GET", .host = "127.0.0.1:8000", .fetch_site = site}))
        << site;
  }
}

TEST(RequestRules, NothingIsWritten) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "get", ""}) {
    EXPECT_FALSE(is_answered({.method = method, .host = "127.0.0.1:8000"})) << method;
  }
}

}  // namespace
}  // namespace burin::serve
