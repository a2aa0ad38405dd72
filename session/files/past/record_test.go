package past

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
)

// engines have one value of a host, at the begin of what is asked for.
type engines struct {
	ahead  time.Duration
	empty  bool
	failed error
	from   time.Time
}

func (e *engines) EngineAhead(context.Context, string) (time.Duration, error) {
	return e.ahead, e.failed
}

func (e *engines) Past(_ context.Context, _ string, from, to time.Time, each func(string, *session.SetBatch) error, tick func(time.Time)) error {
	e.from = from
	tick(to)
	if e.empty {
		return nil
	}
	set := &session.Counterset{Name: "Disk", Instances: session.SingleInstance, Counters: []session.Counter{{Name: "Queue", Type: cooker.CounterRawCount}}}
	ticks := uint64(from.UnixMicro()*10 + cooker.Unix100ns)
	b := session.SetBatch{Set: set, Counters: []int{0}, Clocks: cooker.Clocks{Time100ns: ticks, PerfTime: ticks, PerfFreqHz: 1e7}}
	b.Instances = append(b.Instances, session.Instance{})
	b.Readings = append(b.Readings, cooker.CookedReading(2))
	return each("a", &b)
}

// A part of the past becomes a recording, by the engine's clock.
func TestRecord(t *testing.T) {
	e, told, share := &engines{ahead: time.Hour}, "", 0.0
	record := func(name string) (string, error) {
		return Record(t.Context(), e, name, t.TempDir(), func(hosts string, by time.Duration) { told = hosts + " " + by.String() }, func(s float64) { share = s })
	}
	file, err := record("prom+http://e#a@-2h")
	if err != nil || told != "prom+http://e#a 1h0m0s" || share != 1 {
		t.Errorf("%s, %v, told %q, %v", file, err, told, share)
	}
	if late := time.Until(e.from) + time.Hour; late.Abs() > time.Minute {
		t.Errorf("it begins %v off", late)
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("%v", err)
	}
	e.ahead, told = 0, ""
	if _, err := record("prom+http://e#a"); err != nil || told != "" {
		t.Errorf("%v, told %q", err, told)
	}
	if _, err := record("prom+http://e@noon"); err == nil {
		t.Error("what is no time is taken")
	}
	e.empty = true
	if _, err := record("prom+http://e#a"); err == nil {
		t.Error("nothing is a recording")
	}
	e.failed = errors.New("it does not answer")
	if _, err := record("prom+http://e#a"); !errors.Is(err, e.failed) {
		t.Errorf("%v", err)
	}
}
