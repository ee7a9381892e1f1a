/* The table of codecs. It stands by itself: collect knows the names without the codecs. */
#include "codec.h"

const DtCodec dt_codecs[DT_CODECS] = {
    {DT_CODEC_LZR, "lzr", "recording, the default"},
    {DT_CODEC_TZ, "tz", "the archive: the smallest traces, in two to six times the time of lzr"},
    {DT_CODEC_PARLOT, "parlot", "files of ParLOT, whose codec it is"},
    {DT_CODEC_RAW, "raw", "recording without compressing"},
};

const char *dt_codec_name(uint32_t codec)
{
    for (uint32_t i = 0; i < DT_CODECS; i++)
        if (dt_codecs[i].id == codec)
            return dt_codecs[i].name;
    return NULL;
}

#define DROPPED(name)                                                                                                  \
    "its codec " name " was dropped: record the run again, or read it with difftrace of revision c8704ea, the last "   \
    "that knows " name

const char *dt_codec_dropped(uint32_t codec)
{
    enum { WORDS = 0, LZP = 3 };
    return codec == WORDS ? DROPPED("words") : codec == LZP ? DROPPED("lzp") : NULL;
}
