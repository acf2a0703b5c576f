#ifndef TESSERA_DATA_ORDER_LISTED_ORDER_H_
#define TESSERA_DATA_ORDER_LISTED_ORDER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "data/order/sample_order.h"

namespace tessera {

// An epoch whose ids are kept in a list.
class ListedOrder : public EpochOrder {
 public:
  explicit ListedOrder(std::vector<int64_t> ids) : ids_(std::move(ids)) {}

  int64_t size() const override { return static_cast<int64_t>(ids_.size()); }
  int64_t At(int64_t position) const override { return ids_[position]; }

 private:
  std::vector<int64_t> ids_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_ORDER_LISTED_ORDER_H_
