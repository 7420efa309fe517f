// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/version.h"

#include "circuit/batch.h"
#include "circuit/jit.h"
#include "revision.h" /* LUDENS_REVISION, made by the build */

#include <sys/utsname.h>

#if defined __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef NDEBUG
#define ASSERTIONS "off"
#else
#define ASSERTIONS "on"
#endif

void version_print(FILE *out)
{
    static const char *const names[] = {"no vector instructions", "AVX2", "AVX-512"};
    uint32_t widths[4], n = batch_widths(widths), lanes = widths[n - 1];
    struct utsname system;
    fputs("ludens " LUDENS_VERSION "\n", out);
    fprintf(out, "build      %s%s%s, assertions %s\n", LUDENS_REVISION, *LUDENS_REVISION ? ", " : "",
            COMPILER, ASSERTIONS);
    fprintf(out, "processor  %s, %s: %u games a sweep, %s\n",
            uname(&system) == 0 ? system.machine : "unknown", names[lanes >= 512 ? 2 : lanes >= 256], lanes,
            jit_available(lanes) ? "machine code" : "no machine code");
}
