package replay

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"sync"
	"time"

	"perfdeck/session"
	"perfdeck/session/files/logs"
)

// Player plays recordings. Its methods may be called by any goroutine and return
// at once; Run does the reading.
type Player struct {
	options Options
	clock   session.Clock
	tapes   []*tape
	hosts   []*Host
	base    *group // the first recording
	woken   chan struct{}
	changed chan struct{}
	survey  *survey

	mu          sync.Mutex
	zone        *time.Location
	info        About
	first, last time.Time // of the first recording
	rated       time.Time // when it has rates first
	now         moment
	playing     bool
	started     bool // it is played since the last look at it
	speed       int
	reached     int // of the speed, where it cannot be kept; else 0
	span        time.Duration
	sought      bool // the moment was set: the windows are to be read anew
	toEnd       bool // to the last sample that there is by now
	fell        bool // more of a time line is known than when the moment was set
	said        string
	steps       int
	marks       []Mark
}

// moment is the position at a monotonic time of the clock.
type moment struct {
	at   time.Time
	mono time.Duration
}

// About is what a recording says of itself.
type About struct {
	Files    []string // their base names
	Hosts    []string
	Counters int            // columns of the first recording
	Interval time.Duration  // between samples that follow on the moment that is shown; 0: not known
	Zone     *time.Location // of its wall clocks
	Inferred logs.Inferred
	Taken    []string // what names in other languages are taken for, in words
}

const (
	// leastSpan is how much time is kept at least.
	leastSpan = 10 * time.Minute
	// MaxSpeed is the highest speed.
	MaxSpeed = 1000
)

func newPlayer(o Options) *Player {
	p := &Player{
		options: o, clock: o.Clock, woken: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		speed: 1, span: leastSpan,
	}
	p.survey = newSurvey(p)
	return p
}

// about notes what the recording says of itself.
func (p *Player) about(base *group) {
	p.info = About{Zone: p.zone}
	for _, t := range p.tapes {
		for _, name := range t.source.files {
			p.info.Files = append(p.info.Files, filepath.Base(name))
		}
	}
	for _, h := range p.hosts {
		p.info.Hosts = append(p.info.Hosts, h.Name())
	}
	for _, t := range p.tapes {
		p.info.Inferred |= t.source.inferred
		p.info.Taken = append(p.info.Taken, t.source.taken...)
	}
	for _, t := range base.tapes {
		p.info.Counters += len(t.source.columns)
	}
}

// roundInterval is what people call an interval: recorders do not keep it to the
// millisecond.
func roundInterval(every time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Minute, time.Second, 100 * time.Millisecond, 10 * time.Millisecond, time.Millisecond} {
		if round := every.Round(unit); round > 0 && (every-round).Abs() <= every/100 {
			return round
		}
	}
	return every
}

// About is what the recording says of itself, where it is played.
func (p *Player) About() About {
	at := p.Position()
	p.mu.Lock()
	a := p.info
	p.mu.Unlock()
	for _, t := range p.base.tapes {
		if every := t.source.every(at); every > 0 && (a.Interval == 0 || every < a.Interval) {
			a.Interval = every
		}
	}
	a.Interval = roundInterval(a.Interval)
	return a
}

// Hosts are the hosts of the recording in the order of its columns, those of
// overlays behind.
func (p *Player) Hosts() []*Host { return p.hosts }

// Host finds a host by name, nil if there is none.
func (p *Player) Host(name string) *Host {
	for _, h := range p.hosts {
		if h.Name() == name {
			return h
		}
	}
	return nil
}

// Bounds are the times of the first and of the last sample.
func (p *Player) Bounds() (first, last time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.first.In(p.zone), p.last.In(p.zone)
}

// Rated is the first moment at which the recording has rates: the first sample, or the
// second one where the first was cooked with none before it.
func (p *Player) Rated() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rated.In(p.zone)
}

// Position is the moment that is shown.
func (p *Player) Position() time.Time {
	mono := p.clock.Now().Mono
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.position(mono).In(p.zone)
}

// position is the moment at a monotonic time. p.mu is held.
func (p *Player) position(mono time.Duration) time.Time {
	if !p.playing {
		return p.now.at
	}
	const longest = 1 << 52 // ns: the product has to fit
	passed := min(mono-p.now.mono, longest)
	at := p.now.at.Add(passed * time.Duration(p.speed))
	if at.After(p.last) {
		return p.last
	}
	return at
}

// rebase makes a moment the position now. p.mu is held.
func (p *Player) rebase(at time.Time) {
	p.now = moment{at, p.clock.Now().Mono}
}

// Playing tells whether time passes.
func (p *Player) Playing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.playing
}

// Play lets time pass, or stops it. At the end it begins anew.
func (p *Player) Play(on bool) {
	p.fromHere(func() { p.started, p.playing = on && !p.playing, on })
}

