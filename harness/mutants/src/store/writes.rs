//! Storing an item.

use super::Store;
use super::row::{Row, RowPast, Says};
use crate::mutation::{By, Counted, Kept, Look, Mutation as M, NewTtl, Return, Write, Written};
use crate::number::whole;
use cosmos_ttl_harness::literal::Literal;
use cosmos_ttl_harness::target::{Document, Properties, Response, Status};

/// How something was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) by: By,
    pub(super) conditional: bool,
    pub(super) about_ttl: bool,
}

impl Sent {
    pub(super) fn new(by: By, conditional: bool) -> Self {
        Self { by, conditional, about_ttl: false }
    }
}

impl Store {
    /// Stores the item in place of what has its id.
    pub(super) fn write(&mut self, status: Status, sent: Sent, document: Document) -> Response {
        let Document { id, mut properties } = document;
        let told = properties.get("_ts").and_then(|ts| whole(ts.as_str(), false));
        properties.retain(|name, _| name != "_ts" && name != "_etag");
        if self.forgets(&id, &properties) {
            return self.show(status, &self.row(id, properties));
        }
        let old = self.rows.iter().position(|row| row.id == id).map(|number| self.rows.remove(number));
        let living = old.as_ref().filter(|old| !self.is_expired(old, &[]));
        self.write_back(&mut properties);
        if let Some(old) = living {
            self.keep_ttl(sent.by, old, &mut properties);
        }
        let restart = living.is_none_or(|old| self.restarts(sent, old, &properties));
        self.tags = self.tags.saturating_add(1);
        let mut row = self.row(id, properties);
        if let Some(old) = living {
            row.past.created = old.past.created;
            row.past.first_deadline = old.past.first_deadline;
            row.past.extra = self.extra(old);
            row.written = if restart { row.written } else { old.written };
            row.tag = if self.errs(M::EtagsStay) { old.tag } else { row.tag };
        } else if let Some(old) = old {
            self.be_reborn(sent.by, old, &mut row);
        } else if self.errs(M::Returns(Return::TsOfDeleted)) {
            let deleted = self.past.deleted.iter().find(|deleted| deleted.id == row.id);
            row.written = deleted.map_or(row.written, |deleted| deleted.written);
        }
        if let Some(M::TakesTs(by)) = self.variant.mutation
            && (by == By::Any || by == sent.by)
        {
            row.written = told.unwrap_or(row.written);
        }
        let deadline = self.deadline(&row);
        row.past.first_deadline = row.past.first_deadline.or(deadline);
        let response = self.show(status, &row);
        self.rows.push(row);
        response
    }

    fn forgets(&self, id: &str, properties: &Properties) -> bool {
        self.errs(M::ForgetsInvalidWhileOff) && self.own(&[By::Any], id, properties).is_err()
    }

    fn row(&self, id: String, properties: Properties) -> Row {
        let past = RowPast {
            created: self.now,
            moment: self.past.moment,
            default: self.default,
            ..RowPast::default()
        };
        let written = self.now.saturating_add(self.past.spread);
        Row { id, properties, written, tag: self.tags, latched: false, past }
    }

    fn write_back(&self, properties: &mut Properties) {
        let Some(M::WritesBack(written)) = self.variant.mutation else { return };
        let ttl = match (written, self.default) {
            (Written::Default, Says::For(seconds)) => seconds.to_string(),
            (Written::MinusOne, Says::Never) => "-1".into(),
            (Written::NoTtlWhileOff, Says::Nothing) => {
                properties.remove("ttl");
                return;
            }
            _ => return,
        };
        if !properties.contains_key("ttl") {
            set_ttl(properties, &ttl);
        }
    }

