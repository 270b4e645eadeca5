#include "tune/cluster/mpi.h"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "base/format.h"

namespace burin::tune {

// The part of MPI's interface that burin uses, as the MPI standard and Open MPI's binary interface
// define it.
struct Mpi::Functions {
  using Handle = void*;  // MPI_Comm, MPI_Datatype, MPI_Request, MPI_Errhandler
  struct Status {
    int source;
    int tag;
    int error;
    int cancelled;
    std::size_t bytes;
  };
  static constexpr int kAnySource = -1;
  static constexpr int kTag = 1;

  int (*init)(int*, char***) = nullptr;
  int (*finalize)() = nullptr;
  int (*comm_rank)(Handle, int*) = nullptr;
  int (*comm_size)(Handle, int*) = nullptr;
  int (*set_errhandler)(Handle, Handle) = nullptr;
  int (*isend)(const void*, int, Handle, int, int, Handle, Handle*) = nullptr;
  int (*test)(Handle*, int*, Status*) = nullptr;
  int (*iprobe)(int, int, Handle, int*, Status*) = nullptr;
  int (*get_count)(const Status*, Handle, int*) = nullptr;
  int (*recv)(void*, int, Handle, int, int, Handle, Status*) = nullptr;
  Handle world = nullptr;
  Handle byte = nullptr;
  Handle errors_return = nullptr;
};

struct Mpi::Sending {
  std::string text;
  Functions::Handle request = nullptr;
};

namespace {

constexpr const char* kLibraries[] = {"libmpi.so.40", "libmpi.so"};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Mpi::Mpi() : mpi_(std::make_unique<Functions>()) {}
Mpi::~Mpi() = default;

bool Mpi::is_under_mpirun() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  return size != nullptr && std::atoi(size) > 1;
}

Result<std::unique_ptr<Mpi>> Mpi::open() {
  void* library = nullptr;
  // Global, as MPI's own plug-ins look for its symbols.
  for (const char* name : kLibraries) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  }
  if (library == nullptr) {
    return Error{
        fmt::format("mpirun started burin, but Open MPI's library is missing: {}", ::dlerror()),
        Exit::kDevice};
  }
  std::unique_ptr<Mpi> mpi(new Mpi);
  Functions& f = *mpi->mpi_;
  const bool complete =
      find(library, "MPI_Init", f.init) && find(library, "MPI_Finalize", f.finalize) &&
      find(library, "MPI_Comm_rank", f.comm_rank) && find(library, "MPI_Comm_size", f.comm_size) &&
      find(library, "MPI_Comm_set_errhandler", f.set_errhandler) &&
      find(library, "MPI_Isend", f.isend) && find(library, "MPI_Test", f.test) &&
      find(library, "MPI_Iprobe", f.iprobe) && find(library, "MPI_Get_count", f.get_count) &&
      find(library, "MPI_Recv", f.recv) && find(library, "ompi_mpi_comm_world", f.world) &&
      find(library, "ompi_mpi_byte", f.byte) &&
      find(library, "ompi_mpi_errors_return", f.errors_return);
  if (!complete) {
    return Error{"the MPI library of this computer is not Open MPI 4 or 5", Exit::kDevice};
  }
  if (f.init(nullptr, nullptr) != 0) return Error{"MPI_Init failed", Exit::kDevice};
  f.set_errhandler(f.world, f.errors_return);
  f.comm_rank(f.world, &mpi->rank_);
  f.comm_size(f.world, &mpi->size_);
  return mpi;
}

void Mpi::send(int to, std::string_view text) {
  forget_sent();
  Sending& sending = sending_.emplace_back(Sending{.text = std::string(text)});
  const int wrong = mpi_->isend(sending.text.data(), static_cast<int>(sending.text.size()),
                                mpi_->byte, to, Functions::kTag, mpi_->world, &sending.request);
  if (wrong != 0) sending_.pop_back();
}

void Mpi::forget_sent() {
  for (auto it = sending_.begin(); it != sending_.end();) {
    int done = 0;
    Functions::Status status{};
    if (mpi_->test(&it->request, &done, &status) != 0) done = 1;
    it = done != 0 ? sending_.erase(it) : std::next(it);
  }
}

std::optional<Message> Mpi::poll() {
  forget_sent();
  int there = 0;
  Functions::Status status{};
  const int wrong =
      mpi_->iprobe(Functions::kAnySource, Functions::kTag, mpi_->world, &there, &status);
  if (wrong != 0 || there == 0) return std::nullopt;
  int bytes = 0;
  mpi_->get_count(&status, mpi_->byte, &bytes);
  Message message{.from = status.source, .text = std::string(static_cast<std::size_t>(bytes), 0)};
  Functions::Status received{};
  if (mpi_->recv(message.text.data(), bytes, mpi_->byte, status.source, Functions::kTag,
                 mpi_->world, &received) != 0) {
    return std::nullopt;
  }
  return message;
}

void Mpi::flush(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!sending_.empty() && std::chrono::steady_clock::now() < end) {
    forget_sent();
    ::usleep(1000);
  }
}

void Mpi::leave(Leave how) {
  flush(1);
  if (how == Leave::kTogether) mpi_->finalize();
}

}  // namespace burin::tune
