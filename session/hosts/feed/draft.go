package feed

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// The limits of a draft.
const (
	maxDraftSets     = 100
	maxDraftCounters = 1000 // of a counterset

	maxDraftBytes      = 4 << 20
	maxDraftComplaints = 5
)

// Draft is a manifest that is made of a first batch of lines.
type Draft struct {
	Provider string
	Only     string // name of the counterset of lines that name none; empty: Provider
	Sets     []*DraftSet
}

// DraftSet is a counterset of a draft.
type DraftSet struct {
	Name     string
	Multiple bool // it has instances
	Counters []*DraftCounter
}

// DraftCounter is a counter of a draft, and its type as it was guessed.
type DraftCounter struct {
	Name string
	Type cooker.CounterType
	Why  string // that type
}

// Add takes a line.
func (d *Draft) Add(line []byte) error {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0 || line[0] == '#':
		return nil
	case len(line) > MaxLine:
		return errLong
	case line[0] == '{':
		return d.object(line)
	}
	return d.sample(line)
}

// AddAll takes lines until they end, up to 4 MiB. Complain hears of the first few that are
// wrong, which are passed over as all wrong ones are; wrong counts them.
func (d *Draft) AddAll(from io.Reader, complain func(line int, err error)) (wrong int, err error) {
	lines := bufio.NewScanner(io.LimitReader(from, maxDraftBytes))
	lines.Buffer(nil, MaxLine)
	for n := 1; lines.Scan(); n++ {
		if err := d.Add(lines.Bytes()); err != nil {
			if wrong++; wrong <= maxDraftComplaints {
				complain(n, err)
			}
		}
	}
	return wrong, lines.Err()
}

// field is a key of a JSON object and its value, in the order of the object.
type field struct {
	key  string
	text json.RawMessage
}

