# The library's sources, and the tracer's, which compiles them by its own rules. Where the time goes they are optimised further.
set(DT_CODEC_HOT_SOURCES lz_history.c lz_tokens.c lz_decoder.c lzr.c lzr_decoder.c tz.c tz_decoder.c tz_model.c tz_rows.c)
set(DT_CODEC_SOURCES codec.c names.c raw.c parlot.c ring.c lz_along.S lz_along_wide.S tz_tables.c tz_initial.c ${DT_CODEC_HOT_SOURCES})
list(TRANSFORM DT_CODEC_HOT_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM DT_CODEC_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
