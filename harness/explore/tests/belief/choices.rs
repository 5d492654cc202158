//! The choices of the model are those of the clauses.

use std::collections::BTreeMap;

use cosmos_ttl_harness::clauses::Binds;
use cosmos_ttl_harness::embedded;
use cosmos_ttl_model::choices::{self, OpenChoice};

#[test]
fn every_open_clause_is_a_choice_of_the_model_with_its_values_and_its_reach() {
    let suite = embedded().unwrap();
    let of_clauses: BTreeMap<_, _> = suite
        .catalogue
        .clauses()
        .filter_map(|clause| {
            let mut values = clause.values.clone();
            values.sort_unstable();
            Some((clause.id.clone(), (values, clause.binds?)))
        })
        .collect();
    let of_model: BTreeMap<_, _> = OpenChoice::listed()
        .map(|(choice, values)| {
            let mut values = values.map(str::to_owned).to_vec();
            values.sort_unstable();
            let binds = match choice.binds() {
                choices::Binds::Target => Binds::Target,
                choices::Binds::Item => Binds::Item,
                choices::Binds::Nothing => Binds::Nothing,
            };
            (choice.clause().to_owned(), (values, binds))
        })
        .collect();
    assert_eq!(of_model, of_clauses);
    // A choice that comes with another is of the same clause.
    assert!(OpenChoice::ALL.iter().all(|choice| of_clauses.contains_key(choice.clause())));
}
