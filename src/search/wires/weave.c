// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/weave.h"

#include <string.h>

#define WORDS 1
#define SUFFIX _64
#define TARGET
#include "search/wires/weave_kernel.h"
#undef WORDS
#undef SUFFIX
#undef TARGET

#define WORDS 4
#define SUFFIX _256
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2,bmi2")))
#else
#define TARGET
#endif
#include "search/wires/weave_kernel.h"
#undef WORDS
#undef SUFFIX
#undef TARGET

#define WORDS 8
#define SUFFIX _512
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx512f,avx2,bmi2")))
#else
#define TARGET
#endif
#include "search/wires/weave_kernel.h"

const struct weave *weave_for(uint32_t words)
{
    return words == 1 ? &weave_64 : words == 4 ? &weave_256 : &weave_512;
}
