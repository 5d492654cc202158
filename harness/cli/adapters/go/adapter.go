// Puts the store of store.go behind the process protocol (PROTOCOL.md): a line comes in, the store is called, a line goes out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"log"
	"os"
)

const start = 1_700_000_000 // where the clock of every session begins

type message struct { // the fields of all messages
	Session, Partition string
	Request            map[string]request
	Page               *page
	Seconds            int64
}

var sessions = map[string]*store{}

func reply(kind string, it message) (string, any, error) {
	s := sessions[it.Session]
	switch kind {
	case "hello":
		return "hello", about, nil
	case "open":
		sessions[it.Session] = &store{now: start}
	case "send":
		s.partition = it.Partition
		if it.Partition == "" {
			s.partition = "p"
		}
		for kind, asked := range it.Request {
			answer, err := ask(s, kind, asked, it.Page)
			return "answer", answer, err
		}
	case "pass":
		s.now += it.Seconds
	case "close":
		delete(sessions, it.Session)
	case "bye":
	default:
		return "", nil, unsupported("the message " + kind)
	}
	return "ok", object{}, nil
}

func main() {
	lines, out := bufio.NewReader(os.Stdin), os.Stdout
	os.Stdout = os.Stderr // what a store prints must not come between the lines
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // the end of the input
		}
		raw := map[string]json.RawMessage{}
		check(json.Unmarshal(line, &raw))
		for kind, text := range raw {
			if kind == "q" {
				continue
			}
			var it message
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber() // 10.0 stays 10.0
			check(decoder.Decode(&it))
			word, content, err := reply(kind, it)
			var no refused
			var lacks unsupported
			if errors.As(err, &no) {
				word, content = "answer", object{"status": no}
			} else if errors.As(err, &lacks) {
				word, content = "unsupported", lacks
			} else if err != nil {
				word, content = "broken", err.Error()
			}
			answer, err := json.Marshal(object{"q": raw["q"], word: content})
			check(err)
			_, err = out.Write(append(answer, '\n'))
			check(err)
			if kind == "bye" {
				return
			}
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
