// SPDX-License-Identifier: BSD-3-Clause
// Exports a model's output rows to Arrow, with the ids of users and items.
#pragma once

#include <memory>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/arrow_abi.hpp"
#include "prism/data/arrow_export.hpp"
#include "prism/execution/host.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A model's rows as it ranks them, of which those of one side are exported. The owner of rows that
/// the ranking rescales keeps them; it does not keep those of the other side, which may be the
/// model's own table.
/// @param users  whether the users' rows are exported, which only Ranking::users rescales
template <Execution X, class Model>
[[nodiscard]] auto exported_output(const X& exec, const Model& model, bool users) {
  const bool rescaled = !model.ranking().as_trained() && (!users || model.ranking().users);
  return rescaled ? model.scorer(exec).output : model.output(exec);
}
}  // namespace detail

/// Exports the output rows of a model's users as a record batch of columns "id" and "embedding", as
/// export_arrow() does for any rows. Rows that are the model's own table (MF) are copied, since the
/// model may change; rows that the model computes for its output (MLP, LightGCN, SimpleX) are not.
/// Rows have the magnitudes of the model's ranking, as those that save_embeddings() writes.
/// @param exec  where the output rows are computed; the host's threads if left out
/// @throws ArgumentError  as export_arrow(), and for a model in a device's memory
template <Execution X, class Model>
void export_users(const X& exec, const Model& model, ArrowSchema* schema, ArrowArray* batch,
                  const ArrowExportOptions& options = {}) {
  model.check_on_host();
  const auto output = detail::exported_output(exec, model, true);
  export_arrow(output.users(), *model.train().user_ids(), schema, batch, output.owner(), options);
}
/// Exports the output rows of a model's items; otherwise as export_users().
template <Execution X, class Model>
void export_items(const X& exec, const Model& model, ArrowSchema* schema, ArrowArray* batch,
                  const ArrowExportOptions& options = {}) {
  model.check_on_host();
  const auto output = detail::exported_output(exec, model, false);
  export_arrow(output.items(), *model.train().item_ids(), schema, batch, output.owner(), options);
}

/// Exports the users' output rows without copying them, whatever the backbone. The model is kept
/// alive until the batch is released, and must not change until then.
template <Execution X, class Model>
void export_users(const X& exec, const std::shared_ptr<Model>& model, ArrowSchema* schema,
                  ArrowArray* batch, const ArrowExportOptions& options = {}) {
  require(model != nullptr, "model", "must not be null");
  model->check_on_host();
  const auto output = detail::exported_output(exec, *model, true);
  const std::shared_ptr<const void> owner = output.owner() != nullptr ? output.owner() : model;
  export_arrow(output.users(), *model->train().user_ids(), schema, batch, owner, options);
}
/// Exports the items' output rows without copying them; otherwise as export_users() of a
/// shared_ptr.
template <Execution X, class Model>
void export_items(const X& exec, const std::shared_ptr<Model>& model, ArrowSchema* schema,
                  ArrowArray* batch, const ArrowExportOptions& options = {}) {
  require(model != nullptr, "model", "must not be null");
  model->check_on_host();
  const auto output = detail::exported_output(exec, *model, false);
  const std::shared_ptr<const void> owner = output.owner() != nullptr ? output.owner() : model;
  export_arrow(output.items(), *model->train().item_ids(), schema, batch, owner, options);
}

/// Run on the host's threads: export_users(par, ...), export_items(par, ...).
/// @param model  a model, or a shared_ptr to one
template <class Model>
  requires(!Execution<Model>)
void export_users(const Model& model, ArrowSchema* schema, ArrowArray* batch,
                  const ArrowExportOptions& options = {}) {
  export_users(par, model, schema, batch, options);
}
template <class Model>
  requires(!Execution<Model>)
void export_items(const Model& model, ArrowSchema* schema, ArrowArray* batch,
                  const ArrowExportOptions& options = {}) {
  export_items(par, model, schema, batch, options);
}

}  // namespace prism::inline PRISM_ISA
