/**
 * What the recorder asks of the images that are loaded. Every engine keeps a list of its own, numbered as in the file,
 * and answers; any thread may ask at any time.
 */
#ifndef DT_RECORD_LOADED_IMAGES_H
#define DT_RECORD_LOADED_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

/** Writes the image records into a new file; every engine has its own list of images. */
void dt_images_record_again(void);
/** Where the image was loaded from, or NULL. */
const char *dt_image_path(uint32_t image);
/** True if the address is code of the image, by its index. */
bool dt_image_has(uint32_t image, uint64_t address);
/** The image that has the address; UINT32_MAX: none. */
uint32_t dt_image_at(uint64_t address);
/** Address in memory minus address in the file. */
uint64_t dt_image_bias(uint32_t image);
struct dt_image;
/** Fills in the record of an image of which the file has none, as nothing in it is hooked; false: it has. */
bool dt_image_describe(uint32_t image, struct dt_image *record);
/** The loader has mapped or unmapped images. */
void dt_images_changed(bool by_program);

#endif
