// r2.par for a compiler of C: the same steps in loops, in float. The input is the same.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 512 };

struct parameters { float a, b, rho, nu, sigma; };

// Quantities of one swaption that do not depend on the payment, and those of each payment.
struct common { float b, sigma_x, sigma_y, rho, rest, mu_x, mu_y; };
struct payments { int n; float ba[MOST], bb[MOST], ai[MOST], log_ai[MOST], slope[MOST], constant[MOST], c[MOST], scale[MOST]; };

// Fliegel and Van Flandern, CACM 11:10, 1968.
static int day_of(int year, int month, int day) {
    int early = month <= 2, y = year + 4800 - early, m = month - 2 + 12 * early;
    return 1461 * y / 4 + 367 * m / 12 - 3 * ((y + 100) / 100) / 4 + day - 32075 - 2444238;
}

static int today(void) { return day_of(2012, 1, 1); }
static int after(int months) { return day_of(2012 + months / 12, 1 + months % 12, 1); }
static float years(int from, int to) { return (to - from) / 365.0f; }
static float discount(int day) { return expf(-0.03f * years(today(), day)); }

static float polynomial(float x) {
    float t = 1.0f / (1.0f + 0.3275911f * x);
    return t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
}

static float normal(float x) {
    float u = fabsf(x) / sqrtf(2.0f), tail = 0.5f * polynomial(u) * expf(-(u * u));
    return x < 0.0f ? tail : 1.0f - tail;
}

static float normal_times(float x, float e) {
    float u = fabsf(x) / sqrtf(2.0f), tail = 0.5f * polynomial(u) * expf(e - u * u);
    return x < 0.0f ? tail : expf(e) - tail;
}

static float decay(float z, float tau) { return (1.0f - expf(-z * tau)) / z; }

static float part(float sigma, float x, float tau) {
    float e = expf(-x * tau);
    return sigma * sigma / (x * x) * (tau + 2.0f / x * e - 1.0f / (2.0f * x) * e * e - 3.0f / (2.0f * x));
}

static float variance(const struct parameters *p, float tau) {
    float both = 2.0f * p->rho * p->nu * p->sigma / (p->a * p->b) * (tau - decay(p->a, tau) - decay(p->b, tau) + decay(p->a + p->b, tau));
    return part(p->sigma, p->a, tau) + part(p->nu, p->b, tau) + both;
}

static float drift(float a, float b, float rho, float nu, float sigma, float t) {
    float first = (sigma * sigma / (a * a) + sigma * rho * nu / (a * b)) * (1.0f - expf(-a * t));
    float second = sigma * sigma / (2.0f * a * a) * (1.0f - expf(-2.0f * a * t));
    return first - second - rho * sigma * nu / (b * (a + b)) * (1.0f - expf(-b * t - a * t));
}

static float difference(const struct payments *p, float y) {
    float sum = 0.0f;
    for (int i = 0; i < p->n; i++) sum += p->scale[i] * expf(-p->bb[i] * y);
    return sum - 1.0f;
}

static void swap(float *a, float *b) {
    float t = *a;
    *a = *b;
    *b = t;
}

// Brent's method. `end` is 0 if there is a root, 1 if it is above the bounds, -1 if it is below.
static float root(const struct payments *p, float a, float b, int *end) {
    float fa = difference(p, a), fb = difference(p, b);
    *end = 0;
    if (fa * fb >= 0.0f) {
        *end = a >= 0.0f ? 1 : -1;
        return 0.0f;
    }
    if (fabsf(fa) < fabsf(fb)) swap(&a, &b), swap(&fa, &fb);
    float c = a, fc = fa, d = 0.0f, tolerance = 1e-4f;
    int halved = 1;
    for (int rounds = 0; rounds < 1000 && fb != 0.0f && fabsf(b - a) >= tolerance; rounds++) {
        float s = fa == fc || fb == fc ? b - fb * (b - a) / (fb - fa)
                                       : a * fb * fc / ((fa - fb) * (fa - fc)) + b * fa * fc / ((fb - fa) * (fb - fc))
                                             + c * fa * fb / ((fc - fa) * (fc - fb));
        float before = halved ? fabsf(b - c) : fabsf(c - d);
        halved = !((3.0f * a + b) / 4.0f <= s && s <= b) || before / 2.0f <= fabsf(s - b) || before <= tolerance;
        if (halved) s = (a + b) / 2.0f;
        float fs = difference(p, s);
        d = c;
        c = b;
        fc = fb;
        if (fa * fs < 0.0f) b = s, fb = fs;
        else a = s, fa = fs;
        if (fabsf(fa) < fabsf(fb)) swap(&a, &b), swap(&fa, &fb);
    }
    return b;
}

static float bound(const struct common *q, struct payments *p, float x) {
    float sum = 0.0f, low = -1e30f;
    for (int i = 0; i < p->n; i++) {
        p->scale[i] = p->ai[i] * expf(-p->ba[i] * x);
        sum += p->scale[i];
        float l = (p->log_ai[i] - p->ba[i] * x) / p->bb[i];
        if (l > low) low = l;
    }
    if (p->n < 2) return low;
    float last = logf(sum) / p->bb[p->n - 1], first = logf(sum) / p->bb[0];
    float high = last <= 0.0f ? last : first >= 0.0f ? first : -1e30f;
    float line = q->rho * (x - q->mu_x) / q->sigma_x, quantile = -3.71901648545568f * sqrtf(q->rest);
    float least = q->sigma_y * (line + quantile) - q->rest / q->b + q->mu_y, most = q->sigma_y * (line - quantile) + q->mu_y;
    low -= 1e-5f;
    high += 1e-5f;
    if (most <= low) return most + 1.0f;
    if (high <= least) return least - 1.0f;
    int end;
    float y = root(p, low < least ? least : low, most < high ? most : high, &end);
    return end == 0 ? y : end > 0 ? most + 1.0f : least - 1.0f;
}

