# Links main.cpp, compiled for one instruction set, with machine.cpp, compiled for another. This must
# fail, and the linker must name the set of the caller's interactions and model: WORDS. If WORDS is
# empty, they must link.
foreach(unit main machine)
  execute_process(COMMAND ${COMPILER} -std=c++20 -O0 ${${unit}_FLAGS} -I${INCLUDE}
                          -c ${CMAKE_CURRENT_LIST_DIR}/${unit}.cpp -o ${OUT}.${unit}.o
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${COMPILER} ${OUT}.main.o ${OUT}.machine.o ${LIBRARIES} -o ${OUT}
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE output)
if(WORDS STREQUAL "")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "does not link:\n${output}")
  endif()
  return()
endif()
if(status EQUAL 0)
  message(FATAL_ERROR "links, and should not")
endif()
foreach(signature "train\\(prism::${WORDS}::Interactions const&\\)"
                  "train\\(prism::${WORDS}::Recommender<")
  if(NOT output MATCHES "undefined reference to [^\n]*${signature}")
    message(FATAL_ERROR "the linker says\n${output}\nand not\n  ${signature}")
  endif()
endforeach()
