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

TEST_CASE("a model that is not there is an error") {
  Taken taken;
  const std::shared_ptr<Recommender<MF<4>, BPR>> none;
  CHECK_THROWS_AS(export_users(none, &taken.schema, &taken.array), ArgumentError);
  CHECK_THROWS_AS(export_items(none, &taken.schema, &taken.array), ArgumentError);
}
