package language

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdeck/paths"
)

// Dictionary knows names in other languages: those that are built in, and those of files that
// users give it. Its zero value knows the former.
type Dictionary struct {
	own   []*known
	notes []string
}

// Add takes in a file of names: see the table. File is its name, for notes.
func (d *Dictionary) Add(file, text string) error {
	if len(text) > mostFile {
		return fmt.Errorf("it is larger than %d MB", mostFile>>20)
	}
	if !utf8.ValidString(text) {
		return errors.New("it is not UTF-8")
	}
	t, err := parse(text)
	if err != nil {
		return err
	}
	d.own = append(d.own, index(t))
	for _, o := range t.objects {
		folded := make([]string, len(t.tags))
		for language := range t.tags {
			folded[language] = fold(cell(o.names, language))
		}
		for _, names := range o.counters {
			to := Names{o.names[0], names[0]}
			english := Names{folded[0], fold(names[0])}
			for language := 1; language < len(t.tags); language++ {
				from, f := Names{cell(o.names, language), cell(names, language)}, Names{folded[language], english.Counter}
				if from.Counter != names[0] {
					f.Counter = fold(from.Counter)
				}
				if f != english && f.Object != "" && f.Counter != "" && f.isEnglish() {
					d.notes = append(d.notes, fmt.Sprintf("%s: %s is English, and is not taken for %s", file, from, to))
				}
			}
		}
	}
	return nil
}

// mostNotes is how many things are told of a file, or of the names of a recording.
const mostNotes = 5

// Notes say what of the files of users is not gone by.
func (d *Dictionary) Notes() []string {
	if d == nil {
		return nil
	}
	return few(d.notes)
}

// few are the first of notes, and how many there are beside them.
func few(notes []string) []string {
	if n := len(notes) - mostNotes; n > 0 {
		return append(slices.Clone(notes[:mostNotes]), fmt.Sprintf("and %d more", n))
	}
	return notes
}

// Taken is what names are taken for.
type Taken struct {
	// English are the names in English, one for each that was asked for; zero: as they are.
	English   []Names
	Languages []string // in which they are, by their short names; those of most names first
	Doubts    []Doubt  // what has several meanings

	number   int // of names that are taken for others
	from, to Names
	notes    []string
}

// Doubt is a name that may be one of several: it stays as it is.
type Doubt struct {
	Name Names
	May  []Names
}

// Words say what was taken for what; none: nothing.
func (t *Taken) Words() (words []string) {
	if t == nil {
		return nil
	}
	if t.number > 0 {
		var in []string
		for _, tag := range t.Languages {
			in = append(in, Called(tag))
		}
		which := strings.Join(in, " or ")
		if t.number == 1 {
			words = append(words, fmt.Sprintf("the name of a counter is %s: %s is taken for %s", which, t.from, t.to))
		} else {
			words = append(words, fmt.Sprintf("%d names of counters are %s, and taken for the English ones, as %s for %s", t.number, which, t.from, t.to))
		}
	}
	for i, d := range t.Doubts {
		if i == mostNotes {
			words = append(words, fmt.Sprintf("%d more names may be one of several", len(t.Doubts)-i))
			break
		}
		words = append(words, d.String())
	}
	return append(words, t.notes...)
}

func (d *Doubt) String() string {
	var may []string
	for _, n := range d.May {
		may = append(may, n.String())
	}
	return fmt.Sprintf("%s may be %s: it is taken for none of them", d.Name, strings.Join(may, " or "))
}

// meaning is what a name may be, and in which language.
type meaning struct {
	Names

	language string
}

// finder looks names up, and keeps the counters that were unpacked for that.
type finder struct {
	own      []*known
	unpacked map[counterPlace][][]string
	indexed  map[namePlace]map[string][]Names
}

type counterPlace struct {
	in     *known
	object int
}

type namePlace struct {
	counterPlace

	language int
}

func (d *Dictionary) finder() *finder {
	f := &finder{unpacked: map[counterPlace][][]string{}, indexed: map[namePlace]map[string][]Names{}}
	if d != nil {
		f.own = d.own
	}
	return f
}

