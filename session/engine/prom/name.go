// Package prom is what perfdeck tells engines that speak the protocols of Prometheus: one
// naming of metrics and labels for all that goes there, and the text exposition format.
// It does no I/O.
//
// A counter has windows_exporter's name where that has one for just this number
// (known.go). Else its name is perfdeck, its counterset and it, in small letters, with
// the words of its unit taken out and the base unit put behind: seconds, bytes, ratio
// (1 is 100 %), per_second. Cooked values are gauges. Raw ones are counters that end in
// _total, or gauges where they go up and down, in base units too: ticks of a clock of
// known frequency in seconds.
package prom

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// Metric is a metric by its name.
type Metric struct {
	Name  string
	Grows bool    // a counter; else a gauge
	Help  string  // without escapes; empty: nothing is known
	Scale float64 // what a 1 of the value goes out as
}

// Names are the metrics of a counter, and the labels that tell its instances apart.
type Names struct {
	Cooked Metric
	Raw    Metric // without a name for a counter that has no raw number
	Base   Metric // of its companion; without a name: it has none
	Shape  cooker.RawShape

	Instance string   // label of the instance's name
	Labels   []Label  // of every instance
	States   []string // of services of Windows: windows_service_state has a series for each
	ByNumber bool     // instances have the label process_id
}

// Label is a name and a value, not escaped.
type Label struct{ Name, Value string }

// Naming remembers the metrics of countersets. The zero value is ready.
type Naming struct {
	known map[*session.Counterset][]Names
}

// Of is NamesOf.
func (n *Naming) Of(set *session.Counterset) []Names {
	const most = 4096
	names, ok := n.known[set]
	if !ok {
		if n.known == nil || len(n.known) > most { // of catalogues that are no more
			n.known = map[*session.Counterset][]Names{}
		}
		names = NamesOf(set)
		n.known[set] = names
	}
	return names
}

// NamesOf are the metrics of the counters of a counterset, by index. No two counters have a
// name in common that their labels do not tell apart.
func NamesOf(set *session.Counterset) []Names {
	out, level := make([]Names, len(set.Counters)), make([]int, len(set.Counters))
	prefix := "perfdeck" + words(set.InEnglish())
	for range stems {
		taken := map[string]int{}
		for i := range set.Counters {
			c := &set.Counters[i]
			out[i] = ruled(c, prefix+stems[level[i]](c, i))
			for _, name := range out[i].own() {
				taken[name]++
			}
		}
		for i := range out {
			if level[i]+1 < len(stems) && slices.ContainsFunc(out[i].own(), func(name string) bool { return taken[name] > 1 }) {
				level[i]++
			}
		}
	}
	for i := range set.Counters {
		if k := knownAs(set.InEnglish(), set.Counters[i].InEnglish()); k != nil {
			k.apply(&out[i])
		}
		if set.Protocol == "MS-SCMR" && set.Counters[i].Quantity.Kind == cooker.ServiceState {
			out[i].States = windowsStates
		}
	}
	return out
}

// stems are how the names of a counter's metrics begin: without the words of its unit, but
// with them where another counter would have one of the names then, and with its number
// where that is not enough, or its place.
var stems = [...]func(c *session.Counter, at int) string{
	func(c *session.Counter, _ int) string { return words(withoutUnit(c)) },
	func(c *session.Counter, _ int) string { return words(c.Name) },
	func(c *session.Counter, _ int) string { return fmt.Sprintf("%s_%d", words(c.Name), c.ID) },
	func(c *session.Counter, at int) string { return fmt.Sprintf("%s_%d_%d", words(c.Name), c.ID, at) },
}

// own are the names of a counter's metrics, each once.
func (n *Names) own() []string {
	all := []string{n.Cooked.Name}
	for _, m := range []*Metric{&n.Raw, &n.Base} {
		if m.Name != "" && m.Name != n.Cooked.Name {
			all = append(all, m.Name)
		}
	}
	return all
}

// AsItIs tells that the raw value is the cooked one.
func (n *Names) AsItIs() bool { return n.Raw.Name == n.Cooked.Name }

