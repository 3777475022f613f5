/* little.h - numbers as little-endian bytes: see base/little.h. */
#ifndef LOTOR_SERVICE_LITTLE_H
#define LOTOR_SERVICE_LITTLE_H

#include "base/little.h"

#endif
