#include <stdio.h>

static int steps(float re, float im, int limit) {
    float x = 0.0f;
    float y = 0.0f;
    int n = 0;
    while (n < limit) {
        float xx = x * x;
        float yy = y * y;
        if (xx + yy > 4.0f) return n;
        y = 2.0f * x * y + im;
        x = xx - yy + re;
        n = n + 1;
    }
    return limit;
}

int main(void) {
    int times;
    if (scanf("%d", &times) != 1) return 1;
    int width = 120;
    int height = 80;
    int sum = 0;
    for (int t = 0; t < times; t++) {
        for (int row = 0; row < height; row++) {
            for (int column = 0; column < width; column++) {
                float re = (float)column * 3.0f / (float)width - 2.15f;
                float im = (float)row * 2.5f / (float)height - 1.25f;
                sum = sum + steps(re, im, 400 + t);
            }
        }
        sum = sum % 1000000;
    }
    printf("%d\n", sum);
    return 0;
}
