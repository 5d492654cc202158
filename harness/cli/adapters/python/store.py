"""The store under test: let each method call yours. What raises NotImplementedError is answered `unsupported`."""

ABOUT = {
    "name": "my store", "version": "1",  # of the store under test
    "clock": "virtual",  # "real": nothing moves the store's clock, and the harness waits
    "partitions": True,  # whether the methods heed `self.partition`
    "pages": True,  # whether there is `page`
    "purge": False,  # whether there is `purge`, and `self.held` stops removal in the background
    # The parts that the store lacks: patch, batch, upsert, list, count, pages, partitions, conditions, lazy, replace-container.
    "without": [],
    # The optional parts that it has: read-container, delete-container, containers, select, patch-operations, read-many,
    # if-none-match, conditional-upsert.
    "offers": [],
}


class Refused(Exception):
    """The store said no: "bad-request", "not-found", "conflict" or "precondition-failed", or the status code, a number."""


class Store:
    """One session: an account with at most one container, and a clock of its own.

    A returned item has its `id`, every property that was written, `_ts` (the second of its last write) and `_etag`.
    An absent `ttl` and a null are two things; True is an int in Python: `type(ttl) is int` tells it from one.
    """

    def __init__(self, now):
        self.now = now  # seconds since 1970, moved by the harness: the store takes its time from here
        self.partition = "p"  # the partition key of the items that the next call is about
        self.container = None  # the name of its container, another than None only if `containers` is offered

    def create_container(self, settings):
        """`defaultTtl`: any JSON value; absent and None are two things. `indexing`: "consistent", "lazy" or "none"."""
        raise NotImplementedError("create-container")

    def replace_container(self, settings):
        """Replaces the settings as a whole."""
        raise NotImplementedError("replace-container")

    def create(self, item):
        """Returns the item as it is stored."""
        raise NotImplementedError("create")

    def upsert(self, item, etag=None):
        """Returns the item, and whether it is a new one. There is an etag only if `conditional-upsert` is offered."""
        raise NotImplementedError("upsert")

    def replace(self, item, etag=None):
        """Returns the item; with an etag, only the item that has it is replaced, as in `patch` and `delete`."""
        raise NotImplementedError("replace")

    def patch(self, id, changes, removals, etag=None, operations=()):
        """Sets these properties, removes those, returns the item. `operations`: only if `patch-operations` is offered."""
        raise NotImplementedError("patch")

    def read(self, id, unless=None):
        """Returns the item. `unless`: only if `if-none-match` is offered."""
        raise NotImplementedError("read")

    def delete(self, id, etag=None):
        raise NotImplementedError("delete")

    def query(self):
        """Returns the items of the partition that a client sees."""
        raise NotImplementedError("query")

    def page(self, size, after=None):
        """Returns at most this many ids, those that follow the id `after`, and whether there are more."""
        raise NotImplementedError("page")

    def atomic(self, count):
        """Returns a context manager: the operations inside, this many, all take effect, or none if one is refused."""
        raise NotImplementedError("batch")
