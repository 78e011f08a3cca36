//! Tokens to the statements of a function.

use super::Problem;
use super::lexer::Token;
use super::operand::{Base, Operand, Special};
use super::parser::{Body, Instruction, Parser, Statement};

impl<'a> Parser<'a> {
    pub(super) fn body(&mut self) -> Result<Body<'a>, Problem> {
        let mut body = Body::default();
        let outside = self.scopes.depth();
        self.scopes.open();
        while self.scopes.depth() > outside {
            self.statement(&mut body)?;
        }
        body.registers = std::mem::take(&mut self.scopes.registers);
        Ok(body)
    }

    pub(super) fn statement(&mut self, body: &mut Body<'a>) -> Result<(), Problem> {
        if self.take('{') {
            self.scopes.open();
            return Ok(());
        }
        if self.take('}') {
            self.scopes.close();
            return Ok(());
        }
        if self.take(';') {
            return Ok(());
        }
        match self.peek() {
            Some(Token::Word(".reg")) => self.registers(),
            Some(Token::Word(".extern")) => {
                self.at += 1;
                Ok(())
            }
            Some(Token::Word(".shared" | ".local" | ".param" | ".global" | ".const")) => {
                self.variables(&mut body.variables)
            }
            Some(Token::Word(".pragma" | ".loc" | ".file")) => self.skip_directive(),
            Some(Token::Word(name))
                if self.tokens.get(self.at + 1).is_some_and(|&(_, next)| next == Token::Mark(':')) =>
            {
                self.at += 2;
                if self.take_word(".branchtargets") {
                    let mut labels = vec![self.word()?];
                    while self.take(',') {
                        labels.push(self.word()?);
                    }
                    body.statements.push(Statement::Targets(name, labels));
                    return self.expect(';');
                }
                body.statements.push(Statement::Label(name));
                Ok(())
            }
            _ => {
                let instruction = self.instruction()?;
                body.statements.push(Statement::Instruction(instruction));
                Ok(())
            }
        }
    }

    pub(super) fn registers(&mut self) -> Result<(), Problem> {
        self.at += 1;
        let ty = self.ty()?;
        loop {
            let name = self.word()?;
            if self.take('<') {
                let count = self.small()?;
                self.scopes.declare_range(name, count, ty);
                self.expect('>')?;
            } else {
                self.scopes.declare(name, ty);
            }
            if !self.take(',') {
                return self.expect(';');
            }
        }
    }

    pub(super) fn instruction(&mut self) -> Result<Instruction<'a>, Problem> {
        let mut guard = None;
        if self.take('@') {
            let negated = self.take('!');
            guard = Some((self.register()?, negated));
        }
        let (line, name) = (self.line(), self.word()?);
        let mut operands = Vec::new();
        while !self.take(';') {
            operands.push(self.operand()?);
            if !self.take(',') {
                self.expect(';')?;
                break;
            }
        }
        Ok(Instruction { line, guard, name, operands })
    }

    pub(super) fn register(&mut self) -> Result<u32, Problem> {
        let name = self.word()?;
        match self.scopes.find(name) {
            Some(register) => Ok(register),
            None => {
                self.at -= 1;
                self.fail(format!("no register `{name}` is declared"))
            }
        }
    }

    pub(super) fn operand(&mut self) -> Result<Operand<'a>, Problem> {
        match self.peek() {
            Some(Token::Mark('-')) | Some(Token::Integer(_)) => self.integer().map(Operand::Integer),
            Some(Token::Float32(bits)) => {
                self.at += 1;
                Ok(Operand::Float32(bits))
            }
            Some(Token::Float64(bits)) => {
                self.at += 1;
                Ok(Operand::Float64(bits))
            }
            Some(Token::Mark('!')) => {
                self.at += 1;
                self.register().map(Operand::Not)
            }
            Some(Token::Mark('{')) => self.sequence('}').map(Operand::Vector),
            Some(Token::Mark('(')) => self.sequence(')').map(Operand::List),
            Some(Token::Mark('[')) => self.address(),
            _ => self.named(),
        }
    }

    pub(super) fn sequence(&mut self, end: char) -> Result<Vec<Operand<'a>>, Problem> {
        self.at += 1;
        let mut operands = Vec::new();
        while !self.take(end) {
            operands.push(self.operand()?);
            self.take(',');
        }
        Ok(operands)
    }

    pub(super) fn address(&mut self) -> Result<Operand<'a>, Problem> {
        self.at += 1;
        let base = match self.peek() {
            Some(Token::Word(name)) => {
                self.at += 1;
                self.scopes.find(name).map_or(Base::Symbol(name), Base::Register)
            }
            _ => Base::None,
        };
        let offset = if base == Base::None || self.take('+') || self.peek() == Some(Token::Mark('-')) {
            self.integer()?
        } else {
            0
        };
        self.expect(']')?;
        Ok(Operand::Address(base, offset as i64))
    }

    /// Parses an operand that begins with a name.
    pub(super) fn named(&mut self) -> Result<Operand<'a>, Problem> {
        let name = self.word()?;
        let register = self.scopes.find(name);
        if (register.is_some() || name == "_") && self.take('|') {
            let second = if self.take_word("_") { None } else { Some(self.register()?) };
            return Ok(Operand::Pair(register, second));
        }
        if let Some(register) = register {
            return Ok(Operand::Register(register));
        }
        if name == "_" {
            return Ok(Operand::Sink);
        }
        if name.starts_with('%') {
            if name == "%pm0" || name.starts_with("%envreg") {
                return self.fail(format!("special register `{name}` is not known"));
            }
            let special = Special::named(name);
            return special.map_or_else(
                || {
                    self.at -= 1;
                    self.fail(format!("no register `{name}` is declared"))
                },
                |special| Ok(Operand::Special(special)),
            );
        }
        if name == "WARP_SZ" {
            return Ok(Operand::Integer(32));
        }
        let offset = if self.take('+') { self.integer()? } else { 0 };
        Ok(Operand::Symbol(name, offset as i64))
    }
}
