// r1.par for a compiler of C: the same steps in loops, in float. The input is the same.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Three coefficients of the first and of the second derivative for each point.
struct operators { float (*first)[3], (*second)[3]; };

static void *memory(size_t n) {
    void *bytes = calloc(n, 1);
    if (!bytes) exit(1);
    return bytes;
}

static struct operators operators(const float *x, int n) {
    struct operators of = {memory(n * sizeof(float[3])), memory(n * sizeof(float[3]))};
    for (int i = 1; i < n - 1; i++) {
        float low = x[i] - x[i - 1], up = x[i + 1] - x[i], both = low + up;
        of.first[i][0] = -up / low / both;
        of.first[i][1] = (up / low - low / up) / both;
        of.first[i][2] = low / up / both;
        of.second[i][0] = 2.0f / low / both;
        of.second[i][1] = -2.0f * (1.0f / low + 1.0f / up) / both;
        of.second[i][2] = 2.0f / up / both;
    }
    float up = x[1] - x[0], low = x[n - 1] - x[n - 2];
    of.first[0][1] = -1.0f / up;
    of.first[0][2] = 1.0f / up;
    of.first[n - 1][0] = -1.0f / low;
    of.first[n - 1][1] = 1.0f / low;
    return of;
}

static float coefficient(const struct operators *of, int j, int k, float mu, float variance) {
    return mu * of->first[j][k] + 0.5f * variance * of->second[j][k];
}

static void explicit(const struct operators *of, const float *mu, const float *variance, const float *row, int n, float *out) {
    for (int j = 0; j < n; j++) {
        float low = 0 < j ? coefficient(of, j, 0, mu[j], variance[j]) * row[j - 1] : 0.0f;
        float up = j < n - 1 ? coefficient(of, j, 2, mu[j], variance[j]) * row[j + 1] : 0.0f;
        out[j] = low + coefficient(of, j, 1, mu[j], variance[j]) * row[j] + up;
    }
}

// Solves a tridiagonal system in the memory of y. `scratch` has 3 n rows.
static void solve(const struct operators *of, const float *mu, const float *variance, float *y, int n, float per_time, float *scratch) {
    float *a = scratch, *b = scratch + n, *c = scratch + 2 * n;
    for (int j = 0; j < n; j++) {
        a[j] = -0.5f * coefficient(of, j, 0, mu[j], variance[j]);
        b[j] = per_time - 0.5f * coefficient(of, j, 1, mu[j], variance[j]);
        c[j] = -0.5f * coefficient(of, j, 2, mu[j], variance[j]);
    }
    for (int k = 0; k < n - 1; k++) {
        float t = a[k + 1] / b[k];
        b[k + 1] -= t * c[k];
        y[k + 1] -= t * y[k];
    }
    y[n - 1] /= b[n - 1];
    for (int j = n - 2; j >= 0; j--) y[j] = (y[j] - c[j] * y[j + 1]) / b[j];
}

// Each repetition computes everything again.
__attribute__((noipa)) static float value(float strike, float spot, float t, float alpha, float nu, float beta, int nx, int ny, int nt) {
    float dx = 20.0f * alpha * spot * sqrtf(t) / nx, dy = 10.0f * nu * sqrtf(t) / ny;
    int at_x = (int)(spot / dx), at_y = ny / 2, most = nx > ny ? nx : ny, all = nx * ny;
    float *xs = memory(nx * sizeof(float)), *ys = memory(ny * sizeof(float));
    for (int i = 0; i < nx; i++) xs[i] = i * dx - at_x * dx + spot;
    for (int i = 0; i < ny; i++) ys[i] = i * dy - at_y * dy + logf(alpha);
    struct operators along_x = operators(xs, nx), along_y = operators(ys, ny);
    float *mu = memory(most * sizeof(float)), *variance_y = memory(ny * sizeof(float)), *scratch = memory(3 * most * sizeof(float));
    for (int i = 0; i < ny; i++) variance_y[i] = nu * nu;
    // Grids with a row per y, and with a row per x.
    float *result = memory(all * sizeof(float)), *variance_x = memory(all * sizeof(float)), *u = memory(all * sizeof(float));
    float *turned = memory(all * sizeof(float)), *v = memory(all * sizeof(float));
    for (int i = 0; i < ny; i++)
        for (int j = 0; j < nx; j++) result[i * nx + j] = xs[j] > strike ? xs[j] - strike : 0.0f;
    for (int k = nt - 2; k >= 0; k--) {
        float now = t * k / (nt - 1.0f), next = t * (k + 1) / (nt - 1.0f), per_time = 1.0f / (next - now);
        for (int i = 0; i < ny; i++)
            for (int j = 0; j < nx; j++) variance_x[i * nx + j] = expf(2.0f * (beta * logf(xs[j]) + ys[i] - 0.5f * nu * nu * now));
        for (int i = 0; i < ny; i++) explicit(&along_x, mu, variance_x + i * nx, result + i * nx, nx, u + i * nx);
        for (int j = 0; j < nx; j++)
            for (int i = 0; i < ny; i++) turned[j * ny + i] = result[i * nx + j];
        for (int j = 0; j < nx; j++) explicit(&along_y, mu, variance_y, turned + j * ny, ny, v + j * ny);
        for (int i = 0; i < ny; i++) {
            for (int j = 0; j < nx; j++) u[i * nx + j] = per_time * result[i * nx + j] + 0.5f * u[i * nx + j] + v[j * ny + i];
            solve(&along_x, mu, variance_x + i * nx, u + i * nx, nx, per_time, scratch);
        }
        for (int j = 0; j < nx; j++) {
            for (int i = 0; i < ny; i++) turned[j * ny + i] = per_time * u[i * nx + j] - 0.5f * v[j * ny + i];
            solve(&along_y, mu, variance_y, turned + j * ny, ny, per_time, scratch);
        }
        for (int i = 0; i < ny; i++)
            for (int j = 0; j < nx; j++) result[i * nx + j] = turned[j * ny + i];
    }
    float found = result[at_y * nx + at_x];
    void *parts[] = {xs,     ys,         along_x.first, along_x.second, along_y.first, along_y.second, mu, variance_y, scratch,
                     result, variance_x, u,             turned,         v};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
    return found;
}

int main(void) {
    int times, strikes, nx, ny, nt;
    float spot, t, alpha, nu, beta;
    if (scanf("%d %d %d %d %d %f %f %f %f %f", &times, &strikes, &nx, &ny, &nt, &spot, &t, &alpha, &nu, &beta) != 10) return 1;
    float *values = memory(strikes * sizeof(float));
    for (int k = 0; k < times; k++)
        for (int i = 0; i < strikes; i++) values[i] = value(0.001f * i, spot, t, alpha, nu, beta, nx, ny, nt);
    for (int i = 0; i < strikes; i++) printf("%.7g\n", values[i]);
    return 0;
}
