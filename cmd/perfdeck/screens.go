package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/cmd/perfdeck/screens"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/app/inventory"
	"perfdeck/session/app/notes"
	"perfdeck/session/app/remotesets"
	"perfdeck/session/app/roster"
	"perfdeck/session/app/ruleset"
	"perfdeck/session/config"
	"perfdeck/session/config/rulepack"
	"perfdeck/session/recording/collector"
	"perfdeck/session/recording/collectorset/sets"
	"perfdeck/session/recording/recorders"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/lifetime"
	"perfdeck/session/system/osfile"
	"perfdeck/themes"
	"perfdeck/tui"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/terminal"
)

// screens shows the deck until the user quits.
func (p *program) showScreens(c *cobra.Command, args []string) error {
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	o, err := p.screenOptions(settings, args)
	if err != nil {
		return err
	}
	if o.Manifests, err = p.browsedManifests(c); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	run := &screenRun{program: p, ctx: ctx, settings: settings, mode: inventory.Mode{Kept: true, Past: true, Deck: len(args) == 0, Some: true}}
	for _, text := range args {
		run.mode.Asked = append(run.mode.Asked, inventory.NewQuery(text, ""))
	}
	hosts, err := run.open()
	if err != nil {
		return err
	}
	if err := inventory.CheckPaths(ctx, hosts, args); err != nil {
		return err
	}
	if run.alerts, err = p.screenAlerts(c, nil); err != nil {
		return err
	}
	run.hosts = roster.New(run.alerts.followers()...)
	run.recorder = screens.Recorder{Screens: recorders.NewScreens(run.alerts.records.All, p.screenRecording(c, settings.KeepRecording, run.interval))}
	run.options(c, &o, hosts)
	defer p.keepLog(&o, run.alerts.screens.Note)()
	if run.notes = p.liveNotes(run.alerts.screens.Note); run.notes != nil {
		o.Notes, o.Attended = run.notes, run.notes.Look
	}
	if err = run.alerts.screens.Open(o); err != nil {
		return noTerminal(err)
	}
	run.session = run.alerts.screens
	defer run.beside(cancel, len(hosts))()
	return run.show()
}

// open opens the hosts that are named, or those that are watched without names.
func (r *screenRun) open() (hosts []inventory.Host, err error) {
	p := r.program
	if r.known = p.known(); !p.flags.Demo && len(p.flags.Hosts) == 0 {
		p.flags.Hosts = r.known.Watched()
	}
	return r.known.Open(p.flags.Hosts, r.mode)
}

// beside begins what works beside the screens: hosts, alerts, notes. end ends alerts and
// recordings, by cancel.
func (r *screenRun) beside(cancel context.CancelFunc, hosts int) (end func()) {
	p := r.program
	p.life.OnExit(r.session.Restore)
	if r.notes != nil {
		r.notes.OnChange(r.session.NotesChanged)
		p.guard.Go(func() { r.notes.Follow(r.ctx, r.session.Note) })
	}
	ended := r.alerts.start(r.ctx, p.guard)
	lifetime.Processors(hosts)
	lifetime.Garbage(hosts)
	for _, begin := range r.begin {
		begin()
	}
	p.guard.Go(func() { r.newcomers(r.ctx) })
	return func() {
		r.endRecordings()
		cancel()
		<-ended
		r.alerts.Close(p.patience())
	}
}

