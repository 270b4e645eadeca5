#include "serve/answers.h"

#include <functional>

#include "base/file.h"
#include "base/hash.h"
#include "report/capture/capture.h"
#include "report/html/capture_views.h"
#include "report/html/page.h"
#include "report/tune/session_json.h"
#include "serve/request_rules.h"

namespace burin::serve {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
// A report is code that anybody may have written: it runs apart from this server's own pages.
constexpr const char* kReportPolicy =
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:";

Answer sentence(int status, const std::string& text) {
  return {.status = status, .type = kPlain, .body = text + "\n"};
}

std::string encoded(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.';
    if (plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

std::string shelf_version(const Shelf& shelf) {
  std::string all;
  for (const ShelfItem& item : shelf.items()) all += item.name + '\n' + item.version() + '\n';
  return std::to_string(std::hash<std::string>()(all));
}

using WriteViews = std::function<void(report::Json&)>;

// A page of ours, which asks at `live` whether it has changed.
Answer page(const Site& site, const std::string& title, const std::string& live,
            const std::string& version, const WriteViews& write_views) {
  std::string data, text;
  report::Output data_out([&](std::string_view part) { return data += part, true; });
  report::Json json(data_out);
  json.open('{');
  json.field("schema", "burin.report/1");
  json.field("burin", site.version);
  json.field("live", live);
  json.field("version", version);
  json.open("views", '[');
  write_views(json);
  json.close();
  json.close();
  data_out.flush();
  report::Output out([&](std::string_view part) { return text += part, true; });
  report::write_page(out, title, data, {.is_served = true});
  out.flush();
  return {.body = std::move(text)};
}

void write_listing(report::Json& json, const Shelf& shelf) {
  json.open('[');
  json.open('{');
  json.field("schema", "burin.listing/1");
  json.field("folder", shelf.path());
  json.open("items", '[');
  for (const ShelfItem& item : shelf.items()) {
    json.open('{');
    json.field("name", item.name);
    json.field("kind", name(item.kind));
    json.field("bytes", item.bytes);
    json.field("modified_ms", item.modified_ns / 1'000'000);
    json.field("memory", item.has_memory);
    json.close();
  }
  json.close();
  json.close();
  json.close();
}

void write_capture(report::Json& json, const capture::Capture& capture) {
  report::CaptureReport report{
      .capture = capture, .launches = {}, .samples = capture.sample_counts()};
  for (const capture::CapturedLaunch& launch : capture.launches()) {
    report.launches.push_back(&launch);
  }
  report::write_capture_views(json, report, "");
}

Answer view(const Site& site, const ShelfItem& item) {
  const std::string live = "version?name=" + encoded(item.name);
  if (item.kind == ShelfItem::Kind::kCapture) {
    const Result<capture::Capture> capture = capture::Capture::open(item.path, item.name);
    if (!capture) return sentence(500, capture.error().message);
    return page(site, item.name, live, item.version(),
                [&](report::Json& json) { write_capture(json, *capture); });
  }
  if (item.kind == ShelfItem::Kind::kSession) {
    const Result<tune::Session> session = tune::Session::open(item.path);
    if (!session) return sentence(500, session.error().message);
    const Result<report::ReadSession> read = report::read_session(*session);
    if (!read) return sentence(500, read.error().message);
    return page(site, item.name, live, item.version(), [&](report::Json& json) {
      json.open('[');
      report::write_session_json(json, *read);
      json.close();
    });
  }
  return sentence(404, "there is no such view");
}

Answer report_file(const ShelfItem& item) {
  const Result<MappedFile> file = MappedFile::open(item.path);
  if (!file) return sentence(500, file.error().message);
  const Bytes bytes = file->bytes();
  return {.body = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
          .policy = kReportPolicy};
}

}  // namespace

Answer answer(const Site& site, const Request& request) {
  if (const auto refused = refusal_of(request, site.listening)) return sentence(403, *refused);
  const Shelf& shelf = site.shelf;
  if (request.path == "/version" && request.name.empty()) {
    return {.type = kPlain, .body = shelf_version(shelf)};
  }
  if (request.path == "/") {
    return page(site, "burin serve", "version", shelf_version(shelf),
                [&](report::Json& json) { write_listing(json, shelf); });
  }
  const std::optional<ShelfItem> item = shelf.find(request.name);
  if (!item) return sentence(404, "there is no such file");
  if (request.path == "/version") return {.type = kPlain, .body = item->version()};
  if (request.path == "/view") return view(site, *item);
  if (request.path == "/report" && item->kind == ShelfItem::Kind::kReport)
    return report_file(*item);
  return sentence(404, "there is no such page");
}

}  // namespace burin::serve
