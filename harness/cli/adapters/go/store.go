package main

// about is the answer to `hello`.
var about = object{
	"protocol": 1, "name": "my store", "version": "1", // of the store under test
	"clock":      "virtual", // "real": nothing moves the store's clock, and the harness waits
	"partitions": true,      // whether the methods heed `partition`
	"pages":      true,      // whether there is `page`
	// What the store lacks: patch, batch, upsert, list, count, pages, partitions, conditions, lazy, replace-container.
	"without": []string{},
}

// store is the store under test: let each method call yours. One session has one: an account with at most one container, and
// a clock of its own.
//
// A returned item has its `id`, every property that was written, nulls too, `_ts` (the second of its last write, a number) and
// `_etag` (a text). A number is a json.Number, so that 10.0 stays 10.0. A `ttl` that is nil is none that is absent.
type store struct {
	now       int64  // seconds since 1970, moved by the harness: the store takes its time from here
	partition string // the partition key of the items that the next call is about
}

// createContainer gets any value as JSON text, "" if absent and "null" if null, and "consistent", "lazy" or "none".
func (s *store) createContainer(defaultTTL string, indexing string) error {
	return unsupported("create-container")
}

// replaceContainer replaces the settings as a whole.
func (s *store) replaceContainer(defaultTTL string, indexing string) error {
	return unsupported("replace-container")
}

// create returns the item as it is stored.
func (s *store) create(item object) (object, error) {
	return nil, unsupported("create")
}

// upsert returns the item, and whether it is a new one.
func (s *store) upsert(item object) (object, bool, error) {
	return nil, false, unsupported("upsert")
}

// replace with an etag that is not empty replaces only the item that has it; so do patch and delete.
func (s *store) replace(item object, etag string) (object, error) {
	return nil, unsupported("replace")
}

// patch sets these properties and removes those.
func (s *store) patch(id string, set object, remove []string, etag string) (object, error) {
	return nil, unsupported("patch")
}

func (s *store) read(id string) (object, error) {
	return nil, unsupported("read")
}

func (s *store) delete(id string, etag string) error {
	return unsupported("delete")
}

// query returns the ids of the partition's items that a client sees.
func (s *store) query() ([]string, error) {
	return nil, unsupported("query")
}

// page returns the same, at most so many, beginning at the `next` of the page before, or "". `next` is "" at the end.
func (s *store) page(size int, from string) (ids []string, next string, err error) {
	return nil, "", unsupported("page")
}

// atomic calls work: its operations, this many, all take effect, or none if it returns an error, which is returned.
func (s *store) atomic(count int, work func() error) error {
	return unsupported("batch")
}
