#include "tools/convert/convert_split.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"
#include "base/run_in_order.h"
#include "base/status_macros.h"
#include "data/formats/hash/hash.h"
#include "data/storage/open_store.h"
#include "data/storage/store.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Rows that a thread makes at a time.
constexpr int64_t kChunk = 16;

// Of the request that writes one shard.
constexpr absl::Duration kWriteTimeout = absl::Minutes(10);

bool IsFolder(absl::string_view to) { return !absl::StrContains(to, "://"); }

absl::StatusOr<std::string> Fingerprint(const ConvertOptions& options, const ConvertJob& job) {
  const std::string text = absl::StrCat(
      job.source, "\n", job.rows.size(), " ", static_cast<int>(options.shards.format), " ",
      options.shards.size_limit, " ", options.shards.compression, " ",
      absl::StrJoin(options.shards.hashes, ","), " ",
      absl::StrJoin(job.rows.columns(), ",", [](std::string* out, const RowColumn& column) {
        absl::StrAppend(out, column.name, ":", column.encoding);
      }));
  return HashHex("xxh64", text);
}

// One conversion into a place of its own.
class Conversion {
 public:
  // `folder`: where `store` is a folder that holds nothing else, its path.
  Conversion(const ConvertOptions& options, const ConvertJob& job, std::shared_ptr<Store> store,
             std::string folder = "")
      : options_(options), job_(job), store_(std::move(store)), folder_(std::move(folder)) {}

  absl::StatusOr<ConvertSummary> Run(const std::function<void(int64_t)>& progress) {
    TESSERA_RETURN_IF_ERROR(Start());
    if (!journal_.done) {
      TESSERA_RETURN_IF_ERROR(WriteRows(progress));
      TESSERA_RETURN_IF_ERROR(Finish());
    }
    return ConvertSummary{.samples = journal_.samples,
                          .bytes = journal_.bytes,
                          .shards = journal_.shards,
                          .skipped = journal_.skipped,
                          .resumed = resumed_};
  }

  // Whether a later conversion can take up something.
  bool left_something() const { return journal_.shards > 0; }

 private:
  // Takes up what an earlier conversion has left, or begins.
  absl::Status Start() {
    TESSERA_ASSIGN_OR_RETURN(journal_.fingerprint, Fingerprint(options_, job_));
    TESSERA_ASSIGN_OR_RETURN(std::optional<Journal> journal,
                             ReadJournal(*store_, journal_.fingerprint));
    if (journal.has_value() && journal->done) {
      journal_ = *std::move(journal);
      resumed_ = journal_.samples;
      return absl::OkStatus();
    }
    // Of an interrupted conversion there may be an index: it comes just before the note.
    TESSERA_RETURN_IF_ERROR(RemoveIndex(options_.shards.format, *store_));
    if (journal.has_value()) {
      absl::StatusOr<std::unique_ptr<ShardWriter>> writer = MakeWriter(journal->written);
      if (writer.ok()) {
        writer_ = *std::move(writer);
        journal_ = *std::move(journal);
        resumed_ = journal_.samples;
        return absl::OkStatus();
      }
      LOG(WARNING) << "begins anew: " << writer.status().message();
    }
    // Shards of another conversion would stay as files that no index names.
    std::error_code error;
    for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
      std::error_code ignored;
      fs::remove_all(at->path(), ignored);
    }
    TESSERA_ASSIGN_OR_RETURN(writer_, MakeWriter(""));
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<ShardWriter>> MakeWriter(const std::string& written) const {
    return MakeShardWriter(options_.shards, job_.rows.columns(), store_, written);
  }

  absl::Status WriteRows(const std::function<void(int64_t)>& progress) {
    return RunInOrder<absl::StatusOr<Row>>(
        journal_.next, job_.order.size(), options_.num_threads, kChunk,
        [&](int64_t position) { return job_.rows.Get(job_.order.At(position)); },
        [&](int64_t position, absl::StatusOr<Row> row) {
          TESSERA_RETURN_IF_ERROR(Use(position, std::move(row)));
          progress(position + 1);
          return absl::OkStatus();
        });
  }

  absl::Status Use(int64_t position, absl::StatusOr<Row> row) {
    if (!row.ok()) {
      if (!options_.skip_bad) return row.status();
      journal_.skipped.Add(std::string(row.status().message()));
      return absl::OkStatus();
    }
    const int64_t before = writer_->num_shards();
    TESSERA_RETURN_IF_ERROR(writer_->Write(*row));
    // A shard is written before the row that did not fit it is added. Of many shards not each is
    // noted, so that the notes of a conversion are not much larger together than the last one.
    const int64_t shards = writer_->num_shards();
    if (shards > before && shards > journal_.shards + journal_.shards / 32) {
      TESSERA_RETURN_IF_ERROR(Note(position));
    }
    ++journal_.samples;
    journal_.bytes += row->source_bytes;
    return absl::OkStatus();
  }

