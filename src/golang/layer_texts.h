/** Sources in Go that are compiled with a program that is recorded; layer.h lays them around it. */
#ifndef DT_GOLANG_LAYER_TEXTS_H
#define DT_GOLANG_LAYER_TEXTS_H

extern const char dt_go_text_runtime[], dt_go_text_sync[], dt_go_text_os[], dt_go_text_run[], dt_go_text_test[],
    dt_go_text_main[];

#endif
