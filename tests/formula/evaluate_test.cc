// Values and errors of expressions.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "formula/evaluator.h"
#include "formula/expression.h"

namespace burin::formula {
namespace {

const Names kNames = {{"a", std::int64_t{7}},
                      {"b", std::int64_t{2}},
                      {"z", std::int64_t{0}},
                      {"x", 2.5},
                      {"t", true},
                      {"layout", std::string("NHWC")},
                      {"big", std::numeric_limits<std::int64_t>::max()},
                      {"low", std::numeric_limits<std::int64_t>::min()}};

std::string value_of(const std::string& text) {
  const Result<Expression> parsed = Expression::parse(text);
  if (!parsed) return parsed.error().message;
  const Result<Value> value = parsed->evaluate(kNames);
  return value ? to_string(*value) : value.error().message;
}

TEST(Evaluate, Arithmetic) {
  EXPECT_EQ(value_of("a + b * 3 - 1"), "12");
  EXPECT_EQ(value_of("a / b"), "3.5");
  EXPECT_EQ(value_of("8 / b"), "4.0");
  EXPECT_EQ(value_of("a // b"), "3");
  EXPECT_EQ(value_of("-a // b"), "-4");
  EXPECT_EQ(value_of("-a % b"), "1");
  EXPECT_EQ(value_of("a % -b"), "-1");
  EXPECT_EQ(value_of("a // x"), "2.0");
  EXPECT_EQ(value_of("-a % x"), "0.5");
  EXPECT_EQ(value_of("b ** 10"), "1024");
  EXPECT_EQ(value_of("b ** -1"), "0.5");
  EXPECT_EQ(value_of("(-2) ** 63"), "-9223372036854775808");
  EXPECT_EQ(value_of("-b ** 2"), "-4");
  EXPECT_EQ(value_of("1 << 10 | 3 ^ 1"), "1026");
  EXPECT_EQ(value_of("~a & 0xff"), "248");
  EXPECT_EQ(value_of("-1 >> 100"), "-1");
  EXPECT_EQ(value_of("0 << 100"), "0");
  EXPECT_EQ(value_of("1 << 8 / 2"), "16");  // a number without fraction is an integer
  EXPECT_EQ(value_of("t + t"), "2");
  EXPECT_EQ(value_of("t & (a > b)"), "True");
  EXPECT_EQ(value_of("low % -1"), "0");
  EXPECT_EQ(value_of("0x7fffffffffffffff == big"), "True");
}

TEST(Evaluate, Logic) {
  EXPECT_EQ(value_of("a and b"), "2");
  EXPECT_EQ(value_of("z or x"), "2.5");
  EXPECT_EQ(value_of("z and 1 / z"), "0");
  EXPECT_EQ(value_of("a or 1 / z"), "7");
  EXPECT_EQ(value_of("not layout"), "False");
  EXPECT_EQ(value_of("not ''"), "True");
  EXPECT_EQ(value_of("1 <= b < a"), "True");
  EXPECT_EQ(value_of("a < b < 1 / z"), "False");  // the rest is not looked at
  EXPECT_EQ(value_of("a == 7.0"), "True");
  EXPECT_EQ(value_of("t == 1"), "True");
  EXPECT_EQ(value_of("layout == 'NHWC'"), "True");
  EXPECT_EQ(value_of("layout < 'NZ'"), "True");
  EXPECT_EQ(value_of("layout == 1"), "False");
  EXPECT_EQ(value_of("layout != 1"), "True");
  EXPECT_EQ(value_of("layout in [1, 'NHWC']"), "True");
  EXPECT_EQ(value_of("a in [1, 2]"), "False");
  EXPECT_EQ(value_of("a not in [1, 2]"), "True");
  EXPECT_EQ(value_of("a in [7, 1 / z]"), "True");
  EXPECT_EQ(value_of("a in []"), "False");
  EXPECT_EQ(value_of("1 < b in [2]"), "True");
  EXPECT_EQ(value_of("3 < b in [2]"), "False");
  EXPECT_EQ(value_of("1 if a > b else 1 / z"), "1");
  EXPECT_EQ(value_of("a < b ? 1 / z : layout"), "\"NHWC\"");
}

TEST(Evaluate, Functions) {
  EXPECT_EQ(value_of("min(a, x, b)"), "2");
  EXPECT_EQ(value_of("max(a, x, 8.5)"), "8.5");
  EXPECT_EQ(value_of("max(7.0, a)"), "7.0");  // the first of equal ones
  EXPECT_EQ(value_of("max([a])"), "7");
  EXPECT_EQ(value_of("abs(-a) + abs(-x)"), "9.5");
  EXPECT_EQ(value_of("ceil(x) * 100 + floor(x) * 10 + round(x)"), "322");
  EXPECT_EQ(value_of("round(3.5)"), "4");
  EXPECT_EQ(value_of("int(-x)"), "-2");
  EXPECT_EQ(value_of("float(a)"), "7.0");
  EXPECT_EQ(value_of("sqrt(b + b)"), "2.0");
  EXPECT_EQ(value_of("log2(1024)"), "10.0");
  EXPECT_EQ(value_of("pow(b, 3)"), "8");
  EXPECT_EQ(value_of("ceildiv(a, b)"), "4");
  EXPECT_EQ(value_of("ceildiv(-a, b)"), "-3");
  EXPECT_EQ(value_of("ceildiv(a, x)"), "3");
}

TEST(Evaluate, ErrorsHaveAPosition) {
  EXPECT_EQ(value_of("a // z"), "column 3: division by zero in \"a // z\"");
  EXPECT_EQ(value_of("1 + a % z"), "column 7: division by zero in \"1 + a % z\"");
  EXPECT_EQ(value_of("a / 0.0"), "column 3: division by zero in \"a / 0.0\"");
  EXPECT_EQ(value_of("x % z"), "column 3: division by zero in \"x % z\"");
  EXPECT_EQ(value_of("z ** -1"), "column 3: division by zero in \"z ** -1\"");
  EXPECT_EQ(value_of("ceildiv(a, z)"), "column 1: division by zero in \"ceildiv(a, z)\"");
  EXPECT_EQ(value_of("a + layout"),
            "column 3: \"+\" needs numbers, not the text \"NHWC\" in \"a + layout\"");
  EXPECT_EQ(value_of("-layout"),
            "column 1: \"-\" needs a number, not the text \"NHWC\" in \"-layout\"");
  EXPECT_EQ(value_of("abs('x')"),
            "column 1: abs needs a number, not the text \"x\" in \"abs('x')\"");
  EXPECT_EQ(value_of("a < layout"),
            "column 3: \"<\" cannot compare 7 with the text \"NHWC\" in \"a < layout\"");
  EXPECT_EQ(value_of("min(a, layout)"),
            "column 1: min cannot compare 7 with the text \"NHWC\" in \"min(a, layout)\"");
  EXPECT_EQ(value_of("a << x"), "column 3: \"<<\" needs integers, not 2.5 in \"a << x\"");
  EXPECT_EQ(value_of("~x"), "column 1: \"~\" needs an integer, not 2.5 in \"~x\"");
  EXPECT_EQ(value_of("a << -b"),
            "column 3: \"<<\" by -2 bits: the count is negative in \"a << -b\"");
  EXPECT_EQ(value_of("sqrt(-a)"), "column 1: sqrt has no real value for -7 in \"sqrt(-a)\"");
  EXPECT_EQ(value_of("log2(z)"), "column 1: log2 has no real value for 0 in \"log2(z)\"");
  EXPECT_EQ(value_of("(-a) ** 0.5"),
            "column 6: \"**\" has no real value for -7 and 0.5 in \"(-a) ** 0.5\"");
  EXPECT_EQ(value_of("a * unknwn"),
            "column 5: \"unknwn\" has no value; known names are a, b, big, layout, low, t, x and z "
            "in \"a * unknwn\"");
  EXPECT_EQ(value_of("layuot"),
            "column 1: \"layuot\" has no value; did you mean layout? in \"layuot\"");
}

TEST(Evaluate, IntegersDoNotWrap) {
  for (const char* text :
       {"big + 1", "low - 1", "big * 2", "-low", "abs(low)", "low // -1", "1 << 63", "3 << 62",
        "2 ** 63", "10 ** 400", "ceildiv(low, -1)", "int(1e19)", "floor(1e300)", "1e300 ** 2"}) {
    EXPECT_NE(value_of(text).find("does not fit in 64 bits"), std::string::npos)
        << text << ": " << value_of(text);
  }
  EXPECT_EQ(value_of("-1 << 63"), "-9223372036854775808");
  EXPECT_EQ(value_of("big + 0"), "9223372036854775807");
}

TEST(Evaluate, IntegerAndNumberResults) {
  EXPECT_EQ(*Expression::parse("8 / b")->evaluate_integer(kNames), 4);
  EXPECT_EQ(Expression::parse("a / b")->evaluate_integer(kNames).error().message,
            "column 1: the value is 3.5, not an integer in \"a / b\"");
  EXPECT_EQ(*Expression::parse("a / b")->evaluate_number(kNames), 3.5);
  EXPECT_EQ(*Expression::parse("t")->evaluate_number(kNames), 1.0);
  EXPECT_EQ(Expression::parse("layout")->evaluate_number(kNames).error().message,
            "column 1: the value is \"NHWC\", not a number in \"layout\"");
  EXPECT_TRUE(*Expression::parse("layout")->holds(kNames));
  EXPECT_FALSE(*Expression::parse("z")->holds(kNames));
  EXPECT_EQ(*Expression().evaluate_integer({}), 0);
}

TEST(Evaluator, ReadsSlotsAndConstants) {
  const std::vector<std::string> slots = {"bx", "by"};
  Result<Evaluator> evaluator = Error{""};
  {
    const Result<Expression> parsed = Expression::parse("bx * by <= limit and kind == 'wide'");
    const Names constants = {{"limit", std::int64_t{256}},
                             {"kind", std::string("wide")},
                             {"bx", std::string("a slot goes first")}};
    evaluator = parsed->evaluator(slots, constants);
  }
  ASSERT_TRUE(evaluator);
  const Evaluator copy = *evaluator;
  EXPECT_TRUE(*copy.holds(std::vector<Value>{std::int64_t{32}, std::int64_t{8}}));
  EXPECT_FALSE(*copy.holds(std::vector<Value>{std::int64_t{32}, std::int64_t{9}}));
  EXPECT_FALSE(*copy.holds(std::vector<Scalar>{Scalar::of(std::int64_t{32}), Scalar::of(8.5)}));
  EXPECT_EQ(copy.holds(std::vector<Value>{std::string("x"), std::int64_t{9}}).error().message,
            "column 4: \"*\" needs numbers, not the text \"x\" in \"bx * by <= limit and kind == "
            "'wide'\"");
  EXPECT_EQ(Expression::parse("bx + bz")->evaluator(slots).error().message,
            "column 6: \"bz\" has no value; did you mean bx? in \"bx + bz\"");
}

TEST(Evaluator, DeepExpressionsHaveAStack) {
  std::string text = "a";
  for (int i = 0; i < 150; ++i) text = "1 + (" + text + ")";
  EXPECT_EQ(value_of(text), "157");
}

}  // namespace
}  // namespace burin::formula
