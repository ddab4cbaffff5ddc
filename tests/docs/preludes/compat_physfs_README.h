/* SPDX-License-Identifier: Zlib */
#include <physfs_overture.h>
