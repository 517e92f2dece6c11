// SPDX-License-Identifier: BSD-3-Clause
// Figures as SVG, drawn by gnuplot from CSV files, which are kept beside them.
#pragma once

#include <prism/data/split.hpp>
#include <prism/theory/verify.hpp>
#include <string>
#include <vector>

#include "training.hpp"

namespace theorem {

/// A folder of figures.
class Pictures {
 public:
  /// @throws prism::DataError  if the folder cannot be created or written, or gnuplot is not
  ///                           installed
  /// @param data  name of the training data, for the titles
  Pictures(std::string folder, const std::string& data);

  // Each writes its CSV at once; draw_all() draws.
  void write_checks(const std::vector<prism::TheoremCheck>& checks) const;
  void add_heat_map();
  void add_measured_and_predicted(const std::vector<Watched>& by_cosine);
  void add_magnitudes(const prism::Split& split, const std::vector<Watched>& recommenders);
  void add_training_curves(const std::vector<Watched>& recommenders);

  /// @throws prism::DataError  if gnuplot fails
  void draw_all() const;

 private:
  void write(const std::string& name, const std::string& content) const;

  /// Drawn to NAME.svg; the commands read the CSV files in the folder.
  struct Picture {
    std::string name;
    int width, height;
    std::string commands;
  };
  void draw(const Picture& picture) const;

  std::string folder_;
  std::string data_;
  std::vector<Picture> pictures_;
};

}  // namespace theorem
