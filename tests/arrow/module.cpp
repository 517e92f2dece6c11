// SPDX-License-Identifier: BSD-3-Clause
// A shared object through which pyarrow_test.py passes Arrow's C structures to the library and
// receives them. Errors become texts: a function returns null, or the error message.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <prism/arrow.hpp>
#include <prism/prism.hpp>
#include <string>

namespace {

using Model = prism::Recommender<prism::MF<8>, prism::DirectAU>;
using Graph = prism::Recommender<prism::LightGCN<8, 2>, prism::DirectAU, prism::None,
                                 prism::PRISM<1.0>, prism::Adam, prism::UniformNegatives, double>;

struct Data {
  prism::Interactions interactions;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Graph> graph;
};

/// The last error message, valid until the next call.
const char* said(const std::exception& error) {
  static std::string text;
  text = error.what();
  return text.c_str();
}

template <class Function>
const char* guarded(const Function& function) {
  try {
    function();
    return nullptr;
  } catch (const std::exception& error) {
    return said(error);
  }
}

prism::ArrowReadOptions options_of(const char* user, const char* item, const double* min_rating,
                                   int drop_nulls) {
  prism::ArrowReadOptions options;
  if (user != nullptr) options.user = user;
  if (item != nullptr) options.item = item;
  if (min_rating != nullptr) options.min_rating = *min_rating;
  if (drop_nulls != 0) options.nulls = prism::ArrowNulls::drop;
  return options;
}

}  // namespace

extern "C" {

const char* prism_read_stream(ArrowArrayStream* stream, const char* user, const char* item,
                              const double* min_rating, int drop_nulls, Data** data) {
  return guarded([&] {
    *data =
        new Data{prism::read_arrow(stream, options_of(user, item, min_rating, drop_nulls)), {}, {}};
  });
}

const char* prism_read_batch(ArrowSchema* schema, ArrowArray* batch, Data** data) {
  return guarded([&] { *data = new Data{prism::read_arrow(schema, batch), {}, {}}; });
}

void prism_free(Data* data) { delete data; }

const char* prism_export_interactions(const Data* data, int dictionary, int binary,
                                      ArrowSchema* schema, ArrowArray* batch) {
  return guarded([&] {
    prism::export_arrow(data->interactions, schema, batch,
                        {.dictionary = dictionary != 0, .binary = binary != 0});
  });
}

/// Makes models of the interactions; `rows` then points to the users' rows.
const char* prism_make_models(Data* data, const float** rows) {
  return guarded([&] {
    data->model = std::make_shared<const Model>(data->interactions);
    data->graph = std::make_shared<const Graph>(data->interactions);
    *rows = data->model->users().data();
  });
}

/// @param what  0: the users' rows, copied; 1: the users', viewed; 2: the graph's items', viewed
const char* prism_export_table(const Data* data, int what, ArrowSchema* schema, ArrowArray* batch) {
  return guarded([&] {
    if (what == 0) prism::export_users(*data->model, schema, batch);
    if (what == 1) prism::export_users(data->model, schema, batch);
    if (what == 2) prism::export_items(*data->graph, schema, batch);
  });
}

}  // extern "C"
