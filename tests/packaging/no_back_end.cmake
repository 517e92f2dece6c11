# FILE includes nothing of an implementation's: COMPILER -M lists no header of another library, and
# of prism's own headers only those in FOLDERS, a regular expression. ROOT is include.
execute_process(COMMAND ${COMPILER} -std=c++20 -I${ROOT} -M ${FILE}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${errors}")
endif()
string(REGEX MATCHALL "[^ \n\\]+\\.?[^ \n\\]*" files "${output}")
set(own 0)
foreach(file IN LISTS files)
  string(FIND "${file}" "${ROOT}/prism/" place)
  if(place EQUAL 0)
    math(EXPR own "${own} + 1")
    if(NOT file MATCHES "/prism/(${FOLDERS})/[^/]+$")
      message(SEND_ERROR "includes ${file}")
    endif()
  # libstdc++ tests __has_include(<tbb/tbb.h>), and clang lists headers that are only tested for.
  elseif(file MATCHES "/(xtensor|xtl|xsimd|tbb|oneapi|zlib|zconf)[^/]*(/|$)"
         AND NOT file MATCHES "/tbb/tbb\\.h$")
    message(SEND_ERROR "includes ${file}")
  endif()
endforeach()
if(own EQUAL 0)
  message(FATAL_ERROR "found none of prism's headers in\n${output}")
endif()
