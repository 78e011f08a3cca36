//! The names in scope. Each name leads to its innermost binding by index; closing a scope undoes its bindings.

const NONE: u32 = u32::MAX;

/// The innermost meaning of a name, and the meaning that it hides.
#[derive(Clone, Copy, Debug)]
struct Binding<T> {
    name: u32,
    /// The index of the binding that this one hides.
    hidden: u32,
    value: T,
}

/// The names of one kind that are in scope.
#[derive(Debug)]
pub struct Scopes<T> {
    /// The index of each name's innermost binding.
    innermost: Vec<u32>,
    bindings: Vec<Binding<T>>,
    /// The index of the innermost scope's first binding.
    scope: u32,
}

impl<T> Default for Scopes<T> {
    fn default() -> Scopes<T> {
        Scopes { innermost: Vec::new(), bindings: Vec::new(), scope: 0 }
    }
}

/// An open scope. [`Scopes::close`] takes it back.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    outer: u32,
}

impl<T: Copy> Scopes<T> {
    /// Makes room for the names with ids below `names`.
    pub fn reserve(&mut self, names: usize) {
        if self.innermost.len() < names {
            self.innermost.resize(names, NONE);
        }
    }

    /// Opens a scope.
    pub fn open(&mut self) -> Mark {
        let mark = Mark { outer: self.scope };
        self.scope = self.bindings.len() as u32;
        mark
    }

    /// Closes the innermost scope. Calls `closed` with the name and value of each of its bindings.
    pub fn close(&mut self, mark: Mark, mut closed: impl FnMut(u32, T)) {
        while self.bindings.len() as u32 > self.scope {
            if let Some(binding) = self.bindings.pop() {
                self.innermost[binding.name as usize] = binding.hidden;
                closed(binding.name, binding.value);
            }
        }
        self.scope = mark.outer;
    }

    /// Returns the meaning of a name, for changes of it too.
    #[inline]
    pub fn get(&mut self, name: u32) -> Option<&mut T> {
        self.bindings.get_mut(self.innermost[name as usize] as usize).map(|binding| &mut binding.value)
    }

    /// Binds a name in the innermost scope. Returns the value that this scope had bound the name to before.
    pub fn bind(&mut self, name: u32, value: T) -> Option<T> {
        let hidden = self.innermost[name as usize];
        let before = self.bindings.get(hidden as usize).filter(|_| hidden >= self.scope).map(|b| b.value);
        self.innermost[name as usize] = self.bindings.len() as u32;
        self.bindings.push(Binding { name, hidden, value });
        before
    }

    /// Returns the names in scope, innermost first. A name occurs once for each of its bindings.
    pub fn names(&self) -> impl Iterator<Item = u32> + '_ {
        self.bindings.iter().rev().map(|binding| binding.name)
    }
}
