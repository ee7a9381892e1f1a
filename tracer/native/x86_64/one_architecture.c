/* Capstone's archive decodes a dozen architectures, and its tables of pointers for them are 1.7 MB that every traced
 * process would relocate when it starts. With these definitions of their entry points at hand the linker leaves the
 * others out. */
#include <capstone/capstone.h>
#include <stddef.h>

#define LEFT_OUT(architecture)                                                                                         \
    cs_err architecture##_global_init(void *handle);                                                                   \
    cs_err architecture##_option(void *handle, cs_opt_type type, size_t value);                                        \
    cs_err architecture##_global_init(void *handle)                                                                    \
    {                                                                                                                  \
        (void)handle;                                                                                                  \
        return CS_ERR_ARCH;                                                                                            \
    }                                                                                                                  \
    cs_err architecture##_option(void *handle, cs_opt_type type, size_t value)                                         \
    {                                                                                                                  \
        (void)handle, (void)type, (void)value;                                                                         \
        return CS_ERR_ARCH;                                                                                            \
    }

LEFT_OUT(AArch64)
LEFT_OUT(ARM)
LEFT_OUT(BPF)
LEFT_OUT(EVM)
LEFT_OUT(M680X)
LEFT_OUT(M68K)
LEFT_OUT(MOS65XX)
LEFT_OUT(Mips)
LEFT_OUT(PPC)
LEFT_OUT(RISCV)
LEFT_OUT(SH)
LEFT_OUT(Sparc)
LEFT_OUT(SystemZ)
LEFT_OUT(TMS320C64x)
LEFT_OUT(TRICORE)
LEFT_OUT(WASM)
LEFT_OUT(XCore)
