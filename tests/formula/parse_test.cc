// How texts are read: precedence, spellings, and what is said of wrong ones.
#include <gtest/gtest.h>

#include <string>

#include "formula/expression.h"
#include "formula/node.h"
#include "random_expression.h"

namespace burin::formula {
namespace {

std::string normal(const std::string& text) {
  const Result<Expression> parsed = Expression::parse(text);
  return parsed ? parsed->to_string() : parsed.error().message;
}

TEST(Parse, FollowsPythonsPrecedence) {
  EXPECT_EQ(normal("(a*b)+c"), "a * b + c");
  EXPECT_EQ(normal("a*(b+c)"), "a * (b + c)");
  EXPECT_EQ(normal("(a-b)-c"), "a - b - c");
  EXPECT_EQ(normal("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(normal("-(a**b)"), "-a ** b");
  EXPECT_EQ(normal("(-a)**b"), "(-a) ** b");
  EXPECT_EQ(normal("a**(b**c)"), "a ** b ** c");
  EXPECT_EQ(normal("(a**b)**c"), "(a ** b) ** c");
  EXPECT_EQ(normal("2**-1"), "2 ** -1");
  EXPECT_EQ(normal("(a&b)==c"), "a & b == c");  // otherwise than in C
  EXPECT_EQ(normal("not (a==b)"), "not a == b");
  EXPECT_EQ(normal("(not a)==b"), "(not a) == b");
  EXPECT_EQ(normal("!a==b"), "(not a) == b");
  EXPECT_EQ(normal("a or (b and c)"), "a or b and c");
  EXPECT_EQ(normal("(a or b) and c"), "(a or b) and c");
  EXPECT_EQ(normal("(a or b) or c"), "a or b or c");
  EXPECT_EQ(normal("(a < b) < c"), "(a < b) < c");
  EXPECT_EQ(normal("a < b < c"), "a < b < c");
  EXPECT_EQ(normal("a | (b ^ (c & (d << (e + 1))))"), "a | b ^ c & d << e + 1");
  EXPECT_EQ(normal("(a if b else c) if d else e"), "(a if b else c) if d else e");
  EXPECT_EQ(normal("a if b else (c if d else e)"), "a if b else c if d else e");
}

TEST(Parse, AcceptsBothSpellings) {
  EXPECT_EQ(normal("a && !b || c"), "a and not b or c");
  EXPECT_EQ(normal("c ? a : b"), "a if c else b");
  EXPECT_EQ(normal("a ? b : c ? d : e"), "b if a else d if c else e");
  EXPECT_EQ(normal("true or False"), "True or False");
  EXPECT_EQ(normal("0x1F + 0b11 + 1e3 + .5 + 5."), "31 + 3 + 1000.0 + 0.5 + 5.0");
  EXPECT_EQ(normal("layout == 'it\\'s \"x\"'"), "layout == \"it's \\\"x\\\"\"");
  EXPECT_EQ(normal("a in (1,2)"), "a in [1, 2]");
  EXPECT_EQ(normal("a not in {1,}"), "a not in [1]");
  EXPECT_EQ(normal("a in []"), "a in []");
  EXPECT_EQ(normal("pow(a+1, 2)"), "(a + 1) ** 2");
  EXPECT_EQ(normal("math.ceil(n/bx)"), "ceil(n / bx)");
  EXPECT_EQ(normal("max([a, b])"), "max(a, b)");
  EXPECT_EQ(normal("max + 1"), "max + 1");  // a name, since nothing is called
}

TEST(Parse, SaysWhereATextIsWrong) {
  EXPECT_EQ(normal("32 <= bx *"), "column 11: a value is missing after \"*\" in \"32 <= bx *\"");
  EXPECT_EQ(normal(""), "column 1: the expression is empty: a value is missing in \"\"");
  EXPECT_EQ(normal("* a"), "column 1: a value is missing before \"*\" in \"* a\"");
  EXPECT_EQ(normal("a + * b"),
            "column 5: a value is missing between \"+\" and \"*\" in \"a + * b\"");
  EXPECT_EQ(normal("2*(a + b"),
            "column 3: \")\" is missing: it would close the \"(\" here in \"2*(a + b\"");
  EXPECT_EQ(normal("(a b)"), "column 4: \")\" is missing before \"b\" in \"(a b)\"");
  EXPECT_EQ(normal("a)"), "column 2: \")\" closes nothing in \"a)\"");
  EXPECT_EQ(normal("a b"), "column 3: an operator is missing before \"b\" in \"a b\"");
  EXPECT_EQ(normal("a = b"), "column 3: \"=\" does not compare: write \"==\" in \"a = b\"");
  EXPECT_EQ(normal("a $ b"), "column 3: \"$\" has no meaning here in \"a $ b\"");
  EXPECT_EQ(normal("µ"), "column 1: \"µ\" has no meaning here in \"µ\"");
  EXPECT_EQ(normal("'µµ' + )"),
            "column 8: a value is missing between \"+\" and \")\" in \"'µµ' + )\"");
  EXPECT_EQ(normal("'abc"), "column 1: the text that starts here has no closing ' in \"'abc\"");
  EXPECT_EQ(normal("32x"), "column 1: \"32x\" is not a number in \"32x\"");
  EXPECT_EQ(normal("010"),
            "column 1: 010 starts with 0: write 10 for the decimal number in \"010\"");
  EXPECT_EQ(normal("9223372036854775808"),
            "column 1: 9223372036854775808 does not fit in 64 bits in \"9223372036854775808\"");
  EXPECT_EQ(normal("1e999"), "column 1: 1e999 is outside the range of a double in \"1e999\"");
  EXPECT_EQ(normal("flor(a)"),
            "column 1: there is no function flor; did you mean floor? in \"flor(a)\"");
  EXPECT_EQ(normal("ceildiv(a)"), "column 1: ceildiv needs 2 values, not 1 in \"ceildiv(a)\"");
  EXPECT_EQ(normal("min()"), "column 1: min needs at least one value in \"min()\"");
  EXPECT_EQ(normal("a in 3"),
            "column 6: \"in\" needs a list after it, such as [1, 2] in \"a in 3\"");
  EXPECT_EQ(normal("1 + [a]"),
            "column 5: a list is only allowed after \"in\", \"min\" and \"max\" in \"1 + [a]\"");
  EXPECT_EQ(normal("a in [[1]]"),
            "column 7: a list is only allowed after \"in\", \"min\" and \"max\" in \"a in [[1]]\"");
  EXPECT_EQ(normal("a + not b"),
            "column 5: \"not\" and its operand need parentheses here in \"a + not b\"");
  EXPECT_EQ(normal("a not b"), "column 7: \"in\" is missing after \"not\" in \"a not b\"");
  EXPECT_EQ(normal("a if b"), "column 7: \"else\" is missing after \"a if b\" in \"a if b\"");
  EXPECT_EQ(normal("a ? b"), "column 6: \":\" is missing after \"a ? b\" in \"a ? b\"");
}

TEST(Parse, LimitsNesting) {
  const std::string deep = std::string(100'000, '(') + "a" + std::string(100'000, ')');
  EXPECT_NE(normal(deep).find("column 201: the expression is nested more than 200 levels deep"),
            std::string::npos);
  EXPECT_LT(normal(deep).size(), 300U);  // of a long text a part is shown
  EXPECT_NE(normal(std::string(100'000, '-') + "a").find("nested more than"), std::string::npos);
  EXPECT_NE(normal(std::string(100'000, '[')).find("nested more than"), std::string::npos);
  std::string sum = "a";
  for (int i = 0; i < 100'000; ++i) sum += "+a";
  EXPECT_NE(normal(sum).find("more than 1000 operators depend on one another"), std::string::npos);
  std::string power = "2";
  for (int i = 0; i < 100'000; ++i) power += "**2";
  EXPECT_NE(normal(power).find("nested more than"), std::string::npos);
  std::string negations;
  for (int i = 0; i < 100'000; ++i) negations += "not ";
  EXPECT_NE(normal(negations + "a").find("nested more than"), std::string::npos);

  // Alternatives do not depend on one another: there may be many.
  std::string alternatives = "a == 0";
  for (int i = 1; i < 10'000; ++i) alternatives += " or a == " + std::to_string(i);
  EXPECT_EQ(normal(alternatives), alternatives);
}

TEST(Parse, PrintedFormGivesTheSameTree) {
  RandomExpression random(7);
  int parsed_count = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random.text(5);
    const Result<Expression> parsed = Expression::parse(text);
    if (!parsed) continue;  // such as "a < not b"
    ++parsed_count;
    const std::string printed = parsed->to_string();
    const Result<Expression> again = Expression::parse(printed);
    ASSERT_TRUE(again) << text << "\n" << printed << "\n" << again.error().message;
    ASSERT_TRUE(same_tree(parsed->root(), again->root())) << text << "\n" << printed;
    ASSERT_EQ(again->to_string(), printed);
    ASSERT_EQ(again->names().size(), parsed->names().size());
  }
  EXPECT_GT(parsed_count, 3000);
}

TEST(Parse, NamesInOrderOfAppearance) {
  EXPECT_EQ(Expression::parse("c if a else b + c * min(d, a)")->names(),
            (std::vector<std::string>{"c", "a", "b", "d"}));
  EXPECT_TRUE(Expression::parse("1 + 2")->names().empty());
}

TEST(Parse, UnknownNames) {
  const Result<Expression> parsed = Expression::parse("block_size_x * tle");
  const std::vector<std::string> known = {"block_size_x", "block_size_y", "tile"};
  EXPECT_EQ(parsed->check_names(known).error().message,
            "column 16: \"tle\" has no value; did you mean tile? in \"block_size_x * tle\"");
  EXPECT_EQ(Expression::parse("zzzz")->check_names(known).error().message,
            "column 1: \"zzzz\" has no value; known names are block_size_x, block_size_y and tile "
            "in \"zzzz\"");
  EXPECT_TRUE(Expression::parse("tile + 1")->check_names(known));
}

TEST(Parse, Conjuncts) {
  std::vector<std::string> parts;
  for (const Expression& part :
       Expression::parse("1 <= a < b and (c or d) and (e and f)")->conjuncts()) {
    parts.push_back(part.to_string());
    EXPECT_EQ(part.text(), "1 <= a < b and (c or d) and (e and f)");
  }
  EXPECT_EQ(parts, (std::vector<std::string>{"1 <= a", "a < b", "c or d", "e", "f"}));
}

TEST(Parse, NamesReplacedByDefinitions) {
  std::map<std::string, Expression, std::less<>> definitions;
  definitions.emplace("threads", *Expression::parse("bx * by"));
  const Result<Expression> replaced =
      Expression::parse("1024 % threads == 0")->replace_names(definitions);
  EXPECT_EQ(replaced->to_string(), "1024 % (bx * by) == 0");
  EXPECT_EQ(replaced->text(), "1024 % threads == 0");
  EXPECT_EQ(replaced->names(), (std::vector<std::string>{"bx", "by"}));

  Expression doubled = *Expression::parse("a + a");  // twice as large each time
  for (int i = 0; i < 30; ++i) {
    const Result<Expression> larger = Expression::parse("x + x")->replace_names({{"x", doubled}});
    if (!larger) {
      EXPECT_EQ(larger.error().message,
                "column 1: the expression is too large with its names written out in \"x + x\"");
      return;
    }
    doubled = *larger;
  }
  FAIL() << "an expression of a billion nodes";
}

}  // namespace
}  // namespace burin::formula
