"""A container in memory whose items expire as those of Azure Cosmos DB do. It knows nothing of the protocol."""

from contextlib import contextmanager

LONGEST = 2147483647  # seconds


class Refused(Exception):
    """The store said no; the argument says why, in a word."""


class Store:
    def __init__(self, now):
        self.now = now  # seconds of the Unix epoch; the owner of the store moves it
        self.held = False  # True: nothing is removed but by `purge`
        self.default_ttl = None  # None: time to live is off
        self.partition = "p"  # the partition key of the items that are meant
        self.items = None  # by partition key and id, the expired ones included; None: there is no container
        self.writes = 0

    def create_container(self, default_ttl=None, indexing="consistent"):
        if self.items is not None:
            raise Refused("conflict")
        self._configure(default_ttl, indexing)
        self.items = {}

    def replace_container(self, default_ttl=None, indexing="consistent"):
        self._container()
        self._configure(default_ttl, indexing)

    def create(self, item):
        _check(item)
        if self._find(item["id"]):
            raise Refused("conflict")
        return self._write(item)

    def upsert(self, item):
        """The item, and whether it is a new one."""
        _check(item)
        is_new = self._find(item["id"]) is None
        return self._write(item), is_new

    def replace(self, item, etag=None):
        _check(item)
        self._expect(item["id"], etag)
        return self._write(item)

    def patch(self, id, changes, removals=(), etag=None):
        _check(changes)
        old = self._expect(id, etag)
        if "_ts" in changes or any(name not in old for name in removals):
            raise Refused("bad-request")
        item = {**old, **changes}
        for name in removals:
            del item[name]
        return self._write(item)

    def read(self, id):
        return self._expect(id)

    def delete(self, id, etag=None):
        self._expect(id, etag)
        del self.items[self.partition, id]

    def query(self):
        items = self._container().items()
        return [item for (key, _), item in items if key == self.partition and not self._is_expired(item)]

    def page(self, size, after=None):
        """The ids that follow `after`, and whether there are more than these."""
        ids = sorted(item["id"] for item in self.query() if after is None or after < item["id"])
        return ids[:size], size < len(ids)

    @contextmanager
    def atomic(self):
        """All that is done inside takes effect, or none of it: stored items are never changed, only exchanged."""
        before = dict(self._container())
        try:
            yield
        except BaseException:
            self.items = before
            raise

    def purge(self):
        """Removes what is expired now. No client sees that, unless the settings change later."""
        if self.items is not None:
            self.items = {key: item for key, item in self.items.items() if not self._is_expired(item)}

    def _configure(self, default_ttl, indexing):
        if default_ttl is not None:
            _check_seconds(default_ttl)
            if indexing == "none":  # expired items are found by the index
                raise Refused("bad-request")
        self.default_ttl = default_ttl

    def _container(self):
        if self.items is None:
            raise Refused("not-found")
        return self.items

    def _is_expired(self, item):
        if self.default_ttl is None:
            return False
        ttl = item.get("ttl", self.default_ttl)
        return ttl != -1 and item["_ts"] + ttl <= self.now

    def _find(self, id):
        item = self._container().get((self.partition, id))
        return None if item is None or self._is_expired(item) else item

    def _expect(self, id, etag=None):
        item = self._find(id)
        if item is None:
            raise Refused("not-found")
        if etag is not None and etag != item["_etag"]:
            raise Refused("precondition-failed")
        return item

    def _write(self, item):
        if not self.held:
            self.purge()  # the background, which here has its chance at every write
        self.writes += 1
        item = {**item, "_ts": self.now, "_etag": f'"{self.writes}"'}
        self.items[self.partition, item["id"]] = item
        return item


def _check(item):
    if "ttl" in item:  # absent is fine, null is not
        _check_seconds(item["ttl"])


def _check_seconds(ttl):
    # `type`, not `isinstance`, for which True is an int. 10.0 is a float and refused: one of two right answers.
    if type(ttl) is not int or not (ttl == -1 or 1 <= ttl <= LONGEST):
        raise Refused("bad-request")
