package tui

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"perfdeck/session/clocktest"
	"perfdeck/session/hosts/fake"
)

var positionText = regexp.MustCompile(` (\d+)(?:-(\d+))? of (\d+) `)

// position reads which rows are in view off the screen, of the list that tells it
// last: that of the topmost dialog, or of the screen.
func (r *rig) position() (first, last, count int) {
	all := positionText.FindAllStringSubmatch(strings.Join(r.rows(), "\n"), -1)
	if len(all) == 0 {
		r.Fatalf("no list tells its position:\n%s", strings.Join(r.rows(), "\n"))
	}
	at := all[len(all)-1]
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	first, last, count = number(at[1]), number(at[2]), number(at[3])
	return first, max(first, last), count
}

// Every list that has more rows than room tells which are in view, and the same
// keys lead to its end and back. Short runs take each key and each list at one size.
func TestListsMoveAlike(t *testing.T) {
	for _, list := range []struct {
		name  string
		open  []string
		typed bool // letters, home and end are for the line that is typed
	}{
		{"top", []string{"3"}, false},
		{"counters", []string{"4", "right", "right"}, false},
		{"columns of top", []string{"3", "o"}, false},
		{"help", []string{"3", "?"}, true},
		{"palette", []string{":"}, true},
		{"menu", []string{"3", "m"}, true},
		{"rule form", []string{"6", "a"}, true},
	} {
		for n, size := range [][2]int{{60, 15}, {100, 13}} {
			if testing.Short() && n > 0 && list.typed {
				continue
			}
			onScreens(t, rigOptions{w: size[0], h: size[1], hosts: func(c *clocktest.Clock) []fake.Host { return fake.Demo(c)[:1] }}, func(r *rig) {
				r.begin(5)
				r.press(list.open...)
				check := func(what string, end bool) {
					r.Helper()
					first, last, count := r.position()
					if end && last != count || !end && first != 1 || last > count {
						r.Errorf("%s, %v: %s shows %d-%d of %d", list.name, size, what, first, last, count)
					}
				}
				pairs := [][2]string{{"pgdown", "pgup"}, {"down", "up"}}
				if !list.typed {
					pairs = append(pairs, [2]string{"ctrl+d", "ctrl+u"}, [2]string{"j", "k"}, [2]string{"G", "g"}, [2]string{"end", "home"})
				}
				if testing.Short() && !list.typed { // each of them at one of the sizes
					pairs = pairs[3*n:][:3]
				}
				for _, keys := range pairs {
					_, _, count := r.position()
					for i, key := range keys {
						for range count {
							r.press(key)
						}
						check(key, i == 0)
					}
				}
			})
		}
	}
}
