// The lock of a file's only writer: the lock file `path`.lock, locked by the system for as long as
// the process lives, however it ends. It contains the process and the host, for messages.
//
//   Result<WriterLock> lock = WriterLock::take("a.session", "session");
//   lock.error().message
//     "a.session: this session is being written by process 1234 on host node7; wait until …"
//
// POSIX record locks are used because they belong to one process (a forked child does not inherit
// them and cannot keep them alive) and work across the hosts of an NFS file system.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::store {

// An open file.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

// The file that `path` leads to, which need not exist: symbolic links resolved.
std::string real_path(const std::string& path);

class WriterLock {
 public:
  // Creates the file itself, empty, if it does not exist. `noun` names its kind in messages.
  static Result<WriterLock> take(const std::string& path, std::string_view noun);

  WriterLock(WriterLock&& other) noexcept = default;
  WriterLock& operator=(WriterLock&&) = delete;
  ~WriterLock();

  const std::string& real() const { return real_; }
  bool created() const { return created_; }
  bool is_ours() const;  // false in a forked child: the lock is its parent's
  Descriptor* file() const { return file_.get(); }  // the locked file itself, for reading

 private:
  WriterLock() = default;

  std::string real_;
  bool created_ = false;
  pid_t process_ = 0;
  std::unique_ptr<Descriptor> lock_;
  std::shared_ptr<Descriptor> file_;
};

// The file at `real` if this process is its writer, else null. Closing any other descriptor of such
// a file would release SQLite's own locks on it, so readers in this process use this one.
std::shared_ptr<Descriptor> file_written_here(const std::string& real);

}  // namespace burin::store
