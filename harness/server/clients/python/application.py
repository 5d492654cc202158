"""Three applications that live on time to live, and every further call that they make, with azure-cosmos:

    cargo run -p cosmos-ttl-server -- --clock virtual
    pip install --require-hashes -r requirements.txt && python3 application.py http://127.0.0.1:8081
"""

import sys
import urllib.request

from azure.core import MatchConditions
from azure.cosmos import CosmosClient, PartitionKey
from azure.cosmos.exceptions import CosmosHttpResponseError

ENDPOINT = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8081"
# The key of every emulator, which is public.
KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="


def control(request):
    urllib.request.urlopen(urllib.request.Request(f"{ENDPOINT}/_ttl/{request}", method="POST")).close()


def advance(seconds):
    control(f"advance?seconds={seconds}")


def refused(status, action, *arguments, **more):
    try:
        action(*arguments, **more)
    except CosmosHttpResponseError as error:
        assert error.status_code == status, error
    else:
        raise AssertionError("not refused")


control("reset")
# Expired items are stored on: no answer may have one.
control("removal?schedule=by-hand")
database = CosmosClient(ENDPOINT, KEY).create_database("shop")

print("sessions: each use restarts the count")
sessions = database.create_container("sessions", PartitionKey(path="/user"), default_ttl=30)
for number, user in enumerate(["ada", "ada", "bob", "eve"]):
    sessions.create_item({"id": f"s{number}", "user": user, "hits": number, "data": {"cart": ["tea"], "visits": 1}})
    advance(1)


def find(query, container=sessions, **more):
    rows = container.query_items(query, **({"enable_cross_partition_query": True} | more))
    return list(rows)


def check(expected, query, **more):
    got = find(query, **more)
    assert got == expected, f"{query}: {got}"
    if "partition_key" not in more:
        assert find(query, max_item_count=1, **more) == expected, f"{query}, one by one"


NEWEST = "SELECT VALUE c.id FROM c ORDER BY c._ts DESC"
check(["s3", "s2", "s1", "s0"], NEWEST)
check(["s1", "s0"], NEWEST, partition_key="ada")
check(["s2", "s3"], "SELECT VALUE c.id FROM c WHERE c.hits > 1")
check(["s0"], "SELECT VALUE c.id FROM c WHERE c.hits < 1")
check(["s0", "s1", "s3"], "SELECT VALUE c.id FROM c WHERE c.user != 'bob'")
check(["s2", "s3"], "SELECT VALUE c.id FROM c WHERE c.user IN ('bob', 'eve')")
check(["s0", "s3"], "SELECT VALUE c.id FROM c WHERE c.hits = 0 OR c.user = 'eve'")
check(["s0", "s1", "s2"], "SELECT VALUE c.id FROM c WHERE NOT (c.user = 'eve')")
check(["s0", "s1", "s2", "s3"], "SELECT VALUE c.id FROM c WHERE IS_DEFINED(c.data.cart) AND NOT IS_NULL(c.data)")
check(["s0", "s1"], "SELECT VALUE c.id FROM c WHERE STARTSWITH(c.user, 'a') AND CONTAINS(c.user, 'DA', true)")
check([{"id": "s2", "userId": "bob"}], "SELECT c.id, c.user AS userId FROM c WHERE c.hits = @hits", parameters=[{"name": "@hits", "value": 2}])
check(["s0", "s1"], "SELECT TOP 2 VALUE c.id FROM c ORDER BY c.hits")
check(["s1", "s2"], "SELECT VALUE c.id FROM c ORDER BY c.hits OFFSET 1 LIMIT 2")
check(["ada", "bob", "eve"], "SELECT DISTINCT VALUE c.user FROM c")
check([2], "SELECT VALUE COUNT(1) FROM c WHERE c.user = 'ada'")


def ids(items):
    return [item["id"] for item in items]


