# How the project's own programs are built. None of this reaches a consumer.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(prism_program INTERFACE)
target_link_libraries(prism_program INTERFACE prism::prism)
# Files that are compiled as CUDA have their own options: cuda.cmake.
target_compile_options(prism_program INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>")
if(PRISM_WERROR)
  target_compile_options(prism_program INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(PRISM_NATIVE)
  target_compile_options(prism_program INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  # On a machine with AVX10, clang 19 warns about what its own -march=native asks for.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(prism_program INTERFACE -Wno-invalid-feature-combination)
  endif()
endif()
if(PRISM_SANITIZE)
  target_compile_options(prism_program INTERFACE -fsanitize=address,undefined
                                                 -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(prism_program INTERFACE -fsanitize=address,undefined)
  # The checks make functions long: with less inlining, clang compiles a seventh quicker, and the
  # tests run as before.
  target_compile_options(prism_program INTERFACE
                         "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -inline-threshold=40>")
endif()
