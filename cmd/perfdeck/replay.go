package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"perfdeck/cmd/perfdeck/screens"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/analysis/backtest"
	"perfdeck/session/analysis/report"
	"perfdeck/session/app/notes"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/files/bundle"
	"perfdeck/session/files/logs"
	"perfdeck/session/files/past"
	"perfdeck/session/hosts/replay"
	"perfdeck/session/hosts/replay/decks"
	"perfdeck/session/recording/relog"
	"perfdeck/session/system/failure"
	"perfdeck/themes"
	"perfdeck/tui"
	"perfdeck/tui/pane"
	bar "perfdeck/tui/pane/replay"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	Overlay bool `flag:"overlay" help:"lay the files after the first over it"`
	align   string
	Speed   string `flag:"speed" help:"play at once, so many times as fast as it was recorded: 1 to 1000"`
	At      string `flag:"at" help:"moment to begin at: 03:12, 2026-03-02 03:12, or +1h after the beginning (default: where it was worst, else the last sample)"`
	Length  string `flag:"for" help:"of an engine: how much is played from --at on, as 2h (default: 1h)"`
	Within  string `flag:"within" help:"merge samples of different files into one row when they are this near: seconds, or a time as 500ms (default: half of their interval)"`
	read    logs.OpenOptions
	rules   []string
}

// alignments are the values of --align.
var alignments = []struct {
	name string
	is   replay.Align
}{{"clock", replay.AlignClock}, {"week", replay.AlignWeek}, {"start", replay.AlignStart}}

func (p *program) replayCommand() *cobra.Command {
	var f replayFlags
	var names []string
	for _, a := range alignments {
		names = append(names, a.name)
	}
	c := flagged(&cobra.Command{
		Use:   "replay FILE...",
		Short: "Play recordings on the screens",
		Long: `replay shows recordings on all screens: PDH-CSV, PDH-TSV and binary logs (.blg) of
Windows, what typeperf printed, SQLite with the tables of MS-PLA, and JSON lines. The
content of a file tells its format. FILE!SET chooses a set of an SQLite file. Files may
be larger than memory.

Three rows above the hints show the whole recording of the selected counter, its
gaps, and when alert rules would have fired: those of the config, of --alert, and
of the screens, as they are in force now. The keys of time move in it: p plays, i
sets the speed, [ ] and { } go by minutes, @ goes to a time, ! to the next alert,
~ to the next gap, b sets a bookmark.

Several files are one recording, merged in time. With --overlay each file after the
first is laid over it, with hosts of its own named for how long before it was, as
"sql01 (last week)": by the time of day, by the day of the week too, or from their
beginnings (--align). Wall clocks count, on both sides of a change to summer time.

It begins at the last sample, and goes to the worst moment of what was gravest once the
rules have been judged, as by report, unless you pressed a key before. 0 goes to the start.

Times are those of the recording's zone.

prom+http://ENGINE#HOST is the past of a host, prom+http://ENGINE that of all hosts, which a
Prometheus, VictoriaMetrics or Mimir has: from --at on, --for so long, or written behind the
name as @-2h or @03:12/30m. relog, report and compare take such names as they take files.`,
		Example: `  perfdeck replay night.csv
  perfdeck replay night_000001.csv night_000002.csv --at 03:12
  perfdeck replay prom+https://metrics.example.com#sql01 --at 'yesterday 03:12' --for 2h
  perfdeck replay --overlay today.db lastweek.db --speed 60`,
		Args: needs("recording"),
	}, &f, p.replay)
	c.Flags().StringVar(&f.align, "align", names[0], "how --overlay aligns: "+strings.Join(names, "|"))
	addReadingFlags(c, &f.read, "")
	p.addAlertFlag(c, &f.rules)
	offer(c, "align", names)
	return c
}

// spans puts the moments of the flags behind names of engines, which are read from there.
func (p *program) spans(files []string, f *replayFlags) ([]string, error) {
	isPast := func(name string) bool { _, is := p.pastNamed(name); return is }
	files, used := past.Within(files, isPast, f.At, f.Length)
	switch {
	case used:
		f.At = ""
	case f.Length != "":
		return nil, usage(errors.New("--for says how much of an engine's past is played, and no engine is named"), "a recording is played to its end")
	}
	return files, nil
}

