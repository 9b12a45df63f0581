//! A small language over the state: comparisons, `and`, `or`, `not`, `contains`, `length`. It is read once, within bounds, and
//! has no way to do anything.
//!
//! `choiceCount > 3 && inputValue contains "app"`, `!(selectedValue == null) || length(inputValue) >= 2`

use super::trouble::{Kind, Trouble};
use serde_json::Value;

const MOST_BYTES: usize = 1_000;
const MOST_TOKENS: usize = 200;
const DEEPEST: usize = 30;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    Literal(Value),
    Field(Vec<String>),
    Length(Box<Expression>),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Compare(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Contains,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Value(Value),
    Name(String),
    Sign(&'static str),
}

const SIGNS: [&str; 16] = [
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", ".", "[", "]",
];

pub(super) fn read(text: &str) -> Result<Expression, Trouble> {
    if text.len() > MOST_BYTES {
        let message = format!("The expression is longer than {MOST_BYTES} bytes");
        return Err(Trouble::new(Kind::BadExpression, message));
    }
    let tokens = tokens(text)?;
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        depth: 0,
    };
    let expression = reader.either()?;
    match reader.peek() {
        None => Ok(expression),
        Some(more) => Err(bad(format!("There is {} too much", shown(more)))),
    }
}

fn bad(message: String) -> Trouble {
    Trouble::new(Kind::BadExpression, message)
}

fn shown(token: &Token) -> String {
    match token {
        Token::Value(value) => value.to_string(),
        Token::Name(name) => name.clone(),
        Token::Sign(sign) => format!("{sign:?}"),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Trouble> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if found.len() == MOST_TOKENS {
            return Err(bad(format!(
                "The expression has more than {MOST_TOKENS} words"
            )));
        }
        let (token, length) = match first {
            '"' | '\'' => string(rest)?,
            '0'..='9' | '-' => number(rest)?,
            c if c.is_alphabetic() || c == '_' => name(rest),
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => return Err(bad(format!("{first:?} means nothing here"))),
            },
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

fn string(text: &str) -> Result<(Token, usize), Trouble> {
    let mut letters = text.char_indices();
    let quote = letters.next().map(|(_, quote)| quote);
    let mut value = String::new();
    while let Some((at, c)) = letters.next() {
        match c {
            c if Some(c) == quote => {
                return Ok((Token::Value(value.into()), at + c.len_utf8()));
            }
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, c)) => value.push(c),
                None => break,
            },
            c => value.push(c),
        }
    }
    Err(bad("A text has no end".into()))
}

fn number(text: &str) -> Result<(Token, usize), Trouble> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let number = serde_json::from_str(&text[..length]);
    number
        .map(|value| (Token::Value(value), length))
        .map_err(|_| bad(format!("{:?} is no number", &text[..length])))
}

