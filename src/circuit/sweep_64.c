// SPDX-License-Identifier: GPL-3.0-or-later
/* 64 lanes in plain C: any processor. */
#define LANES 64
#define TARGET
#define SWEEPER sweeper_64
#define AVAILABLE true
#include "circuit/sweep_kernel.h"
