//! The passes that only programs with arrays take, after [`brackets`](super::brackets) and the check of their grammar.
//!
//! ```text
//! program    a[i, j] = size[b, 1];
//! parsed     EXPRESSION CALL ARG i ARG j CALL ARG b ARG 1            as if all names were functions
//! forms      EXPRESSION ASSIGN USE i ADDRESS j SIZE ADDRESS b ADDRESS STORE      names of variables, nodes to be removed
//! rebuild    UPDATE NAME i j SIZE b                                   data of SIZE: 1
//! ```
//!
//! A bracket after a name is an index if the name is no function, so [`forms`] runs when the functions are known, and before
//! variables are resolved. [`rebuild`] then makes the tree, and [`types`] finds and checks the types of its nodes.
//!
//! Until the tree is rebuilt, kinds that the front end does not make otherwise stand for nodes that change: SEQUENCE is a call
//! of `iota`, `copy` or `concat`, and LOAD its argument. USE is the first argument of an index, and becomes the name of the array.
//! ADDRESS is an argument of another form, and STORE the dimension of a `size`. Both are removed.

pub mod forms;
pub mod needs;
pub mod rebuild;
pub mod types;
