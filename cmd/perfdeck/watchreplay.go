package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session/alert"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/app/inventory"
	"perfdeck/session/files/logs"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/output"
	"perfdeck/session/text"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
	"perfdeck/themes"
)

// What watch does with recordings: rules are tried on the past.

// check refuses flags that do not fit together. files are the arguments.
func (f *watchFlags) check(files []string, demo bool) error {
	switch past := len(f.Replay) > 0; {
	case !past && len(files) > 0:
		return usage(fmt.Errorf("watch %s: watch takes no files", files[0]), "--replay tries the rules on recordings")
	case !past && (f.begin != "" || f.end != "" || f.read != logs.OpenOptions{}):
		return usage(errors.New("watch: --begin, --end, --encoding and --english are about recordings: they go with --replay"))
	case past && demo:
		return usage(errors.New("watch: --demo and --replay exclude each other"))
	case past && f.shard != "":
		return usage(errors.New("watch: --shard and --replay exclude each other"))
	}
	return nil
}

// pastWatch is watch over recordings.
type pastWatch struct {
	*program

	flags    watchFlags
	player   *replay.Player
	backtest *alert.Backtest
	try      backtest.Try
	printer  *printer
	out      *bufio.Writer
	folder   *alert.Folder
	progress *output.Bar
	at       time.Time // of the newest sample, judged or not
	events   int
	stopped  string // why they were not judged to the end; empty: they were
}

// watchPast judges the rules over recordings and prints what they would have
// told, and then how often each of them would have fired.
func (p *program) watchPast(c *cobra.Command, f watchFlags, files []string) error {
	settings, every, err := p.ruleSettings(c)
	if err != nil {
		return err
	}
	files, done, err := p.spooled().Files(files)
	if err != nil {
		return err
	}
	defer done()
	rules, err := p.rulesOver(f.packs, f.rules, p.tellError)
	if err != nil {
		return err
	}
	if len(rules) == 0 {
		return noRules()
	}
	player, err := replay.Open(files, replay.Options{Guard: p.guard, Open: p.opener(c.Context(), f.read)})
	if err != nil {
		return err
	}
	defer func() { _ = player.Close() }()
	if err := player.Know(c.Context()); err != nil {
		return err
	}
	w := &pastWatch{
		program: p, flags: f, player: player, out: bufio.NewWriter(p.out), folder: alert.NewFolder(), printer: newPrinter(p, f.JSON),
		backtest: alert.NewBacktest(alert.BacktestOptions{Rules: rules, Every: every, Looks: p.config.Counters.Looks(settings), Zone: player.About().Zone}),
	}
	w.printer.zone = player.About().Zone
	w.try = backtest.Try{Meant: func(h *replay.Host) bool { return inventory.Means(p.flags.Hosts, h.Name()) }, Tick: w.tick, Take: w.take}
	again := func(words string) { p.report(errors.New("watch: " + words)) }
	if err := w.try.Limit(player, f.begin, f.end, again); err != nil {
		return err
	}
	p.aside("perfdeck: %s tried on the past: nothing is run, sent, written or recorded", english.Count(len(rules), "rule is", "rules are"))
	return w.run(c.Context())
}

func (w *pastWatch) run(ctx context.Context) error {
	w.progress = output.NewBar(w.err, w.came)
	err := w.try.Run(ctx, w.player, w.backtest)
	w.progress.Clear()
	interrupted := ctx.Err() != nil
	if err != nil && !interrupted {
		_ = w.out.Flush() // why it ends is the error
		return err
	}
	if err := w.print(w.folder.Rest()); err != nil {
		return err
	}
	left := w.backtest.Left() + w.stopped
	for _, what := range []string{w.backtest.Left(), w.stopped} {
		if what != "" {
			w.report(errors.New(what))
		}
	}
	outcomes := w.backtest.Outcomes()
	if w.flags.JSON {
		err = w.writeOutcomes(outcomes)
	} else {
		err = w.tell(outcomes)
	}
	if err := cmp.Or(err, w.out.Flush()); err != nil {
		return err
	}
	if interrupted {
		fmt.Fprintf(w.err, "perfdeck: interrupted: judged up to %s\n", w.backtest.Now().Wall.Format(time.RFC3339))
		return ended(exitPartly)
	}
	switch judged, lacking := backtest.Judged(outcomes); {
	case judged == 0:
		return failure.WithHint(fmt.Errorf("watch --replay: %w", errNothingMeant), "perfdeck relog -q FILE lists what is in it")
	case lacking > 0 || left != "":
		return ended(exitPartly)
	}
	return nil
}

