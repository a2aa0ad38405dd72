package deck

import (
	"errors"
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/fake"
)

// shown are the paths that the deck of all hosts has of each.
func (r *rig) shown() map[string]int {
	out := map[string]int{}
	for _, d := range r.book.all.decks {
		out[d.host.Name] = 0
		for _, p := range d.Spec() {
			out[d.host.Name] += len(p.Paths) + len(p.Also)
		}
	}
	return out
}

// What is undone on the deck of all hosts is undone on those that came, or came back,
// since, and fills none that told nothing yet.
func TestUndoOnHostsThatCameSince(t *testing.T) {
	silent := computer("silent", 1, 0)
	silent.Faults = []fake.Fault{{Err: errors.New("access is denied")}}
	scripts := []fake.Script{computer("one", 3, 0), silent, computer("two", 3, 0)}
	for name, change := range map[string]func(r *rig){
		"removed": func(r *rig) { r.Press("d") },
		"added": func(r *rig) {
			back := r.book.Memory()
			if err := r.book.Add(nil, cacheSize); err != nil {
				t.Fatal(err)
			}
			r.Undos = append(r.Undos, back)
		},
	} {
		t.Run(name, func(t *testing.T) {
			onDeck(t, 120, 40, scripts, func(r *rig) {
				r.pass(2)
				for _, d := range r.book.all.decks {
					if d.loaded {
						d.Load(named("", "").Panes)
					}
				}
				if name == "added" {
					for _, d := range r.book.all.decks {
						d.drop(cacheSize, d.panes)
					}
				}
				r.pass(1)
				before := r.shown()
				change(r)
				if r.shown()["two"] == before["two"] {
					t.Fatalf("nothing was changed: %v", before)
				}
				r.leaves(2)
				r.pass(1)
				r.comes(computer("two", 3, 0))
				r.comes(computer("three", 3, 0))
				r.pass(1)
				r.Undo()
				r.pass(1)
				after := r.shown()
				before["three"] = before["one"]
				for host, n := range before {
					if after[host] != n {
						t.Errorf("%s shows %d counters, not %d", host, after[host], n)
					}
				}
				if d := r.book.all.decks[1]; d.loaded {
					t.Error("a host that told nothing is filled")
				}
			})
		})
	}
}

// What is undone before a change of kind leaves the pane as it was before that too: the next
// kind is again the first one.
func TestUndoBeforeKind(t *testing.T) {
	onDeck(t, 120, 34, []fake.Script{quiet("one").script()}, func(r *rig) {
		d := r.book.Own(r.Desk.Hosts[0])
		d.Load([]session.DeckPane{{Paths: []string{`\Network Interface(*)\Bytes Received/sec`, `\Network Interface(*)\Bytes Sent/sec`}}, {Paths: []string{`\Processor Information(_Total)\% Processor Time`}}})
		r.pass(3)
		next := func() string {
			r.Press("v")
			return d.panes[1].kinds.as.Kind.String()
		}
		r.Press("d", "tab")
		first := next()
		r.Undo()
		r.Press("tab")
		if again := next(); again != first {
			t.Errorf("drawn as %s first, as %s after what was before was undone", first, again)
		}
	})
}
