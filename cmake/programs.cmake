# How the project's own programs are built. None of this reaches a consumer.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(prism_flags INTERFACE)
# Files that are compiled as CUDA have their own options: cuda.cmake.
target_compile_options(prism_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>")
if(PRISM_WERROR)
  target_compile_options(prism_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(PRISM_NATIVE)
  target_compile_options(prism_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  # On a machine with AVX10, clang 19 warns about what its own -march=native asks for.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(prism_flags INTERFACE -Wno-invalid-feature-combination)
  endif()
endif()
if(PRISM_SANITIZE)
  target_compile_options(prism_flags INTERFACE -fsanitize=address,undefined
                                                 -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(prism_flags INTERFACE -fsanitize=address,undefined)
  # The checks make functions long: less inlining saves a seventh of clang's time, and traps in place of
  # messages about undefined behaviour a tenth or more of the rest. After a trap (illegal instruction)
  # ASAN_OPTIONS=handle_sigill=1 shows where it was.
  target_compile_options(
    prism_flags INTERFACE
    "$<$<CXX_COMPILER_ID:Clang>:SHELL:-fsanitize-trap=undefined -mllvm -inline-threshold=40>")
endif()

# What a program links: prism_program shares prism::compiled with the other programs, and
# prism_header_only_program compiles the headers with its own options.
add_library(prism_header_only_program INTERFACE)
target_link_libraries(prism_header_only_program INTERFACE prism::prism prism_flags)
add_library(prism_program INTERFACE)
target_link_libraries(prism_program INTERFACE prism::compiled prism_flags)
foreach(library prism_compiled prism_models)
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:prism_flags>)
  # Measured within 5 % of the speed at -O3, and a third less to compile.
  target_compile_options(${library} PRIVATE $<$<CONFIG:Release>:-O2>)
endforeach()
if(PRISM_SANITIZE)
  target_compile_options(prism_compiled PRIVATE -O1)  # for the tests with long runs
endif()
