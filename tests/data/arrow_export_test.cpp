// SPDX-License-Identifier: BSD-3-Clause
// Interactions and tables handed to Arrow: what a consumer sees, and when memory is freed.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prism/data/arrow.hpp"
#include "prism/data/utf8.hpp"
#include "support/arrow_taken.hpp"

using namespace prism;

namespace {

struct Taken : test::ArrowTaken {
  [[nodiscard]] std::string names() const {
    std::string names;
    for (std::int64_t k = 0; k < schema.n_children; ++k) {
      const ArrowSchema& child = *schema.children[k];
      names += std::string(child.name) + ":" + child.format;
      if (child.dictionary != nullptr) names += std::string("->") + child.dictionary->format;
      names += " ";
    }
    return names;
  }
};

/// Checks what holds for every structure of the specification, and that no value is null.
void check_whole(const ArrowSchema& schema, const ArrowArray& array) {
  REQUIRE(static_cast<bool>(schema.release));
  REQUIRE(static_cast<bool>(array.release));
  REQUIRE(schema.format != nullptr);
  REQUIRE(schema.name != nullptr);
  CHECK(schema.metadata == nullptr);
  CHECK(schema.flags == ARROW_FLAG_NULLABLE);
  CHECK(array.null_count == 0);
  CHECK(array.offset == 0);
  REQUIRE(array.buffers != nullptr);
  CHECK(array.buffers[0] == nullptr);
  const std::string_view format = schema.format;
  const bool text = format == "u" || format == "z" || format == "U" || format == "Z";
  CHECK(array.n_buffers == (format.starts_with('+') ? 1 : text ? 3 : 2));
  REQUIRE(schema.n_children == array.n_children);
  for (std::int64_t k = 0; k < schema.n_children; ++k) {
    check_whole(*schema.children[k], *array.children[k]);
    const std::int64_t each = format.starts_with("+w:") ? std::stol(schema.format + 3) : 1;
    CHECK(array.children[k]->length == each * array.length);
  }
  REQUIRE((schema.dictionary != nullptr) == (array.dictionary != nullptr));
  if (schema.dictionary != nullptr) check_whole(*schema.dictionary, *array.dictionary);
}

std::shared_ptr<const Ids> ids_of(const std::vector<std::string>& names) {
  const auto ids = std::make_shared<Ids>();
  for (const std::string& name : names) ids->intern(name);
  return ids;
}

const std::vector<Interaction> pairs{{0, 1}, {0, 2}, {2, 0}, {2, 1}};

Interactions some(std::vector<double> times = {}) {
  return {ids_of({"ann", "bob", "\xC5\xBB"}), ids_of({"x", "", "long item"}), pairs, times};
}

std::string text_at(const ArrowArray& array, std::int64_t row) {
  std::int32_t from = 0, to = 0;
  std::memcpy(&from, static_cast<const std::int32_t*>(array.buffers[1]) + row, 4);
  std::memcpy(&to, static_cast<const std::int32_t*>(array.buffers[1]) + row + 1, 4);
  return {static_cast<const char*>(array.buffers[2]) + from, static_cast<std::size_t>(to - from)};
}

}  // namespace

TEST_CASE("interactions are columns of indices into the ids") {
  Taken taken;
  export_arrow(some(), &taken.schema, &taken.array);
  check_whole(taken.schema, taken.array);
  CHECK(std::string(taken.schema.format) == "+s");
  CHECK(taken.names() == "user:i->u item:i->u ");
  CHECK(taken.array.length == 4);
  const auto* const users = static_cast<const std::int32_t*>(taken.array.children[0]->buffers[1]);
  const auto* const items = static_cast<const std::int32_t*>(taken.array.children[1]->buffers[1]);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    CHECK(users[k] == static_cast<std::int32_t>(pairs[k].user));
    CHECK(items[k] == static_cast<std::int32_t>(pairs[k].item));
  }
  REQUIRE(taken.array.children[0]->dictionary->length == 3);
  CHECK(text_at(*taken.array.children[0]->dictionary, 1) == "bob");
  CHECK(text_at(*taken.array.children[0]->dictionary, 2) == "\xC5\xBB");
  CHECK(text_at(*taken.array.children[1]->dictionary, 1).empty());
  CHECK(text_at(*taken.array.children[1]->dictionary, 2) == "long item");
}

