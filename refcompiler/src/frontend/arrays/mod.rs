//! The passes that only programs with arrays take, after [`brackets`](super::brackets) and the check of their grammar.
//!
//! ```text
//! program    a[i, j] = size[b, 1];
//! parsed     EXPRESSION CALL ARG i ARG j CALL ARG b ARG 1            as if all names were functions
//! forms      EXPRESSION ASSIGN ADDRESS i ADDRESS j SIZE ADDRESS b ADDRESS 1      names of variables, nodes to be removed
//! rebuild    UPDATE NAME i j SIZE b                                   data of SIZE: 1
//! ```
//!
//! A bracket after a name is an index if the name is no function, so [`forms`] runs when the functions are known, and before
//! variables are resolved. [`rebuild`] then makes the tree, [`links`] finds the types of its nodes, and [`types`] checks
//! them, with the [`extents`] that are known. [`functions`] has the rules of functions as arguments.
//!
//! Until the tree is rebuilt, kinds that the front end does not make otherwise stand for nodes that change: SEQUENCE is a call of a
//! function for arrays, ADDRESS is an argument of a form, and ELEMENT is a parameter of a lambda.

pub mod extents;
pub mod forms;
pub mod functions;
pub mod links;
pub mod needs;
pub mod rebuild;
pub mod types;
