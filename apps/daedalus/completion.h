#pragma once
// Shell completion, made from the description of the command line itself, so that it knows every
// command and option there is.
#include <string>

namespace CLI {
class App;
}

namespace daedalus::command {

/// A script for bash: `source <(daedalus completion bash)`.
std::string bash_completion(const CLI::App& app);

}  // namespace daedalus::command
