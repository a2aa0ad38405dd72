// Package inventory knows the hosts of a run: which were named, by flags, files, groups and
// counter paths, in what way each is reached, and how it is opened.
package inventory

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/cache"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/hosts/feed"
	"perfdeck/session/hosts/logon"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/hosts/merged"
	"perfdeck/session/hosts/ssh"
)

// Options are what opens hosts.
type Options struct {
	Config   *config.Config // its hosts, groups and feeds, until Reload
	Accounts *logon.Accounts
	Demo     bool       // invented hosts instead of real ones
	MaxRate  int64      // bytes a second of hosts of which the config says nothing; 0: any number
	Encrypt  bool       // refuse Windows hosts whose SMB cannot encrypt
	SPN      string     // that a host's ticket is for; empty: the usual one
	Named    func() int // how many hosts were named: such a ticket is for one
	SSH      SSHOptions

	Clock   func() session.Clock // a new one, whose monotonic time begins now
	Go      func(func())
	Environ []string
	Getenv  func(string) string            // of Environ
	Own     func() (session.Source, error) // this computer; nil: as the system tells of it

	// Stdin has the standard input read, which is a list of hosts.
	Stdin func(read func(io.Reader) ([]string, error)) ([]string, error)
	// Prompt asks the user for a password of an engine; Agent is who asks engines.
	Prompt func(what string) ([]byte, error)
	Agent  string
	// Tell is told what is waited for long, and of feeds that are dead. It may be nil.
	Tell func(error)
	// Context ends with the run.
	Context func() context.Context
	// Manifests reads and checks those of feeds.
	Manifests func(names []string) ([]*manifest.File, error)
}

// SSHOptions are what is the same for all hosts that are reached by ssh.
type SSHOptions struct {
	Version    string // of this program
	Deploy     bool   // copy this program without asking
	DeployFrom string // folder with the program for other systems
	Ask        func(context.Context, ssh.Question) (string, error)
}

// Mode is what is wanted of hosts at first.
type Mode struct {
	Kept bool // catalogues of an earlier run may be used until fresh ones come
	Past bool // invented hosts begin with a minute of past
	Deck bool // catalogues may begin with what default decks show
	Bare bool // catalogues may begin without texts
	// Asked are paths that are looked up first: catalogues may begin with what those mean.
	Asked []Query
	Some  bool // a host that cannot be logged on to says why, beside others that can
	Quiet bool // whoever opens them asks what is wrong with them, which is told nobody else
	// Aside are the names of those that paths alone name.
	Aside []string
}

// Inventory opens hosts by their names.
type Inventory struct {
	o       Options
	file    atomic.Pointer[config.Config]
	shared  cache.Shared // of the catalogues of hosts
	engines engines
	extras  logon.Extras
	rates   rates
	ssh     session.Late[*sshParts]

	mu     sync.Mutex
	opened []*feed.Source // that were not seen to be closed
}

// New is an inventory. Close ends it.
func New(o Options) *Inventory {
	v := &Inventory{o: o}
	v.file.Store(o.Config)
	return v
}

// config is what hosts are found by.
func (v *Inventory) config() *config.Config { return v.file.Load() }

// Reload has hosts found by another config from now on. Those that are open stay so: see Host.IsAs.
func (v *Inventory) Reload(file *config.Config) {
	v.file.Store(file)
	now := v.Fed()
	v.engines.mu.Lock()
	defer v.engines.mu.Unlock()
	maps.DeleteFunc(v.engines.hubs, func(_ string, h *hub) bool { // who has one keeps it
		now.engine, _, _ = v.engineOf(h.way.engine.Name)
		return !now.Is(h.way)
	})
}

// Reached is how a host is reached, and what stands beside it: two that are equal are read alike.
type Reached struct {
	target Target
	engine config.Engine
	feeds  []fedNow
}

// fedNow is a feed, and when its manifests were written.
type fedNow struct {
	config.Feed

	at []time.Time
}

// Fed is what stands beside this computer by the config and the manifests of now.
func (v *Inventory) Fed() (r Reached) {
	if !v.hasFeeds() {
		return r
	}
	r.feeds = make([]fedNow, len(v.config().Feeds))
	for i, f := range v.config().Feeds {
		one := &r.feeds[i]
		one.Feed = f
		for _, name := range f.Manifests {
			if name, err := config.BelowHome(name); err == nil {
				if info, err := os.Stat(name); err == nil {
					one.at = append(one.at, info.ModTime())
				}
			}
		}
	}
	return r
}

