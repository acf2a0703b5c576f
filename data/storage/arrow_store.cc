#include "data/storage/arrow_store.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/azurefs.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/filesystem/gcsfs.h>
#include <arrow/filesystem/hdfs.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/util/future.h>
#include <arrow/util/io_util.h>
#include <arrow/util/key_value_metadata.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/environment.h"
#include "base/status_macros.h"
#include "data/storage/store_error.h"
#include "data/storage/uri.h"

namespace tessera {
namespace {

// Arrow has one code for all that a store may answer, so that only its words tell whether the error
// may pass.
absl::Status FromArrow(const arrow::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const std::string& message = status.message();
  if (const int code = arrow::internal::ErrnoFromStatus(status); code != 0) {
    return absl::ErrnoToStatus(code, message);
  }
  for (const char* const denied :
       {"PERMISSION_DENIED", "AuthorizationFailure", "AuthorizationPermissionMismatch",
        "AuthenticationFailed", "AccessControlException"}) {
    if (absl::StrContains(message, denied)) return absl::PermissionDeniedError(message);
  }
  if (absl::StrContains(message, "UNAUTHENTICATED")) return absl::UnauthenticatedError(message);
  if (status.IsInvalid() || status.IsNotImplemented()) return absl::InvalidArgumentError(message);
  return absl::UnavailableError(message);
}

template <typename T>
absl::StatusOr<T> FromArrow(arrow::Result<T> result) {
  if (!result.ok()) return FromArrow(result.status());
  return std::move(result).ValueUnsafe();
}

class ArrowStore : public Store {
 public:
  ArrowStore(std::string uri, std::shared_ptr<arrow::fs::FileSystem> files, std::string root,
             bool renames)
      : uri_(std::move(uri)), files_(std::move(files)), root_(std::move(root)), renames_(renames) {}

  std::string Uri(absl::string_view key) const override { return absl::StrCat(uri_, "/", key); }
  std::optional<std::string> LocalPath(absl::string_view) const override { return std::nullopt; }

  absl::Status ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                         absl::Span<char> out, std::string*) override {
    return AtKey(key, ReadAt(key, size, offset, out));
  }

  absl::StatusOr<uint64_t> Size(absl::string_view key) override {
    const absl::StatusOr<arrow::fs::FileInfo> info = FromArrow(files_->GetFileInfo(Path(key)));
    if (!info.ok()) return AtKey(key, info.status());
    if (!info->IsFile()) return AtKey(key, absl::NotFoundError("no such object"));
    return info->size();
  }

  absl::StatusOr<std::string> Read(absl::string_view key) override {
    absl::StatusOr<std::string> contents = ReadWhole(key);
    return contents.ok() ? std::move(contents) : AtKey(key, contents.status());
  }

  absl::Status Write(absl::string_view key, absl::Span<const absl::string_view> pieces) override {
    const std::string path = Path(key);
    if (!renames_) return AtKey(key, WriteTo(path, pieces));
    static std::atomic<int> serial = 0;
    const std::string partial = absl::StrCat(path, ".", getpid(), ".", serial++, ".partial");
    absl::Status status =
        FromArrow(files_->CreateDir(path.substr(0, path.rfind('/')), /*recursive=*/true));
    if (status.ok()) status = WriteTo(partial, pieces);
    if (status.ok()) status = FromArrow(files_->Move(partial, path));
    if (!status.ok()) files_->DeleteFile(partial).Warn();
    return AtKey(key, status);
  }

  absl::Status Remove(absl::string_view key) override {
    absl::Status status = AtKey(key, FromArrow(files_->DeleteFile(Path(key))));
    return absl::IsNotFound(status) ? absl::OkStatus() : status;
  }

 private:
  std::string Path(absl::string_view key) const { return absl::StrCat(root_, "/", key); }

  // The size is told, so that none has to be asked for.
  absl::Status ReadAt(absl::string_view key, uint64_t size, uint64_t offset, absl::Span<char> out) {
    arrow::fs::FileInfo info(Path(key), arrow::fs::FileType::File);
    info.set_size(static_cast<int64_t>(size));
    TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::io::RandomAccessFile> file,
                             FromArrow(files_->OpenInputFile(info)));
    TESSERA_ASSIGN_OR_RETURN(const int64_t found, FromArrow(file->GetSize()));
    if (found != static_cast<int64_t>(size)) return WrongSize(found, size);
    TESSERA_ASSIGN_OR_RETURN(const int64_t count,
                             FromArrow(file->ReadAt(static_cast<int64_t>(offset),
                                                    static_cast<int64_t>(out.size()), out.data())));
    if (count == static_cast<int64_t>(out.size())) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("the answer ended after ", count, " bytes, expected ", out.size()));
  }

  absl::StatusOr<std::string> ReadWhole(absl::string_view key) {
    TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::io::InputStream> stream,
                             FromArrow(files_->OpenInputStream(Path(key))));
    constexpr int64_t kPiece = int64_t{1} << 20;
    std::string contents;
    while (true) {
      const size_t before = contents.size();
      contents.resize(before + kPiece);
      TESSERA_ASSIGN_OR_RETURN(const int64_t count,
                               FromArrow(stream->Read(kPiece, contents.data() + before)));
      contents.resize(before + count);
      if (count == 0) return contents;
    }
  }

  absl::Status WriteTo(const std::string& path, absl::Span<const absl::string_view> pieces) {
    TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::io::OutputStream> stream,
                             FromArrow(files_->OpenOutputStream(path)));
    for (const absl::string_view piece : pieces) {
      if (const arrow::Status status = stream->Write(piece.data(), piece.size()); !status.ok()) {
        stream->Abort().Warn();
        return FromArrow(status);
      }
    }
    return FromArrow(stream->Close());
  }

  absl::Status AtKey(absl::string_view key, const absl::Status& status) const {
    if (status.ok()) return status;
    if (absl::IsUnavailable(status)) {  // or it isn't there, which Arrow says in words alone
      const arrow::Result<arrow::fs::FileInfo> info = files_->GetFileInfo(Path(key));
      if (info.ok() && !info->IsFile()) {
        return AtObject(Uri(key), absl::NotFoundError(status.message()));
      }
    }
    return AtObject(Uri(key), status);
  }

  const std::string uri_;
  const std::shared_ptr<arrow::fs::FileSystem> files_;
  const std::string root_;
  const bool renames_;
};

}  // namespace

