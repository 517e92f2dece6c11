// SPDX-License-Identifier: BSD-3-Clause
// Builds Arrow's C structures for a consumer, each of which keeps the memory that it needs alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/memory.hpp"
#include "prism/data/arrow_abi.hpp"
#include "prism/data/arrow_owned.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A column or a record batch: its description and its values.
struct ArrowPart {
  ArrowOwned<ArrowSchema> schema;
  ArrowOwned<ArrowArray> array;
};

/// The children and the dictionary of a structure. They are released with it, except those that a
/// consumer has moved out, which live on independently.
template <class Struct>
class ArrowBelow {
 public:
  ArrowBelow(std::vector<ArrowOwned<Struct>> children, ArrowOwned<Struct> dictionary)
      : children_(std::move(children)), dictionary_(std::move(dictionary)) {
    for (auto& child : children_) pointers_.push_back(child.get());
  }
  void describe(Struct& structure) noexcept {
    structure.n_children = static_cast<std::int64_t>(children_.size());
    structure.children = children_.empty() ? nullptr : pointers_.data();
    structure.dictionary = dictionary_ ? dictionary_.get() : nullptr;
  }

 private:
  std::vector<ArrowOwned<Struct>> children_;
  std::vector<Struct*> pointers_;
  ArrowOwned<Struct> dictionary_;
};

/// Deletes a structure's private_data, and marks the structure as released.
template <class Private, class Struct>
void release_arrow(Struct* structure) {
  delete static_cast<Private*>(structure->private_data);
  structure->private_data = nullptr;
  structure->release = nullptr;
}

/// Makes a nullable field, which is Arrow's default, although no value is null: for a consumer, a
/// non-nullable field would make another type.
[[nodiscard]] inline ArrowOwned<ArrowSchema> make_arrow_schema(
    std::string format, std::string name, std::vector<ArrowOwned<ArrowSchema>> children = {},
    ArrowOwned<ArrowSchema> dictionary = {}) {
  struct Private {
    std::string format, name;
    ArrowBelow<ArrowSchema> below;
  };
  auto own = std::make_unique<Private>(
      Private{std::move(format), std::move(name), {std::move(children), std::move(dictionary)}});
  ArrowSchema schema{};
  schema.format = own->format.c_str();
  schema.name = own->name.c_str();
  schema.flags = ARROW_FLAG_NULLABLE;
  own->below.describe(schema);
  schema.release = &release_arrow<Private, ArrowSchema>;
  schema.private_data = own.release();
  return ArrowOwned<ArrowSchema>(&schema);
}

/// @param buffers  all but the first, the validity buffer: no value is null
/// @param memory   keeps the buffers alive
[[nodiscard]] inline ArrowOwned<ArrowArray> make_arrow_array(
    std::size_t length, const std::vector<const void*>& buffers, std::shared_ptr<const void> memory,
    std::vector<ArrowOwned<ArrowArray>> children = {}, ArrowOwned<ArrowArray> dictionary = {}) {
  struct Private {
    std::vector<const void*> buffers;
    std::shared_ptr<const void> memory;
    ArrowBelow<ArrowArray> below;
  };
  auto own = std::make_unique<Private>(
      Private{{nullptr}, std::move(memory), {std::move(children), std::move(dictionary)}});
  own->buffers.insert(own->buffers.end(), buffers.begin(), buffers.end());
  ArrowArray array{};
  array.length = static_cast<std::int64_t>(length);
  array.n_buffers = static_cast<std::int64_t>(own->buffers.size());
  array.buffers = own->buffers.data();
  own->below.describe(array);
  array.release = &release_arrow<Private, ArrowArray>;
  array.private_data = own.release();
  return ArrowOwned<ArrowArray>(&array);
}

/// A column that owns its numbers.
template <class T>
[[nodiscard]] ArrowPart arrow_numbers(std::string name, const char* format, TableVector<T> numbers,
                                      ArrowPart dictionary = {}) {
  const auto owned = std::make_shared<const TableVector<T>>(std::move(numbers));
  return {make_arrow_schema(format, std::move(name), {}, std::move(dictionary.schema)),
          make_arrow_array(owned->size(), {owned->data()}, owned, {}, std::move(dictionary.array))};
}

/// A column of texts, which are copied: utf8 or binary, with 32-bit offsets if these suffice, or
/// else 64-bit ones.
/// @param text_of  returns the text of a row, the same in each call
/// @param most     the most bytes of text for which 32-bit offsets are used
template <class TextOf>
[[nodiscard]] ArrowPart arrow_texts(std::string name, bool binary, std::size_t count,
                                    const TextOf& text_of,
                                    std::size_t most = std::numeric_limits<std::int32_t>::max()) {
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < count; ++row) bytes += text_of(row).size();
  const auto build = [&]<class Offset>(Offset, const char* format) -> ArrowPart {
    struct Texts {
      TableVector<Offset> offsets;
      TableVector<char> bytes;
    };
    Texts texts;
    texts.offsets.reserve(count + 1);
    texts.bytes.reserve(bytes + 1);  // never null
    texts.offsets.push_back(0);
    for (std::size_t row = 0; row < count; ++row) {
      const std::string_view text = text_of(row);
      texts.bytes.insert(texts.bytes.end(), text.begin(), text.end());
      texts.offsets.push_back(static_cast<Offset>(texts.bytes.size()));
    }
    const auto owned = std::make_shared<const Texts>(std::move(texts));
    return {make_arrow_schema(format, std::move(name)),
            make_arrow_array(count, {owned->offsets.data(), owned->bytes.data()}, owned)};
  };
  return bytes <= most ? build(std::int32_t{}, binary ? "z" : "u")
                       : build(std::int64_t{}, binary ? "Z" : "U");
}

/// A column of rows of dim numbers, as fixed-size lists. It views the rows.
/// @param memory  keeps the rows alive
template <class T>
[[nodiscard]] ArrowPart arrow_rows(std::string name, const T* rows, std::size_t count,
                                   std::size_t dim, const std::shared_ptr<const void>& memory) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  std::vector<ArrowOwned<ArrowSchema>> schemas;
  schemas.push_back(make_arrow_schema(sizeof(T) == 4 ? "f" : "g", "item"));
  std::vector<ArrowOwned<ArrowArray>> arrays;
  arrays.push_back(make_arrow_array(count * dim, {rows}, memory));
  return {make_arrow_schema("+w:" + std::to_string(dim), std::move(name), std::move(schemas)),
          make_arrow_array(count, {}, nullptr, std::move(arrays))};
}

/// A record batch of columns.
[[nodiscard]] inline ArrowPart arrow_batch(std::size_t length, std::vector<ArrowPart> columns) {
  std::vector<ArrowOwned<ArrowSchema>> schemas;
  std::vector<ArrowOwned<ArrowArray>> arrays;
  for (ArrowPart& column : columns) {
    schemas.push_back(std::move(column.schema));
    arrays.push_back(std::move(column.array));
  }
  return {make_arrow_schema("+s", "", std::move(schemas)),
          make_arrow_array(length, {}, nullptr, std::move(arrays))};
}

}  // namespace prism::inline PRISM_ISA::detail
