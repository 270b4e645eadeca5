#include "report/html/page.h"

namespace burin::report {
namespace {

// Text in an element or an attribute.
void put_text(Output& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '<':
        out.put("&lt;");
        break;
      case '>':
        out.put("&gt;");
        break;
      case '&':
        out.put("&amp;");
        break;
      case '"':
        out.put("&quot;");
        break;
      default:
        out.put(c);
    }
  }
}

// JSON in a script element. Only "</script" and "<!--" would end or change the element.
void put_json(Output& out, std::string_view json) {
  while (!json.empty()) {
    const std::size_t next = json.find('<');
    out.put(json.substr(0, next));
    if (next == std::string_view::npos) return;
    out.put("\\u003c");
    json.remove_prefix(next + 1);
  }
}

}  // namespace

Result<void> check_pages() {
  if (!web_bundle().script.empty()) return {};
  return Error{
      "this build of burin leaves HTML reports out, because it was made without Node.js; "
      "install nodejs and npm and build again, or use --json",
      Exit::kUsage};
}

void write_page(Output& out, std::string_view title, std::string_view data, PageOptions options) {
  const WebBundle bundle = web_bundle();
  out.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  // The page loads nothing and runs no code but its own.
  out.put("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ",
          "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:",
          options.is_served ? "; connect-src 'self'" : "", "\">\n");
  out.put("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  put_text(out, title);
  out.put("</title>\n<style>", bundle.style, "</style>\n</head>\n<body>\n<div id=\"app\">",
          "<noscript>This report needs JavaScript.</noscript></div>\n",
          "<script type=\"application/json\" id=\"data\">");
  put_json(out, data);
  out.put("</script>\n<script>", bundle.script, "</script>\n</body>\n</html>\n");
}

}  // namespace burin::report
