/** The images that are loaded, and their roles. */
#ifndef DT_PLAN_IMAGE_LIST_H
#define DT_PLAN_IMAGE_LIST_H

#include "images/loaded_image.h"

/** False: no image has come or gone since the last call. */
bool dt_images_differ(void);

/** The images loaded now, with their roles; returns how many. `adopt`: those that no other needs are the program's.
 * `images`: as the last listing left them, or all zero. */
int dt_list_images(struct dt_loaded_image *images, int capacity, bool adopt);

#endif
