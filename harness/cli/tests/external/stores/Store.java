import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A container in memory whose items expire as those of Azure Cosmos DB do. */
final class Store {
    static final Map<String, Object> ABOUT = Map.of(
            "protocol", 1, "name", "java store", "version", "1", "clock", "virtual", "partitions", true, "pages", true);
    private static final BigDecimal LONGEST = BigDecimal.valueOf(2147483647), NEVER = BigDecimal.valueOf(-1);

    static final class Refused extends RuntimeException {
        Refused(String status) {
            super(status);
        }
    }

    record Upserted(Map<String, Object> item, boolean isNew) {}
    record Page(List<String> ids, String next) {}

    long now;
    String partition;
    private BigDecimal defaultTtl; // null: time to live is off
    private Map<String, TreeMap<String, Map<String, Object>>> partitions; // null: there is no container
    private long writes;

    Store(long now) {
        this.now = now;
    }

    void createContainer(Map<String, Object> settings) {
        if (partitions != null) throw new Refused("conflict");
        defaultTtl = checked(settings);
        partitions = new HashMap<>();
    }

    void replaceContainer(Map<String, Object> settings) {
        items();
        defaultTtl = checked(settings);
    }

    Map<String, Object> create(Map<String, Object> item) {
        check(item);
        if (find(item.get("id")) != null) throw new Refused("conflict");
        return write(item);
    }

    Upserted upsert(Map<String, Object> item) {
        check(item);
        boolean isNew = find(item.get("id")) == null;
        return new Upserted(write(item), isNew);
    }

    Map<String, Object> replace(Map<String, Object> item, String etag) {
        check(item);
        expect(item.get("id"), etag);
        return write(item);
    }

    Map<String, Object> patch(String id, Map<String, Object> set, List<String> remove, String etag) {
        check(set);
        var item = new TreeMap<>(expect(id, etag));
        if (set.containsKey("_ts") || !item.keySet().containsAll(remove)) throw new Refused("bad-request");
        item.keySet().removeAll(remove);
        item.putAll(set);
        return write(item);
    }

    Map<String, Object> read(String id) {
        return expect(id, null);
    }

    void delete(String id, String etag) {
        expect(id, etag);
        items().remove(id);
    }

    List<String> query() {
        return List.copyOf(items().keySet().stream().filter(id -> find(id) != null).toList());
    }

    Page page(int size, String from) {
        var rest = query().stream().filter(id -> from == null || id.compareTo(from) > 0).toList();
        return size < rest.size() ? new Page(rest.subList(0, size), rest.get(size - 1)) : new Page(rest, null);
    }

    void atomic(int count, Runnable work) {
        if (count > 100) throw new Refused("bad-request");
        var before = new TreeMap<>(items()); // stored items are never changed, only exchanged
        try {
            work.run();
        } catch (RuntimeException refused) {
            partitions.put(partition, before);
            throw refused;
        }
    }

    private TreeMap<String, Map<String, Object>> items() {
        if (partitions == null) throw new Refused("not-found");
        return partitions.computeIfAbsent(partition, key -> new TreeMap<>());
    }

    private Map<String, Object> find(Object id) {
        var item = items().get(id);
        if (item == null || defaultTtl == null) return item;
        long ttl = ((BigDecimal) item.getOrDefault("ttl", defaultTtl)).longValue();
        return ttl == -1 || now < (Long) item.get("_ts") + ttl ? item : null;
    }

    private Map<String, Object> expect(Object id, String etag) {
        var item = find(id);
        if (item == null) throw new Refused("not-found");
        if (etag != null && !etag.equals(item.get("_etag"))) throw new Refused("precondition-failed");
        return item;
    }

    private Map<String, Object> write(Map<String, Object> item) {
        var stored = new TreeMap<>(item);
        stored.put("_ts", now);
        stored.put("_etag", "\"" + ++writes + "\"");
        items().put((String) item.get("id"), stored);
        return stored;
    }

    private static void check(Map<String, Object> item) {
        if (item.containsKey("ttl")) seconds(item.get("ttl")); // absent is fine, null is not
    }

    /** Null is refused: one of two right answers. */
    private static BigDecimal checked(Map<String, Object> settings) {
        if (!settings.containsKey("defaultTtl")) return null;
        if (settings.get("indexing").equals("none")) throw new Refused("bad-request"); // the index finds what is expired
        return seconds(settings.get("defaultTtl"));
    }

    /** 10.0 has a scale and is refused: one of two right answers. */
    private static BigDecimal seconds(Object ttl) {
        boolean isRight = ttl instanceof BigDecimal number && number.scale() == 0
                && (number.equals(NEVER) || number.signum() > 0 && number.compareTo(LONGEST) <= 0);
        if (!isRight) throw new Refused("bad-request");
        return (BigDecimal) ttl;
    }
}
