// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set, with its functions named THROWS and CATCHES.
#include "side.hpp"

#include <cstring>
#include <exception>
#include <prism/core/error.hpp>
#include <prism/data/interactions.hpp>
#include <string>

using namespace prism;

void THROWS(Thrown what) {
  switch (what) {
    case Thrown::error:
      throw Error("of no kind");
    case Thrown::argument:
      throw ArgumentError("batch_size", "must be at least 1, not 0");
    case Thrown::data:
      throw DataError("a/ratings.dat", 17, "has no item");
    case Thrown::whole_file:
      throw DataError("a/ratings.dat", 0, "cannot be read");
    case Thrown::divergence:
      throw DivergenceError("the loss is no longer finite");
    case Thrown::by_the_library:
      (void)Interactions(1, 1, std::vector<Interaction>{{0, 1}});
  }
}

namespace {

bool says(const std::exception& error, const char* text) {
  return std::strcmp(error.what(), text) == 0;
}

// Tests copies as well: a handler may keep the error, and a std::exception_ptr rethrow it.
bool arrives_as_its_type(Throws throws, Thrown what) {
  try {
    throws(what);
  } catch (const ArgumentError& caught) {
    const ArgumentError error = caught;
    if (what == Thrown::by_the_library) {
      return error.argument() == "pairs" && std::strstr(error.what(), "pairs: user 0, item 1 is");
    }
    return what == Thrown::argument && error.argument() == "batch_size" &&
           says(error, "batch_size: must be at least 1, not 0");
  } catch (const DataError& caught) {
    const DataError error = caught;
    if (what == Thrown::whole_file) {
      return error.file() == "a/ratings.dat" && error.line() == 0 &&
             says(error, "a/ratings.dat: cannot be read");
    }
    return what == Thrown::data && error.file() == "a/ratings.dat" && error.line() == 17 &&
           says(error, "a/ratings.dat:17: has no item");
  } catch (const DivergenceError& caught) {
    const DivergenceError error = caught;
    return what == Thrown::divergence && says(error, "the loss is no longer finite");
  } catch (const Error& caught) {
    const Error error = caught;
    return what == Thrown::error && says(error, "of no kind");
  } catch (...) {
  }
  return false;
}

bool arrives_as_error(Throws throws, Thrown what) {
  try {
    throws(what);
  } catch (const Error& error) {
    return error.what()[0] != '\0';
  } catch (...) {
  }
  return false;
}

}  // namespace

std::size_t CATCHES(Throws throws) {
  std::size_t whole = 0;
  for (const Thrown what : every_thrown) {
    whole += arrives_as_its_type(throws, what) && arrives_as_error(throws, what) ? 1 : 0;
  }
  return whole;
}
