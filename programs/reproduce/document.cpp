// SPDX-License-Identifier: BSD-3-Clause
#include "document.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <prism/experiment/trial_records.hpp>
#include <prism/serve/staged_files.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "defaults.hpp"
#include "negatives_results.hpp"
#include "results.hpp"

namespace reproduce {

namespace {

std::string command(const std::string& element) {
  return "    ./reproduce.sh --only " + element + "\n";
}

const char* const introduction = R"(# Results

The tables and figures of the paper ("On the Role of Weight Decay in Collaborative Filtering: A Popularity Perspective",
KDD 2025), as `reproduce` found them. It writes this file from the records of its trials, one line each in
`records.jsonl` beside the figures: a trial that is recorded is not run again. NDCG@20 is on the test set, by dot
product over all items that the user has not interacted with: mean ± standard deviation over those of the seeds 123, 246
and 492 that are on record, which also draw the split; without a deviation, it is one seed. Popular, neutral and
unpopular are the three parts that it is the sum of: the contributions of hits among the 5 % most popular items, the
next 15 % and the rest (popularity counts all interactions of the data set). Splits are random, 80/10/10. Except in the
protocol "code", MovieLens 1M has ratings of 3 and more. SSM has temperature 0.2 and 10 uniform negatives per pair
(protocol "code": 20 from the batch); neither is tuned.
)";

const char* const about_table1 = R"(
## Table 1

MF and MLP with 64 dimensions. Chosen on the validation set of the first seed: the learning rate from {0.1, 0.01,
0.001}, weight decay from {0, 1e-8, 1e-6, 1e-4}, DirectAU's gamma from {1, 2, 5}, and MAWU's gamma1 and gamma2 from
{0.2, 0.6, 1} (Gowalla: 2.6 and 1.4, and Yelp2018: 0.8 and 0.6, the paper's values). The search is successive halving
among the candidates of one learning rate; the paper trains all (`--first-epochs 0`). Each seed draws its own split, so
the test sets of the other two seeds overlap the first one's validation set. Patience is 10 and counts from step 1000
on. Amazon-Book is [not complete](../how_to/reading.md#data-sets).

- First rung, unless `--first-epochs` sets it: 30 epochs; 10 for MAWU's searches, and for DirectAU on the larger data
  sets, where all of PRISM's candidates with MF are trained to the end in protocol "text" (at a learning rate of 0.001
  their validation does not rise in 10 epochs).
- Protocols: "text", the paper's text; "code", its published code (`Released` in [policies.md](../reference/policies.md); MovieLens
  with every rating); "transferred", the text with the hyperparameters that were chosen on Gowalla, without a search.
- "paper": five values of the paper's table; the others are not in these records, though the paper has them.
- "Within the spread": a difference of at most one standard deviation of our seeds, of two methods the larger one.

)";

const char* const about_rates = R"(
### At equal learning rates

In the tables above each method has the learning rate that was chosen for it, and the two often differ by a factor of
10 or more. Here both have the same, with the first seed: of each method, the candidate with the best validation among
those that were trained to the end at this learning rate.

)";

const char* const about_after_training = R"(
### Magnitudes written after training

Not in the paper: Xavier, no decay, learning rate 0.01 without a search; items are ranked with rows of magnitude (d +
1)^power, where d is the training popularity ([ranking](../how_to/popularity_when_ranking.md)). The power is chosen on
the validation set, and training stops by the ranking with it. The loss's hyperparameters are chosen from the same lists
as those of decay and PRISM, and DirectAU's gammas are all trained to the end. All three methods have the same seeds,
those on record for all. Epochs to equal quality are as above, for each pair of methods. Seconds are those of the chosen
trainings with all validations, beside other work, and on different days: they are no comparison of speed. The searches
of decay train 12 candidates, and those of PRISM 3, for each one of these.

)";

const char* const about_figures = R"(
## Figures

64 dimensions; learning rate 0.01 with Xavier and 0.001 with PRISM where nothing else is said; batches of 4096 for
DirectAU and MAWU and of 16384 for the others; DirectAU's gamma 1, MAWU's gamma1 and gamma2 0.2 on MovieLens and
Amazon-Book and the paper's values on Gowalla and Yelp2018; patience 10 from step 1000 on. A figure shows the seeds that
all its points were run with, or those of each point where there is no such seed; lines of magnitudes and of training
are of the first of them.
)";

