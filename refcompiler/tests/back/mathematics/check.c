/* Compares the functions of the runtime, translated to C, with the host's library in higher precision.

   check FUNCTION COUNT SEED: COUNT inputs, all 2^32 of them in order if COUNT is 2^32; pairs of numbers for pow. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long inputs, wrong, far_off;

/* Returns whether a value in binary64 determines the nearest float, because it is not near the middle between two. */
static int decides(double value) {
    return value != value || (float)(value * (1 + 4e-16)) == (float)(value * (1 - 4e-16));
}

static void compare(const char *name, float x, float y, float found, float expected) {
    int distance = bits(found) - bits(expected);
    inputs++;
    if (distance == 0) return;
    if (wrong++ < 10) printf("%s(%a, %a): expected %a, found %a\n", name, x, y, expected, found);
    if (distance < -1 || distance > 1) far_off++;
}

static void compare_pow(float x, float y) {
    double value = pow(x, y);
    compare("pow", x, y, par_pow(x, y), decides(value) ? (float)value : (float)powl(x, y));
}

struct function { const char *name; float (*par)(float); double (*host)(double); long double (*precise)(long double); };
static const struct function functions[] = {
    {"sqrt", par_sqrt, sqrt, sqrtl}, {"floor", par_floor, floor, floorl}, {"exp", par_exp, exp, expl},
    {"log", par_log, log, logl},     {"sin", par_sin, sin, sinl},         {"cos", par_cos, cos, cosl},
};

static unsigned long long state;

static unsigned next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 16);
}

/* All pairs of special values; powers that are exact, or in the middle between two floats; and such as are near them. */
static void special_pairs(void) {
    static const float values[] = {
        0, 1, 2, 3, 0.5f, 1.5f, 2.5f, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, 16777216, 16777215, 8388608, 8388607, 33554432,
        0x1.fffffep-1f, 0x1.000002p0f, 0x1.000004p0f, INFINITY, NAN, 100, 127, 128, 129, 149, 150, 0.25f, 0.75f, 0.125f,
        1e10f, 1e-10f, 1e20f, 5, 7, 9, 11, 13, 15, 17, 0x1p-75f, 0x3p-75f, 0x1.8p-1f };
    int count = sizeof values / sizeof values[0];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            for (int signs = 0; signs < 4; signs++)
                compare_pow(signs & 1 ? -values[i] : values[i], signs & 2 ? -values[k] : values[k]);
    for (int base = 1; base < 8192; base++)
        for (int power = 2; power < 24; power++) {
            compare_pow(base, power);
            compare_pow(base * 0x1p-75f, power);
            compare_pow((float)base * base, power + 0.5f);
            if (base < 64) compare_pow((float)base * base * base * base, power * 0.25f);
            compare_pow(base * 0x1p-20f, power * 0.5f);
        }
    for (int ulps = 1; ulps < 4096; ulps++)
        for (int halves = 1; halves < 64; halves++) {
            compare_pow(1 + ulps * 0x1p-23f, halves * 0.5f);
            compare_pow(1 - ulps * 0x1p-24f, halves * 0.5f);
        }
}

/* A random pair: any bits, or a result in the range of floats. */
static void random_pair(void) {
    float x = par_float_of_bits((int)(next() & 0x7fffffff));
    switch (next() % 4) {
    case 0: compare_pow(next() & 1 ? x : -x, par_float_of_bits((int)next())); return;
    case 1: compare_pow(x, ((int)(next() % 512) - 256) * 0.25f); return;
    case 2: x = 1 + ((int)next() >> next() % 24) * 0x1p-32f; break;
    }
    compare_pow(x, (float)((next() * 0x1p-32 * 300 - 150) / log2(x)));
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const char *name = arguments[1];
    unsigned long long number = strtoull(arguments[2], 0, 10);
    state = strtoull(arguments[3], 0, 10) * 0x9e3779b97f4a7c15ull | 1;
    if (strcmp(name, "pow") == 0) {
        special_pairs();
        while (number--) random_pair();
    }
    for (unsigned k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        const struct function *f = &functions[k];
        if (strcmp(name, f->name) != 0) continue;
        for (unsigned long long i = 0; i < number; i++) {
            float x = par_float_of_bits((int)(number >> 32 ? (unsigned)i : next()));
            double value = f->host(x);
            compare(name, x, x, f->par(x), decides(value) ? (float)value : (float)f->precise(x));
        }
    }
    printf("%s: %llu inputs, %llu not correctly rounded, %llu off by more than one\n", name, inputs, wrong, far_off);
    return far_off != 0;
}
