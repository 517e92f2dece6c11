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
  explicit Pictures(std::string folder);

  void write_checks(const std::vector<prism::TheoremCheck>& checks) const;
  void draw_heat_map() const;
  void draw_measured_and_predicted(const std::vector<Watched>& by_cosine) const;
  void draw_magnitudes(const prism::Split& split, const std::vector<Watched>& recommenders) const;
  void draw_training_curves(const std::vector<Watched>& recommenders) const;

 private:
  void write(const std::string& name, const std::string& content) const;
  /// Draws NAME.svg; `commands` read the CSV files in the folder.
  void draw(const std::string& name, int width, int height, const std::string& commands) const;

  std::string folder_;
};

}  // namespace theorem