TEST_CASE("interactions are columns of the ids themselves, and of times, on request") {
  Taken taken;
  export_arrow(some({4, 3, 2, 1.5}), &taken.schema, &taken.array, {.dictionary = false});
  check_whole(taken.schema, taken.array);
  CHECK(taken.names() == "user:u item:u timestamp:g ");
  CHECK(text_at(*taken.array.children[0], 1) == "ann");
  CHECK(text_at(*taken.array.children[0], 3) == "\xC5\xBB");
  CHECK(text_at(*taken.array.children[1], 1) == "long item");
  CHECK(static_cast<const double*>(taken.array.children[2]->buffers[1])[3] == 1.5);
}

TEST_CASE("interactions that were handed over are read back as they were") {
  const Interactions before(ids_of({"ann", "bob"}), ids_of({"x", "y"}),
                            std::vector<Interaction>{{0, 0}, {0, 1}, {1, 1}},
                            std::vector<double>{3, 2, 1});
  for (const bool dictionary : {true, false}) {
    for (const bool binary : {true, false}) {
      Taken taken;
      export_arrow(before, &taken.schema, &taken.array,
                   {.dictionary = dictionary, .binary = binary});
      const Interactions after = read_arrow(&taken.schema, &taken.array);
      CHECK(*after.user_ids() == *before.user_ids());
      CHECK(*after.item_ids() == *before.item_ids());
      REQUIRE(after.size() == 3);
      for (std::size_t k = 0; k < 3; ++k) {
        CHECK(after[k] == before[k]);
        CHECK(after.times()[k] == before.times()[k]);
      }
    }
  }
}

TEST_CASE("what is handed over outlives the interactions, and is empty where they are") {
  Taken taken;
  {
    const Interactions interactions = some({4, 3, 2, 1});
    export_arrow(interactions, &taken.schema, &taken.array);
  }
  CHECK(text_at(*taken.array.children[0]->dictionary, 0) == "ann");
  for (const bool dictionary : {true, false}) {
    Taken empty;
    export_arrow(Interactions(), &empty.schema, &empty.array, {.dictionary = dictionary});
    check_whole(empty.schema, empty.array);
    CHECK(empty.array.length == 0);
  }
}

TEST_CASE(
    "a table is a column of ids and one of lists, its rows not copied where it has an owner") {
  const auto numbers = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4, 5, 6});
  const Rows<const float> rows(numbers->data(), 3, 2);
  const auto ids = ids_of({"a", "b", "c"});
  Taken viewed, copied;
  export_arrow(rows, *ids, &viewed.schema, &viewed.array, numbers);
  export_arrow(rows, *ids, &copied.schema, &copied.array);
  for (const Taken* const taken : {&viewed, &copied}) {
    check_whole(taken->schema, taken->array);
    CHECK(taken->names() == "id:u embedding:+w:2 ");
    CHECK(std::string(taken->schema.children[1]->children[0]->format) == "f");
    CHECK(text_at(*taken->array.children[0], 2) == "c");
    const auto* const values =
        static_cast<const float*>(taken->array.children[1]->children[0]->buffers[1]);
    CHECK((values == numbers->data()) == (taken == &viewed));
    CHECK(std::memcmp(values, numbers->data(), 6 * sizeof(float)) == 0);
  }
  CHECK(reinterpret_cast<std::uintptr_t>(copied.array.children[1]->children[0]->buffers[1]) % 64 ==
        0);
}

TEST_CASE("an owner is kept until the last part that needs it is released") {
  auto numbers = std::make_shared<std::vector<double>>(6, 0.5);
  const std::weak_ptr<std::vector<double>> alive = numbers;
  Taken taken;
  export_arrow(Rows<const double>(numbers->data(), 2, 3), *ids_of({"a", "b"}), &taken.schema,
               &taken.array, numbers);
  numbers.reset();
  CHECK_FALSE(alive.expired());
  CHECK(std::string(taken.schema.children[1]->children[0]->format) == "g");

  // A consumer may move a part out, and release the rest.
  Taken part;
  part.array = *taken.array.children[1];
  taken.array.children[1]->release = nullptr;
  part.schema = *taken.schema.children[1];
  taken.schema.children[1]->release = nullptr;
  taken.array.release(&taken.array);
  taken.schema.release(&taken.schema);
  CHECK_FALSE(static_cast<bool>(taken.array.release));
  CHECK_FALSE(static_cast<bool>(taken.schema.release));
  CHECK_FALSE(alive.expired());
  CHECK(std::string(part.schema.format) == "+w:3");
  CHECK(static_cast<const double*>(part.array.children[0]->buffers[1])[5] == 0.5);
  part.array.release(&part.array);
  CHECK(alive.expired());
}

