#include "serve/serve.h"

#include <dlfcn.h>

#include <filesystem>

#include "report/html/page.h"
#include "serve/answers.h"

namespace burin::serve {
namespace {

constexpr const char* kLibrary = "libburin_http.so";

struct HttpLibrary {
  ListenFunction* listen = nullptr;
};

Result<HttpLibrary> open_server(const std::string& named) {
  std::error_code ignored;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<std::filesystem::path> places{here / kLibrary, here / "../lib/burin" / kLibrary};
  if (!named.empty()) places = {named};
  for (const std::filesystem::path& place : places) {
    void* const handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      if (!std::filesystem::exists(place, ignored)) continue;
      return Error{std::string("the HTTP server cannot be loaded: ") + ::dlerror()};
    }
    if (void* const symbol = ::dlsym(handle, "burin_http_listen")) {
      return HttpLibrary{reinterpret_cast<ListenFunction*>(symbol)};
    }
  }
  return Error{
      "libburin_http.so not found beside burin or in ../lib/burin: this build leaves the server "
      "out; install libcpp-httplib-dev and build again, or use --html"};
}

}  // namespace

Result<void> serve(const ServeOptions& options,
                   const std::function<void(const std::string& address)>& ready,
                   const std::atomic<bool>& stop) {
  if (Result<void> built = report::check_pages(); !built) return built;
  const Result<Shelf> shelf = Shelf::open(options.path);
  if (!shelf) return shelf.error();
  const Result<HttpLibrary> http = open_server(options.library);
  if (!http) return http.error();
  Site site{.shelf = *shelf,
            .listening = {.host = options.host, .port = options.port},
            .version = options.version};
  const std::string problem = http->listen(
      site.listening, [&](const Request& request) { return answer(site, request); },
      [&](int port) {
        site.listening.port = port;
        ready("http://" + options.host + ":" + std::to_string(port) + "/");
      },
      stop);
  if (!problem.empty()) return Error{problem, Exit::kUsage};
  return {};
}

}  // namespace burin::serve
