/* The categories of filters: lists of names, beginnings of names and words in names. */
#include "filters/categories.h"

#include <string.h>

#include "base/nearest.h"
#include "calls/calls.h"

/* A function's name as the categories look at it. */
typedef struct {
    const char *image;
    gboolean import;   /* flagged so, or named NAME@plt */
    gboolean has_list; /* "(...)": a C++ function, or a call with its arguments */
    char *name;        /* without version, import suffix and argument list */
    char *plain;       /* of a C library function also without its aliases' and variants' decoration */
} Subject;

typedef gboolean (*Matcher)(const Subject *subject);

static const char MPI_SEND_RECEIVE[] = "Send Isend Recv Irecv Wait";

/* Open MPI with its run-time and portability layers, PMIx, ROMIO, LibNBC, MPICH and those built on it. */
static const char MPI_INNER[] =
    "ompi_ OMPI_ ompit_ opal_ OPAL_ mca_ orte_ ORTE_ prte_ PRTE_ pmix PMIX PMIx_ oshmem_ NBC_ ADIO_ ADIOI_ MPIO_ "
    "MPIOI_ MPID MPIR_ MPIU_ MPII_ MPIC_ MPIE_ MPIF_ MPIT_ MPIG_ MPL_ PMI_ PMI2_ PMIU_ MV2_ mv2_ QMPI_";

static const char MPI_IMAGES[] =
    "libmpi. libmpi_ libmpicxx libmpifort libmpich libmpl libopa. libopen-rte libopen-pal libprrte libpmix "
    "libompi liboshmem mca_ libmca_ libpmi. libpmi2. libmvapich";

/* Of OpenMP runtimes beside their calls. */
static const char OPENMP_INNER_PREFIXES[] = "kmp_ __tgt_";

static const char MEMORY_NAMES[] =
    "memcpy mempcpy memccpy memmove memset memset_explicit memcmp memcmpeq memchr memrchr memmem memfrob "
    "rawmemchr explicit_bzero bzero bcopy bcmp swab wmemcpy wmempcpy wmemmove wmemset wmemcmp wmemchr malloc "
    "calloc realloc reallocarray reallocf recallocarray free cfree free_sized free_aligned_sized aligned_alloc "
    "memalign posix_memalign valloc pvalloc freezero malloc_usable_size malloc_trim malloc_consolidate "
    "malloc_info malloc_stats mallinfo mallinfo2 mallopt int_malloc int_free int_realloc int_memalign sysmalloc "
    "systrim tcache_init arena_get2 mmap mmap64 munmap mremap mprotect madvise posix_madvise msync mincore mlock "
    "mlock2 mlockall munlock munlockall brk sbrk memfd_create mbind hbw_malloc hbw_calloc hbw_realloc hbw_free "
    "hbw_posix_memalign";

static const char MEMORY_OPERATORS[] = "new new[] delete delete[]";

static const char MEMORY_PREFIXES[] =
    "je_malloc je_calloc je_realloc je_free je_posix_memalign je_aligned_alloc tc_malloc tc_calloc tc_realloc tc_free "
    "tc_memalign mi_malloc mi_calloc mi_realloc mi_free "
    "scalable_malloc scalable_calloc scalable_realloc scalable_free numa_alloc numa_free";

static const char STRING_NAMES[] =
    "strlen strnlen strcpy strncpy strlcpy stpcpy stpncpy strcat strncat strlcat strcmp strncmp strcasecmp "
    "strncasecmp strcasecmp_l strncasecmp_l stricmp strnicmp strcoll strcoll_l strxfrm strxfrm_l strverscmp "
    "strchr strrchr strchrnul strstr strcasestr strnstr strpbrk strspn strcspn strtok strtok_r strsep strdup "
    "strndup strerror strerror_r xpg_strerror_r strerror_l strerrorname_np strerrordesc_np strsignal sigabbrev_np "
    "sigdescr_np strtol strtoll strtoul strtoull strtoq strtouq strtoimax strtoumax strtod strtof strtold "
    "strtol_l strtoll_l strtoul_l strtoull_l strtod_l strtof_l strtold_l strtol_internal strtoul_internal "
    "strtoll_internal strtoull_internal strtod_internal strtof_internal strftime strftime_l strptime strptime_l "
    "strfmon strfmon_l strfromd strfromf strfroml strfry index rindex wcslen wcsnlen wcscpy wcsncpy wcpcpy "
    "wcpncpy wcscat wcsncat wcslcpy wcslcat wcscmp wcsncmp wcscasecmp wcsncasecmp wcscoll wcsxfrm wcschr wcsrchr "
    "wcschrnul wcsstr wcspbrk wcsspn wcscspn wcstok wcsdup wcstol wcstoul wcstoll wcstoull wcstod wcstof wcstold "
    "wcsftime";

