package session_test

import (
	"slices"
	"testing"

	"perfdeck/session"
)

// The default deck has what the host offers, and processes the better way.
func TestDefaultDeck(t *testing.T) {
	set := func(name string, kind session.InstanceType, counters ...string) *session.Counterset {
		s := &session.Counterset{Name: name, Instances: kind}
		for _, c := range counters {
			s.Counters = append(s.Counters, session.Counter{Name: c})
		}
		return s
	}
	v1 := set("Process", session.MultipleInstances, "% Processor Time")
	v2 := set("Process V2", session.MultipleInstances, "% Processor Time")
	memory := set("Memory", session.SingleInstance, "Available MBytes", "Cache Bytes")
	for _, c := range []struct {
		sets []*session.Counterset
		want []string
	}{
		{[]*session.Counterset{memory, v1}, []string{`\Memory\Available MBytes`, `\Memory\Cache Bytes`, `\Process(*)\% Processor Time`}},
		{[]*session.Counterset{v1, v2}, []string{`\Process V2(*)\% Processor Time`}},
		{[]*session.Counterset{v2}, []string{`\Process V2(*)\% Processor Time`}},
		{[]*session.Counterset{v1, set("Process V2", session.MultipleInstances, "Thread Count")}, []string{`\Process(*)\% Processor Time`}},
		{nil, nil},
	} {
		var got []string
		for _, pane := range session.DefaultDeck("h", &session.Catalogue{Sets: c.sets}).Panes {
			got = append(got, pane.Paths...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
