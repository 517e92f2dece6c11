// SPDX-License-Identifier: BSD-3-Clause
// Arrow tables made by hand, for tests of their readers. Every buffer is a separate block of its
// exact size and is freed by the release callback, so that the address sanitizer detects reads out
// of bounds or after release. `live` counts the structures that were not released.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <prism/data/arrow_abi.hpp>
#include <string>
#include <utility>
#include <vector>

namespace test {

inline int live = 0;  // structures that were made and not released

/// If set, released buffers are not freed but reused for the next buffer of their size, at the same
/// address, as a producer with a memory pool does.
inline bool reuses_memory = false;
inline std::multimap<std::size_t, std::unique_ptr<char[]>> unused_memory;

using Buffer = std::optional<std::string>;  // none: a null pointer

struct ArrowColumn {
  std::string name = {};
  std::string format = {};
  std::int64_t length = 0;
  std::vector<Buffer> buffers = {};
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::shared_ptr<ArrowColumn> dictionary = {};
};

/// The private data of a structure.
template <class Struct>
struct Block {
  std::string format, name;
  std::multimap<std::size_t, std::unique_ptr<char[]>> memory;
  std::vector<const void*> buffers;
  std::vector<Struct*> children;
  Struct* dictionary = nullptr;

  static void release(Struct* structure) {
    auto* const own = static_cast<Block*>(structure->private_data);
    for (Struct* const child : own->children) {
      if (child->release != nullptr) child->release(child);
      delete child;
    }
    if (own->dictionary != nullptr) {
      if (own->dictionary->release != nullptr) own->dictionary->release(own->dictionary);
      delete own->dictionary;
    }
    if (reuses_memory) unused_memory.merge(own->memory);
    delete own;
    structure->release = nullptr;
    --live;
  }
};

inline ArrowSchema schema_node(const std::string& format, const std::string& name) {
  ArrowSchema schema{};
  auto* const own = new Block<ArrowSchema>{format, name, {}, {}, {}, nullptr};
  schema.format = own->format.c_str();
  schema.name = own->name.c_str();
  schema.private_data = own;
  schema.release = &Block<ArrowSchema>::release;
  ++live;
  return schema;
}

inline ArrowSchema schema_of(const ArrowColumn& column) {
  ArrowSchema schema = schema_node(column.format, column.name);
  if (column.dictionary) {
    schema.dictionary = new ArrowSchema(schema_of(*column.dictionary));
    static_cast<Block<ArrowSchema>*>(schema.private_data)->dictionary = schema.dictionary;
  }
  return schema;
}

/// The schema of a table.
inline ArrowSchema schema_of(const std::vector<ArrowColumn>& columns) {
  ArrowSchema schema = schema_node("+s", "");
  auto* const own = static_cast<Block<ArrowSchema>*>(schema.private_data);
  for (const ArrowColumn& column : columns)
    own->children.push_back(new ArrowSchema(schema_of(column)));
  schema.n_children = static_cast<std::int64_t>(own->children.size());
  schema.children = own->children.data();
  return schema;
}

inline ArrowArray array_of(const ArrowColumn& column) {
  ArrowArray array{};
  auto* const own = new Block<ArrowArray>{};
  for (const Buffer& buffer : column.buffers) {
    char* block = nullptr;
    if (buffer) {
      auto node = unused_memory.extract(buffer->size());
      const auto place =
          node.empty()
              ? own->memory.emplace(buffer->size(), std::make_unique<char[]>(buffer->size()))
              : own->memory.insert(std::move(node));
      block = place->second.get();
      std::memcpy(block, buffer->data(), buffer->size());
    }
    own->buffers.push_back(block);
  }
  array.length = column.length;
  array.null_count = column.null_count;
  array.offset = column.offset;
  array.n_buffers = static_cast<std::int64_t>(own->buffers.size());
  array.buffers = own->buffers.data();
  if (column.dictionary) {
    array.dictionary = new ArrowArray(array_of(*column.dictionary));
    own->dictionary = array.dictionary;
  }
  array.private_data = own;
  array.release = &Block<ArrowArray>::release;
  ++live;
  return array;
}

/// A record batch, with as many rows as its first column unless `batch` says otherwise.
inline ArrowArray array_of(const std::vector<ArrowColumn>& columns, ArrowColumn batch = {}) {
  if (batch.buffers.empty()) batch.buffers = {Buffer{}};
  if (batch.length == 0 && !columns.empty()) batch.length = columns[0].length;
  ArrowArray array = array_of(batch);
  auto* const own = static_cast<Block<ArrowArray>*>(array.private_data);
  for (const ArrowColumn& column : columns)
    own->children.push_back(new ArrowArray(array_of(column)));
  array.n_children = static_cast<std::int64_t>(own->children.size());
  array.children = own->children.data();
  return array;
}

/// The bytes of numbers.
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// A bitmap.
inline std::string bits_of(const std::vector<int>& values) {
  std::string bits((values.size() + 7) / 8, '\0');
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] != 0) bits[k / 8] = static_cast<char>(bits[k / 8] | 1 << k % 8);
  }
  return bits;
}

