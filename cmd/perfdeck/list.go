package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/app/inventory"
	"perfdeck/session/config"
	"perfdeck/session/hosts/enumerate"
)

// listFlags are the flags of list.
type listFlags struct {
	Instances  bool     `flag:"instances" short:"x" help:"one path for each instance"`
	Verbose    bool     `flag:"verbose" short:"v" help:"describe counters: type, default scale, detail level, help"`
	JSON       bool     `flag:"json" help:"print JSON, one counterset a line"`
	ShowHidden bool     `flag:"show-hidden" help:"list hidden counters too"`
	Deck       bool     `flag:"deck" help:"print the deck that the screens begin with on a host, as the config has it"`
	Language   string   `flag:"language" help:"list what counters are called in this language too, as de or pt-BR"`
	Manifests  []string `flag:"manifest" help:"list a counter manifest instead of a host (repeatable)"`
}

func (p *program) listCommand() *cobra.Command {
	c := flagged(&cobra.Command{
		Use:   "list [OBJECT]",
		Short: "List countersets and their counters",
		Long: `list prints a counter path a line, as typeperf -q does, and with --instances
one for each instance, as typeperf -qx. sample -c reads what it prints: lines that
--verbose adds begin with ; and are ignored there.

OBJECT is the name of a counterset, in which * stands for anything, or what people call
something, as latency, leak or "disk full": then the counters that answer. With --json
each counterset is one object on one line.

The exit code is 1 when there is no such counterset, 3 when some instances could
not be read.

With --language the line before a path has its name in that language, as far as it is
known: it begins with ; (with --json it is translated). Files languages/*.tsv beside the
config add names: cells parted by TABs, a first line of languages as "en TAB de", a line
for each object, and below it one for each counter, which begins with a TAB.

With --deck it prints the deck of the host, which can be a deck of the config under
another name.`,
		Example: `  perfdeck list
  perfdeck list -x 'Processor*'
  perfdeck list -v Memory
  perfdeck list --language de Memory
  perfdeck list latency
  perfdeck list --manifest product.man`,
		Args:              atMost(1),
		ValidArgsFunction: p.completeObjects,
	}, new(listFlags), p.list)
	_ = c.RegisterFlagCompletionFunc("language", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return p.dictionary().Tags(), cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

// list prints the countersets whose name fits the argument.
func (p *program) list(c *cobra.Command, args []string, f listFlags) error {
	object := "*"
	if len(args) > 0 {
		object = strings.TrimPrefix(args[0], `\`)
	}
	if err := p.loadConfig(); err != nil {
		return err
	}
	out := bufio.NewWriter(p.out)
	in, err := p.translator(f.Language)
	if err != nil {
		return err
	}
	l := &lister{p: p, listFlags: f, Lister: enumerate.New(out, enumerate.Options{
		Instances: f.Instances, Verbose: f.Verbose, JSON: f.JSON, ShowHidden: f.ShowHidden, In: in, Names: p.dictionary(), Report: p.tellError, Words: p.config.Words,
	})}
	if err := cmp.Or(l.all(c.Context(), object), out.Flush()); err != nil {
		return err
	}
	return partlyIf(l.partly || l.IsPartly())
}

// lister is a run of list.
type lister struct {
	*enumerate.Lister
	listFlags
	p      *program
	partly bool // a host or a manifest could not be read
}

func (l *lister) all(ctx context.Context, object string) error {
	if len(l.Manifests) > 0 {
		return l.listManifests(ctx, object)
	}
	hosts, err := l.p.hosts(inventory.Mode{})
	if err != nil {
		return err
	}
	remote := len(hosts) > 1 || len(l.p.flags.Hosts) > 0
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
	if l.Deck {
		text, err := config.FormatDeck(session.DefaultDeck(h.Name, cat))
		if err == nil {
			_, err = l.p.out.Write(text)
		}
		return err
	}
	return l.Host(ctx, h.Source, cat, computer, object)
}

// listPatience is how long a host may take to tell what it has.
const listPatience = 10 * time.Second
