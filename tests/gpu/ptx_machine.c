// SPDX-License-Identifier: GPL-3.0-or-later
#include "ptx_machine.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARP 32
#define MAX_NAMES 128
#define MAX_RANGES 64

enum opcode {
    OP_MOV,
    OP_UNPACK,
    OP_MAD,
    OP_SHL,
    OP_SHR,
    OP_REM,
    OP_ADD,
    OP_SUB,
    OP_LD_PARAM,
    OP_CVTA,
    OP_MUL_WIDE,
    OP_LD,
    OP_ST,
    OP_SETP_NE,
    OP_SETP_EQ,
    OP_SELP,
    OP_NOT,
    OP_XOR,
    OP_LOP3,
    OP_POPC,
    OP_VOTE_ANY,
    OP_BRA,
    OP_CVT,
    OP_RED_ADD,
    OP_BAR,
    OP_RET,
    OP_BALLOT,
    OP_SHFL_BFLY,
    OP_SETP_NE_AND,
    OP_AND,
    OP_OR,
    OP_MIN,
    OP_MUL,
    OP_SETP_LT,
    OP_SETP_GE,
    OP_CVT_F32,
    OP_DIV_F32,
};

static const struct {
    const char *name;
    enum opcode op;
    int wide; /* 64 bits are written */
} mnemonics[] = {
    {"mov.u32", OP_MOV, 0},
    {"mov.b32", OP_MOV, 0},
    {"mov.b64", OP_UNPACK, 0},
    {"mad.lo.u32", OP_MAD, 0},
    {"shl.b32", OP_SHL, 0},
    {"shr.u32", OP_SHR, 0},
    {"rem.u32", OP_REM, 0},
    {"add.u32", OP_ADD, 0},
    {"add.u64", OP_ADD, 1},
    {"sub.u32", OP_SUB, 0},
    {"ld.param.u32", OP_LD_PARAM, 0},
    {"ld.param.u64", OP_LD_PARAM, 1},
    {"cvta.to.global.u64", OP_CVTA, 1},
    {"mul.wide.u32", OP_MUL_WIDE, 1},
    {"ld.shared.b32", OP_LD, 0},
    {"ld.local.b32", OP_LD, 0},
    {"ld.global.b32", OP_LD, 0},
    {"st.shared.b32", OP_ST, 0},
    {"st.local.b32", OP_ST, 0},
    {"st.global.b32", OP_ST, 0},
    {"setp.ne.u32", OP_SETP_NE, 0},
    {"setp.eq.u32", OP_SETP_EQ, 0},
    {"selp.b32", OP_SELP, 0},
    {"not.b32", OP_NOT, 0},
    {"xor.b32", OP_XOR, 0},
    {"lop3.b32", OP_LOP3, 0},
    {"popc.b32", OP_POPC, 0},
    {"vote.sync.any.pred", OP_VOTE_ANY, 0},
    {"vote.sync.ballot.b32", OP_BALLOT, 0},
    {"shfl.sync.bfly.b32", OP_SHFL_BFLY, 0},
    {"setp.ne.and.u32", OP_SETP_NE_AND, 0},
    {"and.b32", OP_AND, 0},
    {"or.b32", OP_OR, 0},
    {"min.u32", OP_MIN, 0},
    {"mul.lo.u32", OP_MUL, 0},
    {"setp.lt.u32", OP_SETP_LT, 0},
    {"setp.ge.u32", OP_SETP_GE, 0},
    {"cvt.rn.f32.s32", OP_CVT_F32, 0},
    {"div.rn.f32", OP_DIV_F32, 0},
    {"ld.global.u8", OP_LD, 0},
    {"st.global.u8", OP_ST, 0},
    {"st.global.u16", OP_ST, 0},
    {"st.global.f32", OP_ST, 0},
    {"bra", OP_BRA, 0},
    {"cvt.u64.u32", OP_CVT, 1},
    {"red.global.add.u64", OP_RED_ADD, 0},
    {"bar.sync", OP_BAR, 0},
    {"ret", OP_RET, 0},
};

