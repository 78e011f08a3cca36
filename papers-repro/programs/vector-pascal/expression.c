// The forms of short.par, float.par and int.par for a compiler of C. TYPE is the type of the elements; WIDE is the type of their sum, and
// PART the part of an element that is added.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef PART
#define PART(v) (v)
#endif

__attribute__((noinline)) static void two(int n, TYPE *restrict x, const TYPE *restrict a, const TYPE *restrict b, const TYPE *restrict c,
                                          TYPE *restrict t) {
    for (int i = 0; i < n; i++) t[i] = b[i] - c[i];
    for (int i = 0; i < n; i++) x[i] = a[i] * t[i];
}

__attribute__((noinline)) static void one(int n, TYPE *restrict x, const TYPE *restrict a, const TYPE *restrict b, const TYPE *restrict c) {
    for (int i = 0; i < n; i++) x[i] = a[i] * (TYPE)(b[i] - c[i]);
}

int main(void) {
    int form, n, times;
    if (scanf("%d %d %d", &form, &n, &times) != 3) return 1;
    TYPE *a = malloc(n * sizeof(TYPE)), *b = malloc(n * sizeof(TYPE)), *c = malloc(n * sizeof(TYPE));
    TYPE *x = calloc(n, sizeof(TYPE)), *t = malloc(n * sizeof(TYPE));
    if (!a || !b || !c || !x || !t) return 1;
    for (int i = 0; i < n; i++) {
        a[i] = (i * 7 + 3) % 1000;
        b[i] = (i * 5 + 1) % 900;
        c[i] = (i * 3 + 2) % 800;
    }
    for (int k = 0; k < times; k++) {
        a[0] = k;
        if (form == 0) two(n, x, a, b, c, t);
        else one(n, x, a, b, c);
    }
    WIDE sum = 0;
    for (int i = 0; i < n; i++) sum += PART(x[i]);
    printf(FORMAT "\n", sum);
    return 0;
}