// show runs the screens until the user quits. Questions for passwords go through them.
func (r *screenRun) show() error {
	p := r.program
	p.asks.Set(r.session)
	err := r.session.Run(r.ctx)
	p.asks.Take()
	r.session.Restore()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// screenRun is the screens with what works beside them.
type screenRun struct {
	program  *program
	known    *inventory.Inventory
	mode     inventory.Mode
	ctx      context.Context //nolint:containedctx // that of the run: hosts are added while it lasts
	settings config.Settings
	alerts   *screenAlerts
	recorder screens.Recorder
	sets     screens.Sets
	notes    *notes.Live  // nil: there is no place for them
	begin    []func()     // start the first hosts
	session  *tui.Session // nil before it is open

	hosts       *roster.Roster
	connecting  session.Serial // hosts are added
	lastAccount string         // that the user typed; of connecting
}

// endRecordings hands recordings over, or closes them: a signal waits for that.
func (r *screenRun) endRecordings() {
	defer r.program.life.Keep()()
	r.recorder.End()
}

// interval is that of the screens, as the user has set it by now.
func (r *screenRun) interval() time.Duration {
	if r.session == nil {
		return r.settings.Interval
	}
	return r.session.Interval()
}

// options fills in what the screens need of the rest of the program.
func (r *screenRun) options(c *cobra.Command, o *tui.Options, hosts []inventory.Host) {
	p := r.program
	for _, h := range hosts {
		if m := r.hosts.Add(r.ctx, h); m != nil {
			o.Hosts, r.begin = append(o.Hosts, r.shown(m)), append(r.begin, m.Start)
		}
	}
	o.Why = screens.Why(p.guard, nil, func() ([]alert.Rule, error) {
		packs, err := ruleset.Of(new(config.Config), ruleset.Packs(nil), nil)
		return append(r.alerts.Watch().Engine().Rules(), packs...), err
	}, p.config.Counters.Looks(r.settings))
	o.Alerts, o.User, o.Recorder = r.alerts.Watch(), userName(), r.recorder
	r.sets = p.screenSets(c, r.alerts.screens.AlertsChanged)
	o.Records, o.HostSets = r.sets, screens.HostSets{Screens: r.sets.Hosts}
	o.Themes = func() []themes.Info { return themes.List(userThemes()) }
	o.Connect = r.connect
	p.recall(o)
	o.Changed = r.settingsWatcher(c, o.Kept)
	if clock, is := p.runClock().(*session.SystemClock); is {
		o.Aligned = clock.Align
	}
	if dir, err := recordingsDir(); err == nil {
		for _, text := range collector.News(dir, time.Now()) {
			o.Note(time.Now(), pane.Careful, text)
		}
	}
	if look := p.sets().NewLookout(func(err error) { r.session.Note(err) }); look != nil {
		for _, err := range look.Missed() {
			o.Note(time.Now(), pane.Careful, err.Error())
		}
		r.begin = append(r.begin, func() { p.guard.Go(func() { look.Run(r.ctx) }) })
	}
	o.Deck, _ = c.Flags().GetString("deck")
	o.Theme = p.shownTheme(c, o.Kept, o.Theme)
}

// screenRecording is what recordings of the screens need.
func (p *program) screenRecording(c *cobra.Command, goesOn bool, every func() time.Duration) recorders.ScreensOptions {
	return recorders.ScreensOptions{
		Every: every, Flags: openingFlags(c), GoesOn: goesOn, HandOver: p.handOver,
		Forget: func(id string) {
			if dir, err := recordingsDir(); err == nil {
				_ = collector.Forget(dir, id)
			}
		},
		Say:  func(text string) { fmt.Fprintf(os.Stderr, "perfdeck: %s\n", text) },
		Fail: p.tellError,
	}
}

// screenSets are the sets as the screens see them. What plays a file looks as these screens do.
func (p *program) screenSets(c *cobra.Command, changed func()) screens.Sets {
	look := flagsOf(c, lookFlagNames())
	hosts := remotesets.NewScreens(p.context(), p.hostSetsAsking(func(string) (bool, error) { return false, nil }), changed)
	hosts.SetHosts(p.config.Hosts)
	return screens.Sets{
		Hosts: hosts, Screens: sets.NewScreens(p.context(), p.sets(openingFlags(c)...), p.config.Records, changed), Context: p.context(),
		Command: func(args ...string) (*exec.Cmd, error) {
			return p.ownCommand(slices.Concat([]string{"replay"}, look, args)...)
		},
	}
}

// errNoScreens marks failures to show screens, where lines can still be printed.
var errNoScreens = errors.New("show the screens")

// noTerminal explains what to do without a terminal.
func noTerminal(err error) error {
	return failure.WithHint(fmt.Errorf("%w: %w", errNoScreens, err), "perfdeck --plain prints lines, perfdeck sample prints tables and files: see perfdeck sample --help")
}

var errDumb = errors.New("this terminal cannot move its cursor (TERM is empty or dumb)")

// screenOptions settles how the screens look from flags and environment.
func (p *program) screenOptions(s config.Settings, args []string) (tui.Options, error) {
	if terminal.IsDumb(p.environ) {
		return tui.Options{}, noTerminal(errDumb)
	}
	look, err := p.screenSettings(s, p.config)
	if err != nil {
		return tui.Options{}, usage(err)
	}
	o := tui.Options{
		Company:  pane.Company{Packs: rulepack.All},
		Settings: look,
		Subject:  tui.Subject{Paths: args},
		Runtime:  tui.Runtime{Guard: p.guard, Now: time.Now},
		Display: tui.Display{
			Profile: terminal.FullProfile(p.environ),
			Caps:    canvas.CapsOf(p.getenv("TERM")),
			Mouse:   s.Mouse,
			Stock:   s.Renderer == config.RendererBubbletea,
			In:      p.in,
			Out:     p.out,
			Environ: p.environ,
		},
	}
	if !s.Color {
		o.Profile = themes.NoColour
	}
	return o, nil
}

// screenSettings are the settings of the screens that may change while they are
// shown.
func (p *program) screenSettings(s config.Settings, file *config.Config) (tui.Settings, error) {
	theme, err := themes.Load(s.Theme, userThemes())
	if err != nil {
		return tui.Settings{}, err
	}
	chosen, errs := userKeys(file.Keys)
	if len(errs) > 0 {
		return tui.Settings{}, errs[0]
	}
	return tui.Settings{
		Keys: chosen, Interval: s.Interval, Numbers: &pane.Numbers{Grouping: s.Grouping, Looks: file.Counters.Looks(s)}, Theme: theme,
		Dark: s.Background != config.BackgroundLight, FixedBackground: s.Background != config.BackgroundAuto,
		Glyphs: p.glyphs(s.ASCII), LowBandwidth: s.LowBandwidth, Decks: file.Decks, Words: file.Words,
	}, nil
}

// shownTheme is the theme that was chosen on the screens, if it is still there and
// nothing that wins over it is asked for; else the other.
func (p *program) shownTheme(c *cobra.Command, kept *session.Saved, other *themes.Theme) *themes.Theme {
	fromEnvironment, err := config.Environment(p.environ) // which wins, as flags do, over what wins over the config
	if kept.Theme == "" || c.Flags().Changed("theme") || err == nil && fromEnvironment.Has("theme") {
		return other
	}
	t, err := themes.Load(kept.Theme, userThemes())
	if err != nil {
		return other
	}
	return t
}

// glyphs is what the terminal's font can show, as far as the environment tells.
func (p *program) glyphs(ascii bool) canvas.GlyphSet {
	switch {
	case ascii || !terminal.IsUTF8(p.environ):
		return canvas.ASCII
	case p.getenv("TERM") == "linux":
		return canvas.Console
	}
	return canvas.Full
}

func (p *program) getenv(key string) (value string) {
	for _, e := range p.environ {
		if v, ok := strings.CutPrefix(e, key+"="); ok {
			value = v
		}
	}
	return value
}

// checkWords refuses arguments that are no paths: misspelled commands and files, mostly.
func checkWords(root *cobra.Command, args []string) error {
	for _, text := range args {
		if _, err := paths.Parse(text); err != nil && !strings.HasPrefix(text, `\`) {
			return usage(fmt.Errorf("%s: neither a command, nor a file that is there, nor a counter path", text), cmp.Or(misspelled(root, text), "perfdeck --help lists the commands; "+pathHint))
		} else if err != nil {
			return usage(err)
		}
	}
	return nil
}

// userThemes is where the user's own themes are; nil where there is no home.
func userThemes() fs.FS {
	dir, err := config.Dir()
	if err != nil {
		return nil
	}
	return osfile.Plain(filepath.Join(dir, "themes"))
}