std::shared_ptr<Store> MakeArrowStore(std::string uri, std::shared_ptr<arrow::fs::FileSystem> files,
                                      std::string root, bool renames) {
  return std::make_shared<ArrowStore>(std::move(uri), std::move(files), std::move(root), renames);
}

absl::StatusOr<std::shared_ptr<Store>> OpenGcsStore(absl::string_view uri, absl::Duration timeout) {
  const UriParts parts = SplitUri(uri);
  if (parts.authority.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(uri, ": expected gs://BUCKET or gs://BUCKET/FOLDER"));
  }
  arrow::fs::GcsOptions options = GetEnv("GCS_ANONYMOUS") == "1"
                                      ? arrow::fs::GcsOptions::Anonymous()
                                      : arrow::fs::GcsOptions::Defaults();
  options.retry_limit_seconds = absl::ToDoubleSeconds(timeout);
  const absl::StatusOr<std::shared_ptr<arrow::fs::GcsFileSystem>> files =
      FromArrow(arrow::fs::GcsFileSystem::Make(options));
  if (!files.ok()) return AtObject(uri, files.status());
  return MakeArrowStore(std::string(WithoutSlashes(uri)), *files, parts.authority + parts.path,
                        /*renames=*/false);
}

absl::StatusOr<std::shared_ptr<Store>> OpenAzureStore(absl::string_view uri) {
  const UriParts parts = SplitUri(uri);
  const std::pair<std::string, std::string> names =
      absl::StrSplit(parts.authority, absl::MaxSplits('@', 1));
  arrow::fs::AzureOptions options;
  options.account_name = names.second.substr(0, names.second.find('.'));
  if (options.account_name.empty()) options.account_name = GetEnv("AZURE_ACCOUNT_NAME");
  if (names.first.empty() || options.account_name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(uri,
                     ": expected abfs://CONTAINER@ACCOUNT.dfs.core.windows.net/FOLDER, or "
                     "az://CONTAINER/FOLDER and the account in AZURE_ACCOUNT_NAME"));
  }
  const std::string key = GetEnv("AZURE_ACCOUNT_ACCESS_KEY");
  const std::string sas = GetEnv("AZURE_STORAGE_SAS_TOKEN");
  absl::Status status = FromArrow(!key.empty()   ? options.ConfigureAccountKeyCredential(key)
                                  : !sas.empty() ? options.ConfigureSASCredential(sas)
                                                 : options.ConfigureDefaultCredential());
  if (!status.ok()) return AtObject(uri, status);
  const absl::StatusOr<std::shared_ptr<arrow::fs::AzureFileSystem>> files =
      FromArrow(arrow::fs::AzureFileSystem::Make(options));
  if (!files.ok()) return AtObject(uri, files.status());
  return MakeArrowStore(std::string(WithoutSlashes(uri)), *files, names.first + parts.path,
                        /*renames=*/false);
}

absl::StatusOr<std::shared_ptr<Store>> OpenHdfsStore(absl::string_view uri) {
  const UriParts parts = SplitUri(uri);
  absl::string_view host = parts.authority;
  arrow::fs::HdfsOptions options;
  if (const size_t at = host.find('@'); at != absl::string_view::npos) {
    options.ConfigureUser(std::string(host.substr(0, at)));
    host.remove_prefix(at + 1);
  }
  int port = 0;  // the one of Hadoop's configuration
  if (const size_t colon = host.rfind(':'); colon != absl::string_view::npos) {
    if (!absl::SimpleAtoi(host.substr(colon + 1), &port)) host = {};
    host = host.substr(0, colon);
  }
  if (host.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(uri,
                     ": expected hdfs://HOST:PORT/FOLDER, or hdfs://default/FOLDER for the "
                     "cluster of Hadoop's configuration"));
  }
  options.ConfigureEndPoint(std::string(host), port);
  const absl::StatusOr<std::shared_ptr<arrow::fs::FileSystem>> files =
      FromArrow(arrow::fs::HadoopFileSystem::Make(options));
  if (!files.ok()) {
    return AtObject(uri, absl::UnavailableError(absl::StrCat(
                             files.status().message(),
                             " (libhdfs is found by HADOOP_HOME, JAVA_HOME and CLASSPATH)")));
  }
  return MakeArrowStore(std::string(WithoutSlashes(uri)), *files, parts.path, /*renames=*/true);
}

}  // namespace tessera
