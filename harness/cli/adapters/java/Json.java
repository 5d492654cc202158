import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as Map, List, String, Boolean, null and BigDecimal, whose scale tells 10.0 from 10. Put your own parser in its place. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads valid JSON; the harness writes no other. */
    static Object parse(String text) {
        return new Json(text).value();
    }

    private char peek() {
        while (Character.isWhitespace(text.charAt(at))) at++;
        return text.charAt(at);
    }

    /** Passes this character, if it comes next. */
    private boolean passes(char it) {
        if (peek() != it) return false;
        at++;
        return true;
    }

    private Object value() {
        if (passes('{')) return object();
        if (passes('[')) return list();
        if (passes('"')) return string();
        int from = at;
        while (at < text.length() && ",]} ".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(from, at);
        return switch (word) {
            case "null" -> null;
            case "true" -> true;
            case "false" -> false;
            default -> new BigDecimal(word);
        };
    }

    private Map<String, Object> object() {
        var object = new LinkedHashMap<String, Object>();
        while (!passes('}')) {
            passes(',');
            passes('"');
            String key = string();
            passes(':');
            object.put(key, value());
        }
        return object;
    }

    private List<Object> list() {
        var list = new ArrayList<>();
        while (!passes(']')) {
            passes(',');
            list.add(value());
        }
        return list;
    }

    private String string() {
        var out = new StringBuilder();
        for (char it; (it = text.charAt(at++)) != '"'; ) {
            char next = it == '\\' ? text.charAt(at++) : 0;
            if (next == 'u') out.append((char) Integer.parseInt(text.substring(at, at += 4), 16));
            else if (next != 0) out.append("bfnrt".indexOf(next) < 0 ? next : "\b\f\n\r\t".charAt("bfnrt".indexOf(next)));
            else out.append(it);
        }
        return out.toString();
    }

    static String write(Object value) {
        var parts = new ArrayList<String>();
        if (value instanceof Map<?, ?> object) {
            object.forEach((key, it) -> parts.add(write(key) + ":" + write(it)));
            return "{" + String.join(",", parts) + "}";
        }
        if (value instanceof List<?> list) {
            list.forEach(it -> parts.add(write(it)));
            return "[" + String.join(",", parts) + "]";
        }
        if (!(value instanceof String string)) return String.valueOf(value);
        var out = new StringBuilder("\"");
        for (char it : string.toCharArray()) {
            if (it < ' ') out.append(String.format("\\u%04x", (int) it));
            else out.append(it == '"' || it == '\\' ? "\\" : "").append(it);
        }
        return out.append('"').toString();
    }
}
