package collectorset

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strings"

	"perfdeck/session/system/failure"
)

var errNotThere = errors.New("this cannot be written into the set as its text stands")

// Rewrite changes a set within its text: what is changed of it is written there, and all else
// stays as it is, byte by byte: what nobody knows here, its order, what is between.
func Rewrite(text string, change func(*Set) error) (string, error) {
	const mark = "\uFEFF"
	text, isMarked := strings.CutPrefix(text, mark)
	root, was, _, err := read(text)
	if err != nil {
		return "", err
	}
	now := was.Clone()
	if err := change(now); err != nil {
		return "", err
	}
	w := rewriter{text: text}
	w.set(root, was, now)
	out := w.done()
	if _, again, _, err := read(out); err != nil || !reflect.DeepEqual(again, now) {
		return "", failure.WithHint(errNotThere, "export it, change the file, and import that")
	}
	if isMarked {
		out = mark + out
	}
	return out, nil
}

// Root is the text of a set's element alone: without what stands before and behind it in a file.
func Root(data []byte) (string, error) {
	root, _, _, err := readBytes(data)
	if err != nil {
		return "", err
	}
	return root.raw, nil
}

// rewriter gathers what is written where in a text.
type rewriter struct {
	text  string
	edits []edit
}

// edit puts a text in the place of what stands from one place to another.
type edit struct {
	from, to int
	text     string
}

func (w *rewriter) edit(from, to int, text string) { w.edits = append(w.edits, edit{from, to, text}) }

