//! The grammar of the queries that are offered. Whatever else a query says is refused by its name.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use cosmos_ttl_harness::literal::Literal;
use serde::Deserialize;
use serde_json::Value;
use winnow::ascii::{Caseless, digit1, multispace0};
use winnow::combinator::{
    alt, cut_err, delimited, empty, eof, fail, not, opt, preceded, repeat, separated, terminated,
};
use winnow::error::{ContextError, ErrMode};
use winnow::stream::Stateful;
use winnow::token::{any, one_of, take_while};
use winnow::{ModalResult, Parser};

use crate::answer::RestRefusal;
use crate::body::shortened;

/// The longest query, in bytes, as the service has it.
pub(crate) const LONGEST: usize = 256 * 1024;
/// How many values and properties a query may name: reading many items names three for each.
const MOST_TERMS: usize = 4096;
/// How deep parentheses may be nested.
const MOST_DEPTH: usize = 64;
/// What a query may consist of.
pub(crate) const OFFERED: &str = "SELECT [DISTINCT] [TOP n] with *, properties AS names, VALUE, or COUNT; \
    WHERE with = != <> < <= > >=, AND, OR, NOT, IN, IS_DEFINED, IS_NULL, STARTSWITH and CONTAINS; \
    ORDER BY properties; OFFSET n LIMIT m; parameters";

/// A query.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemQuery {
    pub selection: Selection,
    pub distinct: bool,
    pub filter: Option<Scalar>,
    /// Each property, and whether its order is descending.
    pub order: Vec<(Scalar, bool)>,
    pub offset: usize,
    /// The lesser of `TOP` and `LIMIT`.
    pub limit: Option<usize>,
}

/// The selection of a query.
#[derive(Clone, Debug, Default)]
pub(crate) enum Selection {
    /// `*`
    #[default]
    Items,
    /// `VALUE expression`
    Value(Scalar),
    /// `expression AS name, ...`
    Object(Vec<(String, Scalar)>),
    /// `COUNT(expression) AS name`: how many items are found of which the expression is defined; the name is absent after `VALUE`.
    Count(Option<String>, Scalar),
}

