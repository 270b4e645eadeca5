// Is a baseline read as it was written, refused in words where it is broken, and do the gates count
// only what is new or worse?
#include "advise/compare/advice_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kDocument = R"({"schema":"burin.advise/1","kernel":"_Z1kPf","time_us":100.5,
 "resources":{"registers":32,"spills":0,"occupancy":0.5},"stalls":{"long_scoreboard":0.4},
 "findings":[{"rule":"coalescing","speedup":1.4,"where":{"file":"/src/a.cu","line":12,"offset":64},
  "fingerprint":"0123456789abcdef"},
 {"rule":"block-increase","speedup":1.1,"where":{"file":null,"line":null,"offset":null}}]})";

AdviceRecord record() {
  const Result<std::vector<AdviceRecord>> records = read_records(kDocument);
  EXPECT_TRUE(records) << records.error().message;
  return records->at(0);
}

std::vector<Crossing> crossed(const char* text, const AdviceRecord& now,
                              const std::vector<AdviceRecord>* baseline = nullptr) {
  const Result<Gate> gate = parse_gate(text, advise_measures());
  EXPECT_TRUE(gate) << text;
  return crossings({&*gate, 1}, {&now, 1}, baseline);
}

TEST(Records, HaveWhatTheGatesAskFor) {
  const AdviceRecord read = record();
  EXPECT_EQ(read.kernel, "_Z1kPf");
  EXPECT_EQ(read.measures.at("time"), 100.5);
  EXPECT_EQ(read.measures.at("registers"), 32);
  EXPECT_EQ(read.stalls.at("long_scoreboard"), 0.4);
  ASSERT_EQ(read.findings.size(), 2u);
  EXPECT_EQ(read.findings[0].file, "a.cu");
  EXPECT_EQ(read.findings[0].line, 12u);
  EXPECT_EQ(read.findings[1].line, 0u);
  const auto several = read_records("[" + kDocument + "," + kDocument + "]");
  ASSERT_TRUE(several);
  EXPECT_EQ(several->size(), 2u);
}

TEST(Records, RefuseWhatIsNone) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "is not valid JSON: line 1, column 1: "},
      {"{\n\"schema\":", "is not valid JSON: line 2, column 10: "},
      {"{}", "its schema is not burin.advise/1"},
      {"[1]", "its schema is not burin.advise/1"},
      {"\"x\"", "its schema is not burin.advise/1"},
      {R"({"schema":"burin.predict/1"})", "its schema is not burin.advise/1"},
      {R"({"schema":"burin.advise/1"})", "the kernel name is missing"},
      {R"({"schema":"burin.advise/1","kernel":7})", "the kernel name is missing"},
      {R"({"schema":"burin.advise/1","kernel":"k"})", "the findings are missing"},
      {R"({"schema":"burin.advise/1","kernel":"k","findings":[3]})", "a finding is not an object"},
      {R"({"schema":"burin.advise/1","kernel":"k","findings":[{"rule":"x"}]})",
       "lacks its rule or its speedup"},
  };
  for (const auto& [text, words] : cases) {
    const auto read = read_records(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(words));
    EXPECT_EQ(read.error().exit, Exit::kInput);
  }
}

// Whatever is broken in it, reading ends: with records or in a sentence.
TEST(Records, SurviveEveryDamage) {
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (std::size_t cut = 0; cut < kDocument.size(); ++cut) {
    EXPECT_FALSE(read_records(kDocument.substr(0, cut))) << cut;
    for (int k = 0; k < 8; ++k) {
      std::string damaged = kDocument;
      damaged[cut] = static_cast<char>(random());
      const auto read = read_records(damaged);
      if (read) continue;
      ++refused;
      EXPECT_FALSE(read.error().message.empty());
      EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(refused, 1000u);
  std::string deep(100000, '[');
  EXPECT_FALSE(read_records(deep));
}

TEST(Gates, CountFindingsAndNumbers) {
  const AdviceRecord now = record();
  EXPECT_THAT(crossed("speedup>1.3", now), SizeIs(1));
  EXPECT_THAT(crossed("speedup>1.4", now), IsEmpty());
  EXPECT_THAT(crossed("rule:block-increase", now), SizeIs(1));
  EXPECT_THAT(crossed("rule:block-increase>1.2", now), IsEmpty());
  EXPECT_THAT(crossed("findings>1", now), SizeIs(1));
  EXPECT_THAT(crossed("findings>2", now), IsEmpty());
  EXPECT_THAT(crossed("spills", now), IsEmpty());
  EXPECT_THAT(crossed("registers>31", now), SizeIs(1));
  EXPECT_THAT(crossed("occupancy<0.6", now), SizeIs(1));
  EXPECT_THAT(crossed("stall:long_scoreboard>0.3", now), SizeIs(1));
  EXPECT_THAT(crossed("stall:wait", now), IsEmpty());
  EXPECT_THAT(crossed("speedup>1.3", now)[0].sentence,
              HasSubstr("k(float*): coalescing has an estimated speedup of"));
}

TEST(Gates, AgainstABaselineOnlyWhatIsNewOrWorseCounts) {
  const std::vector<AdviceRecord> baseline = {record()};
  EXPECT_THAT(crossed("speedup>1.05", record(), &baseline), IsEmpty());
  EXPECT_THAT(crossed("time>50", record(), &baseline), IsEmpty());

  AdviceRecord moved = record();  // the line moved, its text did not change
  moved.findings[0].line = 40;
  EXPECT_THAT(crossed("speedup>1.05", moved, &baseline), IsEmpty());
  moved.findings[0].fingerprint = "other";  // now it is another place
  EXPECT_THAT(crossed("speedup>1.05", moved, &baseline), SizeIs(1));

  AdviceRecord worse = record();
  worse.findings[0].speedup = 1.5;
  worse.measures["time"] = 120;
  worse.measures["spills"] = 4;
  EXPECT_THAT(crossed("speedup>1.3", worse, &baseline), SizeIs(1));
  EXPECT_THAT(crossed("time>50", worse, &baseline), SizeIs(1));
  EXPECT_THAT(crossed("spills", worse, &baseline), SizeIs(1));
  EXPECT_THAT(crossed("findings", worse, &baseline), SizeIs(1));

  AdviceRecord unheard = record();
  unheard.kernel = "other";
  EXPECT_THAT(crossed("speedup>1.3", unheard, &baseline), SizeIs(1));
}

}  // namespace
}  // namespace burin::advise
