//! The front end on both backends: the trees that they make of the bytes of a program.

use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::program::{Request, program, program_in_parts};
use refcompiler::frontend::sequential::{Extent, Sources};
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::program::Program;
use refcompiler::ir::tree::Function;
use treepar::Backend;

use crate::failure::Failure;
use crate::gpu_check::parts::{Check, caught};
use crate::gpu_check::subject::Subject;
use crate::operations::first_difference;

/// The tables of a program, or the number of errors and of forms that are not decided.
type Parsed = Result<Tables, (u32, u32)>;

/// The tree, the functions, and the number of possible warnings of a program.
struct Tables {
    nodes: HostNodes,
    functions: Vec<Function>,
    doubts: u32,
}

/// Returns an input with a text.
pub fn sources(text: &str) -> Result<Sources, Failure> {
    let mut sources = Sources::new();
    sources.add("program.par", text.as_bytes().to_vec()).map_err(|error| Failure::Other(error.to_string()))?;
    Ok(sources)
}

/// Runs the data-parallel front end without warnings, in the parts that the backend takes. A panic is a failure.
pub fn run<B: Backend>(backend: &B, sources: &Sources) -> Result<Found<Program<B>>, Failure> {
    let request = Request { extent: Extent::Object, warnings: false, lines: false };
    caught(|| Ok(program(backend, sources, request)?))
}

/// Runs the data-parallel front end on a whole program: a part with a possible warning would be refused.
fn parsed<B: Backend>(backend: &B, sources: &Sources) -> Result<Parsed, Failure> {
    let request = Request { extent: Extent::Object, warnings: true, lines: false };
    Ok(match caught(|| Ok(program_in_parts(backend, sources, request, usize::MAX)?))? {
        Found::Valid(program) => {
            let doubts = program.doubts;
            let Program { parts, functions, .. } = program.whole(backend)?;
            let nodes = parts.first().ok_or_else(|| Failure::Other("a program without parts".to_string()))?;
            Ok(Tables { nodes: nodes.download(backend)?, functions, doubts })
        }
        Found::Unknown { errors, unsure } => Err((errors, unsure)),
    })
}

/// Compares the trees that both backends make of a text. The failure names the first difference.
pub fn compared<B: Subject>(check: &Check<B>, text: &str) -> Result<(), Failure> {
    let sources = sources(text)?;
    let (found, expected) = (parsed(check.subject, &sources)?, parsed(check.reference, &sources)?);
    let columns = |Tables { nodes, doubts, .. }: &Tables| {
        [
            ("kinds", nodes.kind.iter().map(|kind| u32::from(kind.code())).collect()),
            ("depths", nodes.depth.clone()),
            ("types", nodes.ty.iter().map(|ty| u32::from(ty.code())).collect::<Vec<u32>>()),
            ("data", nodes.data.clone()),
            ("possible warnings", vec![*doubts]),
        ]
    };
    let difference = match (&found, &expected) {
        (Ok(found), Ok(expected)) => columns(found)
            .iter()
            .zip(columns(expected))
            .find_map(|((name, found), (_, expected))| Some(format!("{name}, {}", first_difference(found, &expected)?)))
            .or_else(|| Some(format!("functions, {}", first_difference(&found.functions, &expected.functions)?))),
        (Err(found), Err(expected)) if found == expected => None,
        (Err(found), Err(expected)) => Some(format!("errors and unsure forms {found:?} instead of {expected:?}")),
        (Ok(_), Err(_)) => Some("the program is accepted".to_string()),
        (Err(_), Ok(_)) => Some("the program is refused".to_string()),
    };
    difference.map_or(Ok(()), |difference| Err(Failure::Other(format!("the front end: {difference}"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use treepar::Cpu;

    #[test]
    fn programs_are_parsed_or_refused() {
        let cpu = Cpu::with_threads(2);
        let parsed = |text| parsed(&cpu, &sources(text).unwrap()).unwrap();
        let tables = parsed("fn f[x: int]: int { return x + 1; }").ok().unwrap();
        assert_eq!((tables.nodes.kind.len(), tables.functions.last().unwrap().name.as_str()), (8, "f"));
        assert_eq!(tables.doubts, 0);
        assert_eq!(parsed("fn f[x: int]: int { return y; }").err(), Some((1, 0)));
    }
}
