"""Time to live with azure-cosmos, against cosmos-ttl-server with a virtual clock:

    cargo run -p cosmos-ttl-server -- --clock virtual
    pip install --require-hashes -r requirements.txt && python3 example.py http://127.0.0.1:8081
"""

import sys
import urllib.request

from azure.cosmos import CosmosClient, PartitionKey
from azure.cosmos.exceptions import CosmosBatchOperationError, CosmosHttpResponseError

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
        print(f"  refused with {error.status_code}: {error.message.splitlines()[0]}")
    else:
        raise AssertionError("not refused")


def ids(container):
    return sorted(item["id"] for item in container.query_items("SELECT * FROM c", enable_cross_partition_query=True))


def count(container):
    return next(iter(container.query_items("SELECT VALUE COUNT(1) FROM c", enable_cross_partition_query=True)))


control("reset")
key = PartitionKey(path="/customer")
database = CosmosClient(ENDPOINT, KEY).create_database("shop")

print("containers with every kind of defaultTtl")
off = database.create_container("off", key)
on = database.create_container("on", key, default_ttl=-1)
carts = database.create_container("carts", key, default_ttl=10)
database.create_container("longest", key, default_ttl=2147483647)
# The client cannot send null: it leaves None out. Whether 10.0 is refused is open; this server refuses it by default.
WRONG = [0, -2, 2147483648, "10", 10.5, 10.0, True, {}]
for wrong in WRONG:
    refused(400, database.create_container, "wrong", key, default_ttl=wrong)

print("items with every kind of ttl")
for container in [off, on, carts]:
    container.create_item({"id": "absent", "customer": "ada"})
    container.create_item({"id": "never", "customer": "ada", "ttl": -1})
    container.create_item({"id": "five", "customer": "ada", "ttl": 5})
    container.create_item({"id": "longest", "customer": "ada", "ttl": 2147483647})
    container.delete_item("longest", "ada")
    for wrong in [None, *WRONG]:
        refused(400, container.create_item, {"id": "wrong", "customer": "ada", "ttl": wrong})

print("five seconds later only items with a ttl of five are gone, where time to live is on")
advance(5)
assert ids(off) == ["absent", "five", "never"]
assert ids(on) == ["absent", "never"]
assert ids(carts) == ["absent", "never"]
refused(404, carts.read_item, "five", "ada")
refused(404, carts.delete_item, "five", "ada")

print("a patch counts as a write, a read does not")
carts.patch_item("absent", "ada", [{"op": "set", "path": "/ttl", "value": 20}])
advance(19)
carts.read_item("absent", "ada")
assert ids(carts) == ["absent", "never"]
advance(1)
assert ids(carts) == ["never"]

print("a batch has all of its effects or none, and the id of an expired item is free")
write = lambda id, ttl: ("create", ({"id": id, "customer": "ada", "ttl": ttl},))
try:
    carts.execute_item_batch([write("five", 5), write("wrong", 0)], partition_key="ada")
    raise AssertionError("not refused")
except CosmosBatchOperationError as error:
    assert [one["statusCode"] for one in error.operation_responses] == [424, 400], error
    print(f"  operation {error.error_index} refused with {error.status_code}")
written = carts.execute_item_batch([write("five", 5), write("six", 6)], partition_key="ada")
assert [one["statusCode"] for one in written] == [201, 201]

print("pages and counts")
for number in range(7):
    carts.upsert_item({"id": f"page-{number}", "customer": f"customer-{number % 3}"})
query = {"query": "SELECT c.id FROM c", "enable_cross_partition_query": True, "max_item_count": 4}
sizes = [len(list(page)) for page in carts.query_items(**query).by_page()]
assert sum(sizes) == 10 and max(sizes) <= 4, sizes
assert count(carts) == 10
of_one = [{"name": "@customer", "value": "customer-0"}]
assert len(list(carts.query_items("SELECT * FROM c WHERE c.customer = @customer", of_one, partition_key="customer-0"))) == 3

print("off, on and over under living items")
control("removal?schedule=by-hand")
advance(6)
assert count(carts) == 8
database.replace_container(carts, key)
assert count(carts) == 10  # Items that had expired and were still stored reappear.
database.replace_container(carts, key, default_ttl=4)
assert count(carts) == 1
control("remove-expired")
database.replace_container(carts, key, default_ttl=100)
assert ids(carts) == ["never"]  # What was removed never comes back.

print("as the clauses say")
