# prism::compiled: prism::prism, of which what depends on no policy is compiled once, for the float
# models of the host's threads, instead of in every file that includes it. The library is built with
# the flags of the project that uses it; to build it for an instruction set, add its flag to
# CMAKE_CXX_FLAGS, or with target_compile_options to prism_compiled and to what links it alike: code
# for two instruction sets does not link. Also part of the installed package. Needs prism_sources,
# the folder src.
add_library(prism_compiled STATIC EXCLUDE_FROM_ALL
            ${prism_sources}/core.cpp ${prism_sources}/data.cpp ${prism_sources}/evaluate.cpp
            ${prism_sources}/experiment.cpp ${prism_sources}/ops.cpp
            ${prism_sources}/optimizer.cpp ${prism_sources}/policy.cpp ${prism_sources}/serve.cpp
            ${prism_sources}/training.cpp)
add_library(prism::compiled ALIAS prism_compiled)
target_link_libraries(prism_compiled PUBLIC prism::prism)
# Files that are compiled as CUDA use the headers alone.
target_compile_definitions(prism_compiled PUBLIC $<$<COMPILE_LANGUAGE:CXX>:PRISM_COMPILED>)
# The deliberately undefined registers in the AVX-512 headers of g++ 12.
target_compile_options(prism_compiled PRIVATE
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")
