// A container in memory whose items expire as those of Azure Cosmos DB do.
package main

import (
	"encoding/json"
	"fmt"
	"sort"
)

var about = object{"protocol": 1, "name": "go store", "version": "1", "clock": "virtual", "partitions": true, "pages": true}

type store struct {
	now        int64
	partition  string
	defaultTTL int64                // 0: time to live is off
	items      map[[2]string]object // by partition key and id; nil: there is no container
	writes     int
}

func (s *store) createContainer(defaultTTL string, indexing string) (err error) {
	if s.items != nil {
		return refused("conflict")
	}
	if s.defaultTTL, err = settings(defaultTTL, indexing); err == nil {
		s.items = map[[2]string]object{}
	}
	return err
}

func (s *store) replaceContainer(defaultTTL string, indexing string) error {
	if s.items == nil {
		return refused("not-found")
	}
	ttl, err := settings(defaultTTL, indexing)
	if err == nil {
		s.defaultTTL = ttl
	}
	return err
}

func (s *store) create(item object) (object, error) {
	if _, err := s.find(item["id"], ""); err == nil {
		if _, err := own(item); err != nil {
			return nil, err
		}
		return nil, refused("conflict")
	}
	return s.write(item)
}

func (s *store) upsert(item object) (object, bool, error) {
	_, missing := s.find(item["id"], "")
	stored, err := s.write(item)
	return stored, missing != nil, err
}

func (s *store) replace(item object, etag string) (object, error) {
	if _, err := own(item); err != nil {
		return nil, err
	}
	if _, err := s.find(item["id"], etag); err != nil {
		return nil, err
	}
	return s.write(item)
}

func (s *store) patch(id string, set object, remove []string, etag string) (object, error) {
	if _, err := own(set); err != nil {
		return nil, err
	}
	old, err := s.find(id, etag)
	if err != nil {
		return nil, err
	}
	item := object{}
	for name, value := range old {
		item[name] = value
	}
	for _, name := range remove {
		if _, isThere := item[name]; !isThere {
			return nil, refused("bad-request")
		}
		delete(item, name)
	}
	for name, value := range set {
		if name == "_ts" {
			return nil, refused("bad-request")
		}
		item[name] = value
	}
	return s.write(item)
}

func (s *store) read(id string) (object, error) { return s.find(id, "") }

func (s *store) delete(id string, etag string) error {
	_, err := s.find(id, etag)
	if err == nil {
		delete(s.items, [2]string{s.partition, id})
	}
	return err
}

func (s *store) query() ([]string, error) {
	if s.items == nil {
		return nil, refused("not-found")
	}
	ids := []string{}
	for key := range s.items {
		if _, err := s.find(key[1], ""); key[0] == s.partition && err == nil {
			ids = append(ids, key[1])
		}
	}
	sort.Strings(ids)
	return ids, nil
}

func (s *store) page(size int, from string) ([]string, string, error) {
	ids, err := s.query()
	ids = ids[sort.Search(len(ids), func(at int) bool { return ids[at] > from }):]
	if size < len(ids) {
		return ids[:size], ids[size-1], err
	}
	return ids, "", err
}

func (s *store) atomic(count int, work func() error) error {
	if count > 100 {
		return refused("bad-request")
	}
	before := map[[2]string]object{} // stored items are never changed, only exchanged
	for key, item := range s.items {
		before[key] = item
	}
	err := work()
	if err != nil && s.items != nil {
		s.items = before
	}
	return err
}

// find returns the item that a client sees, if it has this etag.
func (s *store) find(id any, etag string) (object, error) {
	item := s.items[[2]string{s.partition, id.(string)}]
	if item == nil {
		return nil, refused("not-found")
	}
	ttl, err := own(item)
	if ttl == 0 {
		ttl = s.defaultTTL
	}
	if s.defaultTTL != 0 && ttl != -1 && item["_ts"].(int64)+ttl <= s.now {
		return nil, refused("not-found")
	}
	if etag != "" && etag != item["_etag"] {
		return nil, refused("precondition-failed")
	}
	return item, err
}

func (s *store) write(item object) (object, error) {
	if s.items == nil {
		return nil, refused("not-found")
	}
	s.writes++
	stored := object{}
	for name, value := range item {
		stored[name] = value
	}
	stored["_ts"], stored["_etag"] = s.now, fmt.Sprintf("\"%d\"", s.writes)
	_, err := own(item)
	if err == nil {
		s.items[[2]string{s.partition, item["id"].(string)}] = stored
	}
	return stored, err
}

// own returns the item's ttl, and 0 if it has none; a null is not none.
func own(item object) (int64, error) {
	if ttl, isThere := item["ttl"]; isThere {
		return seconds(ttl)
	}
	return 0, nil
}

// settings refuses null: one of two right answers.
func settings(ttl, indexing string) (int64, error) {
	if ttl == "" {
		return 0, nil
	}
	if indexing == "none" { // expired items are found by the index
		return 0, refused("bad-request")
	}
	return seconds(json.Number(ttl))
}

// seconds refuses 10.0: one of two right answers.
func seconds(ttl any) (int64, error) {
	number, _ := ttl.(json.Number)
	seconds, err := number.Int64()
	if err != nil || seconds < -1 || seconds == 0 || seconds > 2147483647 {
		return 0, refused("bad-request")
	}
	return seconds, nil
}
