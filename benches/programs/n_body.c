#include <math.h>
#include <stdio.h>

int main(void) {
    int times;
    if (scanf("%d", &times) != 1) return 1;
    float x[] = {0.0f, 4.84f, 8.34f, 12.9f, 15.4f};
    float y[] = {0.0f, -1.16f, 4.12f, -15.1f, -25.9f};
    float z[] = {0.0f, -0.1f, -0.4f, -0.22f, 0.18f};
    float vx[] = {0.0f, 0.6f, -1.01f, 1.08f, 0.98f};
    float vy[] = {0.0f, 2.8f, 1.8f, 0.87f, 0.59f};
    float vz[] = {0.0f, -0.02f, 0.008f, -0.01f, -0.034f};
    float mass[] = {39.5f, 0.037f, 0.011f, 0.0017f, 0.002f};
    int n = 5;
    float time = 0.01f;
    for (int t = 0; t < times; t++) {
        for (int i = 0; i < n; i++) {
            int j = i + 1;
            while (j < n) {
                float dx = x[i] - x[j];
                float dy = y[i] - y[j];
                float dz = z[i] - z[j];
                float square = dx * dx + dy * dy + dz * dz;
                float magnitude = time / (square * sqrtf(square));
                float own = mass[i] * magnitude;
                float other = mass[j] * magnitude;
                vx[i] = vx[i] - dx * other;
                vy[i] = vy[i] - dy * other;
                vz[i] = vz[i] - dz * other;
                vx[j] = vx[j] + dx * own;
                vy[j] = vy[j] + dy * own;
                vz[j] = vz[j] + dz * own;
                j = j + 1;
            }
        }
        for (int i = 0; i < n; i++) {
            x[i] = x[i] + time * vx[i];
            y[i] = y[i] + time * vy[i];
            z[i] = z[i] + time * vz[i];
        }
    }
    for (int i = 0; i < n; i++) {
        printf("%d %d\n", (int)(x[i] * 1000000.0f), (int)(vx[i] * 1000000.0f));
    }
    return 0;
}