    /// Takes the old `ttl` over, where that is the mutation.
    fn keep_ttl(&self, by: By, old: &Row, properties: &mut Properties) {
        let (before, now) = (old.properties.get("ttl"), properties.get("ttl"));
        let number = |ttl: Option<&Literal>| ttl.and_then(|ttl| whole(ttl.as_str(), false));
        let keeps = match self.variant.mutation {
            Some(M::KeepsTtl(wrongly)) => now.is_none() && (wrongly == By::Any || wrongly == by),
            Some(M::NewTtl(NewTtl::IsIgnored)) => now.is_some(),
            Some(M::NewTtl(NewTtl::OnlyShortens)) => number(before) < number(now),
            Some(M::NewTtl(NewTtl::OnlyLengthens)) => now.is_some() && number(now) < number(before),
            Some(M::NewTtl(NewTtl::RemovedMeansNever)) if before.is_some() && now.is_none() => {
                set_ttl(properties, "-1");
                return;
            }
            _ => false,
        };
        if keeps && let Some(before) = before {
            properties.insert("ttl".into(), before.clone());
        }
    }

    /// What is left of the old life, where a new one is added to it.
    fn extra(&self, old: &Row) -> i128 {
        match self.deadline(old) {
            Some(deadline) if self.errs(M::NewTtl(NewTtl::IsAdded)) => deadline.saturating_sub(self.now),
            _ => 0,
        }
    }

    fn restarts(&self, sent: Sent, old: &Row, properties: &Properties) -> bool {
        let same = old.properties == *properties;
        let other_ttl = old.properties.get("ttl") != properties.get("ttl");
        match self.variant.mutation {
            Some(M::NewTtl(NewTtl::CountsFromOldTs)) => !other_ttl,
            Some(M::NoRestart(write)) => !match write {
                Write::Replace => sent.by == By::Replace,
                Write::ConditionalReplace => sent.by == By::Replace && sent.conditional,
                Write::Upsert => sent.by == By::Upsert,
                Write::Patch => sent.by == By::Patch,
                Write::PatchOfOthers => sent.by == By::Patch && !sent.about_ttl,
                Write::PatchOfTtl => sent.by == By::Patch && sent.about_ttl,
                Write::InBatch => self.batch,
                Write::IdenticalReplace => same && sent.by == By::Replace,
                Write::IdenticalUpsert => same && sent.by == By::Upsert,
                Write::IdenticalPatch => same && sent.by == By::Patch,
                Write::WithOwnTtl => properties.contains_key("ttl"),
            },
            _ => true,
        }
    }

    /// What a new item has of the expired one that it takes the place of: nothing, if all is well.
    fn be_reborn(&mut self, by: By, old: Row, row: &mut Row) {
        if let Some(M::Reborn(wrongly, kept)) = self.variant.mutation
            && (wrongly == By::Any || wrongly == by)
        {
            match kept {
                Kept::Ts => row.written = old.written,
                Kept::Etag => row.tag = old.tag,
                Kept::Ttl | Kept::Content => {
                    let kept =
                        old.properties.iter().filter(|(name, _)| kept == Kept::Content || *name == "ttl");
                    for (name, value) in kept {
                        row.properties.entry(name.clone()).or_insert_with(|| value.clone());
                    }
                }
            }
        }
        let remembered = [M::Returns(Return::Overwritten), M::Counts(Counted::Overwritten)];
        if remembered.iter().any(|mutation| self.errs(*mutation)) {
            self.past.overwritten.push(old);
        }
    }

    /// Restarts the count of living items, and of whatever else these are.
    pub(super) fn restart(&mut self, which: impl Fn(&Row) -> bool) {
        let now = self.now;
        self.rows.iter_mut().filter(|row| which(row)).for_each(|row| row.written = now);
    }

    /// Restarts the count of every item that is seen.
    pub(super) fn restart_seen(&mut self, look: Look) {
        let seen: Vec<_> = self.listed(look).map(|row| row.tag).collect();
        self.restart(|row| seen.contains(&row.tag));
    }
}

fn set_ttl(properties: &mut Properties, text: &str) {
    if let Ok(ttl) = Literal::parse(text) {
        properties.insert("ttl".into(), ttl);
    }
}
