# The HTML report: web/ is bundled by esbuild, which npm installs from the lockfile, and is embedded
# into the binary (scripts/embed_web.py). Sets `embedded_web`. Where Node.js or the packages cannot
# be had, the bundle is empty: `--html` then says that this build leaves reports out.
set(BURIN_WEB AUTO CACHE STRING "Build the HTML report: AUTO (where Node.js is), ON or OFF")
set(web ${CMAKE_SOURCE_DIR}/web)
set(embedded_web ${CMAKE_CURRENT_BINARY_DIR}/embedded_web.cc)
set(embed_web ${CMAKE_SOURCE_DIR}/scripts/embed_web.py)
set_source_files_properties(${embedded_web} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  COMPILE_OPTIONS -Wno-overlength-strings)

set(web_problem "")
if(BURIN_WEB STREQUAL OFF)
  set(web_problem "BURIN_WEB is OFF")
else()
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    set(web_problem "Node.js or npm is not installed")
  endif()
endif()
if(web_problem STREQUAL "")
  file(SHA256 ${web}/package-lock.json lock)
  set(installed "")
  if(EXISTS ${web}/node_modules/esbuild AND EXISTS ${web}/node_modules/.lock)
    file(READ ${web}/node_modules/.lock installed)
  endif()
  if(NOT installed STREQUAL lock)
    message(STATUS "Installing the packages of web/package-lock.json")
    execute_process(
      COMMAND ${NPM_PROGRAM} ci --no-audit --no-fund --ignore-scripts --fetch-retries=1
              --fetch-timeout=20000
      WORKING_DIRECTORY ${web} TIMEOUT 180 RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status STREQUAL 0)
      file(WRITE ${web}/node_modules/.lock ${lock})
    else()
      set(web_problem "npm ci failed in web/")
    endif()
  endif()
endif()

if(web_problem STREQUAL "")
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.css)
  set(web_bundle ${CMAKE_CURRENT_BINARY_DIR}/web)
  add_custom_command(
    OUTPUT ${embedded_web}
    COMMAND ${NODE_PROGRAM} build.mjs ${web_bundle}
    COMMAND Python3::Interpreter ${embed_web} ${embedded_web} ${web_bundle}/main.js
            ${web_bundle}/main.css
    DEPENDS ${web_sources} ${web}/build.mjs ${web}/package-lock.json ${embed_web}
    WORKING_DIRECTORY ${web}
    COMMENT "Bundling the HTML report")
elseif(BURIN_WEB STREQUAL ON)
  message(FATAL_ERROR "BURIN_WEB is ON: ${web_problem}")
else()
  message(STATUS "HTML reports are left out: ${web_problem}")
  add_custom_command(
    OUTPUT ${embedded_web}
    COMMAND Python3::Interpreter ${embed_web} ${embedded_web}
    DEPENDS ${embed_web}
    COMMENT "Leaving the HTML report out")
endif()
