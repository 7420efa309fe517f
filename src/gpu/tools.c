// SPDX-License-Identifier: GPL-3.0-or-later
/* In all of them: r0 is the thread, r3 the row or the like, r4 the words of a row; where a thread is a lane,
 * r5 is its word, r6 its bit in it. */
#include "gpu/tools.h"

#define P64(name) "\t.param .u64 " name
#define P32(name) "\t.param .u32 " name
#define NEXT ",\n"
#define KERNEL(parameters)                                                                       \
    ".version 6.4\n.target sm_70\n.address_size 64\n\n.visible .entry ludens_tool(\n" parameters \
    "\n)\n.maxntid 128, 1, 1\n{\n"                                                               \
    "\t.reg .b32 %r<20>;\n\t.reg .b64 %d<8>;\n\t.reg .f32 %f<4>;\n\t.reg .pred %p<6>;\n"         \
    "\tmov.u32 %r0, %ctaid.x;\n\tmov.u32 %r1, %ntid.x;\n\tmov.u32 %r2, %tid.x;\n"                \
    "\tmad.lo.u32 %r0, %r0, %r1, %r2;\n\tmov.u32 %r3, %ctaid.y;\n"
#define WORDS "\tld.param.u32 %r4, [words];\n"
#define LANE "\tshr.u32 %r5, %r0, 5;\n\tand.b32 %r6, %r0, 31;\n"
#define END "\tret;\n}\n"
/* An array's address, and that of entry `index` (a register of 32 bits), of so many bytes. */
#define ARRAY(to, name) "\tld.param.u64 " to ", [" name "];\n\tcvta.to.global.u64 " to ", " to ";\n"
#define AT(to, name, index, bytes) \
    ARRAY(to, name) "\tmul.wide.u32 %d7, " index ", " bytes ";\n\tadd.u64 " to ", " to ", %d7;\n"

#define SPREAD                                                                               \
    KERNEL(P64("rows") NEXT P64("out") NEXT P32("words"))                                    \
    WORDS "\tshr.u32 %r5, %r0, 3;\n\tmad.lo.u32 %r7, %r3, %r4, %r5;\n" AT(                   \
        "%d0", "rows", "%r7",                                                                \
        "4") "\tld.global.b32 %r8, [%d0];\n\tand.b32 %r9, %r0, 7;\n\tshl.b32 %r9, %r9, 2;\n" \
             "\tshr.u32 %r8, %r8, %r9;\n\tand.b32 %r8, %r8, 15;\n"                           \
             "\tmul.lo.u32 %r8, %r8, 0x204081;\n\tand.b32 %r8, %r8, 0x1010101;\n"            \
             "\tshl.b32 %r9, %r4, 3;\n\tmad.lo.u32 %r9, %r3, %r9, %r0;\n" AT(                \
                 "%d1", "out", "%r9", "4") "\tst.global.b32 [%d1], %r8;\n" END

#define WEIGH(store)                                                                                         \
    KERNEL(P64("rows") NEXT P64("values") NEXT P64("out") NEXT P32("words") NEXT P32("nrows")                \
               NEXT P32("base"))                                                                             \
    WORDS LANE AT("%d0", "rows", "%r5", "4") ARRAY(                                                          \
        "%d2",                                                                                               \
        "values") "\tmul.wide.u32 %d1, %r4, 4;\n\tld.param.u32 %r10, [base];\n\tld.param.u32 %r11, "         \
                  "[nrows];\n"                                                                               \
                  "\tsetp.eq.u32 %p0, %r11, 0;\n\t@%p0 bra DONE;\nLOOP:\n"                                   \
                  "\tld.global.b32 %r12, [%d0];\n\tld.global.b32 %r13, [%d2];\n\tshr.u32 %r12, %r12, %r6;\n" \
                  "\tand.b32 %r12, %r12, 1;\n\tmad.lo.u32 %r10, %r12, %r13, %r10;\n\tadd.u64 %d0, %d0, "     \
                  "%d1;\n"                                                                                   \
                  "\tadd.u64 %d2, %d2, 4;\n\tsub.u32 %r11, %r11, 1;\n\tsetp.ne.u32 %p0, %r11, 0;\n\t@%p0 "   \
                  "bra LOOP;\n"                                                                              \
                  "DONE:\n" store END

