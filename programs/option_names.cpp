// SPDX-License-Identifier: BSD-3-Clause
#include "option_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <prism/core/error.hpp>
#include <utility>

namespace programs {

namespace {

// Options of the library, or arguments that its errors name, and the option that sets each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 51> option_names{{
    {"backbone", "--backbone"},
    {"backslash_escapes", "--backslash-escapes"},
    {"batch_size", "--batch"},
    {"checkpoint", "--checkpoint"},
    {"comment", "--comment"},
    {"data", "--data"},
    {"decimal_comma", "--decimal-comma"},
    {"delimiter", "--delimiter"},
    {"drop_invalid", "--drop-invalid"},
    {"drop_repeated", "--drop-repeated"},
    {"epochs", "--epochs"},
    {"exponent", "--rank-exponent"},
    {"file_order", "--file-order"},
    {"first_epochs", "--first-epochs"},
    {"format", "--format"},
    {"header", "--header or --no-header"},
    {"initializer", "--initializer"},
    {"item", "--item-column"},
    {"learning_rate", "--lr"},
    {"loss", "--loss"},
    {"min_rating", "--min-rating"},
    {"min_steps", "--min-steps"},
    {"missing_ids", "--missing-ids"},
    {"no_column", "another --split"},
    {"optimizer", "--optimizer"},
    {"patience", "--patience"},
    {"penalty", "--penalty"},
    {"penalty.gamma", "--ipl-gamma"},
    {"penalty.weight", "--penalty-weight"},
    {"rank_alpha", "--rank-alpha"},
    {"rank_exponent", "--rank-exponent"},
    {"rank_power", "--rank-power"},
    {"ranking", "--rank-power or --rank-alpha"},
    {"rating", "--rating-column"},
    {"regularizer", "--regularizer"},
    {"sampler", "--sampler"},
    {"schedule", "--schedule"},
    {"seed", "--seed"},
    {"split.train", "--data"},
    {"split.validation", "--data"},
    {"test", "--test"},
    {"test_column", "--test-column"},
    {"test_users", "--test-users"},
    {"test_value", "--test-value"},
    {"time", "--time-column"},
    {"train", "--data"},
    {"user", "--user-column"},
    {"validate_by_cosine", "--validate-by-cosine"},
    {"validate_every", "--validate-every"},
    {"validation + test", "--validation-part and --test-part"},
    {"validation_users", "--validation-users"},
}};

/// The command line's name of an option; empty if it has none.
std::string_view name_of(std::string_view option) {
  const auto found = std::ranges::find(option_names, option,
                                       &std::pair<std::string_view, std::string_view>::first);
  return found == option_names.end() ? std::string_view() : found->second;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether text[begin, end) is a word of the sentence, not part of a path or a quotation.
bool stands_free(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::string_view bound = "./\\'\"-=";
  if (begin > 0 && bound.find(text[begin - 1]) != std::string_view::npos) return false;
  if (end == text.size() || bound.find(text[end]) == std::string_view::npos) return true;
  const bool ends_sentence = text[end] == '.' && (end + 1 == text.size() || text[end + 1] == ' ');
  return ends_sentence;
}

}  // namespace

std::string in_options(std::string_view text) {
  std::string worded;
  bool several = false;  // after "the options"
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end == begin) {
      worded += text[begin++];
      continue;
    }
    const std::string_view word = text.substr(begin, end - begin), before = text.substr(0, begin);
    const bool named = before.ends_with("option ") || before.ends_with("options ") ||
                       (several && before.ends_with(" and "));
    if (word == "options") several = true;
    const bool of_library = named || word.find('_') != std::string_view::npos;
    const std::string_view name =
        of_library && stands_free(text, begin, end) ? name_of(word) : std::string_view();
    worded += name.empty() ? word : name;
    if (several && !named && word != "options" && word != "and") several = false;
    begin = end;
  }
  return worded;
}

std::string message_of(const std::exception& error) {
  const std::string_view text = error.what();
  if (const auto* const of_argument = dynamic_cast<const prism::ArgumentError*>(&error)) {
    const std::string argument = of_argument->argument();
    const std::string_view name = name_of(argument);
    return (name.empty() ? in_options(argument) : std::string(name)) +
           in_options(text.substr(argument.size()));
  }
  if (const auto* const of_data = dynamic_cast<const prism::DataError*>(&error)) {
    const std::string file = of_data->file();
    return file + in_options(text.substr(file.size()));
  }
  return in_options(text);
}

}  // namespace programs
