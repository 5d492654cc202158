"""Writes a log for `cosmos-ttl judge` of what azure-cosmos sends, each attempt a line; see harness/explore/LOGS.md:

    client = CosmosClient(url, key, transport=LoggingTransport("requests.log"))
"""

import json
import threading
import time
from urllib.parse import unquote, urlsplit

from azure.core.pipeline.transport import RequestsTransport


class LoggingTransport(RequestsTransport):
    def __init__(self, path, **more):
        super().__init__(**more)
        self.log, self.lock, self.deleted = open(path, "w", encoding="utf-8"), threading.Lock(), {}

    def send(self, request, **more):
        line, answer = {"sent": time.monotonic()}, None
        try:
            response = super().send(request, **more)
            answer = (response.status_code, as_json(response.body()))
            return response
        finally:
            if answer:
                line |= {"received": time.monotonic(), "answer": {"status": answer[0]}}
            path = [unquote(part) for part in urlsplit(request.url).path.strip("/").split("/")]
            if path[0] == "dbs" and len(path) > 2 and not request.headers.get("x-ms-documentdb-isquery"):
                self.write(line, path, request, as_json(request.body), answer and answer[1])

    def write(self, line, path, request, body, item):
        is_item = path[4:5] == ["docs"]
        container = f"{path[1]}/{path[3] if len(path) > 3 else (body or {}).get('id')}"
        asked = (of_item if is_item else of_container)(request.method, path[5:], request.headers, body)
        with self.lock:
            # A container that was deleted and is made anew is another one.
            line |= {"container": f"{container}#{self.deleted.get(container, 0)}", "request": asked}
            if is_item:
                line["partition"] = request.headers.get("x-ms-documentdb-partitionkey")
                if "answer" in line and line["answer"]["status"] < 300 and isinstance(item, dict) and "id" in item:
                    line["answer"]["item"] = item
            elif request.method == "DELETE" and len(path) == 4:
                self.deleted[container] = self.deleted.get(container, 0) + 1
            if asked:
                print(json.dumps(line), file=self.log, flush=True)


def as_json(text):
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def of_container(method, _, headers, body):
    word = {"POST": "create-container", "PUT": "replace-container"}.get(method)
    mode = ((body or {}).get("indexingPolicy") or {}).get("indexingMode", "consistent")
    return word and {word: {"indexing": mode.lower()} | {k: v for k, v in (body or {}).items() if k == "defaultTtl"}}


def of_item(method, item, headers, body):
    match = {"if-match": headers["if-match"]} if headers.get("if-match") else {}
    item = {"id": item[0]} if item else {}
    if method == "POST" and headers.get("x-ms-cosmos-is-batch-request"):
        return {"batch": None}  # It is not told: what is known of the partition is forgotten.
    if method == "PATCH":
        steps = body["operations"] if isinstance(body, dict) else body
        plain = all(step["op"] in ("set", "add", "remove") and step["path"].count("/") == 1 for step in steps)
        changed = {step["path"][1:]: step["value"] for step in steps if "value" in step} if plain else None
        return {"patch": item | match | {"set": changed, "remove": [s["path"][1:] for s in steps if s["op"] == "remove"]}}
    word = "upsert" if str(headers.get("x-ms-documentdb-is-upsert")).lower() == "true" else "create"
    asked = {"POST": {word: {"item": body}}, "PUT": {"replace": {"item": body} | match}, "DELETE": {"delete": item | match}}
    return {"read": item} if method == "GET" and item else asked.get(method)
