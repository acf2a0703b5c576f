#ifndef TESSERA_DATA_IMAGE_JPEG_ERROR_H_
#define TESSERA_DATA_IMAGE_JPEG_ERROR_H_

#include <csetjmp>
#include <cstddef>
#include <cstdio>

// jpeglib.h needs size_t and FILE declared before it.
#include <jpeglib.h>

namespace tessera {

// libjpeg reports an error by a jump out of its own calls: whoever calls it sets `jump` first, in a
// function where no object with a destructor lives. `base` must stay the first member.
struct JpegErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  bool cut_short;
  char message[JMSG_LENGTH_MAX];

  static JpegErrorManager& Of(j_common_ptr info) {
    return *reinterpret_cast<JpegErrorManager*>(info->err);
  }
};

// For jpeg_error_mgr::error_exit: keeps the message and jumps.
[[noreturn]] inline void JumpOnJpegError(j_common_ptr info) {
  JpegErrorManager& errors = JpegErrorManager::Of(info);
  errors.base.format_message(info, errors.message);
  std::longjmp(errors.jump, 1);
}

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_JPEG_ERROR_H_
