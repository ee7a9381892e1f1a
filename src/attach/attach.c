#include "attach/attach.h"

#include <string.h>

#include "attach/hold.h"
#include "attach/job.h"
#include "attach/meaning.h"
#include "base/debug.h"
#include "base/running.h"
#include "text/text.h"

enum { MOST_TRIES = 3, PAGE = 4096, MOST_STACK = 1 << 20 };

/* A process while it is looked at. */
typedef struct {
    DtImages *images;
    DtAttachedProcess *process;
    pid_t reader; /* a thread of it by which its memory is read */
    DtUnwinder *unwinder;
    GPtrArray *mapped;  /* (element-type DtMappedImage) */
    GPtrArray *threads; /* (element-type Stack) those that could be stopped */
} Look;

/* A thread's frames as they were found, innermost first. */
typedef struct {
    pid_t tid;
    GArray *raw;       /* (element-type DtRawFrame) */
    GPtrArray *passed; /* for each, what it was called with by the next one; NULL: not known */
    guint32 *inserted; /* for each, an API function that was called and made way for it; 0: none */
    char *problem;
    gboolean is_stopped;
    char state; /* before it was held */
} Stack;

static void free_stack(gpointer data)
{
    Stack *stack = data;
    g_array_unref(stack->raw);
    g_ptr_array_unref(stack->passed);
    g_free(stack->inserted);
    g_free(stack->problem);
    g_free(stack);
}