// Is tells whether two are equal.
func (r Reached) Is(o Reached) bool { return reflect.DeepEqual(r, o) }

// Reached is how a host is reached by the config of now.
func (v *Inventory) Reached(t Target) (r Reached) {
	if t.IsOwn() {
		r = v.Fed()
	}
	r.target = t
	r.engine, _, _ = v.engineOf(cmp.Or(t.Engine, t.Address))
	return r
}

// IsAs tells whether a host of the same name is reached and read as another.
func (h *Host) IsAs(o *Host) bool { return h.way.Is(o.way) }

// Close ends what its hosts have in common.
func (v *Inventory) Close() {
	if parts, made := v.ssh.Made(); made {
		parts.prompter.Close()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.opened { // the process ends, and they have something to say
		_ = s.Close()
	}
}

// Local is how this computer is asked for.
const Local = "local"

// LocalName is the name of this computer.
func LocalName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return Local
	}
	return name
}

// LogOns is a source that may be logged on to by another account.
type LogOns interface {
	LogOn(account string, password []byte) error
	Paused() (account string, left time.Duration)
	LogOnNow()
	Typed() string // the account that the user typed
}

// Host is a host that a command works with.
type Host struct {
	Name    string
	Source  session.Source
	Sampler *session.Sampler // which does not run yet
	Local   bool             // this computer
	Aside   bool             // some path names it, and nothing else: it is not meant by those that name no computer
	Open    string           // as a command line names it
	// Identity is which host it is, whatever its name, for who keeps something of it. Empty: it is invented.
	Identity string
	Engine   string // that has it too, or alone, with its name there; empty: none
	// EngineAhead is what that engine's clock is ahead of this computer's, as far as it is known.
	EngineAhead func() time.Duration
	Beside      string     // that engine in words, of a host that is read itself
	Groups      []string   // of the config
	LogOns      LogOns     // nil: it takes no account
	Past        *fake.Past // of an invented host, which goes by when values are asked for; nil: none

	spawn func(func()) // runs what it begins
	way   Reached
}

// Account is the account that the user typed; nil: the host takes none.
func (h *Host) Account() func() string {
	if h.LogOns == nil {
		return nil
	}
	return h.LogOns.Typed
}

// CloseAll closes hosts whose samplers do not run.
func CloseAll(hosts []Host) {
	for _, h := range hosts {
		_ = h.Source.Close()
	}
}

// Start runs the samplers of hosts until the context ends.
func Start(ctx context.Context, hosts ...Host) {
	for _, h := range hosts {
		h.spawn(func() { h.Sampler.Run(ctx) })
	}
}

// Open opens hosts by their names, each once: this computer, or all that are invented,
// where none is named.
func (v *Inventory) Open(names []string, m Mode) ([]Host, error) {
	if v.o.Demo {
		return v.invented(names, m)
	}
	targets, err := v.Targets(names)
	if err != nil {
		return nil, err
	}
	clock := v.o.Clock()
	var out []Host
	var missing error
	barred := 0
	for _, t := range targets {
		h, err := v.open(t, m, clock)
		if _, noAccount := errors.AsType[*logon.NoAccountError](err); noAccount && m.Some {
			h, missing = v.host(t, barredSource{err}, clock), cmp.Or(missing, err)
			barred++
		} else if err != nil {
			CloseAll(out)
			return nil, err
		}
		h.Aside = slices.Contains(m.Aside, t.Given)
		out = append(out, h)
	}
	if barred > 0 && barred == len(out) {
		CloseAll(out)
		return nil, missing
	}
	return out, nil
}

// barredSource is a host that cannot be logged on to, and says why.
type barredSource struct{ why error }

func (s barredSource) Catalogue(context.Context) (*session.Catalogue, error) { return nil, s.why }
func (s barredSource) Open(context.Context) (session.Query, error)           { return nil, s.why }
func (s barredSource) Close() error                                          { return nil }

