#pragma once
// What was computed must not be lost because the disk it was meant for is full.
#include <functional>
#include <string>

namespace daedalus::command {

/// Calls write(path). Where that throws OutputError, writes to the folder for temporary files, the
/// home folder or the current one instead, says on standard error what happened and where the
/// results are, and returns false. `ending` is that of the file where path ("-") has none.
bool write_or_rescue(const std::string& path, const std::string& ending,
                     const std::function<void(const std::string& path)>& write);

}  // namespace daedalus::command