static void clear_look(Look *look)
{
    dt_unwinder_free(look->unwinder);
    g_clear_pointer(&look->mapped, g_ptr_array_unref);
    g_clear_pointer(&look->threads, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Look, clear_look)

/* ---- images of the process ------------------------------------------------------------------------------ */

static void find_extent(const DtAttachedImage *image, guint64 *first, guint64 *end)
{
    size_t count = 0;
    *first = G_MAXUINT64;
    *end = 0;
    if (elf_getphdrnum(image->elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD)
            continue;
        *first = MIN(*first, header.p_vaddr / PAGE * PAGE);
        *end = MAX(*end, header.p_vaddr + header.p_memsz);
    }
}

static int add_mapped(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *mapped)
{
    DtAttachedImage *image = *data;
    guint64 first, end;
    (void)module, (void)name;
    if (!image)
        return DWARF_CB_OK;
    find_extent(image, &first, &end);
    if (end <= first)
        return DWARF_CB_OK;
    DtMappedImage *entry = g_new0(DtMappedImage, 1);
    *entry = (DtMappedImage){image, start, start - first + end, start - first};
    g_ptr_array_add(mapped, entry);
    return DWARF_CB_OK;
}

/* ---- calls and their arguments ---------------------------------------------------------------------------- */

static gboolean is_own(const DtRawFrame *frame)
{
    return frame->image && !frame->image->is_library;
}

static const DtRawFrame *raw_at(const Stack *stack, guint place)
{
    return &g_array_index(stack->raw, DtRawFrame, place);
}

/* Of whose call the arguments are wanted: the program, or what it called of a library that is no API, such as C++'s
 * std::thread::join(). */
static gboolean is_caller(const Stack *stack, guint i, const DtCodePlace *place)
{
    if (i == 0 || is_own(raw_at(stack, i - 1)))
        return FALSE;
    return is_own(raw_at(stack, i)) || (!place->is_api && i + 1 < stack->raw->len && is_own(raw_at(stack, i + 1)));
}

/* Whether all its places were looked up before, so that a process is not held while that is done. */
static gboolean is_known(const Stack *stack)
{
    for (guint i = 0; i < stack->raw->len; i++) {
        const DtRawFrame *frame = raw_at(stack, i);
        const DtCodePlace *place = frame->image ? dt_images_known_place(frame->image, frame->address) : NULL;
        if (frame->image && (!place || (is_caller(stack, i, place) && !place->origin)))
            return FALSE;
    }
    return TRUE;
}

static void get_to_know(DtImages *images, const Stack *stack)
{
    for (guint i = 0; i < stack->raw->len; i++) {
        const DtRawFrame *frame = raw_at(stack, i);
        DtCodePlace *place = frame->image ? dt_images_place(images, frame->image, frame->address) : NULL;
        if (place && is_caller(stack, i, place) && !place->origin)
            place->origin = dt_call_origin_new(frame->image, frame->pc - frame->bias);
    }
}

static guint32 function_at(const DtRawFrame *frame)
{
    const DtCodePlace *place = frame->image ? dt_images_known_place(frame->image, frame->address) : NULL;
    return place ? g_array_index(place->frames, DtCodeFrame, place->frames->len - 1).function : 0;
}

static gboolean is_alone(const Look *look)
{
    guint of_program = 0;
    for (guint i = 0; i < look->threads->len; i++) {
        const Stack *stack = look->threads->pdata[i];
        gboolean own = !stack->is_stopped || stack->problem;
        for (guint k = 0; !own && k < stack->raw->len; k++)
            own = is_own(raw_at(stack, k));
        of_program += own ? 1 : 0;
    }
    return of_program <= 1;
}

/* What the caller called is said by its code, and may be another function than the one that is open there: one that the
 * library's jumped to at its end, or of the program's own, which jumped to the library's. */
static void find_passed(const Look *look, Stack *stack, guint place, gboolean alone)
{
    const DtRawFrame *caller = raw_at(stack, place + 1);
    const DtRawFrame *outer = place + 2 < stack->raw->len ? raw_at(stack, place + 2) : NULL;
    const DtCodePlace *code = dt_images_known_place(caller->image, caller->address);
    if (!code || !code->origin || !is_caller(stack, place + 1, code))
        return;
    DtCallerFrame frame = {.images = look->images,
                           .pid = look->reader,
                           .is_alone = alone,
                           .caller = caller,
                           .frame_end = outer && outer->known & 1u << DT_RSP ? outer->registers[DT_RSP] : 0,
                           .origin = code->origin,
                           .mapped = look->mapped};
    guint64 target;
    const DtMappedImage *mapped = dt_passed_target(&frame, &target) ? dt_mapped_at(look->mapped, target) : NULL;
    const DtCodePlace *called = mapped ? dt_images_place(look->images, mapped->image, target - mapped->bias) : NULL;
    if (!called || !called->is_api)
        return;
    guint32 function = g_array_index(called->frames, DtCodeFrame, called->frames->len - 1).function;
    const DtFunction *named = dt_functions_get(dt_images_functions(look->images), function);
    if (function != function_at(raw_at(stack, place)))
        stack->inserted[place] = function;
    stack->passed->pdata[place] = dt_meaning_of(&frame, named->symbol);
}

static void find_all_passed(const Look *look)
{
    gboolean alone = is_alone(look);
    for (guint i = 0; i < look->threads->len; i++) {
        Stack *stack = look->threads->pdata[i];
        g_ptr_array_set_size(stack->passed, (gint)stack->raw->len);
        stack->inserted = g_new0(guint32, stack->raw->len + 1);
        for (guint k = 0; k + 1 < stack->raw->len; k++)
            if (!is_own(raw_at(stack, k)))
                find_passed(look, stack, k, alone);
    }
}

/* ---- where a thread is --------------------------------------------------------------------------------------- */

static gboolean enters_api(const Look *look, const Stack *stack, guint place)
{
    const guint32 function = function_at(raw_at(stack, place));
    return stack->inserted[place] != 0 ||
           (function != 0 &&
            (dt_functions_get(dt_images_functions(look->images), function)->flags & DT_FUNCTION_API) != 0);
}

/* The frame that made the call that a thread is in: of an API, behind the program's innermost frame, or else of a
 * library's. The innermost frame if it is in none; G_MAXUINT: no frames are known. */
static guint caller_of(const Look *look, const Stack *stack)
{
    guint own = 0;
    while (own < stack->raw->len && !is_own(raw_at(stack, own)))
        own++;
    for (guint i = MIN(own, stack->raw->len - 1); stack->raw->len > 1 && i-- > 0;)
        if (enters_api(look, stack, i))
            return i + 1;
    return own < stack->raw->len ? own : stack->raw->len > 0 ? 0 : G_MAXUINT;
}

static guint64 mix(guint64 hash, guint64 value)
{
    hash = (hash ^ value) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* What the program keeps on its stack, a loop's counter for instance: it is the same as long as a call does not return.
 */
static guint64 mix_stack(const Look *look, guint64 hash, guint64 from, guint64 to)
{
    guint64 words[512];
    to = MIN(to, from + MOST_STACK);
    for (guint64 at = from; at + 8 <= to; at += sizeof words) {
        const gsize bytes = MIN(sizeof words, (to - at) / 8 * 8);
        if (!dt_process_read(look->reader, at, words, bytes))
            break;
        for (gsize i = 0; i < bytes / 8; i++)
            hash = mix(hash, words[i]);
    }
    return hash;
}

static guint64 mark_of(const Look *look, const Stack *stack, guint caller)
{
    static const guint8 kept[] = {DT_RBX, DT_RBP, DT_R12, DT_R12 + 1, DT_R12 + 2, DT_R12 + 3};
    const DtRawFrame *frame = raw_at(stack, caller), *outermost = raw_at(stack, stack->raw->len - 1);
    guint64 hash = 0;
    for (guint i = caller; i < stack->raw->len; i++)
        hash = mix(mix(hash, raw_at(stack, i)->pc), raw_at(stack, i)->registers[DT_RSP]);
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++)
        hash = mix(hash, frame->known & 1u << kept[i] ? frame->registers[kept[i]] : 0);
    return outermost->known & frame->known & 1u << DT_RSP
               ? mix_stack(look, hash, frame->registers[DT_RSP], outermost->registers[DT_RSP])
               : hash;
}

/* Data that is on its way is no standstill: what copies it is the innermost of the library's functions. */
static gboolean copies(const Look *look, const Stack *stack, guint caller)
{
    static const char *const names[] = {"memcpy",  "memmove", "process_vm_readv", "process_vm_writev", "readv",
                                        "writev",  "recv",    "recvmsg",          "recvfrom",          "send",
                                        "sendmsg", "sendto"};
    for (guint i = 0; i < MIN(caller, 2); i++) {
        const guint32 function = function_at(raw_at(stack, i));
        const char *name = function ? dt_functions_get(dt_images_functions(look->images), function)->name : "";
        while (*name == '_')
            name++;
        for (guint k = 0; k < G_N_ELEMENTS(names); k++)
            if (g_str_equal(name, names[k]) || (k < 2 && g_str_has_prefix(name, names[k])))
                return TRUE;
    }
    return FALSE;
}

/* ---- holding ------------------------------------------------------------------------------------------------ */

static Stack *stack_new(pid_t tid)
{
    Stack *stack = g_new0(Stack, 1);
    stack->tid = tid;
    stack->raw = g_array_new(FALSE, FALSE, sizeof(DtRawFrame));
    stack->passed = g_ptr_array_new_with_free_func(g_free);
    return stack;
}

static void unwind_all(Look *look, const DtHold *hold)
{
    for (guint i = 0; i < hold->threads->len; i++) {
        const DtHeldThread *held = &g_array_index(hold->threads, DtHeldThread, i);
        Stack *stack = stack_new(held->tid);
        g_ptr_array_add(look->threads, stack);
        stack->is_stopped = held->is_stopped;
        stack->state = held->state;
        if (held->is_stopped)
            stack->problem = dt_unwind(look->unwinder, held->tid, stack->raw);
        else
            stack->problem = g_strdup("it is in uninterruptible sleep: its stack is not known");
    }
}

/* At some instructions a stack cannot be followed: in a moment the thread may be at another one. */
static gboolean breaks_off(const Stack *stack)
{
    return stack->is_stopped && stack->problem;
}

static void note_held(DtAttachedProcess *process, gint64 start)
{
    process->held_us = MAX(process->held_us, (guint64)(g_get_monotonic_time() - start));
}

/* Holds the process once; TRUE if nothing had to be looked up in files meanwhile and no stack broke off, or `last`. */
static gboolean look_once(Look *look, gboolean last, char **problem)
{
    g_clear_pointer(&look->threads, g_ptr_array_unref);
    look->threads = g_ptr_array_new_with_free_func(free_stack);
    gint64 start = g_get_monotonic_time();
    g_autoptr(DtHold) hold = dt_hold_new((pid_t)look->process->process.pid, problem);
    if (!hold)
        return TRUE;
    unwind_all(look, hold);
    gboolean known = TRUE;
    for (guint i = 0; i < look->threads->len; i++)
        known = known && is_known(look->threads->pdata[i]) && !breaks_off(look->threads->pdata[i]);
    if (!known && !last) {
        note_held(look->process, start);
        g_clear_pointer(&hold, dt_hold_free);
    }
    for (guint i = 0; !known && i < look->threads->len; i++)
        get_to_know(look->images, look->threads->pdata[i]);
    if (known || last)
        find_all_passed(look);
    if (hold)
        note_held(look->process, start);
    return known || last;
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

static void add_frame(DtAttachedThread *thread, const DtAttachedFrame *frame)
{
    g_array_append_vals(thread->frames, frame, 1);
}

/* The frames of one of machine code, outermost first: those that are inlined come behind what they are in. */
static void add_raw(const Look *look, DtAttachedThread *thread, const Stack *stack, guint place)
{
    const DtRawFrame *raw = raw_at(stack, place);
    const DtCodePlace *code = raw->image ? dt_images_known_place(raw->image, raw->address) : NULL;
    const DtProcess *process = &look->process->process;
    DtFunctions *functions = dt_images_functions(look->images);
    DtPassed *passed = g_steal_pointer(&stack->passed->pdata[place]);
    DtAttachedFrame frame = {.is_library = !is_own(raw)};
    if (stack->inserted[place] != 0) {
        frame.function = frame.call = stack->inserted[place];
        frame.passed = g_steal_pointer(&passed);
        if (frame.passed)
            frame.call =
                dt_meaning_signature(functions, frame.function, frame.passed, process->rank, process->world_size);
        add_frame(thread, &frame);
    }
    for (guint i = code ? code->frames->len : 0; i-- > 0;) {
        const DtCodeFrame *of_code = &g_array_index(code->frames, DtCodeFrame, i);
        gboolean is_code = i == code->frames->len - 1;
        frame.function = frame.call = of_code->function;
        frame.place = of_code->place;
        frame.is_inlined = !is_code;
        frame.passed = is_code ? g_steal_pointer(&passed) : NULL;
        if (frame.passed)
            frame.call =
                dt_meaning_signature(functions, frame.function, frame.passed, process->rank, process->world_size);
        add_frame(thread, &frame);
    }
    if (!code) {
        g_autofree char *name = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", raw->pc);
        frame = (DtAttachedFrame){.is_library = TRUE};
        frame.function = frame.call = dt_functions_intern(functions, "?", FALSE, name, 0, 0);
        add_frame(thread, &frame);
    }
}

static gboolean is_api(DtFunctions *functions, const DtAttachedFrame *frame)
{
    return (dt_functions_get(functions, frame->function)->flags & DT_FUNCTION_API) != 0;
}

/* What leads to main and to what a thread runs, wherever it is linked. */
static gboolean leads_to_program(DtFunctions *functions, const DtAttachedFrame *frame)
{
    static const char *const names[] = {
        "_start",  "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3",
        "__clone", "__clone3"};
    const char *name = dt_functions_get(functions, frame->function)->name;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(name, names[i]))
            return TRUE;
    return frame->is_library;
}

/*
 * Hidden is what a recorded run has not: the frames of libraries that lead to the program, and those behind the call
 * that the program made of them. That is the first behind its innermost frame; if it is none of an API, the first of
 * one, if there is any.
 */
static void hide_depths(DtFunctions *functions, GArray *frames)
{
    guint first = 0, last = frames->len;
    while (first < frames->len && leads_to_program(functions, &g_array_index(frames, DtAttachedFrame, first)))
        first++;
    while (last > first && g_array_index(frames, DtAttachedFrame, last - 1).is_library)
        last--;
    guint shown = MIN(last + 1, frames->len);
    for (guint i = last; first < frames->len && i < frames->len; i++)
        if (is_api(functions, &g_array_index(frames, DtAttachedFrame, i))) {
            shown = i + 1;
            break;
        }
    for (guint i = 0; i < frames->len; i++)
        g_array_index(frames, DtAttachedFrame, i).is_hidden = i < first || i >= shown;
}

static char *thread_name(const DtAttachedProcess *process, pid_t tid)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/task/%d/comm", process->process.pid, (int)tid), *name = NULL;
    if (!g_file_get_contents(path, &name, NULL, NULL))
        return g_strdup("");
    return dt_text_spell(g_strchomp(name));
}

