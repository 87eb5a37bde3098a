#pragma once
// Machine code for a tape, made in the time of some tens of evaluations: scalar instructions in the
// order of the tape, so that the bits are those of the interpreter. For x86-64 with AVX, where the
// system lets a program make code; elsewhere there is none, and tapes are interpreted.
#include <memory>

namespace daedalus {

class Tape;

class MachineCode {
 public:
  MachineCode() = default;
  /// Empty where there is none to be had.
  static MachineCode of(const Tape& tape);

  explicit operator bool() const { return entry_ != nullptr; }
  /// One instance: register r of the tape is memory[r].
  void operator()(double* memory) const { entry_(memory); }

 private:
  void (*entry_)(double* memory) = nullptr;
  std::shared_ptr<const void> pages_;  ///< that it lies in
  std::shared_ptr<const void> turns_;  ///< that it reads
};

}  // namespace daedalus
