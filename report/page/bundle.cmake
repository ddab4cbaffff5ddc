# cmake -DOUT=page_parts.cpp -DSTYLE=page.css "-DSCRIPTS=a.js|b.js" -P bundle.cmake
#
# Puts the sources of the page into one C++ source. The scripts become one, in their order: imports
# and the word `export` are left out, so their names must differ.
set(script "")
string(REPLACE "|" ";" SCRIPTS "${SCRIPTS}")
# A list would end at a semicolon, and brackets would join its elements.
foreach(file ${SCRIPTS})
  file(READ ${file} text)
  string(REGEX REPLACE "(^|\n)import [^\n]*" "" text "${text}")
  string(REGEX REPLACE "\nexport " "\n" text "${text}")
  string(REGEX REPLACE "\n *//[^\n]*" "" text "${text}")
  string(APPEND script "${text}")
endforeach()
file(READ ${STYLE} style)

# Compilers limit the length of one literal.
function(literal out name text)
  set(made "extern const std::string_view ${name};\nconst std::string_view ${name} =\n")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 part)
    string(APPEND made "R\"__page(${part})__page\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${out} "${made};\n" PARENT_SCOPE)
endfunction()
literal(style_source page_style "${style}")
literal(script_source page_script "${script}")
file(CONFIGURE OUTPUT ${OUT} CONTENT [[// Made by bundle.cmake.
#include <string_view>

namespace overture::report_detail {

@style_source@
@script_source@
}  // namespace overture::report_detail
]] @ONLY)
