#include "expression/program.h"

#include <algorithm>
#include <unordered_map>

namespace daedalus {
namespace {

/// Shapes with up to so many instances are unrolled, a straight unit is closed at so many nodes.
constexpr int few_instances = 8;
constexpr int most_unrolled = 1000;
constexpr int most_nodes = 3000;

int table_of(const Leaf& leaf) {
  if (leaf.kind == Leaf::Kind::variable) return 2 + leaf.order;
  return leaf.kind == Leaf::Kind::discrete ? 1 : 0;
}

/// Collects instances of several fragments in one graph.
class StraightUnit {
 public:
  bool empty() const { return places_.empty(); }
  int size() const { return graph_.size(); }

  void add(const Fragment& fragment, int instance) {
    const Kernel& kernel = *fragment.kernel;
    const auto i = static_cast<std::size_t>(instance);
    NodeId last = -1;
    for (const NodeId id : fragment.outputs) last = std::max(last, id);
    made_.assign(static_cast<std::size_t>(last) + 1, -1);
    needed_.assign(made_.size(), 0);
    for (const NodeId id : fragment.outputs) needed_[static_cast<std::size_t>(id)] = 1;
    const auto at = [&](NodeId id) { return made_[static_cast<std::size_t>(id)]; };
    for (NodeId id = last; id >= 0; --id) {
      if (!needed_[static_cast<std::size_t>(id)]) continue;
      const Node& n = fragment.graph[id];
      const int count = operands_of(n.op);
      if (count > 0) needed_[static_cast<std::size_t>(n.a)] = 1;
      if (count > 1) needed_[static_cast<std::size_t>(n.b)] = 1;
      if (count > 2) needed_[static_cast<std::size_t>(n.c)] = 1;
    }
    for (NodeId id = 0; id <= last; ++id) {
      if (!needed_[static_cast<std::size_t>(id)]) continue;
      const Node& n = fragment.graph[id];
      const int count = operands_of(n.op);
      NodeId& made = made_[static_cast<std::size_t>(id)];
      if (n.op == Op::constant) {
        made = graph_.constant(n.value);
      } else if (n.op == Op::input) {
        const auto l = static_cast<std::size_t>(n.a);
        made = kernel.leaves[l].kind == Leaf::Kind::data ? graph_.constant(kernel.data[l][i])
                                                         : input(kernel, l, i);
      } else {
        made = graph_.make(n.op, at(n.a), count > 1 ? at(n.b) : -1, count > 2 ? at(n.c) : -1);
      }
    }
    const int outputs = static_cast<int>(fragment.outputs.size());
    for (int o = 0; o < outputs; ++o) {
      nodes_.push_back(at(fragment.outputs[static_cast<std::size_t>(o)]));
      places_.push_back(fragment.by_row ? kernel.rows[i] : fragment.first + instance * outputs + o);
    }
  }

  Unit take(Program::Use use) {
    Unit unit;
    unit.tape = Tape(graph_, static_cast<int>(inputs_.size()), nodes_);
    if (use == Program::Use::often) unit.tape.translate();
    unit.inputs = std::move(inputs_);
    unit.places = std::move(places_);
    *this = StraightUnit();
    return unit;
  }

 private:
  NodeId input(const Kernel& kernel, std::size_t leaf, std::size_t instance) {
    const int table = table_of(kernel.leaves[leaf]);
    const int index = table == 0 ? 0 : kernel.which[leaf][instance];
    const std::uint64_t key =
        (static_cast<std::uint64_t>(table) << 32) | static_cast<std::uint32_t>(index);
    const auto [at, fresh] = input_at_.try_emplace(key, static_cast<int>(inputs_.size()));
    if (fresh) inputs_.push_back({Unit::Source::Access::fixed, table, index, nullptr, nullptr});
    return graph_.input(at->second);
  }

