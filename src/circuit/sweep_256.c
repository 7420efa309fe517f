// SPDX-License-Identifier: GPL-3.0-or-later
/* 256 lanes with AVX2; on other processors in whatever vectors the compiler has for them. */
#define LANES 256
#define SWEEPER sweeper_256
#if defined(__x86_64__)
#include <immintrin.h>
#define TARGET __attribute__((target("avx2,bmi2,popcnt")))
#define AVAILABLE __builtin_cpu_supports("avx2")
#define ANY(x) (!_mm256_testz_si256((__m256i)(x), (__m256i)(x)))
#else
#define TARGET
#define AVAILABLE true
#endif
#include "circuit/sweep_kernel.h"
