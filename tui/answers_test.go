package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
)

// What is asked first of a computer, on its default deck and with no more keys than this;
// text that is typed does not count.
func TestFirstAnswers(t *testing.T) {
	for _, task := range []struct {
		name string
		keys []string // a word with a blank before it is typed
		most int
		done func(text string) bool
	}{
		{"load of each core", nil, 0, func(text string) bool {
			_, cores, has := strings.Cut(text, "each of 16")
			for core := range 16 {
				has = has && (strings.Contains(cores, fmt.Sprintf("0,%d ", core)) || strings.Contains(cores, fmt.Sprintf(" %d ", core)))
			}
			return has
		}},
		{"who uses the disk", []string{":", " who disk", "enter"}, 2, func(text string) bool {
			return strings.Contains(text, "[3 Top]") && strings.Contains(text, "IO ▼ B/s") && strings.Contains(text, "sqlservr")
		}},
		{"network by interface", []string{":", " net", "enter"}, 3, func(text string) bool {
			return strings.Contains(text, "[3 Top]") && strings.Contains(text, "Network Interface") && strings.Contains(text, "Recv B/s") && strings.Contains(text, "vmxnet3")
		}},
		{"two counters in a chart", []string{"space", "c"}, 4, func(text string) bool {
			return strings.Contains(text, "[5 Chart]") && strings.Contains(text, "% Processor Time ") && strings.Contains(text, "% User Time ")
		}},
		{"kill what is selected", []string{"3", "ctrl+k", "y"}, 3, func(text string) bool {
			return strings.Contains(text, "sent SIGTERM to sqlservr (pid 2148)")
		}},
	} {
		t.Run(task.name, func(t *testing.T) {
			onScreens(t, rigOptions{}, func(r *rig) {
				var sent []string
				host := r.root.desk.Hosts[0]
				host.Local = true // the demo's first host stands for this computer
				r.root.options.Signals = []string{"SIGTERM"}
				r.root.options.Signal = func(key session.InstanceKey, name string) error {
					sent = append(sent, name+" "+key.Name)
					return nil
				}
				r.begin(1)
				r.root.book.Own(host).Load(session.DefaultDeck(host.Name, host.Sampler.Catalogue()).Panes)
				r.root.ask(host)
				r.pass(3 * time.Second)
				keys := 0
				for _, k := range task.keys {
					if text, typed := strings.CutPrefix(k, " "); typed {
						r.write(text)
						continue
					}
					keys++
					if r.press(k); k == "3" {
						r.pass(2 * time.Second)
					}
				}
				if k := len(task.keys); k == 0 || task.keys[k-1] != "y" { // what is said stands for a moment
					r.pass(2 * time.Second)
				}
				if text := r.text(); keys > task.most || !task.done(text) {
					t.Errorf("%d keys, done: %v\n%s", keys, task.done(text), text)
				}
				if (len(sent) > 0) != strings.HasPrefix(task.name, "kill") {
					t.Errorf("sent %q", sent)
				}
			})
		})
	}
}