const char* const about_negatives = R"(
## Losses with many negatives

Not in the paper: MF with 64 dimensions, no decay, batches of 4096, and a loss over 1024 uniform negatives that all
pairs of a batch share; those that the user has seen do not count. Xavier and PRISM have the same search, except that
with UltraGCN PRISM also has two scales {0.02, 0.1}. Learning rates are {0.003, 0.01} (CCL: {0.001, 0.003}), on Yelp2018
and Amazon-Book 0.01 (CCL: 0.003); temperatures {0.08, 0.1} ({0.04, 0.05} for PSL, which halves its differences); CCL's
margins {0.4, 0.9} (Amazon-Book: {0.2, 0.9}); UltraGCN's weights of the negatives {100, 300}. Set without a search:
BSL's power, its authors' 1.22 for Gowalla and 1.1 for Yelp2018, and 1.22 on Amazon-Book, SLK's tau_w 1 with constant
weights and quantiles of every fifth epoch, CCL's weight 150 (Amazon-Book: 250). Chosen are those that rank a validation
set best, a tenth of the training set, by successive halving among the candidates of each learning rate, whose first
rung, without `--first-epochs`, is 30 epochs with CCL, 40 with UltraGCN and, with the other losses, 40 on Gowalla and 10
elsewhere. Patience is 10 epochs, but 30 with UltraGCN, whose validation on Gowalla goes up to 19 epochs without
improvement before it rises. The model is then retrained on training and validation set for the best number of epochs,
and tested. There is one seed; on LightGCN splits it affects only the validation set. NDCG@20 and Recall@20 count as in
[protocols.md](../how_to/protocols.md). Equal quality is reached when the validation of each initializer reaches the lower of
their two best. Seconds per epoch include validation, with other trials on other cores. Published results have other
random splits and other validation sets, and on Amazon-Book a training set that is [complete](../how_to/reading.md#data-sets), as
ours is not.

)";

const char* const about_defaults = R"(
## Default learning rates

Not in the paper: the learning rate that follows from the initial rows, where none is given
([defaults.md](../explanation/defaults.md)), compared with each of the paper's learning rates; MF + DirectAU (gamma 1)
with 64 dimensions, batches of 4096, full decay of 1e-6, PRISM<1>, or magnitudes written after training; MovieLens 100K
with all ratings, MovieLens 1M with those of 3 and more. Patience is 10 and counts from step 1000 on; where the default
lowers its learning rate, with FullWD, from the last reduction on. NDCG@20 on the test set (best epoch); the last column
is the default relative to the best of the constant learning rates on the test set.

)";

/// The table of incomplete elements: a row for all whose names begin with the same parts.
class IncompleteElements {
 public:
  /// @param parts  how many of a name's parts, as in decay/gowalla, are the row's title
  void add(const std::string& name, const std::string& note, int parts) {
    std::size_t end = name.find('/');
    for (int k = 1; k < parts; ++k) end = name.find('/', end + 1);
    const std::string title = name.substr(0, end);
    auto row = std::ranges::find(rows_, title, &Row::first);
    if (row == rows_.end()) row = rows_.insert(row, {title, ""});
    std::string& elements = row->second;
    elements += (elements.empty() ? "" : ", ") + name.substr(end + 1);
    if (!note.empty()) elements += " (" + note + ")";
  }

  template <class CellResults>
  void add_cells(const CellResults& cells, int parts) {
    for (const auto& result : cells) {
      if (!result.on_record()) add(result.cell.name(), result.note(), parts);
    }
  }

  void add_figures(const std::vector<FigureResult>& results) {
    for (const FigureResult& figure : results) {
      if (figure.shows_all()) continue;
      const std::string trials =
          std::to_string(figure.done) + " of " + std::to_string(figure.total) + " trials";
      add(figure.figure.name, figure.done > 0 ? trials : "", 1);
    }
  }

  [[nodiscard]] std::string markdown() const {
    if (rows_.empty()) return "";
    std::string text =
        "\n## Incomplete\n\n"
        "Cells not run, or not with every seed, and figures with points that have no run:\n\n"
        "| element | |\n|---|---|\n";
    for (const auto& [title, elements] : rows_) text += "| " + title + " | " + elements + " |\n";
    return text;
  }

 private:
  using Row = std::pair<std::string, std::string>;  // title, elements

  std::vector<Row> rows_;
};

