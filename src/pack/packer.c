/* Packed runs are written aside and renamed: whoever finds one finds a whole one. */
#include "pack/packer.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "format/crc32.h"
#include "format/trace_file.h"
#include "store/packed/dictionary.h"
#include "store/packed/packed_format.h"
#include "store/store.h"
#include "text/text.h"

enum { LEVEL = 19, HASH_LOG = 22, CHAIN_LOG = 24 /* as the level has them */ };

struct DtPacker {
    char *path, *aside;
    gint file;
    gint problem; /* errno of the first write that failed; 0: none did */
    gboolean is_broken;
    gboolean is_done;
    struct dt_packed_header header;
    guint64 written; /* bytes of the frame, packed */
    guint32 crc32;   /* of the entry so far */
    guint64 left;    /* of its body */
    ZSTD_CCtx *context;
    gsize capacity;
    guint8 *out;
};

static gboolean fail(const char *path, GError **error)
{
    dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_IO, "%s: cannot be written: %s", path, g_strerror(errno));
    return FALSE;
}

DtPacker *dt_packer_new(const char *path, guint32 flags, GError **error)
{
    if (g_file_test(path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK)) {
        dt_set_error(error, DT_STORE_ERROR, DT_STORE_ERROR_EXISTS,
                     "%s: exists already: choose another name or remove it", path);
        return NULL;
    }
    g_autofree char *aside = g_strdup_printf("%s.%d.part", path, (gint)getpid());
    gint file = g_open(aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        fail(path, error);
        return NULL;
    }
    DtPacker *packer = g_new0(DtPacker, 1);
    packer->path = g_strdup(path);
    packer->aside = g_steal_pointer(&aside);
    packer->file = file;
    packer->header = (struct dt_packed_header){.major = DT_PACKED_MAJOR, .minor = DT_PACKED_MINOR, .flags = flags};
    memcpy(packer->header.magic, DT_PACKED_MAGIC, sizeof(packer->header.magic));
    packer->header.endian = DT_ENDIAN_MARK;
    packer->context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_windowLog, DT_PACKED_WINDOW_LOG);
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_hashLog, HASH_LOG); /* for a prefix alone they would be small */
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_chainLog, CHAIN_LOG);
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_refPrefix(packer->context, dt_packed_dictionary, dt_packed_dictionary_bytes);
    packer->capacity = ZSTD_CStreamOutSize();
    packer->out = g_malloc(packer->capacity);
    return packer;
}

void dt_packer_free(DtPacker *packer)
{
    if (!packer)
        return;
    close(packer->file);
    if (!packer->is_done)
        (void)g_unlink(packer->aside);
    ZSTD_freeCCtx(packer->context);
    g_free(packer->out);
    g_free(packer->aside);
    g_free(packer->path);
    g_free(packer);
}

static void write_at(DtPacker *packer, guint64 offset, const void *data, gsize bytes)
{
    for (gsize done = 0; done < bytes && packer->problem == 0;) {
        gssize part = pwrite(packer->file, (const guint8 *)data + done, bytes - done, (off_t)(offset + done));
        if (part <= 0 && errno != EINTR)
            packer->problem = part < 0 ? errno : ENOSPC;
        done += part > 0 ? (gsize)part : 0;
    }
}

static void pass_on(DtPacker *packer, const void *data, gsize bytes, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {data, bytes, 0};
    gsize left = 1;
    while (packer->problem == 0 && !packer->is_broken && (in.pos < in.size || (how == ZSTD_e_end && left > 0))) {
        ZSTD_outBuffer out = {packer->out, packer->capacity, 0};
        left = ZSTD_compressStream2(packer->context, &out, &in, how);
        packer->is_broken = ZSTD_isError(left) != 0;
        write_at(packer, sizeof(packer->header) + packer->written, packer->out, out.pos);
        packer->written += out.pos;
    }
    packer->header.content_bytes += bytes;
}

void dt_packer_begin(DtPacker *packer, guint32 kind, const char *name, guint64 bytes, guint32 pieces)
{
    const struct dt_packed_entry entry = {kind, (guint32)strlen(name), bytes, pieces, 0};
    packer->crc32 = dt_crc32(dt_crc32(0, &entry, sizeof(entry)), name, entry.name_bytes);
    packer->left = bytes;
    pass_on(packer, &entry, sizeof(entry), ZSTD_e_continue);
    pass_on(packer, name, entry.name_bytes, ZSTD_e_continue);
}

void dt_packer_add(DtPacker *packer, const void *data, gsize bytes)
{
    g_return_if_fail(bytes <= packer->left);
    packer->left -= bytes;
    packer->crc32 = dt_crc32(packer->crc32, data, bytes);
    pass_on(packer, data, bytes, ZSTD_e_continue);
}

void dt_packer_end_entry(DtPacker *packer)
{
    g_return_if_fail(packer->left == 0);
    pass_on(packer, &packer->crc32, sizeof(packer->crc32), ZSTD_e_continue);
}

gboolean dt_packer_end(DtPacker *packer, guint64 *bytes, GError **error)
{
    dt_packer_begin(packer, DT_PACKED_END, "", 0, 0);
    dt_packer_end_entry(packer);
    pass_on(packer, NULL, 0, ZSTD_e_end);
    packer->header.check = dt_crc32(0, &packer->header, G_STRUCT_OFFSET(struct dt_packed_header, check));
    write_at(packer, 0, &packer->header, sizeof(packer->header));
    *bytes = sizeof(packer->header) + packer->written;
    errno = packer->problem != 0 ? packer->problem : packer->is_broken ? ENOMEM : 0;
    if (errno != 0 || fsync(packer->file) != 0 || g_rename(packer->aside, packer->path) != 0)
        return fail(packer->path, error);
    packer->is_done = TRUE;
    return TRUE;
}
