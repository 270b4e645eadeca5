# Writes the manual pages of burin and of each of its commands: cmake -D BURIN=… -D FOLDER=… -P man.cmake
function(write_page page)
  execute_process(COMMAND ${BURIN} man ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${FOLDER}/${page}.1 "${text}")
endfunction()

file(MAKE_DIRECTORY ${FOLDER})
write_page(burin)
file(STRINGS ${FOLDER}/burin.1 commands REGEX "^\\.BR burin\\\\-")
foreach(line IN LISTS commands)
  string(REGEX REPLACE "^\\.BR burin\\\\-([a-z]+) .*" "\\1" command "${line}")
  write_page(burin-${command} ${command})
endforeach()