/// An expression about one item.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    /// A value; `None` is `undefined`.
    Constant(Option<Value>),
    /// The names and indices that lead to a property; the whole item if there are none.
    Property(Vec<PathStep>),
    Operation(Operator, Vec<Scalar>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    Name(String),
    Index(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Not,
    And,
    Or,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// The first of them is one of the others.
    In,
    IsDefined,
    IsNull,
    StartsWith,
    Contains,
}

/// The signs of comparisons; one that begins as another comes before it.
const SIGNS: [(&str, Operator); 7] = [
    ("<=", Operator::LessOrEqual),
    ("<>", Operator::Unequal),
    ("<", Operator::Less),
    (">=", Operator::GreaterOrEqual),
    (">", Operator::Greater),
    ("!=", Operator::Unequal),
    ("=", Operator::Equal),
];
/// Every function, with the least and the greatest number of its arguments.
const FUNCTIONS: [(&str, Operator, usize, usize); 4] = [
    ("IS_DEFINED", Operator::IsDefined, 1, 1),
    ("IS_NULL", Operator::IsNull, 1, 1),
    ("STARTSWITH", Operator::StartsWith, 2, 3),
    ("CONTAINS", Operator::Contains, 2, 3),
];
const RESERVED: [&str; 24] = [
    "SELECT", "DISTINCT", "TOP", "VALUE", "FROM", "AS", "JOIN", "WHERE", "AND", "OR", "NOT", "IN", "BETWEEN",
    "LIKE", "EXISTS", "GROUP", "HAVING", "ORDER", "BY", "OFFSET", "LIMIT", "UNION", "ESCAPE", "UDF",
];
/// How the language goes on where no query that is offered does; after a name also `.`, as in `FROM c.tags`.
const UNOFFERED: [&str; 11] =
    ["BETWEEN", "UDF", "SELECT", "JOIN", "IN", "GROUP", "HAVING", "LIKE", "ESCAPE", "UNION", "EXISTS"];
const UNOFFERED_SIGNS: [char; 13] = ['+', '-', '*', '/', '%', '|', '&', '^', '~', '?', ':', '{', '['];

#[derive(Deserialize)]
struct QueryBody {
    query: String,
    #[serde(default)]
    parameters: Option<Vec<Parameter>>,
}

#[derive(Deserialize)]
struct Parameter {
    name: String,
    #[serde(default)]
    value: Value,
}

/// What the parsers share: parameters, limits, and what a refusal says.
#[derive(Debug, Default)]
struct Progress {
    parameters: BTreeMap<String, Value>,
    depth: Cell<usize>,
    terms: Cell<usize>,
    /// How many bytes are left behind the last text that was understood.
    left: Cell<Option<usize>>,
    /// The names before the first dot of each property.
    roots: RefCell<Vec<String>>,
    refusal: RefCell<Option<RestRefusal>>,
}

type Sql<'a> = Stateful<&'a str, &'a Progress>;

impl ItemQuery {
    /// Reads the body of a query: its text and its parameters.
    /// The refusal is 501 and names the part that is not offered, or 400 if the query is malformed, too long, too deep, or names
    /// what it does not define.
    pub(crate) fn parse(body: &str) -> Result<Self, RestRefusal> {
        let body: QueryBody = serde_json::from_str(body).map_err(|error| {
            RestRefusal::bad(format!("a query's body must be {{\"query\", \"parameters\"}}: {error}"))
        })?;
        let parameters = body.parameters.unwrap_or_default();
        read(&body.query, parameters.into_iter().map(|one| (one.name, one.value)).collect(), query)
    }

    /// Reads the condition of a patch, `FROM c WHERE ...`.
    /// It is refused as [`ItemQuery::parse`] says.
    pub(crate) fn parse_condition(text: &str) -> Result<Scalar, RestRefusal> {
        let condition =
            |input: &mut Sql<'_>| preceded(from, preceded(keyword("WHERE"), disjunction)).parse_next(input);
        read(text, BTreeMap::new(), condition)
    }
}

fn read<T>(
    text: &str,
    parameters: BTreeMap<String, Value>,
    mut parser: impl FnMut(&mut Sql<'_>) -> ModalResult<T>,
) -> Result<T, RestRefusal> {
    if text.len() > LONGEST {
        return Err(RestRefusal::bad(format!("a query may have at most {LONGEST} bytes")));
    }
    let progress = Progress { parameters, ..Progress::default() };
    let mut input = Sql { input: text, state: &progress };
    let read = parser(&mut input).and_then(|read| {
        let end = (repeat::<_, _, (), _, _>(0.., sign(";")), spaces, eof);
        end.void().parse_next(&mut input).map(|()| read)
    });
    let read = read
        .map_err(|_| progress.refusal.take().unwrap_or_else(|| not_understood(text, progress.left.get())))?;
    let roots = progress.roots.take();
    let alias = roots.first().map_or("", String::as_str);
    if roots.iter().all(|root| root == alias) {
        return Ok(read);
    }
    Err(RestRefusal::bad(format!(
        "every property of the query must begin with `{alias}`, the name after FROM"
    )))
}

/// Names the first text that was not understood: a word of the language as it is, and other text shortened. The refusal is 501
/// where the language goes on like that, and else 400.
fn not_understood(text: &str, left: Option<usize>) -> RestRefusal {
    let at = text.len().saturating_sub(left.unwrap_or(text.len()));
    let rest = text.get(at..).unwrap_or_default();
    let word = rest.split(|c| !is_word(c)).next().unwrap_or_default();
    let what = match RESERVED.iter().find(|reserved| reserved.eq_ignore_ascii_case(word)) {
        Some(reserved) => format!("`{reserved}`"),
        None if rest.is_empty() => "an end".to_owned(),
        None => shortened(&Literal::from(&Value::from(rest))),
    };
    let begins_with = |signs: &[char]| rest.starts_with(signs);
    let follows_a_name = text.get(..at).is_some_and(|before| before.ends_with(is_word));
    if (at > 0 && UNOFFERED.iter().any(|other| other.eq_ignore_ascii_case(word)))
        || begins_with(&UNOFFERED_SIGNS)
        || (begins_with(&['.']) && follows_a_name)
    {
        return not_offered_in_a_query(&format!("{what} at byte {at}"));
    }
    RestRefusal::bad(format!("the query is malformed: {what} at byte {at}"))
}

fn not_offered_in_a_query(what: &str) -> RestRefusal {
    let refusal = RestRefusal::not_offered(format_args!("{what} in a query"));
    RestRefusal { message: format!("{}; offered in queries are {OFFERED}", refusal.message), ..refusal }
}

fn refuse<T>(input: &Sql<'_>, refusal: RestRefusal) -> ModalResult<T> {
    input.state.refusal.replace(Some(refusal));
    Err(ErrMode::Cut(ContextError::new()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn spaces(input: &mut Sql<'_>) -> ModalResult<()> {
    multispace0.void().parse_next(input)?;
    let left = input.input.len();
    input.state.left.set(Some(input.state.left.get().map_or(left, |least| least.min(left))));
    Ok(())
}

fn keyword<'a>(word: &'static str) -> impl Parser<Sql<'a>, (), ErrMode<ContextError>> {
    (spaces, Caseless(word), not(one_of(is_word))).void()
}

fn sign<'a>(sign: &'static str) -> impl Parser<Sql<'a>, (), ErrMode<ContextError>> {
    (spaces, sign).void()
}

/// Any word, a reserved one too.
fn word(input: &mut Sql<'_>) -> ModalResult<String> {
    let word = (one_of(|c: char| is_word(c) && !c.is_numeric()), take_while(0.., is_word)).take();
    preceded(spaces, word.map(str::to_owned)).parse_next(input)
}

fn name(input: &mut Sql<'_>) -> ModalResult<String> {
    let is_free = |word: &String| !RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word));
    word.verify(is_free).parse_next(input)
}

