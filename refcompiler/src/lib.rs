//! The reference compiler of treepar.
