package server

import (
	"context"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/fake"
	"perfdeck/session/pcq"
	"perfdeck/session/rpc"
)

// Our client sees a manifest's countersets as they were meant: names, types,
// companions and cooked values.
func TestOwnClient(t *testing.T) {
	clock := fake.NewClock(time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), func() {})
	played := NewManifestSource("every", clock, everyType(t))
	port, _ := serve(t, played, nil)
	client := pcq.New(pcq.Options{Host: "127.0.0.1", Dial: func(ctx context.Context) (pcq.Conn, error) {
		return rpc.Dial(ctx, rpc.Options{Host: "127.0.0.1", Port: port, User: testUser, Password: rpc.FixedPassword(testPassword), CallTimeout: 10 * time.Second})
	}})
	defer client.Close()
	cat, err := client.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, err := client.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var wants []session.Want
	for _, meant := range played.catalogue.Sets {
		set := cat.Set(meant.Name)
		if set == nil || set.GUID != meant.GUID || len(set.Counters) != len(meant.Counters) {
			t.Fatalf("%s is not as it was meant: %+v", meant.Name, set)
		}
		w := session.Want{Set: set}
		for c := range set.Counters {
			w.Counters = append(w.Counters, c)
		}
		wants = append(wants, w)
	}
	if err := q.Select(t.Context(), wants); err != nil {
		t.Fatal(err)
	}
	var old, now session.Batch
	for _, b := range []*session.Batch{&old, &now} {
		if err := q.Collect(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Second)
	}
	if len(now.Sets) != 3 {
		t.Errorf("%d sets", len(now.Sets))
	}
	for i := range now.Sets {
		checkCookedByClient(t, &old.Sets[i], &now.Sets[i])
	}
}

func checkCookedByClient(t *testing.T, old, now *session.SetBatch) {
	t.Helper()
	if now.Err != nil || len(now.Instances) != len(old.Instances) || len(now.Instances) == 0 {
		t.Fatalf("%s: %d instances, then %d, %v", now.Set.Name, len(old.Instances), len(now.Instances), now.Err)
	}
	for row := range now.Instances {
		for col, index := range now.Counters {
			c := &now.Set.Counters[index]
			if !c.Type.Displayable() || c.Type == cooker.CounterText {
				continue
			}
			v := cooker.Cook(c.Type, &old.Row(row)[col], &now.Row(row)[col], &old.Clocks, &now.Clocks, nil)
			if got, ok := v.Float(); !ok || !plausible(c.Type, got) {
				t.Errorf("%s %v, counter %d, %v: %v from %+v", now.Set.Name, now.Instances[row].Key, c.ID, c.Type, v, now.Row(row)[col])
			}
		}
	}
}
