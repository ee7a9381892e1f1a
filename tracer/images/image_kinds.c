/* Images by their names: the runtime libraries, the loader. The same for every engine. */
#include "images/loaded_image.h"

#include <string.h>

/* Runtime libraries of the system, compilers, MPI and OpenMP; `NAME` stands for NAME.so*, and NAME-*.so*. What only
 * these need is theirs, not the program's. */
static const char *const runtime_libraries[] = {"libc",
                                                "libm",
                                                "libmvec",
                                                "libpthread",
                                                "libdl",
                                                "librt",
                                                "libutil",
                                                "libresolv",
                                                "libnsl",
                                                "libanl",
                                                "libgcc_s",
                                                "libstdc++",
                                                "libc++",
                                                "libc++abi",
                                                "libunwind",
                                                "libatomic",
                                                "libgfortran",
                                                "libquadmath",
                                                "libflang",
                                                "libgomp",
                                                "libomp",
                                                "libiomp5",
                                                "libasan",
                                                "libhwasan",
                                                "libtsan",
                                                "libubsan",
                                                "liblsan",
                                                "libmpi",
                                                "libmpi_cxx",
                                                "libmpi_mpifh",
                                                "libmpi_usempi_ignore_tkr",
                                                "libmpi_usempif08",
                                                "libmpich",
                                                "libmpichcxx",
                                                "libmpichfort",
                                                "libmpicxx",
                                                "libmpifort",
                                                "libpmpi",
                                                "libopen-rte",
                                                "libopen-pal",
                                                "libprrte",
                                                "libpmix",
                                                "libpmi",
                                                "libpmi2",
                                                "libhwloc",
                                                "libevent",
                                                "libevent_core",
                                                "libevent_pthreads",
                                                "libucp",
                                                "libucs",
                                                "libuct",
                                                "libucm",
                                                "libfabric",
                                                "libpsm2",
                                                "libpsm_infinipath",
                                                "libibverbs",
                                                "librdmacm",
                                                "libnuma",
                                                "libmunge",
                                                "libslurm",
                                                "libyaksa",
                                                "libdb",
                                                NULL};

const char *dt_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool dt_is_runtime_library(const char *path)
{
    const char *name = dt_base_name(path);
    for (const char *const *known = runtime_libraries; *known; known++) {
        size_t length = strlen(*known);
        if (strncmp(name, *known, length) == 0 && (strncmp(name + length, ".so", 3) == 0 || name[length] == '-'))
            return true;
    }
    static const char *const plugins[] = {"mca_", "libnss_", "libuct_", "libucm_", "libucx_", "hwloc_", NULL};
    for (const char *const *prefix = plugins; *prefix; prefix++)
        if (strncmp(name, *prefix, strlen(*prefix)) == 0)
            return true;
    return strstr(path, "/gconv/") != NULL;
}

bool dt_is_loader(const char *path)
{
    const char *name = dt_base_name(path);
    return strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld.so", 5) == 0 || strncmp(name, "linux-vdso", 10) == 0 ||
           strncmp(name, "linux-gate", 10) == 0;
}

bool dt_is_left_alone(const char *path)
{
    static const char *const prefixes[] = {"libgcc_s", "libasan",  "libhwasan",   "liblsan",
                                           "libtsan",  "libubsan", "libclang_rt", NULL};
    for (const char *const *prefix = prefixes; *prefix; prefix++)
        if (strncmp(dt_base_name(path), *prefix, strlen(*prefix)) == 0)
            return true;
    return false;
}
