/* little.h - gives the service the little-endian helpers of base/little.h. */
#ifndef LOTOR_SERVICE_LITTLE_H
#define LOTOR_SERVICE_LITTLE_H

#include "base/little.h"

#endif
