package push

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/snappy"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/system/guard"
)

// point is a sample that an engine took.
type point struct {
	millis int64
	value  float64
}

// engine is a fake one, which takes samples as Prometheus does: in order, and none of a
// request of which it refuses one.
type engine struct {
	mu       sync.Mutex
	series   map[string][]point // by labels, as NAME{a="b"}
	metadata map[string]int     // types by name
	requests []http.Header
	strict   bool // it refuses what is out of order
	// answer, where set, answers in place of it; nil reply: it takes the request.
	answer func(n int, r *http.Request, body []byte) *http.Response
	n      int
}

func newEngine() *engine {
	return &engine{series: map[string][]point{}, metadata: map[string]int{}, strict: true}
}

func reply(code int, text string, header ...string) *http.Response {
	r := &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func (e *engine) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.n++
	e.requests = append(e.requests, r.Header)
	if e.answer != nil {
		if a := e.answer(e.n, r, body); a != nil {
			if a.StatusCode == 0 {
				return nil, fmt.Errorf("connection refused")
			}
			a.Request = r
			return a, nil
		}
	}
	return e.take(body), nil
}

// take takes a request, or refuses all of it.
func (e *engine) take(body []byte) *http.Response {
	message, err := snappy.Decode(nil, body)
	if err != nil {
		return reply(400, err.Error())
	}
	type one struct {
		name string
		point
	}
	var all []one
	err = fields(message, func(_, _ int, field byte, _ uint64, inside []byte) error {
		switch field {
		case fieldSeries:
			name, p, err := parseSeries(inside)
			if err != nil {
				return err
			}
			all = append(all, one{name, p})
			return nil
		case fieldMetadata:
			return e.describe(inside)
		}
		return fmt.Errorf("field %d", field)
	})
	if err != nil {
		return reply(400, err.Error())
	}
	for _, s := range all {
		if had := e.series[s.name]; e.strict && len(had) > 0 {
			switch last := had[len(had)-1]; {
			case s.millis < last.millis:
				return reply(400, "out of order sample\n")
			case s.millis == last.millis && math.Float64bits(s.value) != math.Float64bits(last.value):
				return reply(400, "duplicate sample for timestamp\n")
			}
		}
	}
	for _, s := range all {
		had := e.series[s.name]
		if len(had) > 0 && had[len(had)-1].millis == s.millis {
			continue
		}
		e.series[s.name] = append(had, s.point)
	}
	return reply(204, "")
}

func (e *engine) describe(message []byte) error {
	name, kind := "", 0
	err := fields(message, func(_, _ int, field byte, number uint64, inside []byte) error {
		switch field {
		case fieldType:
			kind = int(number)
		case fieldFamily:
			name = string(inside)
		case fieldHelp:
		default:
			return fmt.Errorf("metadata field %d", field)
		}
		return nil
	})
	e.metadata[name] = kind
	return err
}

// parseSeries reads a series with one sample. Labels that are not sorted are an error.
func parseSeries(message []byte) (name string, p point, err error) {
	var labels []label
	samples := 0
	err = fields(message, func(_, _ int, field byte, _ uint64, inside []byte) error {
		switch field {
		case fieldLabel:
			var l label
			labels = append(labels, l)
			return fields(inside, func(_, _ int, field byte, _ uint64, inside []byte) error {
				if field == fieldName {
					labels[len(labels)-1].Name = string(inside)
				} else {
					labels[len(labels)-1].Value = string(inside)
				}
				return nil
			})
		case fieldSample:
			samples++
			return fields(inside, func(_, _ int, field byte, number uint64, _ []byte) error {
				if field == fieldValue {
					p.value = math.Float64frombits(number)
				} else {
					p.millis = int64(number)
				}
				return nil
			})
		}
		return fmt.Errorf("series field %d", field)
	})
	if err != nil {
		return "", p, err
	}
	if samples != 1 || !slices.IsSortedFunc(labels, func(a, b label) int { return strings.Compare(a.Name, b.Name) }) {
		return "", p, fmt.Errorf("%d samples, labels %v", samples, labels)
	}
	var b strings.Builder
	metric := ""
	for _, l := range labels {
		if l.Name == "__name__" {
			metric = l.Value
			continue
		}
		fmt.Fprintf(&b, ",%s=%q", l.Name, l.Value)
	}
	return metric + "{" + strings.TrimPrefix(b.String(), ",") + "}", p, nil
}

// points are those of a series.
func (e *engine) points(name string) []point {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.series[name])
}

func isStale(p point) bool { return math.Float64bits(p.value) == math.Float64bits(staleNaN) }

