package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/inventory"
	"perfdeck/session/logon"
	"perfdeck/session/wire/rpc"
)

func (p *program) doctorCommand() *cobra.Command {
	var file string
	var sizesOnly bool
	c := &cobra.Command{
		Use:   "doctor HOST...",
		Short: "Try every step of reaching a host",
		Long: `doctor tries every step of reaching a host and reading its counters, and prints a
line for each: its outcome, how long it took, and what can be done where it failed.
For a Windows host these are the Kerberos ticket where one is used, the SMB dialect
with its signing and encryption, the log-on, the pipe, and both protocols of the
counters. For a host of ssh they are the ssh program, the connection, the host's key,
the log-on, the shell and the perfdeck of the other side. For an engine they are its
hosts, a host of it, and how old its newest sample is. The exit code is 1 when the
host was not reached.

With --capture the sizes and bytes of every call go into a file, a JSON object a
line, from which a test can be made. It never holds a password; it holds the names
of counters and instances unless --sizes-only is given.`,
		Example: `  perfdeck doctor srv1.corp.example --user 'CORP\ana'
  perfdeck doctor srv1.corp.example --kerberos
  perfdeck doctor ssh://ana@web01
  perfdeck doctor tcp://srv1:14500 --user ana
  perfdeck doctor tcp://srv1 --user ana --capture srv1.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			if args = append(args, p.flags.hosts...); len(args) == 0 {
				return atLeast(1, "host")(c, args)
			}
			d := &doctor{program: p, sizesOnly: sizesOnly}
			if file != "" {
				f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				if err != nil {
					return fmt.Errorf("capture: %w", err)
				}
				defer f.Close()
				d.capture = f
			}
			return d.examine(c.Context(), args)
		},
	}
	c.Flags().StringVar(&file, "capture", "", "write the bytes of every call to a new file")
	c.Flags().BoolVar(&sizesOnly, "sizes-only", false, "capture sizes without bytes, so no names")
	return c
}

// doctor examines hosts step by step.
type doctor struct {
	*program
	known     *inventory.Inventory // of examine
	capture   *os.File
	sizesOnly bool
}

func (d *doctor) examine(ctx context.Context, hosts []string) error {
	known, err := d.inventory()
	if err != nil {
		return err
	}
	d.known = known
	failed := false
	for _, name := range hosts {
		t, err := known.Target(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(d.out, "%s\n", session.Printable(t.Name))
		if err := d.host(ctx, t); err != nil {
			failed = true
		}
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}

// host tries the steps of a host: of one that has none of its own, that it is opened and read.
func (d *doctor) host(ctx context.Context, t inventory.Target) error {
	switch {
	case t.IsRPC():
		return d.overRPC(ctx, t)
	case t.IsSSH():
		return d.overSSH(ctx, t)
	case t.IsEngine():
		return d.overEngine(ctx, t)
	}
	source, err := d.known.Source(t, inventory.Mode{})
	if err != nil {
		d.line(0, "open", "", err)
		return err
	}
	defer source.Close()
	err = d.read(ctx, source)
	if w, ok := source.(session.Warner); ok {
		d.notes(w)
	}
	return err
}

// overRPC tries the steps of a host that is reached by DCE/RPC.
func (d *doctor) overRPC(ctx context.Context, t inventory.Target) error {
	r, err := d.known.Remote(t)
	if err != nil {
		d.line(0, "prepare", "", err)
		return err
	}
	client, err := d.reach(ctx, r)
	if err != nil {
		return err
	}
	var wrap func(inventory.Conn) inventory.Conn
	if d.capture != nil {
		wrap = func(c inventory.Conn) inventory.Conn {
			return &capturing{Conn: c, out: d.capture, sizesOnly: d.sizesOnly}
		}
	}
	source := d.known.Over(t, r, client, wrap)
	defer source.Close()
	err = d.read(ctx, source)
	d.notes(source)
	return err
}

// notes prints what a source warns of.
func (d *doctor) notes(of session.Warner) {
	for _, w := range of.Warnings() {
		d.print("note", 0, "", "", w)
	}
}

// step runs one step and prints its line.
func (d *doctor) step(name string, do func() (detail string, err error)) error {
	began := time.Now()
	detail, err := do()
	d.line(time.Since(began), name, detail, err)
	return err
}

// line prints the outcome of a step.
func (d *doctor) line(took time.Duration, name, detail string, err error) {
	word := "ok"
	if err != nil {
		word = "FAILED"
	}
	d.print(word, took, name, detail, err)
}

func (d *doctor) print(word string, took time.Duration, name, detail string, err error) {
	fmt.Fprintf(d.out, "  %-6s %9.1f ms  %-20s %s\n", word, float64(took.Microseconds())/1000, name, session.Printable(detail))
	if err == nil {
		return
	}
	fmt.Fprintf(d.out, "         %s\n", session.Printable(strings.ReplaceAll(err.Error(), "\n", "; ")))
	if hint := session.HintOf(err); hint != "" {
		fmt.Fprintf(d.out, "         hint: %s\n", session.Printable(hint))
	}
}

// reach tries the steps up to a connection for both protocols.
func (d *doctor) reach(ctx context.Context, r *logon.Remote) (*rpc.Client, error) {
	if err := d.step("find the host", func() (string, error) {
		addresses, err := net.DefaultResolver.LookupHost(ctx, r.Host())
		if err != nil {
			return "", session.WithHint(err, "is the name right? try its address")
		}
		return strings.Join(addresses, " "), nil
	}); err != nil {
		return nil, err
	}
	if r.NeedsPassword() {
		if err := d.step("get the password", func() (string, error) { return "", r.Ready(ctx) }); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	passed := func() time.Duration {
		took := time.Since(began)
		began = time.Now()
		return took
	}
	client, err := r.Dial(ctx, logon.Connection{
		Interfaces: []rpc.Interface{rpc.MSPCQ, rpc.MSRRP},
		Progress:   func(step, detail string) { d.line(passed(), step, detail, nil) },
		Once:       true,
	})
	if err != nil {
		op := "log on"
		if e, ok := errors.AsType[*rpc.Error](err); ok {
			op = e.Op
		}
		d.line(passed(), op, "", err)
	}
	return client, err
}

// read tries the steps that every source has.
func (d *doctor) read(ctx context.Context, source session.Source) error {
	var cat *session.Catalogue
	err := d.step("read the catalogue", func() (detail string, err error) {
		if cat, err = source.Catalogue(ctx); err != nil {
			return "", err
		}
		n := 0
		for _, s := range cat.Sets {
			n += len(s.Counters)
		}
		return countersets(len(cat.Sets)) + ", " + count(n, "counter", "counters"), nil
	})
	if err != nil {
		return err
	}
	var q session.Query
	err = d.step("open a query", func() (detail string, err error) {
		q, err = source.Open(ctx)
		return "", err
	})
	if err != nil {
		return err
	}
	defer q.Close()
	return d.collect(ctx, q, cat)
}

func countersets(n int) string { return count(n, "counterset", "countersets") }

// collect reads the counters of the default deck twice.
func (d *doctor) collect(ctx context.Context, q session.Query, cat *session.Catalogue) error {
	wants := wantsOf(cat)
	if err := d.step("add counters", func() (string, error) {
		return "of " + countersets(len(wants)), q.Select(ctx, wants)
	}); err != nil {
		return err
	}
	var b session.Batch
	for range 2 {
		if err := d.step("collect", func() (string, error) {
			if err := q.Collect(ctx, &b); err != nil {
				return "", err
			}
			values, instances := 0, 0
			for i := range b.Sets {
				if b.Sets[i].Err != nil {
					return "", b.Sets[i].Err
				}
				values += len(b.Sets[i].Readings)
				instances += len(b.Sets[i].Instances)
			}
			return count(values, "value", "values") + ", " + count(instances, "instance", "instances"), nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// wantsOf are the counters of the default deck, or of the first counterset.
func wantsOf(cat *session.Catalogue) []session.Want {
	var wants []session.Want
	for _, pane := range session.DefaultDeck(cat.Host, cat).Panes {
		var w session.Want
		for _, text := range pane.Paths {
			if s, err := cat.Resolve(text, paths.Options{}); err == nil {
				w.Set = s[0].Set
				w.Counters = append(w.Counters, s[0].Counters...)
			}
		}
		wants = append(wants, w)
	}
	if len(wants) == 0 && len(cat.Sets) > 0 && len(cat.Sets[0].Counters) > 0 {
		wants = append(wants, session.Want{Set: cat.Sets[0], Counters: []int{0}})
	}
	return wants
}