fn query(input: &mut Sql<'_>) -> ModalResult<ItemQuery> {
    keyword("SELECT").parse_next(input)?;
    let distinct = opt(keyword("DISTINCT")).parse_next(input)?.is_some();
    let top = opt(preceded(keyword("TOP"), cut_err(count))).parse_next(input)?;
    let selection = selection.parse_next(input)?;
    if !matches!(selection, Selection::Items) && opt((spaces, eof)).parse_next(input)?.is_some() {
        return refuse(input, not_offered_in_a_query("an end before FROM"));
    }
    from.parse_next(input)?;
    let filter = opt(preceded(keyword("WHERE"), cut_err(disjunction))).parse_next(input)?;
    let direction = alt((keyword("DESC").value(true), keyword("ASC").value(false), empty.value(false)));
    let property = operand.verify(|scalar| matches!(scalar, Scalar::Property(path) if !path.is_empty()));
    let order = preceded(
        (keyword("ORDER"), keyword("BY")),
        cut_err(separated(1.., (property, direction), sign(","))),
    );
    let order: Option<Vec<_>> = opt(order).parse_next(input)?;
    let range = (preceded(keyword("OFFSET"), cut_err(count)), preceded(keyword("LIMIT"), cut_err(count)));
    let range = opt(range).parse_next(input)?;
    let limits = [top, range.map(|(_, limit)| limit)];
    let offset = range.map_or(0, |(offset, _)| offset);
    let limit = limits.into_iter().flatten().min();
    Ok(ItemQuery { selection, distinct, filter, order: order.unwrap_or_default(), offset, limit })
}

/// `FROM source`, `FROM source AS alias`: every property of the query begins with the alias.
fn from(input: &mut Sql<'_>) -> ModalResult<()> {
    let source = preceded(keyword("FROM"), cut_err(name)).parse_next(input)?;
    let alias = opt(preceded(opt(keyword("AS")), name)).parse_next(input)?;
    let alias = alias.unwrap_or(source);
    input.state.roots.borrow_mut().insert(0, alias);
    Ok(())
}