func fieldsOf(line []byte) (fields []field, err error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	if _, err := decoder.Token(); err != nil { // the brace
		return nil, err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var f field
		f.key, _ = key.(string)
		if err := decoder.Decode(&f.text); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	_, err = decoder.Token()
	return fields, err
}

var errMany = errors.New("there are too many countersets or counters")

func (d *Draft) object(line []byte) error {
	fields, err := fieldsOf(line)
	if err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	name, multiple := cmp.Or(d.Only, d.Provider), false
	for _, f := range fields {
		switch f.key {
		case keySet:
			if err := json.Unmarshal(f.text, &name); err != nil {
				return fmt.Errorf("%q cannot be %s", keySet, f.text)
			}
		case keyInstance:
			multiple = true
		}
	}
	set, err := d.set(name)
	if err != nil {
		return err
	}
	set.Multiple = set.Multiple || multiple
	for _, f := range fields {
		switch f.key {
		case keySet, keyInstance, keyParent, keyGone:
			continue
		}
		of, why := guess(f.key, f.text)
		if err := set.add(f.key, of, why); err != nil {
			return err
		}
	}
	return nil
}

// fits tells whether a name can be that of a counterset or counter.
func fits(name string) bool {
	return strings.TrimSpace(name) == name && name != "" && utf8.ValidString(name) && len(name) <= maxName-1 && !strings.ContainsFunc(name, unicode.IsControl)
}

func (d *Draft) set(name string) (*DraftSet, error) {
	for _, s := range d.Sets {
		if paths.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	switch {
	case !fits(name):
		return nil, fmt.Errorf("a counterset cannot be called %q", name)
	case len(d.Sets) == maxDraftSets:
		return nil, errMany
	}
	s := &DraftSet{Name: name}
	d.Sets = append(d.Sets, s)
	return s, nil
}

// add adds a counter that it does not have.
func (s *DraftSet) add(name string, of cooker.CounterType, why string) error {
	switch {
	case slices.ContainsFunc(s.Counters, func(o *DraftCounter) bool { return paths.EqualFold(o.Name, name) }):
		return nil
	case !fits(name):
		return fmt.Errorf("a counter cannot be called %q", name)
	case len(s.Counters) == maxDraftCounters:
		return errMany
	}
	s.Counters = append(s.Counters, &DraftCounter{name, of, why})
	return nil
}

// guess finds the type of a counter by its name and a value, and says why it is that.
func guess(name string, value json.RawMessage) (of cooker.CounterType, why string) {
	lower := strings.ToLower(name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
	}
	hasBase := bytes.HasPrefix(value, []byte("{"))
	switch {
	case bytes.HasPrefix(value, []byte(`"`)):
		return cooker.CounterText, "a text was told"
	case hasBase && has("%", "percent", "ratio"):
		return cooker.LargeRawFraction, "a base was told, and it is a share"
	case hasBase && has("sec", "time", "latency", "duration"):
		return cooker.AverageTimer, "a base was told, and it is a time: raw counts units of 100 ns"
	case hasBase:
		return cooker.AverageBulk, "a base was told"
	case has("/sec", "/s", "per sec", "_total") || strings.HasPrefix(lower, "total ") || strings.HasSuffix(lower, " total"):
		return cooker.CounterBulkCount, "its name is that of a rate, or of a count that grows"
	case has("%") && has("time", "busy"):
		return cooker.Timer100ns, "its name is that of a share of time: raw counts units of 100 ns"
	case has("uptime", "elapsed", "start time"):
		return cooker.ElapsedTime, "its name is that of a time since a start: raw is the start, in units of 100 ns since 1601"
	case has("hex", "address", "flags", "mask"):
		return cooker.CounterLargeRawCountHex, "its name is that of bits"
	}
	return cooker.CounterLargeRawCount, "nothing tells otherwise: it is shown as it is told"
}

// sample takes a sample of Prometheus' text format: one with labels is of an instance.
func (d *Draft) sample(line []byte) error {
	s, err := parseSample(string(line))
	if err != nil {
		return err
	}
	stem, ending := s.name, ""
	for _, e := range []string{"_total", "_sum", "_count", "_bucket", "_created", "_info"} {
		if cut, has := strings.CutSuffix(s.name, e); has {
			stem, ending = cut, e
			break
		}
	}
	quantile := slices.ContainsFunc(s.labels, func(l label) bool { return l.name == "quantile" || l.name == "le" })
	if quantile || ending == "_bucket" || ending == "_created" || ending == "_info" {
		return nil // of a histogram, a summary, or no measure: no counter has them
	}
	name, rest := d.place(stem)
	set, err := d.set(name)
	if err != nil {
		return err
	}
	set.Multiple = set.Multiple || len(s.labels) > 0
	if ending == "_count" {
		return nil // the base of the sum
	}
	return set.add(guessMetric(rest, ending))
}

// place divides the name of a metric into that of its counterset and its own: by its
// first word, as custom has it. Countersets other than that of the provider have its name
// before theirs, since hosts have a Process and a System of their own.
func (d *Draft) place(metric string) (set, rest string) {
	metric = strings.Trim(metric, "_:")
	first, rest, split := strings.Cut(metric, "_")
	switch {
	case d.Only != "" || !split:
		return cmp.Or(d.Only, d.Provider), metric
	case bare(first) == bare(d.Provider):
		return d.Provider, rest
	}
	return d.Provider + " " + words(first), rest
}

// guessMetric does so of a metric.
func guessMetric(metric, ending string) (name string, of cooker.CounterType, why string) {
	timed, isTime := strings.CutSuffix(metric, "_seconds")
	switch {
	case ending == "_sum" && isTime:
		return words(timed), cooker.AverageTimer, "a sum of seconds and its count"
	case ending == "_sum":
		return words(metric), cooker.AverageBulk, "a sum and its count"
	case ending == "_total" && isTime:
		return words(timed), cooker.Timer100ns, "seconds that grow: the share of time"
	case ending == "_total":
		return words(metric) + "/sec", cooker.CounterBulkCount, "its name ends with _total: it grows"
	case strings.HasSuffix(metric, "start_time_seconds"):
		return words(timed), cooker.ElapsedTime, "its name is that of a start"
	}
	return words(metric), cooker.CounterLargeRawCount, "nothing tells otherwise: it is shown as it is told, without its fraction"
}

// words writes a metric's name as a counter's: queue_length as Queue Length.
func words(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ':' || r == ' ' })
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, " ")
}

