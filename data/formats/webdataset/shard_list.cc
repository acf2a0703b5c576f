#include "data/formats/webdataset/shard_list.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

using Names = std::vector<std::string>;

constexpr int64_t kMostNumber = 1'000'000'000'000'000;  // so that no difference overflows
constexpr int kMostDepth = 100;

// "{1..9..2}" in its parts.
struct Range {
  int64_t first = 0, last = 0;
  int64_t step = 1;  // without its sign: the direction is that from first to last
  int width = 0;
  bool letters = false;
};

bool ParseNumber(absl::string_view text, int64_t* value) {
  absl::string_view digits = text;
  if (absl::StartsWith(digits, "-")) digits.remove_prefix(1);
  return !digits.empty() && digits.find_first_not_of("0123456789") == absl::string_view::npos &&
         absl::SimpleAtoi(text, value) && std::abs(*value) <= kMostNumber;
}

// Whether it has a zero in front: then all numbers of its range are as wide.
bool IsPadded(absl::string_view number) {
  if (absl::StartsWith(number, "-")) number.remove_prefix(1);
  return number.size() > 1 && number[0] == '0';
}

// Letters in Python's order: capitals first, with nothing between Z and a.
bool ParseLetter(absl::string_view text, int64_t* number) {
  if (text.size() != 1 || !absl::ascii_isalpha(text[0])) return false;
  *number = absl::ascii_isupper(text[0]) ? text[0] - 'A' : 26 + text[0] - 'a';
  return true;
}

char Letter(int64_t number) {
  return static_cast<char>(number < 26 ? 'A' + number : 'a' + number - 26);
}

std::optional<Range> ParseRange(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, "..");
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  Range range;
  if (parts.size() == 3) {
    if (!ParseNumber(parts[2], &range.step)) return std::nullopt;
    range.step = std::max<int64_t>(1, std::abs(range.step));
  }
  range.letters = ParseLetter(parts[0], &range.first) && ParseLetter(parts[1], &range.last);
  if (range.letters) return range;
  if (!ParseNumber(parts[0], &range.first) || !ParseNumber(parts[1], &range.last)) {
    return std::nullopt;
  }
  if (IsPadded(parts[0]) || IsPadded(parts[1])) {
    range.width = static_cast<int>(std::max(parts[0].size(), parts[1].size()));
  }
  return range;
}

// Reads a list from its first character to its last.
class Expander {
 public:
  explicit Expander(absl::string_view text) : text_(text) {}

  absl::StatusOr<Names> Expand() {
    TESSERA_ASSIGN_OR_RETURN(Names names, Sequence(0));
    if (at_ < text_.size()) return Error(at_, "\"}\" without a \"{\"");
    return names;
  }

 private:
  // Parts one after the other: up to the end or, in braces, to a "," or "}" of these.
  absl::StatusOr<Names> Sequence(int depth) {
    Names names = {""};
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '}' || (depth > 0 && c == ',')) break;
      if (c == '{') {
        TESSERA_ASSIGN_OR_RETURN(const Names items, Braces(depth + 1));
        TESSERA_ASSIGN_OR_RETURN(names, EachWithEach(names, items));
        continue;
      }
      if (c == '\\' && at_ + 1 < text_.size()) ++at_;
      for (std::string& name : names) name += text_[at_];
      ++at_;
    }
    return names;
  }

  // A range, or alternatives.
  absl::StatusOr<Names> Braces(int depth) {
    const size_t open = at_;
    if (depth > kMostDepth)
      return Error(open, absl::StrCat("more than ", kMostDepth, " in each other"));
    const size_t end = text_.find_first_of("{},\\", open + 1);
    if (end != absl::string_view::npos && text_[end] == '}') {
      const std::optional<Range> range = ParseRange(text_.substr(open + 1, end - open - 1));
      if (!range.has_value()) {
        return Error(open, absl::StrCat(text_.substr(open, end + 1 - open),
                                        " holds neither a list {a,b} nor a range {000..123}"));
      }
      at_ = end + 1;
      return ExpandRange(*range);
    }
    Names names;
    size_t alternatives = 0;
    do {
      ++at_;  // the "{" or ","
      TESSERA_ASSIGN_OR_RETURN(Names items, Sequence(depth));
      if (at_ == text_.size()) return Error(open, "\"{\" without a \"}\"");
      if (names.size() + items.size() > kMostShards) return TooMany();
      std::move(items.begin(), items.end(), std::back_inserter(names));
      ++alternatives;
    } while (text_[at_] == ',');
    ++at_;  // the "}"
    if (alternatives == 1) {
      return Error(open, absl::StrCat(text_.substr(open, at_ - open),
                                      " holds neither a list {a,b} nor a range {000..123}"));
    }
    return names;
  }

  absl::StatusOr<Names> ExpandRange(const Range& range) const {
    const int64_t count = std::abs(range.last - range.first) / range.step + 1;
    if (static_cast<uint64_t>(count) > kMostShards) return TooMany();
    const int64_t step = range.first <= range.last ? range.step : -range.step;
    Names names;
    names.reserve(count);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = range.first + i * step;
      if (range.letters) {
        names.emplace_back(1, Letter(value));
      } else {
        names.push_back(absl::StrFormat("%0*d", range.width, value));
      }
    }
    return names;
  }

  absl::StatusOr<Names> EachWithEach(const Names& fronts, const Names& backs) const {
    if (fronts.size() * backs.size() > kMostShards) return TooMany();  // both are at most that
    Names names;
    names.reserve(fronts.size() * backs.size());
    for (const std::string& front : fronts) {
      for (const std::string& back : backs) names.push_back(front + back);
    }
    return names;
  }

  absl::Status Error(size_t at, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("in the list of shards \"", text_, "\", character ", at + 1, ": ", what));
  }

  absl::Status TooMany() const {
    return absl::InvalidArgumentError(absl::StrCat(
        "the list of shards \"", text_, "\" stands for more than ", kMostShards, " names"));
  }

  absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandShardList(absl::string_view list) {
  Names names;
  for (const absl::string_view part : absl::StrSplit(list, "::")) {
    if (part.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the list of shards \"", list, "\" has an empty part"));
    }
    TESSERA_ASSIGN_OR_RETURN(Names more, Expander(part).Expand());
    if (names.size() + more.size() > kMostShards) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the list of shards \"", list, "\" stands for more than ", kMostShards, " names"));
    }
    std::move(more.begin(), more.end(), std::back_inserter(names));
  }
  return names;
}

}  // namespace tessera
