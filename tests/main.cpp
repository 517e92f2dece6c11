// SPDX-License-Identifier: BSD-3-Clause
// main of all test programs, compiled once, because doctest's implementation takes seconds. A
// program whose filters select no test case fails: ctest runs each case by its name.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

namespace {

bool any_case = false;

struct NoteCases : doctest::IReporter {
  explicit NoteCases(const doctest::ContextOptions&) {}
  void test_case_start(const doctest::TestCaseData&) override { any_case = true; }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("note_cases", 1, NoteCases);

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (context.shouldExit() || status != 0) return status;
  return any_case ? 0 : 1;
}
