#include "formula/rational/occupancy.h"

#include <cassert>

#include "base/concat.h"

namespace burin::formula {
namespace {

Expression expression(const std::string& text) {
  Result<Expression> parsed = Expression::parse(text);
  assert(parsed.ok());
  return *parsed;
}

}  // namespace

std::vector<std::string> occupancy_inputs() {
  return {"schedulers",          "warps_per_sm",     "blocks_per_sm", "registers_per_sm",
          "registers_per_block", "register_granule", "shared_per_sm", "shared_per_block",
          "shared_granule",      "shared_reserved"};
}

std::vector<NamedExpression> occupancy_definitions(std::string_view registers,
                                                   std::string_view shared) {
  std::vector<NamedExpression> definitions;
  const auto define = [&](const char* name, const std::string& value) {
    definitions.push_back({name, expression(value)});
  };
  define("block_warps", "ceildiv(bx * by * bz, 32)");
  // Registers are given to warps, in granules, each from its scheduler's part of the file.
  define("warp_registers",
         concat("ceil((", registers, ") * 32 / register_granule) * register_granule"));
  define("by_registers",
         "registers_per_sm // schedulers // max(warp_registers, 1) * schedulers // block_warps if "
         "warp_registers > 0 else blocks_per_sm");
  // The launch check counts a full set of schedulers.
  define("fits", concat("warp_registers * ceil(block_warps / schedulers) * schedulers <= "
                        "registers_per_block and (",
                        shared, ") <= shared_per_block and bx * by * bz <= 1024"));
  define("block_shared",
         concat("ceil(((", shared, ") + shared_reserved) / shared_granule) * shared_granule"));
  define("by_shared",
         "shared_per_sm // max(block_shared, 1) if block_shared > 0 else blocks_per_sm");
  define("resident_blocks",
         "int(min(warps_per_sm // block_warps, blocks_per_sm, by_registers, by_shared)) if fits "
         "else 0");
  define("resident_warps", "resident_blocks * block_warps");
  return definitions;
}

Expression published_active_blocks() {
  return expression(
      "Bmax if T * Bmax <= 32 * Wmax and R * T * Bmax <= Rmax and Z * Bmax <= Zmax else "
      "32 * Wmax // T if 32 * Wmax <= T * Bmax and 32 * Wmax * R <= Rmax and "
      "32 * Wmax * Z <= Zmax * T else "
      "Rmax // (R * T) if Rmax <= R * T * Bmax and Rmax <= R * 32 * Wmax and "
      "Rmax * Z <= R * T * Zmax else "
      "Zmax // Z if Zmax <= Bmax * Z and Zmax * T <= 32 * Wmax * Z and "
      "Zmax * R * T <= Z * Rmax else 0");
}

Expression published_occupancy() {
  return expression("min(Bactive * T // 32, Wmax) / Wmax");
}

}  // namespace burin::formula
