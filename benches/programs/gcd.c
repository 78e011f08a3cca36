#include <stdio.h>

static int gcd(int a, int b) {
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int main(void) {
    int times;
    if (scanf("%d", &times) != 1) return 1;
    int sum = 0;
    for (int t = 0; t < times; t++) {
        for (int i = 0; i < 1000; i++) {
            for (int j = 0; j < 1000; j++) {
                sum = sum + gcd(i + t, j + 1);
            }
        }
        sum = sum % 1000000;
    }
    printf("%d\n", sum);
    return 0;
}