// text is the manifest. guid makes a GUID of a name.
func (d *Draft) text(guid func(name string) string) []byte {
	var b bytes.Buffer
	put := func(format string, args ...any) {
		for i, a := range args {
			if s, isText := a.(string); isText {
				args[i] = quoted(s)
			}
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	put(`<?xml version="1.0" encoding="UTF-8"?>`)
	put(`<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">`)
	put(` <instrumentation>`)
	put(`  <counters xmlns=%s schemaVersion="1.1">`, manifest.Namespace)
	put(`   <provider providerName=%s providerGuid=%s symbol=%s applicationIdentity=%s providerType="userMode" callback="custom">`,
		d.Provider, guid(d.Provider), symbol(d.Provider), symbol(d.Provider)+".exe")
	for _, s := range d.Sets {
		instances := "single"
		if s.Multiple {
			instances = "multiple"
		}
		uri := symbol(d.Provider) + "." + symbol(s.Name)
		put(`    <counterSet guid=%s uri=%s symbol=%s name=%s description=%s instances=%s>`,
			guid(d.Provider+"/"+s.Name), uri, symbol(s.Name), s.Name, s.Name, instances)
		s.write(put, uri)
		put(`    </counterSet>`)
	}
	put(`   </provider>`)
	put(`  </counters>`)
	put(` </instrumentation>`)
	put(`</instrumentationManifest>`)
	return b.Bytes()
}

var (
	errNoDraft  = errors.New("no line told of a counter")
	errBadDraft = errors.New("what the lines tell makes no valid manifest")
)

// Manifest is the text of the manifest, or why there is none, with what is wrong in it.
func (d *Draft) Manifest(guid func(name string) string) (text []byte, problems []manifest.Problem, err error) {
	if len(d.Sets) == 0 {
		return nil, nil, failure.WithHint(errNoDraft, `a line is {"set": NAME, "instance": NAME, COUNTER: NUMBER}, or a sample of Prometheus' text format`)
	}
	text = d.text(guid)
	if _, problems := manifest.Parse("manifest", text); !manifest.Valid(problems) {
		return nil, problems, failure.WithHint(errBadDraft, "let counters have other names")
	}
	return text, nil, nil
}

// Guesses tell of each counter its path, its type, and why that was guessed.
func (d *Draft) Guesses() (out []string) {
	for _, set := range d.Sets {
		for _, c := range set.Counters {
			info, _ := c.Type.Info()
			path := paths.Path{Object: set.Name, Counter: c.Name, HasInstance: set.Multiple}
			if set.Multiple {
				path.Instance = "*"
			}
			out = append(out, fmt.Sprintf("%s  %s: %s", printable.Text(path.String()), info.ManifestName, c.Why))
		}
	}
	return out
}

func (s *DraftSet) write(put func(format string, args ...any), uri string) {
	id := 0
	taken := map[string]bool{}
	of := func(name string) string { // C symbols, unique
		stem := symbol(name)
		one := stem
		for n := 2; taken[one]; n++ {
			one = stem + strconv.Itoa(n)
		}
		taken[one] = true
		return one
	}
	hidden := func(name, about string, t cooker.CounterType) {
		id++
		info, _ := t.Info()
		one := of(name)
		put(`     <counter id="%d" uri=%s symbol=%s name=%s description=%s type=%s detailLevel="standard">`, id, uri+"."+one, one, name, about, info.ManifestName)
		put(`      <counterAttributes><counterAttribute name="noDisplay"/></counterAttributes>`)
		put(`     </counter>`)
	}
	const timeID, freqID = 1_000_001, 1_000_002 // beyond those of all others
	timed := false
	for _, c := range s.Counters {
		id++
		info, _ := c.Type.Info()
		companions := ""
		if info.Clock == cooker.ClockObject {
			companions, timed = fmt.Sprintf(` perfTimeID="%d" perfFreqID="%d"`, timeID, freqID), true
		}
		hasBase := info.Base != cooker.BaseNone
		if hasBase {
			companions += fmt.Sprintf(` baseID="%d"`, id+1)
		}
		name := of(c.Name)
		put(`     <counter id="%d" uri=%s symbol=%s name=%s description=%s type=%s`+companions+` detailLevel="standard"/>`,
			id, uri+"."+name, name, c.Name, c.Name+": "+info.Meaning, info.ManifestName)
		if hasBase {
			hidden(c.Name+" Base", "Base of "+c.Name, info.BaseType)
		}
	}
	if timed {
		id = timeID - 1
		hidden("Object Time", "The clock of times since a start", cooker.CounterLargeRawCount)
		hidden("Object Frequency", "Its ticks in a second", cooker.CounterLargeRawCount)
	}
}

// quoted is a text as an XML attribute.
func quoted(s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	b.WriteByte('"')
	return b.String()
}

// symbol is a name as C has it.
func symbol(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if up {
				r = unicode.ToUpper(r)
			}
			if b.Len() == 0 && unicode.IsDigit(r) {
				b.WriteByte('N')
			}
			b.WriteRune(r)
			up = false
		case r == '%':
			b.WriteString("Percent")
			up = true
		default:
			up = true
		}
	}
	if b.Len() == 0 {
		return "Unnamed"
	}
	return b.String()
}