// ruled are the names by the rule.
func ruled(c *session.Counter, stem string) Names {
	cooked, scale := unitOf(c.Quantity)
	n := Names{Instance: "name", Cooked: Metric{Name: ending(stem, cooked), Scale: scale, Help: c.Description}}
	if c.Type.IsText() {
		n.Cooked = Metric{Name: stem + "_info", Scale: 1, Help: c.Description}
	}
	shape, ok := c.Type.Raw()
	if !ok {
		return n
	}
	n.Shape = shape
	n.Raw = Metric{Grows: shape.Grows, Help: rawHelp(c, "raw value"), Scale: 1}
	ticks := "_ticks"
	if shape.Time != cooker.ClockNone {
		ticks = "_seconds"
	}
	switch {
	case !shape.Grows && shape.Base == cooker.BaseNone && shape.Clock == cooker.ClockNone:
		n.Raw.Name, n.Raw.Scale = n.Cooked.Name, n.Cooked.Scale // it is cooked as it is
	case !shape.Grows && shape.Base == cooker.BaseNone:
		n.Raw.Name = stem + "_start_ticks"
	case !shape.Grows:
		n.Raw.Name = n.Cooked.Name + "_part"
	case shape.Time != cooker.ClockNone, shape.Base == cooker.BaseClock, shape.Clock == cooker.ClockObject:
		n.Raw.Name = stem + ticks + "_total"
	default:
		amount, scale := amountOf(c.Quantity)
		n.Raw.Name, n.Raw.Scale = ending(stem, amount)+"_total", scale
	}
	switch {
	case shape.Base == cooker.BaseNone:
	case shape.Base == cooker.BaseClock:
		n.Base = Metric{Name: stem + "_base_ticks_total", Grows: true}
	case shape.BaseGrows:
		n.Base = Metric{Name: n.Cooked.Name + "_base_total", Grows: true}
	default:
		n.Base = Metric{Name: n.Cooked.Name + "_base"}
	}
	if n.Base.Name != "" {
		n.Base.Scale, n.Base.Help = 1, rawHelp(c, "base")
	}
	return n
}

// rawHelp tells what a raw series is.
func rawHelp(c *session.Counter, what string) string {
	return strings.TrimSpace(fmt.Sprintf("%s (%s of %s, 0x%08X)", c.Description, what, c.Type, uint32(c.Type)))
}

// ending puts an ending behind a name that may have it.
func ending(stem, suffix string) string { return strings.TrimSuffix(stem, suffix) + suffix }

// unitOf is how the name of a cooked value ends, and what a 1 of it is in base units.
func unitOf(q cooker.Quantity) (suffix string, scale float64) {
	switch q.Kind {
	case cooker.PerSecond:
		return "_per_second", 1
	case cooker.Percent:
		return "_ratio", 0.01
	case cooker.Bytes:
		return "_bytes", q.Base()
	case cooker.BytesPerSecond:
		return "_bytes_per_second", q.Base()
	case cooker.BitsPerSecond:
		return "_bytes_per_second", q.Base() / 8
	case cooker.Seconds:
		return "_seconds", q.Base()
	}
	return "", 1
}

// amountOf is the same of what adds up, or is averaged, where a rate is of it.
func amountOf(q cooker.Quantity) (suffix string, scale float64) {
	switch q.Kind {
	case cooker.Bytes, cooker.BytesPerSecond:
		return "_bytes", q.Base()
	case cooker.BitsPerSecond:
		return "_bytes", q.Base() / 8
	}
	return "", 1
}

// withoutUnit is the name of a counter without the words that its suffix says again.
func withoutUnit(c *session.Counter) string {
	name := strings.ToLower(c.Name)
	switch c.Quantity.Kind {
	case cooker.Percent:
		name = strings.TrimPrefix(strings.TrimSpace(name), "%")
	case cooker.PerSecond, cooker.BytesPerSecond, cooker.BitsPerSecond:
		name = strings.Replace(name, "/sec", "", 1)
	}
	if c.Quantity.Kind == cooker.Count || c.Quantity.Kind == cooker.Percent || c.Quantity.Kind == cooker.PerSecond {
		return name
	}
	kept := slices.DeleteFunc(strings.FieldsFunc(name, notOfName), func(w string) bool {
		exponent, ok := unitWords[w]
		return w == "sec" && c.Quantity.Kind == cooker.Seconds || ok && exponent == c.Quantity.Exponent
	})
	if len(kept) == 0 {
		return name
	}
	return strings.Join(kept, " ")
}

// unitWords are the words that spell a unit, of a counter that has one, by the exponent of
// its quantity.
var unitWords = map[string]int8{
	"byte": 0, "bytes": 0, "seconds": 0, "secs": 0,
	"kb": 1, "kbyte": 1, "kbytes": 1, "kilobytes": 1, "kbit": 1,
	"mb": 2, "mbyte": 2, "mbytes": 2, "megabytes": 2,
	"gb": 3, "gbytes": 3, "gigabytes": 3,
	"ms": -1, "msec": -1, "milliseconds": -1,
	"microseconds": -2,
}

