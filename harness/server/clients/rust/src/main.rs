//! Time to live with `azure_data_cosmos`, against cosmos-ttl-server with a virtual clock:
//!
//! ```sh
//! cargo run -p cosmos-ttl-server -- --clock virtual
//! cargo run --manifest-path harness/server/clients/rust/Cargo.toml http://127.0.0.1:8081
//! ```

use std::error::Error;
use std::num::NonZeroU32;

use azure_data_cosmos::models::{ContainerProperties, PatchInstructions, PatchOperation, TimeToLive};
use azure_data_cosmos::options::{BinaryEncodingOptions, MaxItemCountHint, QueryOptions};
use azure_data_cosmos::{
    AccountEndpoint, AccountReference, ContainerClient, CosmosClient, DatabaseClient, FeedScope, Query,
    RoutingStrategy, TransactionalBatch,
};
use futures::TryStreamExt as _;
use serde_json::{Value, json};

/// The key of every emulator, which is public.
const KEY: &str = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const CUSTOMER: &str = "ada";

struct Clock {
    http: reqwest::Client,
    endpoint: String,
}

impl Clock {
    async fn control(&self, request: &str) {
        let answer = self.http.post(format!("{}/_ttl/{request}", self.endpoint)).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{request}");
    }

    async fn advance(&self, by_s: u32) {
        self.control(&format!("advance?seconds={by_s}")).await;
    }
}

#[track_caller]
fn refused<T>(status: u16, result: azure_data_cosmos::Result<T>) {
    let Err(error) = result else { panic!("not refused") };
    println!("  refused with {}: {error}", error.status());
    assert_eq!(u16::from(error.status().status_code()), status);
}

/// Returns a container's settings; `Forever` switches time to live off.
fn settings(id: &str, ttl: TimeToLive) -> ContainerProperties {
    ContainerProperties::new(id.to_owned(), "/customer".into()).with_default_ttl(ttl)
}

async fn define(
    database: &DatabaseClient,
    id: &str,
    ttl: TimeToLive,
) -> azure_data_cosmos::Result<ContainerClient> {
    database.create_container(settings(id, ttl), None).await?;
    database.container_client(id.to_owned(), None).await
}

async fn ids(container: &ContainerClient) -> azure_data_cosmos::Result<Vec<String>> {
    let items = container.query_items::<Value>("SELECT * FROM c", FeedScope::full_container(), None).await?;
    let items: Vec<_> = items.try_collect().await?;
    let mut ids: Vec<_> = items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    Ok(ids)
}

