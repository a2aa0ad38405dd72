// Package sidechannel is what one perfdeck tells another over a stream beside MS-PCQ, which
// has no room for it: what it is, the text facts and numbers of instances, and what its host wrote
// down of itself. Questions and answers are JSON, so that either side may know fields that the
// other does not.
package sidechannel

import (
	"encoding/json"
	"fmt"
)

// Version is that of the questions and answers. A field more is no other version.
const Version = 1

// Bounds of a question and of what is taken from the other side.
const (
	MaxRows  = 4096 // of a question
	maxSets  = 1024
	maxKeys  = 64   // facts of a counterset
	maxNotes = 32   // that are told
	maxText  = 4096 // bytes of a fact, a note or a name
)

// Description is what the other side is.
type Description struct {
	Version int                 `json:"version"`
	Program string              `json:"program"` // its version
	System  string              `json:"system"`  // as "linux/amd64"
	Facts   map[string][]string `json:"facts"`   // by GUID of the counterset
	Notes   []string            `json:"notes"`   // what is wrong with its catalogue
	Changes bool                `json:"changes"` // it tells values by how they changed
	Events  bool                `json:"events"`  // it tells what the host wrote down of itself
}

// RowID is an instance as it is on the wire of MS-PCQ.
type RowID struct {
	ID   uint32 `json:"id"`
	Name string `json:"name"`
}

// Question asks about instances of a counterset.
type Question struct {
	Set  string   `json:"set"`  // GUID
	Keys []string `json:"keys"` // of facts; none: the numbers alone
	Rows []RowID  `json:"rows"`
}

// Row is what is known of an instance; nil in an Answer where it is gone.
type Row struct {
	Number uint64   `json:"number,omitempty"` // by which people know it, as a pid
	Owner  uint64   `json:"owner,omitempty"`  // that of its parent
	Hidden bool     `json:"hidden,omitempty"` // the system's own, as a kernel thread
	Idle   bool     `json:"idle,omitempty"`   // stands for unused capacity
	Facts  []string `json:"facts,omitempty"`  // by Keys of the Question, or none
}

// Answer has a row for each that was asked for.
type Answer struct {
	Rows []*Row `json:"rows"`
}

// Encode makes the bytes of a question or of an answer.
func Encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // none of them holds what JSON has no form for
		return nil
	}
	return b
}

// parse reads what Encode made; what says what it is.
func parse[T any](what string, b []byte) (*T, error) {
	v := new(T)
	if err := json.Unmarshal(b, v); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return v, nil
}

// ParseDescription reads a Description.
func ParseDescription(b []byte) (*Description, error) {
	d, err := parse[Description]("description", b)
	if err != nil {
		return nil, err
	}
	if d.Version < 1 || len(d.Facts) > maxSets {
		return nil, fmt.Errorf("description of version %d with facts of %d countersets", d.Version, len(d.Facts))
	}
	d.Program, d.System = bounded(d.Program), bounded(d.System)
	for guid, keys := range d.Facts {
		if len(keys) > maxKeys {
			return nil, fmt.Errorf("description: %d facts of %s", len(keys), bounded(guid))
		}
		boundAll(keys)
	}
	d.Notes = d.Notes[:min(len(d.Notes), maxNotes)]
	boundAll(d.Notes)
	return d, nil
}

// ParseQuestion reads a Question.
func ParseQuestion(b []byte) (*Question, error) {
	q, err := parse[Question]("question", b)
	if err == nil && (len(q.Rows) > MaxRows || len(q.Keys) > maxKeys) {
		return nil, fmt.Errorf("question for %d facts of %d rows", len(q.Keys), len(q.Rows))
	}
	return q, err
}

// ParseAnswer reads the answer to a question.
func ParseAnswer(q *Question, b []byte) (*Answer, error) {
	a, err := parse[Answer]("answer", b)
	if err != nil {
		return nil, err
	}
	if len(a.Rows) != len(q.Rows) {
		return nil, fmt.Errorf("answer of %d rows to %d", len(a.Rows), len(q.Rows))
	}
	for _, r := range a.Rows {
		if r == nil {
			continue
		}
		if n := len(r.Facts); n != 0 && n != len(q.Keys) {
			return nil, fmt.Errorf("answer of %d facts to %d", n, len(q.Keys))
		}
		boundAll(r.Facts)
	}
	return a, nil
}

func boundAll(texts []string) {
	for i := range texts {
		texts[i] = bounded(texts[i])
	}
}

func bounded(s string) string { return s[:min(len(s), maxText)] }
