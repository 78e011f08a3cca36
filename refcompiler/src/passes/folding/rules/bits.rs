//! Shifts, and operators on bits.

use super::rules;

rules! {
    Shl [x, 0] => [x];
    Shl [x, 32] => [x];
    Shl [0, x] => [0];
    Shr [x, 0] => [x];
    Shr [x, 32] => [x];
    Shr [0, x] => [0];
    Shr [-1, x] => [-1];
    Ushr [x, 0] => [x];
    Ushr [x, 32] => [x];
    Ushr [0, x] => [0];
    And [x, 0] => [0];
    And [0, x] => [0];
    And [x, -1] => [x];
    And [-1, x] => [x];
    And [x, x] => [x];
    Or [x, 0] => [x];
    Or [0, x] => [x];
    Or [x, -1] => [-1];
    Or [-1, x] => [-1];
    Or [x, x] => [x];
    Xor [x, 0] => [x];
    Xor [0, x] => [x];
    Xor [x, -1] => [!x];
    Xor [-1, x] => [!x];
    Xor [x, x] => [0];
}