// fromHere changes how it is played from the present moment on.
func (p *Player) fromHere(change func()) {
	p.mu.Lock()
	p.rebase(p.position(p.clock.Now().Mono))
	change()
	p.mu.Unlock()
	p.wake()
}

// Speed is how many times as fast as it was recorded it is played.
func (p *Player) Speed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.speed
}

// SetSpeed sets the speed, 1 to MaxSpeed.
func (p *Player) SetSpeed(times int) {
	p.fromHere(func() { p.speed = min(max(times, 1), MaxSpeed) })
}

// Seek goes to a moment, between the first and the last sample.
func (p *Player) Seek(at time.Time) {
	p.mu.Lock()
	switch {
	case at.Before(p.first):
		at = p.first
	case at.After(p.last):
		at = p.last
	}
	p.rebase(at)
	p.sought, p.toEnd, p.steps = true, false, 0
	p.mu.Unlock()
	p.wake()
}

// End goes to the last sample. A recording that grew meanwhile is longer then.
func (p *Player) End() {
	p.mu.Lock()
	p.rebase(p.last)
	p.sought, p.toEnd, p.steps, p.playing = true, true, 0, false
	p.mu.Unlock()
	p.wake()
}

// Step goes on by samples, or back, and pauses.
func (p *Player) Step(samples int) {
	p.fromHere(func() { p.steps, p.playing = p.steps+samples, false })
}

// SetSpan says how much time before the moment that is shown the screens want. It returns how
// much of it there can be: there is a most to the samples of a window.
func (p *Player) SetSpan(span time.Duration) (kept time.Duration) {
	p.mu.Lock()
	changed := max(span, leastSpan) != p.span
	p.span = max(span, leastSpan)
	p.mu.Unlock()
	if changed {
		p.wake()
	}
	for _, t := range p.base.tapes {
		if every, _ := t.source.paces(); every > 0 {
			span = min(span, (mostSamples-1)*every)
		}
	}
	return span
}

// samples is how many samples of an interval make the span.
func (p *Player) samples(interval time.Duration) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if interval <= 0 {
		return 0
	}
	return int(min(p.span/interval+1, mostSamples))
}

// learned takes over what a survey found out of the times of a tape. What is shown may be wrong by
// that.
func (p *Player) learned(t *tape, r logs.Reader) {
	if !t.source.learn(r) || t.isOverlay {
		return
	}
	p.mu.Lock()
	p.fell = true
	p.mu.Unlock()
	p.wake()
}

// Said is what there is to say of the recordings since the last call; empty: nothing.
func (p *Player) Said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := p.said
	p.said = ""
	return said
}

// Changed gets a value when the moment was set, or something is known that was
// not before: a part of the overview, marks.
func (p *Player) Changed() <-chan struct{} { return p.changed }

func (p *Player) tell() {
	session.Wake(p.changed)
}

func (p *Player) wake() {
	session.Wake(p.woken)
}

// Run plays until the context ends, and closes the files. It is called once.
func (p *Player) Run(ctx context.Context) {
	surveyed := make(chan struct{})
	p.options.Guard.Go(func() {
		defer close(surveyed)
		p.survey.run(ctx)
	})
	r := runner{Player: p, ctx: ctx}
	r.run()
	<-surveyed
	_ = p.closeTapes()
}

// Close closes the files of a player that is not run.
func (p *Player) Close() error { return p.closeTapes() }

func (p *Player) closeTapes() error {
	var err error
	for _, t := range p.tapes {
		err = errors.Join(err, t.reader.Close())
	}
	return err
}

// pace is how far it was played since a moment: large recordings cannot be read as
// fast as the highest speeds want.
type pace struct {
	since moment
	speed int
	late  bool // it fell behind since
}

// paceTime is over how long the pace is taken.
const paceTime = time.Second

// Reached is how many times as fast as it was recorded it is played really, where
// the files cannot be read at the speed; 0 where they can.
func (p *Player) Reached() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reached
}

// measure takes the pace of a player that plays and is at a moment now.
func (r *runner) measure(now moment, speed int, late bool) {
	r.pace.late = r.pace.late || late
	if r.pace.speed != speed {
		r.pace = pace{since: now, speed: speed}
		return
	}
	passed := now.mono - r.pace.since.mono
	if passed < paceTime {
		return
	}
	reached := int(math.Round(float64(now.at.Sub(r.pace.since.at)) / float64(passed)))
	const nearly = 0.95 // of the speed: nobody sees the difference
	if !r.pace.late || float64(reached) >= nearly*float64(speed) {
		reached = 0
	}
	r.pace = pace{since: now, speed: speed}
	r.mu.Lock()
	changed := r.reached != max(reached, 0)
	r.reached = max(reached, 0)
	r.mu.Unlock()
	if changed {
		r.tell()
	}
}