static void note_place(const Look *look, DtAttachedThread *thread, const Stack *stack)
{
    const guint caller = stack->is_stopped ? caller_of(look, stack) : G_MAXUINT;
    thread->is_copying = caller != G_MAXUINT && copies(look, stack, caller);
    thread->mark = caller != G_MAXUINT ? mark_of(look, stack, caller) : 0;
    thread->return_address = caller != G_MAXUINT && caller > 0 ? raw_at(stack, caller)->pc : 0;
}

static void add_thread(const Look *look, Stack *stack)
{
    DtAttachedThread *thread = dt_job_add_thread(look->process);
    thread->tid = stack->tid;
    thread->problem = g_steal_pointer(&stack->problem);
    thread->trace.name = thread_name(look->process, stack->tid);
    thread->state = stack->state;
    note_place(look, thread, stack);
    gboolean own = FALSE;
    for (guint i = stack->raw->len; i-- > 0;) {
        own = own || is_own(raw_at(stack, i));
        add_raw(look, thread, stack, i);
    }
    hide_depths(dt_images_functions(look->images), thread->frames);
    thread->trace.library = !own && stack->tid != (pid_t)look->process->process.pid && stack->is_stopped;
}

/* A thread that is not of the process, in another namespace or by accident, is nobody's owner. */
static void check_owners(const DtAttachedProcess *process)
{
    for (guint i = 0; i < process->threads->len; i++) {
        const DtAttachedThread *thread = process->threads->pdata[i];
        for (guint k = 0; k < thread->frames->len; k++) {
            DtPassed *passed = g_array_index(thread->frames, DtAttachedFrame, k).passed;
            if (passed && passed->owner != 0 && !dt_job_find_thread(process, (pid_t)passed->owner))
                passed->owner = 0;
        }
    }
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static gboolean is_same_process(const DtAttachedProcess *process)
{
    DtRunning running;
    return dt_running_find((pid_t)process->process.pid, &running) && running.start == process->start;
}

/* The stacks of a process; what cannot be seen, one line, or NULL. */
static char *find_stacks(Look *look)
{
    const DtAttachedProcess *process = look->process;
    char *problem = NULL;
    if (!is_same_process(process))
        return g_strdup("it is gone");
    look->reader = dt_job_live_thread((pid_t)process->process.pid);
    if (look->reader == 0)
        return g_strdup("it has ended, and its parent has not yet asked how (a zombie)");
    look->unwinder = dt_unwinder_new(look->images, look->reader, &problem);
    if (!look->unwinder) {
        /* The reason why it may not be stopped says more. */
        char *better = NULL;
        dt_hold_free(dt_hold_new((pid_t)process->process.pid, &better));
        if (better)
            g_free(problem);
        return better ? better : problem;
    }
    look->mapped = g_ptr_array_new_with_free_func(g_free);
    (void)dwfl_getmodules(look->unwinder->dwfl, add_mapped, look->mapped, 0);
    for (guint i = 1; i <= MOST_TRIES && !look_once(look, i == MOST_TRIES, &problem); i++)
        continue;
    return problem;
}

static char *look_at(DtImages *images, DtAttachedProcess *process)
{
    g_auto(Look) look = {.images = images, .process = process};
    char *problem = find_stacks(&look);
    if (problem || !look.threads)
        return problem;
    for (guint i = 0; i < look.threads->len; i++)
        add_thread(&look, look.threads->pdata[i]);
    dt_job_label_threads(process);
    check_owners(process);
    process->is_seen = TRUE;
    return look.unwinder->is_changed ? g_strdup("its program was replaced or deleted since: lines are of the source as "
                                                "it was")
                                     : NULL;
}

/* ---- looking again --------------------------------------------------------------------------------------------- */

enum { LONGEST_WATCH_US = 10 * 1000 * 1000, PAUSE_US = 300 * 1000, FEWEST_LOOKS = 5 };

static gboolean is_watched(const DtAttachedThread *thread)
{
    return thread->return_address != 0 && thread->motion != DT_MOTION_MOVED;
}

static gboolean any_is_watched(const DtAttachedProcess *process)
{
    for (guint i = 0; i < process->threads->len; i++)
        if (is_watched(process->threads->pdata[i]))
            return TRUE;
    return FALSE;
}

static void compare_thread(const Look *look, DtAttachedThread *thread)
{
    const Stack *found = NULL;
    for (guint i = 0; look->threads && i < look->threads->len; i++)
        if (((const Stack *)look->threads->pdata[i])->tid == thread->tid)
            found = look->threads->pdata[i];
    DtAttachedThread now = {0};
    if (found)
        note_place(look, &now, found);
    if (now.mark != thread->mark || now.is_copying)
        thread->motion = DT_MOTION_MOVED;
}

/* Where the kernel counts the returns of all its open calls, it need not be stopped. */
static gboolean is_counted(const DtAttachedProcess *process)
{
    for (guint i = 0; i < process->threads->len; i++) {
        DtAttachedThread *thread = process->threads->pdata[i];
        gboolean is_certain = TRUE;
        if (is_watched(thread) && dt_motion_has_returned(&thread->start, &is_certain))
            thread->motion = DT_MOTION_MOVED;
        if (!is_certain)
            return FALSE;
    }
    return TRUE;
}

/* One that cannot be looked at any more is as it was: nothing is known of how it moved. */
static void look_again(DtImages *images, DtAttachedProcess *process)
{
    g_auto(Look) look = {.images = images, .process = process};
    g_autofree char *problem = find_stacks(&look);
    process->has_ended = !is_same_process(process) || look.reader == 0;
    for (guint i = 0; i < process->threads->len; i++) {
        DtAttachedThread *thread = process->threads->pdata[i];
        if (process->has_ended)
            thread->motion = DT_MOTION_MOVED;
        else if (is_watched(thread) && !problem)
            compare_thread(&look, thread);
        else if (problem)
            thread->return_address = 0;
    }
}

/* FALSE: it had no processor, and should be looked at for longer. */
static gboolean judge_motion(DtAttachedThread *thread, pid_t pid)
{
    gboolean is_certain;
    DtRunning running;
    if (!is_watched(thread))
        return TRUE;
    if (dt_running_find(thread->tid, &running))
        thread->state = running.state;
    if (dt_motion_has_returned(&thread->start, &is_certain) || thread->is_copying)
        thread->motion = DT_MOTION_MOVED;
    else if (thread->state == 'T' || (thread->state != 'S' && dt_motion_is_starved(&thread->start, pid, thread->tid)))
        thread->motion = DT_MOTION_UNKNOWN;
    else
        thread->motion = is_certain ? DT_MOTION_NONE : DT_MOTION_SAME;
    return thread->motion != DT_MOTION_UNKNOWN || thread->state == 'T';
}

typedef gboolean (*WithThread)(DtAttachedThread *thread, pid_t pid);

/* TRUE if it is of all. */
static gboolean for_all_threads(const DtAttachedJob *job, WithThread function)
{
    gboolean all = TRUE;
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        for (guint k = 0; process->is_seen && k < process->threads->len; k++)
            all = function(process->threads->pdata[k], (pid_t)process->process.pid) && all;
    }
    return all;
}

