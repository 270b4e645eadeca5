// Does `burin serve` survive whatever is sent to it?
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>

#include "app/command.h"

namespace burin::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// burin serve, as a process of its own; ended with the object.
class Served {
 public:
  explicit Served(const std::string& path) {
    const std::string command = "exec \"$BURIN\" serve " + path + " 2>&1";
    int ends[2];
    if (::pipe(ends) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      ::setenv("BURIN", BURIN_BINARY, 1);
      if (::chdir(BURIN_SOURCE_DIR) != 0) ::_exit(1);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(1);
    }
    ::close(ends[1]);
    std::FILE* out = ::fdopen(ends[0], "r");
    char line[4096] = "";
    if (std::fgets(line, sizeof line, out) != nullptr) first_ = line;
    std::fclose(out);
    const std::size_t at = first_.find("http://127.0.0.1:");
    if (at != std::string::npos) port_ = std::atoi(first_.c_str() + at + 17);
  }
  ~Served() {
    if (child_ > 0) ::kill(child_, SIGTERM);
    int status = 0;
    if (child_ > 0) ::waitpid(child_, &status, 0);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  const std::string& first() const { return first_; }
  int port() const { return port_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

  // Sends these bytes and returns the beginning of what comes back; `patience` in milliseconds.
  std::string send(const std::string& bytes, int patience = 2000) const {
    const int to = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (::connect(to, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      pollfd waits{to, POLLIN, 0};
      char buffer[4096];
      while (answer.size() < 4096 && ::poll(&waits, 1, patience) > 0) {
        const ssize_t got = ::recv(to, buffer, sizeof buffer, 0);
        if (got <= 0) break;
        answer.append(buffer, static_cast<std::size_t>(got));
      }
    }
    ::close(to);
    return answer;
  }
  std::string get(const std::string& target) const {
    return send("GET " + target + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n\r\n");
  }

 private:
  pid_t child_ = -1;
  std::string first_;
  int port_ = 0;
};

constexpr const char* kServedFolder = "tests/data/capture";

TEST(Serve, ListsAndShows) {
  const Served served(kServedFolder);
  if (served.port() == 0) GTEST_SKIP() << served.first();
  EXPECT_THAT(served.get("/"), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(served.get("/view?name=h200%2Fspmv_vector.burin"), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(served.get("/view?name=..%2F..%2FREADME.md"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(served.get("/../../../etc/passwd"), testing::Not(HasSubstr("root:")));
  EXPECT_THAT(served.send("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 403"));
}

TEST(Serve, SurvivesAThousandMalformedRequests) {
  const Served served(kServedFolder);
  if (served.port() == 0) GTEST_SKIP() << served.first();
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % n; };
  const std::string host = "Host: " + served.host() + "\r\n";
  const std::string whole = "GET /view?name=vector_add.v1.burin HTTP/1.1\r\n" + host + "\r\n";
  const std::vector<std::string> made{
      "",
      "\r\n\r\n",
      std::string(3000, 'A'),
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n" + host + "\r\n",
      "GET /view?name=" + std::string(7000, '%') + " HTTP/1.1\r\n" + host + "\r\n",
      "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n" + host + "\r\n",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\nx",
      "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\nx",
      "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
      "GET / HTTP/1.1\r\n" + host + "Range: bytes=0-1,5-2,-9999999999999999999\r\n\r\n",
      "GET / HTTP/1.1\r\n" + host + std::string(5000, 'x') + ": y\r\n\r\n",
      std::string("GET /\0\0\0 HTTP/1.1\r\n", 19) + host + "\r\n",
      "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n" + host + "\r\n"};
  for (int k = 0; k < 1000; ++k) {
    std::string bytes =
        k < static_cast<int>(made.size()) ? made[static_cast<std::size_t>(k)] : whole;
    if (k >= static_cast<int>(made.size())) {
      for (std::size_t change = 1 + below(6); change > 0; --change) {
        const std::size_t at = below(bytes.size());
        switch (below(4)) {
          case 0:
            bytes[at] = static_cast<char>(below(256));
            break;
          case 1:
            bytes.erase(at, 1 + below(8));
            break;
          case 2:
            bytes.insert(at, std::string(1 + below(40), static_cast<char>(below(256))));
            break;
          default:
            bytes.resize(at + 1);
        }
        if (bytes.empty()) bytes = "G";
      }
    }
    served.send(bytes, 4);
  }
  EXPECT_THAT(served.get("/"), StartsWith("HTTP/1.1 200 OK"));
}

TEST(Serve, RefusesInASentence) {
  const Ran ran = burin("serve README.md");
  EXPECT_NE(ran.status, 0);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
}

}  // namespace
}  // namespace burin::test
