package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/themes"
	"perfdeck/tui"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
	"perfdeck/tui/terminal"
)

// screens shows the deck until the user quits.
func (p *program) screens(c *cobra.Command, args []string) error {
	ctx := c.Context()
	settings, err := p.settings(c)
	if err != nil {
		return err
	}
	o, err := p.screenOptions(settings, args)
	if err != nil {
		return err
	}
	p.watchOwn()
	p.keptWillDo = true
	hosts, err := p.hosts()
	if err != nil {
		return err
	}
	if err := checkPaths(ctx, hosts, args); err != nil {
		return err
	}
	alerts, err := p.screenAlerts(c)
	if err != nil {
		return err
	}
	o.Alerts, o.User = alerts.watch, userName()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, h := range hosts {
		alerts.watch.Add(h.name, h.sampler)
		o.Hosts = append(o.Hosts, paneHost(h, o.Interval, settings.History))
	}
	o.Themes = func() []themes.Info { return themes.List(userThemes()) }
	o.Connect = p.connector(ctx, settings, alerts.watch)
	o.Changed = p.settingsWatcher(c)
	p.recall(&o)
	o.Decks = p.config.Decks
	o.Deck, _ = c.Flags().GetString("deck")
	if kept := o.Kept; kept.Theme != "" && !themeAsked(c, p.environ) {
		o.Theme = p.keptTheme(kept.Theme, o.Theme)
	}
	s, err := tui.New(o)
	if err != nil {
		return noTerminal(err)
	}
	p.onExit(s.Restore)
	alerts.screens.Store(s)
	ended := alerts.run(ctx, p.guard)
	defer func() { cancel(); <-ended; alerts.close() }()
	thrift(hosts)
	p.start(ctx, hosts)
	err = s.Run(ctx)
	s.Restore()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// paneHost is a host with a feed of the screens'.
func paneHost(h host, every, history time.Duration) *pane.Host {
	feed := h.sampler.Feed(session.FeedOptions{Every: every, History: history})
	return &pane.Host{Name: h.name, Sampler: h.sampler, Feed: feed, Local: h.local}
}

// connector opens hosts that the user names while the screens run.
func (p *program) connector(ctx context.Context, s config.Settings, alerts *alert.Watch) func(names string) ([]*pane.Host, error) {
	return func(names string) ([]*pane.Host, error) {
		var out []*pane.Host
		for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' }) {
			h, err := p.openHost(name)
			if err != nil {
				return out, err
			}
			ctx, cancel := context.WithCancel(ctx)
			added := paneHost(h, s.Interval, s.History)
			alerts.Add(h.name, h.sampler)
			added.Feed = endingFeed{added.Feed, func() { alerts.Drop(h.name); cancel() }}
			p.start(ctx, []host{h})
			out = append(out, added)
		}
		return out, nil
	}
}

// endingFeed ends the host with its only feed.
type endingFeed struct {
	pane.Feed

	end func()
}

func (f endingFeed) Close() {
	f.Feed.Close()
	f.end()
}

// thrift keeps a screen of one host on one processor: handing its goroutines
// from thread to thread costs a fifth of a refresh. With many hosts it collects
// garbage earlier: that costs little beside their histories, which stay; with
// one it would cost a third of a refresh. The environment decides where it says
// something.
func thrift(hosts []host) {
	if len(hosts) == 1 && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	if len(hosts) > manyHosts && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// manyHosts is from where on memory is what a screen has to save.
const manyHosts = 8

// noTerminal explains what to do without a terminal.
func noTerminal(err error) error {
	return &hinted{fmt.Errorf("show the screens: %w", err), "perfdeck --plain prints lines, perfdeck sample prints tables and files: see perfdeck sample --help"}
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
		Settings: look, Paths: args, Guard: p.guard, Now: time.Now,
		Profile: terminal.Profile(p.environ), Caps: canvas.CapsOf(p.getenv("TERM")),
		Mouse: s.Mouse, Stock: s.Renderer == config.RendererBubbletea,
		In: p.in, Out: p.out, Environ: p.environ,
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
		Keys: chosen, Interval: s.Interval, Numbers: numbersOf(s, file.Counters), Theme: theme,
		Dark: s.Background != config.BackgroundLight, FixedBackground: s.Background != config.BackgroundAuto,
		Glyphs: p.glyphs(s.ASCII), LowBandwidth: s.LowBandwidth,
	}, nil
}

// themeAsked tells whether a flag or the environment names a theme: these win
// over what was chosen on the screens, which wins over the config.
func themeAsked(c *cobra.Command, environ []string) bool {
	fromEnvironment, err := config.Environment(environ)
	return c.Flags().Changed("theme") || err == nil && fromEnvironment.Theme != nil
}

// keptTheme is the theme that was chosen on the screens, if it is still there.
func (p *program) keptTheme(name string, other *themes.Theme) *themes.Theme {
	t, err := themes.Load(name, userThemes())
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

// checkPaths refuses, before the screens start, paths that are malformed, or
// that this computer is known not to have.
func checkPaths(ctx context.Context, hosts []host, args []string) error {
	for _, text := range args {
		if _, err := paths.Parse(text); err != nil && !strings.HasPrefix(text, `\`) {
			return usage(&hinted{err, `a path looks like '\Memory\Available MBytes'; perfdeck --help lists the commands`})
		} else if err != nil {
			return usage(err)
		}
	}
	if len(args) == 0 || len(hosts) != 1 {
		return nil
	}
	err := checkOffered(ctx, hosts[0].source, args)
	if source, ok := hosts[0].source.(interface{ Forget() }); ok && err != nil {
		source.Forget() // the kept catalogue may be too old
		err = checkOffered(ctx, hosts[0].source, args)
	}
	return err
}

func checkOffered(ctx context.Context, source session.Source, args []string) error {
	cat, err := source.Catalogue(ctx)
	if err != nil {
		return err
	}
	for _, text := range args {
		if _, err := cat.Resolve(text, paths.Options{}); err != nil {
			return err
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
	return os.DirFS(filepath.Join(dir, "themes"))
}

// localName is the name of this computer.
func localName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "local"
	}
	return name
}
