//! Mutants that nobody can tell from a right store: every short row of requests is played to both, side by side.

use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{
    Container, Document, Edition, Indexing, Opening, Operation, Patch, Properties, Removal, Request,
    Response, Session as _, Status,
};
use cosmos_ttl_harness::targets::mutants::{Mutant, Naive, Place, mutants, named};

/// How many requests, and seconds that pass, follow upon the first.
const DEPTH: usize = 5;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Move {
    Ask(Request),
    Pass,
}

fn properties(all: &[(&str, &str)]) -> Properties {
    all.iter().map(|(name, text)| ((*name).into(), Literal::parse(text).unwrap())).collect()
}

fn container(default_ttl: Option<&str>) -> Container {
    let default_ttl = default_ttl.map(|text| Literal::parse(text).unwrap());
    Container { default_ttl, indexing: Indexing::Consistent }
}

/// What happens, in every order: lives of one and two seconds, and settings of every kind.
fn moves() -> Vec<Move> {
    let document = |all| Document { id: "a".into(), properties: properties(all) };
    let patch = Patch { id: "a".into(), set: properties(&[("value", "2")]), remove: Vec::new() };
    let items = [
        Operation::Create(document(&[])),
        Operation::Create(document(&[("ttl", "1")])),
        Operation::Upsert(document(&[("ttl", "-1")])),
        Operation::Replace(document(&[("ttl", "2")]), None),
        Operation::Patch(patch, None),
        Operation::Delete("a".into(), None),
        Operation::Read("a".into()),
    ];
    let settings = [None, Some("-1"), Some("1"), Some("2")];
    let asked = items.map(Request::Item).into_iter().chain([Request::Query]);
    let asked = asked.chain(settings.map(|default| Request::ReplaceContainer(container(default))));
    asked.map(Move::Ask).chain([Move::Pass]).collect()
}

/// A mutant and the right store that it is to be told from.
#[derive(Clone)]
struct Pair {
    mutant: Place,
    right: Place,
}

impl Pair {
    fn new(mutant: Naive, removal: Removal, default: &str) -> Self {
        let opening = Opening::new(Edition::Y2024, Some(removal));
        let mut pair = Self { mutant: mutant.place(opening), right: Naive::default().place(opening) };
        let create = Request::CreateContainer(container(Some(default)));
        assert_eq!(pair.ask(&create).0.status, Status::Created);
        pair
    }

    /// The right store may remove whatever is expired at any moment; it does so before it is switched off.
    fn ask(&mut self, request: &Request) -> (Response, Response) {
        if matches!(request, Request::ReplaceContainer(container) if container.default_ttl.is_none()) {
            self.right.purge().unwrap();
        }
        (self.mutant.send(request).unwrap(), self.right.send(request).unwrap())
    }

    /// The shortest of the rows of moves that begin here, in their order, that the two answer differently.
    fn difference(&self, moves: &[Move], depth: usize, played: &mut u64) -> Option<Vec<Move>> {
        if depth == 0 {
            return None;
        }
        for one in moves {
            let mut next = self.clone();
            *played += 1;
            let same = match one {
                Move::Pass => next.mutant.pass(1).and_then(|()| next.right.pass(1)).is_ok(),
                Move::Ask(request) => {
                    let (mutant, right) = next.ask(request);
                    mutant == right
                }
            };
            let rest = if same { next.difference(moves, depth - 1, played) } else { Some(Vec::new()) };
            if let Some(rest) = rest {
                return Some([vec![one.clone()], rest].concat());
            }
        }
        None
    }
}

fn difference(mutant: Naive, depth: usize) -> Option<Vec<Move>> {
    let moves = moves();
    let mut played = 0;
    for removal in [Removal::Never, Removal::Alternate] {
        for default in ["-1", "1"] {
            let found = Pair::new(mutant, removal, default).difference(&moves, depth, &mut played);
            if found.is_some() {
                return found;
            }
        }
    }
    println!("{played} requests, no difference");
    None
}

#[test]
fn whoever_is_called_equivalent_is_told_by_no_short_row_of_requests() {
    let equivalent: Vec<&Mutant> = mutants().filter(|mutant| mutant.equivalent.is_some()).collect();
    assert!(!equivalent.is_empty());
    for mutant in equivalent {
        let found = difference(mutant.store(), DEPTH);
        assert!(found.is_none(), "{}: {found:#?}", mutant.name);
    }
}

#[test]
fn the_same_rows_tell_mutants_that_do_almost_the_same() {
    for name in
        ["removal-works-while-off", "removal-trusts-the-etag", "off-honours-own-ttl", "settings-touch-ts"]
    {
        assert!(difference(named(name).unwrap().store, DEPTH).is_some(), "{name}");
    }
}
