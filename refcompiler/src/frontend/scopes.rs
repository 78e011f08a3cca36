//! Names in sight: for each name the innermost declaration, found by index; leaving a block undoes its own.

const NONE: u32 = u32::MAX;

/// A name that a scope binds.
#[derive(Clone, Copy, Debug)]
struct Binding<T> {
    name: u32,
    /// What the name was bound to before.
    hidden: u32,
    value: T,
}

/// The names of one kind that are in sight.
#[derive(Debug)]
pub struct Scopes<T> {
    /// Index of each name's innermost binding.
    innermost: Vec<u32>,
    bindings: Vec<Binding<T>>,
    /// Where the innermost scope begins in `bindings`.
    scope: u32,
}

impl<T> Default for Scopes<T> {
    fn default() -> Scopes<T> {
        Scopes { innermost: Vec::new(), bindings: Vec::new(), scope: 0 }
    }
}

/// An open scope, to be given back when it closes.
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

    /// Closes the innermost scope.
    pub fn close(&mut self, mark: Mark) {
        while self.bindings.len() as u32 > self.scope {
            if let Some(binding) = self.bindings.pop() {
                self.innermost[binding.name as usize] = binding.hidden;
            }
        }
        self.scope = mark.outer;
    }

    /// What a name means here.
    #[inline]
    pub fn get(&self, name: u32) -> Option<T> {
        self.bindings.get(self.innermost[name as usize] as usize).map(|binding| binding.value)
    }

    /// Binds a name in the innermost scope; returns what that scope bound it to already.
    pub fn bind(&mut self, name: u32, value: T) -> Option<T> {
        let hidden = self.innermost[name as usize];
        let before = self.bindings.get(hidden as usize).filter(|_| hidden >= self.scope).map(|b| b.value);
        self.innermost[name as usize] = self.bindings.len() as u32;
        self.bindings.push(Binding { name, hidden, value });
        before
    }
}

/// A variable in sight.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Postorder number of its declaration.
    pub node: u32,
    /// Its type.
    pub ty: u8,
    /// Where its name stands in the declaration.
    pub pos: u32,
}
