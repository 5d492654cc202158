//! The queries that are offered: everything, ids, a count, and equality filters. Any other query is refused by name.

use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::Document;
use serde::Deserialize;

use crate::answer::RestRefusal;

/// The longest query that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// The selection of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuerySelection {
    /// `SELECT * FROM c`
    Items,
    /// `SELECT c.id FROM c`
    Ids,
    /// `SELECT VALUE c.id FROM c`
    IdValues,
    /// `SELECT VALUE COUNT(1) FROM c`
    Count,
}

/// A query: what it selects, and which items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemQuery {
    /// The selection.
    pub selection: QuerySelection,
    /// Each property that must equal a value: the names that lead to it, and the value.
    pub filters: Vec<(Vec<String>, Literal)>,
}

#[derive(Deserialize)]
struct QueryBody {
    query: String,
    #[serde(default)]
    parameters: Option<Vec<Parameter>>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    value: Literal,
}

impl ItemQuery {
    /// Reads the body of a query: its text and its parameters.
    ///
    /// # Errors
    ///
    /// 400 that says which part is not offered.
    pub(crate) fn parse(body: &str) -> Result<Self, RestRefusal> {
        let body: QueryBody = serde_json::from_str(body).map_err(|error| {
            RestRefusal::bad(format!("a query's body must be {{\"query\", \"parameters\"}}: {error}"))
        })?;
        if body.query.len() > LONGEST {
            return Err(RestRefusal::bad(format!("a query of more than {LONGEST} bytes")));
        }
        let parameters = body.parameters.unwrap_or_default().into_iter();
        let parameters = parameters.map(|one| (one.name, one.value)).collect();
        QueryParser { tokens: tokens(&body.query)?, at: 0, alias: String::new(), parameters }.query()
    }

    /// Returns whether an item has every value that the query demands.
    pub(crate) fn accepts(&self, document: &Document) -> bool {
        self.filters.iter().all(|(names, wanted)| {
            let found = match names.split_first() {
                Some((first, [])) if first == "id" => {
                    Literal::parse(&serde_json::json!(document.id).to_string()).ok()
                }
                Some((first, rest)) => document.properties.get(first).and_then(|value| value_at(value, rest)),
                None => None,
            };
            found.is_some_and(|found| found.same_value(wanted))
        })
    }
}

fn value_at(value: &Literal, names: &[String]) -> Option<Literal> {
    if names.is_empty() {
        return Some(value.clone());
    }
    let parsed: serde_json::Value = serde_json::from_str(value.as_str()).ok()?;
    let found = names.iter().try_fold(&parsed, |value, name| value.get(name))?;
    Some(Literal::from(found))
}

#[derive(Clone, Debug, PartialEq)]
enum SqlToken {
    /// A keyword, a name or a parameter.
    Word(String),
    /// A string between quotes.
    Text(String),
    /// A number.
    Number(String),
    Sign(char),
}

fn tokens(text: &str) -> Result<Vec<SqlToken>, RestRefusal> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '\'' | '"' => {
                let closing =
                    rest.get(1..).and_then(|inside| inside.find(first)).map(|end| end.saturating_add(1));
                let end = closing.ok_or_else(|| RestRefusal::bad("the query has a string without an end"))?;
                let inside = rest.get(1..end).unwrap_or_default();
                if inside.contains('\\') {
                    return Err(RestRefusal::not_offered(
                        "an escape in a string of a query; use a parameter instead, which",
                    ));
                }
                found.push(SqlToken::Text(inside.to_owned()));
                end.saturating_add(1)
            }
            _ if first.is_ascii_digit() || first == '-' => {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || ".+-".contains(c)))
                    .unwrap_or(rest.len());
                found.push(SqlToken::Number(rest.get(..end).unwrap_or_default().to_owned()));
                end
            }
            _ if is_word(first) => {
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                found.push(SqlToken::Word(rest.get(..end).unwrap_or_default().to_owned()));
                end
            }
            sign => {
                found.push(SqlToken::Sign(sign));
                sign.len_utf8()
            }
        };
        rest = rest.get(end..).unwrap_or_default().trim_start();
    }
    Ok(found)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '@' || c == '$'
}

struct QueryParser {
    tokens: Vec<SqlToken>,
    at: usize,
    alias: String,
    parameters: BTreeMap<String, Literal>,
}

impl QueryParser {
    fn query(mut self) -> Result<ItemQuery, RestRefusal> {
        self.expect_word("select")?;
        // What is selected names the alias, which comes later.
        let from = self.tokens.iter().position(|token| is_keyword(token, "from"));
        let from = from.ok_or_else(|| RestRefusal::bad("the query has no FROM"))?;
        let selected: Vec<SqlToken> = self.tokens.get(self.at..from).unwrap_or_default().to_vec();
        self.at = from.saturating_add(1);
        let source = self.word("a name after FROM")?;
        self.alias = match self.tokens.get(self.at) {
            Some(token) if is_keyword(token, "as") => {
                self.at = self.at.saturating_add(1);
                self.word("a name after AS")?
            }
            Some(SqlToken::Word(word))
                if !is_one_of(word, &["where", "order", "group", "offset", "join", "in"]) =>
            {
                self.at = self.at.saturating_add(1);
                word.clone()
            }
            _ => source,
        };
        let selection = self.selection(&selected)?;
        let mut filters = Vec::new();
        if self.takes_word("where") {
            loop {
                filters.push(self.filter()?);
                if !self.takes_word("and") {
                    break;
                }
            }
        }
        while self.takes_sign(';') {}
        match self.tokens.get(self.at) {
            None => Ok(ItemQuery { selection, filters }),
            Some(token) => Err(RestRefusal::not_offered(format_args!("{} in a query", shown(token)))),
        }
    }

