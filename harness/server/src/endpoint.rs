//! The endpoint without its sockets: admits a request, answers it, and adds what every answer carries.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::account::Account;
use crate::answer::{RestAnswer, RestRefusal};
use crate::clock::AccountClock;
use crate::config::EndpointConfig;
use crate::rest::{ParsedPath, Resource, RestRequest};
use crate::{control, definitions, feeds, items};

/// A request that may be answered, with what its path names.
#[derive(Clone, Debug)]
pub struct Admitted(AskedFor);

#[derive(Clone, Debug)]
enum AskedFor {
    /// A control request, by its path.
    Control(String),
    /// A signed request about a resource.
    Rest(Resource),
}

/// An account of Cosmos DB in memory.
#[derive(Debug)]
pub struct CosmosEndpoint {
    config: EndpointConfig,
    account: Mutex<Account>,
    activities: AtomicU64,
}

impl CosmosEndpoint {
    /// Returns an empty account.
    pub fn new(config: EndpointConfig) -> Self {
        let clock = AccountClock::new(config.clock, config.machine_clock);
        let account = Mutex::new(Account::new(clock, config.removal));
        Self { config, account, activities: AtomicU64::new(0) }
    }

    /// Decides by its head alone whether a request is answered. The body is not looked at.
    ///
    /// # Errors
    ///
    /// 501 if the path names nothing that is offered, 401 or 403 if the request may not be made.
    pub fn admit(&self, request: &RestRequest) -> Result<Admitted, RestRefusal> {
        if let Some(path) = request.path.strip_prefix(control::PREFIX) {
            control::admit(request, self.config.control)?;
            return Ok(Admitted(AskedFor::Control(path.trim_matches('/').to_owned())));
        }
        let ParsedPath { resource, signed } = ParsedPath::parse(&request.path)?;
        let Some(key) = &self.config.key else { return Ok(Admitted(AskedFor::Rest(resource))) };
        let now = (self.config.machine_clock)();
        let mut refused = None;
        for (kind, link) in &signed {
            match key.check(request, kind, link, now) {
                Ok(()) => return Ok(Admitted(AskedFor::Rest(resource))),
                Err(refusal) => {
                    refused.get_or_insert(refusal);
                }
            }
        }
        Err(refused.unwrap_or_else(|| RestRefusal::new(401, "the request is not signed")))
    }

    /// Answers a request that was admitted.
    pub fn answer(&self, admitted: &Admitted, request: &RestRequest) -> RestAnswer {
        let mut account = self.account();
        let result = match &admitted.0 {
            AskedFor::Control(path) => control::answer(&self.config, &mut account, path, request),
            AskedFor::Rest(resource) => self.rest(&mut account, resource, request),
        };
        let lsn = account.writes;
        drop(account);
        let answer = result.unwrap_or_else(RestAnswer::from);
        self.finished(answer).with("x-ms-session-token", format!("0:-1#{lsn}"))
    }

    /// Adds what every answer carries.
    pub fn finished(&self, answer: RestAnswer) -> RestAnswer {
        let activity = self.activities.fetch_add(1, Ordering::Relaxed);
        let charge = answer.header("x-ms-request-charge").is_none();
        let answer = answer
            .with("x-ms-activity-id", format!("00000000-0000-0000-0000-{activity:012x}"))
            .with("x-ms-serviceversion", concat!("cosmos-ttl-server ", env!("CARGO_PKG_VERSION")));
        let answer = if charge { answer.with("x-ms-request-charge", "0") } else { answer };
        // So the HTTP target learns without a further request that it may turn the clock.
        if self.config.control { answer.with(control::HEADER, "1") } else { answer }
    }

    /// Admits a request and answers it: what a client sees that sends the whole at once.
    pub fn ask(&self, request: &RestRequest) -> RestAnswer {
        match self.admit(request) {
            Ok(admitted) => self.answer(&admitted, request),
            Err(refusal) => self.finished(refusal.into()),
        }
    }

    fn rest(
        &self,
        account: &mut Account,
        resource: &Resource,
        request: &RestRequest,
    ) -> Result<RestAnswer, RestRefusal> {
        let verb = request.verb.as_str();
        match resource {
            Resource::Account => definitions::account(request),
            Resource::Databases | Resource::Database(_) => definitions::databases(account, resource, request),
            Resource::Containers(_) | Resource::Container(_) | Resource::PartitionRanges(_) => {
                definitions::containers(&self.config, account, resource, request)
            }
            Resource::Items(name) if verb == "GET" => feeds::list(account, name, request),
            Resource::Items(name) if verb == "POST" && request.is_query() => {
                feeds::query(account, name, request)
            }
            Resource::Items(name) => items::of_container(&self.config, account, name, request),
            Resource::PartitionDelete(name) => items::delete_partition(account, name, request),
            Resource::Item(name, id) => items::one(&self.config, account, name, id, request),
        }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
