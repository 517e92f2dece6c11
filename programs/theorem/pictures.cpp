// SPDX-License-Identifier: BSD-3-Clause
#include "pictures.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <prism/core/error.hpp>
#include <prism/serve/staged_files.hpp>
#include <prism/theory/batch_probability.hpp>
#include <prism/theory/magnitude.hpp>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "plot/gnuplot.hpp"
#include "table.hpp"

namespace theorem {

using namespace prism;

Pictures::Pictures(std::string folder, const std::string& data)
    : folder_(std::filesystem::absolute(std::move(folder)).string()), data_(plot::literal(data)) {
  plot::require_gnuplot(folder_);
  const detail::StagedFiles writable(folder_);
}

void Pictures::write(const std::string& name, const std::string& content) const {
  detail::StagedFiles files(folder_);
  files.write(name, content);
  files.publish();
}

void Pictures::draw_all() const {
  for (const Picture& picture : pictures_) draw(picture);
}

void Pictures::draw(const Picture& picture) const {
  const auto& [name, width, height, commands] = picture;
  const std::string final = folder_ + "/" + name + ".svg";
  plot::draw_svg(final, width, height, commands);
  std::printf("%s\n", final.c_str());
}

void Pictures::write_checks(const std::vector<TheoremCheck>& checks) const {
  std::ostringstream csv;
  csv.precision(9);
  csv << "alignment,decay,negatives,popularity,batch_share,learning_rate,lambda,predicted,"
         "simulated,"
         "low,high,holds\n";
  for (const auto& [setting, predicted, simulated] : checks) {
    csv << name_of(setting.pair_loss) << ',' << name_of(setting.decay) << ','
        << setting.batches.negatives << ',' << setting.popularity << ','
        << static_cast<double>(setting.batches.batch_size) /
               static_cast<double>(setting.batches.pairs)
        << ',' << setting.learning_rate << ',' << setting.lambda << ',' << predicted << ','
        << simulated.mean << ',' << simulated.low << ',' << simulated.high << ','
        << simulated.contains(predicted) << '\n';
  }
  write("theorem.csv", csv.str());
}

void Pictures::add_heat_map() {
  constexpr std::int64_t pairs = 1'000'000'000;  // so that every |B| / |E| is a whole number of
                                                 // pairs
  constexpr int columns = 41, rows = 41;
  TheoremSetting setting{.learning_rate = 0.1,
                         .lambda = 0.025,
                         .pair = {.item = 1, .cosine = 0},
                         .batches = {.pairs = pairs}};
  std::ostringstream cells, boundary;
  cells << "popularity,popularity_from,popularity_to,batch_share,share_from,share_to,p_in_batch,"
           "expected_change\n";
  boundary << "popularity,batch_share\n";
  // Cells of equal size on logarithmic axes: popularity 1 to 10,000, |B| / |E| 1e-5 to 1e-1.
  const auto edge = [](int cell, int of, double first, double decades) {
    return first * std::pow(10.0, decades * cell / of);
  };
  // The batch probability at which growth and decay balance.
  const double shrinkage = setting.learning_rate * setting.lambda;
  const double balance =
      -decay_change(setting.pair.item, setting.learning_rate, setting.lambda) /
      pair_change(pair_gradient(setting.pair_loss, setting.pair), setting.learning_rate, shrinkage);
  for (int x = 0; x < columns; ++x) {
    const double left = edge(x, columns, 1, 4), right = edge(x + 1, columns, 1, 4);
    setting.popularity = std::llround(std::sqrt(left * right));
    for (int y = 0; y < rows; ++y) {
      const double low = edge(y, rows, 1e-5, 4), high = edge(y + 1, rows, 1e-5, 4);
      const double share = std::sqrt(low * high);
      setting.batches.batch_size = std::llround(share * static_cast<double>(pairs));
      cells << setting.popularity << ',' << left << ',' << right << ',' << share << ',' << low
            << ',' << high << ','
            << batch_probability(setting.popularity, setting.batches).in_batch() << ','
            << expected_change(setting) << '\n';
    }
    boundary << std::sqrt(left * right) << ','
             << -std::expm1(std::log1p(-balance) / std::sqrt(left * right)) << '\n';
  }
  write("heat_map.csv", cells.str());
  write("heat_map_balance.csv", boundary.str());
  pictures_.push_back({"heat_map", 720, 520, R"gnuplot(
set title "How an item's squared magnitude is expected to change in one step\n{/*0.85 cosine, full decay, learning rate 0.1, λ 0.025, |i| = 1, user at a right angle}"
set xlabel "popularity d of the item (interactions)"
set ylabel "share of the pairs in a batch, |B| / |E|"
set cblabel "in a step, expected change of |i|^2"
set logscale xy
set xrange [1:10000]
set yrange [1e-5:1e-1]
set format x "10^{%L}"
set format y "10^{%L}"
set format cb "%+.3f"
set palette defined (-1 "#2166ac", -0.5 "#92c5de", 0 "#f7f7f7", 0.5 "#f4a582", 1 "#b2182b")
set cbrange [-0.005:0.005]
unset grid
unset key
set label 1 "decay wins" at 3, 3e-5 front textcolor rgb "#ffffff"
set label 2 "growth wins" at 800, 3e-2 front textcolor rgb "#ffffff"
set label 3 "balance" at 60, 8.5e-3 rotate by -42 offset 1,1 front
plot "heat_map.csv" skip 1 using 1:4:2:3:5:6:8 with boxxyerror fillstyle solid noborder fillcolor palette, \
     "heat_map_balance.csv" skip 1 using 1:2 with lines linewidth 2 linecolor rgb "#222222"
)gnuplot"});
}

void Pictures::add_measured_and_predicted(const std::vector<Watched>& by_cosine) {
  std::ostringstream csv;
  csv.precision(9);
  csv << "model,decile,least_popular,most_popular,items,magnitude,measured,theorem,every_pair,"
         "name\n";
  for (std::size_t model = 0; model < by_cosine.size(); ++model) {
    const std::vector<MagnitudeBucket> deciles = totals(by_cosine[model].records);
    for (std::size_t d = 0; d < deciles.size(); ++d) {
      const MagnitudeBucket& decile = deciles[d];
      csv << model << ',' << d + 1 << ',' << decile.least_popular << ',' << decile.most_popular
          << ',' << decile.items << ',' << decile.magnitude << ',' << decile.measured << ','
          << decile.predicted.value_or(0) << ',' << decile.predicted_every_pair.value_or(0) << ','
          << by_cosine[model].name << '\n';
    }
  }
  write("measured_and_predicted.csv", csv.str());
  pictures_.push_back(
      {"measured_and_predicted", 720, 460, "\ndata = " + plot::in_quotes(data_) + R"gnuplot(
set title "Items' squared magnitudes after 5 epochs of MF by cosine with SGD\n{/*0.85 ".data."}"
set xlabel "decile of items by popularity (10: the most popular)"
set ylabel "change of |i|^2, mean over the decile"
set xrange [0.5:10.5]
set xtics 1
set xzeroaxis linecolor rgb "#999999"
file = "measured_and_predicted.csv"
plot file skip 1 using ($1==0 ? $2 : 1/0):7 with points linestyle 1 pointsize 1.1 title "no decay: measured", \
     file skip 1 using ($1==0 ? $2 : 1/0):8 with lines linestyle 1 dashtype 2 title "the theorem: one update a batch", \
     file skip 1 using ($1==0 ? $2 : 1/0):9 with lines linestyle 1 title "every pair of a batch counted", \
     file skip 1 using ($1==1 ? $2 : 1/0):7 with points linestyle 2 pointsize 1.1 title "full decay: measured", \
     file skip 1 using ($1==1 ? $2 : 1/0):8 with lines linestyle 2 dashtype 2 title "the theorem: one update a batch", \
     file skip 1 using ($1==1 ? $2 : 1/0):9 with lines linestyle 2 title "every pair of a batch counted"
)gnuplot"});
}

void Pictures::add_magnitudes(const Split& split, const std::vector<Watched>& recommenders) {
  const std::span<const Index> popularity = split.train.item_degree();
  struct Bin {
    double log_popularity = 0;
    std::size_t items = 0;
    std::vector<double> magnitude;
  };
  std::map<int, Bin> bins;  // a fifth of a decade wide
  for (std::size_t i = 0; i < popularity.size(); ++i) {
    if (popularity[i] == 0) continue;
    const double log_popularity = std::log10(static_cast<double>(popularity[i]));
    Bin& bin = bins[static_cast<int>(std::floor(5 * log_popularity))];
    bin.magnitude.resize(recommenders.size());
    bin.log_popularity += log_popularity;
    ++bin.items;
    for (std::size_t m = 0; m < recommenders.size(); ++m) {
      bin.magnitude[m] += recommenders[m].magnitude[i];
    }
  }
  std::ostringstream csv;
  csv << "popularity,items";
  std::vector<double> mean(recommenders.size());
  for (std::size_t m = 0; m < recommenders.size(); ++m) {
    csv << ",\"" << recommenders[m].name << "\"";
    for (const double magnitude : recommenders[m].magnitude) mean[m] += magnitude;
    mean[m] /= static_cast<double>(recommenders[m].magnitude.size());
  }
  csv << "\n";
  for (const auto& [place, bin] : bins) {
    const double n = static_cast<double>(bin.items);
    csv << std::pow(10.0, bin.log_popularity / n) << ',' << bin.items;
    for (std::size_t m = 0; m < mean.size(); ++m) csv << ',' << bin.magnitude[m] / n / mean[m];
    csv << '\n';
  }
  write("magnitudes.csv", csv.str());
  pictures_.push_back({"magnitudes", 720, 460, "\ndata = " + plot::in_quotes(data_) + R"gnuplot(
set title "Magnitude of items' rows at the best epoch, MF + DirectAU with Adam\n{/*0.85 ".data."}"
set xlabel "popularity of the item (training interactions)"
set ylabel "|i|, in units of the model's mean"
set logscale x
set yrange [0:*]
plot for [m=1:3] "magnitudes.csv" using 1:m+2 with linespoints linestyle m title columnheader(m+2)
)gnuplot"});
}

void Pictures::add_training_curves(const std::vector<Watched>& recommenders) {
  std::ostringstream csv;
  csv.precision(9);
  csv << "model,epoch,ndcg_by_dot,ndcg_by_cosine,pearson,spearman,name\n";
  for (std::size_t m = 0; m < recommenders.size(); ++m) {
    for (const MagnitudeRecord& record : recommenders[m].records) {
      csv << m << ',' << record.epoch << ',' << record.ndcg_by_dot << ',' << record.ndcg_by_cosine
          << ',' << record.pearson << ',' << record.spearman << ',' << recommenders[m].name << '\n';
    }
  }
  write("training_curves.csv", csv.str());
  std::string names;  // in gnuplot's list syntax
  for (const Watched& watched : recommenders) names += " '" + watched.name + "'";
  pictures_.push_back(
      {"training_curves", 1100, 440,
       "\ndata = " + plot::in_quotes(data_) + "\nnames = \"" + names + "\"" + R"gnuplot(
set bmargin 6
set multiplot layout 1,2 title "MF + DirectAU with Adam, along training\n{/*0.85 ".data."}"
set xlabel "epoch"
set key bmargin center horizontal samplen 1.5
set ylabel "NDCG\\@20 on the validation set\nby dot product (dotted: by cosine)"
set yrange [0:*]
plot for [m=0:2] "training_curves.csv" skip 1 using ($1==m ? $2 : 1/0):3 with lines linestyle m+1 title word(names, m+1), \
     for [m=0:2] "" skip 1 using ($1==m ? $2 : 1/0):4 with lines linestyle m+1 dashtype 3 notitle
set ylabel "correlation of |i| with popularity (Spearman)"
set yrange [-0.1:1.05]
plot for [m=0:2] "training_curves.csv" skip 1 using ($1==m ? $2 : 1/0):6 with lines linestyle m+1 title word(names, m+1)
unset multiplot
)gnuplot"});
}

}  // namespace theorem