enum operand_kind { REGISTER, IMMEDIATE, SPECIAL, ADDRESS };
enum space { GLOBAL, SHARED, LOCAL, PARAM };
enum special { CTAID, NTID, TID, CTAID_Y };

struct operand {
    enum operand_kind kind;
    uint32_t reg;   /* also the base of an address; UINT32_MAX: none */
    uint64_t value; /* immediate, special, offset, label or parameter */
};

struct instruction {
    enum opcode op;
    enum space space;
    bool wide, guarded;
    uint32_t guard, n, bytes; /* bytes that are loaded or stored */
    struct operand x[5];
};

struct name {
    char text[24];
    uint32_t first, n; /* registers; n 0: just this one */
    bool wide;
    enum space space; /* of variables: offset in first */
};

struct label {
    uint32_t number; /* hash of its name */
    uint32_t at;
};

struct ptx_machine {
    char entry[64];
    struct name registers[MAX_NAMES], variables[MAX_NAMES], params[MAX_NAMES];
    uint32_t nregisters, nvariables, nparams, nregs, local_bytes;
    struct instruction *code;
    uint32_t ncode, cap;
    struct label *labels;
    uint32_t nlabels;
    struct {
        const char *begin, *end;
    } range[MAX_RANGES];
    uint32_t nranges;
    /* running */
    uint64_t *value; /* register * WARP + lane */
    uint8_t *written;
    char *shared, *local;
    uint32_t shared_bytes, blocks, threads, block, row, warp;
    void **arguments;
    char *message;
    size_t size;
    jmp_buf trouble;
};

static void fail(struct ptx_machine *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->message, m->size, format, args);
    va_end(args);
    longjmp(m->trouble, 1);
}

/* --- Reading -------------------------------------------------------------------------------------------- */

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 16777619u;
    return h;
}

static struct name *find_name(struct name *v, uint32_t n, const char *text)
{
    for (uint32_t i = 0; i < n; i++)
        if (!v[i].n && strcmp(v[i].text, text) == 0) return &v[i];
    return NULL;
}

static bool find_register(struct ptx_machine *m, const char *text, uint32_t *reg)
{
    const char *digits = text;
    while (*digits && !isdigit((unsigned char)*digits)) digits++;
    for (uint32_t i = 0; i < m->nregisters; i++) {
        const struct name *r = &m->registers[i];
        if (r->n && *digits && strlen(r->text) == (size_t)(digits - text) &&
            strncmp(r->text, text, (size_t)(digits - text)) == 0 && (uint32_t)atoi(digits) < r->n) {
            *reg = r->first + (uint32_t)atoi(digits);
            return true;
        }
    }
    const struct name *r = find_name(m->registers, m->nregisters, text);
    if (r) *reg = r->first;
    return r;
}

static void declare_registers(struct ptx_machine *m, char *list, bool wide)
{
    for (char *one = strtok(list, ", \t"); one; one = strtok(NULL, ", \t")) {
        struct name *r = &m->registers[m->nregisters++];
        char *count = strchr(one, '<');
        if (count) *count = '\0';
        snprintf(r->text, sizeof r->text, "%s", one);
        r->n = count ? (uint32_t)atoi(count + 1) : 0;
        r->wide = wide;
        r->first = m->nregs;
        m->nregs += r->n ? r->n : 1;
    }
}

