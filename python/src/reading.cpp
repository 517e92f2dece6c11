// SPDX-License-Identifier: BSD-3-Clause
// Interactions from files and Arrow tables.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <prism/arrow.hpp>
#include <prism/core/error.hpp>
#include <prism/data.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "module.hpp"

namespace prismcf {

namespace {

using namespace prism;

/// Whether a column of a table has integers, or indices into a dictionary of them.
/// @param column  of a summary: the position, then the name
bool has_integers(const ArrowSchema& table, const std::string& column) {
  const ArrowSchema& field = *table.children[std::stoul(column)];
  const ArrowSchema& values = field.dictionary != nullptr ? *field.dictionary : field;
  return std::string_view("cCsSiIlL").find(values.format) != std::string_view::npos;
}

/// A table's interactions, and whether its users and items are integers.
std::tuple<Interactions, bool, bool> from_arrow(const nb::object& table,
                                                const std::optional<Column>& user,
                                                const std::optional<Column>& item,
                                                const std::optional<Column>& rating,
                                                const std::optional<Column>& time,
                                                std::optional<double> min_rating, bool drop_nulls) {
  const nb::object capsule = table.attr("__arrow_c_stream__")();
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (pointer == nullptr) throw nb::python_error();
  auto* const stream = static_cast<ArrowArrayStream*>(pointer);
  // A producer may run Python in threads of its own.
  const nb::gil_scoped_release release;
  struct Schema : ArrowSchema {
    ~Schema() {
      if (release != nullptr) release(this);
    }
  } schema{};
  // If there is none, read_arrow() reports why.
  const bool described = stream->release != nullptr && stream->get_schema(stream, &schema) == 0;
  const ArrowReadOptions options{.user = user,
                                 .item = item,
                                 .rating = rating,
                                 .time = time,
                                 .min_rating = min_rating,
                                 .nulls = drop_nulls ? ArrowNulls::drop : ArrowNulls::refuse};
  Interactions data = read_arrow(stream, options);
  const ReadSummary& summary = *data.read_summary();
  const bool users = described && has_integers(schema, summary.user_column);
  const bool items = described && has_integers(schema, summary.item_column);
  return {std::move(data), users, items};
}

ReadOptions read_options(const std::string& format, const std::string& delimiter,
                         const std::optional<Column>& user, const std::optional<Column>& item,
                         const std::optional<Column>& rating, const std::optional<Column>& time,
                         std::optional<double> min_rating, std::optional<bool> header,
                         bool drop_invalid, const std::optional<std::string>& comment,
                         bool decimal_comma, bool backslash_escapes,
                         const std::optional<std::vector<std::string>>& missing_ids) {
  const auto found =
      std::ranges::find(format_names, format, [](const auto& named) { return named.second; });
  if (found == format_names.end()) {
    std::string names;
    for (const auto& [value, name] : format_names)
      names.append(names.empty() ? "" : ", ").append(name);
    throw ArgumentError("format", "must be one of " + names + ", not '" + format + "'");
  }
  ReadOptions options{.format = found->first,
                      .delimiter = delimiter,
                      .user = user,
                      .item = item,
                      .rating = rating,
                      .time = time,
                      .min_rating = min_rating,
                      .drop_invalid = drop_invalid,
                      .decimal_comma = decimal_comma,
                      .backslash_escapes = backslash_escapes,
                      .missing_ids = missing_ids};
  if (comment) options.comment = comment;
  if (header) options.header = *header ? Header::yes : Header::no;
  return options;
}

}  // namespace

void bind_reading(nb::module_& module) {
  module.def("from_arrow", from_arrow, nb::arg("table"), nb::arg("user").none(),
             nb::arg("item").none(), nb::arg("rating").none(), nb::arg("time").none(),
             nb::arg("min_rating").none(), nb::arg("drop_nulls"));
  module.def(
      "read",
      [](const std::filesystem::path& path, const std::string& format, const std::string& delimiter,
         const std::optional<Column>& user, const std::optional<Column>& item,
         const std::optional<Column>& rating, const std::optional<Column>& time,
         std::optional<double> min_rating, std::optional<bool> header, bool drop_invalid,
         const std::optional<std::string>& comment, bool decimal_comma, bool backslash_escapes,
         const std::optional<std::vector<std::string>>& missing_ids) {
        const ReadOptions options =
            read_options(format, delimiter, user, item, rating, time, min_rating, header,
                         drop_invalid, comment, decimal_comma, backslash_escapes, missing_ids);
        const nb::gil_scoped_release release;
        return read_interactions(path, options);
      },
      nb::arg("path"), nb::arg("format"), nb::arg("delimiter"), nb::arg("user").none(),
      nb::arg("item").none(), nb::arg("rating").none(), nb::arg("time").none(),
      nb::arg("min_rating").none(), nb::arg("header").none(), nb::arg("drop_invalid"),
      nb::arg("comment").none(), nb::arg("decimal_comma"), nb::arg("backslash_escapes"),
      nb::arg("missing_ids").none());
  module.attr("no_column") = no_column;
  module.attr("file_order") = file_order;
}

}  // namespace prismcf
