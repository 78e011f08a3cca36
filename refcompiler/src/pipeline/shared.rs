//! The tables that all parts of a program share, so that passes run on each part without the others.

use treepar::Backend;

use super::parts::{Input, on_each};
use super::settings::Settings;
use super::{Clock, Error};
use crate::ir::effects::Effects;
use crate::ir::nodes::Functions;
use crate::passes::effects::{effects, own_effects};

/// The tables of a whole program.
pub(super) struct Shared<B: Backend> {
    /// The function table.
    pub functions: Functions<B>,
    /// The effects of the functions, without rows if no pass asks for them.
    pub effects: Effects<B>,
}

/// The parts of a program, and the effects of its functions.
pub(super) struct Known<'a, B: Backend> {
    /// The parts.
    pub inputs: Vec<Input<'a, B>>,
    /// The effects.
    pub effects: Effects<B>,
}

/// Finds the effects of the functions of a program if an optimisation asks for them. Then its parts are on the backend.
pub(super) fn known<'a, B: Backend>(
    clock: &mut Clock<'_, B>,
    inputs: Vec<Input<'a, B>>,
    functions: usize,
    settings: Settings<'_>,
) -> Result<Known<'a, B>, Error> {
    let backend = clock.backend;
    if !inputs.iter().any(|input| input.uses().with(settings.optimisations).fusion) {
        return Ok(Known { inputs, effects: Effects::none(backend)? });
    }
    let read = on_each(clock, inputs, &mut (), |clock, mut input, _| {
        let (backend, uses) = (clock.backend, input.uses());
        let (positions, nodes) =
            clock.time("upload", || Ok((input.positions(backend, settings)?, input.nodes(backend)?)))?;
        let own = clock.time("effects", || own_effects(backend, &nodes))?;
        Ok((Input::Backend(nodes, positions, uses), own))
    })?;
    let (inputs, own): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let effects = clock.time("effects", || effects(backend, &own, functions))?;
    Ok(Known { inputs, effects })
}
