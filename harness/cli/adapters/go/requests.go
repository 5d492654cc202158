package main

import (
	"encoding/json"
	"errors"
)

type object = map[string]any

// refused says that the store said no: "bad-request", "not-found", "conflict" or "precondition-failed".
type refused string

func (it refused) Error() string { return string(it) }

// unsupported says that the store has no such request.
type unsupported string

func (it unsupported) Error() string { return string(it) }

type request struct {
	ID, Indexing string
	Item, Set    object
	Remove       []string
	IfMatch      string          `json:"if-match"`
	DefaultTTL   json.RawMessage `json:"defaultTtl"`
	Operations   []map[string]request
}

type page struct {
	Size         int
	Continuation string
}

// ask calls the store, and decides nothing.
func ask(s *store, kind string, it request, page *page) (answer object, err error) {
	answer = object{"status": "ok"}
	switch kind {
	case "create-container":
		answer["status"], err = "created", s.createContainer(string(it.DefaultTTL), it.Indexing)
	case "replace-container":
		err = s.replaceContainer(string(it.DefaultTTL), it.Indexing)
	case "create":
		answer["status"] = "created"
		answer["item"], err = s.create(it.Item)
	case "upsert":
		var isNew bool
		if answer["item"], isNew, err = s.upsert(it.Item); isNew {
			answer["status"] = "created"
		}
	case "replace":
		answer["item"], err = s.replace(it.Item, it.IfMatch)
	case "patch":
		answer["item"], err = s.patch(it.ID, it.Set, it.Remove, it.IfMatch)
	case "read":
		answer["status"] = "found"
		answer["item"], err = s.read(it.ID)
	case "delete":
		answer["status"], err = "no-content", s.delete(it.ID, it.IfMatch)
	case "query", "list":
		if page == nil {
			answer["ids"], err = s.query()
			break
		}
		var next string
		if answer["ids"], next, err = s.page(page.Size, page.Continuation); next != "" {
			answer["continuation"] = next
		}
	case "count":
		var ids []string
		ids, err = s.query()
		answer["count"] = len(ids)
	case "batch":
		committed := []any{}
		err = s.atomic(len(it.Operations), func() error {
			for _, operation := range it.Operations {
				for kind, it := range operation {
					done, err := ask(s, kind, it, nil)
					if err != nil {
						return err
					}
					committed = append(committed, done["status"])
				}
			}
			return nil
		})
		var no refused
		if errors.As(err, &no) {
			return object{"status": string(no), "aborted": len(committed)}, nil
		}
		answer["committed"] = committed
	default:
		err = unsupported("the request " + kind)
	}
	return answer, err
}
