//! The databases of earlier runs that were killed: found by their names, and deleted only if the user asks for it.

use std::time::{Duration, SystemTime};

use cosmos_ttl_harness::target::{Fault, Id};
use serde::Deserialize;

use super::HttpTarget;
use super::client::HttpResponse;
use super::wire;

/// The start of the name of every database of this crate.
const PREFIX: &str = "cosmos-ttl-";
/// More pages than this are not read.
const MOST_PAGES: usize = 20;
const CONTINUATION: &str = "x-ms-continuation";

/// A database of an earlier run, or of a run that goes on elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leftover {
    /// Its name.
    pub name: String,
    /// Its age, by the clock that dates requests.
    pub age: Duration,
}

#[derive(Deserialize)]
struct DatabasePage {
    #[serde(rename = "Databases")]
    databases: Vec<DatabaseEntry>,
}

#[derive(Deserialize)]
struct DatabaseEntry {
    id: Id,
}

/// Returns the name of a new database: the time in seconds, the process, and 64 bits.
pub(super) fn database_name(created_s: u64, process: u32, random: u64) -> String {
    format!("{PREFIX}{created_s}-{process}-{random:016x}")
}

/// Returns when the database with this name was created, in seconds since 1970; `None` where no run has named it.
fn created_s(name: &str) -> Option<u64> {
    let [created_s, process, random] =
        name.strip_prefix(PREFIX)?.split('-').collect::<Vec<_>>().try_into().ok()?;
    let (created_s, process) = (created_s.parse().ok()?, process.parse().ok()?);
    let random = u64::from_str_radix(random, 16).ok()?;
    // Whatever is written in another way is not ours: an upper-case letter, a sign, a zero in front.
    (database_name(created_s, process, random) == name).then_some(created_s)
}

impl HttpTarget {
    /// Lists the databases of other runs at the endpoint, oldest first. Reads only.
    ///
    /// A database is recognised by its whole name, and no other one is listed. Its run may still go on.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the endpoint does not list its databases.
    pub fn leftovers(&self) -> Result<Vec<Leftover>, Fault> {
        let mut request = wire::list_databases();
        let mut found = Vec::new();
        for _ in 0..MOST_PAGES {
            let answer = self.client.send(&request, &self.gate)?;
            found.extend(self.leftovers_of(&answer)?);
            match answer.headers.get(CONTINUATION).filter(|next| !next.is_empty()) {
                Some(next) => request.headers.insert(CONTINUATION, next.clone()),
                None => break,
            };
        }
        found.sort_by(|one, other| (other.age, &one.name).cmp(&(one.age, &other.name)));
        Ok(found)
    }

    fn leftovers_of(&self, answer: &HttpResponse) -> Result<Vec<Leftover>, Fault> {
        let wanted = "`Databases`, a list of databases with an `id` each";
        let page = Some(&answer.body).filter(|_| answer.status == 200);
        let page: Option<DatabasePage> = page.and_then(|body| serde_json::from_slice(body).ok());
        let names = page.ok_or_else(|| answer.noise(wanted))?.databases.into_iter().map(|entry| entry.id);
        let now = (self.client.config.date)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let leftover = |name: String| {
            let age = now.saturating_sub(Duration::from_secs(created_s(&name)?));
            (name != self.database).then_some(Leftover { name, age })
        };
        Ok(names.filter_map(leftover).collect())
    }

    /// Deletes the database of another run.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] if no run names a database so; any other [`Fault`] if it could not be deleted.
    pub fn delete_leftover(&self, name: &str) -> Result<(), Fault> {
        if created_s(name).is_none() {
            let form = database_name(1_767_225_600, 4242, 0x0123_4567_89ab_cdef);
            let why = format!(
                "no run names a database `{name}`, so it is left alone; such a name looks like {form}"
            );
            return Err(Fault::Misuse(why));
        }
        let answer = self.client.send(&wire::delete_database(name), &self.gate)?;
        match answer.status {
            200 | 204 | 404 => Ok(()),
            _ => Err(answer.noise("having deleted the database, for which 204 is the answer")),
        }
    }

    /// Returns the command that deletes this database, or every one that is old, where no name is given.
    pub fn cleanup_command(&self, name: &str) -> String {
        let command = format!("cosmos-ttl cleanup {} {name}", self.client.config.endpoint.base);
        command.trim_end().to_owned()
    }
}
