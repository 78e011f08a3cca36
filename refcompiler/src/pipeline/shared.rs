//! The tables that all parts of a program share, so that passes run on each part without the others.

use treepar::Backend;

use super::parts::{Input, on_each};
use super::settings::Settings;
use super::{Clock, Error};
use crate::ir::effects::Effects;
use crate::ir::nodes::Functions;
use crate::passes::effects::{effects, own_effects};
use crate::passes::inlining::library::{Library, candidates, library, no_library};

/// The tables of a whole program.
pub(super) struct Shared<B: Backend> {
    /// The function table.
    pub functions: Functions<B>,
    /// The effects of the functions, without rows if no pass asks for them.
    pub effects: Effects<B>,
    /// The functions that can be inlined.
    pub library: Library<B>,
}

/// The parts of a program, and the facts about its functions.
pub(super) struct Known<'a, B: Backend> {
    /// The parts.
    pub inputs: Vec<Input<'a, B>>,
    /// The effects.
    pub effects: Effects<B>,
    /// The functions that can be inlined, none if no call is to be inlined.
    pub library: Library<B>,
}

/// Returns the parts of a program with the effects of its functions and the small functions. If an optimisation asks for these, the
/// parts are on the backend then.
pub(super) fn known<'a, B: Backend>(
    clock: &mut Clock<'_, B>,
    inputs: Vec<Input<'a, B>>,
    functions: usize,
    settings: Settings<'_>,
) -> Result<Known<'a, B>, Error> {
    let backend = clock.backend;
    let used = |input: &Input<'a, B>| input.uses().with(settings.optimisations, settings.goal.target);
    let inlines = settings.optimisations.inlining;
    if !inlines && !inputs.iter().any(|input| used(input).fusion) {
        return Ok(Known { inputs, effects: Effects::none(backend)?, library: no_library(backend)? });
    }
    let read = on_each(clock, inputs, &mut (), |clock, mut input, _| {
        let (backend, uses) = (clock.backend, input.uses());
        let (positions, nodes) =
            clock.time("upload", || Ok((input.positions(backend, settings)?, input.nodes(backend)?)))?;
        let small = inlines.then(|| clock.time("inlining", || candidates(backend, &nodes))).transpose()?;
        Ok(((nodes, positions, uses), small))
    })?;
    let (read, small): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let small: Vec<_> = small.into_iter().flatten().collect();
    let fuses = read.iter().any(|&(.., uses)| uses.with(settings.optimisations, settings.goal.target).fusion);
    if !fuses && small.iter().all(|nodes| nodes.is_empty()) {
        let inputs = read.into_iter().map(|(nodes, positions, uses)| Input::Backend(nodes, positions, uses)).collect();
        return Ok(Known { inputs, effects: Effects::none(backend)?, library: no_library(backend)? });
    }
    let read = on_each(clock, read, &mut (), |clock, (nodes, positions, uses), _| {
        let own = clock.time("effects", || own_effects(clock.backend, &nodes))?;
        Ok((Input::Backend(nodes, positions, uses), own))
    })?;
    let (inputs, own): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let effects = clock.time("effects", || effects(backend, &own, functions))?;
    let library = match inlines {
        true => clock.time("inlining", || library(backend, &small, functions, &effects))?,
        false => no_library(backend)?,
    };
    Ok(Known { inputs, effects, library })
}