#define PACK                                                                                           \
    KERNEL(P64("rows") NEXT P64("out") NEXT P32("words") NEXT P32("nrows") NEXT P32("halves"))         \
    WORDS LANE                                                                                         \
        "\tld.param.u32 %r7, [nrows];\n\tshl.b32 %r8, %r3, 5;\n\tadd.u32 %r9, %r8, 32;\n"              \
        "\tmin.u32 %r9, %r9, %r7;\n\tmad.lo.u32 %r10, %r8, %r4, %r5;\n" AT(                            \
            "%d0", "rows", "%r10",                                                                     \
            "4") "\tmul.wide.u32 %d1, %r4, 4;\n\tmov.b32 %r11, 0;\n\tmov.b32 %r12, 0;\nLOOP:\n"        \
                 "\tsetp.ge.u32 %p0, %r8, %r9;\n\t@%p0 bra DONE;\n\tld.global.b32 %r13, [%d0];\n"      \
                 "\tshr.u32 %r13, %r13, %r6;\n\tand.b32 %r13, %r13, 1;\n\tshl.b32 %r13, %r13, %r12;\n" \
                 "\tor.b32 %r11, %r11, %r13;\n\tadd.u64 %d0, %d0, %d1;\n\tadd.u32 %r8, %r8, 1;\n"      \
                 "\tadd.u32 %r12, %r12, 1;\n\tbra LOOP;\nDONE:\n\tld.param.u32 %r14, [halves];\n"      \
                 "\tmad.lo.u32 %r15, %r0, %r14, %r3;\n" AT("%d2", "out", "%r15",                       \
                                                           "4") "\tst.global.b32 [%d2], %r11;\n" END

/* Lane k of the warp gets bit k of all lanes: in r12, of those in r7, k below r13. */
#define TURN                                                                                                \
    "\tmov.b32 %r12, 0;\n\tmov.b32 %r11, 0;\nTURN:\n\tshr.u32 %r14, %r7, %r11;\n\tand.b32 %r14, %r14, 1;\n" \
    "\tsetp.ne.u32 %p1, %r14, 0;\n\tvote.sync.ballot.b32 %r15, %p1, 0xffffffff;\n"                          \
    "\tsetp.eq.u32 %p2, %r6, %r11;\n\tselp.b32 %r12, %r15, %r12, %p2;\n\tadd.u32 %r11, %r11, 1;\n"          \
    "\tsetp.lt.u32 %p0, %r11, %r13;\n\t@%p0 bra TURN;\n"

#define UNPACK                                                                                      \
    KERNEL(P64("in") NEXT P64("rows") NEXT P32("words") NEXT P32("nrows") NEXT P32("halves"))       \
    WORDS LANE "\tld.param.u32 %r8, [halves];\n\tmad.lo.u32 %r9, %r0, %r8, %r3;\n" AT(              \
        "%d0", "in", "%r9",                                                                         \
        "4") "\tld.global.b32 %r7, [%d0];\n\tmov.b32 %r13, 32;\n" TURN                              \
             "\tshl.b32 %r16, %r3, 5;\n\tadd.u32 %r16, %r16, %r6;\n\tld.param.u32 %r17, [nrows];\n" \
             "\tsetp.lt.u32 %p3, %r16, %r17;\n\tmad.lo.u32 %r18, %r16, %r4, %r5;\n" AT(             \
                 "%d1", "rows", "%r18", "4") "\t@%p3 st.global.b32 [%d1], %r12;\n" END

#define GATHER                                                                                       \
    KERNEL(P64("in") NEXT P64("used") NEXT P64("out"))                                               \
    LANE AT("%d0", "in", "%r0", "1") "\tld.global.u8 %r7, [%d0];\n\tsetp.ne.u32 %p1, %r7, 0;\n"      \
                                     "\tvote.sync.ballot.b32 %r8, %p1, 0xffffffff;\n" AT(            \
                                         "%d1", "used", "%r5",                                       \
                                         "4") "\tld.global.b32 %r9, [%d1];\n\tand.b32 %r8, %r8, "    \
                                              "%r9;\n" AT("%d2", "out", "%r5",                       \
                                                          "4") "\tsetp.eq.u32 %p2, %r6, 0;\n\t@%p2 " \
                                                               "st.global.b32 [%d2], %r8;\n" END

/* -1: at random, -2: wait; what has other bits above the planes is no move. */
#define MASK(test, row)                                                                    \
    test "\tvote.sync.ballot.b32 %r15, %p1, 0xffffffff;\n\tadd.u32 %r16, %r13, " row ";\n" \
         "\tsetp.eq.u32 %p2, %r6, %r16;\n\tselp.b32 %r12, %r15, %r12, %p2;\n"
