// Package enumerate lists what hosts have, as typeperf -q and -qx do: countersets, their counters and
// instances, as paths or JSON.
package enumerate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/hosts/service"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/language"
	"perfdeck/session/text/printable"
	"perfdeck/session/text/words"
)

// Options say how countersets are listed.
type Options struct {
	Instances  bool // a path for each instance
	Verbose    bool // counters are described
	JSON       bool // a counterset is an object on a line
	ShowHidden bool // with hidden counters
	// In translates names into a language, which are listed beside the English ones; nil: none.
	In     func(language.Names) language.Names
	Names  *language.Dictionary // of what is asked for in another language
	Report func(error)
	Words  words.Book // what people call counters
}

// Lister lists the countersets of hosts. One goroutine uses it.
type Lister struct {
	o      Options
	out    *bufio.Writer
	partly bool
}

// New lists to out, which is whoever's to flush.
func New(out *bufio.Writer, o Options) *Lister { return &Lister{o: o, out: out} }

// IsPartly tells that instances could not be read of some countersets: that was reported.
func (l *Lister) IsPartly() bool { return l.partly }

// Host lists the countersets of a host whose names fit object. Computer is empty where its name
// is left out of paths. That none fits is an error.
func (l *Lister) Host(ctx context.Context, source session.Source, cat *session.Catalogue, computer, object string) error {
	found := false
	for _, set := range cat.Sets {
		if !paths.Match(object, set.Name) && (set.Label == "" || !paths.Match(object, set.Label)) {
			continue
		}
		found = true
		var instances []session.Instance
		if l.o.Instances && set.Instances.Multiple() {
			var err error
			if instances, err = Instances(ctx, source, set); err != nil {
				l.partly = true
				l.o.Report(fmt.Errorf("list the instances of %s: %w", set.Name, err))
			} else if len(instances) == 0 {
				l.o.Report(fmt.Errorf("list the instances of %s: %s", set.Name, set.WhyEmpty()))
			}
		}
		if err := l.set(computer, set, instances); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	if p, ok, _ := l.o.Names.Path(`\` + object + `\*`); ok && cat.Set(p.Object) != nil {
		l.o.Report(fmt.Errorf("%s is taken for %s", object, p.Object))
		return l.Host(ctx, source, cat, computer, p.Object)
	}
	return l.answers(cat, computer, object)
}

// answers lists the counters that answer to what people call something.
func (l *Lister) answers(cat *session.Catalogue, computer, word string) error {
	all, found := l.o.Words.Answers(word), false
	for _, answer := range all {
		if set, c := cat.Given(answer.Set, answer.Name); c >= 0 {
			alone := &session.Counterset{Name: set.Name, Label: set.Label, Description: set.Description, Instances: set.Instances, Counters: set.Counters[c : c+1]}
			if err := l.set(computer, alone, nil); err != nil {
				return err
			}
			found = true
		}
	}
	switch {
	case found:
		return nil
	case len(all) > 0:
		return failure.WithHint(fmt.Errorf("list %s: this host has no counter of that", word), all[0].String()+" would tell it")
	}
	return noCounterset(cat, word)
}

// noCounterset is the error of a name that no counterset has.
func noCounterset(cat *session.Catalogue, object string) error {
	_, err := cat.Resolve(`\`+object+`\*`, paths.Options{})
	if unknown, ok := errors.AsType[*paths.LookupError](err); ok && unknown.Kind == paths.UnknownObject {
		return fmt.Errorf("list %s: %w", object, err)
	}
	return failure.WithHint(fmt.Errorf("list %s: no counterset has this name", object), "perfdeck list shows all")
}

// set lists one counterset.
func (l *Lister) set(computer string, set *session.Counterset, instances []session.Instance) error {
	if l.o.JSON {
		return printable.WriteJSON(l.out, l.describe(computer, set, instances))
	}
	if l.o.Verbose {
		way := ""
		if by := set.ReadBy(); by != "" {
			way = " (" + by + ")"
		}
		fmt.Fprintf(l.out, "; %s\n", strings.TrimSuffix(printable.Text(set.Name+way+": "+set.Description), ": "))
	}
	for i := range set.Counters {
		c := &set.Counters[i]
		if c.Hidden() && !l.o.ShowHidden {
			continue
		}
		if l.o.Verbose {
			l.verboseLines(c)
		}
		if c.Absent != "" {
			continue
		}
		for _, path := range l.paths(computer, set, i, instances) {
			if also := l.translated(path); also != "" {
				fmt.Fprintln(l.out, "; "+printable.Text(also))
			}
			fmt.Fprintln(l.out, givable(path))
		}
	}
	return nil
}

// paths are those of a counter: of each instance, or with * for them.
func (l *Lister) paths(computer string, set *session.Counterset, counter int, instances []session.Instance) []string {
	if l.o.Instances && set.Instances.Multiple() {
		out := make([]string, len(instances))
		for i := range instances {
			out[i] = session.PathOf(computer, set, counter, &instances[i]).String()
		}
		return out
	}
	return []string{ofAll(computer, set, counter)}
}

// ofAll is the path of a counter, with * for its instances.
func ofAll(computer string, set *session.Counterset, counter int) string {
	p := session.PathOf(computer, set, counter, nil)
	if set.Instances.Multiple() {
		p.HasInstance, p.Instance = true, "*"
	}
	return p.String()
}

// translated is a path in the language that is asked for, empty where that is not known.
func (l *Lister) translated(path string) string {
	p, err := paths.Parse(path)
	if l.o.In == nil || err != nil {
		return ""
	}
	to := l.o.In(language.Names{Object: p.Object, Counter: p.Counter})
	if to.Object == "" || to.Counter == "" {
		return ""
	}
	p.Object, p.Counter = to.Object, to.Counter
	return p.String()
}

// givable is a path as it can be given to sample: on one line, with * for what cannot be
// printed.
func givable(path string) string {
	if printable.Text(path) == path {
		return path
	}
	var b strings.Builder
	for rest := path; rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		text := rest[:size]
		rest = rest[size:]
		if printable.Text(text) == text {
			b.WriteString(text)
		} else {
			b.WriteByte('*')
		}
	}
	return b.String()
}

// verboseLines describe a counter in lines that a file of counters may hold.
func (l *Lister) verboseLines(c *session.Counter) {
	fmt.Fprintf(l.out, ";   %s: %s 0x%08X, scale %d, %s", printable.Text(c.Name), c.Type, uint32(c.Type), c.DefaultScale, c.Detail)
	for _, a := range c.Attributes.Names() {
		fmt.Fprintf(l.out, ", %s", a)
	}
	if c.Absent != "" {
		fmt.Fprintf(l.out, ", %s", printable.Text(c.Absent))
	}
	fmt.Fprintln(l.out)
	if c.Description != "" {
		fmt.Fprintf(l.out, ";   %s\n", printable.Text(c.Description))
	}
}

// Set is what JSON has of a counterset.
type Set struct {
	Host        string    `json:"host,omitempty"`
	Counterset  string    `json:"counterset"`
	GUID        string    `json:"guid,omitempty"`
	Index       uint32    `json:"index,omitempty"`
	Provider    string    `json:"provider,omitempty"`
	Protocol    string    `json:"protocol,omitempty"`
	Description string    `json:"description,omitempty"`
	Multiple    bool      `json:"multiple"`
	Counters    []Counter `json:"counters"`
	Instances   []string  `json:"instances,omitempty"`
}

// Counter is what it has of a counter.
type Counter struct {
	Name        string   `json:"name"`
	Path        string   `json:"path"`
	Translated  string   `json:"translated,omitempty"` // the path in the language that was asked for
	ID          uint32   `json:"id"`
	Type        string   `json:"type"`
	Code        string   `json:"code"`
	Scale       int      `json:"defaultScale"`
	Detail      string   `json:"detailLevel"`
	Attributes  []string `json:"attributes,omitempty"`
	Hidden      bool     `json:"hidden,omitempty"`
	Absent      string   `json:"absent,omitempty"`
	Description string   `json:"description,omitempty"`
}

func (l *Lister) describe(computer string, set *session.Counterset, instances []session.Instance) Set {
	out := Set{Host: computer, Counterset: set.Name, GUID: set.GUID, Index: set.V1Index, Provider: set.Provider, Protocol: set.Protocol,
		Description: set.Description, Multiple: set.Instances.Multiple(), Counters: []Counter{}}
	for i := range set.Counters {
		c := &set.Counters[i]
		if c.Hidden() && !l.o.ShowHidden {
			continue
		}
		path := ofAll(computer, set, i)
		out.Counters = append(out.Counters, Counter{
			Name: c.Name, Path: path, Translated: l.translated(path), ID: c.ID, Type: c.Type.String(), Code: fmt.Sprintf("0x%08X", uint32(c.Type)),
			Scale: c.DefaultScale, Detail: c.Detail.String(), Attributes: c.Attributes.Names(),
			Hidden: c.Hidden(), Absent: c.Absent, Description: c.Description,
		})
	}
	for i := range instances {
		out.Instances = append(out.Instances, session.PathOf("", set, 0, &instances[i]).InstanceText())
	}
	return out
}

// What was not there yet is read again, for longer than a manager has to answer.
const (
	pendingPause = 100 * time.Millisecond
	pendingTries = 300
)

// Instances reads which instances a counterset has now. Where all of them are meant
// as one, that is among them.
func Instances(ctx context.Context, source session.Source, set *session.Counterset) ([]session.Instance, error) {
	if len(set.Counters) == 0 {
		return nil, nil
	}
	q, err := source.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	if err := q.Select(ctx, []session.Want{{Set: set, Counters: []int{0}}}); err != nil {
		return nil, err
	}
	var b session.Batch
	for range pendingTries {
		if err := q.Collect(ctx, &b); err != nil {
			return nil, err
		}
		if len(b.Sets) == 0 {
			return nil, nil
		}
		if !errors.Is(b.Sets[0].Err, service.ErrPending) { // which the manager is asked for beside, until it answers or is given up
			break
		}
		if !session.Sleep(ctx, pendingPause) {
			return nil, fmt.Errorf("%w: %w", b.Sets[0].Err, ctx.Err())
		}
	}
	instances := b.Sets[0].Instances
	whole := (&session.Combine{Name: cooker.AggregateInstance}).Instance()
	isWhole := func(in session.Instance) bool { return in.Key == whole.Key }
	if set.Instances.IsWhole() && !slices.ContainsFunc(instances, isWhole) {
		instances = append(instances, whole)
	}
	return instances, b.Sets[0].Err
}
