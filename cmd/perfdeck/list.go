package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/inventory"
)

// listFlags are the flags of list.
type listFlags struct {
	instances, verbose, json, showHidden bool
	manifests                            []string
}

func (p *program) listCommand() *cobra.Command {
	var f listFlags
	c := &cobra.Command{
		Use:   "list [OBJECT]",
		Short: "List countersets and their counters",
		Long: `list prints a counter path a line, as typeperf -q does, and with --instances
one for each instance, as typeperf -qx. What it prints can be given to sample:
--verbose adds lines that begin with ; which sample -c leaves alone.

OBJECT is the name of a counterset, in which * stands for anything. With --json
each counterset is one object on one line.

The exit code is 1 when there is no such counterset, 3 when some instances could
not be read.`,
		Example: `  perfdeck list
  perfdeck list -x 'Processor*'
  perfdeck list -v Memory
  perfdeck list --manifest product.man`,
		Args:              atMost(1),
		ValidArgsFunction: p.completeObjects,
		RunE: func(c *cobra.Command, args []string) error {
			object := "*"
			if len(args) > 0 {
				object = strings.TrimPrefix(args[0], `\`)
			}
			return p.list(c.Context(), object, f)
		},
	}
	l := c.Flags()
	l.BoolVarP(&f.instances, "instances", "x", false, "one path for each instance")
	l.BoolVarP(&f.verbose, "verbose", "v", false, "describe counters: type, default scale, detail level, help")
	l.BoolVar(&f.json, "json", false, "print JSON, one counterset a line")
	l.BoolVar(&f.showHidden, "show-hidden", false, "list hidden counters too")
	l.StringArrayVar(&f.manifests, "manifest", nil, "list a counter manifest instead of a host (repeatable)")
	return c
}

// list prints the countersets whose name fits object.
func (p *program) list(ctx context.Context, object string, f listFlags) error {
	l := &lister{p: p, listFlags: f, out: bufio.NewWriter(p.out)}
	if err := cmp.Or(l.all(ctx, object), l.out.Flush()); err != nil {
		return unlessPipe(err)
	}
	if l.partly {
		return &exitError{code: exitPartly}
	}
	return nil
}

// lister is a run of list.
type lister struct {
	listFlags
	p      *program
	out    *bufio.Writer
	partly bool // something could not be read
}

func (l *lister) all(ctx context.Context, object string) error {
	if len(l.manifests) > 0 {
		return l.listManifests(ctx, object)
	}
	hosts, err := l.p.hosts(inventory.Mode{})
	if err != nil {
		return err
	}
	remote := len(hosts) > 1 || len(l.p.flags.hosts) > 0
	var failed []error
	for _, h := range hosts {
		name := ""
		if remote {
			name = h.Name
		}
		if err := l.one(ctx, h, name, object); err != nil {
			failed = append(failed, err)
		}
	}
	for i, err := range failed {
		if i == len(hosts)-1 {
			return err // no host was left
		}
		l.p.report(err)
		l.partly = true
	}
	return nil
}

// one lists one host, which it has a while to answer for.
func (l *lister) one(ctx context.Context, h inventory.Host, computer, object string) error {
	defer h.Source.Close()
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	cat, err := h.Source.Catalogue(ctx)
	if err != nil {
		return fmt.Errorf("list the countersets of %s: %w", h.Name, err)
	}
	return l.host(ctx, h.Source, cat, computer, object)
}

// listPatience is how long a host may take to tell what it has.
const listPatience = 10 * time.Second

// host lists the countersets of a host; computer is empty where its name is
// left out of paths.
func (l *lister) host(ctx context.Context, source session.Source, cat *session.Catalogue, computer, object string) error {
	found := false
	for _, set := range cat.Sets {
		if !paths.Match(object, set.Name) {
			continue
		}
		found = true
		var instances []session.Instance
		if l.instances && set.Instances.Multiple() {
			var err error
			if instances, err = instancesOf(ctx, source, set); err != nil {
				l.partly = true
				l.p.report(fmt.Errorf("list the instances of %s: %w", set.Name, err))
			}
		}
		if err := l.set(computer, set, instances); err != nil {
			return err
		}
	}
	if !found {
		return noCounterset(cat, object)
	}
	return nil
}

// noCounterset is the error of a name that no counterset has.
func noCounterset(cat *session.Catalogue, object string) error {
	_, err := cat.Resolve(`\`+object+`\*`, paths.Options{})
	if unknown, ok := errors.AsType[*paths.LookupError](err); ok && unknown.Kind == paths.UnknownObject {
		return fmt.Errorf("list %s: %w", object, err)
	}
	return session.WithHint(fmt.Errorf("list %s: no counterset has this name", object), "perfdeck list shows all")
}

// set lists one counterset.
func (l *lister) set(computer string, set *session.Counterset, instances []session.Instance) error {
	if l.json {
		return writeJSON(l.out, l.describe(computer, set, instances))
	}
	if l.verbose {
		way := ""
		if by := set.ReadBy(); by != "" {
			way = " (" + by + ")"
		}
		fmt.Fprintf(l.out, "; %s\n", strings.TrimSuffix(session.Printable(set.Name+way+": "+set.Description), ": "))
	}
	for i := range set.Counters {
		c := &set.Counters[i]
		if c.Hidden() && !l.showHidden {
			continue
		}
		if l.verbose {
			l.verboseLines(c)
		}
		if c.Absent != "" {
			continue
		}
		for _, path := range l.paths(computer, set, i, instances) {
			fmt.Fprintln(l.out, session.Printable(path))
		}
	}
	return nil
}

// paths are those of a counter: of each instance, or with * for them.
func (l *lister) paths(computer string, set *session.Counterset, counter int, instances []session.Instance) []string {
	if l.instances && set.Instances.Multiple() {
		out := make([]string, len(instances))
		for i := range instances {
			out[i] = session.PathOf(computer, set, counter, &instances[i]).String()
		}
		return out
	}
	p := session.PathOf(computer, set, counter, nil)
	if set.Instances.Multiple() {
		p.HasInstance, p.Instance = true, "*"
	}
	return []string{p.String()}
}

// verboseLines describe a counter in lines that a file of counters may hold.
func (l *lister) verboseLines(c *session.Counter) {
	fmt.Fprintf(l.out, ";   %s: %s 0x%08X, scale %d, %s", session.Printable(c.Name), c.Type, uint32(c.Type), c.DefaultScale, detailWord(c.Detail))
	for _, a := range c.Attributes.Names() {
		fmt.Fprintf(l.out, ", %s", a)
	}
	if c.Absent != "" {
		fmt.Fprintf(l.out, ", %s", session.Printable(c.Absent))
	}
	fmt.Fprintln(l.out)
	if c.Description != "" {
		fmt.Fprintf(l.out, ";   %s\n", session.Printable(c.Description))
	}
}

var detailWords = map[session.DetailLevel]string{
	session.DetailNovice: "novice", session.DetailAdvanced: "advanced",
	session.DetailExpert: "expert", session.DetailWizard: "wizard",
}

func detailWord(d session.DetailLevel) string {
	if word, ok := detailWords[d]; ok {
		return word
	}
	return fmt.Sprintf("detail level %d", uint32(d))
}

type jsonSet struct {
	Host        string        `json:"host,omitempty"`
	Counterset  string        `json:"counterset"`
	GUID        string        `json:"guid,omitempty"`
	Index       uint32        `json:"index,omitempty"`
	Provider    string        `json:"provider,omitempty"`
	Protocol    string        `json:"protocol,omitempty"`
	Description string        `json:"description,omitempty"`
	Multiple    bool          `json:"multiple"`
	Counters    []jsonCounter `json:"counters"`
	Instances   []string      `json:"instances,omitempty"`
}

type jsonCounter struct {
	Name        string   `json:"name"`
	Path        string   `json:"path"`
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

func (l *lister) describe(computer string, set *session.Counterset, instances []session.Instance) jsonSet {
	out := jsonSet{Host: computer, Counterset: set.Name, GUID: set.GUID, Index: set.V1Index, Provider: set.Provider, Protocol: set.Protocol,
		Description: set.Description, Multiple: set.Instances.Multiple(), Counters: []jsonCounter{}}
	for i := range set.Counters {
		c := &set.Counters[i]
		if c.Hidden() && !l.showHidden {
			continue
		}
		p := session.PathOf(computer, set, i, nil)
		if out.Multiple {
			p.HasInstance, p.Instance = true, "*"
		}
		out.Counters = append(out.Counters, jsonCounter{
			Name: c.Name, Path: p.String(), ID: c.ID, Type: c.Type.String(), Code: fmt.Sprintf("0x%08X", uint32(c.Type)),
			Scale: c.DefaultScale, Detail: detailWord(c.Detail), Attributes: c.Attributes.Names(),
			Hidden: c.Hidden(), Absent: c.Absent, Description: c.Description,
		})
	}
	for i := range instances {
		out.Instances = append(out.Instances, session.PathOf("", set, 0, &instances[i]).InstanceText())
	}
	return out
}

// instancesOf reads which instances a counterset has now. Where all of them are meant
// as one, that is among them.
func instancesOf(ctx context.Context, source session.Source, set *session.Counterset) ([]session.Instance, error) {
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
	if err := q.Collect(ctx, &b); err != nil {
		return nil, err
	}
	if len(b.Sets) == 0 {
		return nil, nil
	}
	instances := b.Sets[0].Instances
	whole := (&session.Combine{Name: cooker.AggregateInstance}).Instance()
	isWhole := func(in session.Instance) bool { return in.Key == whole.Key }
	if set.Instances.IsWhole() && !slices.ContainsFunc(instances, isWhole) {
		instances = append(instances, whole)
	}
	return instances, b.Sets[0].Err
}