static void parse_operand(struct ptx_machine *m, const char *text, struct operand *o, struct instruction *i)
{
    static const char *const specials[] = {"%ctaid.x", "%ntid.x", "%tid.x", "%ctaid.y"};
    o->reg = UINT32_MAX;
    for (uint32_t k = 0; k < 4; k++)
        if (strcmp(text, specials[k]) == 0) {
            *o = (struct operand){.kind = SPECIAL, .value = k};
            return;
        }
    if (text[0] == '[') {
        char base[40];
        unsigned offset = 0;
        o->kind = ADDRESS;
        if (sscanf(text, "[%39[^]+]+%u]", base, &offset) < 1) fail(m, "address %s", text);
        o->value = offset;
        if (base[0] == '%') {
            if (!find_register(m, base, &o->reg)) fail(m, "register %s", base);
            return;
        }
        const struct name *v = find_name(m->variables, m->nvariables, base);
        const struct name *p = find_name(m->params, m->nparams, base);
        if (v && v->space == i->space)
            o->value += v->first;
        else if (p && i->space == PARAM)
            o->value = (uint64_t)(p - m->params);
        else
            fail(m, "address %s", text);
    } else if (text[0] == '%') {
        o->kind = REGISTER;
        if (!find_register(m, text, &o->reg)) fail(m, "register %s", text);
    } else if (isdigit((unsigned char)text[0]) || text[0] == '-') {
        *o = (struct operand){.kind = IMMEDIATE, .value = (uint64_t)strtoll(text, NULL, 0)};
    } else if (i->op == OP_BRA) {
        *o = (struct operand){.kind = IMMEDIATE, .value = hash(text)};
    } else {
        const struct name *v = find_name(m->variables, m->nvariables, text);
        if (!v) fail(m, "operand %s", text);
        *o = (struct operand){.kind = IMMEDIATE, .value = v->first};
    }
}

static void parse_instruction(struct ptx_machine *m, char *line)
{
    struct instruction i = {0};
    char *at = line, *name;
    if (*at == '@') {
        char *space = strchr(at, ' ');
        if (!space) fail(m, "line %s", line);
        *space = '\0';
        i.guarded = true;
        if (!find_register(m, at + 1, &i.guard)) fail(m, "register %s", at + 1);
        at = space + 1;
    }
    name = at;
    at += strcspn(at, " \t");
    if (*at) *at++ = '\0';
    size_t k = 0;
    while (k < sizeof mnemonics / sizeof *mnemonics && strcmp(mnemonics[k].name, name) != 0) k++;
    if (k == sizeof mnemonics / sizeof *mnemonics) fail(m, "instruction %s", name);
    i.op = mnemonics[k].op;
    i.wide = mnemonics[k].wide;
    i.space = strstr(name, ".shared")  ? SHARED
              : strstr(name, ".local") ? LOCAL
              : strstr(name, ".param") ? PARAM
                                       : GLOBAL;
    i.bytes = strstr(name, ".u8") ? 1 : strstr(name, ".u16") ? 2 : 4;
    for (char *one = strtok(at, ",{} \t"); one; one = strtok(NULL, ",{} \t")) {
        if (i.n == 5) fail(m, "too many operands: %s", name);
        parse_operand(m, one, &i.x[i.n++], &i);
    }
    if (m->ncode == m->cap) {
        m->cap = m->cap ? 2 * m->cap : 1024;
        m->code = realloc(m->code, m->cap * sizeof *m->code);
    }
    m->code[m->ncode++] = i;
}

/* Declarations and labels are no instructions. */
static void parse_line(struct ptx_machine *m, char *line)
{
    size_t n = strlen(line);
    unsigned bytes;
    char name[40], type[8];
    struct name *v = &m->variables[m->nvariables], *p = &m->params[m->nparams];
    while (n && (line[n - 1] == ' ' || line[n - 1] == ';')) line[--n] = '\0';
    if (m->nregisters + 8 > MAX_NAMES || m->nparams + 1 > MAX_NAMES) fail(m, "too many names");
    if (n == 0 || strpbrk(line, "{}()") == line || strncmp(line, ".version", 8) == 0 ||
        strncmp(line, ".target", 7) == 0 || strncmp(line, ".address_size", 13) == 0 ||
        strncmp(line, ".maxntid", 8) == 0 || strncmp(line, ".minnctapersm", 13) == 0)
        return;
    if (strncmp(line, ".reg ", 5) == 0) {
        char *list = strchr(line + 5, ' ');
        declare_registers(m, list, strstr(line, ".b64"));
    } else if (sscanf(line, ".local .align 4 .b8 %39[^[][%u]", name, &bytes) == 2) {
        *v = (struct name){.first = m->local_bytes, .space = LOCAL};
        snprintf(v->text, sizeof v->text, "%.23s", name);
        m->local_bytes += bytes;
        m->nvariables++;
    } else if (sscanf(line, ".extern .shared .align 16 .b8 %39[^[]", name) == 1) {
        *v = (struct name){.space = SHARED};
        snprintf(v->text, sizeof v->text, "%.23s", name);
        m->nvariables++;
    } else if (sscanf(line, ".param .%7s %39[a-z_0-9]", type, name) == 2) {
        *p = (struct name){.wide = strcmp(type, "u64") == 0, .space = PARAM};
        snprintf(p->text, sizeof p->text, "%.23s", name);
        m->nparams++;
    } else if (sscanf(line, ".visible .entry %63[a-z_]", m->entry) == 1) {
        return;
    } else if (line[n - 1] == ':') {
        line[n - 1] = '\0';
        m->labels = realloc(m->labels, (m->nlabels + 1) * sizeof *m->labels);
        m->labels[m->nlabels++] = (struct label){hash(line), m->ncode};
    } else {
        parse_instruction(m, line);
    }
}

