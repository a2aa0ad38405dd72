package winhost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/wire/rpc"
)

// V2 comes first and V1 fills in, whatever the case of the names.
func TestMerge(t *testing.T) {
	r := newRig(t)
	r.v1.warnings = []error{errCut}
	r.start()
	want := []string{"Memory by MS-RRP", "Process by MS-RRP", "Process V2 by MS-PCQ", "Processor Information by MS-PCQ"}
	if got := names(r.cat); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if name, _ := r.cat.NameOf(4); name != "v1" {
		t.Errorf("index 4 is %q", name)
	}
	r.wantBeat("v1", "v2", "v1")
	if w := r.source.Warnings(); len(w) != 1 || !errors.Is(w[0], errCut) || r.source.Traffic() != 42 {
		t.Error(w)
	}
	if got, err := r.beat(true, false, false); err != nil || !slices.Equal(got, []string{"v1", "", ""}) {
		t.Errorf("%q, %v", got, err)
	}
	if r.v2.count("collect") != 1 || r.v1.count("collect") != 2 {
		t.Errorf("%q %q", r.v2.calls, r.v1.calls)
	}
	r.v1.spare = true // as over a slow line
	if got, err := r.beat(true, true, true); err != nil || !slices.Equal(got, []string{"", "v2", ""}) || !slices.Equal(r.batch.Due, []bool{false, true, false}) {
		t.Errorf("%q, due %v, %v", got, r.batch.Due, err)
	}
	_ = r.query.Close()
	if err := r.query.Collect(t.Context(), &r.batch); !errors.Is(err, errClosed) || r.v1.open+r.v2.open != 0 {
		t.Errorf("%v, %d open", err, r.v1.open+r.v2.open)
	}
	if err := r.query.Select(t.Context(), nil); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

// Both halves connect before either calls, so that they can share.
func TestHalvesConnectBeforeTheyCall(t *testing.T) {
	r := newRig(t)
	var order []string
	for _, w := range []*way{r.v2, r.v1} {
		w.fail = func(op string) error {
			order = append(order, w.name+" "+op)
			return nil
		}
	}
	if _, err := r.source.Catalogue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, []string{"v2 connect", "v1 connect", "v2 catalogue", "v1 catalogue"}) {
		t.Errorf("%q", order)
	}
}

// A refused log-on is tried once.
func TestRefusedLogOnIsTriedOnce(t *testing.T) {
	r := newRig(t)
	r.v2.fail = always(errDenied)
	if _, err := r.source.Catalogue(t.Context()); !errors.Is(err, session.ErrDenied) {
		t.Fatal(err)
	}
	if _, err := r.source.Open(t.Context()); !errors.Is(err, session.ErrDenied) {
		t.Fatal(err)
	}
	if len(r.v1.calls) != 0 {
		t.Errorf("the other half tried too: %q", r.v1.calls)
	}
}

// Either half works alone, and why the other is missing is said.
func TestOneHalf(t *testing.T) {
	notServed := fmt.Errorf("bind: %w", rpc.ErrNotServed)
	for _, c := range []struct {
		name    string
		v2, v1  func(string) error
		err     error
		sets    int
		beat    []string
		missing string
	}{
		{"no V2, as on Samba", always(notServed), nil, rpc.ErrNotServed, 3, []string{"v1", "error", "v1"}, "MS-PCQ"},
		{"no V1, as on perfdeck serve", nil, always(notServed), rpc.ErrNotServed, 2, []string{"error", "v2", "error"}, "HKEY_PERFORMANCE_DATA"},
		{"no right to V2", failing(errDenied, "catalogue", "open"), nil, session.ErrDenied, 3, []string{"v1", "error", "v1"}, "MS-PCQ"},
		{"no right to V1", nil, failing(errDenied, "catalogue", "open"), session.ErrDenied, 2, []string{"error", "v2", "error"}, "HKEY_PERFORMANCE_DATA"},
		{"V2 fails at its catalogue", failing(errCut, "catalogue"), nil, errCut, 3, []string{"v1", "error", "v1"}, "MS-PCQ"},
		{"V1 fails when it selects", nil, failing(errCut, "select"), errCut, 4, []string{"error", "v2", "error"}, "HKEY_PERFORMANCE_DATA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.v2.fail, r.v1.fail = c.v2, c.v1
			r.start()
			if len(r.cat.Sets) != c.sets {
				t.Errorf("%q", names(r.cat))
			}
			r.wantBeat(c.beat...)
			for i := range r.batch.Sets {
				if err := r.batch.Sets[i].Err; err != nil && !errors.Is(err, c.err) {
					t.Error(err)
				}
			}
			w := r.source.Warnings()
			if len(w) != 1 || !errors.Is(w[0], c.err) || !strings.Contains(w[0].Error(), c.missing) {
				t.Errorf("%v", w)
			}
		})
	}
}

func TestNeitherHalf(t *testing.T) {
	notServed := fmt.Errorf("bind: %w", rpc.ErrNotServed)
	for _, c := range []struct{ v2, v1, want error }{
		{errCut, errCut, errCut}, {notServed, errCut, errCut}, {errCut, notServed, errCut}, {notServed, notServed, rpc.ErrNotServed},
	} {
		r := newRig(t)
		r.v2.fail, r.v1.fail = always(c.v2), always(c.v1)
		if _, err := r.source.Catalogue(t.Context()); !errors.Is(err, c.want) {
			t.Error(err)
		}
		if _, err := r.source.Open(t.Context()); !errors.Is(err, c.want) {
			t.Error(err)
		}
	}
}

