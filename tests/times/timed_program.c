#include "times/timed_program.h"

#include "support/test_run.h"

static const char *const names[DT_PROGRAM_FUNCTIONS] = {"main", "f1", "f2", "f3", "f4", "f5", "f6", "MPI_Barrier"};
enum { OF_MPI = DT_PROGRAM_FUNCTIONS - 1 };

DtTimedProgram *dt_timed_program_new(void)
{
    DtTimedProgram *program = g_new0(DtTimedProgram, 1);
    program->path = dt_temporary_directory();
    program->run = dt_run_writer_new(program->path);
    program->now = program->first = 1000000000;
    program->open = g_array_new(FALSE, FALSE, sizeof(guint));
    program->times = g_array_new(FALSE, FALSE, sizeof(guint64));
    program->stamped = g_array_new(FALSE, FALSE, sizeof(gboolean));
    DtProcessWriter *process = dt_run_writer_process(program->run);
    DtImageWriter *image = dt_process_writer_image(process, "/home/me/program", DT_IMAGE_MAIN);
    dt_process_writer_header(process)->rank = 0;
    for (guint i = 0; i < DT_PROGRAM_FUNCTIONS; i++) {
        guint32 symbol = dt_image_writer_symbol(image, names[i], 0x1000 + 64 * i, 64, 0);
        program->ids[i] = dt_process_writer_function(process, image, symbol, 0);
    }
    program->thread = dt_process_writer_thread(process, DT_THREAD_APP, 0);
    return program;
}

static void write_event(DtTimedProgram *program, guint32 event, gboolean stamped)
{
    if (stamped)
        dt_thread_writer_time(program->thread, program->now);
    dt_thread_writer_event(program->thread, event);
    g_array_append_val(program->times, program->now);
    g_array_append_val(program->stamped, stamped);
}

void dt_timed_program_enter(DtTimedProgram *program, guint function, gboolean stamped)
{
    DtTruth *truth = &program->truth[function];
    write_event(program, program->ids[function], stamped);
    truth->calls++;
    if (truth->open++ == 0) {
        truth->since = program->now;
        truth->mpi_since = program->mpi;
    }
    if (function == OF_MPI && program->mpi_open++ == 0)
        program->mpi_since = program->now;
    g_array_append_val(program->open, function);
}

static void close_call(DtTimedProgram *program)
{
    const guint function = g_array_index(program->open, guint, program->open->len - 1);
    DtTruth *truth = &program->truth[function];
    g_array_set_size(program->open, program->open->len - 1);
    if (--truth->open == 0) {
        truth->inclusive += program->now - truth->since;
        truth->mpi += program->mpi - truth->mpi_since;
    }
    if (function == OF_MPI && --program->mpi_open == 0)
        program->mpi += program->now - program->mpi_since;
}

void dt_timed_program_leave(DtTimedProgram *program, gboolean stamped)
{
    write_event(program, DT_WORD_RETURN, stamped);
    close_call(program);
}

void dt_timed_program_work(DtTimedProgram *program, guint64 ns)
{
    program->now += ns;
    if (program->open->len > 0)
        program->truth[g_array_index(program->open, guint, program->open->len - 1)].exclusive += ns;
    else
        program->outside += ns;
}

DtRun *dt_timed_program_end(DtTimedProgram *program, DtFunctions *functions)
{
    static const char *const command[] = {"./program", NULL};
    g_autoptr(GError) error = NULL;
    while (program->open->len > 0)
        close_call(program);
    dt_run_writer_end(program->run, "by hand", command, &error);
    g_assert_no_error(error);
    DtRun *run = dt_run_open(program->path, functions, &error);
    g_assert_no_error(error);
    return run;
}

guint32 dt_timed_program_function(const DtFunctions *functions, guint function)
{
    for (guint32 id = 1; id <= dt_functions_count(functions); id++)
        if (g_str_equal(dt_functions_get(functions, id)->name, names[function]))
            return id;
    return 0;
}

void dt_timed_program_free(DtTimedProgram *program)
{
    dt_run_writer_free(program->run);
    dt_remove_tree(program->path);
    g_free(program->path);
    g_array_unref(program->open);
    g_array_unref(program->times);
    g_array_unref(program->stamped);
    g_free(program);
}