static const char NETWORK_NAMES[] =
    "socket socketpair bind listen accept accept4 connect shutdown send sendto sendmsg sendmmsg recv recvfrom "
    "recvmsg recvmmsg getsockname getpeername getsockopt setsockopt sockatmark isfdtype getaddrinfo freeaddrinfo "
    "gai_strerror getaddrinfo_a gai_suspend getnameinfo getifaddrs freeifaddrs if_nametoindex if_indextoname "
    "if_nameindex if_freenameindex gethostname gethostbyname gethostbyname2 gethostbyaddr gethostbyname_r "
    "gethostbyname2_r gethostbyaddr_r gethostent sethostent endhostent herror hstrerror getservbyname "
    "getservbyname_r getservbyport getservbyport_r getservent setservent endservent getprotobyname "
    "getprotobyname_r getprotobynumber getprotobynumber_r getprotoent setprotoent endprotoent getnetbyname "
    "getnetbyaddr getnetent setnetent endnetent htonl htons ntohl ntohs ether_aton ether_ntoa res_init res_query "
    "res_search bindresvport rresvport fi_getinfo fi_freeinfo fi_dupinfo fi_fabric";

static const char NETWORK_PREFIXES[] = "inet_ ibv_ rdma_ ucp_ uct_ psm_ psm2_ res_n";

static const char NETWORK_PARTS[] = "network tcp udp socket sockets sock";

static const char POLL_NAMES[] = "ppoll select pselect ppoll64 ppoll_time64 kqueue kevent pthread_yield thrd_yield";

static const char POLL_PARTS[] = "poll epoll polling yield sched";

/* Lists are words separated by blanks. */
typedef gboolean (*WordTest)(const char *name, const char *word, gsize length);

static gboolean is_word(const char *name, const char *word, gsize length)
{
    return strncmp(name, word, length) == 0 && name[length] == '\0';
}

static gboolean starts_with_word(const char *name, const char *word, gsize length)
{
    return strncmp(name, word, length) == 0;
}

static gboolean any_word(const char *name, const char *list, WordTest test)
{
    while (*list != '\0') {
        gsize length = strcspn(list, " ");
        if (test(name, list, length))
            return TRUE;
        list += length + strspn(list + length, " ");
    }
    return FALSE;
}

static gboolean in_list(const char *name, const char *list)
{
    return any_word(name, list, is_word);
}

static gboolean has_prefix_of(const char *name, const char *list)
{
    return any_word(name, list, starts_with_word);
}

/* Parts are what underscores separate, in either case. */
static gboolean has_part_of(const char *name, const char *list)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);
    g_auto(GStrv) parts = g_strsplit(lower, "_", -1);
    for (char **part = parts; *part; part++)
        if (in_list(*part, list))
            return TRUE;
    return FALSE;
}

/* ---- matchers ------------------------------------------------------------------- */

static gboolean is_any(const Subject *subject)
{
    (void)subject;
    return TRUE;
}

static gboolean is_import(const Subject *subject)
{
    return subject->import;
}

static gboolean is_mpi(const Subject *subject)
{
    return g_str_has_prefix(subject->name, "MPI_");
}

/* MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, and each with the _c of large counts. */
static gboolean is_mpi_collective(const Subject *subject)
{
    return is_mpi(subject) && (dt_call_properties(subject->name) & DT_CALL_EXCHANGE) != 0;
}

static gboolean is_mpi_send_receive(const Subject *subject)
{
    if (!is_mpi(subject))
        return FALSE;
    g_autofree char *word = g_strdup(subject->name + strlen("MPI_"));
    if (g_str_has_suffix(word, "_c") && strcmp(word, "Wait_c") != 0)
        word[strlen(word) - strlen("_c")] = '\0';
    return in_list(word, MPI_SEND_RECEIVE);
}

