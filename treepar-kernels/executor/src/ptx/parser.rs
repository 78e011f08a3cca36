//! Tokens to functions and variables.

use super::Problem;
use super::lexer::{Token, lex};
use super::operand::Operand;
use super::scope::Scopes;
use super::types::{Space, Type};

/// A module: its functions and its variables.
pub(crate) struct Text<'a> {
    pub functions: Vec<Function<'a>>,
    pub variables: Vec<Variable<'a>>,
}

/// An entry or a function.
pub(crate) struct Function<'a> {
    pub name: &'a str,
    pub line: u32,
    pub is_entry: bool,
    /// The declared results of a function. They are variables, or registers of its body.
    pub results: Vec<Variable<'a>>,
    pub parameters: Vec<Variable<'a>>,
    /// The greatest block, from `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// The only block, from `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// `None` for a declaration.
    pub body: Option<Body<'a>>,
}

/// The registers, variables and statements of a function.
#[derive(Default)]
pub(crate) struct Body<'a> {
    pub registers: Vec<Type>,
    pub variables: Vec<Variable<'a>>,
    pub statements: Vec<Statement<'a>>,
}

/// A label, an instruction, or the targets of an indexed branch.
pub(crate) enum Statement<'a> {
    Label(&'a str),
    Targets(&'a str, Vec<&'a str>),
    Instruction(Instruction<'a>),
}

/// An instruction by name.
pub(crate) struct Instruction<'a> {
    pub line: u32,
    /// The register of `@p` or `@!p`, and `true` if it is negated.
    pub guard: Option<(u32, bool)>,
    /// The mnemonic with its modifiers.
    pub name: &'a str,
    pub operands: Vec<Operand<'a>>,
}

/// A variable in memory, or a parameter.
#[derive(Clone)]
pub(crate) struct Variable<'a> {
    pub name: &'a str,
    pub line: u32,
    pub space: Space,
    pub align: usize,
    pub bytes: usize,
    /// `true` if the launch determines the size.
    pub dynamic: bool,
    pub initial: Initial<'a>,
    /// The register that a parameter or result in a register is.
    pub register: Option<u32>,
}

/// The initial bytes of a variable.
#[derive(Clone, Default)]
pub(crate) struct Initial<'a> {
    /// The bytes, zero-extended to the size of the variable. `None` if there is no initial value.
    pub bytes: Option<Vec<u8>>,
    /// The offsets of words that are addresses of variables.
    pub addresses: Vec<(usize, &'a str, i64)>,
}

/// Parses a module.
pub(crate) fn parse(text: &str) -> Result<Text<'_>, Problem> {
    let mut parser = Parser { tokens: lex(text)?, at: 0, scopes: Scopes::default() };
    let mut module = Text { functions: Vec::new(), variables: Vec::new() };
    while !parser.is_done() {
        parser.top_level(&mut module)?;
    }
    Ok(module)
}

/// The state of parsing.
pub(super) struct Parser<'a> {
    pub(super) tokens: Vec<(u32, Token<'a>)>,
    pub(super) at: usize,
    pub(super) scopes: Scopes<'a>,
}

