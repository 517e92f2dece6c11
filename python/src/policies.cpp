// SPDX-License-Identifier: BSD-3-Clause
// The policies as data, and losses that are compiled for the module.
#include <dlfcn.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <memory>
#include <prism/core/error.hpp>
#include <prism/models/any_recommender.hpp>
#include <prism/models/make_model.hpp>
#include <prism/models/model_spec.hpp>
#include <string>
#include <vector>

#include "module.hpp"

namespace prismcf {

namespace {

using namespace prism;

const char* name_of_kind(OptionKind kind) {
  switch (kind) {
    case OptionKind::boolean:
      return "bool";
    case OptionKind::integer:
      return "int";
    case OptionKind::number:
      return "float";
    case OptionKind::enumeration:
      return "str";
  }
  return "";
}

/// Options as data: [(option, type, default, domain in words, enumerators)].
nb::list to_list(const std::vector<OptionDescription>& options) {
  nb::list all;
  for (const OptionDescription& option : options) {
    all.append(nb::make_tuple(option.qualified, name_of_kind(option.kind), option.value,
                              std::string(option.domain.text),
                              std::string(option.domain.enumerators)));
  }
  return all;
}

/// The policies as data: (kind, name, options).
nb::list policies() {
  nb::list all;
  for (const PolicyDescription& policy : compiled_policies()) {
    all.append(nb::make_tuple(policy.kind, policy.name, to_list(policy.options)));
  }
  return all;
}

/// A loss that prismcf.compile() has compiled. Its library stays loaded, because models have its
/// code.
class LoadedLoss {
 public:
  /// @throws DataError  if the file is not such a library
  explicit LoadedLoss(const std::filesystem::path& library) {
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw DataError(library.string(), 0, ::dlerror());
    make_ = symbol<Make>(handle, library, "prismcf_make");
    symbol<Describe>(handle, library, "prismcf_describe")(options_, by_dot_product_);
  }

  [[nodiscard]] std::shared_ptr<AnyRecommender> make(const ModelSpec& spec,
                                                     const Interactions& train) const {
    return std::shared_ptr<AnyRecommender>(make_(spec, train));
  }
  [[nodiscard]] const std::vector<OptionDescription>& options() const noexcept { return options_; }
  [[nodiscard]] bool by_dot_product() const noexcept { return by_dot_product_; }

 private:
  using Make = AnyRecommender* (*)(const ModelSpec&, const Interactions&);
  using Describe = void (*)(std::vector<OptionDescription>&, bool&);

  template <class Function>
  static Function symbol(void* handle, const std::filesystem::path& library, const char* name) {
    void* const found = ::dlsym(handle, name);
    if (found == nullptr) throw DataError(library.string(), 0, std::string("has no ") + name);
    return reinterpret_cast<Function>(found);
  }

  Make make_ = nullptr;
  std::vector<OptionDescription> options_;
  bool by_dot_product_ = false;
};

}  // namespace

void bind_policies(nb::module_& module) {
  module.def("policies", policies);
  nb::class_<LoadedLoss>(module, "LoadedLoss")
      .def(nb::init<const std::filesystem::path&>())
      .def_prop_ro("options", [](const LoadedLoss& loss) { return to_list(loss.options()); })
      .def_prop_ro("by_dot_product", &LoadedLoss::by_dot_product)
      .def("make", &LoadedLoss::make, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace prismcf