assert ids(sessions.read_items([("s0", "ada"), ("s1", "ada"), ("s2", "bob"), ("none", "bob")])) == ["s0", "s1", "s2"]
assert ids(sessions.read_items([("s0", "ada"), ("s1", "ada")])) == ["s0", "s1"]
used = sessions.patch_item("s0", "ada", [
    {"op": "incr", "path": "/hits", "value": 5},
    {"op": "set", "path": "/data/visits", "value": 2},
    {"op": "add", "path": "/data/cart/-", "value": "milk"},
])
assert (used["hits"], used["data"]) == (5, {"cart": ["tea", "milk"], "visits": 2}), used
filtered = {"patch_operations": [{"op": "incr", "path": "/hits", "value": 1}], "filter_predicate": "FROM c WHERE c.hits = 5"}
assert sessions.patch_item("s0", "ada", **filtered)["hits"] == 6
refused(412, sessions.patch_item, "s0", "ada", **filtered)
refused(400, sessions.patch_item, "s0", "ada", [{"op": "replace", "path": "/data/absent", "value": 1}])
moved = sessions.patch_item("s0", "ada", [{"op": "move", "from": "/data/visits", "path": "/visits"}])
assert (moved["visits"], moved["data"]) == (2, {"cart": ["tea", "milk"]}), moved
advance(28)
check(["s0", "s3"], "SELECT VALUE c.id FROM c ORDER BY c.id")
assert ids(sessions.read_items([("s0", "ada"), ("s1", "ada"), ("s2", "bob")])) == ["s0"]
check([2], "SELECT VALUE COUNT(1) FROM c")
etag = sessions.read_item("s0", "ada")["_etag"]
not_modified = {"access_condition": {"type": "IfNoneMatch", "condition": etag}}
assert not sessions.read_item("s0", "ada", **not_modified)
advance(2)
refused(404, sessions.read_item, "s0", "ada", **not_modified)

print("an outbox: what was sent is kept for a day")
outbox = database.create_container("outbox", PartitionKey(path="/order"), default_ttl=-1)
event = lambda number: {"id": f"e{number}", "order": "o1", "sent": False, "n": number}
outbox.execute_item_batch([("create", (event(number),)) for number in range(5)], partition_key="o1")
oldest = "SELECT * FROM c WHERE c.sent = false ORDER BY c.n"
pages = outbox.query_items(oldest, partition_key="o1", max_item_count=2).by_page()
for page in pages:
    for item in page:
        outbox.patch_item(item["id"], "o1", [{"op": "set", "path": "/sent", "value": True}, {"op": "set", "path": "/ttl", "value": 86400}])
assert find(oldest, outbox) == []
sent = [("patch", ("e0", [{"op": "incr", "path": "/n", "value": 1}]), {"filter_predicate": "FROM c WHERE c.sent = true"})]
assert outbox.execute_item_batch(sent, partition_key="o1")[0]["resourceBody"]["n"] == 1
advance(86399)
assert find("SELECT VALUE COUNT(1) FROM c", outbox) == [5]
advance(1)
assert find("SELECT VALUE COUNT(1) FROM c", outbox) == [0]

print("idempotency keys: free again after a minute")
keys = database.create_container("keys", PartitionKey(path="/id"), default_ttl=60)
absent = {"match_condition": MatchConditions.IfMissing}
keys.create_item({"id": "k"}, **absent)
refused(409, keys.create_item, {"id": "k"}, **absent)
refused(412, keys.upsert_item, {"id": "k"}, **absent)
advance(60)
stored = keys.upsert_item({"id": "k"}, **absent)
unchanged = {"match_condition": MatchConditions.IfNotModified, "etag": stored["_etag"]}
keys.upsert_item({"id": "k", "n": 1}, **unchanged)
refused(412, keys.upsert_item, {"id": "k", "n": 2}, **unchanged)
assert ids(keys.read_items([("k", "k"), ("l", "l")])) == ["k"]

print("a hierarchical key, by its first values, and the delete of a partition")
tenants = database.create_container("tenants", PartitionKey(path=["/tenant", "/user", "/device"], kind="MultiHash"), default_ttl=10)
for tenant, user, device in [("x", "ada", 1), ("x", "ada", 2), ("x", "bob", 1), ("y", "ada", 1)]:
    tenants.create_item({"id": f"{tenant}-{user}-{device}", "tenant": tenant, "user": user, "device": device})
named = lambda key: find("SELECT VALUE c.id FROM c ORDER BY c.id", tenants, partition_key=key)
assert named(["x"]) == ["x-ada-1", "x-ada-2", "x-bob-1"], named(["x"])
assert named(["x", "ada"]) == ["x-ada-1", "x-ada-2"]
assert named(["x", "ada", 1]) == ["x-ada-1"]
tenants.delete_all_items_by_partition_key(["x", "ada", 1])
assert named(["x"]) == ["x-ada-2", "x-bob-1"]
advance(10)
assert named(["x"]) == []

print("what is not offered says so")
for query in ["SELECT * FROM c JOIN t IN c.tags", "SELECT c.user, COUNT(1) FROM c GROUP BY c.user", "SELECT UPPER(c.id) FROM c"]:
    refused(501, find, query)
refused(400, find, "SELECT * FROM c WHERE")
refused(501, lambda: list(sessions.query_items_change_feed(start_time="Beginning")))

print("every call of the applications is answered")
