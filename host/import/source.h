#ifndef SYSTOLITH_HOST_IMPORT_SOURCE_H_
#define SYSTOLITH_HOST_IMPORT_SOURCE_H_

#include <cstddef>
#include <string>

#include "host/base/status.h"
#include "host/graph/graph.h"

namespace systolith::import {

// What is being read, text or bytes: turns an offset in it into a place that a message can name.
class Source {
 public:
  virtual ~Source() = default;

  virtual graph::Location LocationOf(size_t offset) const = 0;
  virtual Status ErrorAt(size_t offset, const std::string& reason) const = 0;
  virtual Status RefuseAt(size_t offset, const std::string& reason) const = 0;  // Unsupported
};

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_SOURCE_H_
