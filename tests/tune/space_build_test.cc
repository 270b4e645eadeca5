// Spaces built from restrictions, against trying every configuration.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/format.h"
#include "tune/space/build_space.h"
#include "tune/space/diagram.h"

namespace burin::tune {
namespace {

using formula::Expression;
using formula::Names;

std::vector<formula::Value> numbers(std::initializer_list<std::int64_t> values) {
  return {values.begin(), values.end()};
}

std::vector<formula::Value> range(std::int64_t first, std::int64_t last) {
  std::vector<formula::Value> values;
  for (std::int64_t i = first; i <= last; ++i) values.emplace_back(i);
  return values;
}

std::vector<Expression> parse_all(const std::vector<std::string>& texts) {
  std::vector<Expression> expressions;
  for (const std::string& text : texts) expressions.push_back(*Expression::parse(text));
  return expressions;
}

Result<Space> build(std::vector<Parameter> parameters, const std::vector<std::string>& restrictions,
                    const Names& constants = {}) {
  return build_space(std::move(parameters), parse_all(restrictions), constants);
}

std::string error_of(std::vector<Parameter> parameters,
                     const std::vector<std::string>& restrictions, const Names& constants = {}) {
  const Result<Space> space = build(std::move(parameters), restrictions, constants);
  return space ? fmt::format("{} configurations", space->size()) : space.error().message;
}

// Every valid point in order, by trying them all; nullopt if a restriction has no value.
std::optional<std::vector<Point>> brute_force(const std::vector<Parameter>& parameters,
                                              const std::vector<Expression>& restrictions) {
  std::vector<Point> valid;
  Point point(parameters.size(), 0);
  while (true) {
    Names names;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      names[parameters[i].name] = parameters[i].values[point[i]];
    }
    bool all = true;
    for (const Expression& restriction : restrictions) {
      const Result<bool> holds = restriction.holds(names);
      if (!holds) return std::nullopt;
      all = all && *holds;
    }
    if (all) valid.push_back(point);
    std::size_t digit = parameters.size();
    while (digit > 0 && ++point[digit - 1] == parameters[digit - 1].values.size()) {
      point[--digit] = 0;
    }
    if (digit == 0) return valid;
  }
}

TEST(BuildSpace, KeepsWhatTheRestrictionsAllow) {
  const Result<Space> space = build({{"bx", numbers({16, 32, 64})}, {"by", numbers({1, 2, 4})}},
                                    {"bx * by <= limit"}, {{"limit", std::int64_t{64}}});
  ASSERT_TRUE(space);
  EXPECT_EQ(space->size(), 6U);
  EXPECT_EQ(space->product(), 9);
  EXPECT_EQ(describe(*space, space->at(5)), "bx=64, by=1");
  EXPECT_FALSE(space->contains({2, 1}));
}

TEST(BuildSpace, WithoutRestrictionsIsTheProduct) {
  const Result<Space> space = build({{"a", range(1, 10)}, {"b", range(1, 20)}}, {});
  EXPECT_EQ(space->size(), 200U);
  EXPECT_EQ(build({}, {})->size(), 1U);  // the configuration of nothing
}

TEST(BuildSpace, TextsAndBooleans) {
  const Result<Space> space = build({{"layout", {std::string("NHWC"), std::string("NCHW")}},
                                     {"wide", {false, true}},
                                     {"vector", numbers({1, 2, 4})}},
                                    {"layout == 'NHWC' or vector == 1", "wide or vector < 4"});
  EXPECT_EQ(space->size(), 7U);
}

TEST(BuildSpace, NamesMayBeDefined) {
  const std::vector<std::pair<std::string, Expression>> definitions = {
      {"threads", *Expression::parse("bx * by")},
      {"warps", *Expression::parse("ceildiv(threads, 32)")}};
  const std::vector<Parameter> parameters = {{"bx", range(1, 40)}, {"by", range(0, 40)}};
  const Result<Space> space =
      build_space(parameters, parse_all({"threads > 0", "warps == 2"}), {}, definitions);
  const Result<Space> same = build(parameters, {"bx * by > 0", "ceildiv(bx * by, 32) == 2"});
  ASSERT_TRUE(space);
  EXPECT_EQ(space->size(), same->size());
  EXPECT_EQ(
      build_space(parameters, parse_all({"96 % (threads - 4)"}), {}, definitions).error().message,
      "restriction: column 4: division by zero in \"96 % (threads - 4)\", with bx=1, by=4");
  EXPECT_EQ(build_space(parameters, parse_all({"warp == 2"}), {}, definitions).error().message,
            "restriction: column 1: \"warp\" has no value; did you mean warps? in \"warp == 2\"");
}

TEST(BuildSpace, RefusesWrongParameters) {
  EXPECT_EQ(error_of({{"a", {}}}, {}), "parameter a has no values");
  EXPECT_EQ(error_of({{"a", numbers({1})}, {"a", numbers({2})}}, {}),
            "there are two parameters named a");
  EXPECT_EQ(error_of({{"a", numbers({1, 2, 1})}}, {}), "parameter a has the value 1 twice");
  EXPECT_EQ(error_of({{"a", range(1, 65'537)}}, {}),
            "parameter a has 65,537 values; 65,536 is the maximum");
  EXPECT_EQ(error_of({{"a", range(1, 65'536)}}, {"a % 2 == 0"}), "32768 configurations");
  EXPECT_EQ(error_of({{"tile", numbers({1})}}, {"tle > 1"}),
            "restriction: column 1: \"tle\" has no value; did you mean tile? in \"tle > 1\"");
}

TEST(BuildSpace, ARestrictionWithoutValueIsAnError) {
  const std::vector<Parameter> parameters = {{"n", numbers({32, 64})}, {"d", numbers({2, 0})}};
  EXPECT_EQ(error_of(parameters, {"n % d == 0"}),
            "restriction: column 3: division by zero in \"n % d == 0\", with n=32, d=0");
  EXPECT_EQ(error_of(parameters, {"d > 0", "n % d == 0"}), "2 configurations");
  EXPECT_EQ(error_of(parameters, {"d > 0 and n % d == 0"}), "2 configurations");
  EXPECT_EQ(error_of(parameters, {"limit // 0 > 1"}, {{"limit", std::int64_t{3}}}),
            "restriction: column 7: division by zero in \"limit // 0 > 1\"");
  // The second part is decided by d, the first not before e: it guards all the same.
  EXPECT_EQ(error_of({{"d", numbers({0, 2})}, {"e", numbers({0, 1})}},
                     {"(d > 0 and e >= 0) and 8 % d == 0"}),
            "2 configurations");
  EXPECT_EQ(
      error_of({{"d", numbers({0, 2})}, {"e", numbers({0, 1})}}, {"e + d > 0 and 8 % d == 0"}),
      "restriction: column 17: division by zero in \"e + d > 0 and 8 % d == 0\", with d=0, e=1");
}

TEST(BuildSpace, GuardsAreRespectedWhateverTheOrder) {
  // Before b is chosen, 8 % a has no value for a = 0, and b == 1 keeps it from being needed.
  const Result<Space> space = build({{"a", numbers({0, 3, 4})}, {"b", numbers({1, 2})}},
                                    {"b == 1 or a != 0", "b == 1 or 8 % max(a, 1) == 0"});
  EXPECT_EQ(space->size(), 4U);
  EXPECT_EQ(error_of({{"a", numbers({0, 3, 4})}, {"b", numbers({1, 2})}},
                     {"b == 1 or a != 0 and 8 % a == 0"}),
            "4 configurations");
}

TEST(BuildSpace, NamesTheSmallestConflict) {
  const std::vector<Parameter> parameters = {
      {"a", range(1, 10)}, {"b", range(1, 10)}, {"c", range(1, 10)}};
  EXPECT_EQ(
      error_of(parameters, {"a < b", "b < c", "c >= 1", "b < a"}),
      "no configuration is valid: these restrictions contradict each other: \"a < b\", \"b < a\"");
  EXPECT_EQ(error_of(parameters, {"a < b", "b < c", "c < a", "a > 2"}),
            "no configuration is valid: these restrictions contradict each other: \"a < b\", "
            "\"b < c\", \"c < a\"");
  EXPECT_EQ(error_of(parameters, {"a < b", "c > 10", "b < a"}),
            "no configuration is valid: no values satisfy the restriction \"c > 10\"");
  EXPECT_EQ(error_of(parameters, {"a < b", "limit > 3"}, {{"limit", std::int64_t{3}}}),
            "no configuration is valid: no values satisfy the restriction \"limit > 3\"");
  // Both the first three and the last two are a conflict.
  EXPECT_EQ(
      error_of(parameters, {"a < b", "b < c", "c < a", "b < 3", "b > 5"}),
      "no configuration is valid: these restrictions contradict each other: \"b < 3\", \"b > 5\"");
  EXPECT_EQ(conflicting_restrictions(parameters, parse_all({"a < b"})), std::vector<std::size_t>{});
  EXPECT_EQ(error_of({}, {"1 > 2"}),
            "no configuration is valid: no values satisfy the restriction \"1 > 2\"");
}

TEST(BuildSpace, HugeSpacesWithLocalRestrictions) {
  std::vector<Parameter> parameters;
  std::vector<std::string> restrictions;
  for (int i = 0; i < 15; ++i) {
    parameters.push_back({fmt::format("p{}", i), range(0, 9)});
    if (i > 0) restrictions.push_back(fmt::format("p{} <= p{}", i - 1, i));
  }
  const Result<Space> space = build(parameters, restrictions);
  ASSERT_TRUE(space);
  EXPECT_EQ(space->product(), 1e15);
  EXPECT_EQ(space->size(), 1'307'504U);  // multisets of 15 out of 10: 24 choose 9
  for (const std::uint64_t index : {0U, 1U, 654'321U, 1'307'503U}) {
    EXPECT_EQ(space->index_of(space->at(index)), index);
  }
  // Without the order between halves: the product of two multisets of 7 and one of 8.
  restrictions.erase(restrictions.begin() + 6);  // p6 <= p7
  EXPECT_EQ(build(parameters, restrictions)->size(), 11'440U * 24'310U);
}

TEST(BuildSpace, ProductsShareNodes) {
  // One restriction of eight parameters: 10^8 prefixes, but few products below the limit.
  std::vector<Parameter> parameters;
  std::string product = "1";
  for (int i = 0; i < 8; ++i) {
    parameters.push_back({fmt::format("p{}", i), range(1, 10)});
    product += fmt::format(" * p{}", i);
  }
  const Result<Space> space = build(parameters, {product + " == 5040"});
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_GT(space->size(), 10'000U);
}

TEST(BuildSpace, RefusesWhatDoesNotFit) {
  // A restriction that no prefix decides, and in which no two prefixes are alike.
  std::vector<Parameter> parameters;
  std::string sum = "last";
  for (int i = 0; i < 9; ++i) {
    parameters.push_back({fmt::format("p{}", i), range(0, 9)});
    sum += fmt::format(" + 10 ** {} * p{}", i, i);
  }
  parameters.push_back({"last", range(0, 9)});
  const Diagram diagram = build_diagram(parameters, parse_all({sum + " > 5"}), {}, 1'000'000);
  ASSERT_TRUE(diagram.failure);
  EXPECT_EQ(diagram.failure->kind, Diagram::Failure::Kind::kSize);
  EXPECT_NE(diagram.failure->error.message.find("10 parameters is too large to be built in 4 MB"),
            std::string::npos);
}

// A random restriction over some of the parameters.
std::string random_restriction(std::mt19937& random, std::size_t parameters) {
  const auto name = [&] { return fmt::format("p{}", random() % parameters); };
  const auto number = [&] { return random() % 8; };
  switch (random() % 10) {
    case 0:
      return fmt::format("{} * {} <= {}", name(), name(), number() + 4);
    case 1:
      return fmt::format("{} % {} == {}", name(), number() + 1, number() % 2);
    case 2:
      return fmt::format("{} < {} + {}", name(), name(), number());
    case 3:
      return fmt::format("{} == {} or {} + {} > {} * {}", name(), number(), name(), name(), name(),
                         number());
    case 4:
      return fmt::format("{} <= {} * {} + {} <= {}", number() % 2, name(), name(), name(),
                         4 * number() + 8);
    case 5:
      return fmt::format("{} in [1, {}, {}] and {} != {}", name(), name(), number(), name(),
                         number());
    case 6:
      return fmt::format("{} if {} > {} else {} < 5", name(), name(), number(), name());
    case 7:
      return fmt::format("{} == 0 or {} % {} < 3", name(), name(), name());  // may divide by zero
    case 8:
      return fmt::format("({} + {} / 2) * {} - {} // 3 < {}", name(), name(), name(), name(),
                         3 * number() + 3);
    default:
      return fmt::format("not ({} == {} and {} == {})", name(), number(), name(), name());
  }
}

TEST(BuildSpace, HasWhatTryingEverythingFinds) {
  std::mt19937 random(5);
  int built = 0;
  int empty = 0;
  int failed = 0;
  for (int round = 0; round < 600; ++round) {
    const std::size_t count = 1 + random() % 5;
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t first = static_cast<std::int64_t>(random() % 3);
      parameters.push_back(
          {fmt::format("p{}", i), range(first, first + static_cast<std::int64_t>(random() % 6))});
      std::ranges::shuffle(parameters.back().values, random);
    }
    std::vector<std::string> texts;
    for (std::size_t i = random() % 6; i > 0; --i)
      texts.push_back(random_restriction(random, count));
    const std::vector<Expression> restrictions = parse_all(texts);
    const std::optional<std::vector<Point>> points = brute_force(parameters, restrictions);
    const Result<Space> space = build_space(parameters, restrictions);
    const std::string context = fmt::format("round {}: {}", round, fmt::join(texts, "; "));
    if (!points) {  // somewhere a restriction has no value; others may exclude it before
      failed += space ? 0 : 1;
      continue;
    }
    if (points->empty()) {
      ++empty;
      ASSERT_FALSE(space) << context;
      // The set is a conflict, and none of it can be spared.
      const std::vector<std::size_t> conflict = conflicting_restrictions(parameters, restrictions);
      ASSERT_FALSE(conflict.empty()) << context;
      for (std::size_t spared = 0; spared <= conflict.size(); ++spared) {
        std::vector<Expression> some;
        for (std::size_t i = 0; i < conflict.size(); ++i) {
          if (i != spared) some.push_back(restrictions[conflict[i]]);
        }
        ASSERT_EQ(brute_force(parameters, some)->empty(), spared == conflict.size()) << context;
      }
      continue;
    }
    ++built;
    ASSERT_TRUE(space) << context << "\n" << space.error().message;
    ASSERT_EQ(space->size(), points->size()) << context;
    const Space listed = Space::of_points(parameters, *points);
    ASSERT_EQ(listed.size(), points->size());
    for (std::size_t i = 0; i < points->size(); ++i) {
      ASSERT_EQ(space->at(i), (*points)[i]) << context;
      ASSERT_EQ(listed.at(i), (*points)[i]) << context;
      ASSERT_EQ(space->index_of((*points)[i]), i) << context;
    }
    for (int i = 0; i < 50; ++i) {
      Point point;
      for (const Parameter& parameter : parameters) {
        point.push_back(static_cast<std::uint16_t>(random() % (parameter.values.size() + 1)));
      }
      const bool valid = std::ranges::binary_search(*points, point);
      ASSERT_EQ(space->contains(point), valid) << context;
      ASSERT_EQ(listed.contains(point), valid) << context;
    }
  }
  EXPECT_GT(built, 200);
  EXPECT_GT(empty, 20);
  EXPECT_GT(failed, 10);
}

}  // namespace
}  // namespace burin::tune
