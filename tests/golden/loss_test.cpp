// SPDX-License-Identifier: BSD-3-Clause
// Losses and their gradients, through MF: gathered, evaluated, scattered back.
#include "golden.hpp"

using namespace prism;

namespace {

template <class T, class Loss>
void check_loss(const std::string& name, const Loss& loss) {
  INFO(name, " in ", sizeof(T) == 8 ? "double" : "float");
  const test::GoldenCase golden(name);
  const auto users = golden.matrix<T>("users");
  const auto items = golden.matrix<T>("items");
  const std::size_t dim = users.shape(1);
  std::vector<Index> negatives = golden.indices("negatives");
  if (negatives_per_pair(loss) == 0) negatives.clear();

  BatchBuilder builder(users.shape(0), items.shape(0));
  const Batch batch = builder.build(golden.pairs("pairs"), negatives);
  REQUIRE(batch.negatives_per_pair == negatives_per_pair(loss));
  const MF<dynamic> backbone(dim);
  const Embeddings<const T> tables{rows(users), rows(items)};
  Scratch scratch;
  Stateless<MF<dynamic>> none;
  const std::size_t nu = batch.user_side.rows.size(), ni = batch.item_side.rows.size();
  const Embeddings<T> output{scratch.take<T>(nu, dim), scratch.take<T>(ni, dim)};
  const Embeddings<T> gradient{scratch.take_zeros<T>(nu, dim), scratch.take_zeros<T>(ni, dim)};
  backbone.forward<T>(tables, batch, none, output);
  const double value = loss(LossStep<T>{batch, output, gradient, scratch});
  const auto table_gradient = backbone.backward<T>(tables, batch, none, gradient, scratch);

  const auto scatter = [&](const TableGradient<T>& from, std::size_t size) {
    auto table = zeros<T>(size, dim);
    for (std::size_t r = 0; r < size; ++r) {
      if (from.of(r) != nullptr) std::copy_n(from.of(r), dim, rows(table)[r]);
    }
    return table;
  };
  CHECK(test::relative_error(std::span<const double>(&value, 1), golden["loss"].values) <=
        test::bound<T>);
  CHECK(test::relative_error(scatter(table_gradient.users, users.shape(0)), golden["grad_users"]) <=
        test::bound<T>);
  CHECK(test::relative_error(scatter(table_gradient.items, items.shape(0)), golden["grad_items"]) <=
        test::bound<T>);
}

template <class Loss>
void check_loss(const std::string& name, const Loss& loss) {
  check_loss<double>(name, loss);
  check_loss<float>(name, loss);
}

}  // namespace

TEST_CASE("loss_bpr_1neg") { check_loss("loss_bpr_1neg", BPR{.negatives = 1}); }
TEST_CASE("loss_bpr_5neg") { check_loss("loss_bpr_5neg", BPR{.negatives = 5}); }
TEST_CASE("loss_directau_gamma0.5") { check_loss("loss_directau_gamma0.5", DirectAU{.gamma = .5}); }
TEST_CASE("loss_directau_gamma1.0") { check_loss("loss_directau_gamma1.0", DirectAU{.gamma = 1}); }
TEST_CASE("loss_directau_gamma5.0") { check_loss("loss_directau_gamma5.0", DirectAU{.gamma = 5}); }
TEST_CASE("loss_directau_dim67") { check_loss("loss_directau_dim67", DirectAU{.gamma = 1}); }