// replay shows recordings until the user quits.
func (p *program) replay(c *cobra.Command, files []string, f replayFlags) error {
	settings, every, err := p.ruleSettings(c)
	if err != nil {
		return err
	}
	if files, err = p.spans(files, &f); err != nil {
		return err
	}
	files, done, err := p.spooled().Files(files)
	if err != nil {
		return err
	}
	defer done()
	var unread []error
	rules, err := p.rulesOver(nil, f.rules, func(err error) { unread = append(unread, err) })
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	player, err := p.openReplay(ctx, files, f)
	if err != nil {
		return err
	}
	// The screens write times in the local zone: here that is the recording's. It
	// is set before anything else runs, for that reads it too, and for good: what
	// still runs at the end may read it.
	time.Local = player.About().Zone
	if _, last := player.Bounds(); f.At != "" {
		if words := session.AgainWords(player.Position(), last); words != "" {
			unread = append(unread, errors.New(words))
		}
	}
	r := &replayRun{program: p, player: player, judge: backtest.NewPast(player, rules, bundle.Acts(p.spooled().Bundles(), player.Line().Place))}
	looks, judged := p.config.Counters.Looks(settings), make(chan struct{})
	wait := r.judge.Begin(ctx, p.guard, alert.BacktestOptions{Rules: rules, Every: every, Looks: looks}, func() {
		r.screens.AlertsChanged()
		close(judged)
	})
	told := make(chan struct{})
	defer func() { cancel(); wait(); <-told }()
	if !f.Overlay {
		p.guard.Go(func() {
			defer close(told)
			select {
			case <-judged:
				r.answer(ctx, f, every, looks)
			case <-ctx.Done():
			}
		})
	} else {
		close(told)
	}
	o, err := p.screenOptions(settings, nil)
	if err != nil {
		return replayWithout(err)
	}
	r.options(c, &o)
	o.Why = screens.Why(p.guard, player, func() ([]alert.Rule, error) { return r.packRules(f) }, looks)
	return r.show(ctx, o, r.beside(&o, files, f.Overlay, append(unread, p.spooled().Said()...)))
}

// replayRun is recordings on the screens.
type replayRun struct {
	*program

	player  *replay.Player
	judge   *backtest.Past
	screens tui.Session
}

// packRules are those that a report judges.
func (r *replayRun) packRules(f replayFlags) ([]alert.Rule, error) {
	return r.rulesOver(ruleset.Packs(nil), f.rules, func(error) {})
}

// answer finds what was wrong in the recording, marks it on its time bar, and leads the screens to
// its worst moment.
func (r *replayRun) answer(ctx context.Context, f replayFlags, every time.Duration, looks session.Looks) {
	rules, err := r.packRules(f)
	if err != nil {
		return
	}
	made, err := report.Make(ctx, r.player, report.Options{Name: "-", Looks: looks, Meant: func(string) bool { return true }},
		report.Judging{Rules: rules, Every: every, Guard: r.guard}, func(float64) {})
	if err != nil {
		return // the recording is shown all the same
	}
	at, text := time.Time{}, made.Headline()
	if len(made.Verdicts) > 0 {
		v := made.Verdicts[0]
		if at = v.Begin; v.Peak != nil {
			at = v.PeakAt
		}
		text = v.Host + ": " + v.Sentence
		r.player.AddMark(replay.Mark{At: at, Kind: backtest.MarkOf(v.Severity), Text: v.Sentence})
	}
	if f.At == "" && f.Speed == "" {
		r.screens.Answered(at, text)
	}
}

// beside gives the screens what belongs to the recording: alerts and notes; what was odd, as said
// tells, stands in their Log.
func (r *replayRun) beside(o *tui.Options, files []string, overlay bool, said []error) *notes.Played {
	careful := func(at time.Time, errs []error) {
		for _, err := range errs {
			o.Note(at, pane.Careful, err.Error())
		}
	}
	r.bundleOptions(o)
	first, _ := r.player.Bounds()
	careful(first, said)
	notes, damaged := r.recordedNotes(files, r.player.Line(), overlay)
	careful(o.Replay.Position(), damaged)
	o.Alerts, o.Notes = r.judge, notes
	return notes
}

