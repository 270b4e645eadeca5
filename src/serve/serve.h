// `burin serve`: captures, tuning sessions and reports as local pages, read-only.
//
//   serve({.path = "results"}, [](const std::string& address) { … "http://127.0.0.1:41234/" … },
//         stop);
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/result.h"

namespace burin::serve {

struct ServeOptions {
  std::string path;                // a folder, a capture, a session or a report
  std::string host = "127.0.0.1";  // reachable from this computer only
  int port = 0;                    // 0: any that is free
  std::string version;             // of burin
  std::string library;             // libburin_http.so; "": beside burin
};

// Serves until `stop`. Calls `ready` with the address once requests are accepted.
Result<void> serve(const ServeOptions& options,
                   const std::function<void(const std::string& address)>& ready,
                   const std::atomic<bool>& stop);

}  // namespace burin::serve
