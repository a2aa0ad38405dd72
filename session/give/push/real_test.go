package push

import (
	"bytes"
	"context"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"

	"perfdeck/session"
	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
	"perfdeck/session/system/sharedtest"
)

// tee notes what arrives at the real engine.
type tee struct{ *engine }

func (e *tee) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && a.StatusCode < 300 {
		e.mu.Lock()
		e.take(body)
		e.mu.Unlock()
	}
	return a, err
}

// The real engines have what was pushed, as exactly as they keep numbers (VictoriaMetrics
// keeps about 12 digits), cooked and raw,
// and no gap of the time that they were away.
func TestRealEngines(t *testing.T) {
	for _, kind := range enginetest.Both() {
		for _, raw := range []bool{false, true} {
			name := kind.Name
			if raw {
				name += " raw"
			}
			t.Run(name, func(t *testing.T) {
				if testing.Short() && raw != (kind.Name == enginetest.VictoriaMetrics.Name) {
					t.Skip("a sample of the cases: all without -short")
				}
				live := enginetest.Start(t, kind, "")
				noted := &tee{newEngine()}
				noted.strict = false
				p, end := pushDemo(t, Options{Engine: link.Engine{URL: live.WriteURL(), Transport: noted}, Every: 200 * time.Millisecond, Raw: raw, Report: func(error) {}})
				sharedtest.Until(t, "what is sent", func() bool { return p.Status().Sent > 1000 })
				live.Stop()
				sharedtest.Until(t, "blocks that wait", func() bool { s := p.Status(); return s.Err != nil && s.Queue.Blocks > 3 })
				live.Again()
				sharedtest.Until(t, "what had waited", func() bool { s := p.Status(); return s.Err == nil && s.Queue.Blocks <= 3 })
				end()
				if s := p.Status(); s.Refused+s.Lost+s.Queue.Samples != 0 {
					t.Errorf("%+v", s)
				}
				live.Flush()
				got := map[string]map[int64]float64{}
				for _, s := range live.Query(`{host!=""}[5m]`, time.Now()) {
					points := map[int64]float64{}
					for _, p := range s.Points {
						points[p.Millis] = p.Value
					}
					got[nameOf(s.Labels)] = points
				}
				compared := 0
				for name, points := range noted.series {
					have := got[name]
					for i, want := range points {
						if isStale(want) {
							continue
						}
						value, there := have[want.millis]
						if !there || math.Abs(value-want.value) > 1e-9*math.Abs(want.value) {
							t.Fatalf("%s at %d: %v %v, want %v", name, want.millis, value, there, want.value)
						}
						compared++
						if i > 0 && want.millis-points[i-1].millis > 1000 && strings.Contains(name, "available") {
							t.Errorf("%s has a gap of %d ms", name, want.millis-points[i-1].millis)
						}
					}
				}
				if compared < 1000 {
					t.Errorf("only %d samples were compared", compared)
				}
				time.Sleep(time.Second)
				live.Flush()
				for _, s := range live.Query(`perfdeck_host_up`, time.Now()) {
					t.Errorf("after the end there is %v", s)
				}
			})
		}
	}
}

// nameOf writes labels as the fake engine does.
func nameOf(labels map[string]string) string {
	list := make([]label, 0, len(labels))
	for name, value := range labels {
		list = append(list, label{Name: name, Value: value})
	}
	name, _, err := parseSeries(sampled(list))
	if err != nil {
		return err.Error()
	}
	return name
}

// sampled is a series with a sample, without what leads it in a request.
func sampled(labels []label) (inside []byte) {
	_ = fields(appendSeries(nil, appendLabels(nil, labels), 1, 1), func(_, _ int, _ byte, _ uint64, in []byte) error {
		inside = in
		return nil
	})
	return inside
}

// pushDemo pushes the hosts of the demo. end ends it.
func pushDemo(t testing.TB, o Options) (p *Pusher, end func()) {
	t.Helper()
	clock := session.NewSystemClock()
	guarded := guard.New(func(e *guard.PanicError) { panic(e) })
	o.Clock, o.Go = clock, guarded.Go
	if o.Queue == "" {
		o.Queue = t.TempDir()
	}
	if o.Bytes == 0 {
		o.Bytes = 64 << 20
	}
	p, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	for _, h := range fake.Demo(clock) {
		s := session.NewSampler(h.Name, h.Source, clock)
		var asked []session.Question
		for _, set := range prom.UsualSets() {
			asked = append(asked, session.Question{Text: set, Whole: true, Optional: true})
		}
		p.Add(Host{Name: h.Name, Sampler: s, Questions: asked})
		guarded.Go(func() { s.Run(ctx) })
	}
	return p, func() {
		ending, done := context.WithTimeout(context.Background(), 20*time.Second)
		defer done()
		if err := p.Close(ending); err != nil {
			t.Error(err)
		}
		cancel()
		guarded.Wait()
	}
}

// Prometheus takes none of a request of which it refuses a sample; VictoriaMetrics takes
// all. It is why the parts of such a request are sent again.
func TestRealEnginesRefuse(t *testing.T) {
	for _, kind := range enginetest.Both() {
		t.Run(kind.Name, func(t *testing.T) {
			live := enginetest.Start(t, kind, "")
			now := time.Now().UnixMilli()
			of := func(name string, at int64, value float64) []byte {
				return appendSeries(nil, appendLabels(nil, []label{{Name: "__name__", Value: name}, {Name: "host", Value: "h"}}), value, at)
			}
			p, end := pushDemo(t, Options{Engine: link.Engine{URL: live.WriteURL()}, Every: time.Hour, Report: func(error) {}})
			defer end()
			tell := refusals{s: &p.sender}
			for _, message := range [][]byte{
				of("late", now, 1),
				bytes.Join([][]byte{of("a", now, 1), of("b", now, 1), of("late", now-5000, 2), of("c", now, 1), of("d", now, 1)}, nil),
				bytes.Join([][]byte{of("e", now, 1), of("old", now-5*3600_000, 2)}, nil),
			} {
				if a := p.sender.deliver(t.Context(), snappy.Encode(nil, message), countSamples(message), &tell); a.err != nil {
					t.Errorf("%v", a)
				}
			}
			live.Flush()
			for _, name := range []string{"a", "b", "c", "d", "e"} {
				if got := live.Query(name+"[5m]", time.Now()); len(got) != 1 {
					t.Errorf("%s: %v", name, got)
				}
			}
			want := int64(0)
			if kind.Name == enginetest.Prometheus.Name {
				want = 2
			}
			if s := p.Status(); s.Refused != want {
				t.Errorf("%d samples were refused, want %d", s.Refused, want)
			}
		})
	}
}