func notOfName(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

var signs = strings.NewReplacer("/sec", " per second ", "%", " percent ", "#", " number ", "&", " and ")

// words are the words of a name as a part of the name of a metric, each behind an
// underscore. What is no letter of ASCII is its number, so that names in other scripts
// differ.
func words(name string) string {
	var b strings.Builder
	gap := true
	for _, r := range strings.ToLower(signs.Replace(strings.ToLower(name))) {
		if notOfName(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('_')
		}
		gap = false
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "u%04x", r)
			gap = true
		}
	}
	return b.String()
}

// EachLabel goes through the labels of an instance of a counter, as they are told to an
// engine. in is nil for a counterset without instances. None is called instance or job:
// those are the engine's.
func (n *Names) EachLabel(host string, in *session.Instance, put func(name, value string)) {
	put(HostLabel, LabelValue(host))
	if in != nil {
		if in.Key.Parent != "" {
			put("parent", LabelValue(in.Key.Parent))
		}
		put(n.Instance, LabelValue(in.Key.Name))
		switch {
		case n.ByNumber && in.Number != 0:
			put("process_id", strconv.FormatUint(in.Number, 10))
		case in.Index > 0:
			put("index", strconv.FormatUint(uint64(in.Index), 10))
		}
	}
	for _, l := range n.Labels {
		put(l.Name, LabelValue(l.Value))
	}
}

const (
	// HostLabel has the name of the host; every series has it.
	HostLabel = "host"
	// TextLabel has the value of a counter that is a text.
	TextLabel = "text"
)

// AppendLabels writes those labels, behind a brace and without the one that closes them.
func (n *Names) AppendLabels(b []byte, host string, in *session.Instance) []byte {
	b = append(b, '{')
	first := len(b)
	n.EachLabel(host, in, func(name, value string) {
		if len(b) > first {
			b = append(b, ',')
		}
		b = appendLabel(b, name, value)
	})
	return b
}

// appendLabel writes a label. value is that of LabelValue.
func appendLabel(b []byte, name, value string) []byte {
	b = append(append(b, name...), `="`...)
	return append(append(b, quoted(value)...), '"')
}

// mostLabel bounds the value of a label, in bytes: engines refuse samples whose labels are
// longer than 1 or 2 KiB.
const mostLabel = 1000

// LabelValue is a text as the value of a label. What cannot be printed is escaped in it,
// not replaced: two series of the same labels would spoil the whole exposition. A long one
// ends in a sum of the whole for the same reason.
func LabelValue(text string) string {
	if len(text) <= mostLabel && isPlain(text) {
		return text
	}
	whole := string(printable.EscapeJSON([]byte(strings.ToValidUTF8(text, "\uFFFD"))))
	if len(whole) <= mostLabel {
		return whole
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(text))
	return strings.ToValidUTF8(whole[:mostLabel-20], "") + fmt.Sprintf("\u2026%016x", sum.Sum64())
}

// isPlain tells texts that go out as they are.
func isPlain(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) < 0
}

// EscapeLabel is a text as the value of a label, between its quotes.
func EscapeLabel(text string) string { return quoted(LabelValue(text)) }

func quoted(value string) string {
	if isPlain(value) {
		return value
	}
	return escapeLabel.Replace(value)
}

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// apply gives a counter the name that is known for it.
func (k *known) apply(n *Names) {
	n.Instance, n.Labels, n.ByNumber = cmp.Or(k.instance, n.Instance), k.labels, k.byNumber
	if k.name == "" {
		return
	}
	scale := cmp.Or(k.scale, 1)
	if !k.grows {
		n.Cooked.Name, n.Cooked.Scale = k.name, scale
		if n.Raw.Name != "" && !n.Shape.Grows && n.Shape.Base == cooker.BaseNone {
			n.Raw.Name, n.Raw.Scale = k.name, scale
		}
		return
	}
	if n.Shape.Grows {
		n.Raw.Name, n.Raw.Scale = k.name, scale
		return
	}
	if n.Raw.Name == n.Cooked.Name { // a count that the host does not take the rate of
		n.Raw.Name, n.Raw.Grows, n.Raw.Scale = k.name, true, scale
		n.Cooked.Name, n.Cooked.Grows, n.Cooked.Scale = k.name, true, scale
	}
}
