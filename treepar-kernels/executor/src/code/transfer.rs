//! Loads, stores, atomic operations and fences.

use super::decode::Decoder;
use super::frame::{Frame, kind_of};
use super::registers::Kind;
use super::step::{Action, Atomic, AtomicOperation, Order, Scope, Transfer};
use crate::ptx::{Operand, Problem, Space, Type};

/// The modifiers of an access.
struct Modifiers<'n> {
    order: Order,
    scope: Scope,
    space: Space,
    count: usize,
    operation: Option<AtomicOperation>,
    ty: Option<Type>,
    /// `true` if the access may not be split or merged.
    unknown: Option<&'n str>,
}

impl<'n> Modifiers<'n> {
    fn new(root: &str, name: &'n str) -> Modifiers<'n> {
        let atomic = matches!(root, "atom" | "red");
        let mut all = Modifiers {
            order: if atomic { Order::Relaxed } else { Order::Weak },
            scope: Scope::Device,
            space: Space::Generic,
            count: 1,
            operation: None,
            ty: None,
            unknown: None,
        };
        for part in name.split('.').skip(1) {
            if let Some(space) = Space::named(part) {
                all.space = space;
            } else if let Some(order) = order(part) {
                all.order = order;
            } else if let Some(scope) = scope(part) {
                all.scope = scope;
            } else if let Some(ty) = Type::named(part) {
                all.ty = Some(ty);
            } else if let Some(operation) = operation(part).filter(|_| atomic) {
                all.operation = Some(operation);
            } else if !is_hint(part) && !all.vector(part) {
                all.unknown = Some(part);
            }
        }
        all
    }

    fn vector(&mut self, part: &str) -> bool {
        self.count = match part {
            "v2" => 2,
            "v4" => 4,
            "v8" => 8,
            _ => return false,
        };
        true
    }
}

fn order(part: &str) -> Option<Order> {
    Some(match part {
        "weak" => Order::Weak,
        "relaxed" | "volatile" | "mmio" => Order::Relaxed,
        "acquire" => Order::Acquire,
        "release" => Order::Release,
        "acq_rel" | "sc" => Order::AcquireRelease,
        _ => return None,
    })
}

fn scope(part: &str) -> Option<Scope> {
    match part {
        "cta" => Some(Scope::Block),
        "cluster" | "gpu" | "sys" | "gl" => Some(Scope::Device),
        _ => None,
    }
}

pub(super) fn operation(part: &str) -> Option<AtomicOperation> {
    Some(match part {
        "add" => AtomicOperation::Add,
        "min" => AtomicOperation::Min,
        "max" => AtomicOperation::Max,
        "and" => AtomicOperation::And,
        "or" => AtomicOperation::Or,
        "xor" => AtomicOperation::Xor,
        "exch" => AtomicOperation::Exchange,
        "cas" => AtomicOperation::CompareAndSwap,
        "inc" => AtomicOperation::Increment,
        "dec" => AtomicOperation::Decrement,
        _ => return None,
    })
}

/// Returns whether a modifier concerns caches only.
fn is_hint(part: &str) -> bool {
    matches!(part, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" | "nc" | "noftz")
        || part.starts_with("L1::")
        || part.starts_with("L2::") && part != "L2::cache_hint"
}

impl<'t, 'a> Decoder<'t, 'a> {
    /// Decodes `ld`, `st`, `atom` and `red`.
    pub(super) fn memory(
        &mut self,
        frame: &Frame<'t, 'a>,
        root: &str,
        name: &str,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let modifiers = Modifiers::new(root, name);
        let (None, Some(ty)) = (modifiers.unknown, modifiers.ty) else { return self.unknown(name) };
        if matches!(root, "atom" | "red") {
            return self.atomic(frame, name, &modifiers, operands);
        }
        let (address, values) = match (root, operands) {
            ("st", [address, values]) | (_, [values, address]) => (address, values),
            _ => return self.fail("two operands are expected"),
        };
        let (space, address) = self.address(frame, address, modifiers.space)?;
        if space == Space::Param && root == "st" {
            return self.fail("a parameter of an entry cannot be written");
        }
        let values = match values {
            Operand::Vector(values) => values,
            one => &vec![one.clone()],
        };
        if modifiers.count * ty.bytes() > 16 {
            return self.unknown(name);
        }
        if values.len() != modifiers.count {
            return self.fail(format!("{} values are expected", modifiers.count));
        }
        let mut elements = Vec::new();
        for value in values {
            elements.push(match value {
                Operand::Sink => None,
                Operand::Register(register) => Some(self.register(frame, *register)),
                value if root == "st" => Some((kind_of(ty), self.source(frame, value, kind_of(ty))?)),
                _ => return self.fail("the destination is not a register"),
            });
        }
        if elements.iter().flatten().any(|&(kind, _)| kind == Kind::Predicate || kind == Kind::Word && ty.bytes() == 8)
        {
            return self.fail("a register is too narrow");
        }
        let (order, scope) = (modifiers.order, modifiers.scope);
        let fixed = name.contains(".nc");
        let transfer = Transfer { space, address, ty, elements, order, scope, fixed };
        let transfer = Box::new(transfer);
        self.emit(if root == "st" { Action::Store(transfer) } else { Action::Load(transfer) });
        Ok(())
    }

    fn atomic(
        &mut self,
        frame: &Frame<'t, 'a>,
        name: &str,
        modifiers: &Modifiers,
        operands: &[Operand<'a>],
    ) -> Result<(), Problem> {
        let (Some(operation), Some(ty), 1) = (modifiers.operation, modifiers.ty, modifiers.count) else {
            return self.unknown(name);
        };
        let float_fits = !ty.is_float() || operation == AtomicOperation::Add;
        let narrow_fits = ty.bytes() >= 4 || ty == Type::B16 && operation == AtomicOperation::CompareAndSwap;
        if !float_fits || !narrow_fits {
            return self.unknown(name);
        }
        let kind = kind_of(ty);
        let (to, rest) = match operands {
            [to, rest @ ..] if name.starts_with("atom") => (Some(to), rest),
            rest => (None, rest),
        };
        let to = match to {
            Some(Operand::Sink) | None => None,
            Some(to) => Some(self.target(frame, to, kind)?),
        };
        let (address, value, swap) = match rest {
            [address, value] => (address, value, None),
            [address, value, swap] => (address, value, Some(self.source(frame, swap, kind)?)),
            _ => return self.fail("operands are missing"),
        };
        if swap.is_some() != (operation == AtomicOperation::CompareAndSwap) {
            return self.fail("the number of operands is wrong");
        }
        let value = self.source(frame, value, kind)?;
        let (space, address) = self.address(frame, address, modifiers.space)?;
        let (order, scope) = (modifiers.order, modifiers.scope);
        let atomic = Atomic { space, address, operation, ty, kind, to, value, swap, order, scope };
        self.emit(Action::Atomic(Box::new(atomic)));
        Ok(())
    }

    /// Decodes `fence` and `membar`.
    pub(super) fn fence(&mut self, name: &str) -> Result<(), Problem> {
        let parts: Vec<&str> = name.split('.').collect();
        let (order, scope) = match parts[..] {
            ["membar", level] => (Order::AcquireRelease, scope(level)),
            ["fence", level] => (Order::AcquireRelease, scope(level)),
            ["fence", "acquire", level] => (Order::Acquire, scope(level)),
            ["fence", "release", level] => (Order::Release, scope(level)),
            ["fence", "acq_rel" | "sc", level] => (Order::AcquireRelease, scope(level)),
            _ => return self.unknown(name),
        };
        let Some(scope) = scope else { return self.unknown(name) };
        self.emit(Action::Fence { order, scope });
        Ok(())
    }
}