// show runs the screens until the user quits.
func (r *replayRun) show(ctx context.Context, o tui.Options, notes *notes.Played) error {
	s := &r.screens
	if err := s.Open(o); err != nil {
		return replayWithout(noTerminal(err))
	}
	r.life.OnExit(s.Restore)
	notes.OnChange(s.NotesChanged)
	err := s.Run(ctx)
	s.Restore()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// replayWithout says what can be done with a recording where nothing can be
// shown.
func replayWithout(err error) error {
	if errors.Is(err, errNoScreens) {
		return failure.WithHint(err, "without a terminal perfdeck relog --summary sums a recording up, see perfdeck relog --help")
	}
	return err
}

// openReplay opens recordings at the moment where they are to be played from.
func (p *program) openReplay(ctx context.Context, files []string, f replayFlags) (*replay.Player, error) {
	o := replay.Options{Overlay: f.Overlay, Guard: p.guard, Open: p.opener(ctx, f.read)}
	known := false
	for _, a := range alignments {
		if a.name == f.align {
			o.Align, known = a.is, true
		}
	}
	if !known {
		return nil, unknownValue("align", f.align, "clock, week, start")
	}
	err := given(&o.Within, "within", f.Within, seconds)
	if err != nil {
		return nil, err
	}
	speed := 0
	if f.Speed != "" {
		if speed, err = bar.ParseSpeed(f.Speed); err != nil {
			return nil, usage(fmt.Errorf("--speed: %w", err))
		}
	}
	player, err := replay.Open(files, o)
	if err != nil {
		return nil, err
	}
	at, err := beginning(player, f)
	if err != nil {
		return nil, errors.Join(err, player.Close())
	}
	player.Seek(at)
	if speed > 0 {
		player.SetSpeed(speed)
		player.Play(true)
	}
	return player, nil
}

// beginning is the moment of --at; without it the last sample, from where the whole recording
// is seen, or the first that has rates where it is to be played at once.
func beginning(player *replay.Player, f replayFlags) (time.Time, error) {
	first, last := player.Bounds()
	switch {
	case f.At != "":
		return relog.MomentWithin("at", f.At, first, last)
	case f.Speed != "":
		return player.Rated(), nil
	}
	return last, nil
}

// options fills in what the screens need for a recording.
func (r *replayRun) options(c *cobra.Command, o *tui.Options) {
	player := r.player
	for _, h := range player.Hosts() {
		o.Hosts = append(o.Hosts, &pane.Host{Name: h.Name(), Sampler: h, Feed: h, Events: h.Events()})
	}
	played := r.played(player)
	o.Replay = &screens.Player{Player: player, Files: played}
	o.Archive = &screens.Archive{Player: player, Hosts: o.Hosts}
	o.User = userName()
	o.Themes = func() []themes.Info { return themes.List(userThemes()) }
	first, last := player.Bounds()
	note := func(level pane.Level, text string) {
		o.Note(first, level, text)
	}
	about := player.About()
	files := about.Files
	if played != nil {
		files = played
	}
	note(pane.Info, fmt.Sprintf("%s: %d counters, to %s", strings.Join(files, ", "), about.Counters, last.Format(time.DateTime)))
	for _, words := range append(about.Inferred.Words(), about.Taken...) {
		note(pane.Careful, words)
	}
	kept, err := config.LoadState()
	if err != nil {
		note(pane.Careful, err.Error())
	}
	o.Kept, o.Keep = kept, config.SaverOf(kept)
	o.Theme = r.shownTheme(c, kept, o.Theme)
	made := decks.Of(player)
	all, begin := made.Named(files...)
	o.Decks, o.Deck = append(o.Decks, all...), cmp.Or(begin, o.Deck)
	switch {
	case len(made.All.Panes) > 0:
		note(pane.Info, "D has a deck of all that was recorded")
	case made.Left > 0:
		note(pane.Careful, fmt.Sprintf("the deck has no room for %d panes of what was recorded: 4 browses all of it", made.Left))
	}
	if about.Interval > 0 {
		o.Interval = about.Interval
	}
}
