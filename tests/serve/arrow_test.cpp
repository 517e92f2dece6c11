// SPDX-License-Identifier: BSD-3-Clause
// A model's output rows handed to Arrow.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "policies.hpp"
#include "prism/arrow.hpp"
#include "support/arrow_taken.hpp"

using namespace prism;

namespace {

struct Taken : test::ArrowTaken {
  [[nodiscard]] const float* rows() const {
    return static_cast<const float*>(array.children[1]->children[0]->buffers[1]);
  }
};

Interactions small_train() { return {3, 2, std::vector<Interaction>{{0, 0}, {1, 1}, {2, 1}}}; }

}  // namespace

TEST_CASE("a table of the model itself is copied, unless the model is kept") {
  using Model = Recommender<MF<4>, BPR>;
  auto model = std::make_shared<Model>(small_train());
  Taken users, items, viewed_users, viewed_items;
  export_users(*model, &users.schema, &users.array);
  export_items(*model, &items.schema, &items.array);
  export_users(model, &viewed_users.schema, &viewed_users.array);
  export_items(std::shared_ptr<const Model>(model), &viewed_items.schema, &viewed_items.array);
  CHECK(users.array.length == 3);
  CHECK(items.array.length == 2);
  CHECK(std::string(users.schema.children[1]->format) == "+w:4");
  CHECK(users.rows() != model->users().data());
  CHECK(items.rows() != model->items().data());
  CHECK(std::equal(users.rows(), users.rows() + 12, model->users().data()));
  CHECK(std::equal(items.rows(), items.rows() + 8, model->items().data()));
  CHECK(viewed_users.rows() == model->users().data());
  CHECK(viewed_items.rows() == model->items().data());

  const std::weak_ptr<Model> alive = model;
  model.reset();
  CHECK_FALSE(alive.expired());
  viewed_users.array.release(&viewed_users.array);
  CHECK_FALSE(alive.expired());
  viewed_items.array.release(&viewed_items.array);
  CHECK(alive.expired());
}

TEST_CASE("rows that are computed for the output are not copied, and outlive the model") {
  Taken users, items;
  std::vector<float> expected;
  {
    const Recommender<LightGCN<4, 2>, BPR> model(small_train());
    const auto output = model.output();
    expected.assign(output.items().data(), output.items().data() + 8);
    CHECK(output.owner() != nullptr);
    export_users(par, model, &users.schema, &users.array);
    export_items(serial, model, &items.schema, &items.array);
  }
  CHECK(users.array.length == 3);
  CHECK(std::equal(expected.begin(), expected.end(), items.rows(),
                   [](float a, float b) { return a == doctest::Approx(b); }));
}

TEST_CASE("rows are exported with the magnitudes of the model's ranking") {
  const auto model = std::make_shared<Recommender<MF<4>, SSM>>(small_train());
  for (const bool both : {false, true}) {
    model->set_ranking({.power = 2.0, .users = both});
    const auto scorer = model->scorer();
    Taken users, items, shared_items;
    export_users(*model, &users.schema, &users.array);
    export_items(*model, &items.schema, &items.array);
    export_items(model, &shared_items.schema, &shared_items.array);
    const Rows<const float> user_rows = scorer.output.users(), item_rows = scorer.output.items();
    CHECK(std::equal(users.rows(), users.rows() + 12, user_rows.data()));
    CHECK(std::equal(items.rows(), items.rows() + 8, item_rows.data()));
    CHECK(std::equal(shared_items.rows(), shared_items.rows() + 8, item_rows.data()));
    CHECK_FALSE(std::equal(items.rows(), items.rows() + 8, model->items().data()));
    CHECK(std::equal(users.rows(), users.rows() + 12, model->users().data()) == !both);
    CHECK(users.rows() != model->users().data());
  }
}

TEST_CASE("a model that is not there is an error") {
  Taken taken;
  const std::shared_ptr<Recommender<MF<4>, BPR>> none;
  CHECK_THROWS_AS(export_users(none, &taken.schema, &taken.array), ArgumentError);
  CHECK_THROWS_AS(export_items(none, &taken.schema, &taken.array), ArgumentError);
}
