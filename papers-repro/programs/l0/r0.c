// r0.par for a compiler of C: the same steps in loops, in float. The input is the same.
#include <math.h>
#include <stdio.h>

enum { DATES = 5, ASSETS = 3, BITS = 30, ROWS = DATES * ASSETS };

struct model {
    int directions[ROWS][BITS];
    float correlation[ASSETS][ASSETS], volatility[DATES][ASSETS], drift[DATES][ASSETS], start[ASSETS], discount[DATES];
    int at[DATES], left[DATES], right[DATES];
    float deviation[DATES], left_weight[DATES], right_weight[DATES];
};

static float sobol(const int *row, int n) {
    int gray = n ^ n >> 1, bits = 0;
    for (int k = 0; k < BITS; k++)
        if (gray >> k & 1) bits ^= row[k];
    return bits / 1073741824.0f;
}

static float horner(const float *c, float x) {
    float sum = c[0];
    for (int i = 1; i < 8; i++) sum = sum * x + c[i];
    return sum;
}

static const float CENTRAL[2][8] = {
    {2509.0809287301226727f, 33430.575583588128105f, 67265.770927008700853f, 45921.953931549871457f, 13731.693765509461125f,
     1971.5909503065514427f, 133.14166789178437745f, 3.387132872796366608f},
    {5226.495278852854561f, 28729.085735721942674f, 39307.89580009271061f, 21213.794301586595867f, 5394.1960214247511077f,
     687.1870074920579083f, 42.313330701600911252f, 1.0f}};
static const float OUTER[2][8] = {
    {7.7454501427834140764e-4f, 0.0227238449892691845833f, 0.24178072517745061177f, 1.27045825245236838258f, 3.64784832476320460504f,
     5.7694972214606914055f, 4.6303378461565452959f, 1.42343711074968357734f},
    {1.05075007164441684324e-9f, 5.475938084995344946e-4f, 0.0151986665636164571966f, 0.14810397642748007459f, 0.68976733498510000455f,
     1.6763848301838038494f, 2.05319162663775882187f, 1.0f}};
static const float TAIL[2][8] = {
    {2.01033439929228813265e-7f, 2.71155556874348757815e-5f, 0.0012426609473880784386f, 0.026532189526576123093f, 0.29656057182850489123f,
     1.7848265399172913358f, 5.4637849111641143699f, 6.6579046435011037772f},
    {2.04426310338993978564e-5f, 1.4215117583164458887e-7f, 1.8463183175100546818e-5f, 7.868691311456132591e-4f, 0.0148753612908506148525f,
     0.13692988092273580531f, 0.59983220655588793769f, 1.0f}};

static float quotient(const float c[2][8], float x) { return horner(c[0], x) / horner(c[1], x); }

// Wichura's algorithm AS 241.
static float quantile(float p) {
    float q = p - 0.5f;
    if (fabsf(q) <= 0.425f) return q * quotient(CENTRAL, 0.180625f - q * q);
    float r = sqrtf(-logf(q < 0.0f ? p : 1.0f - p));
    float x = r <= 5.0f ? quotient(OUTER, r - 1.6f) : quotient(TAIL, r - 5.0f);
    return q < 0.0f ? -x : x;
}

static void bridge(const struct model *m, const float *z, float *w) {
    w[m->at[0] - 1] = m->deviation[0] * z[0];
    for (int k = 1; k < DATES; k++) {
        float value = m->right_weight[k] * w[m->right[k] - 1] + m->deviation[k] * z[k];
        int left = m->left[k];
        w[m->at[k] - 1] = left == 0 ? value : value + m->left_weight[k] * w[left - 1];
    }
    for (int k = DATES - 1; k > 0; k--) w[k] -= w[k - 1];
}

static float lesser(float a, float b) { return b < a ? b : a; }

static float worst(const float *x) { return lesser(lesser(x[0] / 3758.05f, x[1] / 11840.0f), x[2] / 1200.0f); }

static float path(const struct model *m, int n) {
    float steps[ASSETS][DATES], prices[DATES][ASSETS], product[ASSETS];
    for (int asset = 0; asset < ASSETS; asset++) {
        float z[DATES];
        for (int date = 0; date < DATES; date++) z[date] = quantile(sobol(m->directions[date * ASSETS + asset], n));
        bridge(m, z, steps[asset]);
        product[asset] = 1.0f;
    }
    for (int date = 0; date < DATES; date++)
        for (int asset = 0; asset < ASSETS; asset++) {
            float noise = 0.0f;
            for (int l = 0; l <= asset; l++) noise += steps[l][date] * m->correlation[asset][l];
            product[asset] *= expf(m->drift[date][asset] + noise * m->volatility[date][asset]);
            prices[date][asset] = m->start[asset] * product[asset];
        }
    for (int date = 0; date < DATES - 1; date++)
        if (worst(prices[date]) >= 1.0f) return (1150.0f + 150.0f * date) * m->discount[date];
    float w = worst(prices[DATES - 1]);
    return (w >= 1.0f ? 1750.0f : w > 0.75f ? 1000.0f : 1000.0f * w) * m->discount[DATES - 1];
}

// Each repetition computes everything again.
__attribute__((noipa)) static float price(const struct model *m, int paths) {
    float sum = 0.0f;
    for (int i = 0; i < paths; i++) sum += path(m, i + 1);
    return sum / paths;
}

static int ints(int n, int *a) {
    for (int i = 0; i < n; i++)
        if (scanf("%d", &a[i]) != 1) return 0;
    return 1;
}

static int floats(int n, float *a) {
    for (int i = 0; i < n; i++)
        if (scanf("%f", &a[i]) != 1) return 0;
    return 1;
}

int main(void) {
    static struct model m;
    int times, paths;
    if (scanf("%d %d", &times, &paths) != 2 || !ints(ROWS * BITS, &m.directions[0][0]) || !floats(ASSETS * ASSETS, &m.correlation[0][0])
        || !floats(ROWS, &m.volatility[0][0]) || !floats(ROWS, &m.drift[0][0]) || !floats(ASSETS, m.start) || !floats(DATES, m.discount)
        || !ints(DATES, m.at) || !ints(DATES, m.left) || !ints(DATES, m.right) || !floats(DATES, m.deviation)
        || !floats(DATES, m.left_weight) || !floats(DATES, m.right_weight))
        return 1;
    float result = 0.0f;
    for (int k = 0; k < times; k++) result = price(&m, paths);
    printf("%.7g\n", result);
    return 0;
}
