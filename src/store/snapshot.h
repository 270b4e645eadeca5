// A private copy of a database that may have a writer, or that a killed writer left behind.
//
// A file that is being appended to consists of the file itself and its write-ahead log, FILE-wal.
// SQLite's readers would share an index of the log with the writer, in a memory-mapped file
// FILE-shm. That needs a writable folder, does not work between the hosts of an NFS file system,
// and a reader could hold up the writer. Copying both files needs none of it, because a log only
// grows until it is begun anew, with another mark in its header, after all of its pages have been
// copied to the file. A copy of the file, followed by a copy of the log, taken while the log had
// one mark, is a consistent state: pages in the file that are newer than others are in the log too,
// and its checksums tell where the last complete transaction ends.
#pragma once

#include <string>

#include "base/result.h"
#include "base/temporary_folder.h"

namespace burin::store {

// True if the file may not be read in place: it has a writer, or was not closed by its writer.
bool needs_snapshot(const std::string& path);

struct Snapshot {
  TemporaryFolder folder;
  std::string file;  // in the folder, with copies of the log or journal next to it
};
Result<Snapshot> take_snapshot(const std::string& path);

}  // namespace burin::store