  Graph graph_;
  std::vector<NodeId> nodes_, made_;
  std::vector<char> needed_;
  std::vector<int> places_;
  std::vector<Unit::Source> inputs_;
  std::unordered_map<std::uint64_t, int> input_at_;
};

Unit loop_of(const Fragment& fragment, Program::Use use) {
  using Access = Unit::Source::Access;
  const Kernel& kernel = *fragment.kernel;
  const auto rises_by = [](const std::vector<int>& numbers, int step) {
    for (std::size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] != numbers[i - 1] + step) return false;
    return true;
  };
  Unit unit;
  unit.tape = Tape(fragment.graph, static_cast<int>(kernel.leaves.size()), fragment.outputs);
  if (use == Program::Use::often) unit.tape.translate_block();
  unit.count = kernel.instances();
  for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
    Unit::Source source{Access::fixed, table_of(kernel.leaves[l]), 0, nullptr, nullptr};
    if (kernel.leaves[l].kind == Leaf::Kind::data) {
      source.access = Access::data, source.data = kernel.data[l].data();
    } else if (source.table > 0) {
      source.index = kernel.which[l][0], source.which = kernel.which[l].data();
      source.access = rises_by(kernel.which[l], 0)   ? Access::fixed
                      : rises_by(kernel.which[l], 1) ? Access::contiguous
                                                     : Access::indexed;
    }
    unit.inputs.push_back(source);
    unit.which.push_back(source.which);
  }
  unit.first = fragment.first;
  if (fragment.by_row) {
    unit.first = kernel.rows[0];
    if (!rises_by(kernel.rows, 1)) unit.rows = kernel.rows.data();
  }
  return unit;
}

bool is_long(const Fragment& fragment) {
  const int count = fragment.kernel->instances();
  return count > few_instances || count * fragment.graph.size() > most_unrolled;
}

/// Instances of a loop compute for themselves what they share. Where that is most of it, as with
/// forces between all pairs of some bodies, straight code for all of them takes less time.
bool share_much(const std::vector<Fragment>& fragments) {
  constexpr int most_instances = 64, most_together = 20000, gain_of_loops = 3;
  long together = 0;
  for (const Fragment& fragment : fragments) {
    if (fragment.outputs.empty() || !is_long(fragment)) continue;
    const long count = fragment.kernel->instances();
    together += count > most_instances ? most_together : count * fragment.graph.size();
    if (together >= most_together) return false;
  }
  if (together == 0) return false;
  StraightUnit all;
  for (const Fragment& fragment : fragments)
    if (!fragment.outputs.empty() && is_long(fragment))
      for (int i = 0; i < fragment.kernel->instances(); ++i) all.add(fragment, i);
  return gain_of_loops * all.size() < together;
}

}  // namespace

void Program::Content::install(const ProgramCode& code, std::shared_ptr<const void> keep) const {
  const std::lock_guard lock(installing_);
  if (keep_) return;
  installed_ = code;
  const auto has_straight_code = [&](const Unit& unit) {
    return !unit.is_loop() && code.entry[static_cast<std::size_t>(&unit - units.data())];
  };
  if (std::all_of(units.begin(), units.end(), has_straight_code))
    for (std::size_t u = 0; u < units.size(); ++u)
      installed_.calls.push_back(
          {reinterpret_cast<StraightCode>(code.entry[u]), units[u].tape.constants().data()});
  keep_ = std::move(keep);
  code_.store(&installed_, std::memory_order_release);
}

Program::Program(const std::vector<Fragment>& fragments, std::shared_ptr<const void> owner,
                 Use use) {
  auto content = std::make_shared<Content>();
  content->owner = std::move(owner);
  StraightUnit straight;
  const bool unrolls = share_much(fragments);
  for (const Fragment& fragment : fragments) {
    const int count = fragment.kernel->instances();
    if (fragment.outputs.empty() || count == 0) continue;
    if (count > 1 && !unrolls && is_long(fragment)) {
      content->units.push_back(loop_of(fragment, use));
      continue;
    }
    for (int i = 0; i < count; ++i) {
      if (!straight.empty() && straight.size() + fragment.graph.size() > most_nodes)
        content->units.push_back(straight.take(use));
      straight.add(fragment, i);
    }
  }
  if (!straight.empty()) content->units.push_back(straight.take(use));

  std::size_t kept = 0, loop = 0, inputs = 0;
  for (Unit& unit : content->units) {
    const auto registers = static_cast<std::size_t>(unit.tape.registers());
    inputs = std::max(inputs, unit.inputs.size());
    for (const Unit::Source& source : unit.inputs) orders_ = std::max(orders_, source.table - 1);
    if (unit.is_loop())
      loop = std::max(loop, registers * Tape::block);
    else
      unit.memory = kept, kept += registers;
  }
  loop_memory_ = kept;
  memory_.assign(kept + loop, 0.0);
  for (const Unit& unit : content->units)
    if (!unit.is_loop())
      std::copy(unit.tape.constants().begin(), unit.tape.constants().end(),
                memory_.begin() + static_cast<std::ptrdiff_t>(unit.memory) + unit.tape.inputs());
  tables_.assign(static_cast<std::size_t>(orders_) + 2, nullptr);
  inputs_.assign(inputs, nullptr);
  content_ = std::move(content);
}

