#include "played_case.h"

Case *case_new(void)
{
    Case *self = g_new0(Case, 1);
    self->folder = dt_temporary_directory();
    self->functions = dt_functions_new();
    self->normals = g_ptr_array_new_with_free_func((GDestroyNotify)dt_run_free);
    return self;
}

void case_free(Case *self)
{
    g_clear_pointer(&self->verdict, dt_verdict_free);
    g_clear_pointer(&self->faulty, dt_run_free);
    g_ptr_array_unref(self->normals);
    dt_functions_unref(self->functions);
    dt_remove_tree(self->folder);
    g_free(self->folder);
    g_free(self);
}

DtRun *case_play(Case *self, Simulator *program)
{
    g_autofree char *path = g_strdup_printf("%s/run%u", self->folder, self->runs++);
    g_autoptr(GError) error = NULL;
    simulator_play(program, path);
    simulator_free(program);
    DtRun *run = dt_run_open(path, self->functions, &error);
    g_assert_no_error(error);
    return run;
}

void case_add_normal(Case *self, Simulator *program)
{
    g_ptr_array_add(self->normals, case_play(self, program));
}

void case_judge(Case *self, Simulator *faulty)
{
    g_autoptr(GError) error = NULL;
    self->faulty = case_play(self, faulty);
    self->verdict = dt_verdict_new(&(DtVerdictRuns){self->normals, self->faulty, FALSE, FALSE}, 2, &error);
    g_assert_no_error(error);
    g_assert_nonnull(self->verdict);
}

const DtSuspect *suspect_at(const Case *self, guint index)
{
    g_assert_cmpuint(index, <, self->verdict->suspects->len);
    return g_ptr_array_index(self->verdict->suspects, index);
}
