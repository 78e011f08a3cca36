//! The templates of nodes, made of pieces.

use treepar::depth::Parents;
use treepar::device::device;
use treepar::{Backend, Result};

use super::facts::Facts;
use super::forms::Form;
use super::pieces::Piece;
use crate::ir::nodes::NodeId;
use crate::passes::templates::items::Item;
use crate::passes::templates::slots::slots;
use crate::passes::templates::{At, Plan, plan};

slots! {}