void Program::evaluate(const Point& point, double* out) const {
  if (!content_) return;
  const ProgramCode* code = content_->code().load(std::memory_order_acquire);
  if (code && !code->calls.empty()) {
    for (const ProgramCode::Call& call : code->calls)
      call.code(&point, call.constants, out, code->math);
    return;
  }
  bool with_tables = false;
  for (std::size_t u = 0; u < content_->units.size(); ++u) {
    const Unit& unit = content_->units[u];
    void* entry = code ? code->entry[u] : nullptr;
    if (entry && !unit.is_loop()) {
      reinterpret_cast<StraightCode>(entry)(&point, unit.tape.constants().data(), out, code->math);
      continue;
    }
    if (!with_tables) {
      with_tables = true;
      tables_[0] = &point.t, tables_[1] = point.discrete;
      for (int k = 0; k < orders_; ++k) tables_[static_cast<std::size_t>(k) + 2] = point.x[k];
    }
    if (entry)
      call_loop(unit, *code, entry, out);
    else if (unit.is_loop())
      interpret_loop(unit, out);
    else
      interpret_straight(unit, out);
  }
}

void Program::interpret_straight(const Unit& unit, double* out) const {
  double* memory = memory_.data() + unit.memory;
  const double* const* tables = tables_.data();
  const Unit::Source* source = unit.inputs.data();
  for (std::size_t l = 0; l < unit.inputs.size(); ++l)
    memory[l] = tables[source[l].table][source[l].index];
  unit.tape.run_one(memory);
  const int *from = unit.tape.outputs().data(), *to = unit.places.data();
  for (std::size_t o = 0; o < unit.places.size(); ++o) out[to[o]] = memory[from[o]];
}

void Program::call_loop(const Unit& unit, const ProgramCode& code, void* entry, double* out) const {
  for (std::size_t l = 0; l < unit.inputs.size(); ++l) {
    const Unit::Source& source = unit.inputs[l];
    inputs_[l] = source.access == Unit::Source::Access::data
                     ? source.data
                     : tables_[static_cast<std::size_t>(source.table)] +
                           (source.access == Unit::Source::Access::indexed ? 0 : source.index);
  }
  reinterpret_cast<LoopCode>(entry)(inputs_.data(), unit.which.data(), unit.tape.constants().data(),
                                    unit.rows, unit.rows ? out : out + unit.first, unit.count,
                                    code.math);
}

void Program::interpret_loop(const Unit& unit, double* out) const {
  using Access = Unit::Source::Access;
  const auto inputs = unit.inputs.size();
  const std::vector<int>& outputs = unit.tape.outputs();
  double* memory = memory_.data() + loop_memory_;
  const auto home = [&](std::size_t r) { return memory + r * Tape::block; };
  for (std::size_t k = 0; k < unit.tape.constants().size(); ++k)
    std::fill_n(home(inputs + k), std::min(Tape::block, unit.count), unit.tape.constants()[k]);
  for (int first = 0; first < unit.count; first += Tape::block) {
    const int count = std::min(Tape::block, unit.count - first);
    for (std::size_t l = 0; l < inputs; ++l) {
      const Unit::Source& source = unit.inputs[l];
      double* target = home(l);
      if (source.access == Access::data) {
        std::copy_n(source.data + first, count, target);
        continue;
      }
      const double* table = tables_[static_cast<std::size_t>(source.table)];
      if (source.access == Access::contiguous)
        std::copy_n(table + source.index + first, count, target);
      else if (source.access == Access::fixed)
        std::fill_n(target, count, table[source.index]);
      else
        for (int i = 0; i < count; ++i) target[i] = table[source.which[first + i]];
    }
    unit.tape.run(memory, count);
    const std::size_t width = outputs.size();
    for (std::size_t o = 0; o < width; ++o) {
      const double* from = home(static_cast<std::size_t>(outputs[o]));
      if (unit.rows) {
        for (int i = 0; i < count; ++i) out[unit.rows[first + i]] = from[i];
        continue;
      }
      double* to = out + unit.first + static_cast<std::size_t>(first) * width + o;
      for (int i = 0; i < count; ++i) to[static_cast<std::size_t>(i) * width] = from[i];
    }
  }
}

}  // namespace daedalus