// A half that fails while the other answers is missing for a while, and comes
// back by itself; one that fails alone is the host's failure.
func TestHalfIsLostAndComesBack(t *testing.T) {
	r := newRig(t)
	r.start()
	r.wantBeat("v1", "v2", "v1")
	r.v2.fail = always(errCut)
	r.wantBeat("v1", "error", "v1")
	tried := r.v2.count("connect")
	for range 4 {
		r.wantBeat("v1", "error", "v1")
	}
	if r.v2.count("connect") != tried {
		t.Error("tried again at once")
	}
	r.v2.fail = nil
	r.wantBeat("v1", "v2", "v1")
	if w := r.source.Warnings(); len(w) != 0 {
		t.Error(w)
	}
	r.v2.fail, r.v1.fail = always(errCut), always(errCut)
	if _, err := r.beat(); !errors.Is(err, errCut) {
		t.Error(err)
	}
	r.v2.fail, r.v1.fail = nil, nil
	r.reopen()
	r.v2.fail = always(errCut)
	if _, err := r.beat(false, true, false); !errors.Is(err, errCut) {
		t.Errorf("%v: nothing tells that the host still answers", err)
	}
}

// The pauses grow, and are long after a refusal.
func TestPausesGrow(t *testing.T) {
	for _, c := range []struct {
		err     error
		atMost  int
		atLeast int
	}{{errCut, 80, 30}, {errDenied, 4, 3}} { // accounts are locked after as few as 5 in half an hour
		r := newRig(t)
		r.start()
		r.v1.calls = nil
		r.v1.fail = always(c.err)
		for range 3600 {
			r.wantBeat("error", "v2", "error")
		}
		if n := r.v1.count("connect"); n > c.atMost || n < c.atLeast {
			t.Errorf("%v: %d attempts", c.err, n)
		}
	}
}

// A half that could not be read when the host was opened gives its catalogue
// later.
func TestLateCatalogue(t *testing.T) {
	r := newRig(t)
	r.v1.fail = failing(errCut, "connect")
	r.start()
	if len(r.cat.Sets) != 2 {
		t.Fatalf("%q", names(r.cat))
	}
	renewed := []*session.Catalogue{}
	r.source.RenewTo(func(c *session.Catalogue) { renewed = append(renewed, c) })
	r.v1.fail = nil
	for range 6 {
		if _, err := r.beat(); err != nil {
			t.Fatal(err)
		}
	}
	if len(renewed) != 1 || len(renewed[0].Sets) != 4 || len(r.source.Warnings()) != 0 {
		t.Errorf("%d, %v", len(renewed), r.source.Warnings())
	}
	r.wantBeat("v1", "v2", "v1")
}

// Kept catalogues are merged too, and so is one that takes the place of a kept
// one.
func TestKeptCatalogues(t *testing.T) {
	r := newRig(t)
	if r.source.Kept() != nil {
		t.Error("something was kept")
	}
	r.v1.kept = &session.Catalogue{Sets: r.v1.sets}
	if got := names(r.source.Kept()); len(got) != 3 {
		t.Errorf("%q", got)
	}
	r.v2.kept = &session.Catalogue{Sets: r.v2.sets}
	r.start()
	if len(r.cat.Sets) != 4 || r.v1.count("catalogue")+r.v2.count("catalogue") != 0 {
		t.Errorf("%q %q %q", names(r.cat), r.v1.calls, r.v2.calls)
	}
	var renewed *session.Catalogue
	r.source.RenewTo(func(c *session.Catalogue) { renewed = c })
	r.v1.refreshed(&session.Catalogue{Sets: []*session.Counterset{v1Set("LogicalDisk", 236)}})
	if got := names(renewed); !slices.Equal(got, []string{"LogicalDisk by MS-RRP", "Process V2 by MS-PCQ", "Processor Information by MS-PCQ"}) {
		t.Errorf("%q", got)
	}
	r.source.Forget()
	if r.source.Kept() != nil {
		t.Error("not forgotten")
	}
}

// What broke with the other half's connection is tried again on a new one.
func TestBrokenByTheOtherHalf(t *testing.T) {
	r := newRig(t)
	once := true
	r.v1.fail = func(op string) error {
		if op == "catalogue" && once {
			once = false
			return fmt.Errorf("%w: %w", rpc.ErrBroken, errCut)
		}
		return nil
	}
	r.start()
	if len(r.cat.Sets) != 4 {
		t.Errorf("%q", names(r.cat))
	}
}

// Events are told how the host's clock stands to ours, as soon as an answer of either half says so.
func TestClockOfEvents(t *testing.T) {
	r := newRig(t)
	if _, err := r.source.Events(t.Context(), session.EventsFrom{}); !errors.Is(err, session.ErrNoEvents) {
		t.Error(err)
	}
	var ahead func() (time.Duration, bool)
	r.source.o.Events = func(_ context.Context, _ session.EventsFrom, clock func() (time.Duration, bool)) (session.EventReader, error) {
		ahead = clock
		return nil, nil
	}
	if _, err := r.source.Events(t.Context(), session.EventsFrom{}); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.wantBeat("v1", "v2", "v1")
	if by, known := ahead(); known {
		t.Errorf("%v ahead, which nothing told", by)
	}
	r.v1.clock = r.now.Add(time.Second - 5*time.Minute) // a beat is a second
	r.wantBeat("v1", "v2", "v1")
	if by, known := ahead(); !known || by != -5*time.Minute {
		t.Errorf("%v ahead, known %v", by, known)
	}
}