template <class T>
ArrowColumn numbers(const std::string& name, const std::string& format,
                    const std::vector<T>& values) {
  return {name, format, static_cast<std::int64_t>(values.size()), {Buffer{}, bytes_of(values)}};
}

template <class Offset = std::int32_t>
ArrowColumn texts(const std::string& name, const std::vector<std::string>& values,
                  const std::string& format = sizeof(Offset) == 4 ? "u" : "U") {
  std::vector<Offset> offsets{0};
  std::string bytes;
  for (const std::string& value : values) {
    bytes += value;
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  return {
      name, format, static_cast<std::int64_t>(values.size()), {Buffer{}, bytes_of(offsets), bytes}};
}

/// A column of string views, whose long texts alternate between two buffers.
inline ArrowColumn views(const std::string& name, const std::vector<std::string>& values,
                         const std::string& format = "vu") {
  std::string view, buffers[2];
  for (const std::string& value : values) {
    const auto add = [&](std::int32_t number) { view += bytes_of<std::int32_t>({number}); };
    add(static_cast<std::int32_t>(value.size()));
    if (value.size() <= 12) {
      view += value + std::string(12 - value.size(), '\0');
      continue;
    }
    const int buffer = buffers[0].size() <= buffers[1].size() ? 0 : 1;
    view += value.substr(0, 4);
    add(buffer);
    add(static_cast<std::int32_t>(buffers[buffer].size()));
    buffers[buffer] += value;
  }
  const std::vector<std::int64_t> lengths{static_cast<std::int64_t>(buffers[0].size()),
                                          static_cast<std::int64_t>(buffers[1].size())};
  return {name,
          format,
          static_cast<std::int64_t>(values.size()),
          {Buffer{}, view, buffers[0], buffers[1], bytes_of(lengths)}};
}

/// The column with nulls where `values` are 0.
inline ArrowColumn with_nulls(ArrowColumn column, const std::vector<int>& values) {
  column.buffers[0] = bits_of(values);
  column.null_count = -1;
  return column;
}

/// The column as indices into a dictionary.
template <class T>
ArrowColumn dictionary(const std::string& format, const std::vector<T>& indices,
                       ArrowColumn words) {
  ArrowColumn column = numbers(words.name, format, indices);
  words.name.clear();
  column.dictionary = std::make_shared<ArrowColumn>(std::move(words));
  return column;
}

/// A stream of tables, which all have the first one's columns.
class Stream {
 public:
  struct Own {
    std::vector<std::vector<ArrowColumn>> batches;
    std::size_t next = 0;
    int schema_error = 0;
    std::size_t fails_at = 1000;  // this batch is an error
    const char* error = nullptr;
  };

  static ArrowArrayStream of(std::vector<std::vector<ArrowColumn>> batches) {
    return of(Own{.batches = std::move(batches)});
  }
  static ArrowArrayStream of(Own own) {
    ++live;
    return {&schema, &batch, &error, &release, new Own(std::move(own))};
  }

 private:
  static Own& own(ArrowArrayStream* stream) { return *static_cast<Own*>(stream->private_data); }
  static int schema(ArrowArrayStream* stream, ArrowSchema* out) {
    if (own(stream).schema_error != 0) {
      std::memset(static_cast<void*>(out), 0x5A, sizeof *out);  // garbage that must not be released
      return own(stream).schema_error;
    }
    *out = schema_of(own(stream).batches.at(0));
    return 0;
  }
  static int batch(ArrowArrayStream* stream, ArrowArray* out) {
    Own& o = own(stream);
    if (o.next == o.fails_at) {
      std::memset(static_cast<void*>(out), 0x5A, sizeof *out);
      return 5;
    }
    *out = ArrowArray{};
    if (o.next < o.batches.size()) *out = array_of(o.batches[o.next++]);
    return 0;
  }
  static const char* error(ArrowArrayStream* stream) { return own(stream).error; }
  static void release(ArrowArrayStream* stream) {
    delete static_cast<Own*>(stream->private_data);
    stream->release = nullptr;
    --live;
  }
};

}  // namespace test