// done is the text with all edits, which do not overlap.
func (w *rewriter) done() string {
	slices.SortStableFunc(w.edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var out strings.Builder
	at := 0
	for _, e := range w.edits {
		out.WriteString(w.text[at:max(at, e.from)] + e.text)
		at = max(at, e.to)
	}
	out.WriteString(w.text[at:])
	return out.String()
}

// orderOf are the names of tables in the order of exports.
func orderOf[T any](tables ...[]property[T]) (names []string) {
	for _, table := range tables {
		for i := range table {
			names = append(names, table[i].name)
		}
	}
	return names
}

func (w *rewriter) set(n *node, was, now *Set) {
	collectors := slices.Concat([]string{counterElement, alertElement}, keptElements)
	in := w.inside(n, orderOf(setBefore), []string{scheduleElement}, orderOf(setAfter), collectors, []string{managerElement})
	defer in.done()
	rewrite(in, was, now, setBefore)
	each(in, was.Schedules, now.Schedules, schedules)
	rewrite(in, was, now, setAfter)
	i := 0
	for _, child := range n.children {
		if !slices.Contains(collectors, child.name) || i >= len(now.Collectors) {
			continue
		}
		if now.Collectors[i].Kind != Kept {
			w.collector(child, &was.Collectors[i], &now.Collectors[i])
		}
		i++
	}
	switch {
	case now.Manager != nil && was.Manager == nil:
		in.insert(managerElement, brief(now.Manager, (*writer).manager))
	case now.Manager != nil:
		w.manager(in.named(managerElement)[0], was.Manager, now.Manager)
	}
}

func (w *rewriter) collector(n *node, was, now *Collector) {
	kind := &kinds[was.Kind]
	order := append([]string{typeElement}, orderOf(collectorProperties, kind.properties)...)
	order = slices.Insert(order, slices.Index(order, kind.lines)+1, kind.shown)
	in := w.inside(n, order)
	defer in.done()
	rewrite(in, was, now, collectorProperties, kind.properties)
	if shown := in.named(kind.shown); len(shown) == len(*was.lines()) {
		in.list(kind.shown, *was.lines(), *now.lines()) // it may be in the host's language where it stays
	}
}

func (w *rewriter) manager(n *node, was, now *Manager) {
	in := w.inside(n, orderOf(managerProperties), []string{actionElement})
	defer in.done()
	rewrite(in, was, now, managerProperties)
	each(in, was.FolderActions, now.FolderActions, actions)
}

// each changes the elements of a list, as far as they are others than before.
func each[T any](in *inside, was, now []T, m member[T]) {
	there := in.named(m.name)
	for i := range max(len(was), len(now)) {
		switch {
		case i >= len(now):
			in.remove(there[i])
		case i >= len(was):
			in.insert(m.name, brief(&now[i], m.write))
		case !slices.Equal(*extraOf(&was[i]), *extraOf(&now[i])): // it is another one
			in.w.edit(there[i].start, there[i].start+len(there[i].raw), brief(&now[i], m.write))
		default:
			one := in.w.inside(there[i], orderOf(m.table))
			rewrite(one, &was[i], &now[i], m.table)
			one.done()
		}
	}
}

// brief is an element as it is written into a text that lacks it.
func brief[T any](v T, write func(*writer, T)) string {
	w := writer{brief: true}
	write(&w, v)
	return w.text.String()
}

// rewrite writes the properties of tables that are others than before.
func rewrite[T any](in *inside, was, now *T, tables ...[]property[T]) {
	for _, table := range tables {
		for i := range table {
			p := &table[i]
			field := p.field(now)
			before, after := texts(p.field(was)), texts(field)
			if slices.Equal(before, after) {
				continue
			}
			there := in.named(p.name)
			switch _, isList := field.(*[]string); {
			case isList:
				in.list(p.name, before, after)
			case len(there) > 0:
				in.put(there[0], after[0])
			default:
				in.insert(p.name, element(p.name, after[0]))
			}
		}
	}
}

func element(name, text string) string {
	return "<" + name + ">" + written(name, text) + "</" + name + ">"
}

// inside is an element in which others are changed.
type inside struct {
	w     *rewriter
	n     *node
	order []string // of what stands in it
	more  string   // what goes into one that is closed as it begins
}

func (w *rewriter) inside(n *node, order ...[]string) *inside {
	return &inside{w: w, n: n, order: slices.Concat(order...)}
}

// isClosed tells an element that is written as <Name/>.
func (n *node) isClosed() bool { return n.body == n.start+len(n.raw) }

// fill puts something into an element.
func (w *rewriter) fill(n *node, text string) {
	if !n.isClosed() {
		w.edit(n.body, n.body+len(n.inside), text)
		return
	}
	name := n.raw[1 : 1+strings.IndexAny(n.raw[1:], white+"/>")]
	w.edit(n.body-len("/>"), n.body, ">"+text+"</"+name+">")
}

func (in *inside) done() {
	if in.more != "" {
		in.w.fill(in.n, in.more)
	}
}

func (in *inside) named(name string) (out []*node) {
	for _, child := range in.n.children {
		if child.name == name {
			out = append(out, child)
		}
	}
	return out
}

// put has an element say something else.
func (in *inside) put(n *node, text string) { in.w.fill(n, written(n.name, text)) }

// indent is the white space before an element.
func (in *inside) indent(n *node) string {
	before := in.w.text[:n.start]
	return before[len(strings.TrimRight(before, white)):]
}

// remove takes an element away, with the white space before it.
func (in *inside) remove(n *node) {
	in.w.edit(n.start-len(in.indent(n)), n.start+len(n.raw), "")
}

// insert puts an element where exports have it: behind the last one that stands before it there.
func (in *inside) insert(name, text string) {
	if in.n.isClosed() {
		in.more += text
		return
	}
	rank := slices.Index(in.order, name)
	for _, child := range slices.Backward(in.n.children) {
		if at := slices.Index(in.order, child.name); at >= 0 && at <= rank {
			in.after(child, text)
			return
		}
	}
	if len(in.n.children) > 0 {
		first := in.n.children[0]
		in.w.edit(first.start, first.start, text+in.indent(first))
		return
	}
	in.w.edit(in.n.body, in.n.body, text)
}

func (in *inside) after(n *node, text string) {
	end := n.start + len(n.raw)
	in.w.edit(end, end, in.indent(n)+text)
}

// list writes the elements of a list that are others than before, and leaves alone those around them.
func (in *inside) list(name string, was, now []string) {
	there := in.named(name)
	if len(there) != len(was) { // they were read of others
		was = make([]string, len(there))
	}
	same := 0
	for same < min(len(was), len(now)) && was[same] == now[same] {
		same++
	}
	tail := 0
	for tail < min(len(was), len(now))-same && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	others, last := now[same:len(now)-tail], len(was)-tail
	for i := same; i < last; i++ {
		if len(others) == 0 {
			in.remove(there[i])
			continue
		}
		in.put(there[i], others[0])
		others = others[1:]
	}
	for _, text := range others {
		switch one := element(name, text); {
		case last > 0:
			in.after(there[last-1], one)
		case len(there) > 0:
			in.w.edit(there[0].start, there[0].start, one+in.indent(there[0]))
		default:
			in.insert(name, one)
		}
	}
}