// The price by the quoted volatility, and by the model.
static void swaption(const struct parameters *p, int points, const float *xs, const float *weights, const float *quote, float *quoted,
                     float *priced) {
    static struct payments pay;
    int start = (int)(12.0f * quote[0]), months = (int)quote[1], day = after(start), n = (int)(12.0f * quote[2]) / months;
    if (n > MOST) exit(1);
    float t = years(today(), day), level = 0.0f;
    for (int i = 0; i < n; i++)
        level += discount(after(start + months * (i + 1))) * years(after(start + months * i), after(start + months * (i + 1)));
    float strike = (discount(day) - discount(after(start + months * n))) / level, deviation = 0.5f * quote[3] * t;
    *quoted = level * strike * (normal(deviation) - normal(-deviation));
    float whole = variance(p, t), mu_x = -drift(p->a, p->b, p->rho, p->nu, p->sigma, t), mu_y = -drift(p->b, p->a, p->rho, p->sigma, p->nu, t);
    float root_a = sqrtf(decay(2.0f * p->a, t)), root_b = sqrtf(decay(2.0f * p->b, t));
    float rho = p->rho * decay(p->a + p->b, t) / (root_a * root_b), sigma_x = p->sigma * root_a, sigma_y = p->nu * root_b;
    float rest = 1.0f - rho * rho, slope = rho * sigma_y / sigma_x;
    pay.n = n;
    for (int i = 0; i < n; i++) {
        int end = after(start + months * (i + 1));
        float fixed = years(after(start + months * i), end) * strike + (i == n - 1);
        float e = 0.5f * (variance(p, years(day, end)) - variance(p, years(today(), end)) + whole);
        pay.c[i] = fixed * discount(end) / discount(day);
        pay.ba[i] = decay(p->a, years(day, end));
        pay.bb[i] = decay(p->b, years(day, end));
        pay.ai[i] = pay.c[i] * expf(e);
        pay.log_ai[i] = logf(pay.c[i]) + e;
        pay.slope[i] = -(pay.ba[i] + pay.bb[i] * slope);
        pay.constant[i] = pay.bb[i] * (mu_x * slope - (mu_y - 0.5f * rest * sigma_y * sigma_y * pay.bb[i])) + e;
    }
    struct common q = {p->b, sigma_x, sigma_y, rho, rest, mu_x, mu_y};
    float step = 0.5f * sigma_x, f = bound(&q, &pay, mu_x), g = bound(&q, &pay, mu_x + step), h = bound(&q, &pay, mu_x - step);
    float df = 0.5f * (g - h) / step, cross = sigma_y * sqrtf(rest), sum = 0.0f;
    for (int k = 0; k < points; k++) {
        float x = sqrtf(2.0f) * sigma_x * xs[k] + mu_x, less = 0.0f;
        float h1 = (f + df * (x - mu_x) - mu_y) / cross - rho / (sigma_x * sqrtf(rest)) * (x - mu_x);
        for (int i = 0; i < n; i++) less += pay.c[i] * normal_times(-(h1 + pay.bb[i] * cross), pay.constant[i] + pay.slope[i] * x);
        sum += weights[k] * expf(-(xs[k] * xs[k])) * (normal(-h1) - less);
    }
    *priced = discount(day) * (sum / sqrtf(3.14159265f));
}

// Each repetition computes everything again.
__attribute__((noipa)) static void prices(const struct parameters *p, int n, const float *quotes, int m, const float *xs,
                                          const float *weights, float *both) {
    both[0] = both[1] = 0.0f;
    for (int i = 0; i < n; i++) {
        float quoted, priced;
        swaption(p, m, xs, weights, quotes + 4 * i, &quoted, &priced);
        float gamma = fabsf(quoted) / 50.0f * 5.0f + 0.01f, x = (priced - quoted) / gamma;
        both[0] += logf(1.0f / (3.14159265f * gamma * (1.0f + x * x)) + 1e-20f);
        both[1] += priced;
    }
}

static float *floats(int n) {
    float *a = malloc(n * sizeof(float));
    if (!a) exit(1);
    for (int i = 0; i < n; i++)
        if (scanf("%f", &a[i]) != 1) exit(1);
    return a;
}

int main(void) {
    int times, n, m;
    if (scanf("%d", &times) != 1) return 1;
    float *p = floats(5);
    struct parameters parameters = {p[0], p[1], p[2], p[3], p[4]};
    if (scanf("%d %d", &n, &m) != 2) return 1;
    float *quotes = floats(4 * n), *xs = floats(m), *weights = floats(m), both[2] = {0.0f, 0.0f};
    for (int k = 0; k < times; k++) prices(&parameters, n, quotes, m, xs, weights, both);
    printf("(%.7g, %.7g)\n", both[0], both[1]);
    return 0;
}
