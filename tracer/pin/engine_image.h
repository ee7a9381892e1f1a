/** An image as the engine knows it. */
#ifndef DT_PIN_ENGINE_IMAGE_H
#define DT_PIN_ENGINE_IMAGE_H

#include "images/loaded_image.h"

/** A function that is recorded, where it is mapped. */
struct dt_place {
    uint64_t low, high;
    uint64_t index; /* in dt_functions */
};

struct dt_engine_image {
    struct dt_loaded_image loaded;
    bool mapped;
    uint64_t low, high;
    struct dt_place *places; /* by address; never freed, as other threads look for them */
    uint32_t place_count;
};

/** Fills bounds and places of an image whose role is settled, writes its symbols and its record. */
void dt_engine_image_read(struct dt_engine_image *image, uint32_t number, struct dt_image *record);

#endif
