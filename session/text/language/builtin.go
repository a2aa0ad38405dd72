// Package language tells the English names of counters whose names are written in another
// language. Names are compared by what is left of them in ASCII, two that fit are told and not
// guessed, and what is English stays as it is. It knows the languages of names.zip, which is unpacked only
// where a name is no English one that is known, object by object, and those that users give it.
//
// The names of names.zip are facts out of CounterLang.xml of PAL (github.com/clinthuffman/PAL at 7cfe6d8d, by Clint
// Huffman, MIT licence): objects of Windows Server 2016 without roles. own.tsv has those
// that it lacks. go test -run BuiltInNames -update makes names.zip and english.bin out of it.
package language

import (
	"archive/zip"
	"bytes"
	_ "embed" // the tables
	"encoding/binary"
	"hash/fnv"
	"io"
	"io/fs"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// packed has the names of all objects in objects.tsv, without their counters, and each with its
// counters in a file of its number.
//
//go:embed names.zip
var packed []byte

// ownText are further names.
//
//go:embed own.tsv
var ownText string

// english are the keys of all English names that are known, in ascending order.
//
//go:embed english.bin
var english string

const keySize = 4

// key is that of names among the English ones.
func (n Names) key() uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, n.Object+`\`+n.Counter)
	return h.Sum32()
}

// isEnglish tells of names that are folded that they are English ones that are known.
func (n Names) isEnglish() bool {
	key := n.key()
	at := func(i int) uint32 { return binary.BigEndian.Uint32([]byte(english[i*keySize:])) }
	all := len(english) / keySize
	i := sort.Search(all, func(i int) bool { return at(i) >= key })
	return i < all && at(i) == key
}

// known are the objects of a table by their folded names, each with the languages that have it.
type known struct {
	*table

	byName map[string][]place
	// counters are those of an object: in the built-in table they are unpacked.
	counters func(object int) [][]string
}

// place is where the name of an object is, in languages by number.
type place struct {
	object    int
	languages []int
}

func index(t *table) *known {
	k := &known{table: t, byName: map[string][]place{}, counters: func(i int) [][]string { return t.objects[i].counters }}
	for i := range t.objects {
		of := fold(t.objects[i].names[0])
		for language := range t.tags {
			name := of
			if named := cell(t.objects[i].names, language); named == "" {
				continue
			} else if named != t.objects[i].names[0] {
				name = fold(named)
			}
			all := k.byName[name]
			if n := len(all); n > 0 && all[n-1].object == i {
				all[n-1].languages = append(all[n-1].languages, language)
				continue
			}
			k.byName[name] = append(all, place{i, []int{language}})
		}
	}
	return k
}

// builtIn are the tables of the program, made when something is looked up in them.
var builtIn = sync.OnceValue(openBuiltIn)

func openBuiltIn() []*known {
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil // a test reads it
	}
	read := func(name string) *table {
		text, err := fs.ReadFile(files, name)
		if err == nil {
			if t, err := parse(string(text)); err == nil {
				return t
			}
		}
		return &table{}
	}
	names := index(read("objects.tsv"))
	names.counters = func(i int) [][]string {
		if t := read(strconv.Itoa(i) + ".tsv"); len(t.objects) == 1 {
			return t.objects[0].counters
		}
		return nil
	}
	own, err := parse(ownText)
	if err != nil {
		return []*known{names}
	}
	return []*known{names, index(own)}
}

// called are languages by their short names.
var called = map[string]string{
	"en": "English", "cs": "Czech", "de": "German", "es": "Spanish", "fr": "French", "hu": "Hungarian", "it": "Italian", "nl": "Dutch",
	"pl": "Polish", "pt-BR": "Portuguese of Brazil", "pt-PT": "Portuguese", "ru": "Russian", "sv": "Swedish", "tr": "Turkish",
}

// Called is the name of a language by its short name, or that.
func Called(tag string) string {
	for short, name := range called {
		if strings.EqualFold(short, tag) {
			return name
		}
	}
	return tag
}
