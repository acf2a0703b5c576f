#ifndef TESSERA_BASE_FILE_DESCRIPTOR_H_
#define TESSERA_BASE_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace tessera {

// Owns an open file descriptor, or none (-1).
class FileDescriptor {
 public:
  explicit FileDescriptor(int file = -1) : file_(file) {}
  FileDescriptor(FileDescriptor&& other) noexcept : file_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FileDescriptor() {
    if (file_ >= 0) close(file_);
  }

  bool open() const { return file_ >= 0; }
  int get() const { return file_; }
  int Release() { return std::exchange(file_, -1); }

 private:
  int file_;
};

}  // namespace tessera

#endif  // TESSERA_BASE_FILE_DESCRIPTOR_H_
