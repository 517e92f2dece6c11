// SPDX-License-Identifier: BSD-3-Clause
// The prism part of serving.py: writes the rows for all, and answers queries from an ItemIndex.
//   serving_times write FOLDER ITEMS DIM     users.npy and items.npy
//   serving_times time FOLDER ITEMS DIM THREADS   lists.txt, and seconds as JSON
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "../workload.hpp"

using namespace prism;

namespace {

constexpr std::size_t query_count = 256, k = 10, rounds = 5;

struct Seconds {
  double wall, cpu;
};

/// The least of several rounds, because other programs share the machine.
template <class Body>
Seconds least_seconds(const Body& body) {
  Seconds least{1e300, 1e300};
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    body();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    least.wall = std::min(least.wall, taken.count());
    least.cpu = std::min(least.cpu, static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5) throw ArgumentError("arguments", "must be: write|time FOLDER ITEMS DIM [THREADS]");
  const std::string folder = argv[2];
  const std::size_t items = std::stoul(argv[3]), dim = std::stoul(argv[4]);
  const Scorer<float> scorer{
      Output<float>(bench::random_rows(query_count, dim, 7), bench::random_rows(items, dim))};
  if (std::string_view(argv[1]) == "write") {
    std::ofstream(folder + "/users.npy", std::ios::binary) << detail::npy(scorer.output.users());
    std::ofstream(folder + "/items.npy", std::ios::binary) << detail::npy(scorer.output.items());
    return 0;
  }
  const ThreadLimit limit(argc > 5 ? std::stoul(argv[5]) : 1);
  const ItemIndex index(scorer);
  std::vector<Index> users(query_count);
  for (Index user = 0; user < query_count; ++user) users[user] = user;
  const auto queries = queries_of(scorer, std::span(users));
  const Seconds single = least_seconds([&] {
    for (const Query<float>& query : queries) static_cast<void>(index.top_k(query, k));
  });
  std::vector<TopKResult<float>> results;
  const Seconds batch = least_seconds([&] { results = index.top_k(queries, k); });
  std::ofstream lists(folder + "/lists.txt");
  for (const auto& result : results) {
    for (const auto& [item, score] : result.items) lists << item << ' ';
    lists << '\n';
  }
  const double each = 1e6 / query_count;
  std::cout << "{\"single wall\": " << single.wall * each
            << ", \"single cpu\": " << single.cpu * each
            << ", \"batch wall\": " << batch.wall * each << ", \"batch cpu\": " << batch.cpu * each
            << "}\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
