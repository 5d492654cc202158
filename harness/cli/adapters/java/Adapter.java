import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts {@link Store} behind the process protocol (PROTOCOL.md): a line comes in, the store is called, a line goes out. */
@SuppressWarnings("unchecked") // the harness writes what PROTOCOL.md says
public final class Adapter {
    private static final long START = 1_700_000_000L; // where the clock of every session begins
    private static final Map<Object, Store> SESSIONS = new HashMap<>();

    public static void main(String[] args) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err); // what a store prints must not come between the lines
        for (String line; (line = in.readLine()) != null; ) {
            var message = (Map<String, Object>) Json.parse(line);
            var reply = new HashMap<String, Object>(Map.of("q", message.remove("q")));
            try {
                reply.putAll(answer(message));
            } catch (Store.Refused refused) {
                reply.put("answer", Map.of("status", refused.getMessage()));
            } catch (UnsupportedOperationException what) {
                reply.put("unsupported", what.getMessage());
            } catch (RuntimeException error) {
                error.printStackTrace(); // to stderr, which is shown with the vector
                reply.put("broken", error.toString());
            }
            out.print(Json.write(reply) + "\n");
            out.flush();
            if (message.containsKey("bye")) return;
        }
    }

    private static Map<String, Object> answer(Map<String, Object> message) {
        String kind = message.keySet().iterator().next();
        var it = (Map<String, Object>) message.get(kind);
        Store store = SESSIONS.get(it.get("session"));
        switch (kind) {
            case "hello" -> { return Map.of("hello", Store.ABOUT); }
            case "open" -> SESSIONS.put(it.get("session"), new Store(START));
            case "send" -> {
                store.partition = (String) it.getOrDefault("partition", "p");
                return Map.of("answer", request(store, (Map<String, Object>) it.get("request"), (Map<String, Object>) it.get("page")));
            }
            case "pass" -> store.now += ((BigDecimal) it.get("seconds")).longValue();
            case "close" -> SESSIONS.remove(it.get("session"));
            case "bye" -> { }
            default -> throw new UnsupportedOperationException("the message " + kind);
        }
        return Map.of("ok", Map.of());
    }

    private static Map<String, Object> request(Store store, Map<String, Object> asked, Map<String, Object> page) {
        String kind = asked.keySet().iterator().next();
        var it = (Map<String, Object>) asked.get(kind);
        var item = (Map<String, Object>) it.get("item");
        String id = (String) it.get("id"), ifMatch = (String) it.get("if-match");
        switch (kind) {
            case "create-container": store.createContainer(it); return Map.of("status", "created");
            case "replace-container": store.replaceContainer(it); return Map.of("status", "ok");
            case "create": return Map.of("status", "created", "item", store.create(item));
            case "upsert":
                var done = store.upsert(item);
                return Map.of("status", done.isNew() ? "created" : "ok", "item", done.item());
            case "replace": return Map.of("status", "ok", "item", store.replace(item, ifMatch));
            case "patch":
                var set = (Map<String, Object>) it.getOrDefault("set", Map.of());
                return Map.of("status", "ok", "item", store.patch(id, set, (List<String>) it.getOrDefault("remove", List.of()), ifMatch));
            case "read": return Map.of("status", "found", "item", store.read(id));
            case "delete": store.delete(id, ifMatch); return Map.of("status", "no-content");
            case "query", "list":
                if (page == null) return Map.of("status", "ok", "ids", store.query());
                var found = store.page(((BigDecimal) page.get("size")).intValue(), (String) page.get("continuation"));
                if (found.next() == null) return Map.of("status", "ok", "ids", found.ids());
                return Map.of("status", "ok", "ids", found.ids(), "continuation", found.next());
            case "count": return Map.of("status", "ok", "count", store.query().size());
            case "batch": return batch(store, (List<Map<String, Object>>) it.get("operations"));
            default: throw new UnsupportedOperationException("the request " + kind);
        }
    }

    private static Map<String, Object> batch(Store store, List<Map<String, Object>> operations) {
        var committed = new ArrayList<>();
        try {
            store.atomic(operations.size(), () -> operations.forEach(it -> committed.add(request(store, it, null).get("status"))));
        } catch (Store.Refused refused) {
            return Map.of("status", refused.getMessage(), "aborted", committed.size());
        }
        return Map.of("status", "ok", "committed", committed);
    }
}
