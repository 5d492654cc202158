"""Puts `store.py` behind the process protocol (PROTOCOL.md): a line comes in, the store is called, a line goes out.

It translates and decides nothing: every property, null and number reaches the store as it was sent.
"""

import json
import sys
import traceback

from store import ABOUT, Refused, Store

START = 1_700_000_000  # where the clock of every session begins


def request(store, asked, options={}):
    match asked:
        case {"query": _} | {"list": _} if "page" in options:
            ids, more = store.page(options["page"]["size"], options["page"].get("continuation"))
            return {"status": "ok", "ids": ids, **({"continuation": ids[-1]} if more else {})}
        case {"create-container": it}:
            store.create_container(it)
            return {"status": "created", **settings(store)}
        case {"replace-container": it}:
            store.replace_container(it)
            return {"status": "ok", **settings(store)}
        case {"read-container": _}: return {"status": "ok", **settings(store)}
        case {"delete-container": _}:
            store.delete_container()
            return {"status": "no-content"}
        case {"create": it}: return {"status": "created", "item": store.create(it["item"])}
        case {"upsert": it}:
            item, is_new = store.upsert(it["item"], options.get("if-match"))
            return {"status": "created" if is_new else "ok", "item": item}
        case {"replace": it}: return {"status": "ok", "item": store.replace(it["item"], it.get("if-match"))}
        case {"patch": it}:
            operations = [pair for operation in it.get("operations", []) for pair in operation.items()]
            item = store.patch(it["id"], it.get("set", {}), it.get("remove", []), it.get("if-match"), operations)
            return {"status": "ok", "item": item}
        case {"read": it}: return {"status": "found", "item": store.read(it["id"], options.get("if-none-match"))}
        case {"delete": it}:
            store.delete(it["id"], it.get("if-match"))
            return {"status": "no-content"}
        case {"query": _} | {"list": _}: return {"status": "ok", "ids": [item["id"] for item in store.query()]}
        case {"count": _}: return {"status": "ok", "count": len(store.query())}
        case {"read-many": it}:
            return {"status": "ok", "ids": [item["id"] for item in store.query() if item["id"] in it["ids"]]}
        case {"select": it}: return {"status": "ok", **store.select(it)}
        case {"batch": it}:
            done = []
            try:
                with store.atomic(len(it["operations"])):
                    for operation in it["operations"]:
                        done.append(request(store, operation)["status"])
            except Refused as refused:
                return {"status": refused.args[0], "aborted": len(done)}
            return {"status": "ok", "committed": done}
    raise NotImplementedError(f"the request {list(asked)}")  # goes out as `unsupported`


def settings(store):
    return {"container": store.read_container()} if "read-container" in ABOUT["offers"] else {}


def answer(sessions, message):
    match message:
        case {"hello": _}: return {"hello": {"protocol": 1, **ABOUT}}
        case {"open": {"session": name}}: sessions[name] = Store(now=START)
        case {"send": {"session": name, "request": asked, **options}}:
            sessions[name].container = options.get("container")
            sessions[name].partition = options.get("partition", "p")
            try:
                return {"answer": request(sessions[name], asked, options)}
            except Refused as refused:
                return {"answer": {"status": refused.args[0]}}
        case {"pass": {"session": name, "seconds": seconds}}: sessions[name].now += seconds
        case {"purge": {"session": name, "do": "hold"}}: sessions[name].held = True
        case {"purge": {"session": name, "do": "now"}}: sessions[name].purge()
        case {"close": {"session": name}}: sessions.pop(name, None)
        case {"bye": _}: pass
        case _: raise NotImplementedError(f"this message, or something in it: {list(message)}")
    return {"ok": {}}


sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(newline="\n")
lines, sys.stdout = sys.stdout, sys.stderr  # what a store prints must not come between the lines
sessions = {}
for line in sys.stdin:
    message = json.loads(line)
    try:
        reply = answer(sessions, message)
    except NotImplementedError as what:
        reply = {"unsupported": str(what)}
    except Exception as error:
        traceback.print_exc()  # to stderr, which is shown with the vector
        reply = {"broken": repr(error)}
    print(json.dumps({"q": message["q"], **reply}), file=lines, flush=True)
    if "bye" in message:
        break
