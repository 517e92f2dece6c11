# prism::compiled: the headers of prism::prism, of which functions that are no templates, and some
# templates for float on the host's threads, are compiled once instead of in every file.
#
# The library is built by the project that uses it, in the folder that finds or adds prism, with that
# project's flags. Options that change code (-m..., -ffp-contract, -ffast-math) have to be those of
# the files that link it: set them in CMAKE_CXX_FLAGS, or with target_compile_options for both. A file
# for another instruction set, or without zlib where the library has it, does not link. It is not
# exported: a library that is installed has to link prism::prism. Needs prism_sources, the folder src.
add_library(prism_compiled STATIC EXCLUDE_FROM_ALL
            ${prism_sources}/core.cpp ${prism_sources}/data.cpp ${prism_sources}/evaluate.cpp
            ${prism_sources}/experiment.cpp ${prism_sources}/model.cpp
            ${prism_sources}/ops.cpp ${prism_sources}/policy.cpp ${prism_sources}/serve.cpp
            ${prism_sources}/training.cpp)
add_library(prism::compiled ALIAS prism_compiled)
# Shared libraries and Python modules may link it.
set_target_properties(prism_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(prism_compiled PUBLIC prism::prism)
# Files that are compiled as CUDA use the headers alone: nvcc would have to instantiate the templates
# for its own execution all the same.
target_compile_definitions(prism_compiled PUBLIC $<$<COMPILE_LANGUAGE:CXX>:PRISM_COMPILED>
                                          PRIVATE PRISM_INSTANTIATE)
# Where the project chooses no build type, as the headers' kernels are useless without optimisation.
# g++ 12 warns about the deliberately undefined registers in its own AVX-512 headers.
target_compile_options(prism_compiled PRIVATE
  $<$<CONFIG:>:-O2>
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")

# prism::models: every combination of the library's policies, compiled once, by name: make_model() of
# prism/models/make_model.hpp. Takes minutes to build.
add_library(prism_models STATIC EXCLUDE_FROM_ALL
            ${prism_sources}/models/compiled_policies.cpp ${prism_sources}/models/make_model.cpp
            ${prism_sources}/models/bpr_ssm_directau.cpp ${prism_sources}/models/mawu_macr_bsl.cpp
            ${prism_sources}/models/psl_slk_ccl.cpp
            ${prism_sources}/models/ultragcn_and_theory.cpp)
add_library(prism::models ALIAS prism_models)
set_target_properties(prism_models PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(prism_models PUBLIC prism_compiled)
target_compile_options(prism_models PRIVATE
  $<$<CONFIG:>:-O2>
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")
