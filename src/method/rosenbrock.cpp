#include "method/rosenbrock.h"

namespace daedalus {

const RosenbrockTable* find_rosenbrock(std::string_view name) {
  for (const RosenbrockTable* table : rosenbrock_tables)
    if (table->name == name) return table;
  return nullptr;
}

}  // namespace daedalus