async fn count(container: &ContainerClient) -> azure_data_cosmos::Result<u64> {
    let query = "SELECT VALUE COUNT(1) FROM c";
    let counts = container.query_items::<u64>(query, FeedScope::full_container(), None).await?;
    Ok(counts.try_collect::<Vec<_>>().await?.iter().sum())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let endpoint = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8081".to_owned());
    let account =
        AccountReference::with_authentication_key(endpoint.parse::<AccountEndpoint>()?, KEY.to_owned());
    // The server reads JSON as text, as Microsoft's emulator for Linux does.
    let text = BinaryEncodingOptions::new().with_enabled(false);
    let client = CosmosClient::builder()
        .with_binary_encoding_options(text)
        .build(account, RoutingStrategy::PreferredRegions(Vec::new()))
        .await?;
    let clock = Clock { http: reqwest::Client::new(), endpoint };
    clock.control("reset").await;
    client.create_database("shop", None).await?;
    let database = client.database_client("shop");

    println!("containers with every kind of defaultTtl");
    let off = define(&database, "off", TimeToLive::Forever).await?;
    let on = define(&database, "on", TimeToLive::NoDefault).await?;
    let carts = define(&database, "carts", TimeToLive::Seconds(10)).await?;
    define(&database, "longest", TimeToLive::Seconds(2_147_483_647)).await?;
    // The client's type can hold neither null nor other wrong values than these.
    for wrong in [0, 2_147_483_648] {
        refused(400, define(&database, "wrong", TimeToLive::Seconds(wrong)).await);
    }

    println!("items with every kind of ttl");
    for container in [&off, &on, &carts] {
        let create = async |id: &str, more: Option<Value>| {
            let mut item = json!({"id": id, "customer": CUSTOMER});
            if let Some(ttl) = more {
                item["ttl"] = ttl;
            }
            container.create_item(CUSTOMER, id, item, None).await
        };
        create("absent", None).await?;
        create("never", Some(json!(-1))).await?;
        create("five", Some(json!(5))).await?;
        create("longest", Some(json!(2_147_483_647))).await?;
        container.delete_item(CUSTOMER, "longest", None).await?;
        // Whether 10.0 is refused is open; this server refuses it by default.
        let numbers = [json!(0), json!(-2), json!(2_147_483_648_u64), json!(10.5), json!(10.0)];
        for wrong in numbers.into_iter().chain([json!(null), json!("10"), json!(true), json!({})]) {
            refused(400, create("wrong", Some(wrong)).await);
        }
    }

    println!("five seconds later only items with a ttl of five are gone, where time to live is on");
    clock.advance(5).await;
    assert_eq!(ids(&off).await?, ["absent", "five", "never"]);
    assert_eq!(ids(&on).await?, ["absent", "never"]);
    assert_eq!(ids(&carts).await?, ["absent", "never"]);
    refused(404, carts.read_item(CUSTOMER, "five", None).await);
    refused(404, carts.delete_item(CUSTOMER, "five", None).await);

    println!("a patch counts as a write, a read does not");
    let longer = PatchInstructions::from(vec![PatchOperation::set("/ttl", json!(20))]);
    carts.patch_item(CUSTOMER, "absent", longer, None).await?;
    clock.advance(19).await;
    carts.read_item(CUSTOMER, "absent", None).await?;
    assert_eq!(ids(&carts).await?, ["absent", "never"]);
    clock.advance(1).await;
    assert_eq!(ids(&carts).await?, ["never"]);

    println!("a batch has all of its effects or none, and the id of an expired item is free");
    let item = |id: &str, ttl: i32| json!({"id": id, "customer": CUSTOMER, "ttl": ttl});
    let statuses = async |items: [Value; 2]| -> azure_data_cosmos::Result<Vec<u16>> {
        let [first, second] = items;
        let batch = TransactionalBatch::new(CUSTOMER).create_item(first)?.create_item(second)?;
        let response = carts.execute_transactional_batch(batch, None).await?.into_model()?;
        Ok(response.results().iter().map(|one| one.status_code()).collect())
    };
    assert_eq!(statuses([item("five", 5), item("wrong", 0)]).await?, [424, 400]);
    assert_eq!(statuses([item("five", 5), item("six", 6)]).await?, [201, 201]);

    println!("pages and counts");
    for number in 0..7 {
        let (id, customer) = (format!("page-{number}"), format!("customer-{}", number % 3));
        let item = json!({"id": id, "customer": customer});
        carts.upsert_item(customer, &id, item, None).await?;
    }
    let four = MaxItemCountHint::Limit(NonZeroU32::new(4).unwrap());
    let options = QueryOptions::default().with_max_item_count(four);
    let pages = carts
        .query_items::<Value>("SELECT c.id FROM c", FeedScope::full_container(), Some(options))
        .await?
        .into_pages();
    let sizes: Vec<_> = pages.map_ok(|page| page.items().len()).try_collect().await?;
    assert!(sizes.iter().sum::<usize>() == 10 && sizes.iter().all(|size| *size <= 4), "{sizes:?}");
    assert_eq!(count(&carts).await?, 10);
    let of_one = Query::from("SELECT * FROM c WHERE c.customer = @customer")
        .with_parameter("@customer", "customer-0")?;
    let of_one = carts.query_items::<Value>(of_one, FeedScope::partition("customer-0"), None).await?;
    assert_eq!(of_one.try_collect::<Vec<_>>().await?.len(), 3);

    println!("off, on and over under living items");
    clock.control("removal?schedule=by-hand").await;
    clock.advance(6).await;
    assert_eq!(count(&carts).await?, 8);
    carts.replace(settings("carts", TimeToLive::Forever), None).await?;
    // Items that had expired and were still stored reappear.
    assert_eq!(count(&carts).await?, 10);
    carts.replace(settings("carts", TimeToLive::Seconds(4)), None).await?;
    assert_eq!(count(&carts).await?, 1);
    clock.control("remove-expired").await;
    carts.replace(settings("carts", TimeToLive::Seconds(100)), None).await?;
    // What was removed never comes back.
    assert_eq!(ids(&carts).await?, ["never"]);

    println!("as the clauses say");
    Ok(())
}
