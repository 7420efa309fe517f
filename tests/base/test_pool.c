// SPDX-License-Identifier: GPL-3.0-or-later
/* Blocks are one's own until they are given back, and are there again afterwards. */
#include "../testing.h"

#include "base/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 200 };

static size_t size_of(uint32_t i)
{
    return 100 + (size_t)i * i * 1000 % 6000000; /* from bytes to several large pages */
}

static void fill(unsigned char *block, uint32_t i)
{
    memset(block, (int)(i % 251 + 1), size_of(i));
}

static bool is_filled(const unsigned char *block, uint32_t i)
{
    for (size_t k = 0; k < size_of(i); k++)
        if (block[k] != i % 251 + 1) return false;
    return true;
}

static void blocks_do_not_overlap(void **state)
{
    (void)state;
    unsigned char *blocks[BLOCKS];
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < BLOCKS; i++) {
            blocks[i] = pool_take(size_of(i));
            assert_non_null(blocks[i]);
            fill(blocks[i], i);
        }
        for (uint32_t i = 0; i < BLOCKS; i++) assert_true(is_filled(blocks[i], i));
        for (uint32_t i = round % 2; i < BLOCKS; i += 2) pool_give(blocks[i], size_of(i)); /* and take anew */
        for (uint32_t i = round % 2; i < BLOCKS; i += 2) fill(blocks[i] = pool_take(size_of(i)), i);
        for (uint32_t i = 0; i < BLOCKS; i++) assert_true(is_filled(blocks[i], i));
        for (uint32_t i = 0; i < BLOCKS; i++) pool_give(blocks[i], size_of(i));
    }
}

static void what_is_given_back_is_taken_again(void **state)
{
    (void)state;
    void *block = pool_take(300000);
    memset(block, 1, 300000);
    pool_give(block, 300000);
    unsigned char *again = pool_take_zeroed(270000);
    assert_ptr_equal(again, block);
    for (size_t k = 0; k < 270000; k++) assert_int_equal(again[k], 0);
    pool_give(again, 270000);
}

static void a_block_that_grows_keeps_what_it_has(void **state)
{
    (void)state;
    size_t size = 1000;
    unsigned char *block = pool_take(size);
    for (uint32_t i = 0; size < 8000000; i++) {
        memset(block, (int)i, size);
        block = pool_grow(block, size, size, size * 3 / 2);
        assert_non_null(block);
        for (size_t k = 0; k < size; k += 97) assert_int_equal(block[k], i % 256);
        size = size * 3 / 2;
    }
    pool_give(block, size);
    pool_give(NULL, 100000);
}

static int open_it(void **state)
{
    (void)state;
    pool_open();
    return !pool_is_open();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* malloc's at first */
        cmocka_unit_test(blocks_do_not_overlap),
        cmocka_unit_test(a_block_that_grows_keeps_what_it_has),
        cmocka_unit_test_setup(blocks_do_not_overlap, open_it),
        cmocka_unit_test(what_is_given_back_is_taken_again),
        cmocka_unit_test(a_block_that_grows_keeps_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