/* The interface itself, in any binding, is not inner. */
static gboolean is_mpi_inner(const Subject *subject)
{
    static const char interface[] = "MPI_ PMPI_ MPIX_ PMPIX_ mpi_ pmpi_ MPI::";
    if (has_prefix_of(subject->name, interface))
        return FALSE;
    if (has_prefix_of(subject->name, MPI_INNER))
        return TRUE;
    /* An import's image is where the call goes to or comes from, depending on the recorder. */
    return subject->image && !subject->import && has_prefix_of(subject->image, MPI_IMAGES);
}

static gboolean is_openmp(const Subject *subject)
{
    return dt_call_class(subject->name) == DT_CALL_OPENMP || has_prefix_of(subject->name, OPENMP_INNER_PREFIXES);
}

static gboolean is_openmp_critical(const Subject *subject)
{
    return (dt_call_properties(subject->name) & DT_CALL_CRITICAL) != 0;
}

/* Locks and atomic sections; omp_set_lock_ is the Fortran binding. */
static gboolean is_openmp_mutex(const Subject *subject)
{
    if (g_str_has_prefix(subject->name, "gomp_mutex_"))
        return TRUE;
    if (dt_call_class(subject->name) != DT_CALL_OPENMP)
        return FALSE;
    g_autofree char *name = g_strdup(subject->name);
    if (g_str_has_suffix(name, "_"))
        name[strlen(name) - 1] = '\0';
    const struct dt_call *call = dt_call_find(name);
    return call && !(call->properties & DT_CALL_CRITICAL) &&
           (call->properties & (DT_CALL_ACQUIRING | DT_CALL_RELEASING) || dt_call_has(call, DT_PARAMETER_LOCK_MADE) ||
            dt_call_has(call, DT_PARAMETER_LOCK_FREED));
}

/* The C library's names, not C++ functions that happen to share them. */
static gboolean is_c_function(const Subject *subject)
{
    return !subject->has_list && !is_mpi(subject);
}

static gboolean is_memory(const Subject *subject)
{
    if (g_str_has_prefix(subject->name, "operator "))
        return in_list(subject->name + strlen("operator "), MEMORY_OPERATORS);
    return is_c_function(subject) &&
           (in_list(subject->plain, MEMORY_NAMES) || has_prefix_of(subject->plain, MEMORY_PREFIXES));
}

static gboolean is_string(const Subject *subject)
{
    return is_c_function(subject) && in_list(subject->plain, STRING_NAMES);
}

static gboolean is_network(const Subject *subject)
{
    return is_c_function(subject) &&
           (in_list(subject->plain, NETWORK_NAMES) || has_prefix_of(subject->plain, NETWORK_PREFIXES) ||
            has_part_of(subject->plain, NETWORK_PARTS));
}

static gboolean is_poll(const Subject *subject)
{
    return is_c_function(subject) && (in_list(subject->plain, POLL_NAMES) || has_part_of(subject->plain, POLL_PARTS));
}

/* ---- the table ------------------------------------------------------------------- */

static const DtFilterCategory CATEGORIES[] = {
    {"mpiall", "mpi", "functions that start with MPI_"},
    {"mpicol", NULL, "MPI collectives, also non-blocking, persistent and neighbourhood ones"},
    {"mpisr", NULL, "MPI_Send, MPI_Isend, MPI_Recv, MPI_Irecv, MPI_Wait"},
    {"mpiint", NULL, "functions inside MPI libraries"},
    {"ompall", "omp", "OpenMP runtime calls (GOMP_*, omp_*, __kmpc_*)"},
    {"ompcrit", NULL, "begin and end of OpenMP critical sections"},
    {"ompmutex", NULL, "OpenMP locks and mutexes"},
    {"mem", NULL, "memory calls (malloc family, memcpy, memset, mmap, operator new, ...)"},
    {"net", NULL, "network calls (socket, connect, send, names with tcp, ...)"},
    {"poll", NULL, "poll, select, epoll, yield, sched, ..."},
    {"str", NULL, "string calls (strlen, strcpy, wcslen, ...)"},
    {"plt", NULL, "calls through a procedure linkage table (puts@plt)"},
    {"all", NULL, "every function"},
    {"cust:REGEX", NULL, "functions whose name matches a PCRE2 regular expression"},
    {"caller:REGEX", NULL, "of these, what such a function calls"},
    {"under:REGEX", NULL, "of these, what is called while such a function is open"},
    {NULL, NULL, NULL},
};

