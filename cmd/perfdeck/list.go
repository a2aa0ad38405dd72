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
	instances, verbose, json, showHidden, deck bool
	language                                   string
	manifests                                  []string
}

func (p *program) listCommand() *cobra.Command {
	var f listFlags
	c := &cobra.Command{
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
	l.StringVar(&f.language, "language", "", "list what counters are called in this language too, as de or pt-BR")
	_ = c.RegisterFlagCompletionFunc("language", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return p.dictionary().Tags(), cobra.ShellCompDirectiveNoFileComp
	})
	l.BoolVar(&f.showHidden, "show-hidden", false, "list hidden counters too")
	l.BoolVar(&f.deck, "deck", false, "print the deck that the screens begin with on a host, as the config has it")
	l.StringArrayVar(&f.manifests, "manifest", nil, "list a counter manifest instead of a host (repeatable)")
	return c
}

// list prints the countersets whose name fits object.
func (p *program) list(ctx context.Context, object string, f listFlags) error {
	if err := p.loadConfig(); err != nil {
		return err
	}
	out := bufio.NewWriter(p.out)
	in, err := p.translator(f.language)
	if err != nil {
		return err
	}
	l := &lister{p: p, listFlags: f, Lister: enumerate.New(out, enumerate.Options{
		Instances: f.instances, Verbose: f.verbose, JSON: f.json, ShowHidden: f.showHidden, In: in, Names: p.dictionary(), Report: p.tellError, Words: p.config.Words,
	})}
	if err := cmp.Or(l.all(ctx, object), out.Flush()); err != nil {
		return unlessPipe(err)
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
	if l.deck {
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
