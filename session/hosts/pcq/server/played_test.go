package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/manifest"
)

// ManifestSource plays manifests: it offers their countersets and moves every
// counter in a way that cooks to something plausible. What it shows is a
// function of time alone, so all queries see the same host.
//
// Countersets with instances have four, which stay.
type ManifestSource struct {
	clock     session.Clock
	start     session.Instant
	catalogue *session.Catalogue
	sets      []*generatedSet // as catalogue.Sets
	providers map[string]string
}

// NewManifestSource makes a source that plays manifests under the name of a
// host. Of two countersets with one GUID the first is played.
func NewManifestSource(host string, clock session.Clock, files ...*manifest.File) *ManifestSource {
	m := &ManifestSource{clock: clock, start: clock.Now(), catalogue: &session.Catalogue{Host: host}, providers: map[string]string{}}
	seen := map[string]bool{}
	for _, f := range files {
		for _, p := range f.Providers {
			for _, set := range p.Sets {
				m.providers[strings.ToLower(set.GUID)] = p.GUID
			}
		}
		for _, set := range f.Catalogue() {
			if seen[set.GUID] {
				continue
			}
			seen[set.GUID] = true
			m.catalogue.Sets = append(m.catalogue.Sets, set)
			m.sets = append(m.sets, newGeneratedSet(set))
		}
	}
	return m
}

// Catalogue gives the countersets of the manifests.
func (m *ManifestSource) Catalogue(context.Context) (*session.Catalogue, error) {
	return m.catalogue, nil
}

// ProviderGUID gives the GUID that a manifest has for the provider of a set.
func (m *ManifestSource) ProviderGUID(set *session.Counterset) (guid string, ok bool) {
	guid, ok = m.providers[set.GUID]
	return guid, ok
}

// Open makes a query.
func (m *ManifestSource) Open(context.Context) (session.Query, error) {
	return &manifestQuery{source: m}, nil
}

// Close has nothing to give back.
func (m *ManifestSource) Close() error { return nil }

// uptime is how long the host ran before the source was made: its counters have
// grown as long.
const uptime = time.Hour

// now is the time since the host started.
func (m *ManifestSource) now() time.Duration {
	return uptime + m.clock.Now().Mono - m.start.Mono
}

// clocks are the clocks of a reply. They tick alike, as those of present
// Windows do, but begin at different times.
func (m *ManifestSource) clocks(t time.Duration) cooker.Clocks {
	since := uint64(t / (time.Second / ticksPerSecond))
	return cooker.Ticking(since, cooker.FileTime(m.start.Wall.Add(-uptime))+since)
}

// generatedSet is a counterset and how its counters move.
type generatedSet struct {
	set       *session.Counterset
	columns   []generator // as set.Counters
	instances []session.Instance
}

const generatedInstances = 4

func newGeneratedSet(set *session.Counterset) *generatedSet {
	g := &generatedSet{set: set, columns: make([]generator, len(set.Counters)), instances: []session.Instance{{}}}
	if set.Instances.Multiple() {
		g.instances = nil
		for i := range uint64(generatedInstances) {
			g.instances = append(g.instances, session.Instance{Key: session.InstanceKey{Name: fmt.Sprintf("Instance %d", i), ID: i}})
		}
	}
	for i := range set.Counters {
		g.columns[i] = newGenerator(set, &set.Counters[i])
	}
	for i := range set.Counters {
		g.join(&set.Counters[i])
	}
	return g
}

// join makes the companions of a counter move with it.
func (g *generatedSet) join(c *session.Counter) {
	info, _ := c.Type.Info()
	of := c.Type.Kind()
	g.companion(c.BaseID, baseOf(of))
	g.companion(c.MultiID, parts)
	if info.Clock == cooker.ClockObject {
		g.companion(c.PerfTimeID, objectTime)
		g.companion(c.PerfFreqID, objectFrequency)
	}
}

func (g *generatedSet) companion(id uint32, how cooker.Kind) {
	i := slices.IndexFunc(g.set.Counters, func(c session.Counter) bool { return c.ID == id })
	if i >= 0 && id != session.NoID {
		g.columns[i].how, g.columns[i].size = how, 8
	}
}

// manifestQuery implements session.Query.
type manifestQuery struct {
	source *ManifestSource
	wants  []session.Want
	sets   []*generatedSet // of wants
}

var errNotPlayed = errors.New("not a counterset of this source")

// Select takes over what is wanted.
func (q *manifestQuery) Select(_ context.Context, wants []session.Want) error {
	sets := make([]*generatedSet, 0, len(wants))
	for i := range wants {
		at := slices.Index(q.source.catalogue.Sets, wants[i].Set)
		if at < 0 {
			return fmt.Errorf("select counters: %w", errNotPlayed)
		}
		sets = append(sets, q.source.sets[at])
	}
	q.wants, q.sets = slices.Clone(wants), sets
	return nil
}

// Collect reads all sets at one moment.
func (q *manifestQuery) Collect(ctx context.Context, b *session.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("collect counters: %w", err)
	}
	t := q.source.now()
	clocks := q.source.clocks(t)
	b.Time = q.source.clock.Now().Wall
	b.Fit(q.wants)
	for i := range q.wants {
		if b.IsDue(i) {
			q.sets[i].read(&b.Sets[i], t, &clocks)
		}
	}
	return nil
}

// Close ends the query.
func (q *manifestQuery) Close() error {
	q.wants, q.sets = nil, nil
	return nil
}

func (g *generatedSet) read(b *session.SetBatch, t time.Duration, clocks *cooker.Clocks) {
	b.Clocks = *clocks
	for i := range g.instances {
		b.Instances = append(b.Instances, g.instances[i])
		for _, c := range b.Counters {
			var r cooker.Reading
			if g.set.Counters[c].Type.IsText() {
				r = b.TextReading(g.columns[c].text(i, t))
			} else {
				r = g.columns[c].read(i, t, clocks)
			}
			b.Readings = append(b.Readings, r)
		}
	}
}
