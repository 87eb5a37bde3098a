#include "method/explicit.h"

namespace daedalus {

const ExplicitTable* find_explicit(std::string_view name) {
  for (const ExplicitTable* table : explicit_tables)
    if (name == table->name) return table;
  return nullptr;
}

}  // namespace daedalus
