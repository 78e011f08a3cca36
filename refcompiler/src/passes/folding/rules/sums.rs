//! Sums and products.

use super::rules;

rules! {
    Add [x, 0] => [x];
    Add [0, x] => [x];
    Sub [x, 0] => [x];
    Sub [0, x] => [-x];
    Sub [x, x] => [0];
    Mul [x, 0] => [0];
    Mul [0, x] => [0];
    Mul [x, 1] => [x];
    Mul [1, x] => [x];
    Mul [x, -1] => [-x];
    Mul [-1, x] => [-x];
    Mul [x, 2^k] => [x << k];
    Div [x, 0] => [-1];
    Div [x, 1] => [x];
    Div [x, -1] => [-x];
    Rem [x, 0] => [x];
    Rem [x, 1] => [0];
    Rem [x, -1] => [0];
    AddWords [x, 0] => [x];
    AddShorts [x, 0] => [x];
}
