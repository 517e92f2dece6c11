// SPDX-License-Identifier: BSD-3-Clause
// Damaged saved models: each is refused with an error that says what is wrong.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "data/temporary_file.hpp"
#include "serve/model_folders.hpp"
#include "support/error_of.hpp"

using namespace prism;
using namespace test;
namespace fs = std::filesystem;

TEST_CASE("each byte of a saved model counts") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  using Model = Recommender<MF<4>, BPR>;
  save_model(Model(small_data()), path);
  for (const std::string& name : names_in(path)) {
    CAPTURE(name);
    const std::string whole = text_of(path / name);
    for (std::size_t k = 0; k < whole.size(); k += 1 + whole.size() / 97) {
      CAPTURE(k);
      std::string damaged = whole;
      damaged[k] = static_cast<char>(damaged[k] ^ 1);
      overwrite(path / name, damaged);
      CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
      overwrite(path / name, whole.substr(0, k));
      CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
    }
    overwrite(path / name, whole + "x");
    CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
    fs::remove(path / name);
    CHECK_THROWS_AS(static_cast<void>(load_model<Model>(path)), DataError);
    overwrite(path / name, whole);
  }
  CHECK_NOTHROW(static_cast<void>(load_model<Model>(path)));
}

TEST_CASE("a manifest whose checksum is right is not believed for that") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  using Model = Recommender<MLP<dynamic>, SSM, None, Xavier, Adam, SharedNegatives<>>;
  const Interactions train = small_data();
  const Model model(train, {.backbone = MLP<dynamic>(4)});
  const auto refusal = [&](const std::string& name, const std::string& value) {
    save_model(model, path);
    change_line(path, name, value);
    try {
      static_cast<void>(load_model<Model>(path));
    } catch (const Error& error) {
      std::string text = error.what();
      if (text.starts_with(path.string())) text.erase(0, path.string().size());
      return text;
    }
    return std::string("loaded");
  };
  CHECK(refusal("loss.tau", "0.2") == "loaded");
  CHECK(refusal("loss.tau", "nan") ==
        ": has an option outside its domain: tau: must be from 1e-6 to 1e6, not nan");
  CHECK(refusal("loss.tau", "cold") ==
        "/manifest.txt: has loss.tau: cold, which is not a valid number for this line");
  CHECK(refusal("loss.negatives", "-1") ==
        "/manifest.txt: has loss.negatives: -1, which is not a valid number for this line");
  CHECK(refusal("loss.log_q", "2") == "/manifest.txt: has loss.log_q: 2, which is neither 0 nor 1");
  CHECK(refusal("sampler.mask", "3") ==
        ": has an option outside its domain: mask: must be one of its type's enumerators, not 3");
  CHECK(refusal("train", "nothing") ==
        ": has training interactions that do not match its manifest");
  CHECK(refusal("seed", "-1") ==
        "/manifest.txt: has seed: -1, which is not a valid number for this line");
  CHECK(refusal("file train.npy", "1") ==
        "/manifest.txt: has no valid size and checksum for train.npy");
}

TEST_CASE("tables of other shapes are refused before memory is taken for them") {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  using Model = Recommender<MLP<dynamic>, SSM>;
  const Interactions train = small_data();
  const auto refusal = [&](const std::string& name, const std::string& content) {
    save_model(Model(train, {.backbone = MLP<dynamic>(4)}), path);
    change_file(path, name, content);
    return test::error_of<DataError>([&] { static_cast<void>(load_model<Model>(path)); })
        .substr(path.string().size());
  };
  const auto table = [](std::size_t size, std::size_t dim) {
    const Matrix<float> zeros = prism::zeros<float>(size, dim);
    return detail::npy(rows(zeros));
  };
  CHECK(refusal("item_table.npy", table(30, 5)) ==
        ": has item_table.npy of shape (30, 5), not (30, 4)");
  CHECK(refusal("backbone_1.npy", table(4, 5)) ==
        ": has backbone_1.npy of shape (4, 5), not (4, 4)");
  // Towers of such a dimension would take more than 4 TiB.
  save_model(Model(train, {.backbone = MLP<dynamic>(4)}), path);
  change_file(path, "user_table.npy", table(40, std::size_t{1} << 20));
  change_file(path, "item_table.npy", table(30, std::size_t{1} << 20));
  change_line(path, "backbone", "MLP<1048576, 2, ReLU>");
  CHECK(test::error_of<DataError>([&] {
          static_cast<void>(load_model<Model>(path));
        }).ends_with("has fewer parameters than its policies need"));
  CHECK(refusal("user_table.npy", "nothing") == "/user_table.npy: is not a .npy file");
  CHECK(refusal("user_ids.txt", "0\n1\n1\n") ==
        "/user_ids.txt:3: has an id that an earlier line already has: 1");
  CHECK(refusal("user_ids.txt", "0\n1\n") ==
        ": has a train.npy with a user or item number that has no id");
  CHECK(refusal("train.npy", table(40, 2)) == "/train.npy: has dtype float32, not uint32");
}
