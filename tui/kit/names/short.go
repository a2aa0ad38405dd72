// Package names makes the names of counters and instances fit: what all of them
// say goes first, the part that tells them apart stays.
package names

import (
	_ "embed" // the words
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"perfdeck/tui/canvas"
)

// shorterText has LONG|SHORT: words that take less room, tried in this order. " Info" says nothing.
//
//go:embed shorter.txt
var shorterText string

type shorterWord struct{ long, short string }

var shorter = sync.OnceValue(func() (out []shorterWord) {
	for line := range strings.SplitSeq(strings.TrimSpace(shorterText), "\n") {
		long, short, _ := strings.Cut(line, "|")
		out = append(out, shorterWord{long, short})
	}
	return out
})

// objects are the words for countersets before names that stand without a title, by what the
// set's name has. Of others it is their first word.
var objects = []struct{ in, word string }{{"Processor", ""}, {"Disk", "Disk"}, {"Network", "Net"}}

// Object is the word for a counterset before the names of its counters.
func Object(set string) string {
	for _, o := range objects {
		if strings.Contains(set, o.in) {
			return o.word
		}
	}
	word, _, _ := strings.Cut(set, " ")
	return word
}

// elsewhere are the first words that say in a pane of another counterset whose a counter is.
var elsewhere = []struct{ set, word, said string }{
	{"UDP", "Datagrams", "UDP"},
	{"Paging File", "% Usage", "Paging File"}, // of which it tells the use
}

// Elsewhere is the name of a counter of a set in a pane of another one.
func Elsewhere(name, set string) string {
	for _, e := range elsewhere {
		if rest, ok := cutPrefix(name, e.word); ok && hasPrefix(set, e.set) {
			return e.said + rest
		}
	}
	return name
}

// saidByUnits are first words that go when a name is too long.
var saidByUnits = []string{"Pkts", "Recv", "Segs", "Dgrams", "Proc", "System", "Msgs"}

// Short is the name of a counter beside a unit, which says much of it, in a pane that
// shows mostly the counters of set: "Read" of Disk Read Bytes/sec, "Queue Len" of
// Processor Queue Length. A few letters that are too many go, too; what has no room
// then is for the caller to cut.
func Short(name, set string, w int) string {
	if load, ok := strings.CutPrefix(strings.TrimSuffix(name, hundredths), "Load Average "); ok {
		return "Load " + strings.Replace(load, " Minutes", " min", 1)
	}
	name = strings.TrimSuffix(name, hundredths)
	_, name = qualifier(name)
	if rest, ok := cutPrefix(name, "Current "); ok && rest != "" {
		name = rest
	}
	name, _ = cutSuffix(name, " In Use") // of a share
	if name = withoutBytes(dropWords(name, set)); hasSuffix(set, "Disk") {
		name, _ = cutPrefix(name, "Disk ") // of the only word that is left dropWords takes none
	}
	if strings.EqualFold(name, "Disk") { // of Disk Bytes/sec
		name = "Total"
	}
	for _, s := range shorter() {
		if utf8.RuneCountInString(name) <= w {
			return name
		}
		name = abbreviate(name, s.long, s.short)
	}
	if utf8.RuneCountInString(name) > w {
		name = strings.TrimSuffix(name, "/sec")
	}
	if of, ok := cutSuffix(name, " Count"); ok && utf8.RuneCountInString(name) > w {
		name = of + "s"
	}
	for utf8.RuneCountInString(name) > w {
		first, rest, ok := strings.Cut(name, " ")
		if !ok || !slices.ContainsFunc(saidByUnits, func(said string) bool { return strings.EqualFold(said, first) }) {
			break
		}
		name = rest
	}
	return Shorten(name, w)
}

// leastWord is how many letters of a word of a name stay.
const leastWord = 4

// Shorten takes a few letters from the ends of the longest words if then a name fits into
// w cells: "Out Discard" of Out Discarded. A name of one word, as those of metrics are, is
// left.
func Shorten(name string, w int) string {
	over := utf8.RuneCountInString(name) - w
	if over <= 0 || over > w/4 || !strings.Contains(name, " ") {
		return name
	}
	words := strings.Split(name, " ")
	letters := make([][]rune, len(words))
	for i := range words {
		letters[i] = []rune(words[i])
	}
	for range over {
		longest := 0
		for i := range letters {
			if len(letters[i]) >= len(letters[longest]) {
				longest = i
			}
		}
		if len(letters[longest]) <= leastWord {
			return name
		}
		letters[longest] = letters[longest][:len(letters[longest])-1]
	}
	for i := range letters {
		words[i] = string(letters[i])
	}
	return strings.Join(words, " ")
}

