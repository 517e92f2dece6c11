// SPDX-License-Identifier: BSD-3-Clause
// Views of temporaries, which live only to the end of the line.
// case rows: rows of a temporary Output would dangle: name it first
// case query: a query of a temporary scorer would dangle: name it first
// case queries: queries of a temporary scorer would dangle: name it first
// case tables: a view of a temporary model would dangle: name the model first
// case output: a view of a temporary model would dangle: name the model first
// case scorer: a view of a temporary model would dangle: name the model first
#include <prism/serve/query.hpp>

#include "model.hpp"

using Model = prism::Recommender<prism::MF<8>, prism::BPR>;

#ifdef CASE_rows
auto rows(const Model& model) { return model.output().items(); }
#endif
#ifdef CASE_query
auto query(const Model& model) { return query_of(model.scorer(), 0); }
#endif
#ifdef CASE_queries
auto queries(const Model& model, std::span<const prism::Index> users) {
  return queries_of(model.scorer(), users);
}
#endif
#ifdef CASE_tables
auto tables(const prism::Interactions& train) { return Model(train).tables(); }
#endif
#ifdef CASE_output
auto output(const prism::Interactions& train) { return Model(train).output(); }
#endif
#ifdef CASE_scorer
auto scorer(const prism::Interactions& train) { return Model(train).scorer(prism::serial); }
#endif
