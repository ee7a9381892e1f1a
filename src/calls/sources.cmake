# The library's sources, and the tracer's, which compiles them by its own rules.
set(DT_CALLS_SOURCES calls.c mpi.c openmp.c pthreads.c ends.c system.c go.c)
list(TRANSFORM DT_CALLS_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
