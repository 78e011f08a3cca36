// Values of any type as words of 32 bits, and outputs of several columns.

#pragma once

namespace treepar {

// A value of at most four bytes as a word, and back.
template <class T>
TREEPAR_DEVICE u32 to_word(T value) {
    static_assert(sizeof(T) <= 4, "a word holds four bytes");
    u32 word = 0;
    memcpy(&word, &value, sizeof(T));
    return word;
}
template <class T>
TREEPAR_DEVICE T bits_to(u32 word) {
    T value;
    memcpy(&value, &word, sizeof(T));
    return value;
}

// A larger value.
template <class T>
struct Words {
    static constexpr u32 COUNT = (sizeof(T) + 3) / 4;
    u32 word[COUNT];
};
template <class T>
TREEPAR_DEVICE Words<T> words_of(const T& value) {
    Words<T> words;
    words.word[Words<T>::COUNT - 1] = 0;
    memcpy(words.word, &value, sizeof(T));
    return words;
}
template <class T>
TREEPAR_DEVICE T value_of(const Words<T>& words) {
    T value;
    memcpy(&value, words.word, sizeof(T));
    return value;
}

}  // namespace treepar
