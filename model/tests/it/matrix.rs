//! The rule as people read it: every setting of the container against every setting of the item, every value that either
//! can be sent, and each change of settings as a client sees it.

use cosmos_ttl_model::choices::Preferences;
use cosmos_ttl_model::container::{Operation, Request, Response};
use cosmos_ttl_model::rule::{Sent, Ttl, lifetime, read};

use crate::worlds::{A, consistent, draft, open};

/// Returns a line of a table.
fn line(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells = cells.into_iter().map(|cell| format!("{:<22}", cell.as_ref()));
    cells.collect::<String>().trim_end().to_owned()
}

fn create(ttl: Sent) -> Request {
    Request::Item(Operation::Create(draft(A, ttl)))
}

#[test]
fn every_setting_against_every_setting() {
    let items = [Sent::Absent, Sent::Whole(-1), Sent::Whole(2000)];
    let mut lines = vec![line(["", "no ttl", "ttl -1", "ttl 2000"])];
    for (name, default) in [
        ("no defaultTtl", Sent::Absent),
        ("defaultTtl -1", Sent::Whole(-1)),
        ("defaultTtl 1000", Sent::Whole(1000)),
    ] {
        let lifetime_of = |ttl| lifetime(read(default).unwrap(), read(ttl).unwrap());
        let cells = items.map(|ttl| match lifetime_of(ttl) {
            Ttl::Forever => "forever".to_owned(),
            Ttl::Seconds(seconds) => format!("{seconds} s"),
        });
        lines.push(line([name.to_owned()].into_iter().chain(cells)));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn every_value_that_can_be_sent() {
    // What the container may answer, in the order in which choices are made.
    let ask = |request: &Request| {
        let outcomes = open(0, Sent::Whole(1)).outcomes(request);
        let said =
            |answer: &Response| if matches!(answer, Response::Refused(_)) { "refused" } else { "accepted" };
        let mut all: Vec<_> = outcomes.iter().map(|(_, (_, answer))| said(answer)).collect();
        all.dedup();
        all.join(" or ")
    };
    let mut lines = vec![line(["", "defaultTtl", "item ttl"])];
    for (name, sent) in [
        ("absent", Sent::Absent),
        ("null", Sent::Null),
        ("-2", Sent::Whole(-2)),
        ("-1", Sent::Whole(-1)),
        ("0", Sent::Whole(0)),
        ("1", Sent::Whole(1)),
        ("2147483647", Sent::Whole(2_147_483_647)),
        ("2147483648", Sent::Whole(2_147_483_648)),
        ("10.0", Sent::WholeAsFraction(10)),
        ("1.5, \"10\", true", Sent::Other),
    ] {
        let default = ask(&Request::Configure(consistent(sent)));
        lines.push(line([name, &default, &ask(&create(sent))]));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// What a client sees of an item that was written 5 s ago, under one default and right after another was set.
#[test]
fn each_change_of_settings_for_each_item() {
    let defaults =
        [("off", Sent::Absent), ("-1", Sent::Whole(-1)), ("3", Sent::Whole(3)), ("7", Sent::Whole(7))];
    let mut lines = vec![line(["defaultTtl", "no ttl", "ttl -1", "ttl 4", "ttl 9"])];
    for (before, old) in defaults {
        for (after, new) in defaults.into_iter().filter(|(after, _)| *after != before) {
            let seen = [Sent::Absent, Sent::Whole(-1), Sent::Whole(4), Sent::Whole(9)].map(|ttl| {
                let (mut world, mut choose) = (open(0, old), Preferences::default());
                world.answer(&create(ttl), &mut choose);
                world.wait(5);
                let was = world.visible(A).is_some();
                world.answer(&Request::Configure(consistent(new)), &mut choose);
                match (was, world.visible(A).is_some()) {
                    (true, true) => "stays",
                    (true, false) => "hidden",
                    (false, true) => "back or gone",
                    (false, false) => "stays hidden",
                }
            });
            lines.push(line([&*format!("{before} to {after}")].into_iter().chain(seen)));
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}
