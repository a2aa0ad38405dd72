package dialog

import (
	"slices"
	"strings"

	"perfdeck/session/text/words"
	"perfdeck/tui/keys"
	"perfdeck/tui/pane"
	"perfdeck/tui/search"
)

// Kind sorts what the palette finds. Among what fits equally well, the first
// kinds come first.
type Kind = search.Kind

// The kinds.
const (
	Screens Kind = iota
	Actions
	Hosts
	Decks
	Sets // and those below are read only when something is typed
	Counters
)

// kindWords are the kinds as rows name them, and as they narrow a search.
var kindWords = [...]string{
	Screens: "screen", Actions: "action", Hosts: "host", Decks: "deck", Sets: "set", Counters: "counter",
}

// Entry is a thing that the palette found, as it is shown.
type Entry struct {
	Text   string // its name, as it was searched
	Host   string // where it is, if there are several
	Detail string // what it is, or belongs to; muted
	Key    string // label of the keys that do the same, in keys of the table of actions; may be empty
	Why    string // why it cannot be done now; empty: it can
	Does   string // what enter does, in two words: "open", "add to deck"
	Do     func()
	Other  func() []pane.MenuItem // what else can be done with it; nil: nothing
}

// Source is a list of things to find that change together: the screens, the
// counters of one host.
type Source struct {
	Kind Kind
	Name string // searched besides the names: the host whose counters these are
	// Stamp can be compared, and differs when the names do: the catalogue they are
	// made from. Without one the names are read whenever the palette opens.
	Stamp any
	// Names are what is searched. Their kind is set by the source.
	Names func() []search.Entry
	// Entry makes what is shown of the i-th name.
	Entry func(i int) Entry
}

// SourceOf makes a source of a short list.
func SourceOf(kind Kind, entries []Entry) Source {
	return Source{
		Kind: kind,
		Names: func() []search.Entry {
			names := make([]search.Entry, len(entries))
			for i := range entries {
				names[i] = search.Entry{Name: entries[i].Text, Text: entries[i].Detail}
			}
			return names
		},
		Entry: func(i int) Entry { return entries[i] },
	}
}

// Finder is what the palette searches. It is kept between openings, so that
// tens of thousands of counters are read once.
type Finder struct {
	// Coming is what has more names soon, and waits for it; nil, or nothing to wait
	// for: nothing has.
	Coming  func() (what string, wait func())
	Words   func() words.Book // what the user calls counters; nil: nothing
	sources func() []Source
	index   *search.Index
	find    *search.Finder
	held    []*held
	result  search.Result
	listed  bool // nothing was searched: the small kinds are listed
}

// held is a source with its place in the index.
type held struct {
	Source
	entries *search.Source
	isStale bool // to be read before the next search
}

// NewFinder returns a finder that asks for the sources at every opening, in the
// order in which they are listed when nothing is typed. A name is used once for
// each kind.
func NewFinder(sources func() []Source) *Finder {
	x := search.NewIndex()
	return &Finder{sources: sources, index: x, find: search.NewFinder(x)}
}

// Open returns the palette, which shows keys as the user has them.
func (f *Finder) Open(out *pane.Outbox, userKeys *keys.Map) *Palette {
	if f.refresh(); f.Words != nil {
		f.index.Words = f.Words()
	}
	p := &Palette{out: out, finder: f, keys: userKeys}
	p.changed = p.search
	p.search()
	return p
}

// refresh compares the sources with those of the last opening.
func (f *Finder) refresh() {
	fresh := f.sources()
	f.held = slices.DeleteFunc(f.held, func(h *held) bool {
		if slices.ContainsFunc(fresh, h.isSame) {
			return false
		}
		f.index.Remove(h.entries)
		return true
	})
	for _, s := range fresh {
		i := slices.IndexFunc(f.held, func(h *held) bool { return h.isSame(s) })
		if i < 0 {
			f.held = append(f.held, &held{Source: s, entries: f.index.Add(s.Name, nil), isStale: true})
			continue
		}
		h := f.held[i]
		h.isStale = h.isStale || s.Stamp == nil || s.Stamp != h.Stamp
		h.Source = s
	}
}

func (h *held) isSame(s Source) bool { return h.Kind == s.Kind && h.Name == s.Name }

// read brings the index up to date; large kinds only if they are asked for.
func (f *Finder) read(large bool) {
	for _, h := range f.held {
		if !h.isStale || h.Kind >= Sets && !large {
			continue
		}
		names := h.Names()
		for i := range names {
			names[i].Kind = h.Kind
		}
		f.index.Renew(h.entries, names)
		h.isStale = false
	}
}

// mostHits is how many rows the palette can scroll through.
const mostHits = 500

// search finds what was typed: words, after a kind and a colon if it is
// narrowed. Nothing typed lists everything but the large kinds.
func (f *Finder) search(text string) {
	kind, words, narrowed := narrow(text)
	f.listed = !narrowed && strings.TrimSpace(words) == ""
	f.read(!f.listed)
	kinds := search.Kinds(0)
	switch {
	case narrowed:
		kinds = search.Only(kind)
	case f.listed:
		kinds = search.Only(Screens, Actions, Hosts, Decks)
	}
	f.result = f.find.Find(words, kinds, mostHits)
}

// narrow splits "host: sql" into the kind and the words.
func narrow(text string) (kind Kind, words string, narrowed bool) {
	head, rest, found := strings.Cut(text, ":")
	if !found {
		return 0, text, false
	}
	i := slices.Index(kindWords[:], strings.ToLower(strings.TrimSpace(head)))
	if i < 0 {
		return 0, text, false
	}
	return Kind(i), rest, true
}

// entry is the i-th thing that was found.
func (f *Finder) entry(i int) (Kind, Entry) {
	hit := f.result.Hits[i]
	for _, h := range f.held {
		if h.entries == hit.Source {
			return h.Kind, h.Entry(hit.Entry)
		}
	}
	return 0, Entry{}
}
