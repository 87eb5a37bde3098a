#include "method/explicit.h"

#include "method/half_explicit.h"

namespace daedalus {

const ExplicitTable* find_explicit(std::string_view name) {
  for (const ExplicitTable* table : explicit_tables)
    if (table->name == name) return table;
  for (const ExplicitTable* table : half_explicit_tables)
    if (table->name == name) return table;
  return nullptr;
}

}  // namespace daedalus
