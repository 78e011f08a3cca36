#include <stdio.h>
#include <stdlib.h>

static int primes_below(int n) {
    unsigned char *is_composite = calloc(n, 1);
    int found = 0;
    int i = 2;
    while (i < n) {
        if (is_composite[i] == 0) {
            found = found + 1;
            int k = i + i;
            while (k < n) {
                is_composite[k] = 1;
                k = k + i;
            }
        }
        i = i + 1;
    }
    free(is_composite);
    return found;
}

int main(void) {
    int times;
    if (scanf("%d", &times) != 1) return 1;
    int sum = 0;
    for (int t = 0; t < times; t++) {
        sum = sum + primes_below(200000 + t);
    }
    printf("%d\n", sum);
    return 0;
}