impl<'a> Parser<'a> {
    pub(super) fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|&(_, token)| token)
    }

    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |&(line, _)| line)
    }

    pub(super) fn fail<T>(&self, problem: impl Into<String>) -> Result<T, Problem> {
        Err((self.line(), problem.into()))
    }

    pub(super) fn next(&mut self) -> Result<Token<'a>, Problem> {
        let token = self.peek().ok_or((self.line(), "the text ends early".to_string()))?;
        self.at += 1;
        Ok(token)
    }

    pub(super) fn take(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(Token::Word(word));
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), Problem> {
        if self.take(mark) { Ok(()) } else { self.fail(format!("expected `{mark}`")) }
    }

    pub(super) fn word(&mut self) -> Result<&'a str, Problem> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => self.fail("expected a name"),
        }
    }

    pub(super) fn integer(&mut self) -> Result<u64, Problem> {
        let negative = self.take('-');
        match self.peek() {
            Some(Token::Integer(value)) => {
                self.at += 1;
                Ok(if negative { value.wrapping_neg() } else { value })
            }
            _ => self.fail("expected an integer"),
        }
    }

    pub(super) fn small(&mut self) -> Result<u32, Problem> {
        let line = self.line();
        u32::try_from(self.integer()?).map_err(|_| (line, "the number is too great".to_string()))
    }

    pub(super) fn top_level(&mut self, module: &mut Text<'a>) -> Result<(), Problem> {
        match self.peek() {
            Some(Token::Word(".version" | ".target" | ".address_size" | ".file" | ".section" | ".loc")) => {
                self.skip_directive()
            }
            Some(Token::Word(".visible" | ".extern" | ".weak" | ".common")) => {
                // `.extern` shared memory has a size that the launch determines.
                self.at += 1;
                Ok(())
            }
            Some(Token::Word(".entry" | ".func")) => {
                let function = self.function()?;
                module.functions.push(function);
                Ok(())
            }
            Some(Token::Word(".global" | ".const" | ".shared")) => self.variables(&mut module.variables),
            Some(Token::Mark(';')) => self.expect(';'),
            _ => self.fail("unknown directive"),
        }
    }

    /// Skips a directive for tools: to the end of its line, or of its braces.
    pub(super) fn skip_directive(&mut self) -> Result<(), Problem> {
        let line = self.line();
        let is_section = self.take_word(".section");
        if is_section {
            while self.next()? != Token::Mark('}') {}
            return Ok(());
        }
        while !self.is_done() && self.line() == line {
            self.at += 1;
        }
        Ok(())
    }

    pub(super) fn function(&mut self) -> Result<Function<'a>, Problem> {
        let line = self.line();
        let is_entry = self.word()? == ".entry";
        self.scopes = Scopes::default();
        self.scopes.open();
        let results = if !is_entry && self.take('(') { self.parameters()? } else { Vec::new() };
        let name = self.word()?;
        let parameters = if self.take('(') { self.parameters()? } else { Vec::new() };
        let mut function = Function {
            name,
            line,
            is_entry,
            results,
            parameters,
            max_threads: None,
            required_threads: None,
            body: None,
        };
        loop {
            match self.peek() {
                Some(Token::Word(".maxntid")) => function.max_threads = Some(self.extents()?),
                Some(Token::Word(".reqntid")) => function.required_threads = Some(self.extents()?),
                Some(Token::Word(".minnctapersm" | ".maxnctapersm" | ".maxnreg")) => {
                    self.at += 1;
                    self.small()?;
                }
                Some(Token::Word(".noreturn")) => self.at += 1,
                Some(Token::Word(".pragma")) => self.skip_directive()?,
                _ => break,
            }
        }
        if self.take(';') {
            return Ok(function);
        }
        self.expect('{')?;
        function.body = Some(self.body()?);
        Ok(function)
    }

    /// Parses up to three numbers after a directive.
    pub(super) fn extents(&mut self) -> Result<[u32; 3], Problem> {
        self.at += 1;
        let mut extents = [1; 3];
        for (axis, extent) in extents.iter_mut().enumerate() {
            if axis > 0 && !self.take(',') {
                break;
            }
            *extent = self.small()?;
        }
        Ok(extents)
    }

    pub(super) fn parameters(&mut self) -> Result<Vec<Variable<'a>>, Problem> {
        let mut parameters = Vec::new();
        while !self.take(')') {
            if self.take_word(".reg") {
                let line = self.line();
                let (ty, name) = (self.ty()?, self.word()?);
                self.scopes.declare(name, ty);
                let register = self.scopes.find(name);
                let bytes = ty.bytes();
                let initial = Initial::default();
                let space = Space::Param;
                let align = bytes.max(1);
                parameters.push(Variable { name, line, space, align, bytes, dynamic: false, initial, register });
            } else {
                let (space, align, ty) = self.declaration()?;
                parameters.push(self.variable(space, align, ty)?);
            }
            self.take(',');
        }
        Ok(parameters)
    }

    pub(super) fn ty(&mut self) -> Result<Type, Problem> {
        let found = match self.peek() {
            Some(Token::Word(word)) => word.strip_prefix('.').and_then(Type::named),
            _ => None,
        };
        self.at += 1;
        match found {
            Some(ty) => Ok(ty),
            None => {
                self.at -= 1;
                self.fail("unknown type")
            }
        }
    }

    /// Parses a space, alignment and type. `.ptr .global .align 8` of a parameter is skipped.
    pub(super) fn declaration(&mut self) -> Result<(Space, Option<usize>, Type), Problem> {
        let word = self.word()?;
        let Some(space) = word.strip_prefix('.').and_then(Space::named) else {
            self.at -= 1;
            return self.fail("unknown state space");
        };
        let mut align = None;
        if self.take_word(".align") {
            align = Some(self.small()? as usize);
        }
        if self.take_word(".attribute") {
            while self.next()? != Token::Mark(')') {}
        }
        let ty = self.ty()?;
        if self.take_word(".ptr") {
            while let Some(Token::Word(".global" | ".const" | ".shared" | ".local" | ".align")) = self.peek() {
                if self.word()? == ".align" {
                    self.small()?;
                }
            }
        }
        Ok((space, align, ty))
    }

    pub(super) fn variables(&mut self, to: &mut Vec<Variable<'a>>) -> Result<(), Problem> {
        let (space, align, ty) = self.declaration()?;
        loop {
            to.push(self.variable(space, align, ty)?);
            if !self.take(',') {
                return self.expect(';');
            }
        }
    }

    /// Parses the name, extents and initial value of a variable.
    pub(super) fn variable(&mut self, space: Space, align: Option<usize>, ty: Type) -> Result<Variable<'a>, Problem> {
        let line = self.line();
        let name = self.word()?;
        let align = align.unwrap_or(ty.bytes().max(1));
        if !align.is_power_of_two() {
            return Err((line, "an alignment is a power of two".to_string()));
        }
        let (mut count, mut dynamic) = (1usize, false);
        while self.take('[') {
            if self.take(']') {
                dynamic = true;
                continue;
            }
            let product = count.checked_mul(self.small()? as usize);
            count = product.ok_or((line, "the variable is too great".to_string()))?;
            self.expect(']')?;
        }
        let mut initial = Initial::default();
        if self.take('=') {
            let mut bytes = Vec::new();
            self.initial(ty, &mut bytes, &mut initial.addresses)?;
            if dynamic {
                count = bytes.len() / ty.bytes().max(1);
                dynamic = false;
            }
            bytes.resize(count * ty.bytes(), 0);
            initial.bytes = Some(bytes);
        }
        let bytes = if dynamic {
            0
        } else {
            count.checked_mul(ty.bytes()).filter(|&bytes| bytes < 1 << 32).unwrap_or(usize::MAX)
        };
        if bytes == usize::MAX {
            return Err((line, "the variable is too great".to_string()));
        }
        Ok(Variable { name, line, space, align, bytes, dynamic, initial, register: None })
    }

    pub(super) fn initial(
        &mut self,
        ty: Type,
        bytes: &mut Vec<u8>,
        addresses: &mut Vec<(usize, &'a str, i64)>,
    ) -> Result<(), Problem> {
        if self.take('{') {
            while !self.take('}') {
                self.initial(ty, bytes, addresses)?;
                self.take(',');
            }
            return Ok(());
        }
        let value = match self.operand()? {
            Operand::Integer(value) | Operand::Float64(value) => value,
            Operand::Float32(value) => u64::from(value),
            Operand::Symbol("generic", 0) if self.take('(') => {
                let Operand::Symbol(name, offset) = self.operand()? else { return self.fail("expected a variable") };
                self.expect(')')?;
                addresses.push((bytes.len(), name, offset));
                0
            }
            Operand::Symbol(name, offset) => {
                addresses.push((bytes.len(), name, offset));
                0
            }
            _ => return self.fail("expected an initial value"),
        };
        bytes.extend(&value.to_le_bytes()[..ty.bytes()]);
        Ok(())
    }
}
