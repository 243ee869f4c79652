# Writes OUTPUT, a C++ source with the text of all FILES (separated by ','), for library.h.
string(REPLACE "," ";" files "${FILES}")
set(entries "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND entries "    {\"library/${name}\", R\"kernel(${text})kernel\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"host/kernel/library.h\"

namespace systolith::kernel {
namespace {

constexpr LibraryFile kFiles[] = {
${entries}};

}  // namespace

std::span<const LibraryFile> LibraryFiles() { return kFiles; }

}  // namespace systolith::kernel
")
