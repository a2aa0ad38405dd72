// Package cache keeps what catalogues cost to read: in files, between runs, and
// once in memory for all hosts that offer the same.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/system/store"
	"perfdeck/session/text/printable"
)

const maxFile = 64 << 20 // bytes

// File is where a host's catalogue is kept.
type File struct {
	Dir  string // empty: it is kept nowhere
	Kind string // of the source, so that two of them can keep one host's
	Host string
	LCID uint32 // language of the labels
}

// contents are those of the file.
type contents struct {
	Host  string                `json:"host"`
	LCID  uint32                `json:"lcid"`
	Sets  []*session.Counterset `json:"sets"`
	Names map[uint32]string     `json:"names,omitempty"`
}

// Path is a file of its own for each kind, host and language. Host names hold
// characters that file names may not.
func (f *File) Path() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", strings.ToLower(f.Host), f.LCID))
	return filepath.Join(f.Dir, f.Kind+"-"+hex.EncodeToString(sum[:12])+".json")
}

func (f *File) document() *store.Document {
	return &store.Document{Name: f.Path(), Most: maxFile, Cheap: true, Form: store.FormJSON}
}

// Load gives the catalogue kept of an earlier run, nil where there is none that
// can be used. An error is of one that another version of perfdeck kept, which stays as it is.
func (f *File) Load() (*session.Catalogue, error) {
	if f.Dir == "" {
		return nil, nil
	}
	text, err := f.document().Read()
	if errors.Is(err, store.ErrForm) {
		return nil, fmt.Errorf("the catalogue of %s is read anew each time: %w", f.Host, err)
	}
	if text == nil || err != nil {
		return nil, nil //nolint:nilerr // it is read from the host
	}
	f.used(time.Now())
	return f.Parse(text), nil
}

// Parse reads the text of a file. Whatever is odd about it makes it useless: the
// result is nil.
func (f *File) Parse(text []byte) *session.Catalogue {
	var k contents
	//nolint:musttag // the model's names are the file's, under Form
	if json.Unmarshal(text, &k) != nil || !strings.EqualFold(k.Host, f.Host) || k.LCID != f.LCID || len(k.Sets) == 0 {
		return nil
	}
	for _, set := range k.Sets {
		if set == nil || set.Name == "" {
			return nil
		}
		for i := range set.Counters { // an older program had the code 0, and guessed units
			c := &set.Counters[i]
			c.Type = cooker.TypeOf(uint32(c.Type))
			if c.Quantity != (cooker.Quantity{}) {
				c.Quantity = cooker.QuantityIn(c.Type, set.Name, c.Name)
			}
		}
	}
	return &session.Catalogue{Host: f.Host, Sets: k.Sets, Names: k.Names}
}

// Save writes the catalogue for the next run: whole or not at all. That it
// cannot be kept does no harm now.
func (f *File) Save(cat *session.Catalogue) {
	if f.Dir == "" || len(cat.Sets) == 0 {
		return
	}
	text, err := f.Text(cat)
	if err != nil || os.MkdirAll(f.Dir, 0o700) != nil || f.document().Write(text) != nil {
		return
	}
	prune(f.Dir, time.Now(), mostKept)
}

// Text is what Save writes. Catalogues of the same text are the same.
func (f *File) Text(cat *session.Catalogue) ([]byte, error) {
	//nolint:musttag // see Parse
	text, err := json.Marshal(contents{f.Host, f.LCID, cat.Sets, cat.Names})
	return printable.EscapeJSON(text), err
}

// Remove removes the file, if it is there, and of this version.
func (f *File) Remove() {
	if f.Dir == "" {
		return
	}
	if _, err := f.document().Read(); !errors.Is(err, store.ErrForm) {
		_ = os.Remove(f.Path())
	}
}
