# Symbols of prism that an object for AVX2 shares with units for other instruction sets, because they
# are outside the inline namespace: vtables, type information, and destructors that use no vector
# register. OBJECTS are such objects, NM and OBJDUMP those of binutils.
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [uvVwW] [^\n]*5prism[^\n]*" symbols "${symbols}")
  set(count 0)
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "compiled_for_")
      continue()
    endif()
    math(EXPR count "${count} + 1")
    if(NOT symbol MATCHES " (DW\\.ref\\._ZTI|_ZT[VIS]|_Z)N5prism[0-9]+[A-Za-z]+(E|D[0-2]Ev)$")
      message(SEND_ERROR "${object} shares with every unit\n  ${symbol}")
    endif()
  endforeach()

  # A shared function has its own section.
  execute_process(COMMAND ${OBJDUMP} -h ${object} OUTPUT_VARIABLE headers
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "\\.text\\.[^ ]*5prism[^ ]*" sections "${headers}")
  list(FILTER sections EXCLUDE REGEX "compiled_for_")
  list(REMOVE_DUPLICATES sections)
  set(code 0)
  foreach(section IN LISTS sections)
    execute_process(COMMAND ${OBJDUMP} -d -j ${section} ${object} OUTPUT_VARIABLE listing
                    COMMAND_ERROR_IS_FATAL ANY)
    if(listing MATCHES "\n +[0-9a-f]+:\t")
      math(EXPR code "${code} + 1")
    endif()
    if(listing MATCHES "[^\n]*%[xyz]mm[^\n]*")
      message(SEND_ERROR "${object} shares with every unit, in ${section},\n  ${CMAKE_MATCH_0}")
    endif()
  endforeach()
  message("${object}: ${count} shared symbols, ${code} of them functions")
  if(count EQUAL 0 OR code EQUAL 0)
    message(SEND_ERROR "${object}: found none of them")
  endif()
endforeach()
