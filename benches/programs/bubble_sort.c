#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void sort(int n, int *a) {
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < n - 1 - i; j++) {
            if (a[j] > a[j + 1]) {
                int greater = a[j];
                a[j] = a[j + 1];
                a[j + 1] = greater;
            }
        }
    }
}

int main(void) {
    int times;
    if (scanf("%d", &times) != 1) return 1;
    int seed = 1;
    int sum = 0;
    for (int t = 0; t < times; t++) {
        int n = 2000;
        int *a = calloc(n, sizeof(int));
        for (int i = 0; i < n; i++) {
            seed = (seed * 1103 + 12345) % 65536;
            a[i] = seed;
        }
        sort(n, a);
        for (int i = 0; i < n - 1; i++) {
            assert(a[i] <= a[i + 1]);
        }
        sum = sum + a[0] + a[1000] + a[1999];
        free(a);
    }
    printf("%d\n", sum);
    return 0;
}
