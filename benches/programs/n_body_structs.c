#include <math.h>
#include <stdio.h>

struct body { float x, y, z, vx, vy, vz, mass; };

static void advance(int n, struct body *bodies, int steps, float time) {
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++) {
            int j = i + 1;
            while (j < n) {
                float dx = bodies[i].x - bodies[j].x;
                float dy = bodies[i].y - bodies[j].y;
                float dz = bodies[i].z - bodies[j].z;
                float square = dx * dx + dy * dy + dz * dz;
                float magnitude = time / (square * sqrtf(square));
                float own = bodies[i].mass * magnitude;
                float other = bodies[j].mass * magnitude;
                bodies[i].vx = bodies[i].vx - dx * other;
                bodies[i].vy = bodies[i].vy - dy * other;
                bodies[i].vz = bodies[i].vz - dz * other;
                bodies[j].vx = bodies[j].vx + dx * own;
                bodies[j].vy = bodies[j].vy + dy * own;
                bodies[j].vz = bodies[j].vz + dz * own;
                j = j + 1;
            }
        }
        for (int i = 0; i < n; i++) {
            bodies[i].x = bodies[i].x + time * bodies[i].vx;
            bodies[i].y = bodies[i].y + time * bodies[i].vy;
            bodies[i].z = bodies[i].z + time * bodies[i].vz;
        }
    }
}

int main(void) {
    int times;
    if (scanf("%d", &times) != 1) return 1;
    struct body bodies[5] = {
        {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 39.5f},
        {4.84f, -1.16f, -0.1f, 0.6f, 2.8f, -0.02f, 0.037f},
        {8.34f, 4.12f, -0.4f, -1.01f, 1.8f, 0.008f, 0.011f},
        {12.9f, -15.1f, -0.22f, 1.08f, 0.87f, -0.01f, 0.0017f},
        {15.4f, -25.9f, 0.18f, 0.98f, 0.59f, -0.034f, 0.002f},
    };
    advance(5, bodies, times, 0.01f);
    for (int i = 0; i < 5; i++) {
        printf("%d %d\n", (int)(bodies[i].x * 1000000.0f), (int)(bodies[i].vx * 1000000.0f));
    }
    return 0;
}