/* In the order of CATEGORIES, without expressions. */
static const Matcher MATCHERS[] = {
    is_mpi,          is_mpi_collective, is_mpi_send_receive, is_mpi_inner, is_openmp, is_openmp_critical,
    is_openmp_mutex, is_memory,         is_network,          is_poll,      is_string, is_import,
    is_any,
};
G_STATIC_ASSERT(G_N_ELEMENTS(CATEGORIES) == G_N_ELEMENTS(MATCHERS) + 4); /* three expressions, the end */

const DtFilterCategory *dt_filter_categories(void)
{
    return CATEGORIES;
}

const char *dt_category_name(int category)
{
    return CATEGORIES[category].name;
}

int dt_category_find(const char *text, gsize length)
{
    for (guint i = 0; i < G_N_ELEMENTS(MATCHERS); i++) {
        const char *names[] = {CATEGORIES[i].name, CATEGORIES[i].alias};
        for (guint j = 0; j < G_N_ELEMENTS(names); j++)
            if (names[j] && strlen(names[j]) == length && strncmp(names[j], text, length) == 0)
                return (int)i;
    }
    return DT_CATEGORY_NONE;
}

/* ---- the closest name ---------------------------------------------------------------- */

const char *dt_category_closest(const char *word)
{
    const char *names[2 * G_N_ELEMENTS(MATCHERS) + 1] = {NULL};
    guint count = 0;
    for (guint i = 0; i < G_N_ELEMENTS(MATCHERS); i++) {
        names[count++] = CATEGORIES[i].name;
        if (CATEGORIES[i].alias)
            names[count++] = CATEGORIES[i].alias;
    }
    return dt_nearest(word, names);
}

/* ---- names ------------------------------------------------------------------------------ */

char *dt_name_without_import(const char *function)
{
    gsize length = strlen(function);
    if (g_str_has_suffix(function, "@plt"))
        length -= strlen("@plt");
    return g_strndup(function, length);
}

gboolean dt_name_is_anonymous_plt(const char *function)
{
    static const char sections[] = ".plt .plt.got .plt.sec";
    return in_list(function, sections);
}

/* __libc_malloc, __GI___poll, __memcpy_avx_unaligned_erms, __strcpy_chk: the plain name in it. */
static char *plain_name(const char *name)
{
    static const char *const variants[] = {"_avx", "_sse", "_ssse", "_evex", "_erms", "_unaligned", "_chk", NULL};
    if (name[0] != '_')
        return g_strdup(name);
    const char *start = name + strspn(name, "_");
    if (g_str_has_prefix(start, "GI_"))
        start += strlen("GI_");
    start += strspn(start, "_");
    if (g_str_has_prefix(start, "libc_"))
        start += strlen("libc_");
    gsize length = strlen(start);
    for (const char *const *variant = variants; *variant; variant++) {
        const char *found = g_strstr_len(start, (gssize)length, *variant);
        if (found && found > start)
            length = (gsize)(found - start);
    }
    return g_strndup(start, length);
}

static void subject_init(Subject *subject, const char *function, const char *image, guint flags)
{
    g_autofree char *name = dt_name_without_import(function);
    subject->image = image;
    subject->import = (flags & DT_FUNCTION_IMPORT) != 0 || strlen(name) != strlen(function);
    subject->has_list = strchr(name, '(') != NULL;
    subject->name = g_strndup(name, strcspn(name, "(@"));
    subject->plain = plain_name(subject->name);
}

static void subject_clear(Subject *subject)
{
    g_free(subject->name);
    g_free(subject->plain);
}

gboolean dt_category_matches(int category, const char *function, const char *image, guint flags)
{
    Subject subject;
    subject_init(&subject, function, image, flags);
    gboolean matches = MATCHERS[category](&subject);
    subject_clear(&subject);
    return matches;
}

gboolean dt_category_has(const char *category, const char *function, guint flags)
{
    int found = dt_category_find(category, strlen(category));
    return found != DT_CATEGORY_NONE && dt_category_matches(found, function, NULL, flags);
}
