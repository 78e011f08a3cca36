#include <stdio.h>
#include <stdlib.h>

static int *product(int n, const int *a, const int *b) {
    int *c = calloc(n * n, sizeof(int));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++) {
                sum = sum + a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum & 15;
        }
    }
    return c;
}

int main(void) {
    int times;
    if (scanf("%d", &times) != 1) return 1;
    int n = 200;
    int *a = calloc(n * n, sizeof(int));
    int *b = calloc(n * n, sizeof(int));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i * n + j] = (7 * i + 3 * j) % 16;
            b[i * n + j] = a[i * n + j];
        }
    }
    for (int t = 0; t < times; t++) {
        int *c = product(n, a, b);
        free(b);
        b = c;
        b[t % n * n] = t & 15;
    }
    int sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum = sum + b[i * n + j] * (i + j);
        }
    }
    free(a);
    free(b);
    printf("%d\n", sum);
    return 0;
}