fn selection(input: &mut Sql<'_>) -> ModalResult<Selection> {
    let alias = || opt(preceded(opt(keyword("AS")), name));
    let object = separated(1.., (disjunction, alias()), sign(",")).map(|all: Vec<_>| {
        let named = |((scalar, name), number): ((Scalar, Option<String>), i32)| {
            let last = || match &scalar {
                Scalar::Property(path) => path.iter().rev().find_map(PathStep::name),
                _ => None,
            };
            (name.or_else(last).unwrap_or_else(|| format!("${number}")), scalar)
        };
        Selection::Object(all.into_iter().zip(1..).map(named).collect())
    });
    if let Some(of) = opt(counted).parse_next(input)? {
        let name = alias().parse_next(input)?.unwrap_or_else(|| "$1".to_owned());
        if opt(sign(",")).parse_next(input)?.is_some() {
            return refuse(input, not_offered_in_a_query("COUNT beside something else"));
        }
        return Ok(Selection::Count(Some(name), of));
    }
    let value = alt((counted.map(|of| Selection::Count(None, of)), disjunction.map(Selection::Value)));
    let all = sign("*").value(Selection::Items);
    alt((all, preceded(keyword("VALUE"), cut_err(value)), object)).parse_next(input)
}

impl PathStep {
    fn name(&self) -> Option<String> {
        if let Self::Name(name) = self { Some(name.clone()) } else { None }
    }
}

/// The expression in `COUNT(expression)`.
fn counted(input: &mut Sql<'_>) -> ModalResult<Scalar> {
    (keyword("COUNT"), sign("(")).parse_next(input)?;
    cut_err(terminated(disjunction, sign(")"))).parse_next(input)
}

/// A number of items, perhaps as a parameter.
fn count(input: &mut Sql<'_>) -> ModalResult<usize> {
    let count =
        opt(constant).parse_next(input)?.flatten().and_then(|value| usize::try_from(value.as_u64()?).ok());
    let bad = || refuse(input, RestRefusal::bad("TOP, OFFSET and LIMIT take a whole number"));
    count.map_or_else(bad, Ok)
}

fn disjunction(input: &mut Sql<'_>) -> ModalResult<Scalar> {
    let depth = input.state.depth.get();
    if depth >= MOST_DEPTH {
        return refuse(
            input,
            RestRefusal::bad(format!("parentheses of a query may be nested {MOST_DEPTH} deep")),
        );
    }
    input.state.depth.set(depth.saturating_add(1));
    let any = separated(1.., conjunction, keyword("OR"));
    let any = any.map(|all| alone_or(Operator::Or, all)).parse_next(input);
    input.state.depth.set(depth);
    any
}

fn conjunction(input: &mut Sql<'_>) -> ModalResult<Scalar> {
    separated(1.., negation, keyword("AND")).map(|all| alone_or(Operator::And, all)).parse_next(input)
}

fn alone_or(operator: Operator, mut all: Vec<Scalar>) -> Scalar {
    match all.pop() {
        Some(only) if all.is_empty() => only,
        last => {
            all.extend(last);
            Scalar::Operation(operator, all)
        }
    }
}

fn negation(input: &mut Sql<'_>) -> ModalResult<Scalar> {
    let negations: usize = repeat(0.., keyword("NOT")).parse_next(input)?;
    let scalar = comparison.parse_next(input)?;
    // Three are as one, however many there are: an evaluation goes as deep as its operators.
    let kept = if negations == 0 { 0 } else { 2_usize.saturating_sub(negations % 2) };
    Ok((0..kept).fold(scalar, |scalar, _| Scalar::Operation(Operator::Not, vec![scalar])))
}

fn comparison(input: &mut Sql<'_>) -> ModalResult<Scalar> {
    let left = operand.parse_next(input)?;
    for (text, operator) in SIGNS {
        if opt(sign(text)).parse_next(input)?.is_some() {
            return Ok(Scalar::Operation(operator, vec![left, cut_err(operand).parse_next(input)?]));
        }
    }
    let negated = opt(keyword("NOT")).parse_next(input)?.is_some();
    let found = if opt(keyword("IN")).parse_next(input)?.is_some() {
        let list = delimited(sign("("), separated(0.., disjunction, sign(",")), sign(")"));
        let list: Vec<_> = cut_err(list).parse_next(input)?;
        Scalar::Operation(Operator::In, [vec![left], list].concat())
    } else if negated {
        return fail.parse_next(input);
    } else {
        return Ok(left);
    };
    Ok(if negated { Scalar::Operation(Operator::Not, vec![found]) } else { found })
}

