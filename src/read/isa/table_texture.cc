#include "read/isa/form.h"

namespace burin::isa {

const char* const kTextureTable = R"(
)";

}  // namespace burin::isa