func (f *finder) all() []*known { return slices.Concat(builtIn(), f.own) }

// meanings are those of folded names, which are not English: what is built in, and where that
// knows nothing what users say; else is what they say otherwise.
func (f *finder) meanings(n Names) (found []meaning, other []Names) {
	for _, k := range builtIn() {
		found = append(found, f.in(k, n)...)
	}
	isBuiltIn := len(found) > 0
	for _, k := range f.own {
		for _, m := range f.in(k, n) {
			switch {
			case !isBuiltIn:
				found = append(found, m)
			case !slices.ContainsFunc(found, func(o meaning) bool { return o.folded() == m.folded() }):
				other = append(other, m.Names)
			}
		}
	}
	return found, other
}

// in are the meanings of folded names in a table.
func (f *finder) in(k *known, n Names) (found []meaning) {
	for _, at := range k.byName[n.Object] {
		for _, language := range at.languages {
			for _, names := range f.index(namePlace{counterPlace{k, at.object}, language})[n.Counter] {
				found = append(found, meaning{names, k.tags[language]})
			}
		}
	}
	return found
}

// counters are those of an object.
func (f *finder) counters(at counterPlace) [][]string {
	all, has := f.unpacked[at]
	if !has {
		all = at.in.counters(at.object)
		f.unpacked[at] = all
	}
	return all
}

// index is what counters of an object are in English, by their folded names in a language.
func (f *finder) index(at namePlace) map[string][]Names {
	byName, has := f.indexed[at]
	if !has {
		byName = map[string][]Names{}
		for _, names := range f.counters(at.counterPlace) {
			if name := fold(cell(names, at.language)); name != "" {
				byName[name] = append(byName[name], Names{at.in.objects[at.object].names[0], names[0]})
			}
		}
		f.indexed[at] = byName
	}
	return byName
}

// question is a name that is not known to be English, as it is written, with what it may mean.
type question struct {
	Names

	found []meaning
}

// English tells what the names of a host's counters are in English. Those that several languages
// have are taken in the language of most of the others.
func (d *Dictionary) English(names []Names) *Taken {
	t := &Taken{}
	all, of := d.ask(names, t)
	counts := map[string]int{} // of names by language
	for i := range all {
		tags := map[string]bool{}
		for _, m := range all[i].found {
			if !tags[m.language] {
				counts[m.language]++
			}
			tags[m.language] = true
		}
	}
	if len(counts) == 0 {
		return t
	}
	most := slices.Max(slices.Collect(maps.Values(counts)))
	is, in := make([]Names, len(all)), map[string]bool{}
	for i := range all {
		q := &all[i]
		may := distinct(q.found)
		if len(may) > 1 {
			if in := distinct(slices.DeleteFunc(slices.Clone(q.found), func(m meaning) bool { return counts[m.language] < most })); len(in) > 0 {
				may = in
			}
		}
		switch {
		case len(may) > 1:
			t.Doubts = append(t.Doubts, Doubt{q.Names, may})
		case len(may) == 1 && may[0].folded() != q.folded():
			if is[i] = may[0]; t.number == 0 {
				t.from, t.to = q.Names, may[0]
			}
			t.number++
			for _, m := range q.found {
				in[m.language] = in[m.language] || m.Names == may[0]
			}
		}
	}
	for tag, has := range in {
		if has && counts[tag] == most { // the others have a name alike
			t.Languages = append(t.Languages, tag)
		}
	}
	slices.SortFunc(t.Languages, func(a, b string) int { return cmp.Compare(Called(a), Called(b)) })
	t.spread(names, of, is)
	return t
}

