# LIBRARY is built with hidden visibility; the errors' types are in its symbol table, because not
# every C++ runtime treats two types of one name as the same.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
foreach(type 5Error 13ArgumentError 9DataError 15DivergenceError)
  if(NOT symbols MATCHES "_ZTIN5prism${type}E")
    message(SEND_ERROR "${LIBRARY} hides prism::${type}")
  endif()
endforeach()
# Of the rest, only the list of device memories, which is one for all libraries of a program.
string(REGEX REPLACE "[^\n]*15device_memories[^\n]*" "" symbols "${symbols}")
if(symbols MATCHES "[^\n]*compiled_for_[^\n]*")
  message(SEND_ERROR "${LIBRARY} exports other symbols than the errors:\n  ${CMAKE_MATCH_0}")
endif()