  // Notes that all rows before `position` are written.
  absl::Status Note(int64_t position) {
    journal_.next = position;
    journal_.written = writer_->Written();
    journal_.shards = writer_->num_shards();
    return WriteJournal(*store_, journal_);
  }

  absl::Status Finish() {
    if (journal_.samples == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("all ", journal_.skipped.count,
                       " samples are bad; the first: ", journal_.skipped.reasons.front()));
    }
    TESSERA_RETURN_IF_ERROR(writer_->Finish());
    journal_.done = true;
    return Note(job_.order.size());
  }

  const ConvertOptions& options_;
  const ConvertJob& job_;
  const std::shared_ptr<Store> store_;
  const std::string folder_;
  std::unique_ptr<ShardWriter> writer_;
  Journal journal_;  // as it is written, but for the counts, which run ahead of it
  int64_t resumed_ = 0;
};

absl::StatusOr<std::shared_ptr<Store>> OpenSplit(const ConvertOptions& options,
                                                 const std::string& split) {
  return OpenStore(absl::StrCat(absl::StripSuffix(options.to, "/"), "/", split), kWriteTimeout);
}

absl::Status GoesOn(const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(status.message(),
                                                  "; what is written is kept: the same command "
                                                  "goes on from there"));
}

absl::StatusOr<ConvertSummary> ConvertToStore(const ConvertOptions& options, const ConvertJob& job,
                                              const std::function<void(int64_t)>& progress) {
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<Store> store, OpenSplit(options, job.split));
  Conversion conversion(options, job, std::move(store));
  absl::StatusOr<ConvertSummary> summary = conversion.Run(progress);
  if (!summary.ok() && conversion.left_something()) return GoesOn(summary.status());
  return summary;
}

// Makes the folder in which a split is written, and keeps others out of it.
absl::StatusOr<FileDescriptor> LockFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot make ", folder.string(), ": ", error.message()));
  }
  FileDescriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.open() || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return absl::UnavailableError(
        absl::StrCat(folder.string(), ": another process writes this set"));
  }
  return lock;
}

// Whether this conversion has written there, to the end or not.
absl::StatusOr<bool> IsOwn(const ConvertOptions& options, const ConvertJob& job, Store& store) {
  TESSERA_ASSIGN_OR_RETURN(const std::string fingerprint, Fingerprint(options, job));
  TESSERA_ASSIGN_OR_RETURN(const std::optional<Journal> journal, ReadJournal(store, fingerprint));
  return journal.has_value();
}

absl::StatusOr<ConvertSummary> ConvertToFolder(const ConvertOptions& options, const ConvertJob& job,
                                               const std::function<void(int64_t)>& progress) {
  const fs::path to = fs::path(options.to) / job.split;
  const fs::path partial = fs::path(options.to) / absl::StrCat(".partial-", job.split);
  std::error_code error;
  if (fs::exists(to, error)) return ConvertToStore(options, job, progress);  // it is done
  const bool made = !fs::exists(options.to, error);
  TESSERA_ASSIGN_OR_RETURN(const FileDescriptor lock, LockFolder(partial));
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<Store> store,
                           OpenStore(partial.string(), kWriteTimeout));
  Conversion conversion(options, job, std::move(store), partial.string());
  absl::StatusOr<ConvertSummary> summary = conversion.Run(progress);
  if (summary.ok()) {
    fs::rename(partial, to, error);
    if (!error) return summary;
    return absl::UnavailableError(
        absl::StrCat("cannot rename ", partial.string(), ": ", error.message()));
  }
  if (conversion.left_something()) return GoesOn(summary.status());
  fs::remove_all(partial, error);
  if (made) fs::remove(options.to, error);  // only if nothing else came into it
  return summary;
}

}  // namespace

absl::Status CheckSplitIsFree(const ConvertOptions& options, const ConvertJob& job) {
  const fs::path to = fs::path(options.to) / job.split;
  std::error_code error;
  if (IsFolder(options.to) && !fs::exists(to, error)) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<Store> store, OpenSplit(options, job.split));
  TESSERA_ASSIGN_OR_RETURN(const bool own, IsOwn(options, job, *store));
  if (own) return absl::OkStatus();
  if (!IsFolder(options.to)) return CheckIsFree(options.shards.format, *store);
  return absl::AlreadyExistsError(
      absl::StrCat(to.string(), " exists; remove it, or choose another --to"));
}

absl::StatusOr<ConvertSummary> ConvertSplit(const ConvertOptions& options, const ConvertJob& job,
                                            const std::function<void(int64_t)>& progress) {
  return IsFolder(options.to) ? ConvertToFolder(options, job, progress)
                              : ConvertToStore(options, job, progress);
}

absl::Status FinishConversion(const ConvertOptions& options, const std::string& split) {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<Store> store, OpenSplit(options, split));
  return RemoveJournal(*store);
}

}  // namespace tessera
