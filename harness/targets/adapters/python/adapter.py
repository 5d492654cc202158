"""Puts `store.py` behind the process protocol (PROTOCOL.md): a line comes in, the store is called, a line goes out."""

import json
import sys
import traceback

from store import Refused, Store

HELLO = {
    "protocol": 1, "name": "python store", "version": "1", "clock": "virtual", "purge": True, "partitions": True, "pages": True,
}
START = 1_700_000_000  # where the clock of every session begins


def request(store, asked, page=None):
    match asked:
        case {"query": _} | {"list": _} if page:
            ids, more = store.page(page["size"], page.get("continuation"))
            return {"status": "ok", "ids": ids, **({"continuation": ids[-1]} if more else {})}
        case {"create-container": it}:
            store.create_container(it.get("defaultTtl"), it.get("indexing"))
            return {"status": "created"}
        case {"replace-container": it}:
            store.replace_container(it.get("defaultTtl"), it.get("indexing"))
            return {"status": "ok"}
        case {"create": it}: return {"status": "created", "item": store.create(it["item"])}
        case {"upsert": it}:
            item, is_new = store.upsert(it["item"])
            return {"status": "created" if is_new else "ok", "item": item}
        case {"replace": it}: return {"status": "ok", "item": store.replace(it["item"], it.get("if-match"))}
        case {"patch": it}:
            item = store.patch(it["id"], it.get("set", {}), it.get("remove", []), it.get("if-match"))
            return {"status": "ok", "item": item}
        case {"read": it}: return {"status": "found", "item": store.read(it["id"])}
        case {"delete": it}:
            store.delete(it["id"], it.get("if-match"))
            return {"status": "no-content"}
        case {"query": _} | {"list": _}: return {"status": "ok", "ids": [item["id"] for item in store.query()]}
        case {"count": _}: return {"status": "ok", "count": len(store.query())}
        case {"batch": it}:
            if len(it["operations"]) > 100: raise Refused("bad-request")
            done = []
            try:
                with store.atomic():
                    for operation in it["operations"]:
                        done.append(request(store, operation)["status"])
            except Refused as refused:
                return {"status": refused.args[0], "aborted": len(done)}
            return {"status": "ok", "committed": done}
    raise NotImplementedError(f"the request {list(asked)}")  # goes out as `unsupported`


def answer(sessions, message):
    match message:
        case {"hello": _}: return {"hello": HELLO}
        case {"open": {"session": name}}: sessions[name] = Store(now=START)
        case {"send": {"session": name, "request": asked}}:
            sessions[name].partition = message["send"].get("partition", "p")
            try:
                return {"answer": request(sessions[name], asked, message["send"].get("page"))}
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
    print(json.dumps({"q": message["q"], **reply}), flush=True)
    if "bye" in message:
        break
