# The library's sources, and the tracer's, which compiles them by its own rules.
set(DT_FORMAT_SOURCES checks.c crc32.c crc32_fold.S datatypes.c mask.c note.c skip_reason.c unrecorded.c)
list(TRANSFORM DT_FORMAT_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
