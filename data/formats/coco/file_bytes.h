#ifndef TESSERA_DATA_FORMATS_COCO_FILE_BYTES_H_
#define TESSERA_DATA_FORMATS_COCO_FILE_BYTES_H_

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"

namespace tessera {

// The bytes of a file one after the other, in constant memory.
class FileBytes {
 public:
  explicit FileBytes(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), buffer_(size_t{1} << 18) {
    if (!file_.open()) error_ = errno;
    Fill();
  }

  // NotFound, with the cause, where the file could not be opened or read: it then seems to end.
  absl::Status status() const {
    if (error_ == 0) return absl::OkStatus();
    return absl::NotFoundError(absl::StrCat("cannot read ", path_, ": ", std::strerror(error_)));
  }

  // Passes over the file once; copies go on from where the last one was.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    explicit Iterator(FileBytes* bytes = nullptr) : bytes_(bytes) {}
    reference operator*() const { return *bytes_->next_; }
    Iterator& operator++() {
      if (++bytes_->next_ == bytes_->end_) bytes_->Fill();
      return *this;
    }
    // Only comparisons with end() are of use.
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.ended() == b.ended(); }

   private:
    bool ended() const { return bytes_ == nullptr || bytes_->next_ == bytes_->end_; }

    FileBytes* bytes_;
  };

  Iterator begin() { return Iterator(this); }
  Iterator end() { return Iterator(); }

 private:
  void Fill() {
    next_ = end_ = buffer_.data();
    if (error_ != 0) return;
    ssize_t count;
    do {
      count = read(file_.get(), buffer_.data(), buffer_.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
      error_ = errno;
    } else {
      end_ += count;
    }
  }

  std::string path_;
  FileDescriptor file_;
  std::vector<char> buffer_;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  int error_ = 0;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_FILE_BYTES_H_
