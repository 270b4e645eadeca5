#include "read/isa/special_register.h"

#include <array>
#include <string>

#include "base/format.h"

namespace burin::read {
namespace {

struct RegisterName {
  std::uint8_t number;
  std::uint16_t from_sm;
  std::uint16_t to_sm;
  std::string_view text;
};

constexpr RegisterName kRegisterNames[] = {
    {0x00, 0, 999, "SR_LANEID"},
    {0x01, 0, 999, "SR_CLOCK"},
    {0x02, 0, 999, "SR_VIRTCFG"},
    {0x03, 0, 999, "SR_VIRTID"},
    {0x0f, 0, 999, "SR_ORDERING_TICKET"},
    {0x10, 0, 999, "SR_PRIM_TYPE"},
    {0x11, 0, 999, "SR_INVOCATION_ID"},
    {0x12, 0, 999, "SR_Y_DIRECTION"},
    {0x13, 0, 999, "SR_THREAD_KILL"},
    {0x15, 0, 999, "SR_DIRECTCBEWRITEADDRESSLOW"},
    {0x16, 0, 999, "SR_DIRECTCBEWRITEADDRESSHIGH"},
    {0x17, 0, 999, "SR_DIRECTCBEWRITEENABLED"},
    {0x18, 0, 75, "SR_MACHINE_ID_0"},
    {0x18, 80, 999, "SR_SW_SCRATCH"},
    {0x19, 0, 999, "SR_MACHINE_ID_1"},
    {0x1a, 0, 999, "SR_MACHINE_ID_2"},
    {0x1b, 0, 999, "SR_MACHINE_ID_3"},
    {0x1c, 0, 999, "SR_AFFINITY"},
    {0x1d, 0, 999, "SR_INVOCATION_INFO"},
    {0x1e, 0, 999, "SR_WSCALEFACTOR_XY"},
    {0x1f, 0, 999, "SR_WSCALEFACTOR_Z"},
    {0x20, 0, 999, "SR_TID"},
    {0x21, 0, 999, "SR_TID.X"},
    {0x22, 0, 999, "SR_TID.Y"},
    {0x23, 0, 999, "SR_TID.Z"},
    {0x25, 0, 999, "SR_CTAID.X"},
    {0x26, 0, 999, "SR_CTAID.Y"},
    {0x27, 0, 999, "SR_CTAID.Z"},
    {0x28, 0, 999, "SR_NTID"},
    {0x29, 0, 999, "SR_CirQueueIncrMinusOne"},
    {0x2a, 0, 999, "SR_NLATC"},
    {0x2c, 0, 999, "SR_SM_SPA_VERSION"},
    {0x2d, 0, 999, "SR_MULTIPASSSHADERINFO"},
    {0x2e, 0, 999, "SR_LWINHI"},
    {0x2f, 0, 999, "SR_SWINHI"},
    {0x30, 0, 999, "SR_SWINLO"},
    {0x31, 0, 999, "SR_SWINSZ"},
    {0x32, 0, 999, "SR_SMEMSZ"},
    {0x33, 0, 999, "SR_SMEMBANKS"},
    {0x34, 0, 999, "SR_LWINLO"},
    {0x35, 0, 999, "SR_LWINSZ"},
    {0x36, 0, 999, "SR_LMEMLOSZ"},
    {0x37, 0, 999, "SR_LMEMHIOFF"},
    {0x38, 0, 999, "SR_EQMASK"},
    {0x39, 0, 999, "SR_LTMASK"},
    {0x3a, 0, 999, "SR_LEMASK"},
    {0x3b, 0, 999, "SR_GTMASK"},
    {0x3c, 0, 999, "SR_GEMASK"},
    {0x3d, 0, 999, "SR_REGALLOC"},
    {0x3e, 0, 999, "SR_BARRIERALLOC"},
    {0x40, 0, 999, "SR_GLOBALERRORSTATUS"},
    {0x41, 90, 999, "SR_CGAERRORSTATUS"},
    {0x42, 0, 999, "SR_WARPERRORSTATUS"},
    {0x43, 0, 999, "SR_VIRTUALSMID"},
    {0x44, 0, 999, "SR_VIRTUALENGINEID"},
    {0x50, 0, 999, "SR_CLOCKLO"},
    {0x51, 0, 999, "SR_CLOCKHI"},
    {0x52, 0, 999, "SR_GLOBALTIMERLO"},
    {0x53, 0, 999, "SR_GLOBALTIMERHI"},
    {0x54, 0, 999, "SR_ESR_PC"},
    {0x55, 0, 999, "SR_ESR_PC_HI"},
    {0x60, 0, 999, "SR_HWTASKID"},
    {0x61, 0, 999, "SR_CIRCULARQUEUEENTRYINDEX"},
    {0x62, 0, 999, "SR_CIRCULARQUEUEENTRYADDRESSLOW"},
    {0x63, 0, 999, "SR_CIRCULARQUEUEENTRYADDRESSHIGH"},
    {0x64, 0, 999, "SR_PM0"},
    {0x65, 0, 999, "SR_PM_HI0"},
    {0x66, 0, 999, "SR_PM1"},
    {0x67, 0, 999, "SR_PM_HI1"},
    {0x68, 0, 999, "SR_PM2"},
    {0x69, 0, 999, "SR_PM_HI2"},
    {0x6a, 0, 999, "SR_PM3"},
    {0x6b, 0, 999, "SR_PM_HI3"},
    {0x6c, 0, 999, "SR_PM4"},
    {0x6d, 0, 999, "SR_PM_HI4"},
    {0x6e, 0, 999, "SR_PM5"},
    {0x6f, 0, 999, "SR_PM_HI5"},
    {0x70, 0, 999, "SR_PM6"},
    {0x71, 0, 999, "SR_PM_HI6"},
    {0x72, 0, 999, "SR_PM7"},
    {0x73, 0, 999, "SR_PM_HI7"},
    {0x74, 0, 999, "SR_SNAP_PM0"},
    {0x75, 0, 999, "SR_SNAP_PM_HI0"},
    {0x76, 0, 999, "SR_SNAP_PM1"},
    {0x77, 0, 999, "SR_SNAP_PM_HI1"},
    {0x78, 0, 999, "SR_SNAP_PM2"},
    {0x79, 0, 999, "SR_SNAP_PM_HI2"},
    {0x7a, 0, 999, "SR_SNAP_PM3"},
    {0x7b, 0, 999, "SR_SNAP_PM_HI3"},
    {0x7c, 0, 999, "SR_SNAP_PM4"},
    {0x7d, 0, 999, "SR_SNAP_PM_HI4"},
    {0x7e, 0, 999, "SR_SNAP_PM5"},
    {0x7f, 0, 999, "SR_SNAP_PM_HI5"},
    {0x80, 0, 999, "SR_SNAP_PM6"},
    {0x81, 0, 999, "SR_SNAP_PM_HI6"},
    {0x82, 0, 999, "SR_SNAP_PM7"},
    {0x83, 0, 999, "SR_SNAP_PM_HI7"},
    {0x84, 0, 999, "SR_VARIABLE_RATE"},
    {0x88, 90, 999, "SR_CgaCtaId"},
    {0x8a, 100, 999, "SR_CgaSize"},
    {0x8b, 90, 999, "SR_CTARegPoolSz"},
    {0x8d, 100, 999, "SR_TMemSz"},
    {0x14, 0, 999, "SM_SHADER_TYPE"},
    {0x85, 0, 999, "__HIR0X000"},
    {0x86, 90, 99, "SR_WARPGROUP_INFO"},
    {0x87, 90, 99, "SR_WARPGROUPID"},
    {0x89, 90, 999, "SR_GpcLocalCgaId"},
    {0x8e, 120, 999, "SR_CONTEXT_SAVE_ADDR_LO"},
    {0x8f, 120, 999, "SR_CONTEXT_SAVE_ADDR_HI"},
    {0xff, 0, 999, "SRZ"},
};

}  // namespace

std::string_view special_register_name(std::uint8_t number, std::uint16_t sm) {
  static const auto kNumbered = [] {
    std::array<std::string, 256> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = fmt::format("SR{}", i);
    return texts;
  }();
  for (const RegisterName& name : kRegisterNames)
    if (name.number == number && name.from_sm <= sm && sm <= name.to_sm) return name.text;
  return kNumbered[number];
}

}  // namespace burin::read