static gboolean begin(DtAttachedThread *thread, pid_t pid)
{
    dt_motion_begin(&thread->start, pid, thread->tid, thread->return_address);
    return TRUE;
}

static gboolean end(DtAttachedThread *thread, pid_t pid)
{
    (void)pid;
    dt_motion_end(&thread->start);
    return TRUE;
}

static gboolean look_at_all_again(DtAttachedJob *job)
{
    gboolean any = FALSE;
    for (guint i = 0; i < job->processes->len; i++) {
        DtAttachedProcess *process = job->processes->pdata[i];
        if (!process->is_seen || process->run || process->has_ended || !any_is_watched(process))
            continue;
        if (job->looks == 1 || !is_counted(process))
            look_again(job->images, process);
        any = any || any_is_watched(process);
    }
    job->looks++;
    return any;
}

void dt_attached_job_watch(DtAttachedJob *job)
{
    const gint64 start = g_get_monotonic_time();
    gboolean any = TRUE, enough = FALSE;
    (void)for_all_threads(job, begin);
    while (any && !enough && g_get_monotonic_time() - start < LONGEST_WATCH_US) {
        g_usleep(job->looks == 1 ? PAUSE_US / 3 : PAUSE_US);
        any = look_at_all_again(job);
        enough = for_all_threads(job, judge_motion) && job->looks >= FEWEST_LOOKS;
    }
    job->watched_us = (guint64)(g_get_monotonic_time() - start);
    (void)for_all_threads(job, end);
}

