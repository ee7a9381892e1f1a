#include "attach/unwind.h"

#include <dwarf.h>

#include "text/text.h"

enum { MOST_FRAMES = 1 << 16 };

/* By dwfl_linux_proc_attach() all modules are known; what they are is in their files. */
DtUnwinder *dt_unwinder_new(DtImages *images, pid_t pid, char **problem)
{
    g_autoptr(DtUnwinder) unwinder = g_new0(DtUnwinder, 1);
    unwinder->dwfl = dwfl_begin(dt_images_callbacks());
    if (!unwinder->dwfl) {
        *problem = dt_text_printf("libdw: %s", dwfl_errmsg(-1));
        return NULL;
    }
    dwfl_report_begin(unwinder->dwfl);
    int failure = dwfl_linux_proc_report(unwinder->dwfl, pid);
    dwfl_report_end(unwinder->dwfl, NULL, NULL);
    if (failure == 0) {
        dt_images_name(images, unwinder->dwfl, pid, &unwinder->is_changed);
        failure = dwfl_linux_proc_attach(unwinder->dwfl, pid, TRUE);
    }
    if (failure == 0)
        return g_steal_pointer(&unwinder);
    *problem = dt_text_printf("its memory cannot be read: %s", failure > 0 ? g_strerror(failure) : dwfl_errmsg(-1));
    return NULL;
}

void dt_unwinder_free(DtUnwinder *unwinder)
{
    if (!unwinder)
        return;
    if (unwinder->dwfl)
        dwfl_end(unwinder->dwfl);
    g_free(unwinder);
}

static int add_frame(Dwfl_Frame *state, void *data)
{
    GArray *frames = data;
    DtRawFrame frame = {0};
    bool is_activation = false;
    if (!dwfl_frame_pc(state, &frame.pc, &is_activation) || frames->len == MOST_FRAMES)
        return DWARF_CB_ABORT;
    Dwarf_Addr at = frame.pc - (is_activation ? 0 : 1);
    Dwfl_Module *module = dwfl_addrmodule(dwfl_thread_dwfl(dwfl_frame_thread(state)), at);
    void **image = NULL;
    if (module && dwfl_module_info(module, &image, NULL, NULL, NULL, NULL, NULL, NULL))
        frame.image = *image;
    GElf_Addr bias = 0;
    if (frame.image && !dwfl_module_getelf(module, &bias))
        frame.image = NULL;
    frame.bias = bias;
    frame.address = at - bias;
    for (guint i = 0; i < DT_REGISTERS; i++)
        if (dwfl_frame_reg(state, i, &frame.registers[i]) == 0)
            frame.known |= (guint16)(1u << i);
    g_array_append_val(frames, frame);
    return DWARF_CB_OK;
}

char *dt_unwind(DtUnwinder *unwinder, pid_t tid, GArray *frames)
{
    int result = dwfl_getthread_frames(unwinder->dwfl, tid, add_frame, frames);
    if (result == 0)
        return NULL;
    if (frames->len == MOST_FRAMES)
        return dt_text_printf("only its innermost %u frames are known", (guint)MOST_FRAMES);
    return dt_text_printf("its stack cannot be followed further: %s", result < 0 ? dwfl_errmsg(-1) : "no frame");
}
