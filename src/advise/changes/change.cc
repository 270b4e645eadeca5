#include "advise/changes/change.h"

namespace burin::advise {

bool combine(const Change& a, const Change& b) {
  if (a.family == b.family && a.place == b.place) return false;
  if (a.of_launch() && b.of_launch()) return false;
  // Coarsened PTX is made for one launch and differs from the source.
  if (!a.coarsenings.empty() || !b.coarsenings.empty()) return false;
  for (const TextEdit& one : a.edits) {
    for (const TextEdit& other : b.edits) {
      const bool apart =
          one.offset + one.length <= other.offset || other.offset + other.length <= one.offset;
      const bool same_place = one.offset == other.offset;
      if (!apart || (same_place && one != other)) return false;
    }
  }
  return true;
}

}  // namespace burin::advise
