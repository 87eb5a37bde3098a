#pragma once
// Machine code for a tape, made in the time of some tens of evaluations: its operations in its
// order, so that the bits are those of the interpreter. For x86-64 with AVX, where the system lets
// a program make code; elsewhere there is none, and tapes are interpreted.
#include <memory>

namespace daedalus {

class Tape;

/// Four at once have other roundings than those of the library.
enum class Exponentials { of_library, four_at_once };

class MachineCode {
 public:
  MachineCode() = default;
  /// Empty where there is none to be had.
  static MachineCode of(const Tape& tape);
  /// For blocks of instances, several at a time in vector registers.
  static MachineCode of_block(const Tape& tape, Exponentials exponentials);

  explicit operator bool() const { return entry_ != nullptr; }
  /// One instance: register r of the tape is memory[r].
  void operator()(double* memory) const { entry_(memory, 1); }
  /// Of `of_block`: as Tape::run. Lanes beyond `count` are computed too.
  void run_block(double* memory, int count) const;

 private:
  using Entry = void (*)(double* memory, int rounds);
  static MachineCode of(const Tape& tape, bool wide, Exponentials exponentials);

  Entry entry_ = nullptr;
  std::shared_ptr<const void> pages_;   ///< that it lies in
  std::shared_ptr<const void> called_;  ///< what it reads
};

}  // namespace daedalus
