#pragma once
// Programs become machine code while they are being interpreted: a thread writes C, lets the
// system's compiler translate it, loads the result and installs it. What was made is cached by
// content. Nobody waits for it unless asked to.
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "daedalus/solve.h"
#include "expression/c_source.h"
#include "expression/compiler.h"

namespace daedalus {

class CodeGeneration {
 public:
  /// `compiled` returns when the code is installed or has turned out impossible.
  CodeGeneration(ProgramList programs, Evaluation evaluation);
  /// Ends a compiler that is still at work.
  ~CodeGeneration();
  CodeGeneration(const CodeGeneration&) = delete;
  CodeGeneration& operator=(const CodeGeneration&) = delete;

  /// Why there is no generated code although it would have paid; empty otherwise.
  std::string note() const;

 private:
  void generate(bool at_once);
  bool wait(double seconds);
  bool load(const std::string& library, const CSource& source);
  void say(std::string note);

  ProgramList programs_;
  CompilerProcess process_;
  mutable std::mutex mutex_;
  std::condition_variable stopping_;
  bool stopped_ = false;
  std::string note_;
  std::thread thread_;
};

}  // namespace daedalus