static void resolve_labels(struct ptx_machine *m)
{
    for (uint32_t i = 0; i < m->ncode; i++) {
        if (m->code[i].op != OP_BRA) continue;
        uint32_t k = 0;
        while (k < m->nlabels && m->labels[k].number != m->code[i].x[0].value) k++;
        if (k == m->nlabels) fail(m, "a branch to nowhere");
        m->code[i].x[0].value = m->labels[k].at;
    }
}

static bool parse(struct ptx_machine *m, char *text)
{
    if (setjmp(m->trouble)) return false;
    for (char *line; (line = strsep(&text, "\n"));) {
        while (*line == '\t' || *line == ' ') line++;
        parse_line(m, line);
    }
    resolve_labels(m);
    return true;
}

struct ptx_machine *ptx_machine_new(const char *text, char *message, size_t size)
{
    struct ptx_machine *m = calloc(1, sizeof *m);
    char *copy = strdup(text);
    m->message = message;
    m->size = size;
    bool good = parse(m, copy);
    free(copy);
    if (good) return m;
    ptx_machine_free(m);
    return NULL;
}

void ptx_machine_free(struct ptx_machine *m)
{
    if (!m) return;
    free(m->code);
    free(m->labels);
    free(m);
}

bool ptx_machine_entry(const struct ptx_machine *m, const char *name)
{
    return strcmp(m->entry, name) == 0;
}

void ptx_machine_allow(struct ptx_machine *m, const void *begin, size_t size)
{
    if (m->nranges == MAX_RANGES) abort();
    m->range[m->nranges].begin = begin;
    m->range[m->nranges++].end = (const char *)begin + size;
}

void ptx_machine_forget(struct ptx_machine *m)
{
    m->nranges = 0;
}

/* --- Running -------------------------------------------------------------------------------------------- */

/* All lanes of an operand. */
static const uint64_t *read(struct ptx_machine *m, const struct operand *o, uint64_t scratch[WARP])
{
    if (o->kind == REGISTER) {
        if (!m->written[o->reg]) fail(m, "a register is read before it is written");
        return m->value + (size_t)o->reg * WARP;
    }
    for (uint32_t l = 0; l < WARP; l++)
        scratch[l] = o->kind == IMMEDIATE  ? o->value
                     : o->value == CTAID   ? m->block
                     : o->value == NTID    ? m->threads
                     : o->value == CTAID_Y ? m->row
                                           : m->warp * WARP + l;
    return scratch;
}

static void *address(struct ptx_machine *m, const struct instruction *i, const struct operand *o,
                     uint32_t lane, size_t bytes)
{
    uint64_t at = o->value + (o->reg == UINT32_MAX ? 0 : m->value[(size_t)o->reg * WARP + lane]);
    if (o->reg != UINT32_MAX && !m->written[o->reg]) fail(m, "an address that was never written");
    if (at % bytes) fail(m, "an address that is not aligned");
    if (i->space == SHARED || i->space == LOCAL) {
        uint32_t limit = i->space == SHARED ? m->shared_bytes : m->local_bytes;
        if (at + bytes > limit) fail(m, "outside of %s memory", i->space == SHARED ? "shared" : "local");
        return i->space == SHARED ? m->shared + at : m->local + (size_t)lane * m->local_bytes + at;
    }
    for (uint32_t k = 0; k < m->nranges; k++)
        if (at >= (uintptr_t)m->range[k].begin && at + bytes <= (uintptr_t)m->range[k].end)
            return (void *)(uintptr_t)at;
    fail(m, "outside of global memory");
    return NULL;
}

