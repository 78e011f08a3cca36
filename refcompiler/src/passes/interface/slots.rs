//! Runs of pieces: the nodes of a section.

use treepar::device::device;

use super::pieces::Piece;
use crate::passes::templates::items::Item;
use crate::passes::templates::slots::runs;

runs! {}
