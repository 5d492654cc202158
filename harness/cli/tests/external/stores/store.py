"""Containers in memory whose items expire as those of Azure Cosmos DB do. They know nothing of the protocol."""

from contextlib import contextmanager
from copy import deepcopy

ABOUT = {
    "name": "python store", "version": "1", "clock": "virtual", "purge": True, "partitions": True, "pages": True,
    "offers": [
        "read-container", "delete-container", "containers", "select", "patch-operations", "read-many", "if-none-match",
        "conditional-upsert",
    ],
}
LONGEST = 2147483647  # seconds


class Refused(Exception):
    """The store said no; the argument says why, in a word."""


class Container:
    def __init__(self, default_ttl):
        self.default_ttl = default_ttl  # None: time to live is off
        self.items = {}  # by partition key and id, the expired ones included

    def is_expired(self, item, now):
        if self.default_ttl is None:
            return False
        ttl = item.get("ttl", self.default_ttl)
        return ttl != -1 and item["_ts"] + ttl <= now


class Store:
    def __init__(self, now):
        self.now = now  # seconds of the Unix epoch; the owner of the store moves it
        self.held = False  # True: nothing is removed but by `purge`
        self.container = None  # the name of the container that is meant; None is a name, too
        self.partition = "p"  # the partition key of the items that are meant
        self.containers = {}  # by name
        self.writes = 0

    def create_container(self, settings):
        if self.container in self.containers:
            raise Refused("conflict")
        _check_settings(settings)
        self.containers[self.container] = Container(settings.get("defaultTtl"))

    def replace_container(self, settings):
        container = self._container()
        _check_settings(settings)
        container.default_ttl = settings.get("defaultTtl")

    def read_container(self):
        default_ttl = self._container().default_ttl
        return {} if default_ttl is None else {"defaultTtl": default_ttl}

    def delete_container(self):
        self._container()
        del self.containers[self.container]

    def create(self, item):
        _check(item)
        if self._find(item["id"]):
            raise Refused("conflict")
        return self._write(item)

    def upsert(self, item, etag=None):
        """The item, and whether it is a new one."""
        _check(item)
        old = self._find(item["id"])
        if old is not None:
            _match(old, etag)
        return self._write(item), old is None

    def replace(self, item, etag=None):
        _check(item)
        self._expect(item["id"], etag)
        return self._write(item)

    def patch(self, id, changes, removals=(), etag=None, operations=()):
        """Sets these properties and removes those; then come the operations, each a word and its arguments."""
        _check(changes)
        old = self._expect(id, etag)
        if "_ts" in changes or any(name not in old for name in removals):
            raise Refused("bad-request")
        item = {**deepcopy(old), **changes}
        for name in removals:
            del item[name]
        for word, it in operations:
            _operate(item, word, it["path"], it.get("value"), it.get("from"))
        _check(item)
        return self._write(item)

    def read(self, id, unless=None):
        """The item, unless its etag is this one."""
        item = self._expect(id)
        if unless == item["_etag"]:
            raise Refused("not-modified")
        return item

    def delete(self, id, etag=None):
        self._expect(id, etag)
        del self._container().items[self.partition, id]

    def query(self, across=False):
        container = self._container()
        here = [item for (key, _), item in container.items.items() if across or key == self.partition]
        return [item for item in here if not container.is_expired(item, self.now)]

    def select(self, it):
        """A query of another shape, as PROTOCOL.md says."""
        where, name, order_by = it.get("where", {}), it.get("values"), it.get("order-by")
        items = [item for item in self.query(it.get("across")) if all(_has(item, key, where[key]) for key in where)]
        if order_by is not None:
            items.sort(key=lambda item: item.get(order_by, float("-inf")))
        items = items[it.get("offset", 0) :][: it.get("limit")]
        if it.get("count"):
            return {"count": len(items)}
        if name is None:
            return {"ids": [item["id"] for item in items]}
        values = [item[name] for item in items if name in item]
        return {"values": _distinct(values) if it.get("distinct") else values}

    def page(self, size, after=None):
        """The ids that follow `after`, and whether there are more than these."""
        ids = sorted(item["id"] for item in self.query() if after is None or after < item["id"])
        return ids[:size], size < len(ids)

    @contextmanager
    def atomic(self, count):
        """All that is done inside takes effect, or none of it: stored items are never changed, only exchanged."""
        if count > 100:
            raise Refused("bad-request")
        container = self._container()
        before = dict(container.items)
        try:
            yield
        except BaseException:
            container.items = before
            raise

    def purge(self):
        """Removes what is expired now. No client sees that, unless the settings change later."""
        for container in self.containers.values():
            items = container.items.items()
            container.items = {key: item for key, item in items if not container.is_expired(item, self.now)}

    def _container(self):
        if self.container not in self.containers:
            raise Refused("not-found")
        return self.containers[self.container]

    def _find(self, id):
        container = self._container()
        item = container.items.get((self.partition, id))
        return None if item is None or container.is_expired(item, self.now) else item

    def _expect(self, id, etag=None):
        item = self._find(id)
        if item is None:
            raise Refused("not-found")
        _match(item, etag)
        return item

    def _write(self, item):
        if not self.held:
            self.purge()  # the background, which here has its chance at every write
        self.writes += 1
        item = {**item, "_ts": self.now, "_etag": f'"{self.writes}"'}
        self._container().items[self.partition, item["id"]] = item
        return item


def _distinct(values):
    return [value for at, value in enumerate(values) if not any(_same(value, seen) for seen in values[:at])]


def _has(item, name, value):
    return name in item and _same(item[name], value)


def _same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)  # True == 1 in Python


def _match(item, etag):
    if etag is not None and etag != item["_etag"]:
        raise Refused("precondition-failed")


def _operate(item, word, path, value, source):
    """Changes what is at the path, `/ttl` or `/nested/ttl`; a move takes the value from the path `source`."""
    if word == "move":
        parent, name = _place(item, source, must_exist=True)
        value = parent.pop(name)
    parent, name = _place(item, path, must_exist=word in ("replace", "remove"))
    if word == "remove":
        del parent[name]
        return
    if word == "incr":
        old = parent.get(name, 0)
        if type(old) not in (int, float):
            raise Refused("bad-request")
        value += old
    parent[name] = value


def _place(item, path, must_exist):
    """The object in which the end of the path is, and its name there."""
    *parents, name = path.split("/")[1:]
    if [*parents, name][0] == "_ts":
        raise Refused("bad-request")
    for parent in parents:
        item = item.get(parent) if isinstance(item, dict) else None
    if not isinstance(item, dict) or (must_exist and name not in item):
        raise Refused("bad-request")
    return item, name


def _check(item):
    if "ttl" in item:  # absent is fine, null is not
        _check_seconds(item["ttl"])


def _check_settings(settings):
    if "defaultTtl" in settings:  # null is refused: one of two right answers
        _check_seconds(settings["defaultTtl"])
        if settings.get("indexing") == "none":  # expired items are found by the index
            raise Refused("bad-request")


def _check_seconds(ttl):
    # `type`, not `isinstance`, for which True is an int. 10.0 is a float and refused: one of two right answers.
    if type(ttl) is not int or not (ttl == -1 or 1 <= ttl <= LONGEST):
        raise Refused("bad-request")