static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, const uint32_t k[8])
{
    uint32_t g0 = (c & k[1]) | (~c & k[0]), g1 = (c & k[3]) | (~c & k[2]), g2 = (c & k[5]) | (~c & k[4]),
             g3 = (c & k[7]) | (~c & k[6]);
    uint32_t h0 = (b & g1) | (~b & g0), h1 = (b & g3) | (~b & g2);
    return (a & h1) | (~a & h0);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* One instruction for all lanes; returns what comes next. */
static uint32_t execute(struct ptx_machine *m, uint32_t at)
{
    const struct instruction *i = &m->code[at];
    uint64_t scratch[4][WARP];
    const uint64_t *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    uint64_t *to = i->n && i->x[0].kind == REGISTER ? m->value + (size_t)i->x[0].reg * WARP : NULL, out[WARP];
    if (i->guarded) {
        const uint64_t *go = m->value + (size_t)i->guard * WARP;
        for (uint32_t l = 1; l < WARP && i->op == OP_BRA; l++)
            if (go[l] != go[0]) fail(m, "a branch divides the warp");
        if (i->op != OP_BRA && i->op != OP_ST && i->op != OP_RED_ADD) fail(m, "a guard of something else");
        if (i->op == OP_BRA && !go[0]) return at + 1;
    }
    if (i->op != OP_UNPACK && i->op != OP_ST && i->op != OP_RED_ADD) {
        if (i->n > 1 && i->x[1].kind != ADDRESS) a = read(m, &i->x[1], scratch[0]);
        if (i->n > 2 && i->x[2].kind != ADDRESS) b = read(m, &i->x[2], scratch[1]);
        if (i->n > 3) c = read(m, &i->x[3], scratch[2]);
    }
    uint32_t k[8], any = 0;
    if (i->op == OP_LOP3)
        for (uint32_t j = 0; j < 8; j++) k[j] = i->x[4].value >> j & 1 ? UINT32_MAX : 0;
#define LANES for (uint32_t l = 0; l < WARP; l++)
    switch (i->op) {
    case OP_MOV: LANES out[l] = a[l]; break;
    case OP_UNPACK:
        d = read(m, &i->x[2], scratch[3]);
        LANES m->value[(size_t)i->x[1].reg * WARP + l] = d[l] >> 32;
        m->written[i->x[1].reg] = 1;
        LANES out[l] = d[l];
        break;
    case OP_MAD: LANES out[l] = a[l] * b[l] + c[l]; break;
    case OP_SHL: LANES out[l] = a[l] << b[l]; break;
    case OP_REM: LANES out[l] = (uint32_t)a[l] % (uint32_t)b[l]; break;
    case OP_SHR: LANES out[l] = (uint32_t)a[l] >> b[l]; break;
    case OP_ADD: LANES out[l] = a[l] + b[l]; break;
    case OP_SUB: LANES out[l] = a[l] - b[l]; break;
    case OP_LD_PARAM:
        LANES out[l] =
            i->wide ? *(uint64_t *)m->arguments[i->x[1].value] : *(uint32_t *)m->arguments[i->x[1].value];
        break;
    case OP_CVTA:
    case OP_CVT: LANES out[l] = a[l]; break;
    case OP_MUL_WIDE: LANES out[l] = (uint64_t)(uint32_t)a[l] * (uint32_t)b[l]; break;
    case OP_LD:
        memset(out, 0, sizeof out);
        LANES memcpy(&out[l], address(m, i, &i->x[1], l, i->bytes), i->bytes);
        break;
    case OP_ST:
        d = read(m, &i->x[1], scratch[3]);
        LANES if (!i->guarded || m->value[(size_t)i->guard * WARP + l])
            memcpy(address(m, i, &i->x[0], l, i->bytes), &d[l], i->bytes);
        return at + 1;
    case OP_BALLOT:
        LANES any |= (uint32_t)(a[l] != 0) << l;
        LANES out[l] = any;
        break;
    case OP_SHFL_BFLY: LANES out[l] = a[(l ^ b[l]) % WARP]; break;
    case OP_SETP_NE_AND: LANES out[l] = (uint32_t)a[l] != (uint32_t)b[l] && c[l]; break;
    case OP_AND: LANES out[l] = a[l] & b[l]; break;
    case OP_OR: LANES out[l] = a[l] | b[l]; break;
    case OP_MIN: LANES out[l] = (uint32_t)a[l] < (uint32_t)b[l] ? a[l] : b[l]; break;
    case OP_MUL: LANES out[l] = (uint32_t)a[l] * (uint32_t)b[l]; break;
    case OP_SETP_LT: LANES out[l] = (uint32_t)a[l] < (uint32_t)b[l]; break;
    case OP_SETP_GE: LANES out[l] = (uint32_t)a[l] >= (uint32_t)b[l]; break;
    case OP_CVT_F32: LANES out[l] = bits_of((float)(int32_t)a[l]); break;
    case OP_DIV_F32: LANES out[l] = bits_of(float_of((uint32_t)a[l]) / float_of((uint32_t)b[l])); break;
    case OP_SETP_NE: LANES out[l] = (uint32_t)a[l] != (uint32_t)b[l]; break;
    case OP_SETP_EQ: LANES out[l] = (uint32_t)a[l] == (uint32_t)b[l]; break;
    case OP_SELP: LANES out[l] = c[l] ? a[l] : b[l]; break;
    case OP_NOT: LANES out[l] = ~a[l]; break;
    case OP_XOR: LANES out[l] = a[l] ^ b[l]; break;
    case OP_LOP3: LANES out[l] = lop3((uint32_t)a[l], (uint32_t)b[l], (uint32_t)c[l], k); break;
    case OP_POPC: LANES out[l] = (uint64_t)__builtin_popcount((uint32_t)a[l]); break;
    case OP_VOTE_ANY:
        LANES any |= a[l] != 0;
        LANES out[l] = any;
        break;
    case OP_BRA: return (uint32_t)i->x[0].value;
    case OP_RED_ADD:
        d = read(m, &i->x[1], scratch[3]);
        LANES if (!i->guarded || m->value[(size_t)i->guard * WARP + l]) *
            (uint64_t *)address(m, i, &i->x[0], l, 8) += d[l];
        return at + 1;
    case OP_BAR: return at + 1; /* warps run one after the other and tell each other nothing */
    case OP_RET: return UINT32_MAX;
    }
    LANES to[l] = i->wide ? out[l] : (uint32_t)out[l];
    m->written[i->x[0].reg] = 1;
    return at + 1;
}

bool ptx_machine_launch(struct ptx_machine *m, uint32_t blocks, uint32_t rows, uint32_t threads,
                        uint32_t shared_bytes, void **arguments, char *message, size_t size)
{
    m->message = message;
    m->size = size;
    m->arguments = arguments;
    m->blocks = blocks;
    m->threads = threads;
    m->shared_bytes = shared_bytes;
    m->value = calloc((size_t)m->nregs * WARP, sizeof *m->value);
    m->written = calloc(m->nregs, 1);
    m->shared = calloc(1, shared_bytes + 1);
    m->local = calloc(WARP, m->local_bytes + 4);
    bool good = setjmp(m->trouble) == 0;
    if (good)
        for (m->row = 0; m->row < rows; m->row++)
            for (m->block = 0; m->block < blocks; m->block++)
                for (m->warp = 0; m->warp < threads / WARP; m->warp++) {
                    memset(m->written, 0, m->nregs);
                    for (uint32_t at = 0; at != UINT32_MAX;) at = execute(m, at);
                }
    free(m->value);
    free(m->written);
    free(m->shared);
    free(m->local);
    return good;
}
