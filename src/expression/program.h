#pragma once
// What is evaluated again and again: expressions over a Point, in units. A unit is a loop over
// many instances of one shape with index arrays, or straight code for one instance; shapes with
// few instances are joined into straight units, where common subexpressions are computed once.
// A unit runs in the interpreter until generated code for it is installed; both give the same bits.
#include <atomic>
#include <memory>
#include <mutex>

#include "expression/kernel.h"
#include "expression/tape.h"

namespace daedalus {

/// Expressions of one kernel's leaves, for each of its instances.
struct Fragment {
  const Kernel* kernel = nullptr;
  Graph graph;
  std::vector<NodeId> outputs;
  bool by_row = true;  ///< the one output goes to the instance's row
  int first = 0;       ///< else outputs lie one after the other from here
};

struct Unit {
  /// Values come from tables: 0 the time, 1 discrete values, 2 + k the k-th derivatives.
  struct Source {
    enum class Access : std::uint8_t { fixed, contiguous, indexed, data };
    Access access = Access::fixed;
    int table = 0, index = 0;  ///< index of the first instance
    const int* which = nullptr;
    const double* data = nullptr;
  };
  Tape tape;
  int count = 1;
  std::vector<Source> inputs;
  std::vector<int> places;    ///< of the outputs, count = 1
  const int* rows = nullptr;  ///< place of the output of each instance
  int first = 0;              ///< without rows: first + instance * outputs + output
  std::vector<const int*> which;
  std::size_t memory = 0;  ///< of the registers of a straight unit, which keeps its constants

  bool is_loop() const { return count > 1; }
};

/// The mathematical functions of this process, handed to generated code so that it cannot differ.
struct MathFunctions;

using StraightCode = void (*)(const Point* point, const double* constants, double* out,
                              const MathFunctions* math);
using LoopCode = void (*)(const double* const* inputs, const int* const* which,
                          const double* constants, const int* rows, double* out, long count,
                          const MathFunctions* math);

/// Entry points by unit; null: interpreted.
struct ProgramCode {
  const MathFunctions* math = nullptr;
  std::vector<void*> entry;
  /// All that there is to call where every unit is straight and has code.
  struct Call {
    StraightCode code = nullptr;
    const double* constants = nullptr;
  };
  std::vector<Call> calls = {};
};

class Program {
 public:
  struct Content {
    std::vector<Unit> units;
    std::shared_ptr<const void> owner;  ///< of the index arrays

    /// From the next evaluation on. The first one stays; `keep` is what it needs alive.
    void install(const ProgramCode& code, std::shared_ptr<const void> keep) const;
    std::atomic<const ProgramCode*>& code() const { return code_; }

   private:
    mutable std::atomic<const ProgramCode*> code_ = nullptr;
    mutable std::mutex installing_;
    mutable ProgramCode installed_;
    mutable std::shared_ptr<const void> keep_;
  };

  /// Once: machine code would take longer than it saves.
  enum class Use { often, once };
  Program() = default;
  Program(const std::vector<Fragment>& fragments, std::shared_ptr<const void> owner,
          Use use = Use::often);

  void evaluate(const Point& point, double* out) const;
  const std::shared_ptr<const Content>& content() const { return content_; }

 private:
  void interpret_straight(const Unit& unit, double* out) const;
  void interpret_loop(const Unit& unit, double* out) const;
  void call_loop(const Unit& unit, const ProgramCode& code, void* entry, double* out) const;

  std::shared_ptr<const Content> content_;
  int orders_ = 0;  ///< of derivatives that are read; point.x may be null where there are none
  std::size_t loop_memory_ = 0;  ///< registers of the loops, behind those of the straight units
  mutable std::vector<double> memory_;
  mutable std::vector<const double*> tables_, inputs_;
};

}  // namespace daedalus
