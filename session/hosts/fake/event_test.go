package fake_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/text/eventtext"
)

// What the demo writes down is there as it comes and of the hour before, each once, wherever reading goes on.
func TestEventsOfDemo(t *testing.T) {
	synctest.Test(t, eventsOfDemo)
}

func eventsOfDemo(t *testing.T) {
	clock := session.NewSystemClock()
	for _, h := range fake.Demo(clock) {
		source := h.Source.(session.EventSource)
		begin := clock.Now().Wall
		from := session.EventsFrom{Time: begin.Add(-time.Hour)}
		counts := map[string]int{}
		for range 24 {
			r, err := source.Events(t.Context(), from)
			if h.Name == "sql04" {
				if !errors.Is(err, session.ErrDenied) {
					t.Errorf("%s: %v", h.Name, err)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			events, _, err := r.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				counts[e.Source+e.ID]++
				if e.Known != "" && !eventtext.Is(e.Known) || e.Text == "" || e.Time.Before(from.Time.Add(-time.Minute)) || e.Until.After(clock.Now().Wall) {
					t.Errorf("%+v", e)
				}
			}
			from.Cursor = r.Cursor()
			time.Sleep(5 * time.Minute)
		}
		if h.Name == "sql01" && (counts["disk153"] != 35 || counts["MSSQLSERVER18264"] != 3) {
			t.Errorf("%s: %v", h.Name, counts)
		}
	}
}
