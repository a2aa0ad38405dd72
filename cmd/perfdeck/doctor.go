package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"perfdeck/session/app/diagnosis"
	"perfdeck/session/app/inventory"
	"perfdeck/session/system/failure"
	"perfdeck/session/text"
	"perfdeck/session/text/printable"
	"perfdeck/session/wire/capture"
	"perfdeck/themes"
)

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	Capture   string `flag:"capture" help:"write the bytes of every call to a new file"`
	Sets      bool   `flag:"sets" help:"try the steps of a Windows host's data collector sets, too"`
	Self      bool   `flag:"self" help:"tell what perfdeck is on this computer, and reach no host"`
	SizesOnly bool   `flag:"sizes-only" help:"capture sizes without bytes, so no names"`
}

func (p *program) doctorCommand() *cobra.Command {
	return flagged(&cobra.Command{
		Use:   "doctor HOST...",
		Short: "Try every step of reaching a host",
		Long: `doctor tries every step of reaching a host and reading its counters, and prints a
line for each: its outcome, how long it took, and what can be done where it failed.
For a Windows host these are the Kerberos ticket where one is used, the SMB dialect
with its signing and encryption, the log-on, the pipe, and both protocols of the
counters; that its services are not listed, or its event logs not read, is a note. For a
host of ssh they are the ssh program, the connection, the host's key, the log-on, the
shell and the perfdeck of the other side. For an engine they are its hosts, a host of it,
and how old its newest sample is. For this computer each [[feed]] of the config is a
step. Services and events follow, here and by ssh, with what opens them. The exit code is
1 when the host was not reached, or a feed is dead.

With --sets, and of hosts whose [[host]] names sets, those of a Windows host's data
collector sets follow: TCP 135, the log-on there, the activation, the port of the process
that has them, and the rights, as a list of the sets. They count for the exit code then.
Counters alone need none of them.

With --capture the sizes and bytes of every call go into a file, a JSON object a
line, from which a test can be made. It never holds a password; it holds the names
of counters and instances unless --sizes-only is given. Of collector sets it has the
answers to binds and the calls of the list, after the log-on, without any name or address,
and of services and event logs likewise, without texts.

With --self it tells what perfdeck is here: version, build, what the terminal can, where
files are and how large, limits, and what this user may not see, with the right that
would help. It names no host and no account, so that it can be pasted into a report.`,
		Example: `  perfdeck doctor srv1.corp.example --user 'CORP\ana'
  perfdeck doctor srv1.corp.example --kerberos
  perfdeck doctor srv1.corp.example --sets --capture srv1.jsonl
  perfdeck doctor ssh://ana@web01
  perfdeck doctor tcp://srv1:14500 --user ana
  perfdeck doctor tcp://srv1 --user ana --capture srv1.jsonl
  perfdeck doctor --self`,
	}, new(doctorFlags), p.doctor)
}

func (p *program) doctor(c *cobra.Command, args []string, f doctorFlags) error {
	if f.Self {
		if err := atMost(0)(c, args); err != nil {
			return err
		}
		return p.examineSelf()
	}
	if args = append(args, p.flags.Hosts...); len(args) == 0 {
		return needs("host")(c, args)
	}
	o := diagnosis.Options{Sets: f.Sets}
	if f.Capture != "" {
		to, err := os.OpenFile(f.Capture, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("capture: %w", err)
		}
		defer to.Close()
		o.Wrap = func(c inventory.Conn) inventory.Conn { return capture.Of(c, to, f.SizesOnly) }
		o.Heard = capture.Objects(to, f.SizesOnly)
	}
	return p.examine(c.Context(), args, o)
}

// examine prints how each step of reaching hosts goes.
func (p *program) examine(ctx context.Context, hosts []string, o diagnosis.Options) error {
	known, err := p.inventory()
	if err != nil {
		return err
	}
	failed := false
	for _, name := range hosts {
		t, err := known.Target(name)
		if err != nil {
			return err
		}
		p.say("%s", t.Name)
		one := o
		one.Known, one.Tell, one.Sets = known, p.printStep, o.Sets || len(t.Own.Sets) > 0
		one.Note = func(w error) { p.printOutcome("note", diagnosis.Step{Name: "read the catalogue", Err: w}) }
		err = diagnosis.Examine(ctx, t, one)
		failed = failed || err != nil
	}
	if failed {
		return ended(exitFailed)
	}
	return nil
}

// printStep prints how a step went.
func (p *program) printStep(s diagnosis.Step) {
	word := "ok"
	switch {
	case s.Err != nil && s.IsBeside:
		word = "note"
	case s.Err != nil:
		word = "FAILED"
	}
	p.printOutcome(word, s)
}

func (p *program) printOutcome(word string, s diagnosis.Step) {
	out := p.people(p.out).To(byTheWay{p})
	t := text.Table{Indent: 2, Gap: 1, Columns: []text.Column{{Least: 6}, {IsRight: true, Least: 13}, {Least: 20}, {}}, Tone: func(_, column int) themes.Token {
		switch {
		case column == 0 && s.Err == nil:
			return themes.OK
		case column == 0 && word == "note":
			return themes.Careful
		case column == 0:
			return themes.Critical
		case column == 1:
			return themes.Muted
		}
		return themes.Text
	}}
	t.Row(word, fmt.Sprintf("%.1f ms ", float64(s.Took.Microseconds())/1000), s.Name, s.Detail)
	_ = t.Print(out)
	if s.Err == nil {
		return
	}
	fmt.Fprintf(out, "         %s\n", printable.Text(strings.ReplaceAll(s.Err.Error(), "\n", "; ")))
	hint(out, "         ", failure.Hint(s.Err))
}
