import java.util.List;
import java.util.Map;

/**
 * The store under test: let each method call yours. What throws UnsupportedOperationException is answered `unsupported`.
 *
 * One session: an account with at most one container, and a clock of its own. A returned item has its `id`, every property that was
 * written, nulls too, `_ts` (the second of its last write, a number) and `_etag` (a text).
 */
final class Store {
    static final Map<String, Object> ABOUT = Map.of(
            "protocol", 1, "name", "my store", "version", "1", // of the store under test
            "clock", "virtual", // "real": nothing moves the store's clock, and the harness waits
            "partitions", true, // whether the methods heed `partition`
            "pages", true, // whether there is `page`
            // What the store lacks: patch, batch, upsert, list, count, pages, partitions, conditions, lazy, replace-container.
            "without", List.of());

    /** The store said no: "bad-request", "not-found", "conflict" or "precondition-failed". */
    static final class Refused extends RuntimeException {
        Refused(String status) {
            super(status);
        }
    }

    record Upserted(Map<String, Object> item, boolean isNew) {}

    /** `next`: any text with which the next page is asked for; null if there is none. */
    record Page(List<String> ids, String next) {}

    long now; // seconds since 1970, moved by the harness: the store takes its time from here
    String partition; // the partition key of the items that the next call is about

    Store(long now) {
        this.now = now;
    }

    /** `defaultTtl`: any JSON value; absent and null are two things. `indexing`: "consistent", "lazy" or "none". */
    void createContainer(Map<String, Object> settings) {
        throw new UnsupportedOperationException("create-container");
    }

    /** Replaces the settings as a whole. */
    void replaceContainer(Map<String, Object> settings) {
        throw new UnsupportedOperationException("replace-container");
    }

    /** Returns the item as it is stored. A `ttl` that is null is none that is absent: `item.containsKey("ttl")`. */
    Map<String, Object> create(Map<String, Object> item) {
        throw new UnsupportedOperationException("create");
    }

    Upserted upsert(Map<String, Object> item) {
        throw new UnsupportedOperationException("upsert");
    }

    /** With an etag, only the item that has it is replaced, as in `patch` and `delete`; it may be null. */
    Map<String, Object> replace(Map<String, Object> item, String etag) {
        throw new UnsupportedOperationException("replace");
    }

    /** Sets these properties and removes those. */
    Map<String, Object> patch(String id, Map<String, Object> set, List<String> remove, String etag) {
        throw new UnsupportedOperationException("patch");
    }

    Map<String, Object> read(String id) {
        throw new UnsupportedOperationException("read");
    }

    void delete(String id, String etag) {
        throw new UnsupportedOperationException("delete");
    }

    /** Returns the ids of the partition's items that a client sees. */
    List<String> query() {
        throw new UnsupportedOperationException("query");
    }

    /** The same, at most so many, beginning at the `next` of the page before, or null. */
    Page page(int size, String from) {
        throw new UnsupportedOperationException("page");
    }

    /** Runs `work`: its operations, this many, all take effect, or none if one is refused. */
    void atomic(int count, Runnable work) {
        throw new UnsupportedOperationException("batch");
    }
}
