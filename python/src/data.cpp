// SPDX-License-Identifier: BSD-3-Clause
// Interactions and splits.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <prism/arrow.hpp>
#include <prism/core/error.hpp>
#include <prism/data.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "module.hpp"

namespace prismcf {

namespace {

using namespace prism;

using TimeArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IdArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Texts = std::vector<nb::bytes>;  // UTF-8; what is not, as Python's surrogateescape has it
using IdsOfPairs = std::variant<IdArray, Texts>;

std::string_view text_of(const nb::bytes& text) { return {text.c_str(), text.size()}; }

/// The row of each pair's id, and the ids.
std::pair<std::vector<Index>, std::shared_ptr<const Ids>> numbered(const IdsOfPairs& values) {
  auto ids = std::make_shared<Ids>();
  std::vector<Index> rows;
  if (const auto* const numbers = std::get_if<IdArray>(&values)) {
    rows.reserve(numbers->size());
    for (std::size_t k = 0; k < numbers->size(); ++k) {
      rows.push_back(ids->intern(std::to_string((*numbers)(k))));
    }
  } else {
    const auto& texts = std::get<Texts>(values);
    rows.reserve(texts.size());
    for (const nb::bytes& text : texts) rows.push_back(ids->intern(text_of(text)));
  }
  return {std::move(rows), std::move(ids)};
}

std::vector<Interaction> pairs_of(std::span<const Index> users, std::span<const Index> items) {
  require(users.size() == items.size(), "items",
          "must have an item for each of the " + std::to_string(users.size()) + " users, not " +
              std::to_string(items.size()));
  std::vector<Interaction> pairs(users.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) pairs[k] = {users[k], items[k]};
  return pairs;
}
std::span<const double> times_of(const std::optional<TimeArray>& times) {
  if (!times) return {};
  return {times->data(), times->size()};
}

Interactions from_ids(const IdsOfPairs& users, const IdsOfPairs& items,
                      const std::optional<TimeArray>& times) {
  auto [user_rows, user_ids] = numbered(users);
  auto [item_rows, item_ids] = numbered(items);
  return {std::move(user_ids), std::move(item_ids), pairs_of(user_rows, item_rows),
          times_of(times)};
}

Interactions from_rows(const IndexArray& users, const IndexArray& items, Index user_count,
                       Index item_count, const std::optional<TimeArray>& times) {
  return {user_count, item_count, pairs_of(numbers_of(users), numbers_of(items)), times_of(times)};
}

std::shared_ptr<const Ids> ids_of(const Texts& texts) {
  auto ids = std::make_shared<Ids>();
  for (const nb::bytes& text : texts) ids->intern(text_of(text));
  return ids;
}

/// What pickled interactions are made of.
Interactions from_parts(const Texts& user_ids, const Texts& item_ids, const IndexArray& users,
                        const IndexArray& items, const std::optional<TimeArray>& times) {
  return {ids_of(user_ids), ids_of(item_ids), pairs_of(numbers_of(users), numbers_of(items)),
          times_of(times)};
}

bool same_ids(const Interactions& a, const Interactions& b) {
  const auto same = [](const auto& x, const auto& y) { return x == y || *x == *y; };
  return same(a.user_ids(), b.user_ids()) && same(a.item_ids(), b.item_ids());
}

/// Two data sets over the users and items of both: the first one's, then what the other adds.
std::pair<Interactions, Interactions> with_ids_of_both(const Interactions& a,
                                                       const Interactions& b) {
  const auto both = [](const Ids& first, const Ids& other) {
    auto ids = std::make_shared<Ids>(first);
    std::vector<Index> rows;
    rows.reserve(other.size());
    for (Index row = 0; row < other.size(); ++row) rows.push_back(ids->intern(other[row]));
    return std::pair(std::shared_ptr<const Ids>(std::move(ids)), std::move(rows));
  };
  const auto [user_ids, users] = both(*a.user_ids(), *b.user_ids());
  const auto [item_ids, items] = both(*a.item_ids(), *b.item_ids());
  std::vector<Interaction> of_a(a.size()), of_b(b.size());
  for (std::size_t k = 0; k < a.size(); ++k) of_a[k] = a[k];
  for (std::size_t k = 0; k < b.size(); ++k) of_b[k] = {users[b[k].user], items[b[k].item]};
  return {Interactions(user_ids, item_ids, of_a, a.times()),
          Interactions(user_ids, item_ids, of_b, b.times())};
}

/// Interactions of new users with the items of `of`, in the same rows.
Interactions with_items_of(const Interactions& of, const std::vector<IndexArray>& histories) {
  std::vector<Interaction> pairs;
  for (std::size_t user = 0; user < histories.size(); ++user) {
    for (const Index item : numbers_of(histories[user])) {
      pairs.push_back({static_cast<Index>(user), item});
    }
  }
  const auto users =
      std::make_shared<const Ids>(Ids::numbered(static_cast<Index>(histories.size())));
  return {users, of.item_ids(), pairs};
}

nb::list texts_of(const Ids& ids) {
  nb::list texts;
  for (Index row = 0; row < ids.size(); ++row) {
    const std::string_view id = ids[row];
    texts.append(nb::steal(
        PyUnicode_DecodeUTF8(id.data(), static_cast<Py_ssize_t>(id.size()), "surrogateescape")));
  }
  return texts;
}

nb::ndarray<nb::numpy, Index> rows_of(const Ids& ids, const Texts& wanted) {
  std::vector<Index> rows;
  rows.reserve(wanted.size());
  for (const nb::bytes& id : wanted) rows.push_back(ids.find(text_of(id)));
  return to_numpy(std::move(rows));
}

nb::ndarray<nb::numpy, Index> copied(std::span<const Index> numbers) {
  return to_numpy(std::vector<Index>(numbers.begin(), numbers.end()));
}

/// Why the columns of a file may not be those of users and items; empty if nothing says so.
std::string doubt(const Interactions& data) {
  return data.read_summary() ? doubt_about_columns(*data.read_summary()) : "";
}

}  // namespace

void bind_data(nb::module_& module) {
  const auto no_gil = nb::call_guard<nb::gil_scoped_release>();
  module.attr("absent") = absent;
  nb::class_<Interactions>(module, "Interactions")
      .def("__len__", &Interactions::size)
      .def_prop_ro("users", &Interactions::users)
      .def_prop_ro("items", &Interactions::items)
      .def("user_ids", [](const Interactions& data) { return texts_of(*data.user_ids()); })
      .def("item_ids", [](const Interactions& data) { return texts_of(*data.item_ids()); })
      .def("user_rows", [](const Interactions& data,
                           const Texts& ids) { return rows_of(*data.user_ids(), ids); })
      .def("item_rows", [](const Interactions& data,
                           const Texts& ids) { return rows_of(*data.item_ids(), ids); })
      .def("user_degree", [](const Interactions& data) { return copied(data.user_degree()); })
      .def("item_degree", [](const Interactions& data) { return copied(data.item_degree()); })
      .def("pairs",
           [](const Interactions& data) {
             std::vector<Index> users(data.size()), items(data.size());
             for (std::size_t k = 0; k < data.size(); ++k) {
               users[k] = data[k].user;
               items[k] = data[k].item;
             }
             return std::pair(to_numpy(std::move(users)), to_numpy(std::move(items)));
           })
      .def("times",
           [](const Interactions& data) {
             const auto times = data.times();
             return to_numpy(std::vector<double>(times.begin(), times.end()));
           })
      .def("doubt", doubt)
      .def("summary", [](const Interactions& data) {
        return data.read_summary() ? describe(*data.read_summary()) : std::string();
      });
  nb::class_<Split>(module, "Split")
      .def(nb::init<>())
      .def("__init__", [](Split* split, const Interactions& train, const Interactions& validation,
                          const Interactions& test) { new (split) Split{train, validation, test}; })
      .def_ro("train", &Split::train)
      .def_ro("validation", &Split::validation)
      .def_ro("test", &Split::test);

  module.def("from_ids", from_ids, nb::arg("users"), nb::arg("items"), nb::arg("times").none());
  module.def("from_parts", from_parts, nb::arg("user_ids"), nb::arg("item_ids"), nb::arg("users"),
             nb::arg("items"), nb::arg("times").none());
  module.def("same_ids", same_ids);
  module.def("with_ids_of_both", with_ids_of_both);
  module.def("have_common_interaction", [](const Interactions& a, const Interactions& b) {
    return detail::have_common_interaction(a, b);
  });
  module.def("from_rows", from_rows, nb::arg("users"), nb::arg("items"), nb::arg("user_count"),
             nb::arg("item_count"), nb::arg("times").none());
  module.def("empty_like", [](const Interactions& data) {
    return Interactions(data.user_ids(), data.item_ids(), {});
  });
  module.def("with_items_of", with_items_of);
  module.def(
      "random_split",
      [](const Interactions& data, double validation, double test, std::uint64_t seed) {
        return random_split(data, {.validation = validation, .test = test, .seed = seed});
      },
      no_gil);
  module.def(
      "temporal_user_split",
      [](const Interactions& data, double validation, double test) {
        return temporal_user_split(data, {.validation = validation, .test = test});
      },
      no_gil);
  module.def(
      "temporal_global_split",
      [](const Interactions& data, double validation, double test) {
        return temporal_global_split(data, {.validation = validation, .test = test});
      },
      no_gil);
  module.def(
      "leave_last_out", [](const Interactions& data) { return leave_last_out(data); }, no_gil);
  module.def(
      "given_split",
      [](const Interactions& train, const Interactions& test, double validation, std::uint64_t seed,
         bool drop_repeated) {
        return given_split(
            train, test, {.validation = validation, .seed = seed, .drop_repeated = drop_repeated});
      },
      no_gil);
  module.def(
      "merge_validation", [](const Split& split) { return merge_validation(split); }, no_gil);
  module.def(
      "k_core",
      [](const Interactions& data, Index user_core, Index item_core) {
        return k_core(data, user_core, item_core);
      },
      no_gil);
  module.def(
      "synthetic",
      [](Index users, Index items, Index interactions_per_user, std::uint64_t seed) {
        return synthetic_interactions({.users = users,
                                       .items = items,
                                       .interactions_per_user = interactions_per_user,
                                       .seed = seed});
      },
      no_gil);
}

}  // namespace prismcf