// ask makes a question of each name that is not known to be English, and tells which is of which
// name; -1: none.
func (d *Dictionary) ask(names []Names, t *Taken) (all []question, of []int) {
	var f *finder
	asked := map[Names]int{}
	of = make([]int, len(names))
	for i, n := range names {
		at, has := asked[n]
		if !has {
			at = -1
			if folded := n.folded(); folded.Object != "" && folded.Counter != "" && !folded.isEnglish() {
				if f == nil {
					f = d.finder()
				}
				found, other := f.meanings(folded)
				for _, o := range other {
					t.notes = append(t.notes, fmt.Sprintf("%s is built in as %s: the file that has it as %s is not gone by", n, found[0].Names, o))
				}
				at = len(all)
				all = append(all, question{n, found})
			}
			asked[n] = at
		}
		of[i] = at
	}
	t.notes = few(t.notes)
	return all, of
}

// spread gives each name its English one. Of a counter that nobody knows the object is taken as
// its siblings are, if they agree.
func (t *Taken) spread(names []Names, of []int, is []Names) {
	objects := map[string]string{} // empty: their counters do not agree
	for i, n := range names {
		if at := of[i]; at >= 0 && is[at].Object != "" {
			if was, has := objects[n.Object]; has && was != is[at].Object {
				objects[n.Object] = ""
			} else {
				objects[n.Object] = is[at].Object
			}
		}
	}
	t.English = make([]Names, len(names))
	for i, n := range names {
		at := of[i]
		switch {
		case at >= 0 && is[at].Object != "":
			t.English[i] = is[at]
		case at >= 0 && objects[n.Object] != "":
			t.English[i] = Names{objects[n.Object], n.Counter}
		}
	}
}

// distinct are the names of meanings, each once.
func distinct(found []meaning) (names []Names) {
	for _, m := range found {
		if !slices.Contains(names, m.Names) {
			names = append(names, m.Names)
		}
	}
	return names
}

// Path is a path with English names, as a user typed it in another language. It is not ok where
// it says nothing that is known; several meanings are a *Doubt.
func (d *Dictionary) Path(text string) (english paths.Path, ok bool, doubt *Doubt) {
	p, err := paths.Parse(text)
	if err != nil || strings.Contains(p.Object, "*") {
		return p, false, nil
	}
	n := Names{p.Object, p.Counter}
	folded := n.folded()
	if folded.isEnglish() {
		return p, false, nil
	}
	var may []Names
	if strings.Contains(p.Counter, "*") {
		for _, k := range d.finder().all() {
			for _, at := range k.byName[folded.Object] {
				if is := (Names{k.objects[at.object].names[0], p.Counter}); !slices.Contains(may, is) {
					may = append(may, is)
				}
			}
		}
	} else {
		found, _ := d.finder().meanings(folded)
		may = distinct(found)
	}
	switch {
	case len(may) == 0 || len(may) == 1 && may[0].folded() == folded:
		return p, false, nil
	case len(may) > 1:
		return p, false, &Doubt{n, may}
	}
	p.Object, p.Counter = may[0].Object, may[0].Counter
	return p, true, nil
}

// Tags are the short names of the languages that are known.
func (d *Dictionary) Tags() []string {
	tags := map[string]bool{}
	for _, k := range d.finder().all() {
		for _, tag := range k.tags[1:] {
			tags[tag] = true
		}
	}
	return slices.Sorted(maps.Keys(tags))
}

// In translates English names into a language; ok tells whether it is known.
func (d *Dictionary) In(tag string) (translate func(Names) Names, ok bool) {
	f := d.finder()
	for _, k := range f.all() {
		ok = ok || slices.ContainsFunc(k.tags, func(t string) bool { return strings.EqualFold(t, tag) })
	}
	return func(n Names) (out Names) {
		folded := n.folded()
		for _, k := range f.all() {
			language := slices.IndexFunc(k.tags, func(t string) bool { return strings.EqualFold(t, tag) })
			for _, at := range k.byName[folded.Object] {
				if language < 0 || at.languages[0] != 0 { // the name of another object in some language
					continue
				}
				out.Object = cmp.Or(out.Object, cell(k.objects[at.object].names, language))
				for _, names := range f.counters(counterPlace{k, at.object}) {
					if fold(names[0]) == folded.Counter {
						out.Counter = cmp.Or(out.Counter, cell(names, language))
					}
				}
			}
		}
		return out
	}, ok
}