func (w *pastWatch) tick(at time.Time) {
	w.at = at
	w.progress.Show()
}

// take prints the events of a sample.
func (w *pastWatch) take(events []alert.Event) error {
	w.events += len(events)
	for i := range events {
		w.asRecorded(&events[i].Time)
	}
	if err := w.print(w.folder.Fold(events, w.backtest.Now().Mono)); err != nil || w.events < mostTold {
		return err
	}
	w.stopped = backtest.Stopped(w.events, w.backtest)
	return backtest.ErrEnough
}

// asRecorded makes moments that are told to programs what was recorded.
func (w *pastWatch) asRecorded(moments ...*time.Time) {
	if w.flags.JSON {
		w.player.Line().Tell(moments...)
	}
}

// mostTold bounds the events of a recording.
const mostTold = 100_000

// came is how far it is: within the limits of time.
func (w *pastWatch) came() (share float64, note string, ok bool) {
	return w.try.Share(w.player, w.at), w.at.Format(time.DateTime) + ", " + english.Count(w.events, "event", "events"), true
}

// print prints notices as watch does.
func (w *pastWatch) print(notices []alert.Notice) error {
	for i := range notices {
		w.progress.Clear()
		if err := w.printer.write(w.out, printed{notice: &notices[i]}); err != nil {
			return err
		}
	}
	if len(notices) > 0 && w.progress.IsTerminal() {
		return w.out.Flush()
	}
	return nil
}

var errNothingMeant = errors.New("the recording has nothing that a rule asks for")

// tell prints the table of the rules.
func (w *pastWatch) tell(outcomes []alert.Outcome) error {
	zone := w.player.About().Zone
	from, to := w.try.Span(w.player, w.backtest)
	fired := 0
	for i := range outcomes {
		fired += outcomes[i].Fired
	}
	fmt.Fprintf(w.out, "\nfired %s from %s to %s (%s)\n", english.Times(fired), from.Format(time.DateTime), to.Format(time.DateTime), english.Span(to.Sub(from)))
	var judged []*alert.Outcome
	var lacking []*alert.Outcome
	t := text.Table{Columns: text.Heads("RULE", "SEVERITY", "FIRED", "VALUES", "IN ALL", "LONGEST", "PEAK", "FIRST", "LAST"), Tone: func(row, column int) themes.Token {
		switch {
		case judged[row].Fired == 0:
			return themes.Muted
		case column < 2:
			return text.Severity(judged[row].Rule.Severity.String())
		}
		return themes.Text
	}}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Problem != "" {
			lacking = append(lacking, o)
			continue
		}
		judged = append(judged, o)
		first, last, all, longest := "-", "-", "-", "-"
		if o.Fired > 0 {
			first, last = o.First.In(zone).Format(time.DateTime), o.Last.In(zone).Format(time.DateTime)
			all, longest = english.Span(o.Total), english.Span(o.Longest)
		}
		if o.Firing > 0 {
			last += ", " + strconv.Itoa(o.Firing) + " at the end"
		}
		times := strconv.Itoa(o.Fired)
		if o.Held > 0 {
			times += ", " + strconv.Itoa(o.Held) + " in quiet hours"
		}
		t.Row(o.Rule.Name, o.Rule.Severity.String(), times, strconv.Itoa(o.Values), all, longest, cmp.Or(o.Peak, "-"), first, last)
	}
	if err := t.Print(w.people(w.program.out).To(w.out)); err != nil {
		return err
	}
	for _, o := range lacking {
		fmt.Fprintf(w.out, "not judged: %s: %s\n", printable.Text(o.Rule.Name), printable.Text(o.Problem))
	}
	return nil
}

// writeOutcomes prints the rules for programs, after the events.
func (w *pastWatch) writeOutcomes(outcomes []alert.Outcome) error {
	for i := range outcomes {
		w.asRecorded(&outcomes[i].First, &outcomes[i].Last)
		if err := printable.WriteJSON(w.out, map[string]*alert.Outcome{"summary": &outcomes[i]}); err != nil {
			return err
		}
	}
	return nil
}
