package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/pcq"
	"perfdeck/session/rpc"
)

func (p *program) doctorCommand() *cobra.Command {
	var file string
	var sizesOnly bool
	c := &cobra.Command{
		Use:   "doctor HOST",
		Short: "Try every step of reaching a host",
		Long: `doctor tries every step of reaching a host and reading its counters, and prints a
line for each: its outcome, how long it took, and what can be done where it failed.
The exit code is 1 when the host was not reached.

With --capture the sizes and bytes of every call go into a file, a JSON object a
line, from which a test can be made. It never holds a password; it holds the names
of counters and instances unless --sizes-only is given.`,
		Example: `  perfdeck doctor tcp://srv1:14500 --user ana
  perfdeck doctor tcp://srv1 --user ana --capture srv1.jsonl`,
		Args: atLeast(1, "host"),
		RunE: func(c *cobra.Command, args []string) error {
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
	capture   *os.File
	sizesOnly bool
}

func (d *doctor) examine(ctx context.Context, hosts []string) error {
	failed := false
	for _, name := range hosts {
		t, err := d.targetOf(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(d.out, "%s\n", session.Printable(t.name))
		if err := d.host(ctx, t); err != nil {
			failed = true
		}
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}

func (d *doctor) host(ctx context.Context, t target) error {
	if !strings.HasPrefix(t.address, tcpScheme) {
		source, err := d.openSource(t)
		if err != nil {
			d.line(0, "open", "", err)
			return err
		}
		defer source.Close()
		return d.read(ctx, source)
	}
	r, err := d.remote(t)
	if err != nil {
		d.line(0, "prepare", "", err)
		return err
	}
	if err := d.reach(ctx, r.options); err != nil {
		return err
	}
	if err := d.step("get the password", func() (string, error) { return "", r.who.ready(ctx) }); err != nil {
		return err
	}
	first, err := d.logOn(ctx, r)
	if err != nil {
		return err
	}
	source := pcq.New(pcq.Options{Host: t.name, Go: d.guard.Go, Dial: func(ctx context.Context) (conn pcq.Conn, err error) {
		if conn, first = first, nil; conn != nil {
			return conn, nil
		}
		return d.logOn(ctx, r)
	}})
	defer source.Close()
	err = d.read(ctx, source)
	for _, w := range source.Warnings() {
		d.line(0, "note", "", w)
	}
	return err
}

// reach tries the steps below the protocol.
func (d *doctor) reach(ctx context.Context, o rpc.Options) error {
	err := d.step("find the host", func() (string, error) {
		addresses, err := net.DefaultResolver.LookupHost(ctx, o.Host)
		if err != nil {
			return "", &hinted{err, "is the name right? try its address"}
		}
		return strings.Join(addresses, " "), nil
	})
	if err != nil {
		return err
	}
	return d.step("connect", func() (string, error) {
		address := net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
		dialer := net.Dialer{Timeout: callTimeout}
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return "", &hinted{err, "is perfdeck serve running there, and the port open?"}
		}
		return address, conn.Close()
	})
}

// logOn connects with packet privacy.
func (d *doctor) logOn(ctx context.Context, r *remote) (pcq.Conn, error) {
	var client *rpc.Client
	err := d.step("log on, sealed", func() (detail string, err error) {
		client, err = r.dial(ctx)
		return "as " + session.Printable(r.who.account), err
	})
	switch {
	case err != nil:
		return nil, err
	case d.capture == nil:
		return client, nil
	}
	return &capturing{PerflibV2: client, close: client.Close, out: d.capture, sizesOnly: d.sizesOnly}, nil
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
		return fmt.Sprintf("%d countersets, %d counters", len(cat.Sets), n), nil
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

// collect reads the counters of the default deck twice.
func (d *doctor) collect(ctx context.Context, q session.Query, cat *session.Catalogue) error {
	wants := wantsOf(cat)
	if err := d.step("add counters", func() (string, error) {
		return fmt.Sprintf("of %d countersets", len(wants)), q.Select(ctx, wants)
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
			return fmt.Sprintf("%d values, %d instances", values, instances), nil
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
	switch {
	case err != nil && took == 0:
		word = "note"
	case err != nil:
		word = "FAILED"
	}
	fmt.Fprintf(d.out, "  %-6s %9.1f ms  %-20s %s\n", word, float64(took.Microseconds())/1000, name, session.Printable(detail))
	if err == nil {
		return
	}
	fmt.Fprintf(d.out, "         %s\n", session.Printable(err.Error()))
	var withHint interface{ Hint() string }
	if errors.As(err, &withHint) && withHint.Hint() != "" {
		fmt.Fprintf(d.out, "         hint: %s\n", session.Printable(withHint.Hint()))
	}
}
