// SPDX-License-Identifier: GPL-3.0-or-later
/* 512 lanes with AVX-512, whose three-operand logic makes a full adder two instructions. */
#define LANES 512
#define SWEEPER sweeper_512
#if defined(__x86_64__)
#include <immintrin.h>
#define TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,bmi2,popcnt")))
#define AVAILABLE                                                               \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && \
     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
#define TERNARY(a, b, c, table) \
    ((vec)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), (table)))
#define ANY(x) (_mm512_test_epi64_mask((__m512i)(x), (__m512i)(x)) != 0)
#else
#define TARGET
#define AVAILABLE false
#endif
#include "circuit/sweep_kernel.h"