std::string incomplete_elements(const Results& results) {
  IncompleteElements elements;
  elements.add_cells(results.cells, 2);      // table1/gowalla | MF/SSM/text
  elements.add_figures(results.figures);     // decay | gowalla
  elements.add_cells(results.negatives, 3);  // negatives/gowalla/lightgcn | SSM
  return elements.markdown();
}

std::string picture(const std::filesystem::path& folder, const std::string& title,
                    const std::string& file) {
  return "![" + title + "](" + folder.filename().string() + "/" + file + ".svg)\n";
}

/// "Shown: seeds 123, 246": those of any point.
std::string seeds_text(const FigureResult& result) {
  std::set<std::uint64_t> seeds;
  for (const SeriesResult& series : result.series) {
    for (const SeriesPoint& point : series.points) {
      for (const prism::TrialRecord& run : point.runs) seeds.insert(run.seed);
    }
  }
  std::string text = seeds.size() == 1 ? "Shown: seed" : "Shown: seeds";
  for (const std::uint64_t seed : seeds) {
    text += (seed == *seeds.begin() ? " " : ", ") + std::to_string(seed);
  }
  return text;
}

/// The section of the figures with a run for each point; empty if there are none. Also draws them
/// and writes their CSV files.
std::string figures_section(const std::vector<FigureResult>& results,
                            const std::filesystem::path& folder,
                            prism::detail::StagedFiles& files) {
  std::ostringstream text;
  std::map<std::string, std::string> titles;  // of figures, by their table
  for (const FigureResult& result : results) {
    const Figure& figure = result.figure;
    if (figure.shown == Shown::rates || !result.shows_all()) continue;
    const std::string file = file_name(figure.name);
    text << "\n### " << figure.title << "\n\n"
         << figure.caption << "\n\n"
         << command(figure.name) << "\n";
    if (draw(result, folder)) text << picture(folder, figure.title, file);
    const std::string table = figure_markdown(result);
    if (!table.empty()) {
      const auto [same, first] = titles.emplace(table, figure.title);
      text << "\n"
           << (first ? table : "The values are those of the table of \"" + same->second + "\".\n");
    }
    text << "\n" << seeds_text(result);
    if (result.done < result.total) {
      text << " (" << result.done << " of " << result.total << " trials are on record"
           << (figure.shown == Shown::curves ? " with validation by cosine" : "") << ")";
    }
    text << ".\n";
    files.write(file + ".csv", figure_csv(result));
  }
  return text.str().empty() ? "" : about_figures + text.str();
}

}  // namespace

void write_documents(const std::filesystem::path& folder, const Results& results) {
  std::ostringstream text;
  prism::detail::StagedFiles files(folder);
  text << introduction << about_table1 << command("table1") << "\n"
       << table1_markdown(results.cells);
  const std::string rates = rates_markdown(results.cells);
  if (!rates.empty()) text << about_rates << rates;
  const std::string after = after_training_markdown(results.cells);
  if (!after.empty()) text << about_after_training << after;
  files.write("table1.csv", table1_csv(results.cells));
  text << figures_section(results.figures, folder, files);
  const std::string defaults = defaults_markdown(results.figures);
  if (!defaults.empty()) {
    text << about_defaults << command("defaults") << "\n" << defaults;
    files.write("defaults.csv", defaults_csv(results.figures));
  }
  std::string tables;
  for (const Benchmark& benchmark : benchmarks()) {
    const std::string table = negatives_markdown(benchmark, results.negatives);
    if (!table.empty()) tables += "\n### " + benchmark.title() + "\n\n" + table;
  }
  if (!tables.empty()) {
    text << about_negatives << command("negatives") << tables;
    files.write("negatives.csv", negatives_csv(results.negatives));
  }
  text << "\n## The theorem\n\nThe expected change of an item's squared magnitude in a step at "
          "cosine "
          "0.9, as the paper fixes it, under gradient descent:\nlearning rate 0.1, an item of "
          "magnitude 1, 800,000 pairs in batches of 4096. Red: increase, blue: decrease; the "
          "colours\n"
          "end at ±0.002.\n\n";
  draw_theorem(folder);
  text << picture(folder, "Expected change over popularity and weight decay", "theorem")
       << incomplete_elements(results);
  files.publish();
  prism::detail::StagedFiles document(folder.parent_path());
  document.write(folder.filename().string() + ".md", text.str());
  document.publish();
}

}  // namespace reproduce
