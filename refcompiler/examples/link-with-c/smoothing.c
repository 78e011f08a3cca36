// Functions for arrays of Par, one of which calls back into it.

#include "smoothing.h"

int32_t median(int32_t *a, int32_t a_0) {
    for (int32_t i = 1; i < a_0; i++) {
        int32_t value = a[i], at = i;
        for (; at > 0 && a[at - 1] > value; at--) a[at] = a[at - 1];
        a[at] = value;
    }
    return a[a_0 / 2];
}

// The elements that are greater than both neighbours after smoothing, and the sum of their distances.
void peaks(const int32_t *a, int32_t a_0, int32_t *result, int32_t room, int32_t extents[1]) {
    static int32_t smoothed[100], distance[100 * 100];
    int32_t count = 0, sum = 0, shape[2];
    for (int32_t i = 0; i < a_0 && i < 100; i++) smoothed[i] = a[i];
    smooth(smoothed, a_0);
    for (int32_t i = 1; i + 1 < a_0 && count + 1 < room; i++)
        if (smoothed[i] > smoothed[i - 1] && smoothed[i] > smoothed[i + 1]) result[count++] = smoothed[i];
    distances(result, count, distance, 100 * 100, shape);
    for (int32_t i = 0; i < shape[0] * shape[1]; i++) sum += distance[i];
    result[count++] = sum;
    extents[0] = count;
}