fn name(text: &str) -> (Token, usize) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let token = match &text[..length] {
        "true" => Token::Value(true.into()),
        "false" => Token::Value(false.into()),
        "null" | "undefined" => Token::Value(Value::Null),
        "and" => Token::Sign("&&"),
        "or" => Token::Sign("||"),
        "not" => Token::Sign("!"),
        word => Token::Name(word.into()),
    };
    (token, length)
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(is);
        is
    }

    fn want(&mut self, sign: &str) -> Result<(), Trouble> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(bad(format!("{sign:?} is missing"))),
        }
    }

    fn deeper(&mut self) -> Result<(), Trouble> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(bad("The expression is nested too deeply".into())),
            false => Ok(()),
        }
    }

    fn either(&mut self) -> Result<Expression, Trouble> {
        self.deeper()?;
        let mut left = self.both()?;
        while self.take("||") {
            left = Expression::Or(left.into(), self.both()?.into());
        }
        self.depth -= 1;
        Ok(left)
    }

    fn both(&mut self) -> Result<Expression, Trouble> {
        let mut left = self.comparison()?;
        while self.take("&&") {
            left = Expression::And(left.into(), self.comparison()?.into());
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expression, Trouble> {
        let left = self.one()?;
        let operator = match self.peek() {
            Some(Token::Sign("==" | "===")) => Operator::Equal,
            Some(Token::Sign("!=" | "!==")) => Operator::Unequal,
            Some(Token::Sign("<")) => Operator::Less,
            Some(Token::Sign("<=")) => Operator::AtMost,
            Some(Token::Sign(">")) => Operator::More,
            Some(Token::Sign(">=")) => Operator::AtLeast,
            Some(Token::Name(name)) if name == "contains" => Operator::Contains,
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.one()?;
        Ok(Expression::Compare(operator, left.into(), right.into()))
    }

    fn one(&mut self) -> Result<Expression, Trouble> {
        if self.take("!") {
            self.deeper()?;
            let inner = self.one()?;
            self.depth -= 1;
            return Ok(Expression::Not(inner.into()));
        }
        if self.take("(") {
            let inner = self.either()?;
            self.want(")")?;
            return Ok(inner);
        }
        let token = self.peek().cloned();
        self.at += 1;
        match token {
            Some(Token::Value(value)) => Ok(Expression::Literal(value)),
            Some(Token::Name(name)) if name == "length" && self.take("(") => {
                let inner = self.either()?;
                self.want(")")?;
                Ok(Expression::Length(inner.into()))
            }
            Some(Token::Name(name)) => self.field(name),
            Some(other) => Err(bad(format!(
                "{} stands where a value should",
                shown(&other)
            ))),
            None => Err(bad("The expression ends too soon".into())),
        }
    }

    /// `state.a.b`, and what JavaScript calls `.length` and `.includes(…)`.
    fn field(&mut self, first: String) -> Result<Expression, Trouble> {
        let mut path = vec![first];
        while self.take(".") {
            let Some(Token::Name(name)) = self.peek().cloned() else {
                return Err(bad("A name should follow the point".into()));
            };
            self.at += 1;
            if name == "length" {
                return Ok(Expression::Length(Expression::of(path).into()));
            }
            if name == "includes" && self.take("(") {
                let part = self.either()?;
                self.want(")")?;
                let whole = Expression::of(path).into();
                return Ok(Expression::Compare(Operator::Contains, whole, part.into()));
            }
            path.push(name);
        }
        Ok(Expression::of(path))
    }
}

impl Expression {
    fn of(mut path: Vec<String>) -> Self {
        if path.len() > 1 && path[0] == "state" {
            path.remove(0);
        }
        Self::Field(path)
    }

    pub fn holds(&self, state: &Value) -> bool {
        is_true(&self.value(state))
    }

    fn value(&self, state: &Value) -> Value {
        match self {
            Self::Literal(value) => value.clone(),
            Self::Field(path) => {
                let found = path.iter().try_fold(state, |at, name| at.get(name));
                found.cloned().unwrap_or(Value::Null)
            }
            Self::Length(inner) => match inner.value(state) {
                Value::String(text) => text.chars().count().into(),
                Value::Array(list) => list.len().into(),
                _ => 0.into(),
            },
            Self::Not(inner) => (!inner.holds(state)).into(),
            Self::And(left, right) => (left.holds(state) && right.holds(state)).into(),
            Self::Or(left, right) => (left.holds(state) || right.holds(state)).into(),
            Self::Compare(operator, left, right) => {
                compare(*operator, &left.value(state), &right.value(state)).into()
            }
        }
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

fn compare(operator: Operator, left: &Value, right: &Value) -> bool {
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => match (left.as_f64(), right.as_f64()) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ => None,
        },
    };
    match operator {
        Operator::Equal => same(left, right),
        Operator::Unequal => !same(left, right),
        Operator::Less => order.is_some_and(|order| order.is_lt()),
        Operator::AtMost => order.is_some_and(|order| order.is_le()),
        Operator::More => order.is_some_and(|order| order.is_gt()),
        Operator::AtLeast => order.is_some_and(|order| order.is_ge()),
        Operator::Contains => contains(left, right),
    }
}

/// `1` and `1.0` are the same number.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

pub(super) fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Array(list), part) => list.iter().any(|item| same(item, part)),
        (Value::Object(object), Value::String(key)) => object.contains_key(key),
        (Value::Object(object), Value::Object(part)) => part
            .iter()
            .all(|(key, value)| object.get(key).is_some_and(|own| same(own, value))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(text: &str, want: bool) {
        let state = json!({"inputValue": "apple", "choiceCount": 5, "selectedValue": null,
            "isFocused": true, "list": ["a", "b"], "debug": {"tab": 1}});
        assert_eq!(read(text).map(|e| e.holds(&state)), Ok(want), "{text}");
    }

    #[test]
    fn what_holds() {
        check("choiceCount == 5", true);
        check("choiceCount === 5.0", true);
        check("choiceCount > 5 || inputValue contains 'pp'", true);
        check("not (choiceCount > 3 and isFocused)", false);
        check("!isFocused", false);
        check("inputValue.length >= 5 && length(list) == 2", true);
        check("state.inputValue.includes(\"app\")", true);
        check("list contains \"b\"", true);
        check("selectedValue == null", true);
        check("selectedValue", false);
        check("debug.tab != 2", true);
        check("nothing.at.all", false);
        check("inputValue < 'b'", true);
        check("choiceCount < 'x'", false);
        check("-1 < 0", true);
    }

    #[test]
    fn what_cannot_be_read() {
        let deep = format!("{}1{}", "(".repeat(40), ")".repeat(40));
        let nots = "!".repeat(60) + "a";
        let long = "a == 1 && ".repeat(99) + "b";
        let many = "a ".repeat(300);
        for text in [
            "",
            "(",
            "a ==",
            "a b",
            "'x",
            "1.2.3",
            "a.",
            "a = 1",
            "process.exit(1)",
            "a[0]",
            "a; b",
            &deep,
            &nots,
            &long,
            &many,
            "length(",
            "--1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