// Hundredths tells whether a counter says in its name that it counts hundredths: its
// numbers are told without that.
func Hundredths(name string) bool { return strings.HasSuffix(name, hundredths) }

const hundredths = " x100"

// withoutBytes leaves out what the unit of bytes says: the word, and that it is a rate.
func withoutBytes(name string) string {
	if rest, ok := cutPrefix(name, "Bytes "); ok {
		return strings.TrimSuffix(rest, "/sec")
	}
	if rest, ok := cutSuffix(name, " Bytes/sec"); ok {
		return rest
	}
	if rest, ok := cutSuffix(name, " Bytes"); ok {
		return rest
	}
	return name
}

// Recordings of some programs have all names in small letters: words are found in any
// case.

// abbreviate writes the first such word short, small where it is small.
func abbreviate(name, long, short string) string {
	for i := 0; i+len(long) <= len(name); i++ {
		if strings.EqualFold(name[i:i+len(long)], long) {
			if name[i] == strings.ToLower(long)[0] {
				short = strings.ToLower(short)
			}
			return name[:i] + short + name[i+len(long):]
		}
	}
	return name
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func hasSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

func cutPrefix(s, prefix string) (rest string, ok bool) {
	if !hasPrefix(s, prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func cutSuffix(s, suffix string) (rest string, ok bool) {
	if !hasSuffix(s, suffix) {
		return s, false
	}
	return s[:len(s)-len(suffix)], true
}

// Counter fits a counter's name into w cells: words that the counterset's name
// says already go first, then words are abbreviated. What is still too long is
// for the caller to cut.
func Counter(name, set string, w int) string {
	if utf8.RuneCountInString(name) <= w {
		return name
	}
	name = dropWords(name, set)
	for _, a := range shorter() {
		if utf8.RuneCountInString(name) <= w {
			return name
		}
		name = abbreviate(name, a.long, a.short)
	}
	return name
}

// dropWords leaves out the words of the set's name: "Avg. Disk sec/Transfer" of
// PhysicalDisk becomes "Avg. sec/Transfer". A name is never left empty.
func dropWords(name, set string) string {
	var kept []string
	for w := range strings.FieldsSeq(name) {
		if len(w) < 3 || !hasSuffix(set, w) && !hasPrefix(set, w+" ") {
			kept = append(kept, w)
		}
	}
	if len(kept) < 2 {
		return name
	}
	return strings.Join(kept, " ")
}

// List gives the names of counters that stand in one list short forms that are unlike each
// other, as far as some are. They take long to find: they are remembered.
type List struct {
	names []string
	set   string
	short map[int]map[string]string // by width and name
}

// NewList is the list of some counters of a counterset, whose names may stand there twice.
func NewList(set string, names []string) *List {
	return &List{names, set, map[int]map[string]string{}}
}

// Short is Short, cut to w cells. Of several names that would look alike then the one that
// leaves nothing out keeps its form.
func (l *List) Short(r canvas.Region, w int, name string) string {
	if l.short[w] == nil {
		l.short[w] = l.fill(r, w)
	}
	short, ok := l.short[w][name]
	if !ok { // it is called otherwise than its counter
		short = CutWords(r, w, Short(name, l.set, w))
		l.short[w][name] = short
	}
	return short
}

func (l *List) fill(r canvas.Region, w int) map[string]string {
	out, taken := make(map[string]string, len(l.names)), make(map[string]bool, len(l.names))
	for _, qualified := range [...]bool{false, true} {
		for _, name := range l.names {
			said, _ := qualifier(name)
			if _, done := out[name]; done || (said != "") != qualified {
				continue
			}
			short := Short(name, l.set, w)
			forms := [...]string{CutWords(r, w, short), CutWords(r, w, said+Short(name, l.set, w-len(said))), r.CutEnd(w, short), r.CutMiddle(w, short)}
			at := max(0, slices.IndexFunc(forms[:], func(form string) bool { return !taken[form] }))
			out[name], taken[forms[at]] = forms[at], true
		}
	}
	return out
}

// qualifier is how a name begins that others of a counterset go on like, and the rest.
func qualifier(name string) (said, rest string) {
	for _, said := range [...]string{"% ", "Avg. "} {
		if rest, ok := cutPrefix(name, said); ok && rest != "" {
			return name[:len(said)], rest
		}
	}
	return "", name
}
