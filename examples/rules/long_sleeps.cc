// A rule of one's own for `burin advise --rules`: warps that sleep on purpose.
//
//   c++ -std=c++20 -shared -fPIC -I ../../src long_sleeps.cc -o liblong_sleeps.so
//   burin advise app.burin --rules ./liblong_sleeps.so
//
// It may use all that the headers of src/ declare; what it calls is found in burin itself.
#include "advise/load_rules.h"

namespace {

class LongSleeps final : public burin::advise::Rule {
  std::string_view id() const override { return "long-sleeps"; }
  std::string_view summary() const override { return "warps in __nanosleep()"; }

  std::vector<burin::advise::Match> match(const burin::advise::Case& c) const override {
    burin::advise::Match match;
    match.stalls = burin::advise::stalls_where(c, [](const burin::advise::BlamedStall& s) {
      return s.stall == burin::launch::Stall::kSleeping;
    });
    if (match.stalls.empty()) return {};
    match.text = "Warps sleep while they wait for others.";
    match.hint = "Sleep shorter, or wait at a barrier.";
    return {match};
  }
};

}  // namespace

extern "C" void burin_rules(int version, void* to,
                            void (*add)(void* to, const burin::advise::Rule* rule)) {
  static const LongSleeps rule;
  if (version == burin::advise::kRulesVersion) add(to, &rule);
}