// OpenAs opens one host by its name. It is logged on to as the user said, or in the usual
// way if that is nil.
func (v *Inventory) OpenAs(name string, as *logon.Account, m Mode) (Host, error) {
	if v.o.Demo {
		return v.inventedOne(name)
	}
	t, err := v.Target(name)
	if err != nil {
		return Host{}, err
	}
	t.As = as
	return v.OpenTarget(t, m)
}

// OpenTarget opens a host.
func (v *Inventory) OpenTarget(t Target, m Mode) (Host, error) { return v.open(t, m, v.o.Clock()) }

// open opens a host, with what an engine has of it.
func (v *Inventory) open(t Target, m Mode, clock session.Clock) (Host, error) {
	source, err := v.Source(t, m)
	if err != nil {
		return Host{}, err
	}
	known := t.Engine
	if t.IsEngine() {
		known = t.Address
	}
	if known == "" {
		return v.host(t, source, clock), nil
	}
	of, name, _ := v.engineOf(known)
	at, err := v.hubOf(of)
	if err != nil {
		_ = source.Close()
		return Host{}, err
	}
	on, words := source, ""
	if t.Engine != "" {
		words = "Prometheus at " + at.At()
		on = merged.New(merged.Options{Host: source, Other: at.Source(name), Name: words, Go: v.o.Go})
	}
	h := v.host(t, on, clock)
	h.LogOns, _ = source.(LogOns)
	h.Engine, h.Beside, h.EngineAhead = known, words, at.Ahead
	return h, nil
}

// host is one with its sampler.
func (v *Inventory) host(t Target, source session.Source, clock session.Clock) Host {
	sampler := session.NewSampler(t.Name, source, clock)
	if t.Own.Events != nil {
		sampler.Events().Only(t.Own.Events)
	}
	if r, ok := source.(session.Renewer); ok {
		r.RenewTo(sampler.Renew)
	}
	h := Host{Name: t.Name, Source: source, Sampler: sampler, Local: t.IsOwn(), Open: t.Address, Groups: v.Groups(t), spawn: v.o.Go}
	if t.Own.Name != "" || t.Address == "" { // by its name in the config, or in the demo
		h.Open = t.Name
	}
	h.LogOns, _ = source.(LogOns)
	if !v.o.Demo {
		h.Identity = t.identity()
		if v.config() != nil {
			h.way = v.Reached(t)
		}
	}
	return h
}

// demoPast is how much past the screens of the demo begin with, so that there is something
// to see.
const demoPast = time.Minute

// invented are hosts of the demo.
func (v *Inventory) invented(names []string, m Mode) (out []Host, err error) {
	clock := v.o.Clock()
	all := fake.Demo(clock)
	if m.Past {
		all = fake.DemoWithPast(clock, demoPast)
	}
	for _, h := range all {
		if len(names) > 0 && !paths.ContainsFold(names, h.Name) {
			continue
		}
		on := clock
		if h.Past != nil {
			on = h.Past
		}
		one := v.host(Target{Name: h.Name}, h.Source, on)
		one.Past = h.Past
		out = append(out, one)
	}
	if len(out) == 0 {
		return nil, wrong("known: "+strings.Join(namesOf(all), ", "), "--host %q: no such value", names[0])
	}
	return out, nil
}

// inventedOne is one that the user adds.
func (v *Inventory) inventedOne(name string) (Host, error) {
	clock := v.o.Clock()
	all := fake.Demo(clock)
	for _, h := range all {
		if paths.EqualFold(h.Name, name) {
			return v.host(Target{Name: h.Name}, h.Source, clock), nil
		}
	}
	return Host{}, wrong("", "add %s: the demo has invented hosts alone: %s", name, strings.Join(namesOf(all), ", "))
}

func namesOf(hosts []fake.Host) []string {
	out := make([]string, len(hosts))
	for i, h := range hosts {
		out[i] = h.Name
	}
	return out
}

// Configured are the hosts of the config.
func (v *Inventory) Configured() []string {
	names := make([]string, len(v.config().Hosts))
	for i := range v.config().Hosts {
		names[i] = v.config().Hosts[i].Name
	}
	return names
}

// Watched are this computer and the hosts that the config wants watched.
func (v *Inventory) Watched() []string {
	names := []string{Local}
	for _, h := range v.config().Hosts {
		if h.Watch {
			names = append(names, h.Name)
		}
	}
	return names
}
