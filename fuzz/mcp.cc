// Lines that a client of `burin mcp` may send: parsed, checked, and turned into a command line.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>

#include "mcp/budget.h"
#include "mcp/messages.h"
#include "mcp/tools.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace burin;
  const std::string line(reinterpret_cast<const char*>(data), size);
  const mcp::ParsedMessage parsed = mcp::parse_message(line);
  if (parsed.message) {
    const nlohmann::json& params = parsed.message->params;
    (void)mcp::check_version(*parsed.message);
    const nlohmann::json arguments = params.value("arguments", nlohmann::json::object());
    for (const mcp::Tool& tool : mcp::tools()) {
      const Result<mcp::ToolRequest> request = mcp::parse_arguments(tool, arguments);
      if (request) assert(request->words.front() == tool.name);
    }
  }
  mcp::Answers answers;
  mcp::Part part = answers.first(line, 20);
  std::string whole = part.text;
  for (int k = 0; k < 100 && !part.more.empty(); ++k) {
    const Result<mcp::Part> next = answers.rest(part.more, 20);
    assert(next.ok() || whole.size() < line.size());
    if (!next) break;
    part = *next;
    whole += part.text;
  }
  assert(line.starts_with(whole));
  return 0;
}
