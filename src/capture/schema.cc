#include "capture/schema.h"

#include <array>

namespace burin::capture {
namespace {

// Times are nanoseconds, sizes bytes. `packed` columns are compressed (store/pack.h).
constexpr const char* kFirst = R"sql(
CREATE TABLE info(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE process(
  id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, parent INTEGER NOT NULL,
  command TEXT NOT NULL,          -- the words, each ended by a line end
  folder TEXT NOT NULL, host TEXT NOT NULL, settings TEXT NOT NULL,
  begin_unix_ns INTEGER NOT NULL, begin_ns INTEGER NOT NULL,
  end_ns INTEGER,                 -- NULL: it was killed
  driver_version INTEGER NOT NULL, cupti_version INTEGER NOT NULL,
  launches_seen INTEGER NOT NULL);

CREATE TABLE gpu(
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process, ordinal INTEGER NOT NULL,
  name TEXT NOT NULL, bus TEXT NOT NULL, sm INTEGER NOT NULL,
  multiprocessors INTEGER NOT NULL, clock_khz INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL, l2_bytes INTEGER NOT NULL);

CREATE TABLE module(
  id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, crc INTEGER NOT NULL,
  size INTEGER NOT NULL, packed BLOB NOT NULL);

CREATE TABLE kernel(               -- and functions that samples fell into
  id INTEGER PRIMARY KEY, module INTEGER REFERENCES module, name TEXT NOT NULL);
CREATE TABLE parameter(
  kernel INTEGER NOT NULL REFERENCES kernel, position INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY(kernel, position)) WITHOUT ROWID;
CREATE TABLE listing(              -- of kernels whose module is not here
  kernel INTEGER NOT NULL REFERENCES kernel, byte_offset INTEGER NOT NULL, sass TEXT NOT NULL,
  PRIMARY KEY(kernel, byte_offset)) WITHOUT ROWID;

CREATE TABLE stack(id INTEGER PRIMARY KEY);
CREATE TABLE frame(                -- depth 0 is the innermost
  stack INTEGER NOT NULL REFERENCES stack, depth INTEGER NOT NULL,
  object TEXT NOT NULL, byte_offset INTEGER NOT NULL, symbol TEXT NOT NULL,
  PRIMARY KEY(stack, depth)) WITHOUT ROWID;

CREATE TABLE launch(
  id INTEGER PRIMARY KEY,
  process INTEGER NOT NULL REFERENCES process, number INTEGER NOT NULL,
  kernel INTEGER NOT NULL REFERENCES kernel, gpu INTEGER REFERENCES gpu,
  context INTEGER NOT NULL, stream INTEGER NOT NULL, thread INTEGER NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  cluster_x INTEGER, cluster_y INTEGER, cluster_z INTEGER,
  shared_bytes INTEGER NOT NULL,
  is_graph INTEGER NOT NULL, is_cooperative INTEGER NOT NULL,
  start_ns INTEGER, duration_ns INTEGER,
  stack INTEGER REFERENCES stack, correlation INTEGER NOT NULL, ranges TEXT NOT NULL,
  arguments BLOB);                 -- NULL: not known
CREATE TABLE allocation(           -- what the pointer at argument_offset points into
  launch INTEGER NOT NULL REFERENCES launch, argument_offset INTEGER NOT NULL,
  address INTEGER NOT NULL, size INTEGER NOT NULL, memory INTEGER NOT NULL,
  PRIMARY KEY(launch, argument_offset)) WITHOUT ROWID;

CREATE TABLE content(
  id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, size INTEGER NOT NULL,
  packed BLOB NOT NULL);
CREATE TABLE memory(               -- a piece of an allocation, before or after the launch
  launch INTEGER NOT NULL REFERENCES launch, is_after INTEGER NOT NULL,
  address INTEGER NOT NULL, content INTEGER NOT NULL REFERENCES content,
  PRIMARY KEY(launch, is_after, address)) WITHOUT ROWID;

CREATE TABLE sampling(
  process INTEGER NOT NULL REFERENCES process, context INTEGER NOT NULL,
  gpu INTEGER REFERENCES gpu, period_cycles INTEGER NOT NULL, is_serialized INTEGER NOT NULL,
  total INTEGER NOT NULL, dropped INTEGER NOT NULL, not_user INTEGER NOT NULL,
  buffer_full INTEGER NOT NULL,
  PRIMARY KEY(process, context)) WITHOUT ROWID;
CREATE TABLE reason(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE sample(               -- launch 0: of no launch in particular
  kernel INTEGER NOT NULL REFERENCES kernel, launch INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL, reason INTEGER NOT NULL REFERENCES reason,
  samples INTEGER NOT NULL, not_issued INTEGER NOT NULL,
  PRIMARY KEY(kernel, launch, byte_offset, reason)) WITHOUT ROWID;
CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE counter(
  kernel INTEGER NOT NULL REFERENCES kernel, launch INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL, metric INTEGER NOT NULL REFERENCES metric, value REAL NOT NULL,
  PRIMARY KEY(kernel, launch, byte_offset, metric)) WITHOUT ROWID;

CREATE TABLE problem(
  process INTEGER NOT NULL REFERENCES process, kind INTEGER NOT NULL, count INTEGER NOT NULL,
  launch INTEGER, sentence TEXT NOT NULL);
)sql";

// Counts of single launches, and where the variables of a launch's module lay.
constexpr const char* kSecond = R"sql(
CREATE TABLE counted(              -- launches that were counted
  launch INTEGER PRIMARY KEY REFERENCES launch,
  same_as INTEGER NOT NULL REFERENCES launch);  -- whose rows in `counter` are also this one's
CREATE INDEX counted_same ON counted(same_as);
CREATE TABLE variable(             -- __device__ and __constant__; contents are in `memory`
  launch INTEGER NOT NULL REFERENCES launch, name TEXT NOT NULL,
  address INTEGER NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY(launch, name)) WITHOUT ROWID;
)sql";

// `memory` may have constants of launches whose other memory is not there (MemoryMoment).
constexpr const char* kThird = R"sql(
CREATE INDEX variable_launch ON variable(launch);
)sql";

// Texture objects. A handle may be used again: the last one before a launch is its own.
constexpr const char* kFourth = R"sql(
CREATE TABLE texture(
  process INTEGER NOT NULL REFERENCES process, handle INTEGER NOT NULL,
  after INTEGER NOT NULL,         -- launches of the process before it was created
  address INTEGER NOT NULL, texel_bytes INTEGER NOT NULL, channels INTEGER NOT NULL,
  width INTEGER NOT NULL, height INTEGER NOT NULL, pitch INTEGER NOT NULL,
  is_array INTEGER NOT NULL, is_normalized INTEGER NOT NULL,
  PRIMARY KEY(process, handle, after)) WITHOUT ROWID;
)sql";

constexpr std::array kSteps = {kFirst, kSecond, kThird, kFourth};

}  // namespace

const store::FileKind kCaptureFile{
    .noun = "capture", .mark = 0x62757263 /* burc */, .steps = kSteps};

}  // namespace burin::capture