TEST_CASE("a dictionary that a consumer moved out lives on by itself") {
  Taken taken, words;
  export_arrow(some(), &taken.schema, &taken.array);
  words.array = *taken.array.children[0]->dictionary;
  taken.array.children[0]->dictionary->release = nullptr;
  taken.array.release(&taken.array);
  CHECK(text_at(words.array, 1) == "bob");
}

TEST_CASE("ids that are not UTF-8 are an error, or binary") {
  const Interactions latin(ids_of({"Andr\xE9"}), ids_of({"x"}), std::vector<Interaction>{{0, 0}});
  Taken taken;
  CHECK_THROWS_WITH_AS(
      export_arrow(latin, &taken.schema, &taken.array),
      "user_ids: row 0 has an id that is not valid UTF-8, as Arrow's strings must be; pass "
      "binary = true",
      ArgumentError);
  CHECK_FALSE(static_cast<bool>(taken.array.release));
  export_arrow(latin, &taken.schema, &taken.array, {.binary = true});
  CHECK(taken.names() == "user:i->z item:i->z ");
  const float number = 1;
  Taken table;
  CHECK_THROWS_AS(export_arrow(Rows<const float>(&number, 1, 1), *latin.user_ids(), &table.schema,
                               &table.array),
                  ArgumentError);
  export_arrow(Rows<const float>(&number, 1, 1), *latin.user_ids(), &table.schema, &table.array,
               nullptr, {.binary = true});
  CHECK(table.names() == "id:z embedding:+w:1 ");
}

TEST_CASE("arguments that do not fit are an error") {
  const std::vector<float> numbers(4);
  Taken taken;
  CHECK_THROWS_WITH_AS(export_arrow(Rows<const float>(numbers.data(), 2, 2), *ids_of({"a"}),
                                    &taken.schema, &taken.array),
                       "ids: must have one id for each of the 2 rows, not 1", ArgumentError);
  CHECK_THROWS_AS(export_arrow(some(), nullptr, &taken.array), ArgumentError);
  CHECK_THROWS_AS(export_arrow(some(), &taken.schema, nullptr), ArgumentError);
}

TEST_CASE("texts have offsets of 64 bits where 32 do not reach") {
  const std::vector<std::string> texts{"abc", "", "de"};
  const auto build = [&](std::size_t most) {
    return detail::arrow_texts(
        "t", false, texts.size(), [&](std::size_t k) { return std::string_view(texts[k]); }, most);
  };
  const detail::ArrowPart narrow = build(5), wide = build(4);
  CHECK(std::string((*narrow.schema).format) == "u");
  CHECK(std::string((*wide.schema).format) == "U");
  const std::vector<std::int64_t> offsets{0, 3, 3, 5};
  CHECK(std::memcmp((*wide.array).buffers[1], offsets.data(), 4 * sizeof(std::int64_t)) == 0);
  CHECK(std::memcmp((*wide.array).buffers[2], "abcde", 5) == 0);
}

TEST_CASE("UTF-8 is what the Unicode standard says") {
  for (const char* const good : {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
                                 "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
                                 "\xF4\x8F\xBF\xBF", "Za\xC5\xBC\xC3\xB3\xC5\x82\xC4\x87"}) {
    CAPTURE(good);
    CHECK(detail::is_utf8(good));
  }
  for (const char* const bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2x", "\xE0\x9F\xBF", "\xE0\xA0",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xF0\x90\x80", "\xFF", "ok\xE9"}) {
    CAPTURE(bad);
    CHECK_FALSE(detail::is_utf8(bad));
  }
}