#define PLANES                                                                                             \
    KERNEL(P64("moves") NEXT P64("out") NEXT P32("words") NEXT P32("each") NEXT P32("planes"))             \
    WORDS LANE "\tld.param.u32 %r8, [each];\n\tmad.lo.u32 %r9, %r0, %r8, %r3;\n" AT(                       \
        "%d0", "moves", "%r9", "4") "\tld.global.b32 %r7, [%d0];\n\tld.param.u32 %r13, [planes];\n" TURN   \
        MASK("\tsetp.eq.u32 %p1, %r7, 0xffffffff;\n", "0")                                                 \
            MASK("\tsetp.eq.u32 %p1, %r7, 0xfffffffe;\n", "1") "\tshr.u32 %r17, %r7, %r13;\n" MASK(        \
                "\tsetp.ne.u32 %p1, %r17, 0;\n", "2") "\tadd.u32 %r16, %r13, 3;\n\tsetp.lt.u32 %p3, %r6, " \
                                                      "%r16;\n\tmad.lo.u32 %r18, %r3, %r16, %r6;\n"        \
                                                      "\tmad.lo.u32 %r18, %r18, %r4, %r5;\n" AT(           \
                                                          "%d1", "out", "%r18",                            \
                                                          "4") "\t@%p3 st.global.b32 [%d1], %r12;\n" END

#define BLEND                                                                                               \
    KERNEL(P64("rows") NEXT P64("values") NEXT P64("mask") NEXT P32("words"))                               \
    WORDS AT("%d0", "values", "%r3", "4")                                                                   \
        AT("%d1", "mask", "%r0", "4") "\tmad.lo.u32 %r7, %r3, %r4, %r0;\n" AT(                              \
            "%d2", "rows", "%r7",                                                                           \
            "4") "\tld.global.b32 %r8, [%d0];\n\tld.global.b32 %r9, [%d1];\n\tld.global.b32 %r10, [%d2];\n" \
                 "\tlop3.b32 %r10, %r9, %r8, %r10, 0xca;\n\tst.global.b32 [%d2], %r10;\n" END

#define REPEAT                                                                                           \
    KERNEL(P64("in") NEXT P64("rows") NEXT P32("words") NEXT P32("nrows") NEXT P32("halves")             \
               NEXT P32("roots"))                                                                        \
    WORDS                                                                                                \
    "\tld.param.u32 %r5, [roots];\n\trem.u32 %r5, %r0, %r5;\n\tld.param.u32 %r6, [halves];\n"            \
    "\tmad.lo.u32 %r6, %r5, %r6, %r3;\n" AT(                                                             \
        "%d0", "in", "%r6",                                                                              \
        "4") "\tld.global.b32 %r7, [%d0];\n\tshl.b32 %r8, %r3, 5;\n\tadd.u32 %r9, %r8, 32;\n"            \
             "\tld.param.u32 %r10, [nrows];\n\tmin.u32 %r9, %r9, %r10;\n\tmad.lo.u32 %r11, %r8, %r4, "   \
             "%r0;\n" AT(                                                                                \
                 "%d1", "rows", "%r11",                                                                  \
                 "4") "\tmul.wide.u32 %d2, %r4, 4;\nLOOP:\n"                                             \
                      "\tsetp.ge.u32 %p0, %r8, %r9;\n\t@%p0 bra DONE;\n\tand.b32 %r12, %r7, 1;\n"        \
                      "\tsetp.ne.u32 %p1, %r12, 0;\n\tselp.b32 %r13, 0xffffffff, 0, %p1;\n"              \
                      "\tst.global.b32 [%d1], %r13;\n\tadd.u64 %d1, %d1, %d2;\n\tshr.u32 %r7, %r7, 1;\n" \
                      "\tadd.u32 %r8, %r8, 1;\n\tbra LOOP;\nDONE:\n" END

const char *gpu_tool_text(enum gpu_tool tool)
{
    static const char *const texts[GPU_TOOLS] = {
        [GPU_SPREAD] = SPREAD,
        [GPU_WEIGH_U8] = WEIGH(AT("%d3", "out", "%r0", "1") "\tst.global.u8 [%d3], %r10;\n"),
        [GPU_WEIGH_U32] = WEIGH(AT("%d3", "out", "%r0", "4") "\tst.global.b32 [%d3], %r10;\n"),
        [GPU_WEIGH_S16] = WEIGH(AT("%d3", "out", "%r0", "2") "\tst.global.u16 [%d3], %r10;\n"),
        [GPU_WEIGH_F32] = WEIGH(AT("%d3", "out", "%r0", "4") "\tcvt.rn.f32.s32 %f0, %r10;\n"
                                                             "\tmov.b32 %r14, 0x42c80000;\n" /* 100 */
                                                             "\tmov.b32 %f1, %r14;\n"
                                                             "\tdiv.rn.f32 %f0, %f0, %f1;\n"
                                                             "\tst.global.f32 [%d3], %f0;\n"),
        [GPU_PACK] = PACK,
        [GPU_UNPACK] = UNPACK,
        [GPU_GATHER] = GATHER,
        [GPU_TURN] = PLANES,
        [GPU_BLEND] = BLEND,
        [GPU_REPEAT] = REPEAT,
    };
    return texts[tool];
}
