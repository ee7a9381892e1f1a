/* The traced process and its file. The same for every engine. */
#include "record/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/mask.h"
#include "record/debug.h"
#include "record/functions.h"
#include "record/loaded_images.h"
#include "record/trace_writer.h"
#include "record/unrecorded.h"

static uint32_t unmarked = 1; /* where no copy can be told */
struct dt_process dt_process = {.mark = &unmarked};

/* ---- the header ------------------------------------------------------------------------------ */

static void join_arguments(char *to, size_t bytes)
{
    char *end = to + bytes;
    *to = 0;
    for (char *const *argument = dt_process.arguments; argument && *argument; argument++) {
        if (argument != dt_process.arguments)
            to = dt_line_append(to, end, " ");
        to = dt_line_append(to, end, *argument);
    }
}

/* The command line, blanks between the arguments. Without the program's malloc: the process may not be a wanted one. */
static void read_arguments(char *to, size_t bytes)
{
    long fd = dt_syscall(SYS_open, (long)"/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    long length = dt_failed(fd) ? 0 : dt_syscall(SYS_read, fd, (long)to, (long)bytes - 1, 0, 0, 0);
    if (!dt_failed(fd))
        dt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    size_t count = dt_failed(length) ? 0 : (size_t)length;
    if (dt_failed(fd)) {
        join_arguments(to, bytes);
        return;
    }
    while (count && !to[count - 1])
        count--;
    for (size_t i = 0; i < count; i++)
        if (!to[i])
            to[i] = ' ';
    to[count] = 0;
}

static void find_executable(char *path, size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    path[length > 0 ? length : 0] = 0;
    const char *executed = dt_process.executed;
    if (length > 0 || !executed)
        return;
    if (*executed != '/' && getcwd(path, bytes))
        dt_line_append(path + strlen(path), path + bytes, "/");
    dt_line_append(path + strlen(path), path + bytes, executed);
}

static void fill_header(struct dt_file_header *header)
{
    int size;
    memset(header, 0, sizeof *header);
    memcpy(header->magic, DT_FILE_MAGIC, sizeof header->magic);
    header->major = DT_FORMAT_MAJOR;
    header->minor = DT_FORMAT_MINOR;
    header->endian = DT_ENDIAN_MARK;
    header->header_bytes = sizeof *header;
    header->images_mode = dt_process.options.images;
    header->codec = dt_process.options.codec;
    header->app_threads = 1;
    header->flags = dt_process.options.payload ? DT_FILE_PAYLOAD : 0;
    if (gethostname(header->host, sizeof header->host - 1) != 0 || !header->host[0])
        snprintf(header->host, sizeof header->host, "localhost");
    find_executable(header->executable, sizeof header->executable);
    header->rank = dt_launcher_rank(header->executable, &size);
    header->world_size = size;
}

/* As far as it may be stored: all of it, what `collect --mask` leaves, or nothing. */
static void take_arguments(struct dt_file_header *header)
{
    const struct dt_options *options = &dt_process.options;
    regex_t mask;
    if (options->no_argv || (*options->mask && regcomp(&mask, options->mask, REG_EXTENDED) != 0))
        return;
    read_arguments(header->arguments, sizeof header->arguments);
    if (!*options->mask)
        return;
    dt_mask_mark(&mask, header->arguments);
    dt_mask_squeeze(header->arguments);
    regfree(&mask);
}

/* Where a limit leaves no room the kernel would send SIGXFSZ. */
static bool make_file(void)
{
    dt_run_folder_choose(dt_process.options.run, sizeof dt_process.options.run);
    return dt_run_limit_problem() != DT_UNRECORDED_FILE_SIZE && dt_writer_create();
}

/* The header of a process that has no file yet, or will have none; gives its parent's. */
static struct dt_file_header *leave_file(void)
{
    static struct dt_file_header head;
    struct dt_file_header *parent = dt_process.header;
    head = *parent;
    head.flags = DT_FILE_FORKED | (parent->flags & DT_FILE_PAYLOAD);
    head.end_state = DT_PROCESS_RUNNING;
    head.end_status = 0;
    head.end_monotonic_ns = head.dropped_events = head.unseen_handlers = 0;
    head.lost_communicators = head.lost_signatures = head.lost_sites = head.lost_locks = head.lost_arrays = 0;
    head.app_threads = 1;
    head.library_threads = head.functions = head.stop_errno = 0;
    dt_process.header = &head;
    *dt_process.mark = 1;
    dt_functions_leave();
    return parent;
}

/* What is recorded before that is noticed goes nowhere. */
static void go_without_file(struct dt_file_header *parent)
{
    dt_process.header->flags |= DT_FILE_STOPPED;
    dt_unrecorded_forked(parent);
}

bool dt_process_reopen(void)
{
    if (!dt_process.active)
        return false;
    struct dt_file_header *parent = leave_file();
    if (!make_file()) {
        go_without_file(parent);
        return false;
    }
    dt_functions_reset();
    dt_images_record_again();
    return true;
}

void dt_process_give_up(void)
{
    go_without_file(leave_file());
    dt_process.active = false;
}

/* ---- start ------------------------------------------------------------------------------------ */

static bool is_wanted(const struct dt_file_header *header)
{
    const struct dt_options *options = &dt_process.options;
    const char *slash = strrchr(header->executable, '/');
    if (options->launcher && header->rank < 0)
        return false;
    return !*options->only || dt_glob_list_has(options->only, slash ? slash + 1 : header->executable);
}

void dt_process_leave(uint32_t reason)
{
    static struct dt_file_header head;
    if (!dt_options_read(&dt_process.options))
        return;
    fill_header(&head);
    dt_process.header = &head;
    if (is_wanted(&head))
        dt_unrecorded_log(dt_sys_pid(), reason, head.executable);
}

bool dt_process_open(void)
{
    static struct dt_file_header head;
    if (!dt_options_read(&dt_process.options))
        return false;
    fill_header(&head);
    dt_process.header = &head;
    if (!is_wanted(&head))
        return false;
    take_arguments(&head);
    dt_debug_initialise();
    bool made = make_file();
    dt_debug(DT_DEBUG_START,
             made ? "file made, ranks:" : "no file made, ranks:", head.world_size < 0 ? 0 : (uint64_t)head.world_size,
             head.executable);
    if (!made)
        dt_unrecorded_started();
    return made;
}
