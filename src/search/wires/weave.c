// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/wires/weave.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define WORDS 1
#define SUFFIX _64
#define TARGET
#include "search/wires/weave_kernel.h"
#undef WORDS
#undef SUFFIX
#undef TARGET
#undef ANY

#define WORDS 4
#define SUFFIX _256
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2,bmi2")))
#define ANY(x) (!_mm256_testz_si256((__m256i)(x), (__m256i)(x)))
#else
#define TARGET
#endif
#include "search/wires/weave_kernel.h"
#undef WORDS
#undef SUFFIX
#undef TARGET
#undef ANY

#define WORDS 8
#define SUFFIX _512
#if defined(__x86_64__)
#define TARGET __attribute__((target("avx512f,avx2,bmi2")))
#define ANY(x) (_mm512_test_epi64_mask((__m512i)(x), (__m512i)(x)) != 0)
#else
#define TARGET
#endif
#include "search/wires/weave_kernel.h"

const struct weave *weave_for(uint32_t words)
{
    return words == 1 ? &weave_64 : words == 4 ? &weave_256 : &weave_512;
}
