#include "daedalus/version.h"

namespace daedalus {

std::string_view version() {
  return DAEDALUS_VERSION;
}

}  // namespace daedalus
