"""@TITLE@

    pip install azure-cosmos
    python3 ask.py URL                  # the account's key is in COSMOS_TTL_KEY
    cosmos-ttl judge --sole-writer --evidence ask.log
"""

import json
import os
import sys
import time

from azure.core import MatchConditions
from azure.cosmos import CosmosClient, PartitionKey
from azure.cosmos.exceptions import CosmosHttpResponseError

STEPS = r"""
@STEPS@
"""

log = open("ask.log", "w", encoding="utf-8")
(url,) = sys.argv[1:]
key = os.environ["COSMOS_TTL_KEY"]
name = f"cosmos-ttl-{int(time.time())}-{os.getpid()}-{os.urandom(8).hex()}"
database = CosmosClient(url, key).create_database(name)
container, partition = database.get_container_client("c"), PartitionKey("/pk")


def send(word, asked, **more):
    item = asked.get("item", {}) | {"pk": "p"}
    match word:
        case "create-container":
            database.create_container("c", partition, default_ttl=asked.get("defaultTtl"), **more)
        case "replace-container":
            database.replace_container("c", partition, default_ttl=asked.get("defaultTtl"), **more)
        case "create":
            return {"item": container.create_item(item, **more)}
        case "upsert":
            return {"item": container.upsert_item(item, **more)}
        case "replace":
            if "if-match" in asked:
                more |= {"etag": asked["if-match"], "match_condition": MatchConditions.IfNotModified}
            return {"item": container.replace_item(item["id"], item, **more)}
        case "read":
            return {"item": container.read_item(asked["id"], "p", **more)}
        case "count":
            found = container.query_items("SELECT VALUE COUNT(1) FROM c", partition_key="p", **more)
            return {"count": next(iter(found))}


etag = ""
try:
    steps = STEPS.split("\n")[1:-1]
    for text in steps:
        request = json.loads(text.replace("@ETAG@", json.dumps(etag)[1:-1]))
        ((word, asked),) = request.items()
        if word == "wait":
            time.sleep(asked)
            continue
        statuses = []
        sent = time.monotonic()
        try:
            hook = lambda response: statuses.append(response.http_response.status_code)
            answer = send(word, asked, raw_response_hook=hook) or {}
        except CosmosHttpResponseError as error:
            # What is no JSON comes from elsewhere than from the service.
            json.loads(error.response.text())
            statuses, answer = [error.status_code], {}
        answer = {"status": statuses[-1]} | answer
        etag = answer["item"]["_etag"] if "item" in answer else etag
        line = {"sent": sent, "received": time.monotonic(), "container": name, "request": request, "answer": answer}
        print(json.dumps(line), file=log)
        print(answer["status"], answer.get("count", ""), json.dumps(request))
        if answer["status"] >= 400 and text != steps[-1]:
            sys.exit("error: refused, so the next requests would show nothing")
finally:
    database.client_connection.DeleteDatabase(database.database_link)
