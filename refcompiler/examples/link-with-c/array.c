// An array for the Par program, and a sort that calls back into it.

int comes_before(int a, int b); // in numbers.par

static int numbers[100];

void put(int index, int value) { numbers[index] = value; }

int get(int index) { return numbers[index]; }

void sort(int count) {
    for (int i = 1; i < count; i++) {
        int value = numbers[i], at = i;
        for (; at > 0 && comes_before(value, numbers[at - 1]); at--) numbers[at] = numbers[at - 1];
        numbers[at] = value;
    }
}