    fn selection(&self, selected: &[SqlToken]) -> Result<QuerySelection, RestRefusal> {
        let text: String = selected.iter().map(plain_text).collect::<Vec<_>>().join(" ");
        let alias = &self.alias;
        let is = |wanted: &str| text.eq_ignore_ascii_case(wanted);
        if is("*") || is(&format!("value {alias}")) {
            Ok(QuerySelection::Items)
        } else if is(&format!("{alias} . id")) {
            Ok(QuerySelection::Ids)
        } else if is(&format!("value {alias} . id")) {
            Ok(QuerySelection::IdValues)
        } else if is("value count ( 1 )") {
            Ok(QuerySelection::Count)
        } else {
            Err(RestRefusal::not_offered(
                "this selection of a query (offered are *, c.id, VALUE c, VALUE c.id and VALUE COUNT(1))",
            ))
        }
    }

    /// `c.name.name = value`, or the other way round.
    fn filter(&mut self) -> Result<(Vec<String>, Literal), RestRefusal> {
        let is_path =
            |token: Option<&SqlToken>| matches!(token, Some(SqlToken::Word(word)) if *word == self.alias);
        if is_path(self.tokens.get(self.at)) {
            let path = self.path()?;
            self.expect_sign('=')?;
            return Ok((path, self.value()?));
        }
        let value = self.value()?;
        self.expect_sign('=')?;
        Ok((self.path()?, value))
    }

    fn path(&mut self) -> Result<Vec<String>, RestRefusal> {
        let alias = self.word("the alias of FROM")?;
        if alias != self.alias {
            return Err(RestRefusal::not_offered("a function or another alias in a filter"));
        }
        let mut names = Vec::new();
        loop {
            if self.takes_sign('.') {
                names.push(self.word("a name after `.`")?);
            } else if self.takes_sign('[') {
                match self.next() {
                    Some(SqlToken::Text(name)) => names.push(name),
                    _ => return Err(RestRefusal::not_offered("an index into an array in a filter")),
                }
                self.expect_sign(']')?;
            } else {
                break;
            }
        }
        if names.is_empty() {
            return Err(RestRefusal::not_offered("a filter by a whole item"));
        }
        Ok(names)
    }

    fn value(&mut self) -> Result<Literal, RestRefusal> {
        let literal = |text: &str| Literal::parse(text).ok();
        let value = match self.next() {
            Some(SqlToken::Text(text)) => literal(&serde_json::json!(text).to_string()),
            Some(SqlToken::Number(number)) => literal(&number),
            Some(SqlToken::Word(word)) if word.starts_with('@') => match self.parameters.get(&word) {
                Some(value) => Some(value.clone()),
                None => {
                    return Err(RestRefusal::bad(
                        "the query names a parameter that `parameters` does not have",
                    ));
                }
            },
            Some(SqlToken::Word(word)) if is_one_of(&word, &["true", "false", "null"]) => {
                literal(&word.to_lowercase())
            }
            _ => None,
        };
        value.ok_or_else(|| {
            RestRefusal::not_offered("a filter that is not an equality of a property and a value")
        })
    }

    fn next(&mut self) -> Option<SqlToken> {
        let token = self.tokens.get(self.at).cloned();
        self.at = self.at.saturating_add(1);
        token
    }

    fn word(&mut self, what: &str) -> Result<String, RestRefusal> {
        match self.next() {
            Some(SqlToken::Word(word)) => Ok(word),
            _ => Err(RestRefusal::bad(format!("the query lacks {what}"))),
        }
    }

    fn expect_word(&mut self, word: &str) -> Result<(), RestRefusal> {
        if self.takes_word(word) { Ok(()) } else { Err(RestRefusal::bad("a query begins with SELECT")) }
    }

    fn expect_sign(&mut self, sign: char) -> Result<(), RestRefusal> {
        if self.takes_sign(sign) {
            return Ok(());
        }
        Err(RestRefusal::not_offered("a filter that is not an equality of a property and a value"))
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let takes = self.tokens.get(self.at).is_some_and(|token| is_keyword(token, word));
        self.at = self.at.saturating_add(takes.into());
        takes
    }

    fn takes_sign(&mut self, sign: char) -> bool {
        let takes = self.tokens.get(self.at) == Some(&SqlToken::Sign(sign));
        self.at = self.at.saturating_add(takes.into());
        takes
    }
}

fn is_keyword(token: &SqlToken, word: &str) -> bool {
    matches!(token, SqlToken::Word(found) if found.eq_ignore_ascii_case(word))
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn plain_text(token: &SqlToken) -> String {
    match token {
        SqlToken::Word(text) | SqlToken::Number(text) => text.clone(),
        SqlToken::Text(text) => format!("'{text}'"),
        SqlToken::Sign(sign) => sign.to_string(),
    }
}

/// Names a token that is not offered: a keyword as it is, and anything else by its kind.
fn shown(token: &SqlToken) -> String {
    const KEYWORDS: [&str; 12] = [
        "ORDER", "GROUP", "OFFSET", "LIMIT", "JOIN", "IN", "OR", "NOT", "LIKE", "BETWEEN", "TOP", "DISTINCT",
    ];
    match token {
        SqlToken::Word(word) => {
            let known = KEYWORDS.iter().find(|keyword| keyword.eq_ignore_ascii_case(word));
            known.map_or_else(|| "an unknown word".to_owned(), |keyword| (*keyword).to_owned())
        }
        _ => "an unknown sign".to_owned(),
    }
}
