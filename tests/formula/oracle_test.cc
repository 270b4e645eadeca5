// Random expressions, evaluated here, by Python and by C++ that to_cpp() wrote.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include "base/child.h"
#include "base/format.h"
#include "base/temporary_folder.h"
#include "formula/evaluator.h"
#include "formula/expression.h"
#include "formula/node.h"
#include "random_expression.h"

namespace burin::formula {
namespace {

struct Sample {
  std::string text;
  Expression expression;
  std::int64_t a = 0;
  std::int64_t b = 0;
  double x = 0;
  Result<Value> value = Error{""};
};

std::vector<Sample> random_samples(std::uint32_t seed, std::size_t count) {
  RandomExpression random(seed);
  std::vector<Sample> samples;
  while (samples.size() < count) {
    Sample sample;
    sample.text = random.text(5);
    const Result<Expression> parsed = Expression::parse(sample.text);
    if (!parsed) continue;
    sample.expression = *parsed;
    sample.a = static_cast<std::int64_t>(random.below(40)) - 12;
    sample.b = static_cast<std::int64_t>(random.below(12)) - 2;
    sample.x = 0.25 * random.below(20) - 1.5;
    sample.value = parsed->evaluate({{"a", sample.a}, {"b", sample.b}, {"x", sample.x}});
    samples.push_back(std::move(sample));
  }
  return samples;
}

bool refused_here_alone(const std::string& message) {
  return message.find("64 bits") != std::string::npos ||
         message.find("no real value") != std::string::npos;  // Python's would be complex
}

// The same number but for rounding of the last digits, which powers may have.
bool close_to(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-12 * std::abs(a);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Oracle, PythonHasTheSameValues) {
  const std::string python = find_program("python3", {});
  if (python.empty()) GTEST_SKIP() << "python3 is missing";
  const std::vector<Sample> samples = random_samples(11, 4000);
  std::string input =
      "import math\n"
      "from math import ceil, floor, sqrt, log2\n"
      "def ceildiv(a, b):\n"
      "  return -((-a) // b) if isinstance(a, int) and isinstance(b, int) else ceil(a / b)\n"
      "def check(text, a, b, x):\n"
      "  try:\n"
      "    value = eval(text)\n"
      "    if isinstance(value, complex): print('error complex')\n"
      "    elif abs(value) > 2**63 and isinstance(value, int): print('large')\n"
      "    else: print(type(value).__name__, repr(float(value)))\n"
      "  except Exception as e: print('error', type(e).__name__)\n";
  for (const Sample& sample : samples) {
    // Powers of powers would keep Python busy for long.
    if (!sample.value && refused_here_alone(sample.value.error().message)) {
      input += "print('skipped')\n";
      continue;
    }
    input += fmt::format("check('''{}''', {}, {}, {:.2f})\n", sample.expression.to_string(),
                         sample.a, sample.b, sample.x);
  }
  const Answer answer = run_program(python, {"-W", "ignore", "-"}, 120, input);
  ASSERT_TRUE(answer.ok()) << answer.text;
  const std::vector<std::string> lines = lines_of(answer.text);
  ASSERT_EQ(lines.size(), samples.size());
  const std::map<std::string, std::size_t> kinds = {{"bool", 0}, {"int", 1}, {"float", 2}};
  std::size_t compared = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const std::string context = fmt::format("{}\na={} b={} x={}: python {}", sample.text, sample.a,
                                            sample.b, sample.x, lines[i]);
    if (lines[i] == "skipped") continue;
    std::istringstream line(lines[i]);
    std::string kind;
    std::string value;
    line >> kind >> value;
    if (!sample.value) {
      EXPECT_EQ(kind, "error") << context << "\n" << sample.value.error().message;
      continue;
    }
    if (kind == "error") {
      // Python computes all elements of a list first, and we stop at the one that is equal.
      if (sample.text.find(" in ") != std::string::npos) continue;
      // We take 8 / 2 for an integer, but nothing else that Python refuses.
      EXPECT_EQ(value, "TypeError") << context << "\n" << to_string(*sample.value);
      continue;
    }
    ++compared;
    ASSERT_TRUE(kinds.contains(kind)) << context;
    EXPECT_EQ(sample.value->index(), kinds.at(kind)) << context << "\n" << to_string(*sample.value);
    EXPECT_TRUE(close_to(*number(*sample.value), std::stod(value))) << context << "\n"
                                                                    << to_string(*sample.value);
  }
  EXPECT_GT(compared, samples.size() / 2);
}

TEST(Oracle, WrittenCppHasTheSameValues) {
  std::string compiler = find_program("g++", {});
  if (compiler.empty()) compiler = find_program("clang++", {});
  if (compiler.empty()) GTEST_SKIP() << "no C++ compiler";
  std::string program = std::string(cpp_prelude()) +
                        "#include <cstdio>\n"
                        "template <typename T> void print(T v) {\n"
                        "  std::printf(\"%.17g\\n\", static_cast<double>(v));\n"
                        "}\n";
  std::string body;
  std::vector<Sample> samples;
  for (Sample& sample : random_samples(23, 600)) {
    if (!sample.value || std::abs(*number(*sample.value)) > 9e15) continue;  // rounded to a double
    const std::size_t index = samples.size();
    program += fmt::format(
        "void f{}() {{\n  [[maybe_unused]] std::int64_t a = {}, b = {};\n  [[maybe_unused]] double "
        "x = {:.2f};\n  print({});\n}}\n",
        index, sample.a, sample.b, sample.x, sample.expression.to_cpp());
    body += fmt::format("  f{}();\n", index);
    samples.push_back(std::move(sample));
  }
  ASSERT_GT(samples.size(), 300U);
  program += "int main() {\n" + body + "}\n";
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string binary = folder->path() + "/expressions";
  const Answer compiled = run_program(
      compiler, {"-std=c++20", "-O0", "-ffp-contract=off", "-x", "c++", "-", "-o", binary}, 300,
      program);
  ASSERT_TRUE(compiled.ok()) << compiled.text;
  const Answer answer = run_program(binary, {}, 60);
  ASSERT_TRUE(answer.ok()) << answer.text;
  const std::vector<std::string> lines = lines_of(answer.text);
  ASSERT_EQ(lines.size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_TRUE(close_to(*number(*samples[i].value), std::stod(lines[i])))
        << samples[i].text << "\na=" << samples[i].a << " b=" << samples[i].b
        << " x=" << samples[i].x << "\n"
        << samples[i].expression.to_cpp() << "\n"
        << to_string(*samples[i].value) << " against " << lines[i];
  }
}

TEST(Cpp, ReadsLikeCpp) {
  const auto cpp = [](const char* text) { return Expression::parse(text)->to_cpp(); };
  EXPECT_EQ(cpp("bx * by <= 1024"), "(bx * by) <= 1024LL");
  EXPECT_EQ(cpp("a < 2 and not b"), "(a < 2LL) && (!(b != 0))");
  EXPECT_EQ(cpp("not (a or b)"), "!((a != 0) || (b != 0))");
  EXPECT_EQ(cpp("a or b"), "a != 0 ? a : b");
  EXPECT_EQ(cpp("1 <= a < 4"), "1LL <= a && (a < 4LL)");
  EXPECT_EQ(cpp("(n + bx - 1) // bx"), "burin_expression::floor_divide((n + bx) - 1LL, bx)");
  EXPECT_EQ(cpp("layout in ['a\"', 2]"),
            "layout == (std::string_view(\"a\\042\", 2)) || layout == 2LL");
  EXPECT_EQ(cpp("(a < b) * 4"), "(std::int64_t{a < b}) * 4LL");
}

}  // namespace
}  // namespace burin::formula