/* ---- the first look -------------------------------------------------------------------------------------------- */

gboolean dt_attached_job_look(DtAttachedJob *job, GError **error)
{
    guint seen = 0;
    const DtAttachedProcess *first = NULL;
    for (guint i = 0; i < job->processes->len; i++) {
        DtAttachedProcess *process = job->processes->pdata[i];
        if (!process->run) {
            gint64 start = g_get_monotonic_time();
            process->problem = look_at(job->images, process);
            dt_debug(DT_DEBUG_ATTACH, "process %u: %u threads, held for %" G_GUINT64_FORMAT " us of %" G_GINT64_FORMAT,
                     process->process.pid, process->threads->len, process->held_us, g_get_monotonic_time() - start);
        }
        process->has_ended = !is_same_process(process) || dt_job_live_thread((pid_t)process->process.pid) == 0;
        seen += process->run || process->is_seen ? 1 : 0;
        if (!first && process->problem && !process->is_seen)
            first = process;
    }
    job->looks = 1;
    if (seen == 0 && first)
        dt_set_error(error, DT_ATTACH_ERROR, DT_ATTACH_ERROR_NOT_SEEN, "process %u: %s", first->process.pid,
                     first->problem);
    return seen > 0;
}

DtAttachedJob *dt_attached_job_new(const GArray *pids, gboolean launcher, gboolean depths, DtFunctions *functions,
                                   GError **error)
{
    gboolean is_whole = FALSE;
    GPtrArray *processes = dt_job_processes(pids, launcher, &is_whole, error);
    if (!processes)
        return NULL;
    DtAttachedJob *job = g_new0(DtAttachedJob, 1);
    job->functions = functions;
    job->processes = processes;
    job->is_whole = is_whole;
    job->images = dt_images_new(functions, depths);
    return job;
}

guint dt_attached_job_ranks(const DtAttachedJob *job, guint *seen)
{
    gint ranks = 0, last = -1;
    *seen = 0;
    for (guint i = 0; i < job->processes->len; i++) {
        const DtAttachedProcess *process = job->processes->pdata[i];
        ranks = MAX(ranks, MAX(process->process.world_size, process->process.rank + 1));
        if (!process->is_seen || process->process.rank < 0 || process->process.rank == last)
            continue;
        last = process->process.rank;
        (*seen)++;
    }
    return (guint)ranks;
}

void dt_attached_job_free(DtAttachedJob *job)
{
    if (!job)
        return;
    g_ptr_array_unref(job->processes);
    dt_images_free(job->images);
    g_free(job);
}