// rig is a pusher of scripted hosts, in a bubble of its own time.
type rig struct {
	t *testing.T
	*Pusher
	engine *engine
	clock  session.Clock

	mu    sync.Mutex
	told  []string // errors and good news
	close func()
}

// stepping is a clock whose wall time may be set.
type stepping struct {
	*session.SystemClock

	mu sync.Mutex
	by time.Duration
}

func (s *stepping) Now() session.Instant {
	now := s.SystemClock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	now.Wall = now.Wall.Add(s.by)
	return now
}

func (s *stepping) step(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by += by
}

// pushing runs a test with a pusher of hosts.
func pushing(t *testing.T, e *engine, change func(*Options), hosts []fake.Script, f func(r *rig)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		clock := &stepping{SystemClock: session.NewSystemClock()}
		guarded := guard.New(func(e *guard.PanicError) { panic(e) })
		r := &rig{t: t, engine: e, clock: clock}
		o := Options{
			Engine: link.Engine{URL: "http://engine.test/api/v1/write", Agent: "perfdeck/test", Transport: e},
			Every:  time.Second, Queue: dir, Bytes: 64 << 20, Age: 24 * time.Hour, Clock: clock, Go: guarded.Go,
			Report: func(err error) { r.tell(err.Error()) },
		}
		o.Tell = r.tell
		if change != nil {
			change(&o)
		}
		p, err := Start(o)
		if err != nil {
			t.Fatal(err)
		}
		r.Pusher = p
		for _, script := range hosts {
			s := session.NewSampler(script.Name, fake.New(script, clock), clock)
			var asked []session.Question
			for _, set := range script.Sets {
				asked = append(asked, session.Question{Text: set.Name, Whole: true})
			}
			p.Add(Host{Name: script.Name, Sampler: s, Questions: asked})
			guarded.Go(func() { s.Run(ctx) })
		}
		closed := false
		r.close = func() {
			if !closed {
				closed = true
				ending, end := context.WithTimeout(context.Background(), 5*time.Second)
				defer end()
				if err := p.Close(ending); err != nil {
					t.Error(err)
				}
			}
		}
		f(r)
		r.close()
		cancel()
		synctest.Wait()
	})
}

func (r *rig) tell(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, text)
}

// heard tells whether something was told.
func (r *rig) heard(part string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.told, func(s string) bool { return strings.Contains(s, part) })
}

func (r *rig) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.told, "\n")
}

// script is a host with a count that grows by 1000 a second, a number, and jobs.
func script(faults ...fake.Fault) fake.Script {
	return fake.Script{Name: "sql01", Faults: faults, Sets: []fake.Set{
		{Name: "Memory", Counters: []fake.Counter{
			{Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Is: fake.Const(4096)},
			{Name: "Pages/sec", Type: cooker.CounterCounter, Is: fake.Const(1000)},
		}},
		{Name: "Jobs", Instances: session.MultipleInstances, Rows: []fake.Row{{Name: "a\"b\n"}, {Name: "brief", Alive: fake.Window{To: 5 * time.Second}}}, Counters: []fake.Counter{
			{Name: "% Busy", Type: cooker.Timer100ns, Is: fake.Const(25)},
			{Name: "State", Type: cooker.CounterText, Text: func(_ *session.Instance, at time.Duration) string {
				if at > 8*time.Second {
					return "late"
				}
				return "fine"
			}},
		}},
	}}
}

var errMessage = errors.New("that is no write request")

// fields goes through the fields of a message. at is where a field begins; inside is what
// it has, nil for numbers.
func fields(message []byte, each func(at, end int, field byte, number uint64, inside []byte) error) error {
	for at := 0; at < len(message); {
		key, n := binary.Uvarint(message[at:])
		if n <= 0 || key > 0x7F {
			return errMessage
		}
		end, number, inside := at+n, uint64(0), []byte(nil)
		switch key & 7 {
		case 0:
			number, n = binary.Uvarint(message[end:])
			if n <= 0 {
				return errMessage
			}
			end += n
		case 1:
			if len(message)-end < 8 {
				return errMessage
			}
			number = binary.LittleEndian.Uint64(message[end:])
			end += 8
		case 2:
			size, n := binary.Uvarint(message[end:])
			if n <= 0 || size > uint64(len(message)-end-n) {
				return errMessage
			}
			end += n
			inside = message[end : end+int(size)]
			end += int(size)
		default:
			return errMessage
		}
		if err := each(at, end, byte(key), number, inside); err != nil {
			return err
		}
		at = end
	}
	return nil
}