fn operand(input: &mut Sql<'_>) -> ModalResult<Scalar> {
    let terms = input.state.terms.get().saturating_add(1);
    input.state.terms.set(terms);
    if terms > MOST_TERMS {
        return refuse(
            input,
            RestRefusal::bad(format!("a query may name at most {MOST_TERMS} values and properties")),
        );
    }
    alt((
        delimited(sign("("), cut_err(disjunction), cut_err(sign(")"))),
        constant.map(Scalar::Constant),
        call,
        property.map(Scalar::Property),
    ))
    .parse_next(input)
}

fn constant(input: &mut Sql<'_>) -> ModalResult<Option<Value>> {
    let digits =
        (opt('-'), digit1, opt(('.', digit1)), opt((one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1)));
    let number = preceded(spaces, digits.take()).verify_map(|text: &str| serde_json::from_str(text).ok());
    alt((
        keyword("true").value(Some(Value::Bool(true))),
        keyword("false").value(Some(Value::Bool(false))),
        keyword("null").value(Some(Value::Null)),
        keyword("undefined").value(None),
        number.map(Some),
        text.map(|text| Some(Value::from(text))),
        parameter.map(Some),
    ))
    .parse_next(input)
}

fn parameter(input: &mut Sql<'_>) -> ModalResult<Value> {
    let name = preceded(spaces, ('@', take_while(1.., is_word)).take()).parse_next(input)?;
    match input.state.parameters.get(name) {
        Some(value) => Ok(value.clone()),
        None => {
            refuse(input, RestRefusal::bad("the query names a parameter that `parameters` does not have"))
        }
    }
}

/// A string between quotes of either kind, with the escapes of JSON.
fn text(input: &mut Sql<'_>) -> ModalResult<String> {
    let quote: char = preceded(spaces, one_of(['\'', '"'])).parse_next(input)?;
    let plain = take_while(1.., move |c: char| c != quote && c != '\\');
    let escaped = preceded('\\', cut_err(any)).with_taken();
    let part = alt((
        plain.map(|text: &str| text.replace('"', "\\\"")),
        escaped.map(|(c, text): (char, &str)| if c == '\'' { "'".to_owned() } else { text.to_owned() }),
    ));
    let inside: String =
        cut_err(repeat(0.., part).fold(String::new, |all, part: String| all + &part)).parse_next(input)?;
    cut_err(quote).parse_next(input)?;
    serde_json::from_str(&format!("\"{inside}\"")).or_else(|_| fail.parse_next(input))
}

fn call(input: &mut Sql<'_>) -> ModalResult<Scalar> {
    let (name, ()) = (name, sign("(")).parse_next(input)?;
    let Some((_, function, least, most)) =
        FUNCTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(&name))
    else {
        let name = shortened(&Literal::from(&Value::from(name)));
        return refuse(input, not_offered_in_a_query(&format!("the function {name}")));
    };
    let arguments: Vec<_> = cut_err(separated(*least..=*most, disjunction, sign(","))).parse_next(input)?;
    cut_err(sign(")")).parse_next(input)?;
    Ok(Scalar::Operation(*function, arguments))
}

fn property(input: &mut Sql<'_>) -> ModalResult<Vec<PathStep>> {
    let root = name.parse_next(input)?;
    input.state.roots.borrow_mut().push(root);
    let index = preceded(spaces, digit1).parse_to().map(PathStep::Index);
    let step = alt((
        preceded(sign("."), cut_err(word.map(PathStep::Name))),
        delimited(sign("["), cut_err(alt((text.map(PathStep::Name), index))), cut_err(sign("]"))),
    ));
    repeat(0.., step).parse_next(input)
}
