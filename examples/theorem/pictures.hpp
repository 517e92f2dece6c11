// SPDX-License-Identifier: BSD-3-Clause
// Pictures as SVG, drawn by gnuplot from CSV files that stay beside them.
#pragma once

#include <prism/data/split.hpp>
#include <prism/theory/verify.hpp>
#include <string>
#include <vector>

#include "training.hpp"

namespace theorem {

/// A folder that pictures go to.
class Pictures {
 public:
  /// @throws prism::DataError  where the folder cannot be made or written, or there is no gnuplot
  /// @param data  what the models are trained on, for the titles
  Pictures(std::string folder, const std::string& data);

  // Each writes its CSV at once and leaves the drawing to draw_all.
  void write_checks(const std::vector<prism::TheoremCheck>& checks) const;
  void add_heat_map();
  void add_measured_and_predicted(const std::vector<Watched>& by_cosine);
  void add_magnitudes(const prism::Split& split, const std::vector<Watched>& recommenders);
  void add_training_curves(const std::vector<Watched>& recommenders);

  /// @throws prism::DataError  where gnuplot fails
  void draw_all() const;

 private:
  void write(const std::string& name, const std::string& content) const;

  /// What becomes NAME.svg; the commands read the CSV files in the folder.
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
