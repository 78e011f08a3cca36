/* What translated programs need: operations with Par's meaning, and output without buffers. */

long write(int file, const void *text, unsigned long n);
void _exit(int status);
void abort(void);
float sqrtf(float x);

static void write_all(const char *text, int n) {
    while (n > 0) {
        long written = write(1, text, (unsigned long)n);
        if (written <= 0) return;
        text += written;
        n -= (int)written;
    }
}

static void assert_that(int c) {
    if (!c) _exit(134);
}

static void print_char(int c) {
    char byte = (char)c;
    write_all(&byte, 1);
}

static void print_int(int x) {
    char text[12];
    int at = 12;
    unsigned magnitude = x < 0 ? 0u - (unsigned)x : (unsigned)x;
    do {
        text[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude);
    if (x < 0) text[--at] = '-';
    write_all(text + at, 12 - at);
}

static int bits(float x) {
    union { float f; int i; } u;
    u.f = x;
    return x != x ? 0x7fc00000 : u.i;
}

static float from_bits(unsigned i) {
    union { float f; unsigned i; } u;
    u.i = i;
    return u.f;
}

static int par_bits(float x) {
    union { float f; int i; } u;
    u.f = x;
    return u.i;
}

static float par_float_of_bits(int i) { return from_bits((unsigned)i); }

static int par_high_product(int a, int b) { return (int)((unsigned long long)(unsigned)a * (unsigned)b >> 32); }

static int par_abs_int(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }

static float par_abs_float(float x) {
    union { float f; unsigned i; } u;
    u.f = x;
    u.i &= 0x7fffffffu;
    return u.f;
}

static float par_sqrt(float x) { return sqrtf(x); }

static int divide(int a, int b) {
    if (b == 0) return -1;
    if (b == -1) return (int)(0u - (unsigned)a);
    return a / b;
}

static int modulo(int a, int b) {
    if (b == 0) return a;
    if (b == -1) return 0;
    return a % b;
}

static int to_int(float x) {
    if (x != x || x >= 2147483648.0f) return 0x7fffffff;
    if (x < -2147483648.0f) return (int)0x80000000u;
    return (int)x;
}

/* fmodf on the bits: long division of the significands. */
static float remainder_of(float x, float y) {
    unsigned ux = (unsigned)bits(x), uy = (unsigned)bits(y);
    unsigned sign = ux & 0x80000000u;
    ux &= 0x7fffffffu;
    uy &= 0x7fffffffu;
    if (ux >= 0x7f800000u || uy > 0x7f800000u || uy == 0) return from_bits(0x7fc00000u);
    if (ux < uy) return x;
    int ex = (int)(ux >> 23), ey = (int)(uy >> 23);
    unsigned mx = ex ? (ux & 0x7fffffu) | 0x800000u : ux;
    unsigned my = ey ? (uy & 0x7fffffu) | 0x800000u : uy;
    if (!ex) ex = 1;
    if (!ey) ey = 1;
    for (;; ex--) {
        while (mx >= my) mx -= my;
        if (ex == ey) break;
        mx <<= 1;
    }
    if (mx == 0) return from_bits(sign);
    while (mx < 0x800000u && ex > 1) {
        mx <<= 1;
        ex--;
    }
    if (mx < 0x800000u) return from_bits(sign | mx);
    return from_bits(sign | (unsigned)ex << 23 | (mx & 0x7fffffu));
}

/* Printing as %g: all decimal digits of the value, by long multiplication, then rounded. */
static void print_float(float x) {
    unsigned u = (unsigned)bits(x);
    if (x != x) { write_all("nan", 3); return; }
    if (u & 0x80000000u) print_char('-');
    u &= 0x7fffffffu;
    if (u == 0x7f800000u) { write_all("inf", 3); return; }
    if (u == 0) { print_char('0'); return; }
    int e = (int)(u >> 23);
    unsigned m = e ? (u & 0x7fffffu) | 0x800000u : u;
    if (!e) e = 1;
    e -= 150; /* the value is m * 2^e */
    static unsigned char d[220]; /* decimal digits, least first; the value is their number / 10^k */
    int n = 0, k = 0;
    for (unsigned r = m; r; r /= 10) d[n++] = (unsigned char)(r % 10);
    for (; e > 0; e--) {
        int carry = 0;
        for (int i = 0; i < n; i++) { int t = d[i] * 2 + carry; d[i] = (unsigned char)(t % 10); carry = t / 10; }
        if (carry) d[n++] = (unsigned char)carry;
    }
    for (; e < 0; e++, k++) {
        int carry = 0;
        for (int i = 0; i < n; i++) { int t = d[i] * 5 + carry; d[i] = (unsigned char)(t % 10); carry = t / 10; }
        while (carry) { d[n++] = (unsigned char)(carry % 10); carry /= 10; }
    }
    int exponent = n - 1 - k;
    char digits[7];
    int count = 6;
    for (int i = 0; i < 6; i++) digits[i] = (char)(n - 1 - i >= 0 ? d[n - 1 - i] : 0);
    int next = n - 7 >= 0 ? d[n - 7] : 0, rest = 0;
    for (int i = 0; i < n - 7; i++) rest |= d[i];
    if (next > 5 || (next == 5 && (rest || digits[5] % 2))) {
        int i = 5;
        while (i >= 0 && ++digits[i] == 10) digits[i--] = 0;
        if (i < 0) { digits[0] = 1; exponent++; }
    }
    while (count > 1 && digits[count - 1] == 0) count--;
    if (exponent < -4 || exponent > 5) {
        for (int i = 0; i < count; i++) { if (i == 1) print_char('.'); print_char('0' + digits[i]); }
        print_char('e');
        print_char(exponent < 0 ? '-' : '+');
        if (exponent < 0) exponent = -exponent;
        if (exponent < 10) print_char('0');
        print_int(exponent);
    } else if (exponent < 0) {
        write_all("0.", 2);
        for (int i = -1; i > exponent; i--) print_char('0');
        for (int i = 0; i < count; i++) print_char('0' + digits[i]);
    } else {
        int shown = count < exponent + 1 ? exponent + 1 : count;
        for (int i = 0; i < shown; i++) {
            if (i == exponent + 1) print_char('.');
            print_char(i < 6 ? '0' + digits[i] : '0');
        }
    }
}

/* Arrays as values: extents, and words in row-major order. Words that somebody else may see are never written. */
struct array {
    int n[6];
    int *w;
};

static int pool[1 << 25];
static unsigned used;

static int *new_words(unsigned n) {
    if (n > (1u << 25) - used) abort();
    used += n;
    return pool + (used - n);
}

static int in_range(int i, int n) {
    assert_that((unsigned)i < (unsigned)n);
    return i;
}

/* The number of words of the dimensions from `fixed` on. */
static int count(struct array a, int rank, int fixed) {
    int words = 1;
    for (int k = fixed; k < rank; k++) words *= a.n[k];
    return words;
}

static struct array words_of(int n) {
    struct array a = {{n}, new_words((unsigned)n)};
    return a;
}

/* n rows with the extents of a row, without their words. */
static struct array rows_of(int rank, int n, struct array row) {
    struct array a = {{n}, 0};
    for (int k = 1; k < rank; k++) a.n[k] = row.n[k - 1];
    a.w = new_words((unsigned)count(a, rank, 0));
    return a;
}

static void put_row(struct array a, int rank, int fixed, int at, struct array row) {
    for (int k = fixed; k < rank; k++) assert_that(a.n[k] == row.n[k - fixed]);
    int words = count(a, rank, fixed);
    for (int i = 0; i < words; i++) a.w[at * words + i] = row.w[i];
}

static struct array copy_of(struct array a, int rank) {
    int words = count(a, rank, 0);
    int *w = new_words((unsigned)words);
    for (int i = 0; i < words; i++) w[i] = a.w[i];
    a.w = w;
    return a;
}

static struct array row_of(struct array a, int rank, int fixed, int at) {
    struct array row = {{0}, a.w + at * count(a, rank, fixed)};
    for (int k = fixed; k < rank; k++) row.n[k - fixed] = a.n[k];
    return row;
}

static struct array replicate_word(int n, int word) {
    struct array a = words_of(n);
    for (int i = 0; i < n; i++) a.w[i] = word;
    return a;
}

static struct array replicate_row(int rank, int n, struct array row) {
    struct array a = rows_of(rank, n, row);
    for (int i = 0; i < n; i++) put_row(a, rank, 1, i, row);
    return a;
}

static struct array iota(int n) {
    assert_that(n >= 0);
    struct array a = words_of(n);
    for (int i = 0; i < n; i++) a.w[i] = i;
    return a;
}

static struct array concat(int rank, struct array a, struct array b) {
    for (int k = 1; k < rank; k++) assert_that(a.n[k] == b.n[k]);
    struct array both = rows_of(rank, a.n[0] + b.n[0], row_of(a, rank, 1, 0));
    int words = count(a, rank, 0), more = count(b, rank, 0);
    for (int i = 0; i < words; i++) both.w[i] = a.w[i];
    for (int i = 0; i < more; i++) both.w[words + i] = b.w[i];
    return both;
}

/* Parts of arrays. The bounds of the dimensions from the first missing one on, whose end is -1, are the extents. */
struct slice {
    struct array of;
    int rank;
    int low[6], high[6];
};

static struct slice bounds_of(struct array a, int rank, const int *low, const int *high) {
    struct slice s = {a, rank, {0}, {0}};
    for (int k = 0; k < rank; k++) {
        s.low[k] = high[k] < 0 ? 0 : low[k];
        s.high[k] = high[k] < 0 ? a.n[k] : high[k];
    }
    return s;
}

/* The index of element i of a slice in its array. */
static int place_in(const struct slice *s, int i) {
    int at = 0, scale = 1;
    for (int k = s->rank - 1; k >= 0; k--) {
        int n = s->high[k] - s->low[k];
        at += (s->low[k] + i % n) * scale;
        i /= n;
        scale *= s->of.n[k];
    }
    return at;
}

static int elements_of(const struct slice *s) {
    int words = 1;
    for (int k = 0; k < s->rank; k++) words *= s->high[k] - s->low[k];
    return words;
}

static struct array slice_of(struct array a, int rank, const int *low, const int *high, const int *drops) {
    struct slice s = bounds_of(a, rank, low, high);
    int words = elements_of(&s), left = 0;
    struct array part = {{0}, new_words((unsigned)words)};
    for (int k = 0; k < rank; k++)
        if (high[k] < 0 || !drops[k]) part.n[left++] = s.high[k] - s.low[k];
    for (int i = 0; i < words; i++) part.w[i] = a.w[place_in(&s, i)];
    return part;
}

static struct array rows_between(struct array a, int rank, int low, int high) {
    int lows[6] = {low}, highs[6] = {high, -1, -1, -1, -1, -1}, drops[6] = {0};
    return slice_of(a, rank, lows, highs, drops);
}

static struct array with_slice(
    struct array a, int rank, const int *low, const int *high, const int *drops, struct array part
) {
    struct slice s = bounds_of(a, rank, low, high);
    int words = elements_of(&s), left = 0;
    for (int k = 0; k < rank; k++)
        if (high[k] < 0 || !drops[k]) assert_that(part.n[left++] == s.high[k] - s.low[k]);
    a = copy_of(a, rank);
    for (int i = 0; i < words; i++) a.w[place_in(&s, i)] = part.w[i];
    return a;
}

static struct array with_slice_of_word(struct array a, int rank, const int *low, const int *high, int word) {
    struct slice s = bounds_of(a, rank, low, high);
    int words = elements_of(&s);
    a = copy_of(a, rank);
    for (int i = 0; i < words; i++) a.w[place_in(&s, i)] = word;
    return a;
}

/* Dimension k of the result is dimension order[k]. */
static struct array perm_of(struct array a, int rank, const int *order) {
    struct array made = copy_of(a, rank);
    for (int k = 0; k < rank; k++) made.n[k] = a.n[order[k]];
    int words = count(a, rank, 0);
    for (int i = 0; i < words; i++) {
        int index[6], rest = i, at = 0;
        for (int k = rank - 1; k >= 0; k--) {
            index[order[k]] = rest % made.n[k];
            rest /= made.n[k];
        }
        for (int k = 0; k < rank; k++) at = at * a.n[k] + index[k];
        made.w[i] = a.w[at];
    }
    return made;
}

static struct array reshaped(struct array a, int rank, int new_rank, const int *extents) {
    long long product = 1;
    for (int k = 0; k < new_rank; k++) {
        assert_that(extents[k] >= 0);
        product = product * extents[k] > (1 << 30) ? 1 << 30 : product * extents[k];
    }
    assert_that(product == count(a, rank, 0));
    for (int k = 0; k < new_rank; k++) a.n[k] = extents[k];
    return a;
}

static struct array filtered(struct array a, int rank, struct array keeps) {
    int words = count(a, rank, 1), kept = 0;
    struct array made = copy_of(a, rank);
    for (int i = 0; i < keeps.n[0]; i++) {
        if (!keeps.w[i]) continue;
        for (int k = 0; k < words; k++) made.w[kept * words + k] = a.w[i * words + k];
        kept++;
    }
    made.n[0] = kept;
    return made;
}
